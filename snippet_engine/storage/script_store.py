"""Writing a script: all of the new content or none, undoable, one writer at a time.

Implements docs/design/engine.md §5 and laws 2, 3, 5 and 6 of §10. The steps of a write, and
what a death of the process (or a power cut, where it matters) right after each would leave:

1. lock the file; clean up after a dead writer of it; compare its bytes with those expected.
2. store the record with the before-image in ``pending``, fsync: the record, removed later.
3. write the temporary file, fsync: the record, which leads to the file; both removed later.
4. compare again, since people save without asking for our lock; then exchange the two files'
   names: the new content, and a record that becomes the history entry at the next look.
   What was replaced has the temporary name now. If it isn't what was compared, somebody saved
   in that instant: the names are exchanged back. (Where names can't be exchanged, it is renamed
   over the target.)
5. rename the record into ``history``: the finished write.
6. fsync the target's folder, so that what was reported as applied survives a power cut.

Three fsyncs: without the one of step 2 a power cut could take the before-image of a write
that it spared; without the others the write itself would not be sure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from snippet_engine.errors import ErrorCode, SnippetError
from snippet_engine.source_text import MAX_FILE_BYTES, content_hash
from snippet_engine.storage.atomic_write import discard, follow, stage, temporary_name
from snippet_engine.storage.folder import FileTooLargeError, Folder, NotARegularFileError
from snippet_engine.storage.history import DEFAULT_MAX_BYTES, DEFAULT_MAX_ENTRIES, History
from snippet_engine.storage.leftovers import PendingWrites, lock_script
from snippet_engine.storage.os_failure import write_failed
from snippet_engine.storage.project import FileSnapshot, Project, ScriptPath
from snippet_engine.storage.request_path import shown
from snippet_engine.storage.state_folder import StateFolder, lock_key
from snippet_engine.storage.write_record import WriteRecord, new_ticket

DEFAULT_LOCK_TIMEOUT_MS = 2000

_MAX_LISTED_HASHES = 10
_MAX_EARLIER = 8
"""Earlier contents of a script that are read at most."""
_MAX_EARLIER_BYTES = 4 * 1024 * 1024
"""What they may have in all."""
_MAX_EXCHANGES = 100
"""How often in a row somebody may save between two exchanges until we stop."""


@dataclass(frozen=True, slots=True)
class Undone:
    """A write taken back: the bytes that the file had, and those that it has again."""

    replaced: bytes
    restored: bytes


Announce = Callable[[Undone, str], SnippetError | None]
"""Is told of an undo before it is done, and of the name of the history entry that it takes back."""


@dataclass(frozen=True, slots=True)
class _Held:
    """A script whose lock is held and whose folder is open, with its bytes of that moment."""

    folder: Folder
    snapshot: FileSnapshot


class ScriptStore:
    """Writes scripts of one project. Holds nothing open between calls; may be shared.

    ``lock_timeout_ms`` is how long a write waits for another one of the same file;
    ``history_bytes`` and ``history_entries`` bound the before-images of the whole project.
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
        self._pending = PendingWrites(project, self._state, self._history)
        self._lock_timeout_ms = lock_timeout_ms

    def recover(self) -> list[str]:
        """Remove what dead processes left; to be called once when a process starts.

        Touches nothing of a live process. Returns the relative paths of the files removed.
        """
        return self._pending.recover()

    def apply(
        self, script: ScriptPath, expected: bytes, new: bytes, *, ticket: str | None = None
    ) -> SnippetError | None:
        """Replace the script's bytes ``expected`` by ``new``; ``None`` when that is done.

        ``ticket`` names the write to :meth:`has_landed`.

        Errors, each with the file as it was: ``stale_file`` when it has other bytes,
        ``file_not_found`` when it is gone, ``path_not_allowed`` when it or a folder on the way
        became something else, ``read_only``, ``file_too_large`` for ``new``, ``busy``,
        ``write_failed``.
        """
        if len(new) > MAX_FILE_BYTES:
            # Such a file could be neither edited nor undone afterwards.
            return SnippetError(
                ErrorCode.FILE_TOO_LARGE,
                f"After the edit {shown(script.relative)} would have {len(new):,} bytes; "
                f"the limit is {MAX_FILE_BYTES:,}.",
                details={"bytes": len(new), "limit": MAX_FILE_BYTES},
            )
        try:
            with self._held(script) as held:
                if isinstance(held, SnippetError):
                    return held
                # Bytes with bytes: what was judged is what may be replaced, nothing that merely
                # looks like it.
                if held.snapshot.data != expected:
                    return _stale(script, content_hash(expected), held.snapshot.data)
                record = WriteRecord(
                    script.canonical,
                    ticket or new_ticket(),
                    before=content_hash(expected),
                    after=content_hash(new),
                    image=expected,
                )
                return self._write(script, held, record, new)
        except OSError as error:
            return write_failed(error, f"Writing {shown(script.relative)}")

    def earlier(self, script: ScriptPath) -> Iterator[bytes]:
        """What the script held before each of its writes, newest first, as far as it is kept.

        Bounded in number and size. Entries that are damaged, or gone meanwhile, are passed over.
        """
        room = _MAX_EARLIER_BYTES
        for entry in reversed(self._history.of(script.canonical)[-_MAX_EARLIER:]):
            room -= entry.size
            if room < 0:
                return
            record = self._history.read(entry, script.canonical)
            if record is not None and record.image is not None:
                yield record.image

    def undo(
        self,
        script: ScriptPath,
        hash_after: str,
        *,
        ticket: str | None = None,
        announce: Announce | None = None,
    ) -> Undone | SnippetError:
        """Take the last write back that gave the script the hash ``hash_after``.

        ``announce`` is told what will be done right before it is, and which history entry will be
        gone then; what it returns instead of ``None`` is the answer, with nothing done. With
        ``ticket`` and that entry :meth:`has_landed` tells whether it was.

        Errors as :meth:`apply`; ``stale_file`` when the file has another hash by now, with the
        hashes that can be undone one after the other in ``details["undoable"]``, and
        ``invalid_request`` when no before-image is kept for it, or only a damaged one.
        """
        try:
            with self._held(script) as held:
                if isinstance(held, SnippetError):
                    return held
                current = held.snapshot.data
                if content_hash(current) != hash_after:
                    return self._not_that_hash(script, hash_after, content_hash(current))
                # The same content may have been reached more than once; where its latest way there
                # came from is what the caller of undo saw last.
                entries = [
                    entry
                    for entry in self._history.of(script.canonical)
                    if entry.after == hash_after
                ]
                if not entries:
                    return self._not_undoable(
                        script,
                        "no before-image is kept for this hash; it was pruned, or the "
                        "change was not made here",
                    )
                # The latest or none: an older before-image is a text that was not there right
                # before.
                kept = self._history.read(entries[-1], script.canonical)
                if kept is None or kept.image is None:
                    return self._not_undoable(script, "the before-image is damaged")
                # An undo is a write like any other, with the same steps against crashes. It has no
                # image: it takes its entry out of the history, and puts none in.
                undone = Undone(replaced=current, restored=kept.image)
                refused = announce(undone, entries[-1].name) if announce is not None else None
                if refused is not None:
                    return refused
                record = WriteRecord(
                    script.canonical,
                    ticket or new_ticket(),
                    before=hash_after,
                    after=kept.before,
                    image=None,
                    consumes=entries[-1].name,
                )
                failure = self._write(script, held, record, kept.image)
                return failure or undone
        except OSError as error:
            return write_failed(error, f"Restoring {shown(script.relative)}")

    def has_landed(
        self, script: ScriptPath, ticket: str, hash_after: str, takes_back: str = ""
    ) -> bool | SnippetError:
        """Whether the write with that ticket happened, told after its writer died.

        It did if it has an entry in the history, or if the file has the content that it was
        to give. An undo did, too, if the entry that it ``takes_back`` is gone. Errors: ``busy``,
        ``write_failed``.
        """
        try:
            # Under the lock, so that nobody is in the middle of the write that is asked about.
            lock = lock_script(self._state, lock_key(script.canonical), self._lock_timeout_ms)
            if lock is None:
                return _busy(script)
            with lock:
                self._pending.settle(lock_key(script.canonical))
                # The history alone won't do: it is bounded, and the entry may have been pruned.
                if self._history.has_ticket(ticket):
                    return True
                # What an undo gave may have been changed since, even to what it took back.
                if takes_back and not self._history.has(takes_back):
                    return True
                now = script.read()
                return isinstance(now, FileSnapshot) and content_hash(now.data) == hash_after
        except OSError as error:
            return write_failed(error, f"Looking up the state of {shown(script.relative)}")

    @contextmanager
    def _held(self, script: ScriptPath) -> Iterator[_Held | SnippetError]:
        """The script, locked, cleaned up, open and read; or why not."""
        key = lock_key(script.canonical)
        lock = lock_script(self._state, key, self._lock_timeout_ms)
        if lock is None:
            yield _busy(script)
            return
        with lock:
            # Before reading: a dead writer may have got as far as the rename without an entry, and
            # the history has to be complete before another write is put on top.
            self._pending.settle(key)
            try:
                # From here on the script is a name in an open folder. A path could lead elsewhere
                # by the time of the rename, if a folder on the way became a link.
                folder = script.open_folder()
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
        self, script: ScriptPath, held: _Held, record: WriteRecord, new: bytes
    ) -> SnippetError | None:
        """Steps 2 to 6. Raises ``OSError`` only with the file as it was."""
        # All that can fail, for want of a folder or of space, comes before the rename. After it the
        # edit has happened, and nothing may make it look as if it hadn't.
        self._history.prepare()
        pending = self._pending.begin(record)
        temporary = temporary_name(script.name, record.ticket)
        try:
            stage(held.folder, temporary, new, script.name, held.snapshot.status)
            # As late as can be: staging took two fsyncs, in which people and other tools save.
            refusal = _put_in_place(script, held, temporary)
        except BaseException:
            # An interrupt can come right after the exchange, too: what is on disk decides.
            self._pending.settle(lock_key(script.canonical))
            raise
        if refusal is not None:
            self._withdraw(held.folder, temporary, pending)
            return refusal
        self._pending.complete(pending, record)
        held.folder.sync()
        return None

    def _withdraw(self, folder: Folder, temporary: str, pending: str) -> None:
        """Remove the traces of a write that did not happen; keep the record if one stays."""
        # The temporary file first: as long as it may be there, the record that leads to it has to
        # be.
        with suppress(OSError):
            discard(folder, temporary)
            self._pending.abandon(pending)

    def _not_undoable(self, script: ScriptPath, why: str) -> SnippetError:
        return SnippetError(
            ErrorCode.INVALID_REQUEST,
            f"{shown(script.relative)} can't be undone: {why}. Nothing was changed.",
            details={"undoable": []},
        )

    def _not_that_hash(self, script: ScriptPath, wanted: str, current: str) -> SnippetError:
        """``stale_file`` for an undo: which applies to undo instead or before, in that order."""
        path = shown(script.relative)
        chain = self._undoable(script, current)
        undone_by = chain.index(wanted) if wanted in chain else None
        chain = chain[: (undone_by or 0) + 1]
        if undone_by is not None:
            steps = f"the {undone_by} newer ones" if undone_by > 1 else "the newer one"
            message = (
                f"{path} was edited again after that apply. Undo {steps} first, the newest one at "
                "the beginning. In this order:"
            )
        elif chain:
            message = (
                f"{path} doesn't have that hash now. To undo its newest apply, "
                f"send hashAfter {chain[0]}."
            )
        else:
            message = (
                f"{path} doesn't have that hash: something else than an apply changed it since, "
                "and undo would lose that. Edit it by hand, or with edit_snippet."
            )
        return SnippetError(
            ErrorCode.STALE_FILE,
            message,
            details={"expectedHash": wanted, "currentHash": current, "undoable": chain},
        )

    def _undoable(self, script: ScriptPath, current: str) -> list[str]:
        """The hashes that undo takes one after the other, beginning with the file's own."""
        latest = {entry.after: entry for entry in self._history.of(script.canonical)}
        chain: list[str] = []
        while current in latest and current not in chain and len(chain) < _MAX_LISTED_HASHES:
            record = self._history.read(latest[current], script.canonical)
            if record is None:
                break
            chain.append(current)
            current = record.before
        return chain


def _put_in_place(script: ScriptPath, held: _Held, temporary: str) -> SnippetError | None:
    """Step 4. A refusal leaves whatever the script has become meanwhile where it is."""
    folder, compared = held.folder, held.snapshot
    now = script.read_in(folder)
    if isinstance(now, SnippetError):
        return now
    # Not times or inodes: a save can keep the one and a mount lie about the other.
    if now.data != compared.data:
        return _stale(script, content_hash(compared.data), now.data)
    refusal = script.refuse_read_only(now.status)
    if refusal is not None:
        return refusal
    follow(folder, temporary, compared.status, now.status)
    ours = _identity(folder, temporary)
    try:
        exchanged = folder.exchange(temporary, script.name)
    except FileNotFoundError as error:
        return script.unreadable(error)
    if not exchanged:
        folder.replace(temporary, script.name)
        return None
    try:
        replaced = folder.read(temporary, MAX_FILE_BYTES)
    except (NotARegularFileError, FileTooLargeError):
        replaced = None
    except BaseException:
        _put_back(folder, temporary, script.name, ours)
        raise
    if replaced is not None and replaced[0] == compared.data:
        with suppress(OSError):
            follow(folder, script.name, now.status, replaced[1])
            folder.remove(temporary)
        return None
    _put_back(folder, temporary, script.name, ours)
    after = script.read_in(folder)
    if isinstance(after, SnippetError):
        return after
    return _stale(script, content_hash(compared.data), after.data)


def _put_back(folder: Folder, temporary: str, name: str, ours: _Identity) -> None:
    """Give the file that somebody else saved its name back, and the newest if there are several.

    ``temporary`` is what was replaced, ``name`` what we wrote. If that isn't what comes back, it
    has been saved over once more: then what comes back is the newest, and is put back in its turn.
    """
    expected = ours
    for _ in range(_MAX_EXCHANGES):
        put_back = _identity(folder, temporary)
        folder.exchange(temporary, name)
        if _identity(folder, temporary) == expected:
            return
        expected = put_back


_Identity = tuple[int, int, int]


def _identity(folder: Folder, name: str) -> _Identity:
    """Which file it is, and as last written. Raises ``OSError``."""
    status = folder.status(name)
    return status.st_ino, status.st_size, status.st_mtime_ns


def _busy(script: ScriptPath) -> SnippetError:
    return SnippetError(
        ErrorCode.BUSY,
        f"{shown(script.relative)} is being written by another request. Send this one again.",
    )


def _stale(script: ScriptPath, expected_hash: str, current: bytes) -> SnippetError:
    current_hash = content_hash(current)
    return SnippetError(
        ErrorCode.STALE_FILE,
        f"{shown(script.relative)} changed since it was read; nothing was overwritten. "
        "Read it again, then send the edit for its present text.",
        details={"expectedHash": expected_hash, "currentHash": current_hash},
    )
