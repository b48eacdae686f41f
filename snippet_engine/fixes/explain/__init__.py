"""Explain why a request is refused, with the places that it may mean.

``plan_or_explain`` plans a request, or explains its faults. By fault: ``explanation`` (an anchor
names no single place), ``symbols`` (a symbol path does not), ``near_misses`` (nothing matches).
``described_place`` describes a place.
"""
