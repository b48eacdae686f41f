"""Ask a server about the whole project: does it compile, and would it with changes?

Implements docs/design/roslyn.md §7. The requests are beyond LSP. An incomplete answer counts as
none; a question is asked again if the server was lost. :class:`ProjectQuestions` is synchronous.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from time import monotonic, perf_counter
from typing import TYPE_CHECKING, Any, TypeVar

from lsp_client.outcomes import Lost, MethodUnknown, Unavailable
from lsp_client.running.background_server import FIX_FIRST, BackgroundServer, unavailable
from lsp_client.servers.selection import Selection
from lsp_client.timing import Timing
from snippet_engine.errors import SnippetError
from snippet_engine.source_text import Position
from snippet_engine.validation.validator import ChangesVerdict, Diagnostic

if TYPE_CHECKING:
    from lsp_client.protocol.answering_client import OnProgress
    from lsp_client.protocol.connection import Connection
    from lsp_client.running.supervisor import Supervisor


T = TypeVar("T")

CHECK_PROJECT = "unity/checkProject"
JUDGE_CHANGES = "unity/judgeChanges"
JUDGE_SINCE = "unity/judgeSince"
STATUS = "unity/status"

_NO_SUCH_ASSEMBLY = "no_such_assembly"
_BLOCKED = "blocked"
CHECKED_LATER = frozenset((_BLOCKED, "late", "more_files"))
"""Reasons that more time would remove."""
_SHARE_OF_WAIT = 0.9
_UNHEARD = frozenset(("analyzers", "lowering", "unused_members", "no_references"))
"""Reasons that hold for every change of an assembly. Only a check of the project covers these."""

STATUSES = ("clean", "errors", "unknown")


@dataclass(frozen=True, slots=True)
class ProjectDiagnostic:
    """One error or warning as the compiler prints it; lines and columns count from one."""

    path: str
    """Project-relative; empty if the error is in no file."""
    line: int
    column: int
    code: str
    message: str
    assembly: str

    def to_json(self) -> dict[str, Any]:
        """Return the diagnostic as ``check_project`` answers it."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Unchecked:
    """A part of the project that was not checked, and why."""

    assembly: str | None
    """``None`` for the whole project."""
    reason: str
    is_missing: bool = False
    """Whether the project has no such assembly."""

    def to_json(self) -> dict[str, Any]:
        """Return the value as ``check_project`` answers it."""
        return {"assembly": self.assembly, "reason": self.reason}


@dataclass(frozen=True, slots=True)
class ProjectCompiler:
    """The version of Roslyn that judged, and its origin."""

    version: str
    origin: str
    is_projects: bool
    """Whether it belongs to the project's own Editor."""
    unitys_older: str = ""
    """The version of Unity's compiler, if it is known to be older."""

    def to_json(self) -> dict[str, Any]:
        """Return the value as ``check_project`` answers it."""
        older = {"unitysOlder": self.unitys_older} if self.unitys_older else {}
        return {
            "version": self.version,
            "from": self.origin,
            "isProjects": self.is_projects,
            **older,
        }


@dataclass(frozen=True, slots=True)
class ProjectCheck:
    """Whether a project compiles."""

    status: str
    errors: tuple[ProjectDiagnostic, ...] = ()
    warnings: tuple[ProjectDiagnostic, ...] = ()
    """The compiler's warnings, if asked for; and corrections of an earlier answer."""
    assemblies: int = 0
    """How many were checked."""
    files: int = 0
    """How many were compiled."""
    not_checked: tuple[Unchecked, ...] = ()
    confirmed: bool = False
    """Whether a full check gave the same result."""
    bound_again: str = "nothing"
    """What was compiled anew: ``nothing``, ``files`` or ``assemblies``."""
    duration_ms: float = 0.0
    not_read: tuple[tuple[str, int], ...] = ()
    """Conditions of ``#if`` that exclude code, each with its number of files."""
    of_editor: bool = True
    """Whether the check used the Editor's own symbols."""
    compiler: ProjectCompiler | None = None
    syntax_only: int = 0
    """How many more files were checked for syntax only."""


async def answer_of(
    connection: Connection,
    method: str,
    params: Mapping[str, Any],
    read: Callable[[Mapping[str, Any]], T],
) -> T:
    """Ask, and return what ``read`` makes of the answer; see :meth:`.Connection.ask`.

    Raises :class:`MethodUnknown` if the server has no such request.
    """
    if not connection.spec.knows_projects:
        raise MethodUnknown(method)
    return await connection.ask(method, params, read)


def _memory(answer: Mapping[str, Any]) -> tuple[int, int]:
    return int(answer["memoryBytes"]), int(answer["memoryLimitBytes"])


def _project_check(answer: Mapping[str, Any]) -> ProjectCheck:
    status = answer["status"]
    if status not in STATUSES:
        raise ValueError(status)
    errors = _diagnostics(answer["errors"])
    not_checked = tuple(map(_unchecked, answer["notChecked"]))
    if (status == "errors") != bool(errors):
        raise ValueError(f"{status} with {len(errors)} errors")
    if status == "clean" and not_checked:
        status = "unknown"  # although the server answered "clean"
    checked = answer["checked"]
    return ProjectCheck(
        status=status,
        errors=errors,
        warnings=(
            *_diagnostics(answer.get("warnings") or ()),
            *(_correction(str(each)) for each in answer.get("corrected") or ()),
        ),
        assemblies=_count(checked["assemblies"]),
        files=_count(checked["files"]),
        not_checked=not_checked,
        confirmed=answer.get("confirmed") is True,
        bound_again=str(answer.get("boundAgain", "assemblies")),
        duration_ms=float(answer["durationMs"]),
        not_read=tuple(
            (str(each["condition"]), int(each["files"])) for each in answer.get("notRead") or ()
        ),
        of_editor=answer.get("isOfEditor") is not False,
        compiler=_compiler(answer["compiler"]) if answer.get("compiler") else None,
        syntax_only=_count(checked.get("syntaxOnly", 0)),
    )


def _correction(difference: str) -> ProjectDiagnostic:
    message = f"An earlier answer was wrong, and is corrected: {difference}"
    return ProjectDiagnostic("", 0, 0, "corrected", message, "")


def _compiler(answer: Mapping[str, Any]) -> ProjectCompiler:
    return ProjectCompiler(
        str(answer["version"]),
        str(answer["origin"]),
        answer["isProjects"] is True,
        str(answer.get("unitysOlder", "")),
    )


def _changes_judged(answer: Mapping[str, Any]) -> tuple[ChangesVerdict, str]:
    """Return the verdict, and the errors elsewhere that keep names from being judged."""
    left = [_unchecked(each) for each in answer["notChecked"]]
    covers = answer["coverage"]
    if not isinstance(covers, list):
        raise TypeError(covers)
    reasons = [row["reason"] for row in answer["notChecked"]]
    described = tuple(map(_describe, left))
    rows = list(zip(reasons, described, strict=True))
    blocked = (each.reason for each, why in zip(left, reasons, strict=True) if why == _BLOCKED)
    verdict = ChangesVerdict(
        "",
        tuple(map(str, covers)),
        tuple(
            Diagnostic(0, _position(each), each.code, each.message, each.path)
            for each in _diagnostics(answer["errors"])
        ),
        described,
        0.0,
        is_partial=any(why in CHECKED_LATER for why in reasons),
        left=tuple(text for why, text in rows if why != _BLOCKED and why not in _UNHEARD),
        blocked=tuple(text for why, text in rows if why == _BLOCKED),
        unheard=tuple(text for why, text in rows if why in _UNHEARD),
    )
    return verdict, next(blocked, "") if "semantics" not in covers else ""


def _describe(left: Unchecked) -> str:
    why = left.reason.removesuffix(".")
    return why if not left.assembly or left.assembly in why else f"{left.assembly}: {why}"


def _diagnostics(rows: Sequence[Mapping[str, Any]]) -> tuple[ProjectDiagnostic, ...]:
    return tuple(
        ProjectDiagnostic(
            str(each["path"]).replace("\\", "/"),
            int(each["line"]),
            int(each["column"]),
            str(each["code"]),
            str(each["message"]),
            str(each.get("assembly", "")),
        )
        for each in rows
    )


def _unchecked(row: Mapping[str, Any]) -> Unchecked:
    # The sentence for people, if there is one; otherwise the reason code.
    why = row.get("message") or row["reason"]
    assembly = str(row["assembly"]) if row.get("assembly") else None
    return Unchecked(assembly, str(why), row["reason"] == _NO_SUCH_ASSEMBLY)


def _count(value: Any) -> int:
    return len(value) if isinstance(value, list) else int(value)


class ProjectQuestions(BackgroundServer):
    """Questions to a server about more than one script. Thread-safe.

    Each takes ``within_s`` seconds at most. Error: ``validator_unavailable``.
    """

    def __init__(self, select: Callable[[], Selection], timing: Timing) -> None:
        super().__init__(select, timing)
        self._not_waited_until = 0.0
        """Until this time no call waits for the server that replaces a hanging one."""

    def check_project(
        self,
        assemblies: Sequence[str] | None = None,
        paths: Sequence[str] | None = None,
        *,
        warnings: bool = False,
        within_s: float,
        on_progress: OnProgress | None = None,
    ) -> ProjectCheck | SnippetError:
        """Compile the project on disk, or only ``assemblies`` or ``paths``; return the findings."""
        params: dict[str, Any] = {"includeWarnings": warnings}
        if assemblies is not None:
            params["assemblies"] = list(assemblies)
        if paths is not None:
            params["paths"] = list(paths)

        async def ask(connection: Connection) -> ProjectCheck:
            with connection.progress(on_progress) as token:
                heard = {} if token is None else {"workDoneToken": token}
                return await answer_of(
                    connection, CHECK_PROJECT, {**params, **heard}, _project_check
                )

        return self.ask(ask, within_s, "check a project")

    def judge_changes(
        self, changes: Mapping[str, str | None], *, within_s: float, patient: bool
    ) -> ChangesVerdict | SnippetError:
        """Return the errors that the project has only with all of ``changes``.

        ``changes`` are new texts by project-relative path, ``None`` for a removed script; a moved
        script has both. If not ``patient``, it doesn't wait for a server that starts.
        """
        started, deadline = perf_counter(), monotonic() + within_s * _SHARE_OF_WAIT
        waits, rows = self._waits(patient=patient), rows_of(changes)

        async def ask(connection: Connection) -> tuple[ChangesVerdict, str]:
            within_ms = 0 if waits else max(1, round((deadline - monotonic()) * 1000))
            params = {"changes": rows, "withinMs": within_ms}
            return await answer_of(connection, JUDGE_CHANGES, params, _changes_judged)

        found = self._ask(ask, within_s, "judge changes together", patient=waits)
        if isinstance(found, SnippetError):
            return found
        (verdict, blocked), name = found
        if waits and blocked and not verdict.errors:
            return unavailable(blocked, first=FIX_FIRST)
        return _told(verdict, name, started)

    def judge_since(
        self, earlier: Mapping[str, str | None], *, within_s: float
    ) -> ChangesVerdict | SnippetError:
        """Return the errors on disk that are new since the ``earlier`` texts.

        Judges all files that the difference affects, and waits for a server that starts.
        """
        started, params = perf_counter(), {"changes": rows_of(earlier)}

        async def ask(connection: Connection) -> tuple[ChangesVerdict, str]:
            return await answer_of(connection, JUDGE_SINCE, params, _changes_judged)

        found = self._ask(ask, within_s, "judge earlier changes", patient=True)
        if isinstance(found, SnippetError):
            return found
        (verdict, _), name = found
        return _told(verdict, name, started)

    def _waits(self, *, patient: bool) -> bool:
        return patient and monotonic() >= self._not_waited_until

    def memory_mb(self, within_s: float) -> tuple[int | None, int | None]:
        """Return a running server's memory and its limit; ``None`` if unknown."""
        session = self.server_pid
        if session is None:
            return None, None
        from lsp_client.process.server_process import resident_mb  # noqa: PLC0415 - only if asked

        async def ask(connection: Connection) -> tuple[int, int]:
            return await answer_of(connection, STATUS, {}, _memory)

        answer = self._ask(ask, within_s, "report its memory", patient=False)
        if isinstance(answer, SnippetError):
            return resident_mb(session), None
        (held, limit), _ = answer
        return resident_mb(session) or held // 2**20, limit // 2**20

    def ask(
        self,
        ask: Callable[[Connection], Awaitable[T | SnippetError]],
        within_s: float,
        what: str,
    ) -> T | SnippetError:
        """Return what ``ask`` answers; wait for a server that starts.

        Error: ``validator_unavailable``.
        """
        found = self._ask(ask, within_s, what, patient=True)
        return found if isinstance(found, SnippetError) else found[0]

    def _ask(
        self,
        ask: Callable[[Connection], Awaitable[T]],
        within_s: float,
        what: str,
        *,
        patient: bool,
    ) -> tuple[T, str] | SnippetError:
        async def twice(supervisor: Supervisor, within_s: float) -> tuple[T, str] | Unavailable:
            deadline = asyncio.get_running_loop().time() + within_s
            hang_s = self._timing.hang_s

            async def once() -> tuple[T, str] | Unavailable:
                return await supervisor.ask_at_length(ask, deadline, hang_s, what, patient=patient)

            answer = await once()
            # The request changes nothing, so it can be sent again.
            return await once() if isinstance(answer, Lost) and patient else answer

        return self.ask_supervisor(twice, within_s)


def rows_of(texts: Mapping[str, str | None]) -> list[dict[str, str | None]]:
    """Return changes as the requests take them."""
    return [{"path": path, "text": text} for path, text in texts.items()]


def _told(verdict: ChangesVerdict, name: str, started: float) -> ChangesVerdict:
    took_ms = (perf_counter() - started) * 1000
    return replace(verdict, validator=name, duration_ms=took_ms)


def _position(diagnostic: ProjectDiagnostic) -> Position:
    """Return LSP's zero-based position; an error in no file is at 0, 0."""
    return Position(max(0, diagnostic.line - 1), max(0, diagnostic.column - 1))
