"""From a resolved anchor to the text edit that the instruction asks for.

Implements spec 01-snippet-engine §1 ``position``, and §2.5: a line insertion that would
repeat the lines standing right there is a duplicate.
"""

from __future__ import annotations

from dataclasses import dataclass

from snippet_engine.csharp.symbols import Declaration, removal_range
from snippet_engine.edits import TextEdit
from snippet_engine.errors import ErrorCode, SnippetError
from snippet_engine.request import InsertPosition, Instruction, Operation
from snippet_engine.source_text import SourceText, TextRange

_LINE_POSITIONS = frozenset({InsertPosition.LINE_BEFORE, InsertPosition.LINE_AFTER})


@dataclass(frozen=True, slots=True)
class Placement:
    """An edit, and whether it is a duplicate of what stands there already."""

    edit: TextEdit
    duplicate: bool = False


def placed(
    source: SourceText,
    instruction: Instruction,
    place: TextRange,
    declaration: Declaration | None,
) -> Placement | SnippetError:
    """The edit of ``instruction`` at ``place``, which its anchor resolved to.

    ``declaration`` is the anchor's symbol when it has one; ``body_start`` and ``body_end``
    need it. Error: ``invalid_request`` when it has no body.
    """
    if instruction.operation is Operation.DELETE and declaration is not None:
        place = removal_range(source, declaration)
    if instruction.operation is not Operation.INSERT:
        return Placement(TextEdit(place.start, place.end, instruction.new_text))
    position = instruction.position
    if position is InsertPosition.BEFORE:
        return Placement(TextEdit(place.start, place.start, instruction.new_text))
    if position is InsertPosition.AFTER:
        return Placement(TextEdit(place.end, place.end, instruction.new_text))
    if position in _LINE_POSITIONS:
        return _beside(source, instruction, place)
    assert declaration is not None
    if declaration.body is None:
        return SnippetError(
            ErrorCode.INVALID_REQUEST,
            f"{declaration.path} has no body in braces. "
            'Use position "line_before" or "line_after", or a target within it.',
            details={"symbolPath": declaration.path, "kind": declaration.kind.value},
        )
    return _inside(source, instruction, declaration, declaration.body)


def _beside(source: SourceText, instruction: Instruction, place: TextRange) -> Placement:
    """Whole lines above or below the anchor's line."""
    view = source.view
    text = view[place.start : place.end]
    if text.strip():
        # A target may carry line breaks at its edges; its line is the one with the text.
        first = place.start + len(text) - len(text.lstrip())
        last = place.end - (len(text) - len(text.rstrip()))
    else:
        first = last = place.start
    lines = _indented(instruction.new_text, _indentation(source.line_at(first)))
    if instruction.position is InsertPosition.LINE_BEFORE:
        return _lines_at(source, source.line_start(first), lines, look_below=False)
    return _lines_at(source, source.line_end(last) + 1, lines, look_below=True)


def _inside(
    source: SourceText, instruction: Instruction, declaration: Declaration, body: TextRange
) -> Placement:
    """First or last in a body: whole lines, or within the line if the body is on one."""
    view = source.view
    inside = view[body.start : body.end]
    if "\n" not in inside:
        return _in_one_line(source, instruction, declaration, body)
    outer = _indentation(source.line_at(body.end))
    existing = [line for line in inside.split("\n")[1:] if line.strip()]
    indentation = _indentation(existing[0]) if existing else outer + _indentation_unit(source)
    lines = _indented(instruction.new_text, indentation)
    if instruction.position is InsertPosition.BODY_START:
        rest = inside[: inside.index("\n")].lstrip()
        if not rest or rest.startswith(("//", "/*")):
            return _lines_at(source, source.line_end(body.start) + 1, lines, look_below=True)
    elif not inside[inside.rfind("\n") + 1 :].strip():
        return _lines_at(source, source.line_start(body.end), lines, look_below=False)
    # The brace shares its line with code: the new lines go between the two.
    at = body.start if instruction.position is InsertPosition.BODY_START else body.end
    return Placement(TextEdit(at, at, "\n" + "\n".join(lines) + "\n" + outer))


def _in_one_line(
    source: SourceText, instruction: Instruction, declaration: Declaration, body: TextRange
) -> Placement:
    """Into a body on one line: within the line, or opened up for new text of several lines."""
    inside = source.view[body.start : body.end]
    text = instruction.new_text.removesuffix("\n")
    at_start = instruction.position is InsertPosition.BODY_START
    at = body.start if at_start else body.start + len(inside.rstrip())
    if "\n" not in text:
        space = "" if inside.strip() or inside else " "
        return Placement(TextEdit(at, at, f" {text.strip()}{space}"))
    outer = _indentation(source.line_at(declaration.header.start))
    lines = _indented(text, outer + _indentation_unit(source))
    return Placement(TextEdit(at, at, "\n" + "\n".join(lines) + "\n" + outer))


def _lines_at(source: SourceText, offset: int, lines: list[str], *, look_below: bool) -> Placement:
    """``lines`` inserted as whole lines where a line starts at ``offset``.

    ``offset`` may be one past the end of a text without a final newline.
    """
    view = source.view
    text = "\n".join(lines)
    if offset > len(view):
        edit = TextEdit(len(view), len(view), "\n" + text)
    else:
        edit = TextEdit(offset, offset, text + "\n")
    standing = (
        _lines_below(view, offset, len(lines))
        if look_below
        else _lines_above(view, offset, len(lines))
    )
    duplicate = [line.strip() for line in standing] == [line.strip() for line in lines]
    return Placement(edit, duplicate)


def _lines_below(view: str, offset: int, count: int) -> list[str]:
    if offset >= len(view):
        return []
    end = offset
    for _ in range(count):
        end = view.find("\n", end) + 1
        if end == 0:
            end = len(view) + 1
            break
    return view[offset : end - 1].split("\n")


def _lines_above(view: str, offset: int, count: int) -> list[str]:
    if offset <= 0:
        return []
    start = offset
    for _ in range(count):
        if start <= 0:
            break
        start = view.rfind("\n", 0, start - 1) + 1
    return view[start : offset - 1].split("\n")


def _indented(text: str, indentation: str) -> list[str]:
    """The lines of ``text`` with ``indentation`` added; lines without text stay empty.

    Text that carries the indentation already, on every line, is taken as it is: doubling it
    is never meant.
    """
    lines = text.removesuffix("\n").split("\n")
    filled = [line for line in lines if line.strip()]
    if indentation and all(line.startswith(indentation) for line in filled):
        indentation = ""
    return [indentation + line if line.strip() else "" for line in lines]


def _indentation(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def _indentation_unit(source: SourceText) -> str:
    """One step of indentation as this file uses it: its first indented line's."""
    for line in source.view.split("\n", 400)[:400]:
        found = _indentation(line)
        if found and line.strip() and not line.lstrip().startswith("*"):
            return "\t" if found.startswith("\t") else found
    return "    "
