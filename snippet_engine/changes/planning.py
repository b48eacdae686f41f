"""Plan each change of a set on its own file (docs/design/change-sets.md §1). Only reads."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Sequence
from dataclasses import replace

from snippet_engine import budget
from snippet_engine.change_request import Change, ChangeRequest
from snippet_engine.changes.folders import folder_named
from snippet_engine.changes.new_files import (
    conflicting_paths,
    exists_already,
    format_around,
    in_format,
    twin_of,
    why_out_of_reach,
)
from snippet_engine.changes.offers import all_already_applied, for_set
from snippet_engine.changes.planned_change import PlannedChange
from snippet_engine.edit_plan.plan import SHORT
from snippet_engine.errors import ALREADY_APPLIED, ErrorCode, SnippetError, show
from snippet_engine.limits import MAX_SET_BYTES
from snippet_engine.request import EditRequest
from snippet_engine.single_edit.judging import ScriptJudging
from snippet_engine.single_edit.planned_edit import Unplanned, stale_file
from snippet_engine.single_edit.versions import NO_DRAFTS, Drafts
from snippet_engine.source_text import SourceText, content_hash, decode
from snippet_engine.storage.paths.project import Project, ScriptPath
from snippet_engine.storage.system.names import one_name, why_not_portable

_BLANKS = " \t\r\n\f\v"
"""The characters of a blank file, apart from a byte order mark."""


class ChangePlanning:
    """Plans change sets of one project. Thread-safe."""

    def __init__(self, project: Project, scripts: ScriptJudging) -> None:
        self._project = project
        self._scripts = scripts

    def planned(
        self, request: ChangeRequest, drafts: Drafts = NO_DRAFTS
    ) -> list[PlannedChange] | SnippetError:
        """Plan every change on disk or on ``drafts``, or return all faults."""
        named = folder_named(self._project, request)
        if named is not None:
            return named
        # A single file may take all of the set's work, so its size isn't needed.
        alone = len(request.changes) == 1
        sizes = [0 if alone else self._bytes_of(change, drafts) for change in request.changes]
        too_large = _too_large(sizes)
        if too_large is not None:
            return for_set(request, [too_large])
        parts = parts_of(sizes)
        planned: list[PlannedChange] = []
        unplanned: dict[int, Unplanned] = {}
        for index, change in enumerate(request.changes):
            with budget.in_part(parts[index]):
                found = self._plan(request, index, change, drafts)
            if isinstance(found, PlannedChange):
                planned.append(found if alone else replace(found, part=parts[index]))
            else:
                unplanned[index] = found
        errors: list[SnippetError] = []
        made: list[SnippetError] = []
        for index, each in unplanned.items():
            with budget.in_part(part_for_offers(sizes, index, len(unplanned))):
                if each.is_applied:
                    made.append(each.error.for_file(index))
                else:
                    errors.append(each.with_offers().for_file(index))
        errors += _named_twice(planned)
        new = {each.index: each.place for each in planned if each.old is None or each.target}
        errors += conflicting_paths(new)
        if made and not errors and all(each.status == "unchanged" for each in planned):
            return all_already_applied(request, made)
        return for_set(request, errors, made) if errors or made else planned

    def _bytes_of(self, change: Change, drafts: Drafts) -> int:
        """Return the size of a change's file; 0 if it isn't found, which is reported later."""
        if change.create is not None:
            return len(change.create.encode())
        script = self._project.locate(change.path)
        if isinstance(script, SnippetError):
            return 0
        drafted = drafts.of(script)
        if drafted is not None:
            return len(drafted)
        try:
            return script.reachable.stat().st_size
        except OSError:
            return 0

    def _plan(
        self, request: ChangeRequest, index: int, change: Change, drafts: Drafts
    ) -> PlannedChange | Unplanned:
        target = None if change.new_path is None else self._free(change.new_path, request, drafts)
        if isinstance(target, SnippetError):
            done = self._moved_already(request.edit_of(index), change, drafts)
            if done is not None:
                return done
            if change.move_to is not None and self._is_respelled(change.path, change.move_to):
                reason = f"is {show(change.path)} itself on this system, which ignores letter case"
                instead = "Move it to a third name first, in a set of its own"
                return Unplanned(_not_allowed(change.move_to, reason, instead))
            present = self._present(change, drafts) if change.create is not None else None
            if change.create is None or present is None:
                return Unplanned(self._with_new_path(target, request, change, drafts))
            if _is_blank(present):
                return self._filled(request, index, drafts)
            room = request.edit_of(index).limits.instructions
            return Unplanned(exists_already(change.path, present, change.create, room))
        if change.create is not None:
            assert target is not None
            text, taken = _formatted(change, target)
            created = self._scripts.document_of(text.encode(), target)
            if isinstance(created, SnippetError):
                return Unplanned(created)
            data = created.source.data
            return PlannedChange(index, target, None, data, after=created, format_taken=taken)
        edit = request.edit_of(index)
        script = self._scripts.located(edit, drafts)
        if isinstance(script, SnippetError):
            # A repeated move may be an old one. To repeat it would revert later moves.
            is_moved = change.move_to is not None and "movedTo" in script.details
            script = _deleted_already(change, script)
            return Unplanned(replace(script, offers=()) if is_moved else script)
        if target is not None and self._project.is_link(script):
            return Unplanned(_not_allowed(change.path, "is a link, which can't be moved"))
        if not change.instructions:
            as_it_is = self._as_it_is(index, change, script, target, drafts.of(script))
            return Unplanned(as_it_is) if isinstance(as_it_is, SnippetError) else as_it_is
        planned = self._scripts.planned(edit, script, drafts.of(script))
        if isinstance(planned, Unplanned):
            return planned
        before, after = planned.before, planned.after
        old, new = before.source.data, after.source.data
        return PlannedChange(index, script, old, new, before, after, target, planned)

    def _filled(
        self, request: ChangeRequest, index: int, drafts: Drafts
    ) -> PlannedChange | Unplanned:
        script = self._scripts.located(request.edit_of(index), drafts)
        if isinstance(script, SnippetError):
            return Unplanned(script)
        old = drafts.of(script)
        if old is None:
            snapshot = script.read()
            if isinstance(snapshot, SnippetError):
                return Unplanned(snapshot)
            old = snapshot.data
        before = self._scripts.document_of(old, script)
        if isinstance(before, SnippetError):
            return Unplanned(before)
        change, encoding = request.changes[index], before.source.encoding
        text, taken = _formatted(change, script, before.source)
        data = text.encode()
        if old:
            data = encoding.bom + text.removeprefix("\ufeff").encode(encoding.codec)
        after = self._scripts.document_of(data, script)
        if isinstance(after, SnippetError):
            return Unplanned(after)
        new = after.source.data
        return PlannedChange(index, script, old, new, before, after, format_taken=taken)

    def _present(self, change: Change, drafts: Drafts) -> bytes | None:
        """Return the content of an existing file at the path of a new file, if any."""
        script = self._project.locate_new(change.path)
        if isinstance(script, SnippetError) or drafts.is_gone(script):
            return None
        drafted = drafts.of(script)
        if drafted is not None:
            return drafted
        located = self._project.locate(change.path)
        snapshot = located if isinstance(located, SnippetError) else located.read()
        return None if isinstance(snapshot, SnippetError) else snapshot.data

    def _free(self, path: str, request: ChangeRequest, drafts: Drafts) -> ScriptPath | SnippetError:
        """Return the place for a new file, if its path doesn't exist in any spelling."""
        script = self._project.locate_new(path)
        if isinstance(script, SnippetError):
            return self._named_as_folder(path, request) or script
        hidden = why_out_of_reach(script)
        if hidden is not None:
            return hidden
        taken = script.is_taken and not drafts.is_gone(script)
        if taken or drafts.of(script) is not None:
            return _not_allowed(path, "exists already", "Edit it, or choose a path that is free")
        why = why_not_portable(script.new_names())
        if why is not None:
            return _not_allowed(path, why, "Choose another name")
        return twin_of(self._project, script, request, drafts) or script

    def _with_new_path(
        self, error: SnippetError, request: ChangeRequest, change: Change, drafts: Drafts
    ) -> SnippetError:
        path = error.details.get("suggestion")
        if path is None or isinstance(self._free(path, request, drafts), SnippetError):
            return error
        from snippet_engine.fixes.other_file import with_path_offered  # noqa: PLC0415 - only for errors

        key = "path" if change.move_to is None else "moveTo"
        return with_path_offered(error, change.to_json(), key)

    def _moved_already(self, edit: EditRequest, change: Change, drafts: Drafts) -> Unplanned | None:
        there = None if change.move_to is None else self._project.locate(change.move_to)
        if not isinstance(there, ScriptPath) or drafts:
            return None
        gone = self._scripts.readable(change.path)
        if not isinstance(gone, SnippetError) or gone.details.get("movedTo") != there.canonical:
            return None
        reason = (
            f"was moved to {show(there.relative)} already, by change {gone.details['movedBy']}."
        )
        error = replace(gone, message=f"{show(change.path)} {reason}")
        if not edit.instructions:
            return Unplanned(replace(error, details={**error.details, ALREADY_APPLIED: True}))
        return Unplanned(error, check_applied=lambda: self._is_applied_at(there, edit))

    def _is_applied_at(self, script: ScriptPath, edit: EditRequest) -> bool:
        planned = self._scripts.planned(replace(edit, path=script.relative), script)
        if isinstance(planned, Unplanned):
            return planned.is_applied
        return planned.before.source.data == planned.after.source.data

    def _is_respelled(self, path: str, new_path: str) -> bool:
        if path == new_path or one_name(path) != one_name(new_path):
            return False
        try:
            return (self._project.root / path).samefile(self._project.root / new_path)
        except OSError:
            return False

    def _named_as_folder(self, path: str, request: ChangeRequest) -> SnippetError | None:
        """Return an error if ``path``, a script's new path, is a folder; offer the path to send."""
        (moved,) = [each.path for each in request.changes if path == each.new_path]
        name = posixpath.basename(moved.replace("\\", "/"))
        inside = "/".join((path.replace("\\", "/").rstrip("/"), name))
        if posixpath.splitext(path)[1] and not os.path.isdir(self._project.root / path):
            return None
        named = path.replace("\\", "/").rstrip("/")
        if named.endswith(".cs") or isinstance(self._project.locate_new(inside), SnippetError):
            return None
        error = _not_allowed(path, "is not the path of a script", f"Send {show(inside)} as moveTo")
        return replace(error, details={"suggestion": inside})

    def _as_it_is(
        self,
        index: int,
        change: Change,
        script: ScriptPath,
        target: ScriptPath | None,
        drafted: bytes | None,
    ) -> PlannedChange | SnippetError:
        """Plan to delete or only move a file, as bytes in any encoding."""
        if change.deletes and self._project.is_link(script):
            return _not_allowed(change.path, "is a link, which can't be deleted")
        old = drafted
        if old is None:
            snapshot = script.read()
            if isinstance(snapshot, SnippetError):
                return snapshot
            old = snapshot.data
        expected, current = change.expected_hash, content_hash(old)
        if expected is not None and expected != current:
            return stale_file(script, expected, current)
        read = self._scripts.document_of(old, script)
        document = None if isinstance(read, SnippetError) else read
        if change.deletes:
            return PlannedChange(index, script, old, None, document)
        return PlannedChange(index, script, old, old, document, document, target)


def _deleted_already(change: Change, error: SnippetError) -> SnippetError:
    deleted_by = error.details.get("deletedBy")
    if not change.deletes or deleted_by is None or "movedTo" in error.details:
        return error
    message = f"{show(change.path)} was deleted already, by change {deleted_by}."
    return replace(error, message=message, details={**error.details, ALREADY_APPLIED: True})


def _formatted(
    change: Change, script: ScriptPath, blank: SourceText | None = None
) -> tuple[str, str]:
    """Return a new text in the format of the scripts around it, and a note on what differs.

    A ``blank`` file that isn't empty keeps its byte order mark, or stays without one.
    """
    text = change.create or ""
    if change.as_given:
        return text, ""
    around = format_around(script)
    if blank is not None and blank.data:
        around = replace(around, has_bom=False)
    return in_format(text, around)


def _is_blank(data: bytes) -> bool:
    source = decode(data)
    return isinstance(source, SourceText) and not source.view.strip(_BLANKS)


def parts_of(sizes: Sequence[int]) -> list[float]:
    """Return the part of a set's work for each file: half by size, half equally."""
    total = sum(sizes)
    even = 1 / len(sizes)
    return [(size / total + even) / 2 if total else even for size in sizes]


def part_for_offers(sizes: Sequence[int], index: int, count: int) -> float:
    """Return the part of the search for offers that one of ``count`` refused files may take.

    Together, many short texts get only as much as one long text.
    """
    total = sum(sizes)
    is_long = total > SHORT >= sizes[index]
    return (SHORT / total if is_long else 1.0) / count


def _too_large(sizes: Sequence[int]) -> SnippetError | None:
    total = 0
    for index, size in enumerate(sizes):
        total += size
        if index and total > MAX_SET_BYTES:
            return SnippetError(
                ErrorCode.FILE_TOO_LARGE,
                f"The files of changes 0 to {index} have {total:,} bytes together; the limit "
                f"of a set is {MAX_SET_BYTES:,}. Send the largest in sets of their own.",
                details={"bytes": total, "limit": MAX_SET_BYTES},
            ).for_file(index)
    return None


def _named_twice(planned: Sequence[PlannedChange]) -> list[SnippetError]:
    seen: dict[str, int] = {}
    errors: list[SnippetError] = []
    for each in planned:
        for script in (each.script, each.target):
            if script is None:
                continue
            first = seen.setdefault(script.canonical, each.index)
            if first != each.index:
                reason = f"is the same file as that of change {first}. Send each file once"
                errors.append(_not_allowed(script.relative, reason, "").for_file(each.index))
    return errors


def _not_allowed(path: str, why: str, instead: str = "Name the real file") -> SnippetError:
    advice = f" {instead}." if instead else ""
    return SnippetError(ErrorCode.PATH_NOT_ALLOWED, f"{show(path)} {why}.{advice}")
