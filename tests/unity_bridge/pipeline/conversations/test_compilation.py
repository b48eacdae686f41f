"""What a compile over the Pipeline comes to, by what the Editor said while it was followed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from unity_bridge.editor_state import EditorState
from unity_bridge.link import Completed, OutcomeUnknown
from unity_bridge.pipeline.conversations.compilation import compile_scripts
from unity_bridge.pipeline.conversations.conversation import (
    Counted,
    Exec,
    Look,
    Replaced,
    WrittenFiles,
)
from unity_bridge.pipeline.envelopes import CommandFailed, Lost, Result
from unity_bridge.pipeline.sightings import PlayMode, Sighting, Tally
from unity_bridge.pipeline.vocabulary import Operation

READY = Sighting(EditorState.READY, PlayMode.STOPPED, "/project")
COMPILING = Sighting(EditorState.COMPILING, PlayMode.STOPPED, "/project")
LOST = Lost("the connection was closed")
STARTED = Result({"status": "compiling", "message": "Compilation started"})


PLAYING = Sighting(EditorState.READY, PlayMode.PLAYING, "/project")
NOT_NOW = CommandFailed("not today", None)
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
    told: Lost | Result, reports: Sequence[str], seen: Sequence[Sighting], status: str
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
    assert "says nothing of the compile" in answer.reason


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
    told: Lost | Result,
    reports: list[str],
    seen: list[Sighting],
    between: Sequence[Sighting | None] = (None, READY),
) -> Any:
    """The answer where the last of each list holds on. ``between``: what others see meanwhile, a
    reload unless told otherwise."""
    tally, last = Tally(), READY

    def looked(sighting: Sighting | None) -> Sighting | None:
        nonlocal tally, last
        tally, last = tally.after(last, sighting, moved=False), sighting
        return sighting

    def heard(ask: Any) -> Any:
        if isinstance(ask, Look):
            return looked(seen.pop(0) if len(seen) > 1 else seen[0])
        if isinstance(ask, Exec) and ask.operation is Operation.RECOMPILE:
            for each in between:
                looked(each)
            return told
        if isinstance(ask, Exec):
            report = reports.pop(0) if len(reports) > 1 else reports[0]
            return NOT_NOW if report == "not now" else Result(_report(report))
        return {WrittenFiles: [], Replaced: False, Counted: tally}.get(type(ask), 0)

    conversation = compile_scripts({})
    answer: Any = None
    try:
        while True:
            answer = conversation.send(None if answer is None else heard(answer))
    except StopIteration as end:
        return end.value
