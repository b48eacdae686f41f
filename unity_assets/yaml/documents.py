"""Cut a file into its documents, and say what each is: ``--- !u!114 &1100 stripped``."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
from itertools import zip_longest
from typing import TYPE_CHECKING

from unity_assets.yaml.limits import MalformedError
from unity_assets.yaml.nodes import MAPPING, Entry, Node

if TYPE_CHECKING:
    from collections.abc import Iterator

BOM = b"\xef\xbb\xbf"
HEADER = b"%YAML"

_DOCUMENT = re.compile(rb"---(?: !u!(-?\d+) &(-?\d+)( stripped)?)?[ \t]*\r?(?:\n|\Z)")
_FIRST_KEY = re.compile(rb"(?:[ \t]*(?:#[^\n]*)?\r?\n)*(?=[^\s#])")


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
    """The documents of a file, in order and by id."""

    def __init__(self, data: bytes) -> None:
        found = list(_document_lines(data))
        self.all: list[Document] = []
        if not found:
            start = len(BOM) if data.startswith(BOM) else 0
            self.all.append(Document(data, start, len(data)))
        for this, following in zip_longest(found, found[1:]):
            end = following.start() if following else len(data)
            ids = (int(this[1] or 0), int(this[2] or 0), bool(this[3]))
            self.all.append(Document(data, this.end(), end, *ids))
        self._starts = [each.start for each in self.all]
        self.by_id = {each.file_id: each for each in reversed(self.all)}

    def at(self, offset: int) -> Document | None:
        """Return the document that has the byte at ``offset``."""
        index = bisect_right(self._starts, offset) - 1
        return self.all[index] if index >= 0 and offset < self.all[index].end else None


def _document_lines(data: bytes) -> Iterator[re.Match[bytes]]:
    at = 0 if data.startswith(b"---") else data.find(b"\n---") + 1 or -1
    while at >= 0:
        if found := _DOCUMENT.match(data, at):
            yield found
        at = data.find(b"\n---", at + 1) + 1 or -1
