"""Warn of a change set's effects in Unity, apart from compile errors (docs/design/change-sets.md
§2).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path

from snippet_engine.answer.unity_warnings import (
    Bases,
    elsewhere,
    keeps_declarations,
    keeps_types,
    lost_fields,
    names_misplaced,
    script_names,
    unity_bases,
)
from snippet_engine.answer.warnings import Warn
from snippet_engine.changes.folders import emptied_folders
from snippet_engine.changes.planned_change import PlannedChange
from snippet_engine.csharp.declarations.symbols import declarations
from snippet_engine.errors import shortened, show
from snippet_engine.project_settings import assembly_of, uncompiled_name
from snippet_engine.storage.recovery.temporary_files import orphans_next_to
from snippet_engine.storage.state_folder import StateFolder

_MOST_LEFT_TOLD = 2
"""Most warnings about temporary files of one script; the last warning counts the rest."""


class _Bases:
    def __init__(self, changes: Sequence[PlannedChange]) -> None:
        self._changes = changes

    @cached_property
    def before(self) -> Bases:
        """The classes before the set, with their Unity types."""
        return unity_bases(each.before for each in self._changes if each.before is not None)

    @cached_property
    def after(self) -> Bases:
        """The classes after the set, with their Unity types."""
        return unity_bases(each.after for each in self._changes if each.after is not None)


def unity_warnings(root: Path, changes: Sequence[PlannedChange]) -> Iterator[tuple[int, Warn]]:
    """Yield each warning with the index of its change. ``root`` is the project's folder."""
    bases = _Bases(changes)
    edited = [each for each in changes if each.old is not None and each.new is not None]
    for change in changes:
        found = [
            *_meta_files(change),
            *(_not_imported(change) or _assemblies(root, change, edited)),
            *_temporary_files(root, change),
            *_kept_encoding(change),
            *_taken_format(change),
        ]
        edit = change.edit if change.target is None else None
        if edit is None or not keeps_declarations(edit.before, edit.after, edit.plan.edits):
            stays = edit is not None and keeps_types(edit.before, edit.plan.edits)
            names = [] if stays else _script_names(change, bases)
            anew = _recreated(change, changes, bases)
            lost = guids_lost(change, changes, bases.before)
            found = [*names, *found, *anew, *lost, *_lost_fields(change, changes)]
        for each in found:
            yield change.index, each
    yield from emptied_folders(changes)


def _script_names(change: PlannedChange, bases: _Bases) -> Iterator[Warn]:
    if change.after is None or (change.after is change.before and change.target is None):
        return
    known = (
        names_misplaced(change.before, change.script.name, bases.before)
        if change.before is not None
        else ()
    )
    yield from script_names(change.after, change.place.name, bases.after, known)


def _recreated(
    change: PlannedChange, changes: Sequence[PlannedChange], bases: _Bases
) -> Iterator[Warn]:
    gone = [
        (each, each.before)
        for each in changes
        if each.new is None and each.before is not None and each.script.meta.is_taken
    ]
    if change.old is not None or change.after is None or not gone:
        return
    made = {each.path for each in declarations(change.after)}
    for other, before in gone:
        stem = other.script.name.removesuffix(".cs")
        for each in declarations(before):
            if each.name == stem and each.name in bases.before and each.path in made:
                yield Warn(
                    "meta_missing",
                    f"{shortened(each.name, 40)} is deleted with its .meta, and created again: "
                    "references to its GUID are lost. A single change of "
                    f"{shortened(stem, 40)}.cs with moveTo keeps them.",
                )


def _meta_files(change: PlannedChange) -> Iterator[Warn]:
    if change.target is not None and not change.script.meta.is_taken:
        yield Warn(
            "meta_missing",
            f"{show(change.script.relative)} has no .meta to move along: Unity will give the "
            "script a new GUID. References by an earlier GUID, if any, are lost.",
        )
    if change.old is None and change.script.meta.is_taken:
        yield Warn(
            "meta_orphan",
            f"{show(change.script.relative)}.meta already exists, without a script: the new "
            "script takes over its GUID, and all references to that.",
        )


def _not_imported(change: PlannedChange) -> list[Warn]:
    """Return ``not_imported`` for a script that is put into a folder that Unity ignores."""
    if change.status not in ("created", "moved"):
        return []
    name = uncompiled_name(change.place.canonical)
    was_there = change.old is not None and uncompiled_name(change.script.canonical) is not None
    if name is None or was_there:
        return []
    what = "scripts with this name" if name == change.place.name else "scripts in this folder"
    return [
        Warn(
            "not_imported",
            f"Unity doesn't compile {what} ({show(name)}), so code that uses this one won't "
            "compile. Choose another name.",
        )
    ]


def _temporary_files(root: Path, change: PlannedChange) -> Iterator[Warn]:
    for script in filter(None, (change.script, change.target)):
        folder = script.relative.rpartition("/")[0]
        names = orphans_next_to(script, lambda: StateFolder(root).names("pending"))
        for number, name in enumerate(names[:_MOST_LEFT_TOLD], 1):
            others = len(names) - number if number == _MOST_LEFT_TOLD else 0
            more = f" (+{others} more)" if others else ""
            yield Warn(
                "left_behind",
                f"{show(f'{folder}/{name}')}{more} holds this script's text from before or after "
                "an interrupted write whose record is gone. Compare it, then delete it.",
            )


def _kept_encoding(change: PlannedChange) -> Iterator[Warn]:
    if change.edit is not None or change.target is not None or change.status != "edited":
        return
    encoding = None if change.before is None else change.before.source.encoding
    if encoding is not None and encoding.bom:
        yield Warn(
            "encoding_kept",
            f"{show(change.script.relative)} was a blank file that begins with the byte order "
            f"mark of {encoding.codec.upper()}: the mark and the encoding stay.",
        )


def _taken_format(change: PlannedChange) -> Iterator[Warn]:
    if change.format_taken:
        yield Warn(
            "new_file_format",
            f"It gets {change.format_taken}. To keep the format of the text, add "
            '"format": "asGiven".',
        )


def _assemblies(
    root: Path, change: PlannedChange, edited: Sequence[PlannedChange]
) -> Iterator[Warn]:
    if change.target is not None:
        before = assembly_of(root, change.script.canonical)
        after = assembly_of(root, change.target.canonical)
        if before != after:
            yield Warn(
                "assembly_changed",
                f"The move takes it from {shortened(before, 60)} to {shortened(after, 60)}: code "
                "that uses it must reference that assembly.",
            )
    elif change.old is None and edited:
        after = assembly_of(root, change.script.canonical)
        others = {assembly_of(root, each.place.canonical) for each in edited}
        if after not in others:
            yield Warn(
                "assembly_changed",
                f"It is compiled into {shortened(after, 60)}, the edited scripts into "
                f"{shortened(', '.join(sorted(others)), 60)}: they must reference that assembly.",
            )


def _lost_fields(change: PlannedChange, changes: Sequence[PlannedChange]) -> Iterator[Warn]:
    if change.before is None or change.after is None or change.before is change.after:
        return
    texts = [(each.before, each.after) for each in changes]
    yield from lost_fields(change.before, change.after, lambda: elsewhere(texts))


def guids_lost(
    change: PlannedChange, changes: Sequence[PlannedChange], bases: Bases
) -> Iterator[Warn]:
    """Yield ``guid_lost`` for a deleted script whose class Unity finds by its ``.meta``'s GUID.

    ``bases`` are the classes that derive from Unity types. There is no warning if another script of
    the set declares the class afterwards.
    """
    if change.new is not None or change.before is None or not change.script.meta.is_taken:
        return
    made = {
        each.path
        for other in changes
        if other.old is None and other.after is not None
        for each in declarations(other.after)
    }
    stem = change.script.name.removesuffix(".cs")
    for each in declarations(change.before):
        if each.name == stem and each.name in bases and each.path not in made:
            yield Warn(
                "guid_lost",
                f"{shortened(stem, 40)} is deleted with its .meta: references to it in scenes and "
                "prefabs are lost, even if a script of that name is created again. To rewrite a "
                "script, edit it.",
            )
