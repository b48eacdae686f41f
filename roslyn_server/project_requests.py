"""Answer a client's questions about the whole project: parameters, progress, later confirmation."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from time import monotonic
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams

from roslyn_server import protocol, reasons
from roslyn_server.checking.project_check import Progress, ProjectCheck
from roslyn_server.compiler.calls import Cancellation
from roslyn_server.compiler.compiled_project import Project
from roslyn_server.failures import cancellable, in_time, on_thread, without_an_answer
from roslyn_server.judge import Judge
from roslyn_server.projects.build import Composition, Unknown
from roslyn_server.projects.project_builds import Compositions
from roslyn_server.turns import SlowAssemblies, lower_priority

MAX_CHANGES = 100
"""Maximum number of changed files in one request."""

MAX_EARLIER = 1_000
"""Maximum number of files in one request about what came since."""


def check_params_of(params: Any) -> protocol.CheckProjectParams:
    """Return the scope to check. Raises ``JsonRpcInvalidParams``."""
    return {
        "assemblies": _strings(params, "assemblies"),
        "paths": _strings(params, "paths"),
        "includeWarnings": getattr(params, "includeWarnings", None) is True,
    }


def work_done_token(params: Any) -> types.ProgressToken | None:
    """Return the token to report progress with, if there is one."""
    token = getattr(params, "workDoneToken", None)
    return token if isinstance(token, str | int) else None


def changes_of(params: Any, most: int = MAX_CHANGES) -> dict[str, str | None]:
    """Return texts by project-relative path. Raises ``JsonRpcInvalidParams``."""
    listed = getattr(params, "changes", None)
    if not isinstance(listed, list) or not 0 < len(listed) <= most:
        raise JsonRpcInvalidParams(f"changes must be a list of 1 to {most} changes")
    found: dict[str, str | None] = {}
    for index, each in enumerate(listed):
        path, text = getattr(each, "path", None), getattr(each, "text", _ABSENT)
        if not isinstance(path, str) or not path:
            raise JsonRpcInvalidParams(f"changes[{index}].path must be a project-relative path")
        if text is not None and not isinstance(text, str):
            raise JsonRpcInvalidParams(
                f"changes[{index}].text must be a text, or null for a file that is gone"
            )
        if path in found:
            raise JsonRpcInvalidParams(f"changes[{index}].path is {path} for the second time")
        found[path] = text
    return found


def judge_changes_params_of(params: Any) -> protocol.JudgeChangesParams:
    """Return the changed texts, and their time limit. Raises ``JsonRpcInvalidParams``."""
    within_ms = getattr(params, "withinMs", 0)
    if not isinstance(within_ms, int) or isinstance(within_ms, bool) or within_ms < 0:
        raise JsonRpcInvalidParams("withinMs must be a number of milliseconds, or 0")
    return {"changes": changes_of(params), "withinMs": within_ms}


def text_params_of(params: Any) -> protocol.JudgeTextParams:
    """Return a document's text. Raises ``JsonRpcInvalidParams``."""
    uri, text = getattr(params, "uri", None), getattr(params, "text", None)
    names_ms = getattr(params, "namesMs", None)
    if not isinstance(uri, str) or not isinstance(text, str):
        raise JsonRpcInvalidParams("uri and text must be strings")
    if not isinstance(names_ms, int) or isinstance(names_ms, bool) or names_ms < 0:
        raise JsonRpcInvalidParams("namesMs must be a number of milliseconds, or 0")
    patient = getattr(params, "patient", None) is True
    return {"uri": uri, "text": text, "namesMs": names_ms, "patient": patient}


_ABSENT = object()

_LATE: protocol.JudgedChanges = {
    "errors": [],
    "notChecked": [{"assembly": "", "reason": "late", "message": reasons.LATE}],
    "coverage": [],
}


def _strings(params: Any, name: str) -> list[str]:
    value = getattr(params, name, None)
    if value is None:
        return []
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise JsonRpcInvalidParams(f"{name} must be a list of strings")
    return value


def fixes_params_of(params: Any) -> tuple[dict[str, str | None], str]:
    """Return texts by project-relative path, and the one to mend. Raises
    ``JsonRpcInvalidParams``.
    """
    changes, path = changes_of(params), getattr(params, "path", None)
    if not isinstance(path, str) or changes.get(path) is None:
        raise JsonRpcInvalidParams("path must be the path of a changed text")
    return changes, path


def code_fixes(
    judge: Judge, changes: Mapping[str, str | None], script: str, cancellation: Cancellation
) -> dict[str, list[Any]]:
    """Return the fixes of ``script`` with these texts; none if names can't be judged."""

    def question(
        project: Project, known: Compositions | Unknown, interrupt: Cancellation
    ) -> list[Any]:
        if isinstance(known, Unknown):
            return []
        judged = [
            (judge.root / path, text, owner)
            for path, text in changes.items()
            for owner in [judge.assembly_of(judge.root / path)]
            if isinstance(known.get(owner), Composition)
        ]
        return project.fixes(judge.root / script, judged, interrupt)

    return {"fixes": judge.project.ask(question, cancellation, is_quick=True)}


class ProjectRequests:
    """The requests of one client. ``tell`` sends ``$/progress``, on the event loop."""

    def __init__(self, tell: Callable[[types.ProgressParams], None]) -> None:
        self._tell = tell
        self._thread = ThreadPoolExecutor(1, "project")
        self._proving_thread = ThreadPoolExecutor(1, "proving", lower_priority)
        self._owners_thread = ThreadPoolExecutor(1, "owners")
        self._slow = SlowAssemblies()
        self._proving: asyncio.Task[None] | None = None

    async def check(
        self,
        project: ProjectCheck,
        asked: protocol.CheckProjectParams,
        token: types.ProgressToken | None,
    ) -> protocol.CheckedProject:
        """Return the answer, and confirm it in the background if it isn't confirmed yet.

        ``token`` is for progress reports.
        """
        progress = self._progress(token)
        async with cancellable() as cancellation:
            answer = await on_thread(self._thread, project.check, asked, progress, cancellation)
        is_proving = self._proving is not None and not self._proving.done()
        if is_proving and self._proving is not None and answer["boundAgain"] != "nothing":
            self._proving.cancel()  # the project has changed since
            is_proving = False
        if not answer["confirmed"] and not is_proving:
            self._proving = asyncio.ensure_future(self._prove(project))
        return answer

    async def judge_changes(
        self,
        judge: Judge,
        on_semantics: Callable[..., Awaitable[protocol.JudgedChanges]],
        asked: protocol.JudgeChangesParams,
    ) -> protocol.JudgedChanges:
        """Return the errors that changes cause, or an answer that says it took too long."""
        changes = asked["changes"]
        within_s = asked["withinMs"] / 1000 or None
        owners: list[str] = []
        if within_s is not None and self._slow.are_any:
            owners = await self._owners(judge, changes)
            if not self._slow.is_waited_for(owners, monotonic()):
                return _LATE
        async with cancellable() as cancellation:
            answer = await in_time(
                lambda bound: on_semantics(judge.changes, changes, bound), within_s, cancellation
            )
        if answer is None or owners:
            for each in owners or await self._owners(judge, changes):
                self._slow.came(each, monotonic(), late=answer is None)
        return answer or _LATE

    async def _owners(self, judge: Judge, changes: Mapping[str, str | None]) -> list[str]:
        return await on_thread(self._owners_thread, judge.assemblies_of, list(changes))

    async def judge_since(
        self, project: ProjectCheck, earlier: dict[str, str | None]
    ) -> protocol.JudgedChanges:
        """Return the errors that came since the ``earlier`` texts."""
        async with cancellable() as cancellation:
            return await on_thread(self._thread, project.judge_since, earlier, cancellation)

    async def _prove(self, project: ProjectCheck) -> None:
        async with cancellable() as cancellation:
            with without_an_answer():
                await on_thread(self._proving_thread, project.confirm, cancellation)

    def _progress(self, token: types.ProgressToken | None) -> Progress | None:
        """Return a function that reports progress from any thread, if the client gave a token."""
        if token is None:
            return None
        loop = asyncio.get_running_loop()

        def tell(done: int, all_: int) -> None:
            value: types.WorkDoneProgressBegin | types.WorkDoneProgressReport
            value = types.WorkDoneProgressReport(
                message=f"{done} of {all_} assemblies", percentage=100 * done // max(all_, 1)
            )
            if done == 0:
                value = types.WorkDoneProgressBegin("Checking the project", percentage=0)
            loop.call_soon_threadsafe(self._tell, types.ProgressParams(token, value))

        return tell
