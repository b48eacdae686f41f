"""The process of one hook: standard input to the server, its answer to standard output.

Nothing that fails here may stop an agent: the answer is empty then, and the exit code 0.
"""

from __future__ import annotations

import _thread
import os
import time

from mcp_server.hook import CLIENTS, NotCarriedError
from mcp_server.hook.guarded_http import Carried, exchange
from mcp_server.hook.hook_log import log
from mcp_server.hook.server_record import find_server, text_after

MAX_EVENT_BYTES = 4 * 1024 * 1024
"""Largest event that a server takes."""

ANSWER_S = 0.3
"""How long an agent waits for the server around a tool call, in seconds."""

STOP_S = 60.0
"""The same at the end of its turn, where the compiler may be asked."""

READ_S = 3.0
"""How long the client may take to write the event, in seconds."""

_STOPS = ("Stop", "stop", "agentStop", "AfterAgent", "session.idle")
_NAME_KEYS = (b"hook_event_name", b"hookEventName", b"hookName", b"agent_action_name")
_MAX_NAME = 40


def carry(client: str) -> int:
    """Answer the event on standard input; return the exit code."""
    client = client[:_MAX_NAME]
    answer = Carried()
    try:
        answer = _answered(client)
    except NotCarriedError as error:
        log(client, str(error))
    except BaseException as error:  # whatever it is, the agent goes on
        log(client, f"{type(error).__name__}: {error}")
    try:
        _write(1, answer.stdout)
        _write(2, answer.stderr)
    except OSError:  # nobody reads it
        pass
    return answer.exit_code


def _answered(client: str) -> Carried:
    if client not in CLIENTS:
        raise NotCarriedError(f"there is no client of that name; known: {', '.join(CLIENTS)}")
    _end_after(READ_S, client, "the client did not end its event")
    event = _read_event()
    within_s = STOP_S if _is_stop(event) else ANSWER_S * _patience()
    _end_after(within_s + READ_S, client, "the client did not read the answer")
    return exchange(find_server(event), client, event, within_s)


def _patience() -> int:
    """Return the factor that ``mcp_server.guard.patience`` describes."""
    given = os.environ.get("UNITY_SNIPPET_GUARD_PATIENCE", "")
    return min(max(1, int(given)), 100) if given.isdigit() else 1


def _is_stop(event: bytes) -> bool:
    return any(text_after(event, key) in _STOPS for key in _NAME_KEYS)


def _read_event() -> bytes:
    parts: list[bytes] = []
    size = 0
    while part := os.read(0, 1 << 16):
        parts.append(part)
        size += len(part)
        if size > MAX_EVENT_BYTES:
            raise NotCarriedError(f"the event has more than {MAX_EVENT_BYTES:,} bytes")
    if not size:
        raise NotCarriedError("there was no event on standard input")
    return b"".join(parts)


def _write(descriptor: int, data: bytes) -> None:
    while data:
        data = data[os.write(descriptor, data) :]


_timers = 0


def _end_after(seconds: float, client: str, reason: str) -> None:
    """End the process in so many seconds, unless this is called again before."""
    global _timers  # noqa: PLW0603 - one process, one event
    _timers += 1
    _thread.start_new_thread(_end_late, (_timers, seconds, client, reason))


def _end_late(number: int, seconds: float, client: str, reason: str) -> None:
    time.sleep(seconds)
    if number == _timers:
        log(client, reason)
        os._exit(0)
