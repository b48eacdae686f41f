"""The constants of the bridge (docs/design/server-and-bridge.md §8)."""

from __future__ import annotations

from dataclasses import dataclass

PROTOCOL_VERSION = 1
MAX_MESSAGE_BYTES = 1_048_576
"""Largest frame either side may send, in bytes of UTF-8."""

UNITY_WS_PATH = "/unity"


@dataclass(frozen=True, slots=True)
class Timing:
    """How long things may take, in milliseconds."""

    request_reconnect_wait_ms: float = 2_500
    compile_grace_timeout_ms: float = 60_000
    heartbeat_interval_ms: float = 3_000
    heartbeat_timeout_ms: float = 4_500
    hello_timeout_ms: float = 5_000
    probe_timeout_ms: float = 2_000
    """How long a connection has to show that it lives, when its Editor connects again. Shorter than
    a plugin waits for the answer to its ``hello``."""
    silence_limit_ms: float = 15_000
    """For plugins that get no pings: how long they may say nothing."""
