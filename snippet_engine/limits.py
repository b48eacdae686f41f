"""Limits of one request: ``edit_snippet`` and ``edit_scripts`` (docs/design/engine.md §2.3)."""

from __future__ import annotations

from dataclasses import dataclass

from snippet_engine.source_text import MAX_FILE_BYTES

MAX_INSTRUCTIONS = 10
MAX_CHANGED_CODE_POINTS = 80
"""Largest change of one edit in code points, without the common ends of old and new text."""

MAX_SET_FILES = 20
MAX_SET_INSTRUCTIONS = 50
MAX_SET_BYTES = MAX_FILE_BYTES
"""Most bytes of all files of one change set together."""

MAX_SET_CHANGED_CODE_POINTS = 8_000
"""Largest change of one edit in a change set: about the size of a whole file."""


IN_SEVERAL_SETS = (
    "send several sets in order; each must compile without the later ones: first additions, "
    "then their uses, last removals"
)
"""The advice for a change that doesn't fit into one set."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of one request for one file."""

    changed: int
    """Most code points that one edit may change."""
    instructions: int

    @property
    def is_small(self) -> bool:
        """Return whether an edit beyond these limits may still fit into a change set."""
        return self.changed < MAX_SET_CHANGED_CODE_POINTS


SNIPPET = Limits(MAX_CHANGED_CODE_POINTS, MAX_INSTRUCTIONS)
CHANGE_SET = Limits(MAX_SET_CHANGED_CODE_POINTS, MAX_SET_INSTRUCTIONS)
