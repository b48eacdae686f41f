"""Ask a server about the whole project, in time, and again if the server was lost.

Implements docs/design/roslyn.md §7. Synchronous.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from time import perf_counter
from typing import TYPE_CHECKING, TypeVar

from lsp_client.running.background_server import MEND_FIRST, BackgroundServer, unavailable
from lsp_client.timing import Timing
from snippet_engine.errors import SnippetError
from snippet_engine.source_text import Position
from snippet_engine.validation.validator import ChangesVerdict, Diagnostic

if TYPE_CHECKING:
    from lsp_client.project.project_requests import ChangesJudged, ProjectCheck, ProjectDiagnostic
    from lsp_client.protocol.answering_client import OnProgress
    from lsp_client.protocol.connection import Connection
    from lsp_client.running.supervisor import Supervisor, Unavailable

T = TypeVar("T")


class ProjectQuestions:
    """Questions to ``server`` about more than one script. Thread-safe."""

    def __init__(self, server: BackgroundServer, timing: Timing) -> None:
        self._server = server
        self._timing = timing

    def check(
        self,
        assemblies: Sequence[str] | None,
        paths: Sequence[str] | None,
        *,
        warnings: bool,
        within_s: float,
        on_progress: OnProgress | None,
    ) -> ProjectCheck | SnippetError:
        """Return whether the project compiles. Error: ``validator_unavailable``."""
        from lsp_client.project.project_requests import check_project  # noqa: PLC0415 - loads pygls

        async def ask(connection: Connection) -> ProjectCheck:
            return await check_project(
                connection, assemblies, paths, warnings=warnings, on_progress=on_progress
            )

        found = self._asked(ask, within_s, "check a project", patient=True)
        return found if isinstance(found, SnippetError) else found[0]

    def judge(
        self, changes: Mapping[str, str | None], *, within_s: float, patient: bool
    ) -> ChangesVerdict | SnippetError:
        """Return the errors that changes cause. Error: ``validator_unavailable``."""
        from lsp_client.project.project_requests import judge_changes  # noqa: PLC0415 - loads pygls

        started = perf_counter()

        async def ask(connection: Connection) -> ChangesJudged:
            return await judge_changes(connection, changes)

        found = self._asked(ask, within_s, "judge changes together", patient=patient)
        if isinstance(found, SnippetError):
            return found
        judged, name = found
        if patient and judged.blocked and not judged.errors:
            return unavailable(judged.blocked, first=MEND_FIRST)
        errors = (
            Diagnostic(0, _position(each), each.code, each.message, each.path)
            for each in judged.errors
        )
        took_ms = (perf_counter() - started) * 1000
        return ChangesVerdict(name, judged.covers, tuple(errors), judged.not_checked, took_ms)

    def memory_mb(self, within_s: float) -> tuple[int | None, int | None]:
        """Return a running server's memory and its limit; ``None`` if unknown."""
        session = self._server.pid
        if session is None:
            return None, None
        from lsp_client.process.process_memory import resident_mb  # noqa: PLC0415 - only if asked
        from lsp_client.project.project_requests import memory_of  # noqa: PLC0415 - loads pygls

        told = self._asked(memory_of, within_s, "tell its memory", patient=False)
        if isinstance(told, SnippetError):
            return resident_mb(session), None
        (held, limit), _ = told
        return resident_mb(session) or held // 2**20, limit // 2**20

    def _asked(
        self,
        ask: Callable[[Connection], Awaitable[T]],
        within_s: float,
        what: str,
        *,
        patient: bool,
    ) -> tuple[T, str] | SnippetError:
        async def twice(supervisor: Supervisor, within_s: float) -> tuple[T, str] | Unavailable:
            from lsp_client.running.supervisor import Lost  # noqa: PLC0415 - loads pygls

            deadline = asyncio.get_running_loop().time() + within_s
            hang_s = self._timing.hang_s

            async def once() -> tuple[T, str] | Unavailable:
                return await supervisor.ask_at_length(ask, deadline, hang_s, what, patient=patient)

            answer = await once()
            # It only looks, so nothing was done that a second time would do again.
            return await once() if isinstance(answer, Lost) and patient else answer

        return self._server.asked(twice, within_s)


def _position(diagnostic: ProjectDiagnostic) -> Position:
    """Return LSP's zero-based position; an error in no file is at the beginning of one."""
    return Position(max(0, diagnostic.line - 1), max(0, diagnostic.column - 1))
