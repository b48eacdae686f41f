"""Explain why a request is refused, with the places that it may mean.

``planning`` plans a request, or explains its faults. By fault: ``explanation`` (an anchor names no
single place), ``symbols`` (a symbol path does not). ``not_found`` lists near misses, from
``near_miss`` and ``already_applied`` (the edit was made before). ``candidates`` describes a place.
"""
