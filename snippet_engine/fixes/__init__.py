"""Fixes: whole requests to send instead of a refused one (docs/design/engine.md §8).

Pure: plans on the refused text, knows no files. An uncertain request isn't offered.
``explain.planning`` plans each edit, or explains the refusal. ``best_offers`` begins the search for
offers, ``whole_request`` repairs each fault and tries the whole, ``best_offers`` makes a change set
of it. ``model`` moves one instruction, ``verify`` judges the result. By error: ``ambiguous``,
``named_places``, ``compact_replace_all``, ``symbol_not_found``,
``invalid_new_text``, ``compiler_fixes``, ``commented_out``, ``other_file``. Rooms, each uses the
ones behind it: ``not_found`` > ``history`` > ``explain`` > ``merge`` > ``search`` >
``normalise``.
"""
