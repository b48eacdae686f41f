"""Warn of effects of an edit that an agent may not expect (docs/design/engine.md §2.7)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from snippet_engine.anchors.whole_words import word_around
from snippet_engine.csharp.dangling_names import DanglingName, dangling_names
from snippet_engine.csharp.declarations.parts import (
    attributes_of,
    declared_in,
    has_documentation,
    lead_of,
)
from snippet_engine.csharp.document import Document, SpanKind
from snippet_engine.csharp.structure import (
    Guards,
    changed_guards,
    emptied_blocks,
    parted_heads,
    released_statements,
)
from snippet_engine.edit_plan.comments import escaped_breaks, is_commented_out
from snippet_engine.edit_plan.placement import without_braces
from snippet_engine.edit_plan.plan import Outcome, Plan, PlannedInstruction
from snippet_engine.edit_plan.repetition import place_of_existing
from snippet_engine.errors import shortened, show, without_none
from snippet_engine.request import InsertPosition, Operation, SymbolPart
from snippet_engine.schemas.schema import SEEMS_RENAME
from snippet_engine.source_text import INVISIBLE, TextRange
from snippet_engine.storage.system.names import why_not_portable
from snippet_engine.validation.validator import Verdict

NOT_ALL_NAMES = "whether removed names are still used: the edit removes too many"
"""The note of an answer if not all names were checked."""
_SHOWN_LINES = 8
_INVISIBLE = re.compile(f"[{INVISIBLE}]")
_FIRST_WORD, _LAST_WORD = re.compile(r"\A\w+"), re.compile(r"(?<!\w)\w+\Z")
_ENDING_NAMES = {"\r\n": "CRLF", "\n": "LF", "\r": "CR"}


@dataclass(frozen=True, slots=True)
class Warn:
    """One warning: its contract code, and the instruction and one-based line that it concerns."""

    code: str
    message: str
    index: int | None = None
    line: int | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the warning object of a result, without empty keys."""
        body = {"code": self.code, "message": self.message, "index": self.index, "line": self.line}
        return without_none(body)


def not_undoable(reason: str | None) -> Warn:
    """Warn that a write can't be undone now. ``reason`` is ``None`` if its record is gone."""
    if reason is None:
        message = (
            "It is written, but its record is gone (perhaps somebody removed Library meanwhile): "
            "undo_snippet can't undo it."
        )
    else:
        message = (
            f"It is written, but its record can't be stored yet ({reason}). Correct that first: "
            "until then it can't be undone, and its files can't be edited."
        )
    return Warn("not_undoable", message)


def note_lost(result: dict[str, Any], reason: str | None) -> None:
    """Warn in the ``result`` of a write that it can't be undone, and offer no undo."""
    result["warnings"].append(not_undoable(reason).to_json())
    result.pop(SEEMS_RENAME, None)


class Warnings(NamedTuple):
    """The warnings about an edit, and the checks that were omitted."""

    warnings: list[Warn]
    not_checked: tuple[str, ...]

    def beside(self, verdict: Verdict) -> list[Warn]:
        """Return the warnings that are still needed after ``verdict``.

        A compiler that knows the project judges names itself.
        """
        if "semantics" not in verdict.coverage or not verdict.knows_project:
            return self.warnings
        return [each for each in self.warnings if each.code != "name_still_used"]


def about_edit(before: Document, after: Document, plan: Plan) -> Warnings:
    """Return the warnings about ``plan``, which turns ``before`` into ``after``."""
    names = dangling_names(before, after, plan.edits)
    warnings = [
        *_about_anchors(before, plan),
        *_about_structure(before, after, plan),
        *_about_escapes(before, after, plan),
        *_about_invisible(before, after, plan),
        *_about_names(after, plan, names.found),
        *_about_leads(before, after, plan),
    ]
    return Warnings(warnings, () if names.are_all else (NOT_ALL_NAMES,))


def about_file(document: Document, verdict: Verdict, links: int) -> list[Warn]:
    """Return the warnings about the edited file. ``links`` is its number of hard links."""
    return [*_about_text(document, verdict), *_about_links(links)]


def _about_anchors(document: Document, plan: Plan) -> Iterator[Warn]:
    made = {each.edit for each in plan.instructions if each.outcome is Outcome.EDIT}
    for planned in plan.instructions:
        line = document.source.line_number(planned.resolved.place.start) + 1
        if planned.outcome is Outcome.DUPLICATE and planned.edit not in made:
            message = (
                "Skipped: the text it adds is already there. To add it once more, send all "
                "existing copies as the target, and one copy more as newText."
            )
            existing = document.source.line_number(
                place_of_existing(document.source.view, planned.edit)
            )
            yield Warn("duplicate_insert", message, planned.index, existing + 1)
        for code, message in _about_anchor(document, planned):
            yield Warn(code, message, planned.index, line)
        yield from _about_cut_names(document, planned)


def _about_cut_names(document: Document, planned: PlannedInstruction) -> Iterator[Warn]:
    instruction, (start, end) = planned.instruction, planned.resolved.place
    if instruction.anchor.target is None or planned.outcome is not Outcome.EDIT:
        return
    view, new_text = document.source.view, instruction.new_text
    for at, verb in ((start, "begins"), (end, "ends")):
        word = word_around(view, at)
        if word.start == word.end or (word.start <= start and end <= word.end):
            continue  # A target within one name is intended.
        if instruction.operation is Operation.INSERT:
            if instruction.position is not _INSERTED_AT[verb]:
                continue
            what = "the newText goes into it"
        else:
            part = view[at : word.end] if at == start else view[word.start : at]
            if _edge_word(new_text, is_first=at == start) == part:
                continue  # The new text keeps this part of the name.
            what = "only that part of it changes"
        if document.span_kind(at - 1, at + 1) is not SpanKind.CODE:
            continue
        name = shortened(view[slice(*word)], 60)
        yield Warn(
            "within_a_name",
            f"The target {verb} within {name}: {what}. To change all of it, send it whole.",
            planned.index,
            document.source.line_number(at) + 1,
        )


_INSERTED_AT = {"begins": InsertPosition.BEFORE, "ends": InsertPosition.AFTER}


def _edge_word(text: str, *, is_first: bool) -> str:
    found = (_FIRST_WORD if is_first else _LAST_WORD).search(text)
    return found[0] if found is not None else ""


def _about_anchor(document: Document, planned: PlannedInstruction) -> Iterator[tuple[str, str]]:
    place = planned.resolved.place
    aside = planned.resolved.comments_set_aside
    if aside:
        lines = ", ".join(str(document.source.line_number(p.start) + 1) for p in aside[:5])
        yield (
            "anchor_in_comment",
            f"{len(aside)} more match(es) in comments (line {lines}) were set aside.",
        )
    if (
        planned.instruction.anchor.target is not None
        and document.span_kind(*place) is SpanKind.STRING
    ):
        yield "anchor_in_string", "The target lies in a string literal."
    if is_commented_out(document, planned.instruction, place):
        yield (
            "commented_out",
            "The newText is now part of a // comment, not code. For a line of its own, use "
            'position "line_after" or "line_before".',
        )
    if _has_own_braces(planned):
        yield (
            "braces_left_out",
            (
                "The newText's own braces were removed: the body is the text between the file's "
                "braces."
            ),
        )
    if document.is_inactive(*place):
        yield (
            "inactive_region",
            "No known set of preprocessor symbols compiles this region: its code was not checked.",
        )


def _has_own_braces(planned: PlannedInstruction) -> bool:
    owner, instruction = planned.resolved.part_of, planned.instruction
    if owner is None or owner.body is None or instruction.anchor.part is not SymbolPart.BODY:
        return False
    return without_braces(instruction.new_text) != instruction.new_text


def _about_structure(before: Document, after: Document, plan: Plan) -> Iterator[Warn]:
    edits = list(plan.edits)

    def scope(number: int, offset: int, message: str) -> Warn:
        line = after.source.position(offset).line + 1
        cause = plan.instruction_of(edits[number])
        return Warn("guard_scope_changed", message.format(line), cause, line)

    for number, offset in emptied_blocks(after, plan.edits):
        message = "The edit leaves an empty block { } here; is its owner still needed?"
        line = after.source.position(offset).line + 1
        yield Warn("empty_block", message, plan.instruction_of(edits[number]), line)
    guards = Guards()
    for number, offset in changed_guards(before, after, plan.edits, guards):
        message = "The unbraced statement of line {} now governs the statement after the edit."
        yield scope(number, offset, message)
    parted = {each.edit: each for each in parted_heads(before, after, plan.edits, guards)}
    for number, each in parted.items():
        if each.is_block:
            yield scope(
                number,
                each.offset,
                "The new text separates line {0} from its block, which now always runs. To put it "
                'first in that block, insert "line_after" of target "{{" with line {0} as before.',
            )
    released = {number: each.offset for number, each in parted.items()}
    released |= dict(released_statements(before, after, plan.edits, guards))
    for number, offset in sorted(released.items()):
        if number not in parted or not parted[number].is_block:
            yield scope(
                number,
                offset,
                "Line {} has no braces, so it governs only one statement, not everything that the "
                "edit leaves below it. Put the statements that it should govern in braces.",
            )


def _about_escapes(before: Document, after: Document, plan: Plan) -> Iterator[Warn]:
    r"""Warn of ``\\n`` in comments, which may have been intended as line breaks."""
    edits = list(plan.edits)
    for found in escaped_breaks(before, after, plan.edits):
        yield Warn(
            "commented_out",
            "The newText has \\n as two characters in a // comment, where that isn't a line "
            "break. Send a real line break if you meant one.",
            plan.instruction_of(edits[found.edit]),
            after.source.line_number(found.offset) + 1,
        )


def _about_invisible(before: Document, after: Document, plan: Plan) -> Iterator[Warn]:
    """Warn of invisible characters in new code: no search finds a name that contains one."""
    edits, view = list(plan.edits), after.source.view
    for number, (start, end) in enumerate(plan.edits.after_ranges()):
        for found in _INVISIBLE.finditer(view, start, end):
            is_code = after.span_kind(*found.span()) is SpanKind.CODE
            if not is_code or found[0] in before.source.view:
                continue
            line, character = after.source.position(found.start())
            yield Warn(
                "invisible_character",
                f"The newText has an invisible character, U+{ord(found[0]):04X}, in its code (line "
                f"{line + 1}, column {character + 1}). Remove it, unless you want it there.",
                plan.instruction_of(edits[number]),
                line + 1,
            )
            break


def _about_names(after: Document, plan: Plan, names: Iterable[DanglingName]) -> Iterator[Warn]:
    edits = list(plan.edits)
    for dangling in names:
        lines = [after.source.position(offset).line + 1 for offset in dangling.uses]
        shown = ", ".join(map(str, dict.fromkeys(lines[:_SHOWN_LINES])))
        more = ", …" if len(lines) > _SHOWN_LINES else ""
        yield Warn(
            "name_still_used",
            f"The edit removes the declaration of {shortened(dangling.name, 60)}, which is still "
            f"used (line {shown}{more}). Edit those uses, too.",
            plan.instruction_of(edits[dangling.edit]),
            lines[0],
        )


def _about_leads(before: Document, after: Document, plan: Plan) -> Iterator[Warn]:
    grown = 0
    for planned in sorted(plan.instructions, key=lambda each: each.edit):
        edit = planned.edit
        start = edit.start + grown
        if planned.outcome is Outcome.EDIT:
            grown += len(edit.new_text) - (edit.end - edit.start)
        declaration = planned.resolved.declaration
        if declaration is None or planned.instruction.operation is not Operation.REPLACE:
            continue
        place = TextRange(start, start + len(edit.new_text))
        new = declared_in(after, place)
        if new is None:
            continue
        old_lead, lead = lead_of(before, declaration), lead_of(after, new)
        line = after.source.position(new.full.start).line + 1
        rest = (
            "symbolPath without target replaces the whole declaration: to keep such parts, "
            "repeat them in newText."
        )
        if has_documentation(old_lead) and not has_documentation(lead):
            yield Warn(
                "documentation_removed",
                f"The newText has none of the documentation that the declaration had. {rest}",
                planned.index,
                line,
            )
        kept = attributes_of(lead)
        gone = [each for each in attributes_of(old_lead) if each not in kept]
        if gone:
            yield Warn(
                "attributes_removed",
                f"The newText misses {shortened(', '.join(gone), 60)}, which the declaration had. "
                f"{rest}",
                planned.index,
                line,
            )


def _about_text(document: Document, verdict: Verdict) -> Iterator[Warn]:
    endings = document.source.line_endings
    if len(endings) > 1:
        counts = ", ".join(f"{count} {_ENDING_NAMES[ending]}" for ending, count in endings.items())
        yield Warn(
            "mixed_line_endings",
            f"The file mixes line endings ({counts}); each line keeps its own.",
        )
    if verdict.semantic_not_checked:
        yield Warn("semantic_not_checked", verdict.semantic_not_checked)
    if verdict.preexisting_errors:
        yield Warn(
            "preexisting_errors",
            "The file has errors that it had before; validate_script lists them.",
        )


def _about_links(links: int) -> Iterator[Warn]:
    if links > 1:
        yield Warn(
            "hard_links",
            f"The file has {links} names (hard links). An apply writes a new file for this name; "
            "the others keep the old text.",
        )


def about_name(path: str) -> Iterator[Warn]:
    """Warn if Windows doesn't allow the ``path`` of an existing script."""
    why = why_not_portable(path.split("/"))
    if why is not None:
        yield Warn(
            "windows_name",
            f"{show(path)} {why}: a checkout on Windows misses this script. Rename it.",
        )


_BESIDE = (InsertPosition.BEFORE, InsertPosition.AFTER)
_ENDS = frozenset(";{}")
"""Characters that end a statement or a member, or begin a block."""
_BEGINS = ("[", "@", "#", "///")
"""Beginnings of statements and members that don't begin with a name."""


def about_same_line(document: Document, plan: Plan) -> Iterator[Warn]:
    """Warn of each insertion next to other code that probably needs a line of its own."""
    for planned in plan.instructions:
        is_beside = planned.instruction.position in _BESIDE
        if planned.instruction.operation is not Operation.INSERT or not is_beside:
            continue
        if planned.outcome is not Outcome.EDIT:
            continue
        message = _same_line_message(document, planned)
        if message is not None:
            line = document.source.line_number(planned.edit.start) + 1
            yield Warn("same_line", message, planned.index, line)


def _same_line_message(document: Document, planned: PlannedInstruction) -> str | None:
    view, at, text = document.source.view, planned.edit.start, planned.edit.new_text
    if _is_seam(view[at - 1 : at], text) and document.span_kind(at - 1, at) is SpanKind.CODE:
        return (
            f'The newText begins right behind "{view[at - 1]}", on its line. For lines of its own, '
            'send position "line_after" in the anchor.'
        )
    is_comment = "//" in text.rpartition("\n")[2]
    if not is_comment and _is_seam(text[-1:], view[at : at + 3]):
        return (
            f'The code that follows is right behind the "{text[-1]}" of the newText, on its line. '
            'For lines of its own, send position "line_before" in the anchor.'
        )
    return None


def _is_seam(left: str, right: str) -> bool:
    return left in _ENDS and (right[:1].isidentifier() or right.startswith(_BEGINS))
