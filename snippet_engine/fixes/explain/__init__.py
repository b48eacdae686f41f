"""Explain why a request is refused, and list the places that it may mean.

``plan_or_explain`` plans a request, or explains its faults. ``explanation`` explains an anchor that
names no single place, ``symbols`` a symbol path that names none. ``near_misses`` lists the most
similar places if nothing matches. ``described_place`` describes one place.
"""
