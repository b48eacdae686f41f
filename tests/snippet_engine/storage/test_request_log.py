"""An apply happens once under one id: docs/design/engine.md §5 ``client_request_id``."""

from __future__ import annotations

import errno
import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from answered import refusal
from this_system import needs_posix

from snippet_engine.errors import ErrorCode, SnippetError
from snippet_engine.source_text import content_hash
from snippet_engine.storage.paths.project import Project, ScriptPath
from snippet_engine.storage.state_folder import StateFolder
from snippet_engine.storage.stores.request_log import Claim, Replay, RequestLog
from snippet_engine.storage.stores.script_store import ScriptStore, Undone
from snippet_engine.storage.system.file_lock import acquire

RESULT = {"status": "applied", "diff": "@@ -1 +1 @@ é", "results": [{"index": 0}]}


class Clock:
    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def log(project: Project, store: ScriptStore, clock: Clock) -> RequestLog:
    return RequestLog(project, store, clock=clock, max_records=5)


def begun(log: RequestLog, request_id: str = "id", digest: str = "digest") -> Claim:
    claim = log.begin(request_id, digest)
    assert isinstance(claim, Claim), claim
    return claim


def finished(log: RequestLog, request_id: str = "id") -> None:
    with begun(log, request_id) as claim:
        claim.finish(RESULT)


def records(root: Path) -> list[Path]:
    return sorted((root / "Library/SnippetEngine/requests").glob("*.json"))


def test_the_first_result_again(log: RequestLog, project: Project, store: ScriptStore) -> None:
    finished(log)
    assert log.begin("id", "digest") == Replay(RESULT)
    # After a restart, too.
    assert RequestLog(project, store, clock=lambda: 1_000_001.0).begin("id", "digest") == Replay(
        RESULT
    )


def test_another_request_with_the_id(log: RequestLog) -> None:
    finished(log)
    refusal(log.begin("id", "other digest"), ErrorCode.DUPLICATE_REQUEST)
    assert log.begin("id", "digest") == Replay(RESULT)


def test_while_the_first_runs(log: RequestLog, project: Project, store: ScriptStore) -> None:
    with begun(log) as claim:
        refusal(log.begin("id", "digest"), ErrorCode.DUPLICATE_REQUEST)
        refusal(log.begin("id", "other digest"), ErrorCode.DUPLICATE_REQUEST)
        refusal(RequestLog(project, store).begin("id", "digest"), ErrorCode.DUPLICATE_REQUEST)
        with begun(log, "another id"):
            pass
        claim.finish(RESULT)
        refusal(log.begin("id", "digest"), ErrorCode.DUPLICATE_REQUEST)
    assert log.begin("id", "digest") == Replay(RESULT)


def test_a_failed_request_is_forgotten(log: RequestLog, root: Path) -> None:
    with begun(log):
        pass
    assert records(root) == []
    with begun(log, digest="other digest"):
        pass
    with pytest.raises(RuntimeError), begun(log):
        raise RuntimeError
    with begun(log):
        pass


def test_a_refused_write_is_forgotten(log: RequestLog, player: ScriptPath) -> None:
    """Even if the file by now has the content that the request was to give it."""
    new = content_hash(player.real.read_bytes())
    with begun(log) as claim:
        assert claim.committing(player, new, RESULT) is None
    with begun(log):
        pass


class TestDeathDuringTheWrite:
    """The claim is dropped as a dead process drops it: its lock ends, its record stays."""

    def die(
        self, log: RequestLog, store: ScriptStore, player: ScriptPath, new: bytes, *, landed: bool
    ) -> None:
        claim = begun(log)
        assert claim.committing(player, content_hash(new), RESULT) is None
        if landed:
            old = player.real.read_bytes()
            assert store.apply(player, old, new, ticket=claim.ticket) is None
        with pytest.raises(KeyboardInterrupt), claim:
            raise KeyboardInterrupt

    def test_before_the_rename(
        self, log: RequestLog, store: ScriptStore, player: ScriptPath
    ) -> None:
        self.die(log, store, player, b"B", landed=False)
        with begun(log, digest="other digest"):
            pass

    def test_after_the_rename(
        self, log: RequestLog, store: ScriptStore, player: ScriptPath
    ) -> None:
        self.die(log, store, player, b"B", landed=True)
        refusal(log.begin("id", "other digest"), ErrorCode.DUPLICATE_REQUEST)
        assert log.begin("id", "digest") == Replay(RESULT)

    def test_after_the_rename_and_the_file_changed_since(
        self, log: RequestLog, store: ScriptStore, player: ScriptPath
    ) -> None:
        self.die(log, store, player, b"B", landed=True)
        player.real.write_bytes(b"C")
        assert log.begin("id", "digest") == Replay(RESULT)
        # From now on the record says so by itself.
        shutil.rmtree(player.real_root.parent / "Library/SnippetEngine/history")
        assert log.begin("id", "digest") == Replay(RESULT)

    def test_the_file_is_gone(
        self, log: RequestLog, store: ScriptStore, player: ScriptPath
    ) -> None:
        self.die(log, store, player, b"B", landed=False)
        player.real.unlink()
        with begun(log):
            pass

    def test_the_result_cannot_be_stored(
        self,
        log: RequestLog,
        store: ScriptStore,
        player: ScriptPath,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        """The write stands, so the request succeeded; the announcement tells it."""

        def full(*_: Any) -> None:
            raise OSError(28, "No space left on device")

        with begun(log) as claim:
            assert claim.committing(player, content_hash(b"B"), RESULT) is None
            old = player.real.read_bytes()
            assert store.apply(player, old, b"B", ticket=claim.ticket) is None
            with monkeypatch.context() as patch:
                patch.setattr(log, "store", full)
                claim.finish(RESULT)
        assert log.begin("id", "digest") == Replay(RESULT)


@pytest.mark.parametrize("landed", [True, False])
def test_death_during_an_undo_whose_result_was_changed_since(
    log: RequestLog, store: ScriptStore, player: ScriptPath, landed: bool
) -> None:
    """Neither the file nor an entry of its own tells then: the entry that it took back does."""
    old = player.real.read_bytes()
    assert store.apply(player, old, b"B") is None
    claim = begun(log)

    def announce(coming: Undone, takes_back: str) -> SnippetError | None:
        refused = claim.committing(player, content_hash(coming.restored), RESULT, takes_back)
        return refused if landed else SnippetError(ErrorCode.BUSY, "it dies here")

    store.undo(player, content_hash(b"B"), ticket=claim.ticket, announce=announce)
    with pytest.raises(KeyboardInterrupt), claim:
        raise KeyboardInterrupt
    player.real.write_bytes(b"C")
    if landed:
        assert log.begin("id", "digest") == Replay(RESULT)
    else:
        begun(log)


def test_lifetime(log: RequestLog, clock: Clock, root: Path) -> None:
    finished(log)
    clock.now += 599.9
    assert log.begin("id", "digest") == Replay(RESULT)
    clock.now += 0.1
    with begun(log, digest="other digest"):
        pass
    finished(log, "a")
    clock.now += 600
    finished(log, "b")
    assert len(records(root)) == 1  # What expired is gone from the disk as well.
    # Its lock, and the log's own; Windows removes them as soon as they are let go.
    assert len(list((root / "Library/SnippetEngine/requests").iterdir())) <= 4


def test_bounded(log: RequestLog, clock: Clock, root: Path) -> None:
    for number in range(8):
        clock.now += 1
        finished(log, str(number))
        assert len(records(root)) <= 5
    for number in range(3, 8):
        assert log.begin(str(number), "digest") == Replay(RESULT)
    with begun(log, "2"):
        pass


def test_running_requests_are_never_dropped(log: RequestLog, clock: Clock) -> None:
    with begun(log, "long") as claim:
        clock.now += 10_000
        for number in range(8):
            clock.now += 1
            finished(log, str(number))
        refusal(log.begin("long", "digest"), ErrorCode.DUPLICATE_REQUEST)
        claim.finish(RESULT)
    assert log.begin("long", "digest") == Replay(RESULT)


def test_a_request_that_finishes_while_another_cleans_up(
    log: RequestLog, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It had no record yet when the folder was listed, and has one when that is acted on."""
    first = begun(log, "first")
    log.forget(first._key)
    remove = RequestLog._remove

    def finish_then_remove(*args: Any) -> bool:
        with first:
            first.finish(RESULT)
        return remove(*args)

    monkeypatch.setattr(RequestLog, "_remove", finish_then_remove)
    clock.now += 60
    with begun(log, "second"):
        monkeypatch.undo()
    assert log.begin("first", "digest") == Replay(RESULT)


@pytest.mark.parametrize(
    "damaged",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b"\xff",
        b"[" * 100_000,
        b"{}",
        json.dumps({"time": 1e6, "state": "done", "digest": "digest", "result": 1}).encode(),
        json.dumps({"time": 1e6, "state": "odd", "digest": "digest"}).encode(),
        json.dumps({"time": 1e6, "state": "committing", "digest": "", "path": 1}).encode(),
        json.dumps({"time": 1e6, "state": "committing", "digest": "", "path": "/etc/x"}).encode(),
        json.dumps({"time": "x", "state": "done", "digest": "digest"}).encode(),
    ],
)
def test_a_damaged_record_is_none(log: RequestLog, root: Path, damaged: bytes) -> None:
    finished(log)
    (record,) = records(root)
    record.write_bytes(damaged)
    with begun(log):
        pass


@pytest.mark.parametrize("request_id", ["", "../../etc", "é" * 1000, "\ud800", "a/b\\c:\n\0"])
def test_any_id(log: RequestLog, request_id: str) -> None:
    finished(log, request_id)
    assert log.begin(request_id, "digest") == Replay(RESULT)


# -- what is told, and what a dead process leaves ------------------------------------------


def refused(answer: object) -> tuple[str, str, dict[str, Any]]:
    """The code, message and details of a refusal."""
    error = refusal(answer)
    return error.code.value, error.message, dict(error.details)


def test_a_log_in_use_is_told(project: Project, store: ScriptStore) -> None:
    log = RequestLog(project, store, lock_timeout_ms=0)
    with begun(log):
        pass
    held = acquire(project.root / "Library/SnippetEngine/requests/log.lock", 0)
    assert held is not None
    with held:
        assert refused(log.begin("id", "digest")) == (
            "busy",
            "The log of requests is in use. Send it again.",
            {},
        )
    with begun(log):
        pass


def test_a_log_that_cannot_be_kept_is_told(
    project: Project, store: ScriptStore, player: ScriptPath, root: Path
) -> None:
    reason = "the disk is full; free some space"
    failed = (
        "write_failed",
        f"Keeping the record of the request failed: {reason}. Nothing was changed.",
        {"errno": "ENOSPC", "reason": reason},
    )

    def full(*_: Any) -> None:
        raise OSError(errno.ENOSPC, "full", "/an/absolute/path")

    log = RequestLog(project, store)
    with begun(log) as claim, pytest.MonkeyPatch.context() as patch:
        patch.setattr(log, "store", full)
        assert refused(claim.committing(player, content_hash(b"B"), RESULT)) == failed
        for _ in range(2):  # The lock of the first try is not kept.
            assert refused(log.begin("another id", "digest")) == failed


def test_a_record_that_somebody_took_away_stops_nobody(
    project: Project, store: ScriptStore, root: Path
) -> None:
    log = RequestLog(project, store)
    requests = root / "Library/SnippetEngine/requests"
    with begun(log):
        for record in requests.glob("*.json"):
            record.unlink()
    with begun(log) as claim:
        claim.finish(RESULT)
    assert log.begin("id", "digest") == Replay(RESULT)


def test_what_cannot_be_removed_leaves_the_others_to_go(
    project: Project, store: ScriptStore, root: Path
) -> None:
    """A folder under a record's name, and a request that runs: both stay, and both count."""
    clock = Clock()
    log = RequestLog(project, store, clock=clock, max_records=5)
    with begun(log, "running") as running:
        odd = root / "Library/SnippetEngine/requests" / ("0" * 32 + ".json")
        odd.mkdir()
        os.utime(odd, (clock.now - 1, clock.now - 1))
        for number in range(8):
            clock.now += 1
            with begun(log, str(number)) as claim:
                claim.finish(RESULT)
            # The folder is counted from the first sweep on, and that is when there are five.
            assert len(records(root)) <= (6 if number < 4 else 5)
        assert odd.is_dir()
        running.finish(RESULT)
    assert log.begin("running", "digest") == Replay(RESULT)
    assert log.begin("7", "digest") == Replay(RESULT)
    assert log.begin("6", "digest") == Replay(RESULT)


def test_records_of_requests_are_not_forced_to_the_disk(
    project: Project, store: ScriptStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are to outlive the process, not a power cut, and every call would pay for it."""
    log = RequestLog(project, store)
    monkeypatch.setattr(os, "fsync", lambda _: pytest.fail("a record was synced"))
    with begun(log) as claim:
        claim.finish(RESULT)


# -- what a dead process leaves of a request -----------------------------------------------


def leave_running(log: RequestLog, root: Path, request_id: str = "id") -> None:
    """The record of a request whose process was killed before it announced anything."""
    requests = root / "Library/SnippetEngine/requests"
    with begun(log, request_id):
        left = {each: each.read_bytes() for each in requests.glob("*.json")}
    for file, data in left.items():
        file.write_bytes(data)


@pytest.mark.parametrize("digest", ["digest", "another digest"])
def test_a_request_that_died_before_its_write_never_was(
    project: Project, store: ScriptStore, root: Path, digest: str
) -> None:
    log = RequestLog(project, store)
    leave_running(log, root)
    with begun(log, digest=digest):
        pass


def test_a_write_whose_entry_was_pruned_is_told_by_the_content(
    project: Project, store: ScriptStore, player: ScriptPath, root: Path
) -> None:
    log = RequestLog(project, store)
    claim = begun(log)
    assert claim.committing(player, content_hash(b"B"), RESULT) is None
    old = player.real.read_bytes()
    assert store.apply(player, old, b"B") is None  # Not under its ticket.
    with pytest.raises(KeyboardInterrupt), claim:
        raise KeyboardInterrupt
    assert log.begin("id", "digest") == Replay(RESULT)


# -- how much the log costs ----------------------------------------------------------------


class Counted:
    """A log of 32 requests on a clock, which counts how often the folder is looked through."""

    def __init__(
        self, project: Project, store: ScriptStore, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        self.clock = Clock()
        self.listed = 0
        self.log = RequestLog(project, store, clock=self.clock, max_records=32)
        names = StateFolder.names

        def counted(state: StateFolder, part: str) -> list[str]:
            self.listed += part == "requests"
            return names(state, part)

        monkeypatch.setattr(StateFolder, "names", counted)

    def finish(self, *request_ids: str) -> None:
        for request_id in request_ids:
            with begun(self.log, request_id) as claim:
                claim.finish(RESULT)


@pytest.fixture
def counted(project: Project, store: ScriptStore, monkeypatch: pytest.MonkeyPatch) -> Counted:
    return Counted(project, store, monkeypatch)


def test_a_full_log_is_looked_through_for_every_third_request(counted: Counted, root: Path) -> None:
    """One sweep makes room for a sixteenth more than is needed."""
    counted.finish("first")
    assert counted.listed == 1  # The first of a process's life: nothing is known yet.
    counted.finish(*(str(number) for number in range(31)))
    assert (counted.listed, len(records(root))) == (1, 32)
    for expected in (2, 2, 2, 3, 3, 3, 4):
        counted.finish(f"more {counted.listed} {counted.clock.now}")
        counted.clock.now += 0.001
        assert counted.listed == expected
        assert 30 <= len(records(root)) <= 32


def test_a_repeated_request_takes_no_room(counted: Counted) -> None:
    counted.finish("first")
    for _ in range(40):
        assert counted.log.begin("first", "digest") == Replay(RESULT)
    assert counted.listed == 1


def test_the_log_is_looked_through_every_minute(counted: Counted) -> None:
    counted.finish("first")
    counted.clock.now += 59.9
    counted.finish("second")
    assert counted.listed == 1
    counted.clock.now += 0.2
    counted.finish("third")
    assert counted.listed == 2
    counted.clock.now -= 10_000  # A clock that was set back.
    counted.finish("fourth")
    assert counted.listed == 3


def test_a_sweep_that_time_asks_for_drops_nothing_that_has_room(counted: Counted) -> None:
    ids = [str(number) for number in range(31)]
    counted.finish(*ids)
    counted.clock.now += 61
    counted.finish("one more")
    assert counted.listed == 2
    for request_id in ids:
        assert counted.log.begin(request_id, "digest") == Replay(RESULT)


def test_a_request_that_is_taken_up_again_meanwhile_is_not_counted_as_removed(
    project: Project, store: ScriptStore, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock()
    log = RequestLog(project, store, clock=clock, max_records=5)
    for number in range(5):
        clock.now += 1
        with begun(log, str(number)) as claim:
            claim.finish(RESULT)
    remove, taken_up = RequestLog._remove, []

    def taken_up_then_remove(of: RequestLog, key: str, seen: float) -> bool:
        if not taken_up:
            record = root / f"Library/SnippetEngine/requests/{key}.json"
            os.utime(record, (clock.now, clock.now))
            taken_up.append(record)
        return remove(of, key, seen)

    monkeypatch.setattr(RequestLog, "_remove", taken_up_then_remove)
    clock.now += 1
    with begun(log, "one more") as claim:
        claim.finish(RESULT)
    assert taken_up[0].exists()
    assert len(records(root)) == 5


@needs_posix
def test_what_is_kept_of_requests_is_for_its_user_alone(
    project: Project, store: ScriptStore, root: Path
) -> None:
    log = RequestLog(project, store)
    with begun(log) as claim:
        claim.finish(RESULT)
    requests = (root / "Library/SnippetEngine/requests").iterdir()
    modes = {each.name: each.stat().st_mode & 0o777 for each in requests if each.suffix != ".lock"}
    assert len(modes) == 2
    assert set(modes.values()) == {0o600}
