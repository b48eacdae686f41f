"""``get_play_mode_state`` and ``control_play_mode`` over the Pipeline.

Implements docs/design/pipeline.md §7. "Entered play mode" is not believed: play mode is looked at.
``editor_pause`` is a toggle, so it is used only where something is to change.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from typing import Any

from unity_bridge.link import (
    Answer,
    Completed,
    Failed,
    NotSent,
    OutcomeUnknown,
)
from unity_bridge.pipeline.conversations.compile_errors import in_words, known_compile_errors
from unity_bridge.pipeline.conversations.conversation import (
    Ask,
    Conversation,
    Pause,
    blocked,
    execute,
    look,
    no_result,
)
from unity_bridge.pipeline.envelopes import CommandFailed, Lost, Result
from unity_bridge.pipeline.sightings import PlayMode
from unity_bridge.pipeline.vocabulary import Operation

LOOK_AGAIN_MS = 100
"""How long to wait before looking again whether play mode has changed."""

LOOKS = 25
"""How often it is looked for, once nothing seems to be on its way any more."""

LOOKS_IN_ALL = 60
"""How often it is looked for, whatever happens."""

AWAY = NotSent("ERR_UNITY_DISCONNECTED", "the Unity Editor doesn't answer just now")


def get_play_mode_state(_params: Mapping[str, Any]) -> Conversation:
    """The play mode, as it is now."""
    seen = yield from look()
    if seen is None:
        return AWAY
    return blocked(seen) or Completed({"state": seen.play_mode.value, **_flags(seen.play_mode)})


def control_play_mode(params: Mapping[str, Any]) -> Conversation:
    """Start, stop or pause, and answer with what was seen of it."""
    action = params["action"]
    seen = yield from look()
    if seen is None:
        return AWAY
    in_the_way = blocked(seen)
    if in_the_way is not None:
        return in_the_way
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
        return (yield from _reach(action, Operation.TOGGLE_PAUSE, PlayMode.PAUSED))
    if mode is PlayMode.PAUSED:  # both start and stop clear pause first
        unpaused = yield from _reach(action, Operation.TOGGLE_PAUSE, PlayMode.PLAYING)
        if not isinstance(unpaused, Completed):
            return unpaused
        mode = PlayMode.PLAYING
    wanted = PlayMode.PLAYING if action == "start" else PlayMode.STOPPED
    if mode is wanted:
        return _accepted(action, mode)
    operation = Operation.PLAY if action == "start" else Operation.STOP
    return (yield from _reach(action, operation, wanted))


def stop_playing() -> Generator[Ask, Any, Answer | None]:
    """Leave play mode; ``None`` once it is left, else why it isn't."""
    answer = yield from control_play_mode({"action": "stop"})
    if isinstance(answer, Completed) and answer.body["is_playing"]:
        return Failed("ERR_INVALID_STATE", "The Editor did not leave play mode.")
    return None if isinstance(answer, Completed) else answer


def _reach(action: str, operation: Operation, wanted: PlayMode) -> Conversation:
    reply = yield from execute(operation)
    if not isinstance(reply, Result | Lost | CommandFailed):
        return no_result(reply)
    mode, on_its_way = yield from _watch(wanted)
    if mode is wanted:
        return _accepted(action, mode)
    if isinstance(reply, CommandFailed):
        return no_result(reply)
    if action == "start" and not on_its_way:
        errors = yield from known_compile_errors()
        if errors:
            return Failed(
                "ERR_COMPILE_ERRORS",
                f"Unity doesn't enter play mode with compile errors: {in_words(errors[0])}",
                {"errors": errors},
            )
    if isinstance(reply, Lost) or mode is None:
        return OutcomeUnknown("the Unity Editor went away while it changed its play mode")
    return _accepted(action, mode, will_change=on_its_way)


def _watch(wanted: PlayMode) -> Generator[Ask, Any, tuple[PlayMode | None, bool]]:
    """The play mode that was seen last; and whether a change seemed to be on its way still."""
    mode: PlayMode | None = None
    idle = 0
    for _ in range(LOOKS_IN_ALL):
        seen = yield from look()
        moving = seen is None or seen.state.busy
        mode = mode if seen is None else seen.play_mode
        if seen is not None and mode is wanted and not moving:
            return mode, False
        idle = 0 if moving else idle + 1
        if idle >= LOOKS or (seen is not None and seen.dialog is not None):
            return mode, False
        yield Pause(LOOK_AGAIN_MS)
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
