"""``compile``: one call, which returns the result of a job that the Editor runs.

Implements docs/design/server-and-bridge.md §6 "Compile". The Editor accepts a job at once, so no
request waits behind a compile, and reports its end after the reload. A second compile joins the
first.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from mcp_server.contract.errors import ToolError, ToolErrorCode, lost, tool_error
from mcp_server.contract.outcome import OnAccepted, OnProgress
from mcp_server.contract.tool_spec import ToolSpec
from mcp_server.editor.errors import answer_error, ending_error, invalid_response, job_outcome
from mcp_server.editor.job_manager import Job
from mcp_server.editor.job_watch import JobWatch
from mcp_server.editor.requests import EditorRequests, OnSent
from mcp_server.editor.scheduler_events import Ending
from mcp_server.event_log import log_event
from unity_bridge.clock import Clock
from unity_bridge.editor_state import Blocked, wait_window
from unity_bridge.link import (
    Completed,
    EditorLink,
    NotSent,
    Rejected,
    SubmitJob,
)
from unity_bridge.timing import Timing

ACCEPT_LIMIT_MS = 10_000
"""For the Editor to accept; it accepts or refuses within two seconds."""

_UNKNOWN = ToolErrorCode.UNKNOWN_COMMAND.value

Json: TypeAlias = dict[str, Any]


class CompileTool:
    """Runs ``compile`` in the Editor. Lives on one event loop."""

    def __init__(
        self,
        link: EditorLink,
        requests: EditorRequests,
        watch: JobWatch,
        clock: Clock,
        timing: Timing,
    ) -> None:
        self._link = link
        self._requests = requests
        self._watch = watch
        self._clock = clock
        self._timing = timing

    async def call(
        self,
        spec: ToolSpec,
        arguments: Mapping[str, Any],
        command: SubmitJob,
        request_id: str,
        *,
        on_sent: OnSent | None = None,
        on_progress: OnProgress | None = None,
        on_accepted: OnAccepted | None = None,
    ) -> Json | ToolError:
        """Compile, and return the outcome, also of a compile that failed.

        ``on_accepted`` hears of the job as soon as there is one.
        """
        began = self._clock.now_ms()
        timeout_ms = spec.timeout_ms(arguments)
        blocked = self._link.view.blocked
        if blocked is not None and not self._watch.has_open(spec.name):
            return _blocked(blocked, began)
        with self._watch.beginning(on_sent) as sent:
            reply = await self._requests.send(
                request_id,
                command,
                timeout_ms,
                answer_limit_ms=ACCEPT_LIMIT_MS,
                while_compiling=True,
                on_sent=sent,
            )
            if isinstance(reply, Ending):
                return ending_error(reply, spec, arguments, self._link.view)
            if not isinstance(reply, Completed):
                unknown = isinstance(reply, Rejected | NotSent) and reply.code == _UNKNOWN
                by_plugin = self._link.name == "plugin"
                if unknown and by_plugin:
                    return self._too_old()
                return answer_error(reply, spec, arguments)
            job_id = reply.body["job_id"]
            # The job gets the longest time, as the next caller may have more than this one. A
            # repeated request gets its own job, which may have ended.
            since_ms = 0.0 if arguments.get("client_request_id") is not None else began
            job = self._watch.issued(
                job_id, spec.name, spec.max_timeout_ms, shared=True, since_ms=since_ms
            )
            if job is None:
                return invalid_response("a job_id of its own", job_id, spec, arguments)
            log_event("job_accepted", request_id=request_id, job_id=job_id, tool=spec.name)
            if on_accepted is not None:
                on_accepted(job_id)
        ended = await self._wait(job, began, timeout_ms, on_progress)
        if ended is not None:
            return lost(*ended, spec, arguments)
        return job_outcome(job, self._link.name, arguments)

    async def _wait(
        self, job: Job, began: float, timeout_ms: int, on_progress: OnProgress | None
    ) -> tuple[ToolErrorCode, str] | None:
        """Wait for the end of ``job``; return why the wait ended before, or ``None``."""
        reported: Mapping[str, Any] | None = None
        while not job.settled:
            now = self._clock.now_ms()
            until = began + timeout_ms
            gone = self._gone_until()
            if self._watch.stopped:
                return ToolErrorCode.RECONNECT_TIMEOUT, _lost("The server stops", job)
            if gone is not None and now >= gone:
                why = "The Unity Editor went away and did not come back"
                return ToolErrorCode.RECONNECT_TIMEOUT, _lost(why, job)
            if now >= until:
                why = f"The Unity Editor did not finish within {timeout_ms} ms"
                return ToolErrorCode.REQUEST_TIMEOUT, _lost(why, job)
            if on_progress is not None and job.progress not in (None, reported):
                reported = job.progress
                assert reported is not None
                elapsed_s = (now - began) / 1000
                await on_progress(elapsed_s, None, reported.get("current", job.state.value))
                continue
            await self._watch.change(job, until if gone is None else min(until, gone))
        return None

    def _gone_until(self) -> float | None:
        """Return until when a disconnected Editor may come back; ``None`` while connected."""
        view = self._link.view
        if view.connected:
            return None
        return wait_window(view, view.since_ms, self._timing).until_ms

    def _too_old(self) -> ToolError:
        version = self._link.view.plugin_version
        return tool_error(
            ToolErrorCode.UNKNOWN_COMMAND,
            f"The Unity package in the Editor ({version}) has no compile: it is older than this "
            "server, or a different one. Update it with unity-cli plugin install, then call again.",
        )


def _blocked(blocked: Blocked, now: float) -> ToolError:
    """Return the error of a blocked main thread, at once, also where other requests wait."""
    by = "a dialog, an import or a script that doesn't return. Check the Editor, then try again."
    if blocked.dialog is not None:
        by = f"the dialog {blocked.dialog[:60]!r}. Answer it in the Editor, then try again."
    seconds = (now - blocked.since_ms) / 1000
    return tool_error(
        ToolErrorCode.EDITOR_NOT_READY,
        f"compile did not run: the main thread has been blocked for {seconds:.0f} s, by {by}",
        details={} if blocked.dialog is None else {"dialog": blocked.dialog},
    )


def _lost(why: str, job: Job) -> str:
    """Return the message of a wait that ended: the compile goes on, and the next call joins it."""
    current = (job.progress or {}).get("current")
    heard = f" (last heard: {current})" if current else ""
    return f"{why}{heard}; the outcome of compile is unknown. Call it again to join or check it."
