"""Calls a tool for a command: in this process, on the server, or not at all.

Implements docs/design/command-line.md "Tools" and ``--dry-run``: script tools run here, the Unity
Editor's go to the server that it is connected to, and a dry run holds back what changes things.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mcp_server.calls.dry_run import Suppressed, suppress
from mcp_server.calls.local_tools import LocalTools
from mcp_server.calls.server_address import read_url
from mcp_server.calls.server_proof import is_local
from mcp_server.calls.server_status import (
    NoStatus,
    ask_status,
    is_same_folder,
    other_project,
    unreachable,
)
from mcp_server.contract.catalog import ExecutionMode, Executor, ToolSpec
from mcp_server.contract.errors import ToolError
from mcp_server.contract.outcome import Outcome
from snippet_engine.asker import asking
from snippet_engine.checked_params import CheckedParams

if TYPE_CHECKING:
    from mcp_server.calls.remote_tools import OnJobStatus


COMMAND_LINE = "unity-cli"
"""Who asks for what the command line does."""

STATUS_LIMIT_S = 10.0
"""How long each step of asking which project the server works in may take, in seconds."""


class ToolCaller:
    """Calls tools. ``close`` it when done."""

    def __init__(self, project: Path | None, *, lsp: str, url: str, dry_run: bool = False) -> None:
        """``lsp`` is a valid value of ``--lsp``; ``url`` is where the server answers."""
        self._local_tools = LocalTools(project, lsp)
        self._url = url
        self._project = project
        self._dry_run = dry_run

    def call(
        self, spec: ToolSpec, params: CheckedParams, on_job_status: OnJobStatus | None = None
    ) -> Outcome | Suppressed:
        """Call the tool, however it ends; with ``on_job_status``, which hears how it comes along, a
        job is waited for."""
        if self._dry_run and spec.changes_things(params):
            return suppress(spec, params, self._local_tools)
        if spec.executor is Executor.LOCAL:
            with asking(COMMAND_LINE):
                return self._local_tools.call_in_time(spec, params)
        url = read_url(self._url)
        if isinstance(url, ToolError):
            return url
        refused = self._other_project(url)
        if refused is not None:
            return refused
        from mcp_server.calls.remote_tools import RemoteTools  # noqa: PLC0415 - loads the MCP SDK

        server = RemoteTools(url, project=self._project)
        if on_job_status is None or spec.execution_mode is not ExecutionMode.JOB:
            return server.call(spec, params, on_job_status)
        return server.run_job(spec, params, on_job_status)

    def refusal(self, calls: Iterable[tuple[ToolSpec, CheckedParams]]) -> ToolError | None:
        """Why none of ``calls`` may be made: some are for the Editor of another project.

        Asked before the first of many, so that no script is changed for a compile elsewhere.
        """
        sent = any(
            spec.executor is not Executor.LOCAL
            and not (self._dry_run and spec.changes_things(params))
            for spec, params in calls
        )
        url = read_url(self._url)
        if not sent or isinstance(url, ToolError):
            return None
        return self._other_project(url, must_answer=False)

    def _other_project(self, url: str, *, must_answer: bool = True) -> ToolError | None:
        if self._project is None or not is_local(url):
            return None
        status = ask_status(url, None, STATUS_LIMIT_S, self._project)
        if isinstance(status, NoStatus):
            told = must_answer and status.answered
            return unreachable(url, status.reason, answered=True) if told else None
        served = status.project or status.editor_project
        if served is None or is_same_folder(served, self._project):
            return None
        return other_project(url, served, self._project)

    def close(self) -> None:
        """End what calls have started."""
        self._local_tools.close()


def with_timeout(params: Any, timeout_s: float | None) -> Any:
    """``params`` with ``--timeout`` as its ``timeout_ms``, where that isn't given."""
    if timeout_s is None or not isinstance(params, dict):
        return params
    return {"timeout_ms": max(1, round(timeout_s * 1000)), **params}


def job_failure(spec: ToolSpec, result: Mapping[str, Any]) -> str | None:
    """What a call that worked tells of something that did not: code that doesn't compile, the job
    that it started, or a test.

    A call that only reports on a job has done what it does, however that job ended.
    """
    if spec.name == "compile" and result.get("status") == "failed":
        return "the scripts don't compile"
    if spec.execution_mode is not ExecutionMode.JOB:
        return None
    state = result.get("state")
    if state == "unknown":
        return "what became of the job is not known"
    if state in ("failed", "timeout", "cancelled"):
        return f"the job ended as {state}"
    failed = (result.get("result") or {}).get("failed_tests")
    if failed:
        return f"{len(failed)} test{'s' if len(failed) > 1 else ''} failed"
    return None
