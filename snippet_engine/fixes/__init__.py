"""Fixes: whole requests to send instead of a refused one (docs/design/engine.md §8).

Pure: plans on the refused text, knows no files. An uncertain request isn't offered.

``explain.plan_or_explain`` plans each edit, or explains the refusal. Then ``choose_tool`` asks
``whole_request`` to repair each fault. ``model`` is one repair, and moves an instruction to another
place.

An anchor without a match takes these steps. ``explain.near_misses`` lists the nearest places.
``anchor_not_found`` asks ``history`` (was the text there before a later edit?), and searches again,
for places that are certain enough: ``search.readings`` (as sent, and without what a paste added) >
``search.candidate_search`` (the places to compare) > ``search.alignment`` (their similarity to the
anchor). ``search.selection`` ranks the places (one, a choice, or none). ``merge`` applies the
agent's change there. The whole request is planned again, and ``verify`` judges the result.

The other errors: ``ambiguous`` with ``named_places``, ``wrong_symbol``,
``invalid_new_text``, ``compiler_fixes``, ``commented_out``, ``other_file``.
"""
