"""Requests with a ``client_request_id``: each is applied once, however often it is sent.

Implements docs/design/engine.md §5 ``client_request_id``. A process holds a request's lock while it
works on the request. If the process died before it announced the write, the request never happened.
If it died later, the script and its history show whether the write happened
(:meth:`.ScriptStore.have_landed`). A failed request is forgotten. Records are not synced: they
survive the process, not a power cut.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from math import inf
from operator import itemgetter
from typing import Any, Literal, Self

from snippet_engine import budget
from snippet_engine.errors import ErrorCode, SnippetError
from snippet_engine.source_text import content_hash
from snippet_engine.storage.change_sets.change_plan import FileChange
from snippet_engine.storage.os_failure import write_failed
from snippet_engine.storage.paths.project import Project, ScriptPath
from snippet_engine.storage.records.write_record import new_ticket
from snippet_engine.storage.state_folder import StateFolder
from snippet_engine.storage.stores.script_store import ScriptStore
from snippet_engine.storage.system.file_lock import HeldLock, acquire
from snippet_engine.storage.system.plain_file import read_plain
from snippet_engine.storage.system.replace_file import replace_file

PART = "requests"

DEFAULT_LIFETIME_S = 600.0
DEFAULT_MAX_RECORDS = 1024
DEFAULT_LOCK_TIMEOUT_MS = 2000

_TALLY = "log.tally"
_NAME = re.compile(r"([0-9a-f]{32})\.(json|json\.new|lock)")
_LOG_LOCK = "log.lock"


@dataclass(frozen=True, slots=True)
class Replay:
    """The result of a request that was applied before, without ``"replayed"``."""

    result: dict[str, Any]


@dataclass(frozen=True, slots=True)
class RequestRecord:
    """The record of one request."""

    state: Literal["running", "committing", "done"]
    digest: str
    result: Mapping[str, Any] = field(default_factory=dict)
    ticket: str = ""
    takes_back: str = ""
    """The history entry that an announced undo removes."""
    ends: Mapping[str, str | None] = field(default_factory=dict)
    """The final hash of each path once the write is announced; ``None`` for a deleted file."""

    def encode(self, time_s: float) -> bytes:
        """Return the record as JSON, with the time of writing."""
        return json.dumps({"time": time_s, **asdict(self)}).encode()

    @classmethod
    def decode(cls, data: bytes) -> tuple[RequestRecord, float] | None:
        """Return the record and its time; ``None`` if ``data`` is damaged."""
        try:
            body = json.loads(data)
            time_s = float(body.pop("time"))
            record = cls(**body)
        except (ValueError, RecursionError, TypeError, KeyError, AttributeError):
            return None
        texts = (record.digest, record.ticket, record.takes_back)
        if not all(isinstance(each, str) for each in texts):
            return None
        if not isinstance(record.result, dict) or not _are_ends(record.ends):
            return None
        return (record, time_s) if record.state in ("running", "committing", "done") else None


class Claim:
    """The right to work on a request. A context manager.

    Announce the write with :meth:`committing`, report success with :meth:`finish`. Without
    :meth:`finish` the claim is dropped. One exception: if an error ends the block after the
    announcement, the script and its history decide next time.
    """

    def __init__(self, log: RequestLog, key: str, digest: str, lock: HeldLock) -> None:
        self.ticket = new_ticket()
        """The ticket to pass to :meth:`.ScriptStore.apply` or :meth:`.ScriptStore.undo`."""
        self._log = log
        self._key = key
        self._digest = digest
        self._lock = lock
        self._announced: RequestRecord | None = None
        self._is_open = False
        self._finished = False

    def committing(
        self,
        script: ScriptPath,
        hash_after: str,
        result: Mapping[str, Any],
        takes_back: str = "",
    ) -> SnippetError | None:
        """Announce the write, right before it. Error: ``write_failed``; then don't write.

        ``takes_back`` is the history entry that an undo reverts.
        """
        return self._announce({script.canonical: hash_after}, result, takes_back)

    def committing_change(
        self,
        changes: Sequence[FileChange],
        result: Mapping[str, Any],
        takes_back: str = "",
    ) -> SnippetError | None:
        """Announce the write of a change set, as :meth:`committing` does."""
        ends: dict[str, str | None] = {}
        for change in changes:
            if change.target is not None:
                ends[change.script.canonical] = None
            after = change.after
            ends[change.place.canonical] = None if after is None else content_hash(after)
        return self._announce(ends, result, takes_back)

    def _announce(
        self, ends: Mapping[str, str | None], result: Mapping[str, Any], takes_back: str
    ) -> SnippetError | None:
        record = RequestRecord("committing", self._digest, result, self.ticket, takes_back, ends)
        try:
            self._log.store(self._key, record)
        except OSError as error:
            return write_failed(error, "Keeping the record of the request")
        self._announced = record
        return None

    def finish(self, result: Mapping[str, Any]) -> None:
        """Store ``result`` (JSON-ready) of the successful request, for repeated ones."""
        # If this fails, the announcement on disk leads to the same answer.
        with suppress(OSError):
            announced = self._announced or RequestRecord("done", self._digest)
            self._log.store(self._key, replace(announced, state="done", result=result))
        self._finished = True

    def leave_open(self) -> None:
        """Leave the outcome to the next request: the write was begun but not finished."""
        self._is_open = True

    def __enter__(self) -> Self:
        return self

    def __exit__(self, exception_type: type[BaseException] | None, *_: object) -> None:
        try:
            is_open = self._is_open or exception_type is not None
            if not self._finished and not (self._announced and is_open):
                self._log.forget(self._key)
        finally:
            self._lock.release()


class RequestLog:
    """The requests of one project in the last ``lifetime_s`` seconds, ``max_records`` at most.

    ``clock`` returns the time in seconds, the same for all processes (as ``time.time``).
    """

    def __init__(
        self,
        project: Project,
        scripts: ScriptStore,
        *,
        clock: Callable[[], float] = time.time,
        lifetime_s: float = DEFAULT_LIFETIME_S,
        max_records: int = DEFAULT_MAX_RECORDS,
        lock_timeout_ms: int = DEFAULT_LOCK_TIMEOUT_MS,
    ) -> None:
        self._project = project
        self._scripts = scripts
        self._state = StateFolder(project.root)
        self._clock = clock
        self._lifetime_s = lifetime_s
        self._max_records = max_records
        self._lock_timeout_ms = lock_timeout_ms

    @property
    def is_unused(self) -> bool:
        """Return whether no request was ever stored, so that none can be a repetition."""
        return not self._state.path(PART, _LOG_LOCK).exists()

    def begin(self, client_request_id: str, request_digest: str) -> Replay | Claim | SnippetError:
        """Claim the request, or return its first result.

        ``request_digest`` is the same only for equal requests. Errors: ``duplicate_request`` while
        the request runs, and for another request with that id; ``busy``; ``write_failed``.
        """
        key = _key_of(client_request_id)
        try:
            self._state.ensure(PART)
            log_lock = acquire(
                self._state.path(PART, _LOG_LOCK), budget.patience_ms(self._lock_timeout_ms)
            )
            if log_lock is None:
                return SnippetError(ErrorCode.BUSY, "The log of requests is in use. Send it again.")
            # Locks of single requests are made and removed only under the log's lock. So no lock
            # file is removed after another process opened it and before it locks it.
            with log_lock:
                self._sweep(key)
                lock = self._lock(key)
            if lock is None:
                return _duplicate("The first request with this client_request_id still runs.")
            return self._decide(key, request_digest, lock)
        except OSError as error:
            return write_failed(error, "Keeping the record of the request")

    def amend(self, client_request_id: str, result: Mapping[str, Any] | None) -> None:
        """Store ``result`` for a request whose write was rolled back; ``None`` drops the record."""
        key = _key_of(client_request_id)
        with suppress(OSError):
            lock = self._lock(key)
            if lock is None:
                return
            with lock:
                read = self._read(key)
                if read is not None and result is None:
                    self.forget(key)
                elif read is not None:
                    self.store(key, RequestRecord("done", read[0].digest, result or {}))

    def store(self, key: str, record: RequestRecord) -> None:
        """Replace the record of a claimed request. Raises ``OSError``."""
        now = self._clock()
        new = self._state.path(PART, f"{key}.json.new")
        new.unlink(missing_ok=True)
        self._state.create(PART, new.name, record.encode(now), durable=False)
        # The sweep reads this time, and so needn't open every record.
        os.utime(new, (now, now))
        replace_file(new, self._state.path(PART, f"{key}.json"))

    def forget(self, key: str) -> None:
        """Remove the record of a claimed request."""
        with suppress(OSError):
            self._state.remove(PART, f"{key}.json")

    def _decide(self, key: str, digest: str, lock: HeldLock) -> Replay | Claim | SnippetError:
        answer: Replay | Claim | SnippetError | None = None
        try:
            answer = self._first_answer(key, digest)
            if answer is None:
                self.store(key, RequestRecord("running", digest))
                answer = Claim(self, key, digest, lock)
            return answer
        finally:
            if not isinstance(answer, Claim):
                lock.release()

    def _first_answer(self, key: str, digest: str) -> Replay | SnippetError | None:
        """Return the result of the first request; ``None`` if it never happened."""
        read = self._read(key)
        if read is None or read[0].state == "running":
            return None
        record, written_s = read
        if record.state == "committing":
            landed = self._has_landed(record)
            if isinstance(landed, SnippetError):
                return landed
            if not landed:
                return None
            self.store(key, replace(record, state="done"))
        if record.digest != digest:
            return _duplicate("This client_request_id was used for another request: send a new id.")
        if record.state == "done" and self._is_undone(record, written_s):
            return Replay({**record.result, "status": "undone", "applied": False})
        return Replay(dict(record.result))

    def _has_landed(self, record: RequestRecord) -> bool | SnippetError:
        ends = {self._project.named(path): end for path, end in record.ends.items()}
        scripts = {script: end for script, end in ends.items() if script is not None}
        if not ends or len(scripts) < len(ends):
            return False
        return self._scripts.have_landed(scripts, record.ticket, record.takes_back)

    def _is_undone(self, record: RequestRecord, written_s: float) -> bool:
        if not record.ticket or record.takes_back or self._has_landed(record) is not False:
            return False
        return self._scripts.has_kept_all_since(written_s)

    def _read(self, key: str) -> tuple[RequestRecord, float] | None:
        """Return the record and when it was written; ``None`` if missing, damaged or expired."""
        try:
            decoded = RequestRecord.decode(read_plain(self._state.path(PART, f"{key}.json")))
        except FileNotFoundError:
            return None
        if decoded is None:
            return None
        return decoded if decoded[1] + self._lifetime_s > self._clock() else None

    def _lock(self, key: str) -> HeldLock | None:
        return acquire(self._state.path(PART, f"{key}.lock"), 0)

    def _sweep(self, key: str) -> None:
        """Remove expired requests, and the oldest above the limit, but not ``key``.

        Removes more than needed, so that most requests need not look at the others.
        """
        now = self._clock()
        begun, swept = self._tally()
        if begun < self._max_records and swept <= now < swept + self._lifetime_s / 10:
            if not self._state.path(PART, f"{key}.json").exists():
                self._keep_tally(begun + 1, swept)
            return
        matches = map(_NAME.fullmatch, self._state.names(PART))
        others = {match[1] for match in matches if match and match[1] != key}
        written = {other: self._written(other) for other in others}
        surplus = len(written) + 1 - self._max_records
        if surplus > 0:
            surplus += self._max_records // 16
        removed = 0
        for other, seen in sorted(written.items(), key=itemgetter(1)):
            if surplus <= removed and seen + self._lifetime_s > now:
                break
            removed += self._remove(other, seen)
        self._keep_tally(len(written) - removed + 1, now)

    def _tally(self) -> tuple[int, float]:
        """Return the highest possible number of requests, and when they were last swept.

        Stored on disk, because a process may live for one request only.
        """
        try:
            begun, swept = read_plain(self._state.path(PART, _TALLY), 64).split()
            return int(begun), float(swept)
        except (OSError, ValueError):
            return self._max_records, 0.0

    def _keep_tally(self, begun: int, swept: float) -> None:
        self._state.overwrite(PART, _TALLY, f"{begun:20d} {swept:30.6f}".encode())

    def _written(self, key: str) -> float:
        try:
            return self._state.path(PART, f"{key}.json").stat().st_mtime
        except FileNotFoundError:
            return -inf

    def _remove(self, key: str, seen: float) -> bool:
        """Remove a request's files, unless a process works on it, or has worked since ``seen``."""
        with suppress(OSError):
            lock = self._lock(key)
            if lock is None:
                return False
            with lock:
                # It may have been begun and finished since the folder was listed.
                if self._written(key) != seen:
                    return False
                self._state.path(PART, f"{key}.json").unlink(missing_ok=True)
                self._state.path(PART, f"{key}.json.new").unlink(missing_ok=True)
            self._state.path(PART, f"{key}.lock").unlink(missing_ok=True)
            return True
        return False


def _key_of(client_request_id: str) -> str:
    return hashlib.sha256(client_request_id.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _are_ends(ends: object) -> bool:
    return isinstance(ends, dict) and all(
        end is None or isinstance(end, str) for end in ends.values()
    )


def _duplicate(message: str) -> SnippetError:
    return SnippetError(ErrorCode.DUPLICATE_REQUEST, message)
