"""Read the Editor's polled status and update the common view.

Implements docs/design/pipeline.md §5. Pure. The Editor looks ready between a ``completed`` compile
and its reload. So it counts as ready only after two ready answers in a row.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from unity_bridge.editor_state import (
    Blocked,
    EditorState,
    EditorView,
    Obstacle,
    after_disconnect,
    after_hello,
    after_status,
)
from unity_bridge.pipeline.replies import field_of, list_field, text_field
from unity_bridge.timing import Timing

READY_IN_A_ROW = 2
"""How many ready answers in a row make the Editor ready."""


class PlayMode(StrEnum):
    """The Editor's play mode, in its own words."""

    STOPPED = "stopped"
    PLAYING = "playing"
    PAUSED = "paused"


@dataclass(frozen=True, slots=True)
class Sighting:
    """One answer of ``/api/editor_status``."""

    state: EditorState
    """``READY`` whenever the Editor takes commands, also in play mode."""
    play_mode: PlayMode
    project: str
    unity_version: str | None = None
    dialog: Mapping[str, Any] | None = None
    """The open dialog."""

    @property
    def playing(self) -> bool:
        """Return whether the Editor is in play mode, paused or not."""
        return self.play_mode is not PlayMode.STOPPED


@dataclass(frozen=True, slots=True)
class Tally:
    """Counts of an Editor's reloads, compiles and plays, over all polls."""

    reloads: int = 0
    """Domain reloads, or absences that look like one."""
    compiles: int = 0
    """Beginnings of a compile."""
    plays: int = 0
    """Polls that found play mode."""

    def after(self, earlier: Sighting | None, seen: Sighting | None, *, moved: bool) -> Tally:
        """Return the tally after the poll ``seen``, which followed ``earlier``.

        ``moved`` says that the Editor now listens on another socket, as after a reload between two
        polls.
        """
        reloading, was_reloading = _reloading(seen), _reloading(earlier)
        compiles = seen is not None and seen.state is EditorState.COMPILING
        compiled = earlier is not None and earlier.state is EditorState.COMPILING
        return Tally(
            self.reloads + (moved or (reloading and not was_reloading)),
            self.compiles + (compiles and not compiled),
            self.plays + (seen is not None and seen.playing),
        )


def _reloading(seen: Sighting | None) -> bool:
    return seen is None or seen.state is EditorState.RELOADING


_STATES = {
    "ready": EditorState.READY,
    "playing": EditorState.READY,
    "blocked_by_dialog": EditorState.READY,
    "compiling": EditorState.COMPILING,
    "reloading": EditorState.RELOADING,
    "settling": EditorState.RELOADING,
}


def read_sighting(document: Any) -> Sighting | None:
    """Return the sighting in a status; ``None`` if it isn't one."""
    word, project = field_of(document, "status"), field_of(document, "projectPath")
    state = _STATES.get(word) if isinstance(word, str) else None
    if state is None or not isinstance(project, str):
        return None
    if field_of(document, "domainReloadInProgress") is True:
        state = EditorState.RELOADING
    elif field_of(document, "compiling") is True:
        state = EditorState.COMPILING
    try:
        play_mode = PlayMode(field_of(document, "playMode"))
    except ValueError:
        play_mode = PlayMode.PLAYING if word == "playing" else PlayMode.STOPPED
    version = field_of(document, "unityVersion")
    return Sighting(
        state,
        play_mode,
        project,
        version if isinstance(version, str) else None,
        _dialog(document) if word == "blocked_by_dialog" else None,
    )


def _dialog(document: Any) -> dict[str, Any]:
    dialog = field_of(document, "dialog")
    return {
        "title": text_field(dialog, "title"),
        "message": text_field(dialog, "message"),
        "buttons": [each for each in list_field(dialog, "buttons") if isinstance(each, str)],
    }


def dialog_obstacle(dialog: Mapping[str, Any]) -> Obstacle:
    """Return the dialog as an obstacle."""
    title = f" {dialog['title']!r}" if dialog["title"] else ""
    message = f"a dialog{title} is open in the Unity Editor; answer it there, then call again"
    return Obstacle("blocked_by_dialog", message, {"dialog": dict(dialog)})


MAYBE_SAFE_MODE = Obstacle(
    "maybe_safe_mode",
    "Unity has the project open, but no package in it answers. It may be in Safe Mode because of "
    "compile errors; edit_snippet can repair them without the Editor",
)


@dataclass(frozen=True, slots=True)
class Watched:
    """The view, and how many ready answers came in a row."""

    view: EditorView = field(default_factory=EditorView)
    ready_in_a_row: int = 0
    session: str = ""
    """Names this server's memory of its requests."""


def seen(
    watched: Watched, sighting: Sighting, pid: int, open_requests: frozenset[str], now: float
) -> Watched:
    """Return the view after the Editor, process ``pid``, answered.

    ``open_requests`` are those in flight.
    """
    view = watched.view
    looks_ready = sighting.state is EditorState.READY and sighting.dialog is None
    in_a_row = watched.ready_in_a_row + 1 if looks_ready else 0
    watched = replace(watched, ready_in_a_row=min(in_a_row, READY_IN_A_ROW))
    if looks_ready and in_a_row < READY_IN_A_ROW and not view.ready and view.obstacle is None:
        return watched
    obstacle = None if sighting.dialog is None else dialog_obstacle(sighting.dialog)
    if not view.connected:
        hello = EditorView(
            state=sighting.state,
            unity_version=sighting.unity_version,
            project=sighting.project,
            editor_instance=f"process-{pid}",
            plugin_session=watched.session,
            open_requests=open_requests,
        )
        view = after_hello(view, hello, now)
    elif sighting.state is not view.state or obstacle != view.obstacle:
        changed = after_status(view, sighting.state, view.seq + 1, now)
        assert changed is not None
        view = changed
    blocked = None
    if sighting.dialog is not None:
        since = view.blocked.since_ms if view.blocked is not None else now
        blocked = Blocked(since, sighting.dialog["title"] or None)
    return replace(watched, view=replace(view, obstacle=obstacle, blocked=blocked))


def missed(watched: Watched, now: float, timing: Timing, *, process_alive: bool) -> Watched:
    """Return the view after the Editor did not answer; it is reloading while its process lives."""
    view = watched.view
    watched = replace(watched, ready_in_a_row=0)
    if not view.connected:
        return watched
    if process_alive and not view.state.busy:
        view = replace(view, state=EditorState.RELOADING, busy_seen_ms=now)
    return replace(
        watched,
        view=replace(after_disconnect(view, now, timing, seen_leaving=True), obstacle=None),
    )


def no_editor(watched: Watched, *, locked: bool) -> Watched:
    """Return the view without a usable Editor; ``locked`` says that one has the project open."""
    view = watched.view
    obstacle = MAYBE_SAFE_MODE if locked else None
    if view.connected or view.obstacle == obstacle:
        return watched
    return replace(watched, view=replace(view, obstacle=obstacle))
