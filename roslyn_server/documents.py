"""Keep the texts that the client has open in step with LSP's changes.

Lines end only at ``\n``, ``\r\n`` and ``\r``, as in LSP, and characters count UTF-16 code units.
pygls's own documents also end lines at form feeds, so changes would land in the wrong place.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from lsprotocol import types

_LINE_END = re.compile(r"\r\n|\n|\r")
_ASTRAL = 0x10000


@dataclass(frozen=True, slots=True)
class OpenDocument:
    """One version of an open text."""

    uri: str
    version: int
    text: str

    def changed(
        self, version: int, changes: Sequence[types.TextDocumentContentChangeEvent]
    ) -> OpenDocument:
        """Return the document after ``changes``, applied one after the other."""
        text = self.text
        for change in changes:
            if isinstance(change, types.TextDocumentContentChangePartial):
                starts = _line_starts(text)
                first = _offset(text, starts, change.range.start)
                last = max(first, _offset(text, starts, change.range.end))
                text = text[:first] + change.text + text[last:]
            else:
                text = change.text
        return OpenDocument(self.uri, version, text)


def _line_starts(text: str) -> list[int]:
    return [0, *(match.end() for match in _LINE_END.finditer(text))]


def _offset(text: str, starts: Sequence[int], position: types.Position) -> int:
    """Return where ``position`` is in ``text``; the line's end if it lies past that."""
    if position.line >= len(starts):
        return len(text)
    start = starts[position.line]
    stop = starts[position.line + 1] if position.line + 1 < len(starts) else len(text)
    line = text[start:stop].rstrip("\r\n")
    if line.isascii():
        return start + min(position.character, len(line))
    units = 0
    for index, character in enumerate(line):
        if units >= position.character:
            return start + index
        units += 2 if ord(character) >= _ASTRAL else 1
    return start + len(line)
