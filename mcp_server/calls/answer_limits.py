"""How long a client of the server waits for an answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mcp_server.contract.catalog import CATALOG
from mcp_server.contract.tool_spec import Executor, ToolSpec

ANSWER_MARGIN_S = 5.0
"""How much longer than a call's own timeout its answer may take."""

HELD_UNTOLD_S = 45.0
"""How long a call may wait for a person's approval, if its client gets no progress, in seconds.

Many clients give up after a minute.
"""

_WAIT_MARGIN_MS = 90_000
"""Least time for a call that starts a job: it may have to wait for the Editor first."""


def answer_limit_s(spec: ToolSpec, arguments: Mapping[str, Any]) -> float:
    """Return how long the answer may take, in seconds."""
    timeout_ms = spec.timeout_ms(arguments)
    if spec.is_gated(arguments):  # compiled before, after, and once more if it is undone
        timeout_ms = 2 * timeout_ms + 3 * CATALOG["compile"].default_timeout_ms
    if "job_id" in spec.output_schema["properties"]:
        timeout_ms = max(timeout_ms, _WAIT_MARGIN_MS)
    return timeout_ms / 1000 + ANSWER_MARGIN_S


def untold_limit_s(spec: ToolSpec, arguments: Mapping[str, Any]) -> float:
    """Return how long the answer may take if the client gets no progress while its call is held.

    A held call runs twice: before it is shown, and once it is approved.
    """
    limit_s = answer_limit_s(spec, arguments)
    if spec.executor is not Executor.LOCAL or not spec.changes_things(arguments):
        return limit_s
    return limit_s + HELD_UNTOLD_S + spec.timeout_ms(arguments) / 1000
