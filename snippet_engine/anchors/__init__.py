"""Resolve an anchor to exactly one place, or say why it names none.

``resolver`` resolves any anchor, its text with ``text_anchor``; ``resolution`` is the result.
``context`` and ``whole_words`` say which places of a text match.
``anchor_for_place`` works in reverse: it makes an anchor for a place, with ``unique_context``.
"""
