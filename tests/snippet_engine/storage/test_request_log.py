"""An apply happens once under one id: docs/design/engine.md §5 ``client_request_id``."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from snippet_engine.errors import ErrorCode, SnippetError
from snippet_engine.source_text import content_hash
from snippet_engine.storage.paths.project import Project, ScriptPath
from snippet_engine.storage.state_folder import StateFolder
from snippet_engine.storage.stores.request_log import Claim, Replay, RequestLog
from snippet_engine.storage.stores.script_store import ScriptStore, Undone

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


def duplicate(answer: object) -> None:
    assert isinstance(answer, SnippetError), answer
    assert answer.code is ErrorCode.DUPLICATE_REQUEST


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
    duplicate(log.begin("id", "other digest"))
    assert log.begin("id", "digest") == Replay(RESULT)


def test_while_the_first_runs(log: RequestLog, project: Project, store: ScriptStore) -> None:
    with begun(log) as claim:
        duplicate(log.begin("id", "digest"))
        duplicate(log.begin("id", "other digest"))
        duplicate(RequestLog(project, store).begin("id", "digest"))
        with begun(log, "another id"):
            pass
        claim.finish(RESULT)
        duplicate(log.begin("id", "digest"))
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
        self,
        log: RequestLog,
        store: ScriptStore,
        player: ScriptPath,
        new: bytes,
        *,
        landed: bool,
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
        duplicate(log.begin("id", "other digest"))
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


def test_nothing_can_be_stored(
    log: RequestLog, player: ScriptPath, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    claim = begun(log)
    monkeypatch.setattr(log, "store", full)
    with claim:
        error = claim.committing(player, content_hash(b"B"), RESULT)
        assert error is not None
        assert error.code is ErrorCode.WRITE_FAILED
    for _ in range(2):  # The lock of the first try is not kept.
        answer = log.begin("other id", "digest")
        assert isinstance(answer, SnippetError)
        assert answer.code is ErrorCode.WRITE_FAILED


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


def test_a_replay_when_the_log_is_full(log: RequestLog, clock: Clock) -> None:
    for number in range(5):
        clock.now += 1
        finished(log, str(number))
    for number in range(5):
        assert log.begin(str(number), "digest") == Replay(RESULT)


def test_running_requests_are_never_dropped(log: RequestLog, clock: Clock) -> None:
    with begun(log, "long") as claim:
        clock.now += 10_000
        for number in range(8):
            clock.now += 1
            finished(log, str(number))
        duplicate(log.begin("long", "digest"))
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


def test_most_requests_look_at_no_others(
    project: Project, store: ScriptStore, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also in processes that live for one request only, and with as many as are kept."""
    listed: list[str] = []
    names = StateFolder.names

    def noted(self: StateFolder, part: str) -> list[str]:
        listed.append(part)
        return names(self, part)

    for number in range(70):
        finished(RequestLog(project, store, clock=clock, max_records=64), str(number))
    monkeypatch.setattr(StateFolder, "names", noted)
    for number in range(70, 170):
        finished(RequestLog(project, store, clock=clock, max_records=64), str(number))
        clock.now += 0.01
    assert 100 // 64 < len(listed) < 50
    assert 50 < len(records(project.root)) <= 64
