"""What is known of the Editor: the tracker behind ``get_editor_state`` and all waiting.

Implements docs/design/wire-protocol.md §4 and docs/design/server-and-bridge.md §5. A view is a
value; each function gives the view after something was seen.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from unity_bridge.timing import Timing


class EditorState(StrEnum):
    """The Editor's state, as ``get_editor_state`` says it."""

    UNKNOWN = "unknown"
    """No Editor is connected."""
    READY = "ready"
    COMPILING = "compiling"
    RELOADING = "reloading"

    @property
    def busy(self) -> bool:
        """Whether the Editor is there but takes no requests."""
        return self in (EditorState.COMPILING, EditorState.RELOADING)

    @classmethod
    def told(cls, word: object) -> EditorState | None:
        """What a plugin means by ``word``; ``None`` for what is no state."""
        return _TOLD.get(word) if isinstance(word, str) else None


_TOLD = {
    "ready": EditorState.READY,
    "compiling": EditorState.COMPILING,
    "reloading": EditorState.RELOADING,
    # The first protocol's: as a rule, the domain is reloaded on the way.
    "entering_play_mode": EditorState.RELOADING,
    "exiting_play_mode": EditorState.RELOADING,
}


@dataclass(frozen=True, slots=True)
class Obstacle:
    """What keeps an Editor from taking requests, and doesn't end by waiting.

    ``reason`` is a ``waiting_reason``; ``message`` says what is there and what to do; ``details``
    are for callers.
    """

    reason: str
    message: str
    details: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Blocked:
    """The Editor's main thread has not run since ``since_ms``; ``dialog`` is the title of an open
    dialog, where the Editor's process can see one."""

    since_ms: float
    dialog: str | None = None

    @classmethod
    def told(cls, fields: object, now: float) -> Blocked | None:
        """What a plugin says of it; ``None`` for what makes no sense, and while the thread runs."""
        if not isinstance(fields, dict) or not isinstance(fields.get("for_ms"), int):
            return None
        dialog = fields.get("dialog")
        return cls(now - max(0, fields["for_ms"]), dialog if isinstance(dialog, str) else None)


@dataclass(frozen=True, slots=True)
class EditorView:
    """What is known of the Editor. Times are the clock's milliseconds.

    ``epoch`` counts the connections that were accepted; ``since_ms`` is when ``state`` became
    what it is. ``busy_seen_ms`` is when the Editor was last known to compile or reload, as long
    as that explains its absence; ``was_busy`` which of the two it was. ``plugin_session`` names
    the plugin's memory: requests in flight die with it. ``open_requests`` are those that it said
    in its ``hello`` to have still; ``None`` if it didn't say. ``request_memory`` names what it
    remembers of ``client_request_id``s; ``None`` if it remembers nothing. ``returns`` says that it
    left to reload its domain. ``blocked`` says that its main thread doesn't run, ``reload_locked``
    that it compiles for as long as somebody holds a lock on domain reloads. ``obstacle`` is what
    somebody has to do away with, if anything.
    """

    state: EditorState = EditorState.UNKNOWN
    connected: bool = False
    epoch: int = 0
    seq: int = 0
    since_ms: float = 0
    busy_seen_ms: float | None = None
    was_busy: EditorState | None = None
    plugin_version: str | None = None
    unity_version: str | None = None
    project: str | None = None
    editor_instance: str | None = None
    plugin_session: str | None = None
    open_requests: frozenset[str] | None = None
    request_memory: str | None = None
    takes_jobs: bool = True
    returns: bool = False
    blocked: Blocked | None = None
    reload_locked: bool = False
    obstacle: Obstacle | None = None

    @property
    def ready(self) -> bool:
        """Whether requests can be sent."""
        return self.connected and self.state is EditorState.READY and self.obstacle is None

    @property
    def obstructed(self) -> bool:
        """Whether it is there and takes nothing, so that to wait for it would be in vain."""
        return self.connected and self.obstacle is not None

    @property
    def tells_of_jobs(self) -> bool:
        """Whether its plugin tells of every change of a job's state by itself."""
        return self.request_memory is not None


@dataclass(frozen=True, slots=True)
class Introduction:
    """What a plugin says of itself in its ``hello``."""

    state: EditorState
    plugin_version: str
    unity_version: str | None = None
    project: str | None = None
    editor_instance: str | None = None
    plugin_session: str | None = None
    open_requests: frozenset[str] | None = None
    request_memory: str | None = None
    takes_jobs: bool = True


def introduced(view: EditorView, who: Introduction, now: float) -> EditorView:
    """A connection was accepted: its state is the truth, and its sequence numbers start over."""
    return EditorView(
        state=who.state,
        connected=True,
        epoch=view.epoch + 1,
        seq=0,
        since_ms=now,
        busy_seen_ms=now if who.state.busy else view.busy_seen_ms,
        was_busy=who.state if who.state.busy else view.was_busy,
        plugin_version=who.plugin_version,
        unity_version=who.unity_version,
        project=who.project,
        editor_instance=who.editor_instance,
        plugin_session=who.plugin_session,
        open_requests=who.open_requests,
        request_memory=who.request_memory,
        takes_jobs=who.takes_jobs,
    )


def observed(
    view: EditorView,
    state: EditorState,
    seq: int,
    now: float,
    blocked: Blocked | None = None,
    *,
    reload_locked: bool = False,
) -> EditorView | None:
    """The connected Editor reports ``state``; ``None`` for a report older than one seen."""
    if seq < view.seq:
        return None
    before = view.blocked
    if blocked is not None and before is not None and blocked.dialog == before.dialog:
        blocked = before  # the same; messages take more or less long to come
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


def departed(view: EditorView, now: float, timing: Timing, *, seen_leaving: bool) -> EditorView:
    """The connection ended.

    An Editor that was busy, or had been until a moment ago, is taken to reload: between the end
    of a compile and its reload it can look ready. ``seen_leaving`` says that the socket closed
    just now; else the Editor fell silent, nobody knows when.
    """
    busy = view.state.busy
    settling = (
        view.state is EditorState.READY
        and view.busy_seen_ms is not None
        and now - view.since_ms < timing.request_reconnect_wait_ms
        and now - view.busy_seen_ms < timing.compile_grace_timeout_ms
    )
    explains = busy or settling
    return replace(
        view,
        state=EditorState.UNKNOWN,
        connected=False,
        since_ms=now,
        busy_seen_ms=(now if seen_leaving else view.busy_seen_ms) if explains else None,
        was_busy=(view.state if busy else EditorState.RELOADING) if explains else None,
        returns=view.state is EditorState.RELOADING,
        blocked=None,
        reload_locked=False,
    )
