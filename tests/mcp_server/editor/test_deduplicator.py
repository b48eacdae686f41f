"""Requests that are sent again."""

from __future__ import annotations

from mcp_server.editor.deduplicator import (
    KEEP_MS,
    MAX_KEPT,
    SURELY_REMEMBERED,
    Again,
    Deduplicator,
    New,
    OtherRequest,
    Replay,
    StillRunning,
)

PLAY = {"action": "start", "client_request_id": "mine"}


def test_new_then_running_then_replayed() -> None:
    seen = Deduplicator()
    assert seen.claim("mine", "control_play_mode", PLAY, 0) == New()
    assert seen.claim("mine", "control_play_mode", PLAY, 1) == StillRunning()
    seen.succeeded("mine", {"accepted": True}, 2)
    assert seen.claim("mine", "control_play_mode", PLAY, 3) == Replay({"accepted": True})


def test_how_long_to_wait_is_not_what_is_asked() -> None:
    seen = Deduplicator()
    seen.claim("mine", "control_play_mode", PLAY, 0)
    assert seen.claim("mine", "control_play_mode", {**PLAY, "timeout_ms": 5}, 0) == StillRunning()


def test_other_arguments_or_another_tool_are_another_request() -> None:
    seen = Deduplicator()
    seen.claim("mine", "control_play_mode", PLAY, 0)
    assert seen.claim("mine", "control_play_mode", {"action": "stop"}, 0) == OtherRequest()
    assert seen.claim("mine", "run_tests", PLAY, 0) == OtherRequest()
    seen.succeeded("mine", {}, 0)
    assert seen.claim("mine", "run_tests", PLAY, 0) == OtherRequest()


def test_after_a_failure_it_is_a_new_attempt() -> None:
    seen = Deduplicator()
    seen.claim("mine", "run_tests", {}, 0)
    seen.failed("mine")
    assert seen.claim("mine", "run_tests", {}, 0) == New()


def test_a_lost_request_is_asked_for_where_it_was_sent_first() -> None:
    seen = Deduplicator()
    seen.claim("mine", "run_tests", {}, 0)
    seen.sent("mine", "m1")
    seen.lost("mine", 0)
    assert seen.claim("mine", "run_tests", {}, 1) == Again("m1")
    assert seen.claim("mine", "run_tests", {}, 1) == StillRunning()
    seen.sent("mine", "m2")
    seen.lost("mine", 1)
    assert seen.claim("mine", "run_tests", {}, 2) == Again("m1")
    assert seen.claim("mine", "control_play_mode", {}, 2) == OtherRequest()
    seen.succeeded("mine", {"job_id": "j"}, 2)
    assert seen.claim("mine", "run_tests", {}, 3) == Replay({"job_id": "j"})


def test_a_request_that_was_never_sent_was_not_lost() -> None:
    seen = Deduplicator()
    seen.claim("mine", "run_tests", {}, 0)
    seen.lost("mine", 0)
    assert seen.claim("mine", "run_tests", {}, 0) == New()


def test_the_editor_is_not_asked_for_what_it_may_have_forgotten() -> None:
    seen = Deduplicator()
    seen.claim("mine", "run_tests", {}, 0)
    seen.sent("mine", "m1")
    for number in range(SURELY_REMEMBERED):
        seen.claim(f"r{number}", "run_tests", {}, 0)
        seen.sent(f"r{number}", "m1")
    seen.lost("mine", 0)
    assert seen.claim("mine", "run_tests", {}, 0) == Again("m1")
    seen.lost("mine", 0)
    seen.claim("one more", "run_tests", {}, 0)
    seen.sent("one more", "m1")
    assert seen.claim("mine", "run_tests", {}, 0) == Again(None)


def test_results_are_kept_for_ten_minutes() -> None:
    seen = Deduplicator()
    seen.claim("mine", "run_tests", {}, 0)
    seen.succeeded("mine", {}, 100)
    assert isinstance(seen.claim("mine", "run_tests", {}, 100 + KEEP_MS - 1), Replay)
    assert seen.claim("mine", "run_tests", {}, 100 + KEEP_MS) == New()


def test_no_more_than_so_many_are_kept_and_running_ones_stay() -> None:
    seen = Deduplicator()
    seen.claim("running", "run_tests", {}, 0)
    for number in range(MAX_KEPT + 5):
        seen.claim(f"r{number}", "run_tests", {}, number)
        seen.succeeded(f"r{number}", {}, number)
    assert len(seen) == MAX_KEPT
    assert seen.claim("running", "run_tests", {}, 0) == StillRunning()
    assert seen.claim("r0", "run_tests", {}, 0) == New()
