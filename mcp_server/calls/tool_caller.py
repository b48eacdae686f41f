"""Call a tool for a command: in this process, through a server, or as a dry run.

Implements docs/design/command-line.md "Tools" and ``--dry-run``: script tools run here, the
Editor's go to its server, and a dry run holds back what changes things.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mcp_server.calls.dry_run import Suppressed, suppress
from mcp_server.calls.interrupted_call import before_it_is_sent
from mcp_server.calls.language_server import (
    OFF,
    PROJECT_TOOL,
    given_s,
    wants_verdict,
    warm_up,
    why_embedded,
)
from mcp_server.calls.local_tools import LocalTools
from mcp_server.contract.errors import ToolError, ToolErrorCode
from mcp_server.contract.outcome import (
    HELD_NOTICE,
    OnJobStatus,
    Outcome,
    found_errors,
    play_mode_reached,
    run_failure,
)
from mcp_server.contract.tool_spec import ExecutionMode, Executor, ToolSpec
from snippet_engine.call_context import as_client
from snippet_engine.schemas.checked_params import CheckedParams

if TYPE_CHECKING:
    from lsp_client.protocol.answering_client import OnProgress
    from mcp_server.calls.server.project_server import SilentServer
    from mcp_server.calls.server.warm_server import WarmServer


COMMAND_LINE = "unity-cli"
"""The client name of calls by the command line."""

STATUS_LIMIT_S = 10.0
"""Limit for asking a server for its project, in seconds, if the call's own is not shorter."""

_LEAST_S = 0.1
"""The shortest time to ask a server, in seconds, even if the search used the time up."""


_LOOK_SHARE = 0.25
"""The share of a call's given time for each step of looking for a server."""

_NO_ANSWER = frozenset((ToolErrorCode.RECONNECT_TIMEOUT, ToolErrorCode.INVALID_RESPONSE))
"""Errors of another process's call that say nothing about the tool."""


class ToolCaller:
    """Calls tools for one command. ``close`` it when done."""

    def __init__(
        self,
        project: Path | None,
        *,
        lsp: str,
        url: str | ToolError | None,
        url_name: str = "The server's address",
        dry_run: bool = False,
        for_one_check: bool = False,
        alone: bool = False,
        on_server: Callable[[str, str], None] = lambda _url, _served: None,
        on_embedded: Callable[[str], None] = lambda _why: None,
        on_held: Callable[[], None] = lambda: None,
    ) -> None:
        """``lsp`` is a valid ``--lsp``.

        ``url`` is the server's address, ``None`` for the project's own server, or what is wrong
        with the address; messages call it ``url_name``. With ``for_one_check``, the only call
        is a check of the project. With ``alone``, no running server makes a call.

        Three functions are called once: ``on_server`` with the server and project of a call without
        a project; ``on_embedded`` with the reason why no language server judged under ``--lsp
        auto``; ``on_held`` when a call waits for a person.
        """
        self._url_name = url_name
        self._local_tools = LocalTools(project, lsp, for_one_check=for_one_check)
        self._lsp = lsp
        self._looked = alone
        self._judges = False
        self._warm: WarmServer | None = None
        self._url = url
        self._project = project
        self._dry_run = dry_run
        self._on_server = on_server
        self._on_embedded = on_embedded
        self._on_held = on_held
        self._has_reported_embedded = False
        self._told = False

    def call(
        self, spec: ToolSpec, params: CheckedParams, on_job_status: OnJobStatus | None = None
    ) -> Outcome | Suppressed:
        """Call the tool.

        With ``on_job_status``, it waits for a job to end, and reports the job's progress there.
        """
        if self._dry_run and spec.changes_things(params):
            return suppress(spec, params, self._local_tools)
        if spec.executor is Executor.LOCAL and not spec.is_gated(params):
            begun = time.monotonic()
            outcome = self._call_warm(spec, params, on_job_status)
            if outcome is None:
                params = rest_of(spec, params, time.monotonic() - begun)
                with as_client(COMMAND_LINE):
                    outcome = self._local_tools.call_in_time(
                        spec, params, _progress_for(on_job_status)
                    )
            self._report_embedded(spec, params, outcome)
            return outcome
        within_s = spec.timeout_ms(params) / 1000
        until = time.monotonic() + within_s
        with before_it_is_sent():
            url = self._server_url(until)
            if isinstance(url, ToolError):
                return url
            refused = self._other_project(url, until, within_s)
        if refused is not None:
            return refused
        from mcp_server.calls.server.remote_tools import RemoteTools  # noqa: PLC0415 - asks a server

        server = RemoteTools(url, project=self._project)
        if on_job_status is not None and spec.execution_mode is ExecutionMode.JOB:
            return server.run_job(spec, params, on_job_status)
        return server.call(spec, params, on_job_status)

    def _report_embedded(self, spec: ToolSpec, params: CheckedParams, outcome: Outcome) -> None:
        if (
            self._has_reported_embedded
            or self._project is None
            or not wants_verdict(spec.name, params)
        ):
            return
        document = outcome.details if isinstance(outcome, ToolError) else outcome.to_json()
        why = why_embedded(self._lsp, self._project, document)
        if why is not None:
            self._has_reported_embedded = True
            self._on_embedded(why)

    def _call_warm(
        self, spec: ToolSpec, params: CheckedParams, on_job_status: OnJobStatus | None
    ) -> Outcome | None:
        """Have the project's server, whose compiler runs already, make the call.

        Returns ``None`` if there is no server, or if it went away and the call can be repeated.
        """
        if self._lsp == OFF or self._project is None or not wants_verdict(spec.name, params):
            return None
        begun = time.monotonic()
        time_s = given_s(params)
        if not self._looked:
            from mcp_server.calls.server.warm_server import LOOK_S, warm_server  # noqa: PLC0415 - asks a server

            self._looked = True
            within_s = spec.timeout_ms(params) / 1000
            look_s = LOOK_S
            if time_s is not None:  # for each step; the rest is for the call
                within_s *= _LOOK_SHARE
                look_s = min(LOOK_S, within_s)
            project, given = self._project, self._url
            self._warm = warm_server(
                project.resolve(),
                self._lsp,
                lambda: _own_address(project, within_s) if given is None else _given_url(given),
                look_s,
            )
        if self._warm is None:
            return None
        # A check waits by itself.
        if spec.name != PROJECT_TOOL and not self._judges:
            if not self._is_ready(self._warm, params, time_s):
                return None
            params = rest_of(spec, params, time.monotonic() - begun)
        from mcp_server.calls.server.warm_server import ServerGoneError  # noqa: PLC0415 - loaded already

        try:

            def report(status: Mapping[str, Any]) -> None:
                self._report_if_held(status)
                if on_job_status is not None:
                    on_job_status(status)

            outcome = self._warm.call(spec, params, report)
        except ServerGoneError:
            self._warm = None
            return None
        if isinstance(outcome, ToolError) and outcome.code in _NO_ANSWER:
            self._warm = None
        return outcome

    def _report_if_held(self, status: Mapping[str, Any]) -> None:
        if str(status["progress"]["current"]).startswith(HELD_NOTICE):
            self._on_held()
            self._on_held = lambda: None

    def _is_ready(self, warm: WarmServer, params: CheckedParams, timeout_s: float | None) -> bool:
        """Wait until a newly started server can judge; return whether it still runs.

        Otherwise a first call would get a weaker verdict than the next one.
        """
        from mcp_server.calls.server.warm_server import ServerGoneError  # noqa: PLC0415 - loaded already

        self._judges = True
        assert self._project is not None
        try:
            warm_up(warm, self._project, params, timeout_s)
        except ServerGoneError:
            self._warm = None
        return self._warm is not None

    def asks_compiler(self, spec: ToolSpec, params: CheckedParams) -> bool:
        """Return whether this call asks a compiler, which may have to be started."""
        if self._lsp == OFF or spec.is_gated(params):
            return False
        return wants_verdict(spec.name, params)

    def end_unfinished(self) -> list[str]:
        """Complete, as an apply would, the changes of killed processes; return a sentence on each.

        Does nothing under ``--dry-run``.
        """
        return [] if self._dry_run else self._local_tools.end_unfinished()

    def refusal(self, calls: Iterable[tuple[ToolSpec, CheckedParams]]) -> ToolError | None:
        """Return why none of ``calls`` may be made: the Editor has another project open.

        Ask before the first of many calls, so that no script is changed for a compile elsewhere.
        """
        sent = [
            spec.timeout_ms(params) / 1000
            for spec, params in calls
            if (spec.executor is not Executor.LOCAL or spec.is_gated(params))
            and not (self._dry_run and spec.changes_things(params))
        ]
        until = time.monotonic() + min([STATUS_LIMIT_S, *sent])
        url = self._server_url(until) if sent else None
        if url is None or isinstance(url, ToolError):
            return None
        return self._other_project(url, until)

    def _other_project(
        self, url: str, until: float, within_s: float | None = None
    ) -> ToolError | None:
        """Return why a call can't go to ``url``. ``within_s`` is the call's own time.

        A call without a project doesn't go to a server with one, unless the user named the server.
        """
        from mcp_server.calls.server.server_proof import is_local  # noqa: PLC0415 - asks a server
        from mcp_server.calls.server.server_status import (  # noqa: PLC0415
            NoStatus,
            ask_status,
            is_same_folder,
            no_answer,
            not_chosen,
            other_project,
            unreachable,
        )

        project = self._project
        if not is_local(url) or (project is None and self._told):
            return None
        limit_s = min(STATUS_LIMIT_S, max(_LEAST_S, until - time.monotonic()))
        status = ask_status(url, None, limit_s, project)
        if isinstance(status, NoStatus):
            if within_s is None or not (status.answered or project is None):
                return None  # the call will say so
            # The time includes the search for the project's own server.
            why = no_answer(max(within_s, limit_s)) if status.silent else status
            return unreachable(url, why, project)
        served = status.works_in
        if project is not None:
            if served is None or is_same_folder(served, project):
                return None
            return other_project(url, served, project)
        if self._url is None and status.project is not None:
            return not_chosen(url, status.project)
        self._told = True
        if served is not None:
            self._on_server(url, served)
        return None

    def _server_url(self, until: float) -> str | ToolError:
        if self._url is None:
            # Each time: a server may have been started meanwhile.
            own = _own_address(self._project, until - time.monotonic())
            return own if isinstance(own, str) else own.error()
        if isinstance(self._url, ToolError):
            return self._url
        from mcp_server.calls.server.server_file import read_url  # noqa: PLC0415 - asks a server

        return read_url(self._url, self._url_name)

    def close(self) -> None:
        """Close connections, and end the language server that a call has started."""
        if self._warm is not None:
            self._warm.close()
        self._local_tools.close()


def rest_of(spec: ToolSpec, params: CheckedParams, taken_s: float) -> CheckedParams:
    """Return ``params`` with the rest of their timeout, if they have one and much of it is gone."""
    if given_s(params) is None or taken_s < _LEAST_S:
        return params
    left_ms = spec.timeout_ms(params) - round(taken_s * 1000)
    return params.with_known(timeout_ms=max(1, left_ms))


def _given_url(given: str | ToolError) -> str:
    """Return the given address; empty if it is invalid, as the project's own file may name one."""
    return "" if isinstance(given, ToolError) else given


def _own_address(project: Path | None, within_s: float) -> str | SilentServer:
    from mcp_server.calls.server.project_server import own_address  # noqa: PLC0415 - asks a server

    return own_address(project, within_s=within_s)


def _progress_for(on_job_status: OnJobStatus | None) -> OnProgress | None:
    if on_job_status is None:
        return None

    def report(message: str, percentage: int | None) -> None:
        done = {} if percentage is None else {"completed": percentage, "total": 100}
        named = {"current": message} if message else {}
        on_job_status({"state": "running", "progress": {**done, **named}})

    return report


def job_failure(spec: ToolSpec, result: Mapping[str, Any]) -> str | None:
    """Return what failed although the call succeeded: a compile, its job, or a test.

    A call that only reports on a job has succeeded, even if the job failed.
    """
    if spec.name == "compile" and result.get("status") == "failed":
        return "the scripts don't compile"
    if spec.name == PROJECT_TOOL and result.get("status") != "clean":
        known = result.get("status") == "errors"
        return "the project doesn't compile" if known else "whether it compiles is not known"
    if found_errors(spec.name, result):
        return "the script has errors"
    if spec.name == "control_play_mode" and not play_mode_reached(result):
        return f"Unity accepted {result['action']}, but did not reach that play mode"
    if result.get("status") == "undone" and result.get("replayed"):
        return "it was applied, and undone since"
    if result.get("status") == "undone_by_compile":
        return "Unity could not compile it, so it was undone"
    if spec.execution_mode is not ExecutionMode.JOB:
        return None
    state = result.get("state")
    if state == "unknown":
        return "the outcome of the job is not known"
    if state in ("failed", "timeout", "cancelled"):
        return f"the job ended as {state}"
    return run_failure(result.get("result") or {}) if state == "succeeded" else None
