"""What counts as landed, and what as wrong: by the bytes alone, whatever the answer says."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
from landing_fixtures import edits
from mcp import Client

from benchmarks.landing.attempts import Attempt, Attempts
from benchmarks.landing.client import TOOL, Seen
from benchmarks.landing.kinds import APART, CLASSES, PROFILES, STALE, TOO_LARGE, UNSPOILED
from benchmarks.landing.kinds import DONE as DONE_ALREADY
from benchmarks.landing.misses import misses
from benchmarks.landing.outcome import Outcome, Trial, tried
from benchmarks.landing.plot import plot
from benchmarks.landing.references import REFERENCES
from benchmarks.landing.report import found_in
from benchmarks.landing.road import Road, in_process, over_http
from benchmarks.landing.run import Compared, Run, collected, results, tries, wanted
from benchmarks.landing.same_roads import came_to
from benchmarks.landing.true_edits import TrueEdit

RUN = Run(("somebody/game",), "agent", 7, 40)

DONE = Seen(False, "applied", {"status": "applied"})


class StandIn(Road):
    """A road to something that does with each request as a test says."""

    def __init__(self, root: Path, *steps: Callable[[Attempt, Path], Seen]) -> None:
        super().__init__(cast("Client", None), root)
        self.attempt = _attempt()
        self.asked: list[Mapping[str, Any]] = []
        self._steps = list(steps)

    async def call(self, arguments: Mapping[str, Any], tool: str = TOOL) -> Seen:
        assert tool == TOOL
        self.asked.append(arguments)
        return self._steps.pop(0)(self.attempt, self.root / self.attempt.path)

    def tried(self) -> Trial:
        return asyncio.run(tried(self, self.attempt))


def _attempt(number: int = 3, of_class: str | None = UNSPOILED) -> Attempt:
    return Attempts(edits(), PROFILES["agent"], 1).attempt(number, of_class)


def _right(attempt: Attempt, file: Path) -> Seen:
    file.write_bytes(attempt.right)
    return DONE


def _wrong(attempt: Attempt, file: Path) -> Seen:
    file.write_bytes(attempt.right + b"\n")
    return DONE


def _refusing(text: str) -> Callable[[Attempt, Path], Seen]:
    return lambda _attempt, _file: Seen(True, text, None)


OFFER = {"path": "Assets/Offered.cs"}
OFFERING = _refusing(f"e: no\noffer 1 (line 3): {json.dumps(OFFER)}")


def test_the_right_bytes_at_once_are_a_first(tmp_path: Path) -> None:
    assert StandIn(tmp_path, _right).tried().outcome is Outcome.FIRST


def test_other_bytes_are_wrong_whatever_is_said(tmp_path: Path) -> None:
    trial = StandIn(tmp_path, _wrong).tried()
    assert trial.outcome is Outcome.WRONG
    assert trial.left == trial.attempt.right + b"\n"
    report = found_in(
        RUN, [Compared(trial, tuple(each.tried(trial.attempt) for each in REFERENCES))]
    )
    assert report.by_class[UNSPOILED].to_json()["wrong"] == 1
    assert "### WRONG" in misses(report)


def test_what_was_carried_out_as_it_was_sent_is_counted_among_the_wrong(tmp_path: Path) -> None:
    def spoiled(number: int, *steps: Callable[[Attempt, Path], Seen]) -> Trial:
        folder = tmp_path / str(number)
        folder.mkdir()
        trial = StandIn(folder, *steps).tried()
        return replace(trial, attempt=replace(trial.attempt, of_class=STALE))

    trials = [spoiled(0, _wrong), spoiled(1, OFFERING, _wrong), spoiled(2, _right)]
    report = found_in(
        RUN,
        [
            Compared(trial, tuple(each.tried(trial.attempt) for each in REFERENCES))
            for trial in trials
        ],
    )
    assert report.all.outcomes[Outcome.WRONG] == 2
    assert report.wrong_as_sent == 1


def test_bytes_that_a_refusal_leaves_behind_are_wrong(tmp_path: Path) -> None:
    def torn(attempt: Attempt, file: Path) -> Seen:
        file.write_bytes(attempt.right)
        return Seen(True, "write_failed", None)

    assert StandIn(tmp_path, torn).tried().outcome is Outcome.WRONG


def test_the_right_bytes_by_an_offer_are_a_second(tmp_path: Path) -> None:
    road = StandIn(tmp_path, OFFERING, _right)
    trial = road.tried()
    assert trial.outcome is Outcome.SECOND
    assert road.asked == [road.attempt.arguments, OFFER]
    assert trial.bytes_sent == sum(
        len(json.dumps(each, ensure_ascii=False).encode()) for each in road.asked
    )
    assert trial.bytes_shown == sum(len(each.encode()) for each in trial.answered)


def test_other_bytes_by_an_offer_are_wrong(tmp_path: Path) -> None:
    assert StandIn(tmp_path, OFFERING, _wrong).tried().outcome is Outcome.WRONG


def test_there_is_no_third_try(tmp_path: Path) -> None:
    road = StandIn(tmp_path, OFFERING, OFFERING, _right)
    assert road.tried().outcome is Outcome.REFUSED
    assert len(road.asked) == 2


@pytest.mark.parametrize(
    "answer",
    [
        Seen(True, "anchor_not_found: no", None),
        Seen(False, "previewed", {"status": "previewed"}),
        Seen(False, "applied", {"status": "applied"}),
    ],
)
def test_nothing_written_is_refused(tmp_path: Path, answer: Seen) -> None:
    assert StandIn(tmp_path, lambda _attempt, _file: answer).tried().outcome is Outcome.REFUSED


def test_an_edit_that_is_done_already_lands_if_the_answer_says_or_asks_so() -> None:
    """With the engine's own answers, since they are read for its sentence."""
    attempts = Attempts(edits(), PROFILES["agent"], 1)
    chunk = [(number, DONE_ALREADY) for number in range(12)]
    found = asyncio.run(collected(tries(attempts, chunk, in_process)))
    made = [each.trial.outcome for each in found if each.trial.attempt.done]
    assert made == [Outcome.FIRST] * 12


def test_an_answer_that_the_server_failed_is_told_apart(tmp_path: Path) -> None:
    answer = Seen(True, "ERR_X: Failed unexpectedly (IndexError). This is a bug.", None)
    assert StandIn(tmp_path, lambda _attempt, _file: answer).tried().failed
    refused = Seen(True, "anchor_not_found: no", None)
    assert not StandIn(tmp_path, lambda _attempt, _file: refused).tried().failed


def _every(profile: str) -> list[Attempt]:
    attempts = Attempts(edits(), PROFILES[profile], 1)
    return [attempts.attempt(number) for number in range(60)]


def test_an_attempt_is_settled_by_seed_and_number() -> None:
    assert _every("agent") == _every("agent")
    assert _every("agent") != _every("strong")


def test_a_class_that_is_weighed_apart_is_not_drawn() -> None:
    assert {attempt.of_class for attempt in _every("agent")} <= set(CLASSES)
    assert {of_class for _, of_class in wanted(RUN)} == {None, *APART}


def test_edits_as_they_should_be_sent_land_at_once() -> None:
    attempts = Attempts(edits(newline="\r\n"), PROFILES["agent"], 1)
    chunk = [(number, UNSPOILED) for number in range(25)]
    found = asyncio.run(collected(tries(attempts, chunk, in_process)))
    assert {each.trial.outcome for each in found} == {Outcome.FIRST}
    exact, _, lines = zip(*(each.references for each in found), strict=True)
    assert {each.outcome for each in exact} == {each.outcome for each in lines} == {Outcome.FIRST}
    assert not any(each.trial.earlier_by_hand for each in found)


def test_both_roads_come_to_the_same() -> None:
    attempts = Attempts(edits(), PROFILES["agent"], 5)
    chunk = [(number, None) for number in range(30)]

    async def both() -> list[list[Compared]]:
        return [await collected(tries(attempts, chunk, road)) for road in (in_process, over_http)]

    here, there = (
        [(each.trial.outcome, each.trial.left, each.trial.sent) for each in found]
        for found in asyncio.run(both())
    )
    assert [each[:2] for each in here] == [each[:2] for each in there]


def test_a_change_set_by_another_id_came_to_the_same() -> None:
    attempts = Attempts([_larger()], PROFILES["agent"], 5)
    one, other = (
        asyncio.run(collected(tries(attempts, [(0, TOO_LARGE)], in_process)))[0].trial
        for _ in range(2)
    )
    assert one.outcome is Outcome.SECOND
    assert "changeId" in one.answered[1]
    assert one.answered != other.answered
    assert came_to(one) == came_to(other)
    assert came_to(one) != came_to(replace(other, outcome=Outcome.WRONG))


def _larger() -> TrueEdit:
    edit = edits()[0]
    hunk = edit.hunk
    return replace(edit, hunk=replace(hunk, new=hunk.new.replace("speed", "speed" * 22)))


def test_a_run_reports_everything_that_it_did() -> None:
    run = Run(("somebody/game",), "agent", 7, 12)
    found = found_in(run, results(run, [*edits(), _larger()], 1))
    report = found.to_json()
    assert report["requests"] == 12
    assert sum(report[each.value] for each in Outcome) == 12
    assert set(report["references"]) == {each.name for each in REFERENCES}
    assert sum(each["requests"] for each in report["by_class"].values()) == 12
    json.dumps(report)
    drawn = plot(found)
    assert drawn.startswith("<svg")
    assert "12 real edits" in drawn
