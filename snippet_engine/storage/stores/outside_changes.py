"""History entries of changes that this product didn't make (docs/design/watcher.md "Entries").

Only entries are written. Each is added under the lock of its file, after dead writers are settled.
So our own write is never mistaken for another program's.
"""

from __future__ import annotations

import stat
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from snippet_engine.errors import SnippetError
from snippet_engine.source_text import content_hash
from snippet_engine.storage.files import KeptStatus
from snippet_engine.storage.os_failure import write_failed
from snippet_engine.storage.paths.project import FileSnapshot, Project, ScriptPath
from snippet_engine.storage.records.change_record import ChangeRecord, Slot
from snippet_engine.storage.records.history import CLOCK_STEP_S, History
from snippet_engine.storage.records.history_entry import HistoryEntry
from snippet_engine.storage.records.undo_order import undo_arguments
from snippet_engine.storage.records.write_record import (
    ChangedFile,
    WriteRecord,
    first_changed_line,
    new_ticket,
)
from snippet_engine.storage.state_folder import StateFolder
from snippet_engine.storage.stores.script_locks import ScriptLocks

NOT_KEPT = "its text from before is not known"
"""Why a change without a before-image can't be undone."""

MAX_LISTED = 20
_LOCK_TIMEOUT_MS = 500
OUTSIDE = "outside"
"""The ``source`` of a change whose maker is unknown."""


@dataclass(frozen=True, slots=True)
class Maker:
    """Who made a change: the ``source`` of its entry, and the session of that program."""

    source: str = OUTSIDE
    session: str | None = None


@dataclass(frozen=True, slots=True)
class KnownText:
    """A script's content at the last look: the hash, and the bytes if they are kept."""

    hash: str | None
    """``None`` if the file didn't exist."""
    data: bytes | None = None
    status: KeptStatus | None = None
    seen_s: float = 0.0
    """When the script was looked at, in seconds since the epoch."""


@dataclass(frozen=True, slots=True)
class FoundChange:
    """A script's present content."""

    script: ScriptPath
    before: KnownText
    snapshot: FileSnapshot | None
    """``None`` if the file is gone."""
    noted: KnownText | None = None
    """An intermediate text that was seen in the script."""
    entry: HistoryEntry | None = None
    undo: Mapping[str, str] | None = None
    own_on_top: bytes | None = None
    """The change's result, if our own later writes came on top of it."""

    @property
    def after(self) -> bytes | None:
        """Return the change's result; ``None`` if the script is gone."""
        if self.own_on_top is not None:
            return self.own_on_top
        if self.noted is not None:
            return self.noted.data
        return None if self.snapshot is None else self.snapshot.data


class OutsideChanges:
    """Adds entries to the history of one project. Thread-safe."""

    def __init__(self, project: Project) -> None:
        state = StateFolder(project.root)
        self._history = History(state)
        self._locks = ScriptLocks(project, state, self._history, _LOCK_TIMEOUT_MS)

    def sweep(self) -> None:
        """Remove the remains of an entry that a killed process was adding."""
        with suppress(OSError):
            self._history.sweep_outside()

    def found(
        self,
        script: ScriptPath,
        before: KnownText,
        made: Callable[[float], tuple[Sequence[KnownText], Maker]],
    ) -> list[FoundChange] | SnippetError:
        """Add the entries of a script that differs from ``before``; return its steps until now.

        ``made`` gets the time when the script was read. It returns the texts that the script had in
        between, as far as seen, and the last step's maker; earlier makers are unknown. A step gets
        no entry if a recorded write, or an undo, made it. Errors: ``busy``; why the script can't be
        read; ``write_failed``.
        """
        try:
            with self._locks.held([script]) as refused:
                if refused is not None:
                    return refused
                now = _read(script)
                if isinstance(now, SnippetError):
                    return now
                steps: list[FoundChange] = []
                noted, maker = made(time.time())
                for each in noted:
                    is_same = each.hash == before.hash
                    if is_same or not self._wrote_since(script.canonical, each.seen_s):
                        found = FoundChange(script, before, None, each)
                        steps.append(self._step(found, each.hash, Maker()))
                        before = each
                after = None if now is None else content_hash(now.data)
                steps.append(self._step(FoundChange(script, before, now), after, maker))
                return steps
        except OSError as error:
            return write_failed(error, f"Recording the change of {script.relative}")

    def _step(self, found: FoundChange, after: str | None, maker: Maker) -> FoundChange:
        path, before = found.script.canonical, found.before
        if after == before.hash:
            return found
        if self.is_own(path, after, before.seen_s):
            return self._under_own(found, maker)
        found = replace(found, before=self._really_before(found.script, before))
        entry, undo = self._add(found, after, maker)
        return replace(found, entry=entry, undo=undo)

    def _wrote_since(self, path: str, seen_s: float) -> bool:
        """Return whether we wrote since ``seen_s``: a text seen since then may be our own."""
        for entry, _, _ in self._history.steps_of(path):
            if entry.time_s <= seen_s:
                break
            if not entry.is_outside:
                return True
        undone = self._history.undone_to(path)
        return undone is not None and undone[0] > seen_s

    def is_own(self, path: str, after: str | None, seen_s: float) -> bool:
        """Return whether a recorded change, or an undo, left the file as it is now.

        Only the newest change counts, and only if it was recorded after ``seen_s``, when the file
        had another text. After an older change, other programs may have changed the file without an
        entry.
        """
        newest = next(self._history.steps_of(path), None)
        if newest is not None and newest[2] == after and _is_since(newest[0], seen_s):
            return True
        return self._history.is_undone_to(path, after)

    def seen(self, path: str, now: str | None, at_s: float) -> None:
        """Remove the marks of an undo to the hash ``now``, and of undos before ``at_s``."""
        self._history.forget_undone(path, now)
        self._history.forget_older_undone(path, at_s)

    def _under_own(self, found: FoundChange, maker: Maker) -> FoundChange:
        """Return ``found``, with an added entry if a change came before our own writes."""
        path, before = found.script.canonical, found.before
        first, was = None, None
        for entry, old, new in self._history.steps_of(path):
            if entry.is_outside or not _is_since(entry, before.seen_s) or old is None:
                break
            if first is not None and new != was:
                break
            first, was = entry, old
            if was == before.hash and _is_unclear(entry, before.seen_s):
                break
        if first is None or was is None or was == before.hash:
            return found
        if self._history.is_undone_to(path, was):
            return found  # our own undo left the text that the first of our writes replaced
        image = self._history.image(first, path)
        if image is None or before.hash is None or before.data is None:
            return found
        write = _write(path, before, was, image, maker)
        entry = self._history.add_outside(write, below=first)
        return replace(found, entry=entry, undo=undo_arguments(None, write.files), own_on_top=image)

    def _really_before(self, script: ScriptPath, before: KnownText) -> KnownText:
        """Return the content before the change: our own write or undo may have come first."""
        found, since_s = before, before.seen_s
        newest = next(self._history.steps_of(script.canonical), None)
        if newest is not None and newest[2] != before.hash:
            entry, old, left = newest
            may_be_older = _is_unclear(entry, since_s) and old != before.hash
            if _is_since(entry, since_s) and not may_be_older:
                found, since_s = KnownText(left), entry.time_s
        undone = self._history.undone_to(script.canonical)
        if undone is not None:
            time_s, hashed, text = undone
            self._history.forget_undone(script.canonical, hashed)
            if found is before or time_s + CLOCK_STEP_S >= since_s:
                found = KnownText(hashed, text, before.status)
        return found

    def _add(
        self, found: FoundChange, after: str | None, maker: Maker
    ) -> tuple[HistoryEntry, Mapping[str, str] | None]:
        path, before = found.script.canonical, found.before
        if before.hash is not None and before.data is None:
            files = [(path, before.hash, after)]
            return self.found_many(files, NOT_KEPT, maker), None
        line = first_changed_line(before.data, found.after)
        if before.hash is not None and after is not None:
            assert found.after is not None
            write = _write(path, before, after, found.after, maker)
            return self._history.add_outside(write), undo_arguments(None, write.files)
        had_meta = before.hash is None and _has_old_meta(found)
        file = ChangedFile(path, None, before.hash, after, line, had_meta)
        slot = Slot(0, path, False, before.hash, after, before.data, before.status)
        record = _set_of((file,), maker, slots=(slot,))
        return self._history.add_outside(record), undo_arguments(record.ticket, (file,))

    def found_many(
        self, changes: Sequence[tuple[str, str | None, str | None]], why: str, maker: Maker
    ) -> HistoryEntry:
        """Add one entry for many changes: canonical paths, and hashes before and after.

        ``why`` says why they can't be undone here. Raise ``OSError``.
        """
        files = tuple(
            ChangedFile(path, None, before, after) for path, before, after in changes[:MAX_LISTED]
        )
        record = replace(_set_of(files, maker), no_undo=why, count=len(changes))
        return self._history.add_outside(record)

    def attribute(self, entry: HistoryEntry, maker: Maker) -> HistoryEntry:
        """Add the maker of a change to its entry; return the entry. Raise ``OSError``."""
        return self._history.attribute(entry, maker.source, maker.session)


def _is_since(entry: HistoryEntry, seen_s: float) -> bool:
    """Return whether an entry was, or may have been, added since the file was seen."""
    return entry.time_s >= seen_s or _is_unclear(entry, seen_s)


def _is_unclear(entry: HistoryEntry, seen_s: float) -> bool:
    """Return whether either time lies in the future.

    Then the clock was set back, and the two can't be compared.
    """
    return max(entry.time_s, seen_s) > time.time() + CLOCK_STEP_S


def _write(path: str, before: KnownText, after: str, data: bytes, maker: Maker) -> WriteRecord:
    assert before.hash is not None
    return WriteRecord(
        path,
        new_ticket(),
        before=before.hash,
        after=after,
        image=before.data,
        first_line=first_changed_line(before.data, data),
        source=maker.source,
        session=maker.session,
    )


def _set_of(
    files: tuple[ChangedFile, ...], maker: Maker, slots: tuple[Slot, ...] = ()
) -> ChangeRecord:
    now = max(0.0, time.time())  # A clock that was never set may be before 1970.
    ticket = new_ticket()
    return ChangeRecord(ticket, now, None, files, slots, source=maker.source, session=maker.session)


def _read(script: ScriptPath) -> FileSnapshot | SnippetError | None:
    """Return the script as it is; ``None`` if no file has its path."""
    now = script.read()
    return None if isinstance(now, SnippetError) and is_gone(script) else now


def is_gone(script: ScriptPath) -> bool:
    """Return whether no file has the script's path; a link or a folder doesn't count."""
    try:
        return not stat.S_ISREG(script.lstat().st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False


def _has_old_meta(found: FoundChange) -> bool:
    """Return whether a new script's ``.meta`` is older than the script, and so another file's."""
    try:
        meta = found.script.meta.lstat()
    except OSError:
        return False
    if found.snapshot is None:
        return True  # The script was changed since, so its time of creation is unknown.
    return meta.st_mtime_ns < found.snapshot.status.st_mtime_ns
