"""Search: the places most like an anchor, and the one ranking of them.

``tokens`` and ``sent`` are the texts, ``token_cost`` has the table of costs, ``alignment`` aligns,
``candidate`` is a place and what is wrong there, ``candidate_search`` finds the places;
``same_declaration`` compares names; ``edge_whitespace`` extends a place; ``closest_lines``
finds lines merely like a text; ``selection`` ranks: one, a choice, or none.
"""
