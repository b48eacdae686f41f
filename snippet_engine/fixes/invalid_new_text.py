"""Clean a new text that isn't C# because of escapes, line numbers, fences or diff marks.

Implements the offers of ``syntax_error``, docs/design/engine.md §8.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import combinations

from snippet_engine.csharp.lexical.keywords import RESERVED_WORDS
from snippet_engine.edit_plan.plan import Plan
from snippet_engine.fixes.merge.whitespace_merge import outside_literals
from snippet_engine.fixes.normalise.look_alikes import (
    plain_double_quotes,
    plain_single_quotes,
    without_invisible,
)
from snippet_engine.fixes.normalise.wrappings import ESCAPES, MARKS, WRAPPINGS
from snippet_engine.request import EditRequest, Instruction, Operation

_PIECE = re.compile(
    r"""(?P<kept>"{3}(?:[^"]|"{1,2}(?!"))*"{3}|@\$?"(?:[^"]|"")*"|"(?:\\[^\n]|[^"\\\n])*"|"""
    r"""'(?:\\[^\n][^'\n]*|[^'\\\n])'|//(?:(?!\\[rn])[^\n])*)"""
    r"""|(?P<line_break>(?:\\r)?\\n|\\r)|(?P<tab>\\t)|(?P<other>\\["'\\])|\\"""
)
"""Literals and comments (``kept``), which may have escapes of their own, and escapes in code.

An escaped quote in code begins no string. So each character is read once.
"""
LONGEST = 200_000
"""Longest text that is searched, in code points."""
_QUOTE = r"\""
_NEXT_BREAK = re.compile(r"\\[rn]|\n|$")
_WORD = re.compile(r"\w+")
_PROSE = re.compile(r"[\w\s,.:'’-]*\w[\w\s,.:'’-]*")
"""Words without the punctuation that only code has."""


def without_escapes(text: str) -> Iterator[str]:
    r"""Yield the readings of an escaped ``text``, most likely first; none without escapes.

    If quotes are escaped, the first reading decodes everything, the second quotes and line breaks.
    The next reading decodes line breaks and tabs, except line breaks before prose, because a
    comment may mention ``\n``. The next one decodes those, too; the last one decodes all escapes in
    code.
    """
    if "\\" not in text or len(text) > LONGEST:
        return
    found: dict[str, None] = {}
    if _QUOTE in text:
        line = text.rstrip()
        with suppress(ValueError):  # For a bare quote, or half of a surrogate pair.
            whole = json.loads(f'"{line}"', strict=False) + text[len(line) :]
            whole.encode()
            found[whole] = None
        # In this reading, the escapes inside strings belong to C#.
        found[_PIECE.sub(_break_or_tab, text.replace(_QUOTE, '"'))] = None
    found[_PIECE.sub(_break_but_in_prose, text)] = None
    found[_PIECE.sub(_break_or_tab, text)] = None
    found[_PIECE.sub(_plainly, text)] = None
    yield from (each for each in found if each != text)


def _break_or_tab(piece: re.Match[str]) -> str:
    if piece.lastgroup == "line_break":
        return "\r\n" if piece[0] == r"\r\n" else "\n"
    return "\t" if piece.lastgroup == "tab" else piece[0]


def _break_but_in_prose(piece: re.Match[str]) -> str:
    if piece.lastgroup != "line_break":
        return _break_or_tab(piece)
    end = _NEXT_BREAK.search(piece.string, piece.end())
    behind = piece.string[piece.end() : end.start() if end else None].replace(r"\t", "\t").strip()
    first = _WORD.match(behind)
    is_prose = _PROSE.fullmatch(behind) and not (first and first[0].encode() in RESERVED_WORDS)
    return piece[0] if is_prose else _break_or_tab(piece)


def _plainly(piece: re.Match[str]) -> str:
    return piece[0][1] if piece.lastgroup == "other" else _break_or_tab(piece)


_MOST_TOGETHER = 3
"""Most cleaners that are applied to one text."""
_MOST_WAYS = 6

_Cleaner = Callable[[str], Iterable[str]]


def cleaned(text: str) -> Iterator[tuple[str, str]]:
    """Yield ``(what was cleaned, the clean text)``, smallest change first.

    Yield at most :data:`_MOST_WAYS`, and nothing if there is nothing to clean.
    """
    found: set[str] = set()
    if len(text) > LONGEST:
        return
    for count in range(1, _MOST_TOGETHER + 1):
        for cleaners in combinations(_CLEANERS, count):
            label = " and ".join(dict.fromkeys(name for name, _ in cleaners))
            for each in _by_all(text, [clean for _, clean in cleaners]):
                if each not in found:
                    yield f"newText without {label}", each
                found.add(each)
                if len(found) == _MOST_WAYS:
                    return


def _by_all(text: str, cleaners: list[_Cleaner]) -> Iterator[str]:
    """Yield ``text`` after all cleaners have been applied, if each one changes it."""
    if not cleaners:
        yield text
        return
    for once in cleaners[0](text):
        if once != text and once.strip():
            yield from _by_all(once, cleaners[1:])


def _after_diff(text: str) -> Iterator[str]:
    lines = text.split("\n")
    signs = {line[0] for line in lines if line.strip()}
    if "+" in signs and signs <= {"+", "-", " "}:
        kept = [line for line in lines if not line.startswith("-")]
        yield "\n".join(line[1:] for line in kept)


def _plainly_quoted(text: str) -> Iterator[str]:
    double = outside_literals(text, plain_double_quotes)
    yield outside_literals(double, plain_single_quotes)


def _without_invisible(text: str) -> Iterator[str]:
    yield outside_literals(text, without_invisible)


def _by(take_off: Callable[[str], str]) -> _Cleaner:
    return lambda text: (take_off(text),)


def _unquoted(take_off: Callable[[str], str]) -> _Cleaner:
    """Return a cleaner that skips texts that begin with a minus: it may mark lines to remove."""
    return lambda text: () if text.lstrip("\n").startswith("-") else (take_off(text),)


_CLEANERS: tuple[tuple[str, _Cleaner], ...] = (
    *(
        (name, _unquoted(take_off) if name == MARKS else _by(take_off))
        for name, take_off in WRAPPINGS
        if name != ESCAPES
    ),
    (MARKS, _after_diff),
    ("look-alikes of quotes", _plainly_quoted),
    ("invisible characters", _without_invisible),
    (ESCAPES, without_escapes),
)


_MOST_AT_ONCE = 10
"""Most instructions whose new texts are cleaned in one request."""


def corrections(
    request: EditRequest, plan: Plan, causes: Collection[int | None]
) -> Iterator[tuple[str, EditRequest]]:
    """Yield corrected requests, each with a description, for a plan with new errors.

    ``causes`` are the indexes of the instructions that cause errors; ``None`` means an unknown one.
    """
    at_fault = {each.index for each in plan.instructions if None in causes or each.index in causes}
    # First, clean every faulty new text in its first way; then in its second, and so on.
    ways = {
        index: list(cleaned(request.instructions[index].new_text))
        for index in sorted(at_fault)[:_MOST_AT_ONCE]
        if request.instructions[index].operation is not Operation.DELETE
    }
    ways = {index: each for index, each in ways.items() if each}
    for rank in range(max(map(len, ways.values()), default=0)):
        fixed = list(request.instructions)
        labels: dict[str, None] = {}
        for index, each in ways.items():
            what, text = each[min(rank, len(each) - 1)]
            fixed[index] = with_new_text(fixed[index], text)
            labels[what] = None
        yield "; ".join(labels), replace(request, instructions=tuple(fixed))


def with_new_text(instruction: Instruction, text: str) -> Instruction:
    """Return ``instruction`` with the clean ``text`` as its new text.

    The new text keeps the white space that the target has at its ends.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    target = instruction.anchor.target
    if instruction.operation is Operation.REPLACE and target:
        if not target[:1].isspace():
            text = text.lstrip(" \t")
        if target.endswith("\n") and not text.endswith("\n"):
            text += "\n"
    return replace(instruction, new_text=text)
