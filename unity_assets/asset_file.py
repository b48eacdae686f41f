"""An opened asset: its bytes, documents, lines and words; and the reader that opens assets."""

from __future__ import annotations

from collections import OrderedDict
from functools import cached_property
from typing import TYPE_CHECKING

from unity_assets.yaml.documents import Documents

if TYPE_CHECKING:
    from pathlib import Path

KEPT_BYTES = 64 << 20
SHOWN_TEXT = 200


class AssetFile:
    """A file's bytes as they were read."""

    def __init__(self, path: str, data: bytes) -> None:
        self.path = path
        self.data = data
        self._last_line = (0, 1)

    @cached_property
    def documents(self) -> Documents:
        """Return the file's documents."""
        return Documents(self.data)

    def line(self, offset: int) -> int:
        """Return the number, from 1, of the line that has the byte at ``offset``."""
        at, line = self._last_line
        if offset < at:
            at, line = 0, 1
        line += self.data.count(b"\n", at, offset)
        self._last_line = (offset, line)
        return line

    def line_text(self, offset: int) -> str:
        """Return the text of a byte's line, at most 200 characters around it."""
        start = max(self.data.rfind(b"\n", 0, offset) + 1, offset - SHOWN_TEXT // 2)
        end = self.data.find(b"\n", offset, start + SHOWN_TEXT)
        piece = self.data[start : end if end >= 0 else start + SHOWN_TEXT]
        return piece.decode("utf-8", "replace").strip()


class Reader:
    """Opens a project's files, and keeps the last ones open."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._files: OrderedDict[str, AssetFile] = OrderedDict()
        self._bytes = 0

    def open(self, path: str) -> AssetFile | None:
        """Return the file; None if it can't be read."""
        file = self._files.pop(path, None)
        if file is None:
            try:
                file = AssetFile(path, (self._root / path).read_bytes())
            except OSError:
                return None
            self._bytes += len(file.data)
        self._files[path] = file
        while self._bytes > KEPT_BYTES and len(self._files) > 1:
            _, dropped = self._files.popitem(last=False)
            self._bytes -= len(dropped.data)
        return file


_WORD_SIGNS = frozenset(
    bytes((each,))
    for each in range(256)
    if (each < 0x80 and chr(each).isalnum()) or each == 0x5F or each >= 0x80
)


class Occurrences:
    """Finds the places of some words in a file one by one, from its start to its end."""

    def __init__(self, data: bytes, words: list[bytes]) -> None:
        self._data = data
        self._next: dict[bytes, int] = {each: self._find(each, 0) for each in words}

    def at_or_after(self, offset: int) -> int | None:
        """Return the first place from ``offset`` on; None if there is no more."""
        for word, at in self._next.items():
            if at < offset:
                self._next[word] = self._find(word, offset)
        first = min(self._next.values(), default=len(self._data))
        return first if first < len(self._data) else None

    def _find(self, word: bytes, offset: int) -> int:
        data = self._data
        at = data.find(word, offset)
        while at >= 0:
            end = at + len(word)
            if data[at - 1 : at] not in _WORD_SIGNS and data[end : end + 1] not in _WORD_SIGNS:
                return at
            at = data.find(word, end)
        return len(data)
