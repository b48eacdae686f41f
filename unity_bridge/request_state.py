"""The states of one request to the Editor (docs/design/server-and-bridge.md §6).

``python -m unity_bridge.request_state`` prints the table.
"""

from __future__ import annotations

from enum import StrEnum

from unity_bridge.transitions import Transitions


class RequestState(StrEnum):
    """Where a request stands."""

    RECEIVED = "received"
    WAITING_EDITOR_READY = "waiting_editor_ready"
    """The Editor is away or busy; nothing has been sent."""
    QUEUED = "queued"
    """The Editor is ready; another request is being answered. Nothing has been sent."""
    RUNNING = "running"
    """Sent; what it did is unknown until the answer comes."""
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    TIMEOUT = "timeout"
    CANCELLED = "cancelled"


class RequestEvent(StrEnum):
    """What can happen to a request."""

    EDITOR_AWAY = "editor_away"
    EDITOR_READY = "editor_ready"
    SENT = "sent"
    ANSWERED_OK = "answered_ok"
    ANSWERED_ERROR = "answered_error"
    REFUSED = "refused"
    """It can't be started: too many wait, the window is over, or the server stops."""
    LOST = "lost"
    """Sent, and the answer did not come in the windows for that."""
    CALLER_TIMEOUT = "caller_timeout"
    CANCEL = "cancel"


_UNSENT = {
    RequestEvent.REFUSED: RequestState.FAILED,
    RequestEvent.CALLER_TIMEOUT: RequestState.TIMEOUT,
    RequestEvent.CANCEL: RequestState.CANCELLED,
}

REQUEST_TRANSITIONS = Transitions[RequestState, RequestEvent](
    {
        RequestState.RECEIVED: {
            RequestEvent.EDITOR_AWAY: RequestState.WAITING_EDITOR_READY,
            RequestEvent.EDITOR_READY: RequestState.QUEUED,
            RequestEvent.REFUSED: RequestState.FAILED,
        },
        RequestState.WAITING_EDITOR_READY: {
            RequestEvent.EDITOR_READY: RequestState.QUEUED,
            **_UNSENT,
        },
        RequestState.QUEUED: {
            RequestEvent.SENT: RequestState.RUNNING,
            RequestEvent.EDITOR_AWAY: RequestState.WAITING_EDITOR_READY,
            **_UNSENT,
        },
        RequestState.RUNNING: {
            RequestEvent.ANSWERED_OK: RequestState.SUCCEEDED,
            RequestEvent.ANSWERED_ERROR: RequestState.FAILED,
            RequestEvent.LOST: RequestState.FAILED,
            RequestEvent.CALLER_TIMEOUT: RequestState.TIMEOUT,
        },
        RequestState.SUCCEEDED: {},
        RequestState.FAILED: {},
        RequestState.TIMEOUT: {},
        RequestState.CANCELLED: {},
    }
)

if __name__ == "__main__":
    print(REQUEST_TRANSITIONS.as_text())
