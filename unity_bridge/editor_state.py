"""The server's view of the Editor, as a value, and how long to wait for the Editor.

Implements docs/design/wire-protocol.md §4 and docs/design/server-and-bridge.md §5. Each function
returns the view after one event.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from unity_bridge.timing import Timing


class EditorState(StrEnum):
    """The Editor's state in ``get_editor_state``."""

    UNKNOWN = "unknown"
    """No Editor is connected."""
    READY = "ready"
    COMPILING = "compiling"
    RELOADING = "reloading"

    @property
    def busy(self) -> bool:
        """Return whether the Editor is connected but takes no requests."""
        return self in (EditorState.COMPILING, EditorState.RELOADING)

    @classmethod
    def parse(cls, word: object) -> EditorState | None:
        """Return the state that a plugin reports as ``word``; ``None`` for any other word."""
        return _BY_WORD.get(word) if isinstance(word, str) else None


_BY_WORD = {
    "ready": EditorState.READY,
    "compiling": EditorState.COMPILING,
    "reloading": EditorState.RELOADING,
    # Words of the first protocol. Unity usually reloads the domain on both transitions.
    "entering_play_mode": EditorState.RELOADING,
    "exiting_play_mode": EditorState.RELOADING,
}


@dataclass(frozen=True, slots=True)
class Obstacle:
    """Why an Editor takes no requests, where waiting doesn't help."""

    reason: str
    """A ``waiting_reason``."""
    message: str
    """What to do."""
    details: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Blocked:
    """The Editor's main thread is blocked."""

    since_ms: float
    """When the main thread last ran."""
    dialog: str | None = None
    """The title of an open dialog, if known."""

    @classmethod
    def parse(cls, fields: object, now: float) -> Blocked | None:
        """Read a plugin's report; ``None`` while the thread runs, and for a malformed report."""
        if not isinstance(fields, dict) or not isinstance(fields.get("for_ms"), int):
            return None
        dialog = fields.get("dialog")
        return cls(now - max(0, fields["for_ms"]), dialog if isinstance(dialog, str) else None)


@dataclass(frozen=True, slots=True)
class EditorView:
    """The last known state of the Editor. Times are the clock's milliseconds."""

    state: EditorState = EditorState.UNKNOWN
    connected: bool = False
    epoch: int = 0
    """How many connections were accepted."""
    seq: int = 0
    since_ms: float = 0
    """When ``state`` began."""
    busy_seen_ms: float | None = None
    """When the Editor was last known to compile or reload, while that explains its absence."""
    was_busy: EditorState | None = None
    """The busy state that it had then."""
    plugin_version: str | None = None
    unity_version: str | None = None
    project: str | None = None
    editor_instance: str | None = None
    plugin_session: str | None = None
    """Names the plugin's memory; requests in flight are lost with it."""
    open_requests: frozenset[str] | None = None
    """The requests in flight that the ``hello`` lists; ``None`` if it has no list."""
    request_memory: str | None = None
    """Names the plugin's memory of ``client_request_id``s; ``None`` if it has none."""
    takes_jobs: bool = True
    returns: bool = False
    """Whether it disconnected to reload its domain."""
    blocked: Blocked | None = None
    reload_locked: bool = False
    """Whether it reports ``COMPILING`` because a lock holds back its domain reload."""
    obstacle: Obstacle | None = None

    @property
    def ready(self) -> bool:
        """Return whether requests can be sent."""
        return self.connected and self.state is EditorState.READY and self.obstacle is None

    @property
    def obstructed(self) -> bool:
        """Return whether the Editor is connected but takes no requests, however long one waits."""
        return self.connected and self.obstacle is not None

    @property
    def announces_jobs(self) -> bool:
        """Return whether its plugin reports every change of a job's state by itself."""
        return self.request_memory is not None


def after_hello(view: EditorView, hello: EditorView, now: float) -> EditorView:
    """Return the view once a connection was accepted.

    ``hello`` has the state and the identity from the plugin's ``hello``. It replaces any earlier
    state, and the sequence numbers start over.
    """
    busy = hello.state.busy
    return replace(
        hello,
        connected=True,
        epoch=view.epoch + 1,
        since_ms=now,
        busy_seen_ms=now if busy else view.busy_seen_ms,
        was_busy=hello.state if busy else view.was_busy,
    )


def after_status(
    view: EditorView,
    state: EditorState,
    seq: int,
    now: float,
    blocked: Blocked | None = None,
    *,
    reload_locked: bool = False,
) -> EditorView | None:
    """Return the view once the Editor reported ``state``; ``None`` for an outdated report."""
    if seq < view.seq:
        return None
    before = view.blocked
    if blocked is not None and before is not None and blocked.dialog == before.dialog:
        blocked = before  # the same block; only the message's delay differs
    return replace(
        view,
        blocked=blocked,
        reload_locked=reload_locked and state is EditorState.COMPILING,
        state=state,
        seq=seq,
        since_ms=now if state is not view.state else view.since_ms,
        busy_seen_ms=now if state.busy else view.busy_seen_ms,
        was_busy=state if state.busy else view.was_busy,
    )


def after_disconnect(
    view: EditorView, now: float, timing: Timing, *, seen_leaving: bool
) -> EditorView:
    """Return the view once the connection ended.

    An Editor that was busy a moment ago counts as reloading: between the end of a compile and its
    reload it can look ready. ``seen_leaving`` says that the socket closed just now; otherwise the
    Editor fell silent at an unknown time.
    """
    busy = view.state.busy
    settling = (
        view.state is EditorState.READY
        and view.busy_seen_ms is not None
        and now - view.since_ms < timing.request_reconnect_wait_ms
        and now - view.busy_seen_ms < timing.compile_grace_timeout_ms
    )
    explained = busy or settling
    return replace(
        view,
        state=EditorState.UNKNOWN,
        connected=False,
        since_ms=now,
        busy_seen_ms=(now if seen_leaving else view.busy_seen_ms) if explained else None,
        was_busy=(view.state if busy else EditorState.RELOADING) if explained else None,
        returns=view.state is EditorState.RELOADING,
        blocked=None,
        reload_locked=False,
    )


# -- how long to wait ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Window:
    """How long a request waits for the Editor."""

    until_ms: float
    compiling: bool
    """Whether it waits because of a compile or reload."""


def wait_window(view: EditorView, since_ms: float, timing: Timing) -> Window:
    """Return the window of a request that has waited since ``since_ms``.

    The window ends after ``request_reconnect_wait_ms`` if nothing is known. After a compile or
    reload it ends ``compile_grace_timeout_ms`` later, or that long after the Editor was last known
    to be busy.
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
    """Return until when a request sent on connection ``sent_epoch`` may still be answered.

    ``None`` means as long as its caller waits: the plugin that has the request is connected.
    Otherwise the Editor has to come back within its window, and answer soon after it is ready
    again. ``lost_ms`` is when the connection ended.
    """
    if view.connected and (view.epoch == sent_epoch or same_plugin):
        return None
    if view.ready:
        return view.since_ms + timing.request_reconnect_wait_ms
    return wait_window(view, lost_ms, timing).until_ms
