"""A rough cut of C# into tokens: enough to aim edits, no more.

The generators need places that look like a bracket, a keyword or a string. What an edit there
really does to the file is Roslyn's to say, so a token cut wrong costs nothing.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import final

_TOKEN = re.compile(
    r"(?P<directive>^[ \t]*#[^\n]*)"
    r"|(?P<comment>//[^\n]*|/\*.*?\*/)"
    r'|(?P<interpolated>(?:\$@|@\$)"(?:[^"]|"")*"|\$"(?:[^"\\\n]|\\.)*")'
    r'|(?P<string>@"(?:[^"]|"")*"|"(?:[^"\\\n]|\\.)*")'
    r"|(?P<char>'(?:[^'\\\n]|\\[^\n]{1,9}?)')"
    r"|(?P<number>(?<![\w.])\d[\w.]*)"
    r"|(?P<name>@?[^\W\d]\w*)"
    r"|(?P<operator>=>|==|!=|<=|>=|&&|\|\||\?\?|\?\.|\+\+|--|\+=|-=|\*=|/=|\|=|&=|[-+*/%&|^!~=?:])"
    r"|(?P<angle>[<>])"
    r"|(?P<bracket>[()\[\]{}])"
    r"|(?P<mark>[;,.])",
    re.MULTILINE | re.DOTALL,
)

_RESERVED = (
    "abstract as base bool break byte case catch char checked class const continue decimal default "
    "delegate do double else enum event explicit extern false finally fixed float for foreach goto "
    "if implicit in int interface internal is lock long namespace new null object operator out "
    "override params private protected public readonly ref return sbyte sealed short sizeof "
    "stackalloc static string struct switch this throw true try typeof uint ulong unchecked unsafe "
    "ushort using virtual void volatile while"
)
KEYWORDS = frozenset(_RESERVED.split())
"""C#'s reserved words."""


@final
@dataclass(frozen=True, slots=True)
class Token:
    """One token of the view range ``[start, end)``."""

    kind: str
    start: int
    end: int
    text: str


class Tokens:
    """The tokens of one text, and its lines, to draw places from."""

    def __init__(self, view: str) -> None:
        self.view = view

    @cached_property
    def all(self) -> list[Token]:
        """Return every token in text order; reserved words have the kind ``keyword``."""
        found = []
        for match in _TOKEN.finditer(self.view):
            kind, text = str(match.lastgroup), match[0]
            kind = "keyword" if kind == "name" and text in KEYWORDS else kind
            found.append(Token(kind, match.start(), match.end(), text))
        return found

    @cached_property
    def _by_kind(self) -> dict[str, list[Token]]:
        found: defaultdict[str, list[Token]] = defaultdict(list)
        for token in self.all:
            found[token.kind].append(token)
        return found

    @cached_property
    def _starts(self) -> list[int]:
        return [token.start for token in self.all]

    def pick(self, rng: Random, kind: str, *texts: str) -> Token | None:
        """Return a token of that kind (and, if given, with one of these texts)."""
        candidates = self._by_kind.get(kind, [])
        if texts:
            candidates = [token for token in candidates if token.text in texts]
        return rng.choice(candidates) if candidates else None

    def after(self, token: Token) -> Token | None:
        """Return the next token."""
        index = bisect_right(self._starts, token.start)
        return self.all[index] if index < len(self.all) else None

    def before(self, token: Token) -> Token | None:
        """Return the previous token."""
        index = bisect_right(self._starts, token.start) - 2
        return self.all[index] if index >= 0 else None

    def name(self, rng: Random) -> str:
        """Return a name that the text uses, or ``value``."""
        token = self.pick(rng, "name")
        return token.text if token else "value"

    # -- lines ---------------------------------------------------------------------------

    @cached_property
    def lines(self) -> list[tuple[int, int]]:
        """Return the lines' view ranges, without their endings."""
        found, start = [], 0
        for line in self.view.split("\n"):
            found.append((start, start + len(line)))
            start += len(line) + 1
        return found

    def line(self, rng: Random, pattern: re.Pattern[str]) -> tuple[int, int] | None:
        """Return the view range of a line that ``pattern`` matches from its start."""
        for _ in range(60):
            start, end = rng.choice(self.lines)
            if pattern.match(self.view, start, end):
                return start, end
        return None

    def indentation(self, start: int) -> str:
        """Return the whitespace at the start of the line that begins at ``start``."""
        match = re.compile(r"[ \t]*").match(self.view, start)
        return match[0] if match else ""
