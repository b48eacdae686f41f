"""Lock scripts: one writer at a time, after recovery from dead writers (docs/design/engine.md §5).

Locks are taken in the order of their names, so overlapping sets never wait for each other forever.
A dead change set needs the locks of all its files, so the held locks are released first.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from time import monotonic

from snippet_engine import budget
from snippet_engine.errors import ErrorCode, SnippetError, show
from snippet_engine.storage.change_sets.change_journal import ChangeJournal
from snippet_engine.storage.change_sets.open_change import Settled
from snippet_engine.storage.paths.project import Project, ScriptPath
from snippet_engine.storage.records.history import History
from snippet_engine.storage.recovery.pending_writes import PART, PendingWrites
from snippet_engine.storage.recovery.temporary_files import TemporaryFiles
from snippet_engine.storage.recovery.unfinished import UnderWayError, UnfinishedError
from snippet_engine.storage.state_folder import StateFolder, lock_key
from snippet_engine.storage.system.file_lock import HeldLock, acquire, allow_open_files

_FILES_EACH = 2
"""How many files are open for each file of a set: its lock, and its folder."""

_MOST_REMOVALS = 8
"""How often the locks are taken again because their folder was removed meanwhile."""


@dataclass(frozen=True, slots=True)
class Recovery:
    """The result of recovering from dead writers."""

    removed: list[str] = field(default_factory=list)
    """Temporary files of single writes."""
    settled: list[Settled] = field(default_factory=list)
    waiting: list[UnfinishedError] = field(default_factory=list)
    under_way: list[UnderWayError] = field(default_factory=list)
    """The writes in progress, whose writers are alive."""

    @contextmanager
    def noting(self) -> Iterator[None]:
        """Collect the writes that still wait; other failures are left for the next time."""
        try:
            yield
        except UnfinishedError as error:
            self.waiting.append(error)
        except OSError:
            pass


class ScriptLocks:
    """The locks of a project's scripts. A write waits for all its locks at most ``timeout_ms``."""

    def __init__(
        self, project: Project, state: StateFolder, history: History, timeout_ms: int
    ) -> None:
        self.pending = PendingWrites(project, state, history)
        self.changes = ChangeJournal(project, state, history)
        self._project = project
        self._state = state
        self._timeout_ms = timeout_ms

    @contextmanager
    def held(self, scripts: Collection[ScriptPath]) -> Iterator[SnippetError | None]:
        """Hold the scripts' locks, after settling the remains of dead writers.

        If a lock isn't free in time, yield ``busy`` and hold none. Raise :class:`.UnfinishedError`
        if something can't be settled.
        """
        by_key = {lock_key(script.canonical): script for script in scripts}
        allow_open_files(_FILES_EACH * len(by_key))
        deadline = monotonic() + budget.patience_ms(self._timeout_ms) / 1000
        while True:
            with ExitStack() as stack:
                lacking = self._lock(sorted(by_key), deadline, stack)
                if lacking is not None:
                    yield _busy(by_key[lacking])
                    return
                # A set's writer holds the locks of all its files, so this set's is dead.
                records = self._state.names(PART)
                dead = self.changes.records.touching(by_key, records)
                found = TemporaryFiles(self._project)
                if not dead:
                    for key in by_key if records else ():
                        self.pending.settle(key, found)
                    yield None
                    return
            for name in dead:
                with self._all_of(name, deadline) as is_held:
                    if is_held:
                        self._settle(name, found)
            if monotonic() >= deadline:
                yield _busy(next(iter(by_key.values())))
                return

    def records(self) -> list[str]:
        """Return the names of the records of all unfinished writes, of live and dead writers."""
        return sorted([*self.pending.names(), *self.changes.records.names()])

    def _settle(self, name: str, temporary_files: TemporaryFiles) -> Settled | None:
        """Finish a dead writer's set, even if the call is stopped; note it for the answer."""
        with budget.to_its_end():
            ended = self.changes.settle(name, temporary_files)
            if ended is not None:
                budget.note(ended.note)
            return ended

    def look(self) -> Recovery:
        """Return what :meth:`recover` would find. Writes nothing.

        Raise :class:`.UnusableStateError`.
        """
        self._state.look(PART)
        found, temporary_files = Recovery(), TemporaryFiles(self._project)
        for key in sorted(self.pending.keys()):
            with found.noting(), self._free((key,)) as is_free:
                if is_free:
                    found.waiting.extend(self.pending.unfinished(key, temporary_files))
                else:
                    found.under_way.extend(self.pending.under_way(key))
        for name in self.changes.records.names():
            with found.noting(), self._free(self.changes.records.lock_keys(name)) as is_free:
                writing = None if is_free else self.changes.records.under_way(name)
                if writing is not None:
                    found.under_way.append(writing)
                elif is_free:
                    self.changes.look(name, temporary_files)
        return found

    @contextmanager
    def _free(self, keys: Sequence[str]) -> Iterator[bool]:
        with ExitStack() as stack:
            for key in keys:
                # Nobody holds a missing lock, and a search that only reads creates none.
                with suppress(FileNotFoundError, NotADirectoryError):
                    self._state.path("locks", f"{key}.lock").stat()
                    lock = self._lock_one(key, 0)
                    if lock is None:
                        yield False
                        return
                    stack.enter_context(lock)
            yield True

    def recover(self, keys: Collection[str] = ()) -> Recovery:
        """Clean up after all dead writers; live ones hold their locks and are left alone.

        Waits for sets in progress that need one of the lock ``keys``, as long as for a lock.
        """
        found, temporary_files = Recovery(), TemporaryFiles(self._project)
        deadline = monotonic() + budget.patience_ms(self._timeout_ms) / 1000
        for key in sorted(self.pending.keys()):
            with found.noting():
                self._state.ensure("locks")
                lock = self._lock_one(key, 0)
                if lock is None:
                    found.under_way.extend(self.pending.under_way(key))
                else:
                    with lock:
                        found.removed.extend(self.pending.settle(key, temporary_files))
        for name in self.changes.records.names():
            is_near = not set(keys).isdisjoint(self.changes.records.lock_keys(name))
            with found.noting(), self._all_of(name, deadline if is_near else 0) as is_held:
                ended = self._settle(name, temporary_files) if is_held else None
                writing = None if is_held else self.changes.records.under_way(name)
                if writing is not None:
                    found.under_way.append(writing)
                if ended is not None:
                    found.settled.append(ended)
        return found

    @contextmanager
    def _all_of(self, name: str, deadline: float) -> Iterator[bool]:
        with ExitStack() as stack:
            keys = self.changes.records.lock_keys(name)
            allow_open_files(_FILES_EACH * len(keys))
            yield (
                self._lock(keys, deadline, stack) is None
                # The record may have been completed meanwhile: an incomplete one shows fewer keys.
                and self.changes.records.lock_keys(name) == keys
            )

    def _lock(self, keys: Sequence[str], deadline: float, stack: ExitStack) -> str | None:
        """Take the locks in this order; return the first that wasn't free in time.

        Start again if somebody removes ``Library`` meanwhile: locks taken before then have no
        effect.
        """
        for attempt in range(_MOST_REMOVALS):
            with ExitStack() as taken:
                try:
                    lacking = self._lock_once(keys, deadline, taken)
                except (FileNotFoundError, NotADirectoryError):
                    if attempt == _MOST_REMOVALS - 1:
                        raise
                    continue
                stack.push(taken.pop_all())
                return lacking
        raise AssertionError("the last attempt returns or raises")

    def _lock_once(self, keys: Sequence[str], deadline: float, stack: ExitStack) -> str | None:
        self._state.ensure("locks")
        for key in keys:
            remaining_ms = max(0, round((deadline - monotonic()) * 1000))
            lock = self._lock_one(key, remaining_ms)
            if lock is None:
                return key
            stack.enter_context(lock)
        return None

    def _lock_one(self, key: str, timeout_ms: int) -> HeldLock | None:
        return acquire(self._state.file("locks", f"{key}.lock"), timeout_ms)


def _busy(script: ScriptPath) -> SnippetError:
    return SnippetError(
        ErrorCode.BUSY,
        f"{show(script.relative)} is being written by another request. Send this one again.",
    )
