"""Fixes: whole requests to send instead of a refused one (docs/design/engine.md §8).

Pure: plans on the text that was refused, knows no files. What isn't certain isn't offered.
``whole_request`` tries the whole; ``model`` moves one instruction, ``verify`` judges it. By error:
``ambiguous``, ``named_places``, ``all_places``, ``compact_replace_all``, ``symbol_not_found``,
``overlapping``, ``invalid_new_text``, ``declaration_place``, ``commented_out``,
``larger_tool``, ``other_file``. Rooms: ``not_found`` > ``history``
> ``explain`` > ``merge`` > ``search`` > ``normalise``.
"""
