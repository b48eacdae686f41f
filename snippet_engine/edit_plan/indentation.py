"""Indent inserted whole lines for the place where they go.

Implements docs/design/engine.md §1 (``line_before``, ``line_after``, ``body_start``, ``body_end``).
The new text keeps its relative indentation. Its outermost level becomes the level of the place,
written with the file's indentation character. Lines inside a string literal stay as they are,
because their blanks belong to the program. The lines of a raw string move together.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from math import gcd

from snippet_engine.csharp.document import Document, SpanKind
from snippet_engine.csharp.lexical.lexical_state import RAW
from snippet_engine.source_text import SourceText, decode

MAX_LINES = 400
"""Most lines that are examined to find the indentation, from a place or the file's start."""

_TAB = 4
"""Columns of a tab, if the file shows no other width."""

_HEADER = re.compile(
    r"(?:\}\s*)?(?:else\s+)?(?:if|for|foreach|while|using|lock|fixed)\s*\(.*\)|(?:\}\s*)?else|do"
)
"""A line after which an unbraced statement would begin, one level deeper."""
_LABEL = re.compile(r"(?:case\b.*|default\s*):")
_NOT_GOVERNED = re.compile(r"\s*(?:\{|using\b)")
_NEXT_LABEL = re.compile(r"\s*(?:case\b|default\s*:)")
_COMMENT = ("//", "/*", "*")


def indentation_of(line: str) -> str:
    """Return the white space at the beginning of ``line``."""
    return line[: len(line) - len(line.lstrip())]


def unit_at(source: SourceText, level: str) -> str:
    """Return one step of indentation at a place whose indentation is ``level``.

    It is a tab if ``level`` has one. Otherwise it is that of the file's first indented line, but
    spaces if ``level`` has any.
    """
    if "\t" in level:
        return "\t"
    for line in source.view.split("\n", MAX_LINES)[:MAX_LINES]:
        found = indentation_of(line)
        if found and line.strip() and not line.lstrip().startswith("*"):
            if not found.startswith("\t"):
                return found
            if not level:
                return "\t"
    return " " * _TAB


# -- the place -----------------------------------------------------------------------------


def level_below(document: Document, offset: int, text: str) -> str:
    """Return the indentation for ``text`` as whole lines below the line of ``offset``.

    It is one level deeper after an opening brace, a label, or a header without its statement. After
    the end of a statement of several lines, it is the level where the statement began.
    """
    source = document.source
    line = source.line_at(offset)
    own, code = indentation_of(line), _code(document, offset)
    if code.startswith("#"):
        return own if text.lstrip().startswith("#") else _beside_directive(source, offset, own)
    if code.endswith("{"):
        outer = _start_of_statement(document, offset)
        closes = text.lstrip().startswith("}")
        return (
            outer
            if closes
            else _inside(_lines_below(source, offset), outer, unit_at(source, outer))
        )
    if (_LABEL.fullmatch(code) and not _NEXT_LABEL.match(text)) or (
        _HEADER.fullmatch(code) and not _NOT_GOVERNED.match(text)
    ):
        return _inside(_lines_below(source, offset), own, unit_at(source, own))
    if code.endswith((";", "}")):
        return _start_of_statement(document, offset)
    return own


def level_above(document: Document, offset: int, text: str) -> str:
    """Return the indentation for ``text`` as whole lines above the line of ``offset``.

    It is one level deeper above a closing brace.
    """
    source = document.source
    own, code = indentation_of(source.line_at(offset)), _code(document, offset)
    if code.startswith("}") and not text.lstrip().startswith("}"):
        return _inside(_lines_above(source, offset), own, unit_at(source, own))
    return own


def _inside(lines: Iterable[str], outer: str, unit: str) -> str:
    """Return the least indentation of ``lines`` deeper than ``outer``, else ``outer + unit``."""
    found = ""
    for line in lines:
        text, own = line.strip(), indentation_of(line)
        if not text or text.startswith("#"):
            continue
        if not own.startswith(outer) or own == outer:
            break
        if not found or len(own) < len(found):
            found = own
    return found or outer + unit


def _beside_directive(source: SourceText, offset: int, own: str) -> str:
    """Return the indentation of the code around a directive; the directive may have any."""
    for line in _lines_below(source, offset):
        text = line.strip()
        if text and not text.startswith(("#", "}")):
            return indentation_of(line)
        if text.startswith("}"):
            break
    for line in _lines_above(source, offset):
        text = line.strip()
        if text and not text.startswith("#") and not text.endswith("{"):
            return indentation_of(line)
        if text.endswith("{"):
            return indentation_of(line) + unit_at(source, indentation_of(line))
    return own


def _start_of_statement(document: Document, offset: int) -> str:
    source = document.source
    start = source.line_start(offset)
    own = shortest = indentation_of(source.line_at(offset))
    if _code(document, offset).startswith("}"):
        return own
    for _ in range(MAX_LINES):
        if not start:
            break
        above = start - 1
        code = _code(document, above)
        if not code or code.endswith((";", "{", "}", ":")) or code.startswith(("#", *_COMMENT)):
            break
        if code.startswith("[") and code.endswith("]"):
            break
        start = source.line_start(above)
        found = indentation_of(source.line_at(above))
        if len(found) < len(shortest) and own.startswith(found):
            shortest = found
    return shortest


def _code(document: Document, offset: int) -> str:
    """Return the stripped line of ``offset``, without a comment at its end."""
    source = document.source
    start, line = source.line_start(offset), source.line_at(offset)
    for sign in ("//", "/*"):
        at = line.find(sign)
        while at >= 0:
            if document.span_kind(start + at, start + at + 2) is SpanKind.COMMENT:
                if line[:at].strip():
                    line = line[:at]
                break
            at = line.find(sign, at + 1)
    return line.strip()


def _lines_below(source: SourceText, offset: int) -> Iterator[str]:
    for _ in range(MAX_LINES):
        offset = source.line_end(offset) + 1
        if offset > len(source.view):
            return
        yield source.line_at(offset)


def _lines_above(source: SourceText, offset: int) -> Iterator[str]:
    for _ in range(MAX_LINES):
        offset = source.line_start(offset) - 1
        if offset < 0:
            return
        yield source.line_at(offset)


# -- the new text --------------------------------------------------------------------------


def indented(
    text: str,
    indentation: str,
    unit: str,
    stands_at_margin: Callable[[str], bool] = lambda _: False,
) -> list[str]:
    """Return the lines of ``text``, its outermost level at ``indentation``; blank lines are empty.

    Lines for which ``stands_at_margin`` is true get no indentation.

    ``unit`` is one step of the file's indentation. If the text uses blanks and the file tabs, or
    the reverse, the text's levels are converted to the file's.
    """
    lines = text.removesuffix("\n").split("\n")
    literal = _lines_in_literals(text)
    levels = {
        number: indentation_of(line)
        for number, line in enumerate(lines)
        if line.strip() and number not in literal
    }
    outermost = _outermost(lines, levels)
    inner = {number: _beyond(outermost, level) for number, level in levels.items()}
    step = min(
        (len(each) for each in inner.values() if each.strip(" ") == "" != each), default=_TAB
    )
    fitted: list[str] = []
    for number, line in enumerate(lines):
        if number in literal or (outermost and line.startswith("#")):
            fitted.append(line)
        elif number not in levels:
            fitted.append("")
        elif stands_at_margin(line):
            fitted.append(line.lstrip())
        else:
            fitted.append(indentation + _as_in_file(inner[number], unit, step) + line.lstrip())
    _move_raw_strings(lines, fitted, literal)
    return fitted


def moved_to(text: str, level: str, unit: str) -> str:
    """Return ``text`` for a place already indented by ``level``; don't indent its first line.

    If the first line is indented, all lines move to the place. If not, the other lines stay if they
    are at least as deep as the place, and move otherwise. ``unit`` is as in :func:`indented`.
    """
    lines = text.strip("\n").split("\n")
    literal = _lines_in_literals("\n".join(lines))
    levels = {
        number: indentation_of(line)
        for number, line in enumerate(lines)
        if number not in literal and line.strip() and not (number and line.startswith("#"))
    }
    if 0 not in levels:
        return "\n".join(lines)
    levels = _in_character_of(levels, unit)
    first = levels.pop(0)
    stays = not first and _are_at_level(lines, levels, level)
    moved = [lines[0].lstrip()]
    for number, line in enumerate(lines[1:], 1):
        own = levels.get(number)
        if number in literal or (own is None and line.strip()):
            moved.append(line)
        elif own is None:
            moved.append("")
        elif stays:
            moved.append(own + line.lstrip())
        elif own.startswith(first):
            moved.append(level + own[len(first) :] + line.lstrip())
        else:
            moved.append(level[: max(0, len(level) - len(first) + len(own))] + line.lstrip())
    _move_raw_strings(lines, moved, literal, level)
    return "\n".join(moved)


def _are_at_level(lines: list[str], levels: dict[int, str], level: str) -> bool:
    """Return whether the lines after the first already have the indentation ``level``.

    Lines that continue an unfinished first line are deeper than it, except for a brace.
    """
    if not all(own.startswith(level) for own in levels.values()):
        return False
    first = lines[0].strip()
    is_whole = first.endswith((";", "}", "]")) or first.startswith(_COMMENT)
    at_level = [lines[number].lstrip() for number, own in levels.items() if own == level]
    return not at_level or is_whole or any(line.startswith(("{", "}")) for line in at_level)


def _in_character_of(levels: dict[int, str], unit: str) -> dict[int, str]:
    """Convert indentations to the character of ``unit``; to tabs only if no line has a tab."""
    if unit != "\t":
        return {number: own.replace("\t", unit) for number, own in levels.items()}
    if any("\t" in own for own in levels.values()):
        return levels
    step = gcd(*(len(own) for own in levels.values()))
    step = _TAB if step < 2 or step % _TAB == 0 else step
    return {number: _as_in_file(own, unit, step) for number, own in levels.items()}


def _outermost(lines: list[str], levels: dict[int, str]) -> str:
    """Return the common indentation of all lines; directives count only if all are directives.

    A first line that was copied without its indentation gets the others' common indentation.
    """
    code = [number for number in levels if not lines[number].lstrip().startswith("#")]
    numbers = code or list(levels)
    if len(numbers) > 1 and _is_first_cut_off(lines, levels, numbers):
        levels[numbers[0]] = _shared(levels[number] for number in numbers[1:])
    return _shared(levels[number] for number in numbers)


def _is_first_cut_off(lines: list[str], levels: dict[int, str], numbers: list[int]) -> bool:
    """Return whether only the first line was sent without its indentation.

    This is so if the first line is a whole statement, a comment or an attribute. It is also so if
    the block that it opens ends deeper than it begins.
    """
    first, second, last = numbers[0], numbers[1], numbers[-1]
    others = _shared(levels[number] for number in numbers[1:])
    if not (others.startswith(levels[first]) and others != levels[first]):
        return False
    text = lines[first].strip()
    if text.endswith((";", "}")) or text.startswith("//") or (text[0] + text[-1] == "[]"):
        return True
    opens = text.endswith("{") or lines[second].lstrip().startswith("{")
    return opens and lines[last].lstrip().startswith("}") and levels[last] == others


def _shared(levels: Iterable[str]) -> str:
    shared: str | None = None
    for level in levels:
        if shared is None:
            shared = level
        while not level.startswith(shared):
            shared = shared[:-1]
    return shared or ""


def _beyond(outermost: str, level: str) -> str:
    return level[len(outermost) :] if level.startswith(outermost) else ""


def _as_in_file(level: str, unit: str, step: int) -> str:
    """Return ``level`` in the file's character; ``step`` blanks of the text are one level."""
    if unit != "\t":
        return level.replace("\t", unit)
    columns = len(level.expandtabs(step))
    return "\t" * (columns // step) + " " * (columns % step)


def _lines_in_literals(text: str) -> dict[int, int | None]:
    source = decode(text.encode()) if '"' in text and "\n" in text else None
    if not isinstance(source, SourceText) or source.view != text:
        return {}
    document = Document(source)
    states = document.under(document.symbol_sets[0]).scan.states
    found: dict[int, int | None] = {}
    for number, start in enumerate(source.line_starts):
        if any(frame.kind == RAW for frame in states[number].frame.innermost_first()):
            above = found.get(number - 1)
            found[number] = number - 1 if above is None else above
        elif 0 < start <= len(text) and document.span_kind(start - 1, start) is SpanKind.STRING:
            found[number] = None
    return found


def _move_raw_strings(
    lines: list[str], moved: list[str], literal: Mapping[int, int | None], level: str = ""
) -> None:
    """Move the lines of each raw string as its first line moved from ``lines`` to ``moved``.

    Move all lines of a raw string or none, because C# removes the last line's indentation from each
    line. ``level`` is the place's indentation; ``moved[0]`` goes there without its own.
    """
    for begun in {each for each in literal.values() if each is not None}:
        own = [each for each, first in literal.items() if first == begun and lines[each].strip()]
        old, new = indentation_of(lines[begun]), indentation_of(moved[begun])
        if not begun and level:
            new = level
            if not old and all(lines[each].startswith(level) for each in own):
                continue  # They were sent with the place's indentation.
        if all(lines[each].startswith(old) for each in own):
            for each in own:
                moved[each] = new + lines[each][len(old) :]
