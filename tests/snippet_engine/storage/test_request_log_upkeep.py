"""What repeated requests are told, what a dead process leaves of one, what the log costs."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any

import pytest
from this_system import needs_posix

from snippet_engine.errors import SnippetError
from snippet_engine.source_text import content_hash
from snippet_engine.storage.paths.project import Project, ScriptPath
from snippet_engine.storage.state_folder import StateFolder
from snippet_engine.storage.stores.request_log import Claim, Replay, RequestLog
from snippet_engine.storage.stores.script_store import ScriptStore
from snippet_engine.storage.system.file_lock import acquire

RESULT = {"status": "applied"}


def told(answer: object) -> tuple[str, str, dict[str, Any]]:
    """The code, message and details of a refusal."""
    assert isinstance(answer, SnippetError), answer
    return answer.code.value, answer.message, dict(answer.details)


def apply_all(store: ScriptStore, script: ScriptPath, *contents: bytes) -> None:
    for content in contents:
        assert store.apply(script, script.real.read_bytes(), content) is None


# -- requests that were sent before --------------------------------------------------------


def begun(log: RequestLog, request_id: str = "id", digest: str = "digest") -> Claim:
    claim = log.begin(request_id, digest)
    assert isinstance(claim, Claim), claim
    return claim


def test_a_repeated_request_is_told_what_it_is(project: Project, store: ScriptStore) -> None:
    log = RequestLog(project, store)
    with begun(log) as claim:
        assert told(log.begin("id", "digest")) == (
            "duplicate_request",
            "The first request with this client_request_id still runs.",
            {},
        )
        claim.finish(RESULT)
    assert told(log.begin("id", "another digest")) == (
        "duplicate_request",
        "This client_request_id was used for another request: send a new id.",
        {},
    )


def test_a_log_in_use_is_told(project: Project, store: ScriptStore) -> None:
    log = RequestLog(project, store, lock_timeout_ms=0)
    with begun(log):
        pass
    held = acquire(project.root / "Library/SnippetEngine/requests/log.lock", 0)
    assert held is not None
    with held:
        assert told(log.begin("id", "digest")) == (
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
        assert told(claim.committing(player, content_hash(b"B"), RESULT)) == failed
        assert told(log.begin("another id", "digest")) == failed


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


class Clock:
    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


def names(root: Path) -> set[str]:
    return {each.name for each in (root / "Library/SnippetEngine/requests").glob("*.json")}


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
            assert len(names(root)) <= (6 if number < 4 else 5)
        assert odd.is_dir()
        running.finish(RESULT)
    assert log.begin("running", "digest") == Replay(RESULT)
    assert log.begin("7", "digest") == Replay(RESULT)
    assert log.begin("6", "digest") == Replay(RESULT)


def test_a_request_that_failed_leaves_no_record(
    project: Project, store: ScriptStore, root: Path
) -> None:
    log = RequestLog(project, store)
    with pytest.raises(RuntimeError), begun(log):
        raise RuntimeError
    assert names(root) == set()


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
    apply_all(store, player, b"B")  # Under another ticket: as if its own entry had gone.
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
    assert (counted.listed, len(names(root))) == (1, 32)
    for expected in (2, 2, 2, 3, 3, 3, 4):
        counted.finish(f"more {counted.listed} {counted.clock.now}")
        counted.clock.now += 0.001
        assert counted.listed == expected
        assert 30 <= len(names(root)) <= 32


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
    assert len(names(root)) == 5


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
