"""Write a script: all of the new content or none, undoable, one writer at a time.

Implements the steps of docs/design/engine.md §5, and laws 2, 3, 5 and 6 of §10.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import islice

from snippet_engine.errors import SnippetError, show
from snippet_engine.source_text import MAX_FILE_BYTES, content_hash
from snippet_engine.storage.change_sets.change_plan import FileChange
from snippet_engine.storage.files import (
    discard,
    put_in_place,
    stage,
    stale,
    temporary_name,
    too_large,
)
from snippet_engine.storage.os_failure import write_failed
from snippet_engine.storage.paths.project import FileSnapshot, Project, ScriptPath
from snippet_engine.storage.records.history import DEFAULT_MAX_BYTES, DEFAULT_MAX_ENTRIES, History
from snippet_engine.storage.records.history_entry import HistoryEntry
from snippet_engine.storage.records.undo_order import (
    lost_since,
    no_record,
    not_kept,
    not_that_hash,
    not_undoable,
    of_a_change,
)
from snippet_engine.storage.records.write_record import WriteRecord, first_changed_line, new_ticket
from snippet_engine.storage.recovery.unfinished import OnLost, moved_meanwhile
from snippet_engine.storage.state_folder import StateFolder, lock_key
from snippet_engine.storage.stores import write_gate
from snippet_engine.storage.stores.script_locks import ScriptLocks
from snippet_engine.storage.system.folder import Folder

DEFAULT_LOCK_TIMEOUT_MS = 2000

_MAX_EARLIER = 8
_MAX_LOOKED_AT = 4 * _MAX_EARLIER
_MAX_EARLIER_BYTES = 4 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Undone:
    """The result of undoing a write: the bytes before the undo, and the restored ones."""

    replaced: bytes
    restored: bytes


AnnounceWrite = Callable[[], SnippetError | None]
"""Called right before a write, under its lock."""

Announce = Callable[[Undone, str], SnippetError | None]
"""Called before an undo, with the name of the history entry that it reverts."""


@dataclass(frozen=True, slots=True)
class _Held:
    folder: Folder
    snapshot: FileSnapshot


class ScriptStore:
    """Writes scripts of one project. Keeps nothing open between calls; thread-safe.

    ``lock_timeout_ms`` bounds the wait for another write of the same file; ``history_bytes`` and
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
        self._state = StateFolder(project.root)
        self._history = History(self._state, max_bytes=history_bytes, max_entries=history_entries)
        self._locks = ScriptLocks(project, self._state, self._history, lock_timeout_ms)
        self._pending = self._locks.pending
        self._images: dict[tuple[str, str], bytes] = {}
        """Cache of before-images, by entry and file, because each preview needs them again."""

    def recover(self) -> list[str]:
        """Remove the remains of dead processes; return the removed paths."""
        return self._locks.recover().removed

    def apply(
        self,
        script: ScriptPath,
        expected: bytes,
        new: bytes,
        *,
        hashes: tuple[str, str] | None = None,
        ticket: str | None = None,
        client: str | None = None,
        announce: AnnounceWrite | None = None,
        on_lost: OnLost | None = None,
    ) -> SnippetError | None:
        """Replace the script's bytes ``expected`` by ``new``; return ``None`` on success.

        ``hashes`` are those of the two, if known. ``ticket`` names the write for
        :meth:`have_landed`; ``client`` is the caller's name. ``announce`` is called right before
        the write; an error that it returns is the answer.

        An error leaves the file as it was: ``stale_file``, ``file_not_found``,
        ``path_not_allowed``, ``read_only``, ``file_too_large`` for ``new``, ``busy``,
        ``write_failed``.
        """
        if len(new) > MAX_FILE_BYTES:
            return too_large(script, len(new), "After the edit")
        try:
            with self._held(script) as held:
                if isinstance(held, SnippetError):
                    return held
                # Compare bytes: only the judged content may be replaced, not one that decodes
                # alike.
                if held.snapshot.data != expected:
                    return stale(script, expected, held.snapshot.data)
                refused = write_gate.refusal([FileChange(script, expected, new)])
                if refused is None and announce is not None:
                    refused = announce()
                if refused is not None:
                    return refused
                before, after = hashes or (content_hash(expected), content_hash(new))
                record = WriteRecord(
                    script.canonical,
                    ticket or new_ticket(),
                    before=before,
                    after=after,
                    image=expected,
                    client=client,
                    first_line=first_changed_line(expected, new),
                    folder=held.folder.identity(),
                )
                failure = self._write(script, held, record, new, on_lost)
                if failure is None:
                    self._remember(record.ticket, script.canonical, expected)
                return failure
        except OSError as error:
            return write_failed(error, f"Writing {show(script.relative)}", script.relative)

    def earlier(self, script: ScriptPath) -> Iterator[bytes]:
        """Yield the content before each recorded write, newest first, bounded in number and size.

        Damaged entries are skipped.
        """
        path, room, found = script.canonical, _MAX_EARLIER_BYTES, 0
        for entry in islice(self._history.newest_first(path), _MAX_LOOKED_AT):
            if not self._history.is_of(entry, path):
                continue
            room -= entry.size
            if room < 0 or found == _MAX_EARLIER:
                return
            image = self._image(entry, path)
            if image is not None:
                found += 1
                yield image

    def hashes(self, script: ScriptPath) -> set[str]:
        """Return the hashes of all versions of the script in the history."""
        path = script.canonical
        found = {entry.after for entry in self._history.of(path)}
        for _, header in self._history.changes(path):
            for file in header.files:
                if path in file.paths:
                    found |= {each for each in (file.before, file.after) if each is not None}
        return found

    def is_as_last_written(self, script: ScriptPath, hash_now: str) -> bool:
        """Return whether the newest recorded write, if any, left the script with that hash."""
        path = script.canonical
        for entry in self._history.newest_first(path):
            if not self._history.is_of(entry, path):
                continue
            if not entry.is_change:
                return entry.after == hash_now
            made = self._history.change_to(path, hash_now)
            return made is not None and made.name == entry.name
        return True

    def _image(self, entry: HistoryEntry, path: str) -> bytes | None:
        # A ticket is unique to one write, but a rolled-back set keeps the ticket of the set.
        name = entry.name if entry.is_change else entry.ticket
        image = self._images.get((name, path))
        if image is None:
            image = self._history.image(entry, path)
            if image is not None:
                self._remember(name, path, image)
        return image

    def _remember(self, name: str, path: str, image: bytes) -> None:
        if len(self._images) >= _MAX_EARLIER:
            self._images.clear()
        self._images[name, path] = image

    def image_before(self, script: ScriptPath, hash_after: str) -> bytes | SnippetError:
        """Return the content before the last write that gave the script that hash.

        Errors: those of :meth:`undo`.
        """
        try:
            self._history.look()
            refused = no_record(self._history, self._locks.records, script, hash_after)
            if refused is not None:
                return refused
            now = script.read()
            if isinstance(now, SnippetError):
                return now
            if content_hash(now.data) != hash_after:
                hash_now = content_hash(now.data)
                return not_that_hash(self._history, script, hash_after, hash_now)
            entry = self._history.latest_to(script.canonical, hash_after)
            image = None if entry is None else self._image(entry, script.canonical)
            return not_kept(self._history, script) if image is None else image
        except OSError as error:
            return write_failed(error, f"Reading the history of {show(script.relative)}")

    def undo(
        self,
        script: ScriptPath,
        hash_after: str,
        *,
        ticket: str | None = None,
        announce: Announce | None = None,
    ) -> Undone | SnippetError:
        """Undo the last write that gave the script the hash ``hash_after``.

        ``announce`` gets the planned result, and the history entry that will be removed; an error
        that it returns is the answer. With ``ticket`` and that entry, :meth:`have_landed` finds out
        whether the undo happened.

        Errors are as in :meth:`apply`. ``details["undoable"]`` of ``stale_file`` lists the hashes
        that can be undone one after the other. The error is ``invalid_request`` if no usable
        before-image is recorded.
        """
        try:
            self._history.look()
            refused = no_record(self._history, self._locks.records, script, hash_after)
            if refused is not None:
                return refused
            with self._held(script) as held:
                if isinstance(held, SnippetError):
                    return held
                current = held.snapshot.data
                if content_hash(current) != hash_after:
                    return not_that_hash(self._history, script, hash_after, content_hash(current))
                # Several writes may have led to this content. The caller last saw the text before
                # the latest of them.
                entry = self._history.latest_to(script.canonical, hash_after)
                if entry is None:
                    return not_kept(self._history, script)
                if entry.is_change:
                    return of_a_change(self._history, script, entry)
                # Use only the latest: an older before-image isn't the text right before this one.
                lost = self._history.lost_changes(entry.sequence)
                if lost:
                    return lost_since(script, lost[-1])
                kept = self._history.read(entry)
                if kept is None or kept.image is None or kept.path != script.canonical:
                    damage = self._history.what_is_wrong(entry) or "is gone"
                    return not_undoable(script, f"the entry {damage}")
                # An undo is a write like any other, with the same steps against crashes. It has no
                # image: it takes its entry out of the history, and puts none in.
                undone = Undone(replaced=current, restored=kept.image)
                refused = write_gate.refusal([FileChange(script, current, kept.image)])
                if refused is None and announce is not None:
                    refused = announce(undone, entry.name)
                if refused is not None:
                    return refused
                record = WriteRecord(
                    script.canonical,
                    ticket or new_ticket(),
                    before=hash_after,
                    after=kept.before,
                    image=None,
                    consumes=entry.name,
                    folder=held.folder.identity(),
                )
                failure = self._write(script, held, record, kept.image)
                return failure or undone
        except OSError as error:
            return write_failed(error, f"Restoring {show(script.relative)}", script.relative)

    def have_landed(
        self, ends: Mapping[ScriptPath, str | None], ticket: str, takes_back: str = ""
    ) -> bool | SnippetError:
        """Return whether a dead writer's write of these scripts with that ticket happened.

        It happened if the history has its entry, or if all scripts have their hash in ``ends``,
        which is ``None`` for a removed file. An undo happened if the entry ``takes_back``, which it
        reverts, is gone.
        Errors: ``busy``, ``write_failed``.
        """
        scripts = list(ends)
        try:
            # Under the locks, so that the write in question isn't in progress.
            with self._locks.held(scripts) as refused:
                if refused is not None:
                    return refused
                # The history alone isn't enough: it is bounded, and the entry may have been pruned.
                if self._history.has_ticket(ticket):
                    return True
                # The undo's result may have been changed since, even back to the undone text.
                if takes_back and not self._history.has(takes_back):
                    return True
                return all(_ends_as(script, ends[script]) for script in scripts)
        except OSError as error:
            more = f" and {len(scripts) - 1} more" if len(scripts) > 1 else ""
            return write_failed(
                error,
                f"Looking up the state of {show(scripts[0].relative)}{more}",
                scripts[0].relative,
            )

    def has_kept_all_since(self, time_s: float) -> bool:
        """Return whether no entry since ``time_s`` (as of ``time.time``) was pruned."""
        try:
            return self._history.has_kept_all_since(time_s)
        except OSError:
            return False

    @contextmanager
    def _held(self, script: ScriptPath) -> Iterator[_Held | SnippetError]:
        # A dead writer's record is settled before reading. That writer may have renamed its file
        # without an entry, and the history must be complete before the next write.
        with self._locks.held([script]) as refused:
            if refused is not None:
                yield refused
                return
            try:
                # From here on, use the script's name in its open folder. Its path could lead
                # elsewhere at the rename, if a folder on the way became a link.
                folder = script.open_folder(in_place=True)
            except OSError as error:
                yield script.unreadable(error)
                return
            with folder:
                snapshot = script.read_in(folder)
                if isinstance(snapshot, SnippetError):
                    yield snapshot
                else:
                    yield script.refuse_read_only(snapshot.status) or _Held(folder, snapshot)

    def _write(
        self,
        script: ScriptPath,
        held: _Held,
        record: WriteRecord,
        new: bytes,
        on_lost: OnLost | None = None,
    ) -> SnippetError | None:
        """Do the steps from the record on. Raise ``OSError`` only with the file as it was."""
        # Every step that can fail, for example on a full disk, comes before the rename. After the
        # rename the edit has happened, and no failure may hide that.
        self._history.prepare()
        pending = self._pending.begin(record)
        temporary = temporary_name(script.name, record.ticket)
        try:
            stage(held.folder, temporary, new, script.name, held.snapshot.status)
            # As late as possible: others may have saved during the two fsyncs of staging.
            refusal = put_in_place(
                script, held.folder, temporary, held.snapshot.data, held.snapshot.status
            )
            if refusal is None and not script.leads_to(held.folder):
                refusal = _roll_back(script, held, temporary, new)
            if refusal is None:
                with suppress(OSError):
                    held.folder.remove(temporary)  # The replaced file.
        except BaseException:
            # An interrupt can also come right after the exchange, so the files on disk decide.
            with suppress(OSError):
                self._pending.settle(lock_key(script.canonical))
            raise
        if refusal is not None:
            self._withdraw(held.folder, temporary, pending)
            return refusal
        lost = self._pending.complete(pending, record)
        held.folder.sync()
        if lost is not None and on_lost is not None:
            on_lost(lost)
        return None

    def _withdraw(self, folder: Folder, temporary: str, pending: str) -> None:
        """Remove the traces of a write that did not happen, the record last."""
        # The temporary file first: while it may exist, its record must exist, too.
        with suppress(OSError):
            discard(folder, temporary)
            self._pending.abandon(pending)


def _roll_back(script: ScriptPath, held: _Held, temporary: str, new: bytes) -> SnippetError:
    """Restore the file that was replaced in a moved folder; return the error to report.

    A later save in the moved folder stays. Raise ``OSError``.
    """
    old, status = held.snapshot.data, held.snapshot.status
    if temporary not in held.folder.names():
        stage(held.folder, temporary, old, script.name, status)
    put_in_place(script, held.folder, temporary, new, status)
    return moved_meanwhile(script)


def _ends_as(script: ScriptPath, hash_after: str | None) -> bool:
    if hash_after is None:
        return not script.is_taken
    now = script.read()
    return isinstance(now, FileSnapshot) and content_hash(now.data) == hash_after
