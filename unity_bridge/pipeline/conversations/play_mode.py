"""``get_play_mode_state`` and ``control_play_mode`` over the Pipeline.

Implements docs/design/pipeline.md §7. The answer "Entered play mode" is not believed: the state is
polled. ``editor_pause`` is a toggle, so it is sent only where the state must change.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from unity_bridge.link import Answer, Completed, Failed, NotSent, OutcomeUnknown
from unity_bridge.pipeline.conversations.compile_errors import known_compile_errors, one_line
from unity_bridge.pipeline.conversations.conversation import Editor, blocked
from unity_bridge.pipeline.replies import Result
from unity_bridge.pipeline.sightings import PlayMode
from unity_bridge.pipeline.vocabulary import Operation

LOOKS = 25
"""Maximum number of polls while no change seems under way."""

LOOKS_IN_ALL = 60
"""Maximum number of polls in all."""

AWAY = NotSent("ERR_UNITY_DISCONNECTED", "the Unity Editor doesn't answer just now")


async def get_play_mode_state(editor: Editor, _params: Mapping[str, Any]) -> Answer:
    """Return the play mode."""
    seen = await editor.look()
    if seen is None:
        return AWAY
    return blocked(seen) or Completed({"state": seen.play_mode.value, **_flags(seen.play_mode)})


async def control_play_mode(editor: Editor, params: Mapping[str, Any]) -> Answer:
    """Start, stop or pause, and return the state that was seen afterwards."""
    action = params["action"]
    seen = await editor.look()
    if seen is None:
        return AWAY
    dialog = blocked(seen)
    if dialog is not None:
        return dialog
    mode = seen.play_mode
    if action == "pause":
        if mode is PlayMode.STOPPED:
            return Failed(
                "ERR_INVALID_STATE",
                "The Editor is not in play mode, so there is nothing to pause. "
                "Start play mode first.",
            )
        if mode is PlayMode.PAUSED:
            return _accepted(action, mode)
        return await _reach(editor, action, Operation.TOGGLE_PAUSE, PlayMode.PAUSED)
    if mode is PlayMode.PAUSED:  # start and stop both clear pause first
        unpaused = await _reach(editor, action, Operation.TOGGLE_PAUSE, PlayMode.PLAYING)
        if not isinstance(unpaused, Completed):
            return unpaused
        mode = PlayMode.PLAYING
    wanted = PlayMode.PLAYING if action == "start" else PlayMode.STOPPED
    if mode is wanted:
        return _accepted(action, mode)
    operation = Operation.PLAY if action == "start" else Operation.STOP
    return await _reach(editor, action, operation, wanted)


async def stop_playing(editor: Editor) -> Answer | None:
    """Leave play mode; return ``None``, or why it wasn't left."""
    answer = await control_play_mode(editor, {"action": "stop"})
    if isinstance(answer, Completed) and answer.body["is_playing"]:
        return Failed("ERR_INVALID_STATE", "The Editor did not leave play mode.")
    return None if isinstance(answer, Completed) else answer


async def _reach(editor: Editor, action: str, operation: Operation, wanted: PlayMode) -> Answer:
    reply = await editor.exec(operation)
    if not isinstance(reply, Result | OutcomeUnknown | Failed):
        return reply
    mode, under_way = await _watch(editor, wanted)
    if mode is wanted:
        return _accepted(action, mode)
    if isinstance(reply, Failed):
        return reply
    if action == "start" and not under_way:
        errors = await known_compile_errors(editor)
        if errors:
            return Failed(
                "ERR_COMPILE_ERRORS",
                f"Unity doesn't enter play mode with compile errors: {one_line(errors[0])}",
                {"errors": errors},
            )
    if isinstance(reply, OutcomeUnknown) or mode is None:
        return OutcomeUnknown("the Unity Editor went away while it changed its play mode")
    return _accepted(action, mode, will_change=under_way)


async def _watch(editor: Editor, wanted: PlayMode) -> tuple[PlayMode | None, bool]:
    """Poll the play mode; return the last one, and whether a change still seemed under way."""
    mode: PlayMode | None = None
    idle = 0
    for _ in range(LOOKS_IN_ALL):
        seen = await editor.look()
        moving = seen is None or seen.state.busy
        mode = mode if seen is None else seen.play_mode
        if seen is not None and mode is wanted and not moving:
            return mode, False
        idle = 0 if moving else idle + 1
        if idle >= LOOKS or (seen is not None and seen.dialog is not None):
            return mode, False
        await editor.pause(editor.pace.play_look_ms)
    return mode, True


def _accepted(action: str, mode: PlayMode, *, will_change: bool = False) -> Completed:
    flags = _flags(mode)
    if will_change:
        flags["is_playing_or_will_change_playmode"] = True
    return Completed({"action": action, "accepted": True, **flags})


def _flags(mode: PlayMode) -> dict[str, bool]:
    playing = mode is not PlayMode.STOPPED
    return {
        "is_playing": playing,
        "is_paused": mode is PlayMode.PAUSED,
        "is_playing_or_will_change_playmode": playing,
    }
