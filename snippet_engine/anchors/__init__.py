"""Resolve an anchor to exactly one place, or say why it names none.

``resolver`` resolves any anchor, its text with ``text_anchor``; ``resolution`` is the result.
``possible_places`` finds the places where a text may match; ``context`` and ``whole_words`` say
which of them do.
``anchor_for_place`` works in reverse: it makes an anchor for a place, with ``unique_context``.
"""
