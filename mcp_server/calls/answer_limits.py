"""How long a client of the server waits for an answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mcp_server.contract.catalog import CATALOG
from mcp_server.contract.tool_spec import Executor, ToolSpec

ANSWER_MARGIN_S = 5.0
"""How much longer than the call's own timeout its answer may take, in seconds."""

HELD_WITHOUT_PROGRESS_S = 45.0
"""How long a call without progress reports may wait for a person's approval, in seconds.

Many clients give up after a minute.
"""

_WAIT_MARGIN_MS = 90_000
"""The least time for a call that starts a job, in milliseconds: the Editor may connect late."""


def answer_limit_s(spec: ToolSpec, arguments: Mapping[str, Any]) -> float:
    """Return how long to wait for the answer, in seconds."""
    timeout_ms = spec.timeout_ms(arguments)
    if spec.is_gated(arguments):  # compiles before and after the edit, and after its undo
        timeout_ms = 2 * timeout_ms + 3 * CATALOG["compile"].default_timeout_ms
    if "job_id" in spec.output_schema["properties"]:
        timeout_ms = max(timeout_ms, _WAIT_MARGIN_MS)
    return timeout_ms / 1000 + ANSWER_MARGIN_S


def limit_without_progress_s(spec: ToolSpec, arguments: Mapping[str, Any]) -> float:
    """Return how long to wait for the answer of a held call whose client gets no progress.

    A held call runs twice: before a person sees it, and after the approval.
    """
    limit_s = answer_limit_s(spec, arguments)
    if spec.executor is not Executor.LOCAL or not spec.changes_things(arguments):
        return limit_s
    return limit_s + HELD_WITHOUT_PROGRESS_S + spec.timeout_ms(arguments) / 1000
