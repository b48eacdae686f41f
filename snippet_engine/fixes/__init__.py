"""Fixes: whole requests to send instead of a refused one (docs/design/engine.md §8).

Pure: plans on the refused text, knows no files. An uncertain request isn't offered.

``explain.plan_or_explain`` plans each edit, or explains the refusal. ``choose_tool`` begins the
search for offers, ``whole_request`` repairs each fault and tries the whole. ``model`` is one
repair, and moves an instruction to another place.

An anchor that is nowhere takes this way, from ``anchor_not_found`` on:
``history`` (was it there before a later edit?) > ``search.readings`` (as sent, and without what a
paste added) > ``search.candidate_search`` (the places to compare) > ``search.alignment`` (how like
the anchor each is) > ``search.selection`` (one place, a choice, or none) > ``merge`` (the agent's
change, made there) > ``verify`` (the result, judged). ``explain.near_misses`` lists the
same places.

The other errors: ``ambiguous`` with ``named_places``, ``wrong_symbol``,
``invalid_new_text``, ``compiler_fixes``, ``commented_out``, ``other_file``.
"""
