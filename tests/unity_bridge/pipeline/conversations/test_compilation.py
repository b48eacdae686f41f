"""What a compile over the Pipeline comes to, by what the Editor said while it was followed."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from unity_bridge.editor_state import EditorState
from unity_bridge.link import Completed, Failed, OutcomeUnknown
from unity_bridge.pipeline.conversations.compilation import compile_scripts
from unity_bridge.pipeline.replies import ExecReply, Result
from unity_bridge.pipeline.sightings import PlayMode, Sighting, Tally
from unity_bridge.pipeline.vocabulary import Operation
from unity_bridge.timing import Pace

READY = Sighting(EditorState.READY, PlayMode.STOPPED, "/project")
COMPILING = Sighting(EditorState.COMPILING, PlayMode.STOPPED, "/project")
LOST = OutcomeUnknown("the connection was closed")
STARTED = Result({"status": "compiling", "message": "Compilation started"})


PLAYING = Sighting(EditorState.READY, PlayMode.PLAYING, "/project")
NOT_NOW = Failed("PIPELINE_COMMAND_FAILED", "not today")
UP_TO_DATE = Result({"status": "up_to_date", "message": "Nothing to compile"})


def _report(status: str) -> Mapping[str, Any]:
    """``up_to_date, flag``: with the flag that errors leave for a moment."""
    status, _, flag = status.partition(", ")
    return {"status": status, "failed": False, "errors": [], "compilationFailed": flag == "flag"}


@pytest.mark.parametrize(
    ("told", "reports", "seen", "status"),
    [
        (LOST, ["completed", "up_to_date"], [READY], "up_to_date"),
        (LOST, ["completed", "compiling", "up_to_date"], [READY], "succeeded"),
        (LOST, ["completed", "up_to_date"], [COMPILING, READY], "succeeded"),
        (STARTED, ["up_to_date"], [READY], "succeeded"),
    ],
)
def test_a_reload_is_a_compile_s_where_one_was_told_or_seen(
    told: ExecReply, reports: Sequence[str], seen: Sequence[Sighting], status: str
) -> None:
    """Any package may have the Editor reload, with nothing compiled."""
    answer = _compiled(told, list(reports), [READY, READY, *seen])
    assert isinstance(answer, Completed)
    assert (answer.body["status"], answer.body["reloaded"]) == (status, True)


@pytest.mark.parametrize(
    ("reports", "seen"),
    [
        (["not now", "completed"], [READY]),
        (["completed, flag", "completed"], [READY]),
        (["completed"], [READY]),
    ],
    ids=["nothing known of before", "only the flag has changed", "all as before"],
)
def test_an_end_that_may_be_an_earlier_compile_s_is_not_told(
    reports: Sequence[str], seen: Sequence[Sighting]
) -> None:
    answer = _compiled(LOST, list(reports), [READY, READY, *seen])
    assert isinstance(answer, OutcomeUnknown), answer
    assert "doesn't report the compile" in answer.reason


def test_play_mode_that_was_over_before_the_next_look_is_seen_all_the_same() -> None:
    """Somebody else has looked: the reload is play mode's, and the compile was put off."""
    answer = _compiled(STARTED, ["completed"], [READY], between=[PLAYING])
    assert isinstance(answer, OutcomeUnknown), answer
    assert answer.reason.startswith("play mode was entered meanwhile")


def test_a_compile_that_somebody_else_saw_is_one() -> None:
    answer = _compiled(LOST, ["completed"], [READY], between=[COMPILING])
    assert isinstance(answer, Completed)
    assert answer.body["status"] == "succeeded"


@pytest.mark.parametrize(
    ("reports", "status"),
    [
        (["up_to_date, flag", "up_to_date, flag", "up_to_date"], "up_to_date"),
        (["up_to_date, flag"], "failed"),
    ],
    ids=["it goes", "it stays"],
)
def test_the_flag_counts_once_the_editor_had_the_time_to_take_it_down(
    reports: Sequence[str], status: str
) -> None:
    """It stays for a moment after a good compile, which may be somebody else's."""
    answer = _compiled(UP_TO_DATE, list(reports), [READY])
    assert isinstance(answer, Completed)
    assert answer.body["status"] == status


def _compiled(
    told: ExecReply,
    reports: list[str],
    seen: list[Sighting],
    between: Sequence[Sighting | None] = (None, READY),
) -> Any:
    """The answer where the last of each list holds on. ``between``: what others see meanwhile, a
    reload unless told otherwise."""
    return asyncio.run(compile_scripts(FakeEditor(told, reports, seen, between), {}))


class FakeEditor:
    pace = Pace()

    def __init__(
        self,
        told: ExecReply,
        reports: list[str],
        seen: list[Sighting],
        between: Sequence[Sighting | None],
    ) -> None:
        self.told, self.reports, self.seen, self.between = told, reports, seen, between
        self.tally, self.last = Tally(), READY

    def see(self, sighting: Sighting | None) -> Sighting | None:
        self.tally = self.tally.after(self.last, sighting, moved=False)
        self.last = sighting
        return sighting

    async def look(self) -> Sighting | None:
        return self.see(self.seen.pop(0) if len(self.seen) > 1 else self.seen[0])

    async def exec(self, operation: Operation, **_parameters: Any) -> ExecReply:
        if operation is Operation.RECOMPILE:
            for each in self.between:
                self.see(each)
            return self.told
        report = self.reports.pop(0) if len(self.reports) > 1 else self.reports[0]
        return NOT_NOW if report == "not now" else Result(_report(report))

    async def pause(self, duration_ms: float) -> None:
        pass

    def now_ms(self) -> float:
        return 0

    def was_replaced(self, _operation: Operation) -> bool:
        return False

    def uncompiled_scripts(self) -> list[str]:
        return []
