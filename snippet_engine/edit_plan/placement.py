"""Turn a resolved anchor into the text edit that the instruction asks for.

Implements docs/design/engine.md §1 ``position`` and §2.5: inserted lines that repeat the adjacent
lines are a duplicate. Documentation and attributes inserted above a declaration become part of it,
so adjacent lines may lie inside the declaration.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from snippet_engine.csharp.declarations.parts import initializer_removal
from snippet_engine.csharp.declarations.symbols import Declaration, removal_range
from snippet_engine.csharp.document import Document, SpanKind
from snippet_engine.edit_plan.indentation import (
    MAX_LINES,
    indentation_of,
    indented,
    level_above,
    level_below,
    moved_to,
    unit_at,
)
from snippet_engine.edits import TextEdit
from snippet_engine.errors import ErrorCode, SnippetError, shortened
from snippet_engine.request import InsertPosition, Instruction, Operation, SymbolPart
from snippet_engine.source_text import SourceText, TextRange, decode

_LINE_POSITIONS = frozenset({InsertPosition.LINE_BEFORE, InsertPosition.LINE_AFTER})

_NO_CODE = re.compile(r"\s*(?:/\*(?:(?!\*/).)*\*/\s*)?(?://.*)?")
"""A line without code. Its comments, if any, end on the line."""

_BRACES = re.compile("[{}]")
_BLANKS = r"[^\S\n]"
_BLANK_ENDS = re.compile(rf"\A(?:{_BLANKS}*\n)+|(?:\n{_BLANKS}*)+\Z")
"""The white space between a body and its braces, up to the body's first and last line."""
_DOCUMENTATION = re.compile(r"(?:[ \t]*(?:///[^\n]*|/\*\*(?:(?!\*/).)*\*/[ \t]*)\n)+", re.DOTALL)
"""Whole lines of documentation comments."""


@dataclass(frozen=True, slots=True)
class Placement:
    """An edit, and whether it duplicates the adjacent text."""

    edit: TextEdit
    duplicate: bool = False


def placed(
    document: Document,
    instruction: Instruction,
    place: TextRange,
    declaration: Declaration | None,
    *,
    part_of: Declaration | None = None,
) -> Placement | SnippetError:
    """Return the edit of ``instruction`` at ``place``, which its anchor resolved to.

    ``declaration`` is the symbol that the anchor names whole, if any; ``body_start`` and
    ``body_end`` need it. ``part_of`` is the symbol of which the anchor names a part. Return
    ``invalid_request`` if the symbol has no body.
    """
    source = document.source
    if part_of is not None and instruction.operation is not Operation.INSERT:
        return Placement(_of_part(document, instruction, place, part_of))
    if instruction.operation is Operation.DELETE and declaration is not None:
        place = removal_range(source, declaration)
    if instruction.operation is Operation.REPLACE and declaration is not None:
        return Placement(TextEdit(*place, _in_place(source, instruction, place)))
    if instruction.operation is not Operation.INSERT:
        return Placement(TextEdit(place.start, place.end, instruction.new_text))
    position = instruction.position
    if position is InsertPosition.BEFORE:
        return Placement(TextEdit(place.start, place.start, instruction.new_text))
    if position is InsertPosition.AFTER:
        return Placement(TextEdit(place.end, place.end, instruction.new_text))
    if position in _LINE_POSITIONS:
        return _beside(document, instruction, place, declaration)
    assert declaration is not None
    if declaration.body is None:
        return SnippetError(
            ErrorCode.INVALID_REQUEST,
            f"{shortened(declaration.path, 60)} has no body in braces. "
            'Use position "line_before" or "line_after", or a target within it.',
            details={"symbolPath": declaration.path, "kind": declaration.kind.value},
        )
    return _inside(source, instruction, declaration, declaration.body)


def _of_part(
    document: Document, instruction: Instruction, place: TextRange, owner: Declaration
) -> TextEdit:
    source, part = document.source, instruction.anchor.part
    if instruction.operation is Operation.DELETE:
        if part is SymbolPart.INITIALIZER:
            place = initializer_removal(document, owner, place)
        return TextEdit(*place, "")
    new_text = instruction.new_text
    other = _other_form(source, instruction, place, owner) if part is SymbolPart.BODY else None
    if other is not None:
        return other
    if part is SymbolPart.BODY and owner.body is not None:
        new_text = without_braces(new_text)
        if not instruction.as_given:
            inside = replace(instruction, new_text=new_text)
            new_text = _new_body(source, inside, owner, owner.body)
    elif part is SymbolPart.SIGNATURE:
        new_text = _in_place(source, instruction, place)
    elif part in (SymbolPart.ATTRIBUTES, SymbolPart.DOCUMENTATION):
        level = indentation_of(source.line_at(place.start))
        new_text = "\n".join(_lines_of(source, instruction, level)).strip()
    return TextEdit(*place, new_text)


def _other_form(
    source: SourceText, instruction: Instruction, place: TextRange, owner: Declaration
) -> TextEdit | None:
    """Replace ``=> expression;`` by a block, or the reverse, if the new text has that form."""
    view, sent = source.view, instruction.new_text.strip()
    if owner.body is not None:
        if not sent.startswith("=>"):
            return None
        start = len(view[: owner.body.start - 1].rstrip())
        ending = "" if sent.endswith(";") else ";"
        return TextEdit(start, owner.body.end + 1, f" {sent}{ending}")
    arrow = view.rfind("=>", owner.header.end, place.start)
    if arrow < 0 or without_braces(instruction.new_text) == instruction.new_text:
        return None
    start = len(view[:arrow].rstrip())
    if instruction.as_given:
        return TextEdit(start, owner.full.end, f" {sent}")
    level = indentation_of(source.line_at(owner.header.start))
    block = moved_to(instruction.new_text, level, unit_at(source, level)).strip()
    return TextEdit(start, owner.full.end, f"\n{level}{block}")


def _in_place(source: SourceText, instruction: Instruction, place: TextRange) -> str:
    """Return the new text for a declaration or its beginning, indented like ``place``."""
    if instruction.as_given:
        return instruction.new_text
    level = indentation_of(source.line_at(place.start))
    return moved_to(instruction.new_text, level, unit_at(source, level))


def without_braces(text: str) -> str:
    """Return a body's new text without its outer braces, because the file has them."""
    block = text.strip()
    if not (block.startswith("{") and block.endswith("}") and len(block) > 1):
        return text
    source = decode(block.encode())
    if not isinstance(source, SourceText) or source.view != block:
        return text
    document = Document(source)
    depth = 0
    for sign in _BRACES.finditer(block):
        if document.span_kind(*sign.span()) is SpanKind.CODE:
            depth += 1 if sign[0] == "{" else -1
        if depth == 0:
            return block[1:-1].rstrip() if sign.end() == len(block) else text
    return text


def _new_body(
    source: SourceText, instruction: Instruction, owner: Declaration, body: TextRange
) -> str:
    inside = source.view[body.start : body.end]
    text = _BLANK_ENDS.sub("", instruction.new_text)
    if "\n" not in inside + text and "//" not in text:
        return f" {text.strip()} "
    outer = indentation_of(source.line_at(owner.header.start))
    inner = _body_indentation(inside, outer) or outer + unit_at(source, outer)
    lines = _lines_of(source, replace(instruction, new_text=text), inner)
    return "\n" + "\n".join(lines) + "\n" + outer


def _lines_of(source: SourceText, instruction: Instruction, level: str) -> list[str]:
    if instruction.as_given:
        return instruction.new_text.removesuffix("\n").split("\n")
    new_text = instruction.new_text
    at_margin = stand_at_margin(source.view, new_text)
    return indented(new_text, level, unit_at(source, level), at_margin)


def _beside(
    document: Document,
    instruction: Instruction,
    place: TextRange,
    declaration: Declaration | None,
) -> Placement:
    source = document.source
    view = source.view
    text = view[place.start : place.end]
    if text.strip():
        # A target may have line breaks at its ends; its line is the one with the text.
        first = place.start + len(text) - len(text.lstrip())
        last = place.end - (len(text) - len(text.rstrip()))
    else:
        first = last = place.start
    new_text = instruction.new_text
    above = instruction.position is InsertPosition.LINE_BEFORE
    if declaration is not None:
        level = indentation_of(source.line_at(first))
    elif above:
        level = level_above(document, first, new_text)
    else:
        level = level_below(document, last, new_text)
    lines = _lines_of(source, instruction, level)
    if not above:
        return _lines_at(source, source.line_end(last) + 1, lines, look_below=True)
    if declaration is None:
        return _lines_at(source, source.line_start(first), lines, look_below=False)
    start = source.line_start(first)
    offset = above_own_comments(document, start, new_text)
    if offset < start:
        return _lines_at(source, offset, lines, look_below=False)
    return _above_declaration(source, start, lines, declaration)


def _above_declaration(
    source: SourceText, offset: int, lines: list[str], declaration: Declaration
) -> Placement:
    """Insert whole lines above a declaration; attributes go below its documentation.

    C# ignores documentation below attributes.
    """
    view = source.view
    head = source.line_start(declaration.header.start)
    own = [line.rstrip() for line in view[offset:head].split("\n")[:-1]]
    text = "\n".join(lines).strip()
    documentation = _DOCUMENTATION.match(view, offset, max(offset, head))
    if documentation is not None and text.startswith("[") and text.endswith("]"):
        offset = documentation.end()
    placement = _lines_at(source, offset, lines, look_below=False)
    wanted = [line.rstrip() for line in lines]
    repeated = any(own[at : at + len(wanted)] == wanted for at in range(len(own)))
    return replace(placement, duplicate=placement.duplicate or repeated)


def _inside(
    source: SourceText, instruction: Instruction, declaration: Declaration, body: TextRange
) -> Placement:
    """Insert at the start or end of a body: whole lines, or in the line of a one-line body."""
    view = source.view
    inside = view[body.start : body.end]
    text = instruction.new_text.removesuffix("\n")
    at_start = instruction.position is InsertPosition.BODY_START
    # A line comment in the new text would comment out the closing brace.
    if "\n" not in inside + text and "//" not in text:
        return _in_one_line(body, inside, text.strip(), at_start=at_start)
    outer = indentation_of(source.line_at(declaration.header.start))
    inner = _body_indentation(inside, outer) or outer + unit_at(source, outer)
    lines = _lines_of(source, instruction, inner)
    first_line, _, rest = inside.partition("\n")
    if at_start and rest and _NO_CODE.fullmatch(first_line):
        return _lines_at(source, source.line_end(body.start) + 1, lines, look_below=True)
    if not at_start and rest and not rest[rest.rfind("\n") + 1 :].strip():
        return _lines_at(source, source.line_start(body.end), lines, look_below=False)
    # Code shares a line with the brace: new lines separate the two and replace the blanks.
    empty = not inside.strip()
    start = body.start if at_start or empty else body.start + len(inside.rstrip())
    end = body.end - len(inside.lstrip()) if at_start and not empty else body.end
    margin = inner if at_start and not empty else outer
    return Placement(TextEdit(start, end, "\n" + "\n".join(lines) + "\n" + margin))


def _in_one_line(body: TextRange, inside: str, text: str, *, at_start: bool) -> Placement:
    at = body.start if at_start else body.start + len(inside.rstrip())
    return Placement(TextEdit(at, at, f" {text}" if inside else f" {text} "))


def _body_indentation(inside: str, outer: str) -> str:
    """Return the indentation of the first line deeper than ``outer``.

    Labels and directives don't count. If no line is deeper, use the first line whose white space
    differs from ``outer``.
    """
    deeper = re.search(rf"\n({re.escape(outer)}{_BLANKS}+)\S", inside)
    if deeper is not None:
        return deeper[1]
    for line in inside.split("\n", MAX_LINES)[1:MAX_LINES]:
        found = indentation_of(line)
        if line.strip() and not outer.startswith(found):
            return found
    return ""


def _lines_at(source: SourceText, offset: int, lines: list[str], *, look_below: bool) -> Placement:
    view = source.view
    text = "\n".join(lines)
    if offset > len(view):
        edit = TextEdit(len(view), len(view), "\n" + text)
    else:
        beside = offset - 1 if look_below and offset else None
        edit = TextEdit(offset, offset, text + "\n", beside)
    standing = (
        _lines_below(view, offset, len(lines))
        if look_below
        else _lines_above(view, offset, len(lines))
    )
    duplicate = [line.rstrip() for line in standing] == [line.rstrip() for line in lines]
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


_DIRECTIVE = re.compile(r"^([ \t]*)#[ \t]*([a-z]+)", re.MULTILINE)
_REGIONS = ("region", "endregion")


def stand_at_margin(view: str, new_text: str) -> Callable[[str], bool]:
    """Return a function that tells if a line of ``new_text`` is a directive for the margin.

    A directive goes to the margin if the file, whose text is ``view``, has all directives of its
    kind there. Regions are one kind, all other directives another.
    """
    if "#" not in new_text:
        return lambda _: False
    deep, flat = set[bool](), set[bool]()
    for directive in _DIRECTIVE.finditer(view):
        (deep if directive[1] else flat).add(directive[2] in _REGIONS)
    at_margin = flat - deep

    def is_there(line: str) -> bool:
        directive = _DIRECTIVE.match(line)
        return directive is not None and (directive[2] in _REGIONS) in at_margin

    return is_there


_DIVIDER = re.compile(r"([-=_*#~/+])\1{3}")
"""A row of signs that separates sections and belongs to neither."""
_BELONGS_BELOW = re.compile(r"\s*(?://.*|\[.*\])?")
"""A comment or attribute, which belongs directly above its subject."""


def above_own_comments(document: Document, offset: int, new_text: str) -> int:
    """Return where whole lines of ``new_text`` go above the declaration's line at ``offset``.

    They go above the ``//`` lines that touch the declaration and have its indentation.
    """
    if all(map(_BELONGS_BELOW.fullmatch, new_text.split("\n"))):
        return offset
    source, start = document.source, offset
    level = indentation_of(source.line_at(offset))
    for _ in range(MAX_LINES):
        if start == 0:
            break
        above = source.line_start(start - 1)
        line = source.line_at(above)
        text = line.strip()
        is_comment = text.startswith("//") and not text.startswith("///")
        at = above + len(indentation_of(line))
        if not is_comment or indentation_of(line) != level:
            break
        if document.span_kind(at, at) is SpanKind.COMMENT:
            break  # A line of a block comment.
        if _DIVIDER.search(text[2:]):
            return offset
        start = above
    return start
