"""Merge white space, spelling and literals between tokens."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from snippet_engine.anchors.whole_words import is_word
from snippet_engine.fixes.search.tokens import Hunk, Token


class UnclearError(Exception):
    """The result of a change is unclear."""


def is_on_own_line(mine: str, base: str) -> bool:
    """Whether the first token has its own line now, indented by ``base`` as before."""
    return base != "" and "\n" not in base and mine.endswith(f"\n{base}")


def between_ends(gap: str) -> Sequence[str]:
    """Return the whole lines in ``gap``, which is white space; ``gap`` itself if it is within a
    line.
    """
    return gap.split("\n")[1:-1] if "\n" in gap else [gap]


def with_breaks_there(found: str, mine: str, base: str, standing: str) -> str:
    """Return ``found`` with the empty lines that the file has.

    ``found`` replaces white space sent as ``mine`` instead of ``base``. If the agent kept the
    number of line breaks, the file's are kept. Raises ``UnclearError`` if the agent changed a
    number that wasn't the file's.
    """
    breaks, sent, wanted = (each.count("\n") for each in (standing, base, mine))
    if not breaks or not sent or not wanted or sent == breaks:
        return found
    if wanted != sent:
        if 1 <= breaks + wanted - sent != wanted:
            raise UnclearError  # As many lines as it says, or as many more, or fewer?
        return found
    return standing[: standing.rindex("\n") + 1] + found.rpartition("\n")[2]


def with_markers_there(
    found: str, mine: str, base: str, standing: str, *, from_end: bool = False
) -> str:
    """Return ``found`` with the comment markers that the file has on those lines.

    ``found`` replaces white space sent as ``mine`` instead of ``base``. A line counts if ``mine``
    and ``base`` have the same marker there, counted from the first line or ``from_end``.
    """
    step = -1 if from_end else 1
    rows = [each.split("\n")[::step] for each in (found, mine, base, standing)]
    if len(rows[0]) != len(rows[1]) or len(rows[2]) != len(rows[3]):
        return found
    lines, *others = rows
    for at, (wanted, sent, there) in enumerate(zip(*others, strict=False)):
        marker, other = wanted.strip(), there.strip()
        if other and not at and from_end and wanted == sent and not marker:
            lines[at] = there  # What follows is the file's own, and so is what it stands in.
        if marker and marker == sent.strip() != other and other:
            lines[at] = lines[at].replace(marker, other)
    return "\n".join(lines[::step])


_PARTNERS = str.maketrans("“”‘’«»‹›", "”“’‘»«›‹")


def matched(count: int, found: Sequence[Hunk]) -> list[int | None]:
    """Return each token's counterpart by its index; ``None`` for tokens in a hunk."""
    counterparts: list[int | None] = []
    other = 0
    for hunk in found:
        counterparts += range(other, other + hunk.start - len(counterparts))
        counterparts += [None] * (hunk.end - hunk.start)
        other = hunk.other_end
    counterparts += range(other, other + count - len(counterparts))
    return counterparts


def spelling_of(
    base: Sequence[Token], theirs: Sequence[Token], counterparts: Sequence[int | None]
) -> dict[int, str]:
    """Return the file's character for the code point of each look-alike that the agent sent."""
    known: dict[int, str] = {}
    for token, at in zip(base, counterparts, strict=True):
        if at is not None and len(token.text) == len(theirs[at].text):
            for sent, standing in zip(token.text, theirs[at].text, strict=True):
                if sent != standing:
                    known[ord(sent)] = standing
                    known.setdefault(ord(sent.translate(_PARTNERS)), standing)
    return known


_LITERAL = re.compile(
    r'(?P<raw>"{3,})(?:(?!(?P=raw)).)*(?P=raw)"*'
    r'|(?:@\$?|\$@)"(?:[^"]|"")*"'
    r'|"(?:[^"\\\n]|\\.)*"'
    r"|'(?:[^'\\\n]|\\.)'"
    r"|//[^\n]*|/\*(?:(?!\*/).)*\*/",
    re.DOTALL,
)
"""A literal, or a comment, in which a quotation mark begins none."""


def literals_in(text: str) -> list[tuple[int, int]]:
    """Return ``[start, end)`` of each string or character literal of ``text``."""
    return [each.span() for each in _LITERAL.finditer(text) if not each.group().startswith("/")]


def is_in_literal(token: Token, literals: Sequence[tuple[int, int]]) -> bool:
    """Whether the white space before a token belongs to one of the ``literals``."""
    return any(start < token.start < end for start, end in literals)


def ends_in_literal(text: str) -> bool:
    """Whether a text begins or ends within a string literal."""
    return '"' in _LITERAL.sub("", text)


def outside_literals(text: str, change: Callable[[str], str]) -> str:
    """Return ``text`` with ``change`` made to everything except literals and comments."""
    pieces: list[str] = []
    done = 0
    for kept in _LITERAL.finditer(text):
        pieces += (change(text[done : kept.start()]), kept.group())
        done = kept.end()
    pieces.append(change(text[done:]))
    return "".join(pieces)


def runs_together(left: str, gap: str, right: str) -> bool:
    """Whether two words would become one with nothing between them."""
    return not gap and is_word(left[-1:]) and is_word(right[:1])


def has_no_break_space(tokens: Sequence[Token]) -> bool:
    """Whether white space between tokens has a no-break space."""
    return any("\u00a0" in each.gap for each in tokens)


def has_one_side(before: str, behind: str, sent: str, standing: str) -> bool:
    """Whether it is certain on which side of an insertion a blank line stays.

    ``before`` and ``behind`` are the white space around the insertion. ``sent`` is the white space
    that was quoted there, ``standing`` the file's.
    """
    breaks, there = sent.count("\n"), standing.count("\n")
    return breaks == there or (
        breaks > there > 0 and {before.count("\n"), behind.count("\n")} == {breaks, there}
    )
