"""Resolve an anchor to exactly one place, or say why it names none.

``symbol_anchor`` and ``text_anchor`` resolve; ``resolution`` is their result. ``candidate_search``
finds the places where a target may be; ``context`` and ``whole_words`` say which of them match.
``anchor_for_place`` works in reverse: it makes an anchor for a place, with ``unique_context`` and
``occurrences_by_context``.
"""
