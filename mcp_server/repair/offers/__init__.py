"""Requests that can be sent instead of one that is refused, and the words for them."""
