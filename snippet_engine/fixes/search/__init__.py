"""Search: find the places most like an anchor, and rank them once.

``tokens`` and ``sent``: texts as tokens. ``readings``: an anchor without what a paste added, and
the search for each reading. ``candidate_search``: which places to compare. ``alignment``: an anchor
against the file, by the costs of ``token_cost``. ``candidate``: a place, and what is wrong there.
``selection``: one place, a choice or none. ``edge_whitespace`` extends a place.
"""
