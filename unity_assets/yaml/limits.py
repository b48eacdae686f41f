"""How deep and how large YAML may be, and the error for what can't be read."""

from __future__ import annotations

MAXIMUM_DEPTH = 64
"""Unity stops at 10 levels of serialized types; each takes two or three levels of YAML."""
MAXIMUM_FLOW = 1 << 20
"""Bytes of one ``{…}``: Unity writes references and vectors so, at most a type's three names."""
LONGEST_TEXT = 8 << 20
"""Bytes of one scalar that is read: a graph of Visual Scripting may have some megabytes."""


class MalformedError(ValueError):
    """The text at ``offset`` isn't YAML as Unity writes it."""

    def __init__(self, offset: int, reason: str) -> None:
        super().__init__(reason)
        self.offset = offset
        self.reason = reason
