"""Why a request is refused, in words and with the places that it may have meant.

``planning`` plans a request or explains its faults. ``explanation`` makes the error of an anchor
that names no single place, ``symbols`` of a symbol path, ``declined`` of an anchor that fits and is
refused. ``not_found`` lists what nearly matched: ``near_miss`` finds it, with
``already_applied`` (the edit was made before).
``candidates`` describes a place.
"""
