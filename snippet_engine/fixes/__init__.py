"""Fixes: whole requests to send in place of a refused one (docs/design/engine.md §8).

Fixes are planned on the refused text. Only earlier versions of the script are read, by the caller's
``earlier``. An uncertain fix isn't offered.

``explain.plan_or_explain`` plans each edit, or explains the refusal. Then ``choose_tool`` asks
``whole_request`` to repair each fault. ``model`` holds one repair, and moves an instruction to
another place.

For an anchor without a match, ``explain.near_misses`` lists the nearest places. Then
``anchor_not_found`` asks ``history`` whether the text was there before a later edit. It also
searches for places that are certain enough: ``search.readings`` (the anchor as sent, and without
what a paste added), ``search.candidate_search`` (which places to compare), ``search.alignment``
(how similar each place is). ``search.selection`` ranks the places: one, a choice, or none.
``merge`` applies the agent's change there. The whole request is planned again, and ``verify``
judges the result.

The modules for the other errors are ``ambiguous`` with ``named_places``, ``wrong_symbol``,
``invalid_new_text``, ``compiler_fixes``, ``commented_out`` and ``other_file``.
"""
