"""The constants of the bridge (docs/design/server-and-bridge.md §8), in milliseconds and bytes."""

from __future__ import annotations

from dataclasses import dataclass

PROTOCOL_VERSION = 1
MAX_MESSAGE_BYTES = 1_048_576
"""Largest frame that either side may send, in bytes of UTF-8."""

UNITY_WS_PATH = "/unity"


@dataclass(frozen=True, slots=True)
class Timing:
    """Time limits of waiting and of the ``/unity`` session, in milliseconds."""

    request_reconnect_wait_ms: float = 2_500
    compile_grace_timeout_ms: float = 60_000
    heartbeat_interval_ms: float = 3_000
    heartbeat_timeout_ms: float = 4_500
    hello_timeout_ms: float = 5_000
    probe_timeout_ms: float = 2_000
    """For a connection to answer a ping when its Editor connects again.

    Shorter than a plugin waits for the answer to its ``hello``.
    """
    silence_limit_ms: float = 15_000
    """For a plugin that gets no pings to send anything."""


@dataclass(frozen=True, slots=True)
class Pace:
    """How often the Editor is polled over the Pipeline, and its time limits, in milliseconds."""

    idle_ms: float = 1_000
    """Between two polls of an idle Editor."""
    busy_ms: float = 200
    """Between two polls around a compile or a reload."""
    compile_look_ms: float = 200
    """Between two polls of a compile that was asked for."""
    play_look_ms: float = 100
    """Between two polls of the play mode that was asked for."""
    retry_ms: float = 100
    """Before a command that did not run is sent again."""
    status_file_ms: float = 250
    """Between two reads of a test run's status file."""
    test_start_ms: float = 120_000
    """For a test run to start."""
    accept_limit_ms: float = 25_000
    """For the Editor to accept a test run."""
    command_limit_ms: float = 5_000
    """For a command that no caller waits for."""
