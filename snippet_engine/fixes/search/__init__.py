"""Search: find the places most similar to an anchor, and rank them.

``tokens`` and ``sent`` split texts into tokens. ``readings`` searches the anchor as sent, and
without what a paste added. ``candidate_search`` chooses the places to compare. ``alignment`` aligns
the anchor with the file, by the costs of ``token_cost``. ``candidate`` is a place, with its
mistakes. ``selection`` returns one place, a choice or none. ``edge_whitespace`` extends a place.
"""
