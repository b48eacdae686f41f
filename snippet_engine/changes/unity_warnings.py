"""What Unity will make of a change set, besides compiling it: warnings, never errors.

Implements docs/design/change-sets.md §2: scripts that Unity won't find by their class, ``.meta``
files, assemblies, and values in scenes that would be lost.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from snippet_engine.answer.warnings import Warn
from snippet_engine.changes.planning import PlannedChange
from snippet_engine.csharp.declarations.base_types import base_names, modifiers_of
from snippet_engine.csharp.declarations.declaration_header import SymbolKind
from snippet_engine.csharp.declarations.serialized_fields import (
    UNITY_OBJECTS,
    serialized_fields,
)
from snippet_engine.csharp.declarations.symbols import Declaration, declarations, is_inside_block
from snippet_engine.csharp.document import Document
from snippet_engine.edits import TextEdit
from snippet_engine.schemas.schema_messages import shortened
from snippet_engine.script_assembly import assembly_of, ignored_name
from snippet_engine.source_text import TextRange
from snippet_engine.storage.remains import lone_beside
from snippet_engine.storage.request_path import shown
from snippet_engine.storage.state_folder import StateFolder

_MAX_FIELDS = 5
"""Fields of one file that are told, so that the answer stays short."""

_VALUE = re.compile(r"[^][(){};,=\"'/#\n]*")
"""A part of an expression, or of a comment: it ends nothing around it, and begins nothing."""
_ASSIGNED = re.compile(r"""(=[^{};,="'/#\n]*|(\w|=>?\s*)\([^){};="'/#\n]*)\Z""")
"""What stands on a line before a value: the end of an assignment's beginning, or of a call's."""
_MOST_LOOKED_AT = 200
"""So many code points before a value are looked at: a line may be as long as a file."""

_BRACE = re.compile("[{}]")
_MAY_HIDE = re.compile(r"[#']|//|/\*|\*/")
"""What makes something else of a brace or a quotation mark that stands behind it."""


def unity_warnings(root: Path, changes: Sequence[PlannedChange]) -> Iterator[tuple[int, Warn]]:
    """Each warning with the index of the change that it is about. ``root`` is the project's."""
    edited = [each for each in changes if each.old is not None and each.new is not None]
    for change in changes:
        found = [
            *_meta_files(change),
            *(_not_imported(change) or _assemblies(root, change, edited)),
            *_left_behind(root, change),
        ]
        if not _keeps_declarations(change):
            names = [] if _is_inside_types(change) else _script_names(change)
            found = [*names, *found, *_lost_fields(change, changes)]
        for each in found:
            yield change.index, each


def _keeps_declarations(change: PlannedChange) -> bool:
    """Whether a file stays where it is, and only values and bodies of members are edited: most
    edits."""
    edit = change.edit
    if edit is None or change.target is not None:
        return False
    view = edit.before.source.view
    others = [each for each in edit.plan.edits if not _is_of_a_value(view, each)]
    if not all(is_inside_block(edit.before, TextRange(each.start, each.end)) for each in others):
        return False
    # The tree of the result is the only one that a preview would need for these warnings alone.
    if all(_keeps_blocks(view, each) for each in others):
        return True
    if not all(_is_whole(text) for each in others for text in _texts(view, each)):
        return False
    ranges = zip(edit.plan.edits, edit.plan.edits.after_ranges(), strict=True)
    return all(
        is_inside_block(edit.after, TextRange(*place)) for each, place in ranges if each in others
    )


def _is_inside_types(change: PlannedChange) -> bool:
    """Whether a file stays where it is, and keeps its types: what is edited stands within them."""
    edit = change.edit
    if edit is None or change.target is not None:
        return False
    view, edits = edit.before.source.view, edit.plan.edits
    if not all(_keeps_blocks(view, each) for each in edits):
        return False
    bodies = [
        each.body
        for each in declarations(edit.before)
        if each.kind in (SymbolKind.CLASS, SymbolKind.STRUCT) and each.body is not None
    ]
    return all(
        any(body.start <= each.start and each.end <= body.end for body in bodies) for each in edits
    )


def _keeps_blocks(view: str, edit: TextEdit) -> bool:
    """Whether all blocks around it begin and end where they did, for all that texts tell."""
    texts = _texts(view, edit)
    return all(_is_whole(each) and not _MAY_HIDE.search(each) for each in texts)


def _texts(view: str, edit: TextEdit) -> tuple[str, str]:
    return view[edit.start : edit.end], edit.new_text


def _is_whole(text: str) -> bool:
    """Whether every string and block that begins in ``text`` ends there, and none other does."""
    depth = 0
    for brace in _BRACE.findall(text):
        depth += 1 if brace == "{" else -1
        if depth < 0:
            return False
    return not depth and not text.count('"') % 2


def _script_names(change: PlannedChange) -> Iterator[Warn]:
    """``script_name`` for each class that Unity looks for in a file of its own name."""
    if change.after is None or (change.after is change.before and change.target is None):
        return
    known = (
        {name for name, *_ in _misplaced(change.before, change.script.name)}
        if change.before is not None
        else set()
    )
    for name, base, declaration in _misplaced(change.after, change.place.name):
        if name not in known:
            yield Warn(
                "script_name",
                f"{shortened(name, 40)} is a {base}, but its file is {shown(change.place.name)}: "
                f"Unity finds it only in {shortened(name, 40)}.cs.",
                line=change.after.source.line_number(declaration.header.start) + 1,
            )


def _misplaced(document: Document, file: str) -> Iterator[tuple[str, str, Declaration]]:
    """Name, base and declaration of each class that has to stand in a file of another name."""
    stem = file.removesuffix(".cs")
    if not any(name in document.source.view for name in UNITY_OBJECTS):
        return
    every = declarations(document)
    for each in every:
        if each.kind is not SymbolKind.CLASS or each.name == stem or "<" in each.path:
            continue
        if each.parent is not None and every[each.parent].kind is not SymbolKind.NAMESPACE:
            continue
        base = next((b for b in base_names(document, each) if b in UNITY_OBJECTS), None)
        words = modifiers_of(document, each)
        if base is None or "abstract" in words:
            continue
        if "partial" in words and stem.startswith(f"{each.name}."):
            continue
        yield each.name, base, each


def _meta_files(change: PlannedChange) -> Iterator[Warn]:
    if change.target is not None and not change.script.meta.is_taken:
        yield Warn(
            "meta_missing",
            f"{shown(change.script.relative)} has no .meta to move along: Unity gives the script a "
            "GUID when it sees it. What refers to it by a GUID of before, if anything, is lost.",
        )
    if change.old is None and change.script.meta.is_taken:
        yield Warn(
            "meta_orphan",
            f"{shown(change.script.relative)}.meta is there already, without a script: the new one "
            "takes over its GUID, and what refers to that.",
        )


def _not_imported(change: PlannedChange) -> list[Warn]:
    """``not_imported`` for a script that is made, or moves, where Unity doesn't look."""
    if change.status not in ("created", "moved"):
        return []
    name = ignored_name(change.place.canonical)
    was_there = change.old is not None and ignored_name(change.script.canonical) is not None
    if name is None or was_there:
        return []
    what = "files of such a name" if name == change.place.name else "what is in such a folder"
    return [
        Warn(
            "not_imported",
            f"Unity ignores {what} ({shown(name)}): the script is in no assembly there, and what "
            "uses it won't compile. Name it otherwise.",
        )
    ]


def _left_behind(root: Path, change: PlannedChange) -> Iterator[Warn]:
    """``left_behind`` for temporary files beside a script of which no record is left."""
    for script in filter(None, (change.script, change.target)):
        folder = script.relative.rpartition("/")[0]
        for name in lone_beside(script, lambda: StateFolder(root).names("pending")):
            yield Warn(
                "left_behind",
                f"{shown(f'{folder}/{name}')} has a text of it, from before or after a write that "
                "was cut short, whose record is gone. Compare it, then delete it.",
            )


def _assemblies(
    root: Path, change: PlannedChange, edited: Sequence[PlannedChange]
) -> Iterator[Warn]:
    """``assembly_changed`` for a script that moves, or is made away from those it is made with."""
    if change.target is not None:
        before = assembly_of(root, change.script.canonical)
        after = assembly_of(root, change.target.canonical)
        if before != after:
            yield Warn(
                "assembly_changed",
                f"The move takes it from {shortened(before, 60)} to {shortened(after, 60)}: what "
                "uses it must refer to that assembly.",
            )
    elif change.old is None and edited:
        after = assembly_of(root, change.script.canonical)
        others = {assembly_of(root, each.place.canonical) for each in edited}
        if after not in others:
            yield Warn(
                "assembly_changed",
                f"It is compiled into {shortened(after, 60)}, the edited scripts into "
                f"{shortened(', '.join(sorted(others)), 60)}: they must refer to that assembly.",
            )


def _lost_fields(change: PlannedChange, changes: Sequence[PlannedChange]) -> Iterator[Warn]:
    """``serialized_field`` for each field that Unity won't find its values for any more."""
    if change.before is None or change.after is None or change.before is change.after:
        return
    before = serialized_fields(change.before)
    if not before:
        return
    after = serialized_fields(change.after)
    now = {(each.owner, each.name): each for each in after}
    formerly = {(each.owner, name) for each in after for name in each.formerly}
    owners = {each.path for each in declarations(change.after)}
    lost = [
        (each, new)
        for each in before
        if each.owner in owners and (each.owner, each.name) not in formerly
        for new in [now.get((each.owner, each.name))]
        if new is None or new.type != each.type
    ]
    if any(new is None for _, new in lost):
        kept = _kept(changes)
        lost = [(each, new) for each, new in lost if new or (each.name, each.type) not in kept]
    for each, new in lost[:_MAX_FIELDS]:
        what = f"{shortened(each.owner, 40)}.{shortened(each.name, 30)}"
        if new is None:
            told = f'[FormerlySerializedAs("{shortened(each.name, 30)}")] on the new name keeps it.'
            yield Warn("serialized_field", f"Scenes lose the value of {what}; {told}")
        else:
            yield Warn(
                "serialized_field",
                f"{what} was {shortened(each.type, 30)} and becomes {shortened(new.type, 30)}: "
                "scenes may lose its value.",
                line=change.after.source.utf8[: new.at].count(b"\n") + 1,
            )


def _is_of_a_value(view: str, each: TextEdit) -> bool:
    """Whether it changes nothing but a value on its line: fields keep their names and types."""
    each = each.trimmed(view)
    nearest = max(0, each.start - _MOST_LOOKED_AT)
    before = view[view.rfind("\n", nearest, each.start) + 1 or nearest : each.start]
    return _ASSIGNED.search(before) is not None and all(
        _VALUE.fullmatch(text) for text in _texts(view, each)
    )


def _kept(changes: Sequence[PlannedChange]) -> set[tuple[str, str]]:
    """Name and type of every serialized field that the set leaves: one may have moved there."""
    return {
        (each.name, each.type)
        for change in changes
        if change.after is not None
        for each in serialized_fields(change.after)
    }
