"""Remove what a paste adds to a text: line numbers, fences, marks, escapes.

Part of docs/design/engine.md §8.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations

_LINE_NUMBER = re.compile(r"[ \t]*\d+(?:\t|:|[ \t]*[|→])")
_ESCAPE = re.compile(r"""\\(?:r\\n|[nrt"'\\])""")
_QUOTE = r"\""
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
_ENTITY = re.compile(r"&(?:lt|gt|amp|quot|apos|nbsp|#\d{1,6}|#[xX][0-9A-Fa-f]{1,5});")
_ESCAPES = {r"\r\n": "\n", r"\n": "\n", r"\r": "\n", r"\t": "\t"}


def _without_fence(text: str) -> str:
    lines = text.strip("\n").split("\n")
    if len(lines) > 1 and lines[0].lstrip().startswith("```"):
        lines = lines[1:]
        if lines[-1].strip() == "```":
            lines = lines[:-1]
        return "\n".join(lines)
    return text


def _without_line_numbers(text: str) -> str:
    lines = text.split("\n")
    numbers = [_LINE_NUMBER.match(line) for line in lines]
    if all(number or not line.strip() for line, number in zip(lines, numbers, strict=True)):
        return "\n".join(
            line[number.end() if number else 0 :]
            for line, number in zip(lines, numbers, strict=True)
        )
    return text


def _without_line_numbers_and_blank(text: str) -> str:
    """Remove line numbers, and the space that some tools put behind them."""
    lines = _without_line_numbers(text).split("\n")
    if lines != text.split("\n") and all(line[:1] in ("", " ") for line in lines):
        return "\n".join(line[1:] for line in lines)
    return text


def _without_marks(text: str) -> str:
    """Remove the ``>`` of a quotation, or the sign of a diff, before each line."""
    lines = text.split("\n")
    marked = [line for line in lines if line.strip()]
    for mark in ("> ", ">", "+", "-"):
        if marked and all(line.startswith(mark) or line == mark.strip() for line in marked):
            return "\n".join(line[len(mark) :] if line.strip() else line for line in lines)
    if {line[0] for line in marked} in ({"+", " "}, {"-", " "}):
        return "\n".join(line[1:] for line in lines)
    return text


def _without_escapes(text: str) -> str:
    return _ESCAPE.sub(_unescaped, text)


def _unescaped(match: re.Match[str]) -> str:
    return _ESCAPES.get(match.group(), match.group()[1:])


def _without_entities(text: str) -> str:
    """Decode the HTML entities of ``text``, unless it also has one of their characters bare."""
    bare = _ENTITY.sub("", text)
    if bare == text:
        return text
    from html import unescape  # noqa: PLC0415 - its table is slow to import

    if any(unescape(each[0]) in bare for each in _ENTITY.finditer(text)):
        return text
    return _ENTITY.sub(lambda each: unescape(each[0]), text)


PASTED_LINE_NUMBERS = "pasted line numbers"
ESCAPES = "escape sequences sent as text"
MARKS = "quote or diff marks"

WRAPPINGS: tuple[tuple[str, Callable[[str], str]], ...] = (
    ("markdown fence", _without_fence),
    (PASTED_LINE_NUMBERS, _without_line_numbers),
    (PASTED_LINE_NUMBERS, _without_line_numbers_and_blank),
    (MARKS, _without_marks),
    ("HTML entities", _without_entities),
    (ESCAPES, _without_escapes),
)
"""What a paste adds, in the order of trying; each with the function that removes it."""


def unwrapped(target: str, *others: str) -> Iterator[tuple[list[str], tuple[str, ...]]]:
    """Yield the anchor's texts as sent, then without one or several wrappings.

    Yields ``(wrappings, (target, *others))``, fewest wrappings first. Only wrappings whose removal
    changes a text are yielded.
    """
    for count in range(len(WRAPPINGS)):
        for wrappings in combinations(WRAPPINGS, count):
            texts = (target, *others)
            for _, take_off in wrappings:
                bare = tuple(map(take_off, texts))
                if bare == texts:
                    break
                texts = bare
            else:
                if texts[0].strip() or not wrappings:
                    yield [name for name, _ in wrappings], texts


def unwrapped_like(
    text: str, anchor: Sequence[str], wrappings: Sequence[str], bare: Sequence[str] = ()
) -> str | None:
    """Return a new text without the ``wrappings`` that the texts of its ``anchor`` had.

    Remove only wrappings of the same form, since a new text may need its other escapes. ``bare``
    are the anchor's texts without the wrappings, if known. They show whether a space came with each
    line number. Return ``None`` if that is unclear.
    """
    with_blanks = bool(bare) and _taken_off(anchor, wrappings) == [*bare]
    for name, take_off in _of(wrappings, with_blanks=with_blanks):
        if name != ESCAPES:
            text = take_off(text)
            continue
        used = {match.group() for each in anchor for match in _ESCAPE.finditer(each)}
        found = {match.group() for match in _ESCAPE.finditer(text)}
        for escape in used & found:
            plainly = _ESCAPES.get(escape, escape[1:])
            if plainly in text.replace(escape, ""):
                return None  # It occurs escaped and unescaped: unclear which is meant.
        # A text with escaped line breaks has escaped quotes, too, unless it has an unescaped quote.
        if used & _ESCAPES.keys() and '"' not in "".join((text, *anchor)).replace(_QUOTE, ""):
            used.add(_QUOTE)
        # With escaped quotes and no real line break, line breaks are escaped, too. Those inside a
        # string would have been escaped twice.
        if _QUOTE in used and "\n" not in "".join((text, *anchor)):
            plainly = text.replace(_QUOTE, '"')
            breaks = _line_breaks(_STRING.sub("", plainly)) - used
            if breaks & _line_breaks("".join(_STRING.findall(plainly))):
                return None
            used |= breaks
        text = _ESCAPE.sub(
            lambda m: _unescaped(m) if m.group() in used else m.group(),  # noqa: B023
            text,
        )
    return text


def _line_breaks(text: str) -> set[str]:
    return {match.group() for match in _ESCAPE.finditer(text)} & _ESCAPES.keys()


def _of(
    wrappings: Sequence[str], *, with_blanks: bool
) -> Iterator[tuple[str, Callable[[str], str]]]:
    for name, take_off in WRAPPINGS:
        is_with_blank = take_off is _without_line_numbers_and_blank
        if name in wrappings and (name != PASTED_LINE_NUMBERS or is_with_blank == with_blanks):
            yield name, take_off


def _taken_off(texts: Sequence[str], wrappings: Sequence[str]) -> list[str]:
    for _, take_off in _of(wrappings, with_blanks=True):
        texts = [*map(take_off, texts)]
    return [*texts]
