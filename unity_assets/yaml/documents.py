"""Split a file into its documents, and read their headers: ``--- !u!114 &1100 stripped``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from unity_assets.yaml.nodes import MAPPING, Entry, Node
from unity_assets.yaml.scalars import MalformedError

BOM = b"\xef\xbb\xbf"
HEADER = b"%YAML"

_DOCUMENT = re.compile(rb"---(?: !u!(-?\d+) &(-?\d+)( stripped)?)?[ \t]*\r?(?:\n|\Z)")
_LINE = b"\n---"
_FIRST_KEY = re.compile(rb"(?:[ \t]*+(?:#[^\n]*+)?\r?\n)*+(?=[^\s#])")


@dataclass(frozen=True, eq=False)
class Document:
    """One object of a file. A ``.meta`` is one document without ids."""

    data: bytes
    start: int
    end: int
    class_id: int = 0
    file_id: int = 0
    stripped: bool = False

    @cached_property
    def root(self) -> Node:
        """Return the top mapping; raise MalformedError where there is none."""
        first = _FIRST_KEY.match(self.data, self.start, self.end)
        if first is None:
            raise MalformedError(self.start, "an empty document")
        return Node(self.data, MAPPING, first.end(), self.end, 0, 0)

    @cached_property
    def name(self) -> str:
        """Return the type's name that Unity writes first, as ``MonoBehaviour``."""
        return str(self.root.entries[0].key) if self.root.entries else ""

    @cached_property
    def body(self) -> Node:
        """Return the object's properties."""
        return self.root.entries[0].value

    def chain(self, offset: int) -> list[Entry]:
        """Return the entries that lead to the byte at ``offset``, from the root."""
        chain: list[Entry] = []
        node = self.root
        while (entry := node.entry_at(offset)) is not None:
            chain.append(entry)
            if offset < entry.key_end or not entry.value.entries:
                break
            node = entry.value
        return chain


class Documents:
    """The documents of a file: the one at a byte, by id, or all in order."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._first = _line_after(data, -1)
        self._last: Document | None = None
        self._by_start: dict[int, Document] = {}

    def at(self, offset: int) -> Document | None:
        """Return the document that has the byte at ``offset``."""
        if self._last is not None and self._last.start <= offset < self._last.end:
            return self._last
        if self._first is None:
            self._last = self.all[0]
        elif offset < self._first.end():
            return None
        elif (line := _line_before(self._data, offset)) is not None:
            self._last = self._document(line, _line_after(self._data, line.start()))
        return self._last if self._last is not None and self._last.start <= offset else None

    @cached_property
    def all(self) -> list[Document]:
        """Return every document, in order."""
        line = self._first
        if line is None:
            start = len(BOM) if self._data.startswith(BOM) else 0
            return [Document(self._data, start, len(self._data))]
        documents: list[Document] = []
        while line is not None:
            following = _line_after(self._data, line.start())
            documents.append(self._document(line, following))
            line = following
        return documents

    @cached_property
    def by_id(self) -> dict[int, Document]:
        """Return the documents by the id of their object."""
        return {each.file_id: each for each in reversed(self.all)}

    def _document(self, line: re.Match[bytes], following: re.Match[bytes] | None) -> Document:
        if line.end() not in self._by_start:
            end = following.start() if following else len(self._data)
            ids = (int(line[1] or 0), int(line[2] or 0), bool(line[3]))
            self._by_start[line.end()] = Document(self._data, line.end(), end, *ids)
        return self._by_start[line.end()]


def _line_after(data: bytes, offset: int) -> re.Match[bytes] | None:
    """Return the first line that begins a document after ``offset``."""
    at = offset
    while True:
        if at < 0 or data.startswith(_LINE, at):
            found = _DOCUMENT.match(data, at + 1)
            if found is not None:
                return found
        at = data.find(_LINE, at + 1)
        if at < 0:
            return None


def _line_before(data: bytes, offset: int) -> re.Match[bytes] | None:
    """Return the last line that begins a document at or before ``offset``."""
    end = offset + len(_LINE)
    while True:
        at = data.rfind(_LINE, 0, end)
        found = _DOCUMENT.match(data, at + 1)
        if found is not None or at < 0:
            return found
        end = at + len(_LINE) - 1
