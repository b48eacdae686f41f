"""Write a change set: all of its files or none, undoable, one writer at a time.

Implements the steps of docs/design/engine.md §5 "Change sets".
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from itertools import islice

from snippet_engine.errors import ErrorCode, SnippetError
from snippet_engine.storage.change_sets.change_journal import StagedFile
from snippet_engine.storage.change_sets.change_plan import (
    ChangePlan,
    FileChange,
    PlannedWrite,
    planned,
)
from snippet_engine.storage.change_sets.change_slots import identities, make_folders
from snippet_engine.storage.change_sets.meta_files import (
    MetaWarning,
    RemovedMeta,
    coming,
    meta_warnings,
    path_of,
)
from snippet_engine.storage.change_sets.open_change import OpenChange, RecordFile
from snippet_engine.storage.files import too_large
from snippet_engine.storage.os_failure import naming, shown_holders, write_failed
from snippet_engine.storage.paths.project import Project, ScriptPath
from snippet_engine.storage.records.change_record import (
    MAX_CHANGE_CONTENT_BYTES,
    MAX_CHANGE_FILES,
    ChangeRecord,
)
from snippet_engine.storage.records.history import DEFAULT_MAX_BYTES, DEFAULT_MAX_ENTRIES, History
from snippet_engine.storage.records.history_entry import HistoryEntry
from snippet_engine.storage.records.write_record import new_ticket
from snippet_engine.storage.recovery.temporary_files import (
    MOST_ENTRIES,
    TemporaryFiles,
    orphans_next_to,
)
from snippet_engine.storage.recovery.unfinished import OnLost, folder_of
from snippet_engine.storage.state_folder import StateFolder, lock_key
from snippet_engine.storage.stores import write_gate
from snippet_engine.storage.stores.change_list import ChangeEntry, ChangeList, with_departure
from snippet_engine.storage.stores.change_undo import SetUndo, not_kept, overtaken, taken_back
from snippet_engine.storage.stores.file_origins import Returning, origins_of, removed_meta
from snippet_engine.storage.stores.script_locks import Recovery, ScriptLocks
from snippet_engine.storage.stores.script_store import DEFAULT_LOCK_TIMEOUT_MS, AnnounceWrite
from snippet_engine.storage.system.replace_file import FileInUseError
from snippet_engine.storage.system.system_calls import begin_write_out, make_durable


@dataclass(frozen=True, slots=True)
class UndoneChange:
    """The result of undoing a change set."""

    change_id: str
    files: tuple[FileChange, ...]
    metas: tuple[RemovedMeta, ...] = ()
    """The ``.meta`` files made by others that were removed with the set's files and folders."""
    warnings: tuple[MetaWarning, ...] = ()


_MOST_OPEN = 64
AnnounceChange = Callable[[UndoneChange, str], SnippetError | None]
"""Called before an undo, with the name of the history entry that it reverts."""


class ChangeStore:
    """Writes change sets of one project. Keeps nothing open between calls; thread-safe.

    ``lock_timeout_ms`` bounds the wait for all locks of a set; ``history_bytes`` and
    ``history_entries`` bound the before-images of the whole project.
    """

    def __init__(
        self,
        project: Project,
        *,
        lock_timeout_ms: int = DEFAULT_LOCK_TIMEOUT_MS,
        history_bytes: int = DEFAULT_MAX_BYTES,
        history_entries: int = DEFAULT_MAX_ENTRIES,
    ) -> None:
        self._project = project
        state = StateFolder(project.root)
        self._history = History(state, max_bytes=history_bytes, max_entries=history_entries)
        self._locks = ScriptLocks(project, state, self._history, lock_timeout_ms)
        self._journal = self._locks.changes

    def recover(self, paths: Collection[str] = ()) -> Recovery:
        """Clean up after dead writers; leave live ones alone.

        Waits for sets in progress that contain one of the canonical ``paths``, as long as for a
        lock. Returns the writes that can't be finished now; the next call tries them again.
        """
        return self._locks.recover([lock_key(path) for path in paths])

    def look(self) -> Recovery:
        """Return what :meth:`recover` would find. Reads only."""
        return self._locks.look()

    def records(self) -> list[str]:
        """Return the names of the records of unfinished writes. Reads only."""
        return self._locks.records()

    def orphaned_temporary_files(self, most_entries: int = MOST_ENTRIES) -> list[str]:
        """Return the project-relative paths of temporary files without a record. Reads only.

        Each may have the only copy of a text, for example after somebody removed ``Library``.
        Visits at most ``most_entries`` folder entries.
        """
        found = TemporaryFiles(self._project, most_entries)
        found.look()
        return found.without(self.records())

    def orphans_next_to(self, script: ScriptPath) -> list[str]:
        """Return the temporary files without a record next to one script, in any folder."""
        folder = script.relative.rpartition("/")[0]
        return [f"{folder}/{name}" for name in orphans_next_to(script, self.records)]

    def with_departure(self, error: SnippetError, path: str) -> SnippetError:
        """Add to ``file_not_found`` the change that moved or deleted the script."""
        return with_departure(error, self._project, self._history, path)

    def history(self, path: str | None, limit: int) -> list[ChangeEntry]:
        """Return at most ``limit`` entries, newest first; with a canonical ``path``, only its own.
        Raise :class:`.UnusableStateError` if the history can't be read.
        """
        self._history.look()
        return list(islice(ChangeList(self._project, self._history).newest_first(path), limit))

    def removed_meta(self, returning: Returning) -> bytes | None:
        """Return the ``.meta`` that a file had when it was removed, if that is known."""
        return removed_meta(self._history, returning)

    def check(self, changes: Sequence[FileChange]) -> SnippetError | None:
        """Return why :meth:`apply` would refuse the changes now; write nothing."""
        try:
            plan = planned(changes)
        except OSError as error:
            return write_failed(error, "Reading the change set")
        return plan if isinstance(plan, SnippetError) else None

    def apply(
        self,
        changes: Sequence[FileChange],
        *,
        client: str | None,
        ticket: str | None = None,
        announce: AnnounceWrite | None = None,
        on_lost: OnLost | None = None,
        returning: Mapping[str, Returning] | None = None,
    ) -> str | SnippetError:
        """Write all the changes, each path named once; return the change's id, the ``ticket``.

        ``announce`` is called right before the write; an error that it returns is the answer.
        ``returning`` is as for :func:`.origins_of`.

        An error leaves every file as it was, and has the index of the change at fault in ``file``.
        The error is ``stale_file`` if a file has changed since it was judged, or now exists. It is
        ``invalid_request`` if a ``.meta`` would move to a path that has one. Other errors are
        ``file_not_found``, ``path_not_allowed``, ``read_only``, ``file_too_large``, ``busy`` and
        ``write_failed``.
        """
        for index, change in enumerate(changes):
            if change.after is not None and len(change.after) > change.place.max_bytes:
                error = too_large(change.place, len(change.after), "After the change")
                return error.for_file(index)
        too_much = _too_much(changes)
        if too_much is not None:
            return too_much
        scripts = _scripts(changes)
        try:
            with self._locks.held(scripts) as refused:
                if refused is not None:
                    return refused
                origins, drops = origins_of(self._history, changes, returning)
                plan = planned(changes, origins)
                if isinstance(plan, SnippetError):
                    return plan
                failed = write_gate.refusal(changes)
                if failed is None and announce is not None:
                    failed = announce()
                if failed is not None:
                    return failed
                ticket = ticket or new_ticket()
                record = replace(_record(ticket, client, scripts, plan), drops=drops)
                return self._write(record, plan, scripts, on_lost) or ticket
        except OSError as failure:
            return write_failed(failure, "Writing the change set")

    def undo(
        self,
        change_id: str,
        *,
        ticket: str | None = None,
        announce: AnnounceChange | None = None,
        refusal: Callable[[Sequence[ScriptPath]], SnippetError | None] = lambda _: None,
    ) -> UndoneChange | SnippetError:
        """Undo a whole change set, if none of its files has changed since.

        ``refusal`` may forbid the undo. It may take long, so it is called before the files are
        locked. ``announce`` and ``ticket`` are as in :meth:`.ScriptStore.undo`, errors as in
        :meth:`apply`.
        ``details["changed"]`` of ``stale_file`` lists the files changed since. If something other
        than a recorded change changed some, only those are listed. The error is ``invalid_request``
        if the change isn't recorded, or its record is damaged.
        """
        try:
            self._history.look()
            kept = self._kept(change_id)
            if isinstance(kept, SnippetError):
                return kept
            entry, record = kept
            named = [self._project.named(path) for path in record.paths]
            scripts = [each for each in named if each is not None]
            forbidden = refusal(scripts)
            if forbidden is not None:
                return forbidden
            with self._locks.held(scripts) as refused:
                if refused is not None:
                    return refused
                if not self._history.has(entry.name):
                    return not_kept(change_id, None)
                return self._undo(record, entry.name, ticket or new_ticket(), announce)
        except OSError as error:
            return write_failed(error, "Undoing the change set")

    def why_not_undone(self, change_id: str) -> SnippetError | None:
        """Return the error with which :meth:`undo` would refuse the change now."""
        try:
            self._history.look()
            kept = self._kept(change_id)
            if isinstance(kept, SnippetError):
                return kept
            return SetUndo(self._project, self._history, kept[1]).why_not()
        except OSError as error:
            return write_failed(error, "Undoing the change set")

    def _kept(self, change_id: str) -> tuple[HistoryEntry, ChangeRecord] | SnippetError:
        """Return the entry and record of a change set that can be undone, or why not."""
        entry = self._history.change(change_id)
        record = None if entry is None else self._history.read_change(entry)
        if entry is not None and entry.is_rolled_back:
            return taken_back(change_id, entry, record)
        if entry is None:
            for each in self._locks.look().waiting:
                if each.change_id == change_id:
                    raise each
        if entry is None or record is None:
            damage = None if entry is None else self._history.what_is_wrong(entry)
            return not_kept(change_id, damage)
        if any(self._project.named(path) is None for path in record.paths):
            return not_kept(change_id, f"is damaged: {entry.place}")
        return entry, record

    def _undo(
        self, record: ChangeRecord, entry: str, ticket: str, announce: AnnounceChange | None
    ) -> UndoneChange | SnippetError:
        undo = SetUndo(self._project, self._history, record)
        changes = undo.changes()
        if isinstance(changes, SnippetError):
            return changes
        plan = undo.plan(changes)
        if isinstance(plan, SnippetError):
            return plan
        scripts = _scripts(changes)
        back = _record(ticket, None, scripts, plan)
        back = replace(back, drops=record.makes, consumes=entry)
        metas, warnings = coming(self._project, back), meta_warnings(record, changes, plan)
        undone = UndoneChange(record.ticket, tuple(changes), metas, tuple(warnings))
        refused = write_gate.refusal(changes)
        if refused is None and announce is not None:
            refused = announce(undone, entry)
        if refused is not None:
            return refused
        failed = self._write(back, plan, scripts)
        if failed is not None:
            return overtaken(failed, record)
        kept = sorted(self._history.kept_metas(ticket).items())
        metas = tuple(RemovedMeta(path_of(back, number), place) for number, place in kept)
        return replace(undone, metas=metas)

    def _write(
        self,
        record: ChangeRecord,
        plan: ChangePlan,
        scripts: Sequence[ScriptPath],
        on_lost: OnLost | None = None,
    ) -> SnippetError | None:
        """Do the steps from the record on. Raise ``OSError`` only with every file as it was."""
        if not record.slots:
            return None
        file = self._journal.begin(record)
        try:
            with naming(record.makes[0].path if record.makes else "", is_folder=True):
                make_folders(self._project, record.makes)
            self._journal.staging(file, record)
            with self._journal.opened(file, record, scripts) as change:
                if change.away:
                    # No folder has a file of the set yet, so don't wait for missing folders.
                    self._journal.withdraw(change)
                    path, why = next(iter(change.away.items()))
                    with naming(path):
                        raise why
                try:
                    with ExitStack() as stack:
                        self._journal.commit(change, _staged(plan.ordered(), change, stack))
                except OSError:
                    self._journal.back(change, ())
                    raise
                stopped = self._journal.forward(change.present)
                if stopped is None:
                    lost = self._journal.finish(change)
                    if lost is not None and on_lost is not None:
                        on_lost(lost)
                    return None
                left_alone = self._journal.back(change, stopped.begun)
                more = {"leftAlone": left_alone} if left_alone else {}
                return replace(stopped.refusal, details={**stopped.refusal.details, **more})
        except BaseException as error:
            # Whatever failed, the files on disk decide the outcome, as after a crash.
            return self._settled(file, error)

    def _settled(self, file: RecordFile, error: BaseException) -> SnippetError | None:
        """Settle a set whose write failed; raise ``error`` if the set wasn't completed."""
        with suppress(OSError):
            file.content.close()
        try:
            settled = self._journal.settle(file.name)
        except OSError as unsettled:
            if not isinstance(error, OSError):
                raise error from unsettled
            return _unfinished(error)
        if settled is None or not settled.went_forward or not isinstance(error, OSError):
            raise error
        return None


def _staged(
    writes: Sequence[PlannedWrite], change: OpenChange, stack: ExitStack
) -> list[StagedFile]:
    """Write every new file under its temporary name; keep the first ones open in ``stack``.

    The open ones become durable together, later; the others at once. Raise ``OSError``.
    """
    by_name = {slot.slot.name: slot for slot in change.present}
    staged: list[StagedFile] = []
    for write, slot in zip(writes, change.slots, strict=True):
        with naming(write.slot.name):
            if slot is None:
                raise change.away[folder_of(write.slot.path)]
            if write.after is not None:
                like = None if write.like is None else by_name[write.like.name]
                if len(staged) == _MOST_OPEN:
                    with slot.staged(write.after, like) as fd:
                        make_durable(fd)
                    continue
                fd = stack.enter_context(slot.staged(write.after, like))
                begin_write_out(fd)
                staged.append((write.slot.name, fd))
    return staged


def _too_much(changes: Sequence[FileChange]) -> SnippetError | None:
    if len(changes) > MAX_CHANGE_FILES:
        count = f"{len(changes):,} files would change; at most {MAX_CHANGE_FILES} can in one set."
        return SnippetError(ErrorCode.FILE_TOO_LARGE, count, details={"limit": MAX_CHANGE_FILES})
    size = sum(len(change.before or b"") for change in changes)
    if size > MAX_CHANGE_CONTENT_BYTES:
        told = f"The files have {size:,} bytes together; the limit is {MAX_CHANGE_CONTENT_BYTES:,}."
        details = {"bytes": size, "limit": MAX_CHANGE_CONTENT_BYTES}
        return SnippetError(ErrorCode.FILE_TOO_LARGE, told, details=details)
    return None


def _scripts(changes: Sequence[FileChange]) -> list[ScriptPath]:
    return [
        script
        for change in changes
        for script in (change.script, change.target)
        if script is not None
    ]


def _record(
    ticket: str, client: str | None, scripts: Sequence[ScriptPath], plan: ChangePlan
) -> ChangeRecord:
    slots = tuple(write.slot for write in plan.ordered())
    makes, folders = tuple(plan.makes.values()), identities(scripts)
    now = max(0.0, time.time())  # A clock that was never set may be before 1970.
    return ChangeRecord(ticket, now, client, tuple(plan.files), slots, makes, folders=folders)


def _unfinished(error: OSError) -> SnippetError:
    failed = write_failed(error, "Writing the change set")
    reason = failed.details.get("reason")
    if isinstance(error, FileInUseError):
        reason = f"a file is held open by {shown_holders(error.holders)}"
    return replace(
        failed,
        message=f"Writing the change set failed midway: {reason}. The next write to one of its "
        "files, or the server's next start, finishes it.",
        details={**failed.details, "unfinished": True},
    )
