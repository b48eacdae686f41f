"""Find mappings, sequences and scalars by their indentation, each with its bytes."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING

from unity_assets.yaml.scalars import (
    LONGEST_TEXT,
    MAXIMUM_DEPTH,
    MAXIMUM_FLOW,
    MalformedError,
    style_of,
    text_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

MAPPING, SEQUENCE, SCALAR, FLOW, EMPTY = "mapping", "sequence", "scalar", "flow", "empty"

_KEY = re.compile(
    rb"""("(?:[^"\\\r\n]|\\.){0,1000}"|'(?:[^'\r\n]|''){0,1000}'|[^\s"'{\[|>#][^\r\n]{0,1000}?)"""
    rb""":(?=[ \r\n]|\Z)"""
)
_BLANKS = re.compile(rb"[ \t]*")
_END_OF_LINE = re.compile(rb"[ \t]*(?:\r?\n|\Z)")
_QUOTED = re.compile(rb"""'[^']*+(?:''[^']*+)*+'|"[^"\\]*+(?:\\.[^"\\]*+)*+\"""", re.DOTALL)
_NEXT_LINE = re.compile(rb"(?:[ \t]*+\r?\n)*+( *+)(?=[^ \r\n])")


@dataclass(frozen=True)
class Entry:
    """An element of a mapping (with a key) or of a sequence (with an index)."""

    start: int
    key: str | int
    key_start: int
    key_end: int
    value: Node


class Node:
    """A value: its kind, its bytes from ``start`` to ``end``, and its elements."""

    def __init__(self, data: bytes, kind: str, start: int, end: int, column: int, depth: int):
        self.data = data
        self.kind = kind
        self.start = start
        self.end = end
        self.column = column
        """The column of a block's keys or dashes; for a scalar or flow, that of its key."""
        self.depth = depth

    @property
    def raw(self) -> bytes:
        """Return the bytes of the value."""
        return self.data[self.start : self.end]

    @property
    def text(self) -> str:
        """Return the text of a scalar; empty for any other node."""
        if self.end - self.start > LONGEST_TEXT:
            raise MalformedError(self.start, "a text that is too long")
        return text_of(self.raw) if self.kind == SCALAR else ""

    @property
    def style(self) -> str:
        """Return the style of a scalar."""
        return style_of(self.raw)

    @cached_property
    def entries(self) -> list[Entry]:
        """Return the elements in their order; a scalar has none."""
        if self.depth > MAXIMUM_DEPTH:
            raise MalformedError(self.start, "nested too deeply")
        if self.kind == MAPPING:
            return list(self._of_mapping())
        if self.kind == SEQUENCE:
            return list(self._of_sequence())
        if self.kind == FLOW:
            return [
                Entry(start, key, key_start, key_end, self._within_flow(value))
                for start, key, key_start, key_end, value in flow_entries(
                    self.data, self.start, self.end
                )
            ]
        return []

    @cached_property
    def by_key(self) -> dict[str | int, Entry]:
        """Return the elements by key; the first counts where one occurs twice."""
        return {each.key: each for each in reversed(self.entries)}

    def get(self, *keys: str | int) -> Node | None:
        """Return the value that the keys lead to."""
        node = self
        for key in keys:
            entry = node.by_key.get(key)
            if entry is None:
                return None
            node = entry.value
        return node

    def text_at(self, *keys: str | int) -> str:
        """Return the text that the keys lead to, or nothing."""
        node = self.get(*keys)
        return node.text if node is not None else ""

    def entry_at(self, offset: int) -> Entry | None:
        """Return the element that has the byte at ``offset``."""
        index = bisect_right(self._starts, offset) - 1
        return self.entries[index] if index >= 0 else None

    @cached_property
    def _starts(self) -> list[int]:
        return [each.start for each in self.entries]

    def _of_mapping(self) -> Iterator[Entry]:
        starts = [self.start, *self._lines(_key_lines(self.column))]
        for start, end in zip(starts, [*starts[1:], self.end], strict=True):
            key = _KEY.match(self.data, start, end)
            if key is None:
                raise MalformedError(start, "a line without a key")
            value = self._value(key.end(), end, self.column, sequence_from=self.column)
            yield Entry(start, text_of(key[1]), start, key.end(1), value)

    def _of_sequence(self) -> Iterator[Entry]:
        starts = [self.start, *self._lines(_dash_lines(self.column))]
        for index, (start, end) in enumerate(zip(starts, [*starts[1:], self.end], strict=True)):
            if self.data[start : start + 1] != b"-":
                raise MalformedError(start, "an element of a list must begin with '-'")
            yield Entry(start, index, start, start + 1, self._element(start, end))

    def _element(self, dash: int, end: int) -> Node:
        blanks = _BLANKS.match(self.data, dash + 1, end)
        at = blanks.end() if blanks else dash + 1
        column = self.column + at - dash
        if self.data[at : at + 2] in (b"- ", b"-\n", b"-\r"):
            return Node(self.data, SEQUENCE, at, end, column, self.depth + 1)
        if _KEY.match(self.data, at, end) and self.data[at : at + 1] not in (b"{", b"["):
            return Node(self.data, MAPPING, at, end, column, self.depth + 1)
        return self._value(dash + 1, end, self.column, sequence_from=self.column + 1)

    def _value(self, after: int, end: int, column: int, *, sequence_from: int) -> Node:
        data, depth = self.data, self.depth + 1
        if not (rest := _END_OF_LINE.match(data, after, end)):
            blanks = _BLANKS.match(data, after, end)
            start = blanks.end() if blanks else after
            if data[start : start + 1] == b"#":
                return Node(data, EMPTY, start, start, column, depth)
            stop = _without_blanks(data, start, end)
            first = data[start : start + 1]
            if first in (b"{", b"["):
                return Node(data, FLOW, start, stop, column, depth)
            if first in (b"'", b'"'):
                quoted = _QUOTED.match(data, start, stop)
                if quoted is None or quoted.end() != stop:
                    raise MalformedError(start, "a quoted text that doesn't end in its place")
            return Node(data, SCALAR, start, stop, column, depth)
        following = _NEXT_LINE.match(data, rest.end(), end)
        if following is None:
            return Node(data, EMPTY, after, after, column, depth)
        start, indent = following.end(), len(following[1])
        if indent >= sequence_from and re.match(rb"-(?=[ \r\n])", data[start : start + 2]):
            return Node(data, SEQUENCE, start, end, indent, depth)
        if indent <= column:
            raise MalformedError(start, "a line with too few blanks in front")
        if _KEY.match(data, start, end):
            return Node(data, MAPPING, start, end, indent, depth)
        stop = _without_blanks(data, start, end)
        kind = FLOW if data[start : start + 1] in (b"{", b"[") else SCALAR
        return Node(data, kind, start, stop, column, depth)

    def _lines(self, pattern: re.Pattern[bytes]) -> Iterator[int]:
        for found in pattern.finditer(self.data, self.start, self.end):
            if found.end() > self.start:
                yield found.end()

    def _within_flow(self, span: tuple[int, int]) -> Node:
        start, end = span
        if start == end:
            kind = EMPTY
        else:
            kind = FLOW if self.data[start : start + 1] in (b"{", b"[") else SCALAR
        return Node(self.data, kind, start, end, self.column, self.depth + 1)


def _without_blanks(data: bytes, start: int, end: int) -> int:
    while end > start:
        piece = data[max(start, end - 4096) : end]
        kept = piece.rstrip(b" \t\r\n")
        end -= len(piece) - len(kept)
        if kept:
            break
    return end


@cache
def _key_lines(column: int) -> re.Pattern[bytes]:
    # A quoted text that ends with a line break has its closing quote alone at column 0.
    return re.compile(rb"\n" + b" " * column + rb"(?=[^ \r\n#-]|-[^ \r\n])(?!['\"]\r?(?:\n|\Z))")


@cache
def _dash_lines(column: int) -> re.Pattern[bytes]:
    return re.compile(rb"\n" + b" " * column + rb"(?=-[ \r\n])")


FlowEntry = tuple[int, "str | int", int, int, tuple[int, int]]
"""Start, key or index, start and end of the key, start and end of the value."""

_TOKEN = re.compile(
    rb"""\s+|[{}\[\],]|'(?:[^']|'')*'|"(?:[^"\\]|\\.)*"|:(?=[\s,}\]])|(?:[^\s{}\[\],:]|:(?![\s,}\]]))+""",
    re.DOTALL,
)


def flow_entries(data: bytes, start: int, end: int) -> list[FlowEntry]:
    """Return the elements of the flow collection in these bytes; raise MalformedError."""
    if end - start > MAXIMUM_FLOW:
        raise MalformedError(start, "a {…} that is too long")
    close = {b"{": b"}", b"[": b"]"}[data[start : start + 1]]
    entries: list[FlowEntry] = []
    depth, at = 0, start + 1
    first = last = at
    key: tuple[int, int] | None = None
    seen = False
    while at < end:
        token = _TOKEN.match(data, at, end)
        if token is None:
            raise MalformedError(at, "a {…} that can't be read")
        sign = token[0]
        at = token.end()
        if sign.isspace():
            continue
        if depth == 0 and sign in (b",", close):
            if seen or key:
                value = (first, last) if seen else (last, last)
                entries.append(_entry(data, len(entries), key, value, mapping=close == b"}"))
            if sign == close:
                if at != end:
                    raise MalformedError(at, "text after a {…}")
                return entries
            key, seen = None, False
            continue
        if depth == 0 and sign == b":" and key is None:
            if not seen:
                raise MalformedError(at, "a {…} with a value without key")
            key, seen, last = (first, last), False, at
            continue
        depth += (sign in (b"{", b"[")) - (sign in (b"}", b"]"))
        if not 0 <= depth <= MAXIMUM_DEPTH:
            raise MalformedError(at, "a {…} that is nested wrongly")
        if not seen:
            first, seen = token.start(), True
        last = at
    raise MalformedError(start, "a {…} that doesn't end")


def _entry(
    data: bytes, index: int, key: tuple[int, int] | None, value: tuple[int, int], *, mapping: bool
) -> FlowEntry:
    if not mapping:
        return (value[0], index, value[0], value[0], value)
    if key is None:
        key, value = value, (value[1], value[1])
    return (key[0], text_of(data[slice(*key)]), *key, value)
