"""How long to wait for an Editor that isn't ready (docs/design/server-and-bridge.md §5)."""

from __future__ import annotations

from dataclasses import dataclass

from unity_bridge.editor_state import EditorView
from unity_bridge.timing import Timing


@dataclass(frozen=True, slots=True)
class Window:
    """Waiting ends at ``until_ms``; ``compiling`` says that a compile or reload explains it."""

    until_ms: float
    compiling: bool


def wait_window(view: EditorView, since_ms: float, timing: Timing) -> Window:
    """The window of something that has waited since ``since_ms``.

    It ends after ``request_reconnect_wait_ms`` when nothing is known. After a compile or reload
    it ends ``compile_grace_timeout_ms`` later, or that long after the Editor was last known to
    be busy.
    """
    plain = since_ms + timing.request_reconnect_wait_ms
    if view.busy_seen_ms is None:
        return Window(plain, compiling=False)
    grace = min(since_ms, view.busy_seen_ms) if not view.connected else since_ms
    until = grace + timing.compile_grace_timeout_ms
    return Window(until, compiling=True) if until > plain else Window(plain, compiling=False)


def answer_window(
    view: EditorView, *, sent_epoch: int, same_plugin: bool, lost_ms: float, timing: Timing
) -> float | None:
    """Until when a request that was sent on connection ``sent_epoch`` may still be answered.

    ``None``: as long as its caller waits, because the plugin that has it is connected. Else the
    Editor has to come back within its window, and to answer soon after it is ready again: it
    doesn't say whether it still knows the request. ``lost_ms`` is when the connection ended.
    """
    if view.connected and (view.epoch == sent_epoch or same_plugin):
        return None
    if view.ready:
        return view.since_ms + timing.request_reconnect_wait_ms
    return wait_window(view, lost_ms, timing).until_ms
