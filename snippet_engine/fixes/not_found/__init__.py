"""Offers for an anchor that fits no place.

``anchor_not_found`` tries one way after the other. ``nearest_places``: the places most like the
anchor. ``paste_variants``: an instruction without what a paste added.
"""
