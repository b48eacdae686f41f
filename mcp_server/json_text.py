"""Explain why a text is not JSON, and find the values of a JSON text.

Lint shows a finding at its place in a bundle. ``client install`` changes one member of a file, and
leaves the rest as it is. Python's parser has validated the text before.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from json import JSONDecodeError
from typing import NamedTuple

_TRAILING = "a comma with nothing after it: remove it"
_QUOTES = "single quotation marks: texts and keys need double ones"
_CURLY = "curly quotation marks: texts and keys need straight double ones"
_BACKSLASH = "a backslash before a quotation mark that begins a text or a key: leave it out"
_ESCAPES = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


_MISSING = {
    "Expecting value": "a value (a text in double quotation marks, a number, a list, an object, …)",
    "Expecting property name": "a key in double quotation marks",
    "Expecting ':'": "a colon between a key and its value",
    "Expecting ','": "a comma or a closing bracket",
}
"""What is missing, by the beginning of the JSON library's message."""

_WRONG = {
    "Illegal trailing comma": _TRAILING,
    "Unterminated string": "the text that begins here has no closing quotation mark",
    "Invalid \\uXXXX": "\\u is followed by four hexadecimal digits",
    "Invalid \\escape": "a backslash that begins no escape: write it twice, or / in a path",
    "Extra data": "the JSON value ends before here, and more text follows",
    "Unexpected UTF-8 BOM": "a byte order mark: save it without one",
}
"""The text that replaces the JSON library's message, by its beginning."""


def why_not_json(error: JSONDecodeError) -> str:
    """Return what is wrong at the place of ``error``, as one clause."""
    here = error.doc[error.pos : error.pos + 1]
    if error.msg.startswith("Invalid control character"):
        return _unescaped(here)
    if error.doc[: error.pos].rstrip().endswith(",") and here in ("}", "]"):
        return _TRAILING
    for beginning, missing in _MISSING.items():
        if error.msg.startswith(beginning):
            if here == "'":
                return _QUOTES
            if here and here in "\u201c\u201d\u201e\u2018\u2019":
                return _CURLY
            if error.doc.startswith('\\"', error.pos):
                return _BACKSLASH
            ended = not error.doc[error.pos :].strip()
            return f"{missing} is missing" + (", and the text ends" if ended else " here")
    for beginning, wrong in _WRONG.items():
        if error.msg.startswith(beginning):
            return wrong
    return error.msg


def _unescaped(letter: str) -> str:
    what = {"\n": "a line break", "\r": "a line break", "\t": "a tab"}.get(letter)
    escape = _ESCAPES.get(letter) or f"\\u{ord(letter):04x}"
    named = what or f"the control character U+{ord(letter):04X}"
    return f"{named} inside of a text: write it as {escape}"


_TOKEN = re.compile(r'"(?:[^"\\]++|\\.)*+"|[{}\[\]:,]|[^\s{}\[\]:,"]++')
_STRING_OR_BRACKET = re.compile(r'"(?:[^"\\]++|\\.)*+"|[{}\[\]]')


class Span(NamedTuple):
    """A range of the text, from ``start`` to before ``end``, in code points."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Member:
    """A value in an object or array: its name or index, and its place."""

    name: str | int
    key: Span | None
    """The place of the key, with its quotes; ``None`` in an array."""
    value: Span


class JsonLayout:
    """The layout of ``text``, which must be valid JSON except for extra commas.

    Everything is read lazily, in linear time.
    """

    def __init__(self, text: str) -> None:
        self._text = text

    @cached_property
    def root(self) -> Span:
        """Return the outermost value."""
        first = _TOKEN.search(self._text)
        assert first is not None, "the text is JSON, so it has a value"
        return self._value(first)

    def members(self, container: Span) -> Iterator[Member]:
        """Yield the values directly inside the object or array at ``container``, in text order.

        A text or number has none. A repeated key has two members.
        """
        opening = self._text[container.start]
        if opening not in "{[":
            return
        at, index = container.start + 1, 0
        while True:
            token = self._token(at)
            if token.group() in "}]":
                return
            if token.group() == ",":
                at = token.end()
                continue
            key: Span | None = None
            name: str | int = index
            if opening == "{":
                key, name = Span(*token.span()), json.loads(token.group())
                token = self._token(self._token(token.end()).end())
            value = self._value(token)
            yield Member(name, key, value)
            at, index = value.end, index + 1

    def _token(self, at: int) -> re.Match[str]:
        token = _TOKEN.search(self._text, at)
        assert token is not None, "the text is JSON, so every container is closed"
        return token

    def _value(self, first: re.Match[str]) -> Span:
        end = self._ends[first.start()] if first.group() in ("{", "[") else first.end()
        return Span(first.start(), end)

    @cached_property
    def _ends(self) -> dict[int, int]:
        ends: dict[int, int] = {}
        opened: list[int] = []
        for token in _STRING_OR_BRACKET.finditer(self._text):
            if token.group() in ("{", "["):
                opened.append(token.start())
            elif token.group() in ("}", "]"):
                ends[opened.pop()] = token.end()
        return ends
