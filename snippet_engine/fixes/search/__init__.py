"""Search: find the places most like an anchor, and rank them once.

``tokens`` and ``sent``: texts as tokens. ``token_cost``: the table of costs. ``alignment``: aligns
an anchor with the file. ``candidate``: a place, and what is wrong there. ``candidate_search``:
finds the places. ``selection``: ranks them: one, a choice or none. ``edge_whitespace`` extends a
place, and ``closest_lines`` finds merely similar lines.
"""
