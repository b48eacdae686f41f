"""Play mode: exact answers, with and without a domain reload on entering it."""

from __future__ import annotations

from typing import Any

import pytest
from stage import Stage

pytestmark = pytest.mark.anyio


def flags(playing: bool, paused: bool, will: bool) -> dict[str, Any]:
    return {
        "is_playing": playing,
        "is_paused": paused,
        "is_playing_or_will_change_playmode": will,
    }


@pytest.mark.sampled(one_in=2)
@pytest.mark.parametrize("reloads", [True, False], ids=["with reload", "without reload"])
async def test_start_pause_stop(anywhere: Stage, reloads: bool) -> None:
    stage = anywhere
    await stage.do(f"play-reload {'on' if reloads else 'off'}")
    assert await stage.result("control_play_mode", action="start") == {
        "action": "start",
        "accepted": True,
        **flags(False, False, True),
    }
    await stage.wait("play_mode", playing=True)
    assert await stage.result("get_play_mode_state") == {
        "state": "playing",
        "unsaved": [],
        **flags(True, False, True),
    }
    assert await stage.result("control_play_mode", action="pause") == {
        "action": "pause",
        "accepted": True,
        **flags(True, True, True),
    }
    assert await stage.result("get_play_mode_state") == {
        "state": "paused",
        "unsaved": [],
        **flags(True, True, True),
    }
    assert await stage.result("control_play_mode", action="start") == {
        "action": "start",
        "accepted": True,
        **flags(True, False, True),
    }
    await stage.result("control_play_mode", action="pause")
    assert await stage.result("control_play_mode", action="stop") == {
        "action": "stop",
        "accepted": True,
        **flags(True, False, False),
    }
    await stage.wait("play_mode", playing=False)
    assert await stage.result("get_play_mode_state") == {
        "state": "stopped",
        "unsaved": [],
        **flags(False, False, False),
    }
    reloaded = [event for event in stage.editor.events if event["event"] == "reloaded"]
    assert len(reloaded) == reloads


async def test_pause_outside_play_mode_is_an_invalid_state(stage: Stage) -> None:
    failed = await stage.error("control_play_mode", action="pause")
    assert failed["code"] == "ERR_UNITY_EXECUTION"
    assert failed["details"]["plugin_error_code"] == "ERR_INVALID_STATE"
    assert "not in play mode" in failed["details"]["plugin_message"]
    assert failed["details"]["execution_guarantee"] == "completed_error"
    assert failed["retryable"] is False


async def test_play_mode_by_hand_is_seen(stage: Stage) -> None:
    stage.editor.tell("play")
    await stage.wait("play_mode", playing=True)
    assert (await stage.result("get_play_mode_state"))["state"] == "playing"
    await stage.do("pause")
    assert (await stage.result("get_play_mode_state"))["state"] == "paused"


async def test_play_mode_refused_by_a_failed_compilation(stage: Stage) -> None:
    stage.editor.tell("compile-fail Assets/A.cs(3,4): CS1002: ; expected")
    await stage.wait("compiled", failed=True)
    refused = await stage.error("control_play_mode", action="start")
    assert refused["details"]["plugin_error_code"] == "ERR_COMPILE_ERRORS"
    assert refused["details"]["execution_guarantee"] == "not_executed"
    (error,) = refused["details"]["errors"]
    assert (error["path"], error["line"], error["code"]) == ("Assets/A.cs", 3, "CS1002")
    assert "Assets/A.cs(3,4)" in refused["message"]
    assert (await stage.result("get_play_mode_state"))["state"] == "stopped"
