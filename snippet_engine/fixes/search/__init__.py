"""Search: the places most like an anchor, and the one ranking of them.

``tokens``, ``token_cost``, ``blocks`` compare texts; ``alignment``, ``candidate`` and
``candidate_search`` align an anchor with windows of the file; ``same_declaration`` compares names;
``edge_whitespace`` extends a place; ``closest_lines`` finds lines merely like a text;
``selection`` ranks: one, a choice, or none.
"""
