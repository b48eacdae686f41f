"""Run the tools that need no Unity Editor, in the calling thread.

Implements docs/design/server-and-bridge.md §2 (executor *local*) and docs/design/command-line.md
``tool call``. Imports nothing heavier than the engine.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from contextvars import copy_context
from pathlib import Path
from threading import Event, Lock, Thread
from typing import TYPE_CHECKING, Any, TypeAlias

from mcp_server.calls.interrupted_call import InterruptedCallError, what_was_stopped
from mcp_server.calls.language_server import (
    OFF,
    PROJECT_TOOL,
    first_script,
    given_s,
    server_validator,
    wants_verdict,
    warm_up,
)
from mcp_server.calls.project import open_engine, why_gone
from mcp_server.contract.errors import (
    Guarantee,
    ToolError,
    ToolErrorCode,
    from_engine,
    lost,
    tool_error,
    unexpected,
)
from mcp_server.contract.outcome import Outcome, ToolResult
from mcp_server.contract.tool_spec import ToolSpec
from snippet_engine.budget import Stop, noting
from snippet_engine.call_context import RecordedWrites, recording
from snippet_engine.errors import SnippetError
from snippet_engine.schemas.checked_params import CheckedParams

if TYPE_CHECKING:
    from lsp_client.protocol.answering_client import OnProgress
    from lsp_client.validator import LanguageServerValidator
    from snippet_engine.engine import SnippetEngine


_MEMORY_S = 1.0
"""How long a language server may take to report its memory, in seconds."""

_GRACE_S = 5.0
"""How much longer than its timeout a check may take on a busy machine, in seconds."""

_LOOK_S = 1.0
"""How often a waiting caller looks at its call's thread, in seconds."""

OnWritten: TypeAlias = Callable[[str, Mapping[str, Any], RecordedWrites], None]
"""Called with a tool, its result, and what the call has written."""

MAX_WRITTEN = 256


def _ignore(_tool: str, _result: Mapping[str, Any], _writes: RecordedWrites) -> None:
    pass


class LocalTools:
    """Runs script tools in one project. Calls may come from several threads."""

    def __init__(
        self, project: Path | None, lsp: str = OFF, *, for_one_check: bool = False
    ) -> None:
        """``project`` is the Unity project's folder; ``None`` without one.

        ``lsp`` is a valid ``--lsp``: ``auto``, ``off`` or a command. With ``for_one_check``, its
        language server is only asked whether the project compiles.
        """
        self._for_one_check = for_one_check
        self._project = project
        self._lsp = lsp
        self._server: LanguageServerValidator | None = None
        self._engine: SnippetEngine | None = None
        self._opening = Lock()
        self._written_at: dict[str, float] = {}
        self.on_written: OnWritten = _ignore
        """Called after a call has written, on the thread of the call."""

    @property
    def project(self) -> Path | None:
        """Return the Unity project's folder; ``None`` without one."""
        return self._project

    def size_of(self, path: str) -> int:
        """Return a script's size in bytes; 0 if it can't be read."""
        try:
            return 0 if self._project is None else (self._project / path).stat().st_size
        except (OSError, ValueError):
            return 0

    def open(self) -> ToolError | None:
        """Open the engine, once. ``ERR_CONFIG_VALIDATION`` if the project can't be used."""
        with self._opening:
            return self._open()

    def _open(self) -> ToolError | None:
        if self._engine is None:
            server = server_validator(self._lsp, self._project, for_one_check=self._for_one_check)
            engine = open_engine(self._project, server)
            if isinstance(engine, ToolError):
                return engine
            self._engine, self._server = engine, server
        return None

    def opened_validator(self) -> LanguageServerValidator | None:
        """Open and return the language server; ``None`` if there is none."""
        return self._server if self.open() is None else None

    def opened_engine(self) -> SnippetEngine | None:
        """Open and return the engine; ``None`` if the project can't be used."""
        return self._engine if self.open() is None else None

    @property
    def written_at(self) -> Mapping[str, float]:
        """Return the last writes of scripts: for each path the time, as of ``time.time``."""
        return dict(self._written_at)

    @property
    def server_state(self) -> str:
        """Return the language server's state in a few words."""
        if self._lsp == OFF:
            return "off"
        return "none: the project can't be used" if self._server is None else self._server.state

    def server_memory_mb(self) -> tuple[int | None, int | None]:
        """Return the language server's memory and its limit, in MB; ``None`` if unknown."""
        return (None, None) if self._server is None else self._server.memory_mb(_MEMORY_S)

    def prepare(self, on_begun: Callable[[], object] = lambda: None) -> list[str]:
        """Open the engine and clean up after crashes. Return a sentence for each change."""
        with self._opening:
            on_begun()
            if self._open() is not None:
                return []
            assert self._engine is not None
            return self._engine.recover()

    def end_unfinished(self) -> list[str]:
        """Complete the changes of killed processes, as an apply would; return a sentence each."""
        if self.open() is not None:
            return []
        assert self._engine is not None
        with noting() as notes:
            from snippet_engine.storage.os_failure import UnusableStateError  # noqa: PLC0415

            # A call that needs the unusable state reports it.
            with suppress(UnusableStateError):
                self._engine.end_unfinished({})
            return list(notes)

    def look_ahead(self) -> None:
        """Prepare the next call, for the script that was written last."""
        if self._engine is not None:
            self._engine.look_ahead()

    def amend(self, client_request_id: str, result: Mapping[str, Any] | None) -> None:
        """Replace the stored answer of an applied request; see :meth:`.RequestLog.amend`."""
        if self._engine is not None:
            self._engine.amend(client_request_id, result)

    def close(self) -> None:
        """End the language server, if one was started. No tool can be called afterwards."""
        if self._server is not None:
            self._server.close()

    def asks_server(self, tool: str, arguments: CheckedParams) -> bool:
        """Return whether this call asks a language server, if there is one."""
        return self._server is not None and wants_verdict(tool, arguments)

    def call(
        self,
        spec: ToolSpec,
        arguments: CheckedParams,
        on_progress: OnProgress | None = None,
    ) -> Outcome:
        """Run the tool, without a time limit. ``on_progress`` is called during long work.

        An exception in the tool is a bug: it is logged with its traceback, and the caller gets
        ``ERR_UNITY_EXECUTION``.
        """
        try:
            if spec.name == PROJECT_TOOL:
                return self._check_project(spec, arguments, on_progress)
            return self.open() or self._gone(spec.name) or self._run(spec.name, arguments)
        except Exception as error:
            import logging  # noqa: PLC0415 - never needed when all is well

            logging.getLogger(__name__).error("%s crashed", spec.name, exc_info=error)
            return unexpected(error, retryable=spec.execution_error_retryable)

    def call_in_time(
        self,
        spec: ToolSpec,
        arguments: CheckedParams,
        on_progress: OnProgress | None = None,
        stop: Stop | None = None,
    ) -> Outcome:
        """Run the tool as :meth:`call` does, until its timeout or ``stop``.

        If the call has a timeout, the timeout includes the start of a language server. Otherwise
        the start has its own time. During the start the embedded verdict is prepared; it counts if
        the server isn't ready. When its time is over, the tool stops at its next step. A write that
        has begun by then goes on in a thread that the process doesn't wait for. The write lands
        whole or not at all. Raises :class:`.InterruptedCallError` for an interrupt.
        """
        # A check ends by itself in time, and reports its unchecked parts.
        grace_s = _GRACE_S if spec.name == PROJECT_TOOL else 0.0
        timeout_s = spec.timeout_ms(arguments) / 1000
        until = time.monotonic() + timeout_s
        refused = self.open()
        if refused is not None:
            return refused
        is_verdict = wants_verdict(spec.name, arguments) and spec.name != PROJECT_TOOL
        if self._server is not None and is_verdict:
            assert self._project is not None
            self._server.start()
            self._read_ahead(arguments)
            is_given = given_s(arguments) is not None
            left_s = until - time.monotonic() if is_given else None
            warm_up(self._server, self._project, arguments, left_s)
            if not is_given:
                until = time.monotonic() + timeout_s
        outcomes: list[Outcome] = []
        deaths: list[BaseException] = []
        stop = stop or Stop()
        stop.waited_for_until = until

        # An event, because an interrupted ``join`` marks the thread as ended.
        ended = Event()

        def work() -> None:
            try:
                outcomes.append(stop.run(self.call, spec, arguments, on_progress))
            except BaseException as error:  # any error ends the thread here
                deaths.append(error)
            finally:
                ended.set()

        worker = Thread(target=copy_context().run, args=(work,), name=spec.name, daemon=True)
        until += grace_s
        try:
            worker.start()
            # Without memory, a thread may end before it sets the event.
            while not ended.wait(max(0.0, min(_LOOK_S, until - time.monotonic()))):
                if time.monotonic() >= until or not worker.is_alive():
                    break
        except (RuntimeError, MemoryError) as error:  # The thread can't start.
            deaths.append(error)
        except KeyboardInterrupt:
            is_stopped = stop.stop()
            if not is_stopped:  # the call is writing, or completes an earlier change
                ended.wait(until - time.monotonic())
            outcome = outcomes[0] if outcomes else None
            if ended.is_set() and stop.has_ended:
                outcome, is_stopped = None, True
            raise InterruptedCallError(outcome, is_stopped, stop.notes) from None
        has_ended = ended.is_set() or not worker.is_alive()
        if outcomes:
            return outcomes[0]
        if deaths or has_ended:
            return died(spec, arguments, stop, deaths[0] if deaths else None)
        return timed_out(spec, arguments, stop)

    def _read_ahead(self, arguments: CheckedParams) -> None:
        assert self._engine is not None
        assert self._project is not None
        found = first_script(self._project, arguments)
        if found is not None:
            self._engine.read_ahead(found[0])

    def _check_project(
        self, spec: ToolSpec, arguments: CheckedParams, on_progress: OnProgress | None
    ) -> Outcome:
        from mcp_server.calls.project_check import check_project  # noqa: PLC0415 - not for edits

        refused = self.open() or self._gone(spec.name)
        if refused is not None:
            return refused
        assert self._project is not None
        timeout_ms = spec.timeout_ms(arguments)
        root = self._project.resolve()
        return check_project(self._server, root, arguments, timeout_ms, on_progress)

    def _gone(self, tool: str) -> ToolError | None:
        assert self._project is not None
        refused = why_gone(self._project)
        return None if refused is None else from_engine(tool, refused)

    def _run(self, tool: str, arguments: CheckedParams) -> Outcome:
        from snippet_engine.answer.text_form import text_form  # noqa: PLC0415 - not before it is needed

        engine = self._engine
        assert engine is not None
        method: Callable[[Mapping[str, Any]], dict[str, Any] | SnippetError]
        method = getattr(engine, tool)  # a script tool is the method of its name
        with recording() as writes:
            outcome = method(arguments)
        if isinstance(outcome, SnippetError):
            return from_engine(tool, outcome)
        if writes.earlier:
            self.on_written(tool, outcome, writes)
        self._note_written(tool, outcome)
        return ToolResult(outcome, text_form(tool, outcome))

    def _note_written(self, tool: str, result: Mapping[str, Any]) -> None:
        wrote = tool == "undo_snippet" or result.get("applied") is True
        if not wrote or result.get("replayed") is True:
            return
        for path in written_paths(result):
            self._written_at.pop(path, None)
            self._written_at[path] = time.time()
            if len(self._written_at) > MAX_WRITTEN:
                del self._written_at[next(iter(self._written_at))]


def written_paths(result: Mapping[str, Any]) -> Iterator[str]:
    """Yield the paths that a result reports as written."""
    if "files" not in result:
        yield result["path"]
        return
    for each in result["files"]:
        if each.get("status") != "unchanged":
            yield each["path"]
        if "movedTo" in each:
            yield each["movedTo"]


def timed_out(spec: ToolSpec, arguments: Mapping[str, Any], stop: Stop) -> ToolError:
    """Stop a call at its timeout; return the error, with its known effect."""
    message = f"{spec.name} did not finish within {spec.timeout_ms(arguments)} ms"
    again = " Send it again, with a larger timeout_ms (unity-cli: --timeout)."
    return stopped(ToolErrorCode.REQUEST_TIMEOUT, message, spec, arguments, stop, again)


def died(
    spec: ToolSpec, arguments: Mapping[str, Any], stop: Stop, error: BaseException | None
) -> ToolError:
    """Return the error of a call whose thread could not start, or ended without a result."""
    kind = "no reason is known" if error is None else type(error).__name__
    reason = f"{kind}: {error}" if error is not None and str(error) else kind
    is_short = error is None or isinstance(error, RuntimeError | MemoryError)
    why = f"{spec.name} could not be carried out ({reason})"
    again = " Free some memory, or end other programs, then send it again." if is_short else ""
    return stopped(ToolErrorCode.UNITY_EXECUTION, why, spec, arguments, stop, again)


def stopped(
    code: ToolErrorCode,
    why: str,
    spec: ToolSpec,
    arguments: Mapping[str, Any],
    stop: Stop,
    again: str = "",
) -> ToolError:
    """Stop a call that is given up; return the error, with its known effect.

    ``why`` is a sentence without its full stop. ``again`` says what to do if nothing was changed. A
    write that has begun may still take effect.
    """
    if stop.stop():
        return tool_error(
            code,
            f"{why}; it {what_was_stopped(stop.notes)}{again}",
            retryable=True,
            guarantee=Guarantee.NOT_EXECUTED,
        )
    return lost(code, f"{why}.", spec, arguments, guarantee=Guarantee.UNKNOWN)
