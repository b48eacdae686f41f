"""Split a text into words and signs, with the white space between them.

Agents get white space wrong most often. So texts are compared by their tokens, and the file's white
space is kept. Part of docs/design/engine.md §8.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import NamedTuple

from snippet_engine.fixes.normalise.look_alikes import plain
from snippet_engine.source_text import INVISIBLE

_TOKEN = re.compile(rf"\w+|[^\w\s{INVISIBLE}]")
_MARKER = re.compile(r"[ \t]*(?:///?|\*(?!/))(?=[ \t]|$)")
"""The marker that begins a line inside a comment."""
_COMMENT = ("//", "/*", "*")

_MAX_COMPARISONS = 400_000
"""Most pairs of tokens that a comparison examines. With more, the texts count as all different."""


class Token(NamedTuple):
    """A word, a number or a sign, at ``[start, end)`` of its text."""

    text: str
    start: int
    end: int
    gap: str
    """The white space before the token. In a comment line below another comment line, it includes
    the line's marker, because comments are reflowed.
    """
    key: str
    """The text in its plainest spelling: look-alikes are equal."""


def tokens_of(text: str, *, above_is_comment: bool = False) -> list[Token]:
    """Return the tokens of ``text``, and an empty token with the white space at its end.

    With ``above_is_comment``, the first line that isn't blank counts as a line below a comment.
    """
    found: list[Token] = []
    at = line_start = 0
    in_comment = above_is_comment
    for line in text.split("\n"):
        marker = _MARKER.match(line) if in_comment else None
        for match in _TOKEN.finditer(line, marker.end() if marker else 0):
            start, end = line_start + match.start(), line_start + match.end()
            word = match.group()
            key = word if word.isascii() else plain(word)
            found.append(Token(word, start, end, text[at:start], key))
            at = end
        if found or line.strip():
            in_comment = line.lstrip().startswith(_COMMENT)
        line_start += len(line) + 1
    found.append(Token("", len(text), len(text), text[at:], ""))
    return found


@dataclass(frozen=True, slots=True)
class Hunk:
    """``[start, end)`` of one sequence, replaced by ``[other_start, other_end)`` of another."""

    start: int
    end: int
    other_start: int
    other_end: int
    low: int
    """The lowest start at which the hunk makes the same change."""
    high: int
    """The highest end at which the hunk makes the same change."""


def hunks(left: Sequence[str], right: Sequence[str]) -> list[Hunk]:
    """Return the differences between two sequences, in order."""
    top, bottom = common_ends(left, right)
    inner, other = left[top : len(left) - bottom], right[top : len(right) - bottom]
    if not inner and not other:
        return []
    if len(inner) * len(other) > _MAX_COMPARISONS:
        pairs = [(0, len(inner), 0, len(other))]
    else:
        matcher = SequenceMatcher(None, inner, other, autojunk=False)
        pairs = [tuple(code[1:]) for code in matcher.get_opcodes() if code[0] != "equal"]  # type: ignore[misc]
    return [_slid(left, right, *(each + top for each in pair)) for pair in pairs]


def common_ends(left: Sequence[str], right: Sequence[str]) -> tuple[int, int]:
    """Count the items that two sequences share at their beginning, and at their end."""
    top, limit = 0, min(len(left), len(right))
    while top < limit and left[top] == right[top]:
        top += 1
    bottom = 0
    while bottom < limit - top and left[-1 - bottom] == right[-1 - bottom]:
        bottom += 1
    return top, bottom


def contains(texts: Sequence[str], part: Sequence[str]) -> bool:
    """Whether ``texts`` has the items of ``part`` in a row."""
    return any(texts[at : at + len(part)] == part for at in range(len(texts) - len(part) + 1))


def _slid(
    left: Sequence[str], right: Sequence[str], start: int, end: int, other: int, other_end: int
) -> Hunk:
    """Return the hunk, with how far it may slide if it only inserts or deletes."""
    low, high = start, end
    if (start == end) != (other == other_end):
        moving, first, last = (right, other, other_end) if start == end else (left, start, end)
        while low > 0 and left[low - 1] == moving[last - 1]:
            low, last = low - 1, last - 1
        while high < len(left) and left[high] == moving[first]:
            high, first = high + 1, first + 1
    return Hunk(start, end, other, other_end, low, high)


def composed(text: str) -> str:
    """Return ``text`` in Unicode's composed form (NFC), which files and keyboards use."""
    return text if text.isascii() else unicodedata.normalize("NFC", text)
