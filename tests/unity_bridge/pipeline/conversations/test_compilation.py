"""What a compile over the Pipeline comes to, by what the Editor said while it was followed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from unity_bridge.editor_state import EditorState
from unity_bridge.link import Completed
from unity_bridge.pipeline.conversations.compilation import compile_scripts
from unity_bridge.pipeline.conversations.conversation import (
    Exec,
    Look,
    Reloads,
    Replaced,
    WrittenFiles,
)
from unity_bridge.pipeline.envelopes import Lost, Result
from unity_bridge.pipeline.sightings import PlayMode, Sighting
from unity_bridge.pipeline.vocabulary import Operation

READY = Sighting(EditorState.READY, PlayMode.STOPPED, "/project")
COMPILING = Sighting(EditorState.COMPILING, PlayMode.STOPPED, "/project")
LOST = Lost("the connection was closed")
STARTED = Result({"status": "compiling", "message": "Compilation started"})


def _report(status: str) -> Mapping[str, Any]:
    return {"status": status, "failed": False, "errors": [], "compilationFailed": False}


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


def _compiled(told: Lost | Result, reports: list[str], seen: list[Sighting]) -> Any:
    """The answer where the Editor reloads meanwhile; the last of each list holds on."""
    reloads = iter((0, 1))

    def heard(ask: Any) -> Any:
        if isinstance(ask, Look):
            return seen.pop(0) if len(seen) > 1 else seen[0]
        if isinstance(ask, Exec) and ask.operation is Operation.RECOMPILE:
            return told
        if isinstance(ask, Exec):
            return Result(_report(reports.pop(0) if len(reports) > 1 else reports[0]))
        if isinstance(ask, Reloads):
            return next(reloads)
        return {WrittenFiles: [], Replaced: False}.get(type(ask), 0)

    conversation = compile_scripts({})
    answer: Any = None
    try:
        while True:
            answer = conversation.send(None if answer is None else heard(answer))
    except StopIteration as end:
        return end.value
