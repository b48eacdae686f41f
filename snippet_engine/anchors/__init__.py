"""Resolve an anchor to exactly one place, or return the reason why that fails.

``resolver`` resolves any anchor; ``text_anchor`` finds its text. ``resolution`` is the result.
``context`` and ``whole_words`` say which places of a text match.
``anchor_for_place`` works in reverse: it makes an anchor for a place, with ``unique_context``.
"""
