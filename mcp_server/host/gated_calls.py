"""Edits that Unity compiles before they stay: one after the other, as each is compiled by itself.

Implements docs/design/change-sets.md §5 with what a server has.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Coroutine, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from mcp_server.contract.catalog import CATALOG
from mcp_server.contract.errors import Guarantee, ToolError, ToolErrorCode, tool_error
from mcp_server.contract.outcome import OnProgress, Outcome
from mcp_server.contract.tool_spec import ToolSpec
from mcp_server.editor.requests import new_request_id
from mcp_server.editor.tools import EditorTools
from mcp_server.host.editor_gate import not_begun, through_gate
from mcp_server.host.kept_state import turn_file
from snippet_engine.schemas.checked_params import CheckedParams
from snippet_engine.storage.system.file_lock import HeldLock, acquire

ASK_AGAIN_MS = 250
"""How long after the Editor has refused a compile it is asked again."""

_COMPILE = CATALOG["compile"]

RunLocal: TypeAlias = Callable[[ToolSpec, CheckedParams], Coroutine[Any, Any, Outcome]]
CallEditor: TypeAlias = Callable[[ToolSpec, Mapping[str, Any], str], Coroutine[Any, Any, Outcome]]
Amend: TypeAlias = Callable[[str, Mapping[str, Any] | None], Coroutine[Any, Any, None]]


@dataclass(frozen=True, slots=True)
class GatedCall:
    """One such edit, and what it is done with: the gate's :class:`.Hands`.

    ``began_ms`` is when it came.
    """

    spec: ToolSpec
    params: CheckedParams
    project: Path | None
    editor_tools: EditorTools
    run: RunLocal
    amend: Amend
    call_editor: CallEditor
    began_ms: float

    def time_left(self) -> int | None:
        """How many milliseconds of its own time are left; ``None``: it named none."""
        if "timeout_ms" not in self.params:
            return None
        until = self.began_ms + self.spec.timeout_ms(self.params)
        return max(0, round(until - self.editor_tools.now_ms()))

    async def compile(self, *, patiently: bool) -> Outcome:
        """Compile; where the Editor refuses that, as it does right before a reload, ``patiently``
        once more, as long as there is time."""
        until = self.editor_tools.now_ms() + _COMPILE.default_timeout_ms
        while True:
            left_ms = self.time_left()
            within = {} if left_ms is None else {"timeout_ms": max(1, left_ms)}
            outcome = await self.call_editor(_COMPILE, within, new_request_id())
            if not patiently or left_ms == 0 or not self._is_refused_for_now(outcome):
                return outcome
            if self.editor_tools.now_ms() >= until:
                return outcome
            await self.editor_tools.pause(ASK_AGAIN_MS)

    async def saved_since(self, paths: Collection[str], since_s: float) -> bool:
        """Whether a script of ``paths`` was written since, as of ``time.time``."""
        return await asyncio.to_thread(_any_written, self.project or Path(), paths, since_s)

    def _is_refused_for_now(self, outcome: Outcome) -> bool:
        if not isinstance(outcome, ToolError) or not outcome.retryable:
            return False
        if outcome.details["execution_guarantee"] != Guarantee.NOT_EXECUTED:
            return False
        # One that no Editor came for was waited for already.
        waited = outcome.code is ToolErrorCode.EDITOR_NOT_READY
        is_there = "plugin_error_code" in outcome.details or self.editor_tools.connected
        return (is_there or not waited) and self.editor_tools.may_be_asked


def _any_written(project: Path, paths: Collection[str], since_s: float) -> bool:
    for path in paths:
        try:
            if (project / path).stat().st_mtime >= since_s:
                return True
        except (OSError, ValueError):  # it is gone, which tells nothing
            continue
    return False


class GatedCalls:
    """The gated edits of a server; those of the project's other servers take turns with them.

    Lives on one event loop.
    """

    def __init__(self) -> None:
        self._turn = asyncio.Lock()
        self._going: set[asyncio.Task[Outcome]] = set()

    async def run(self, call: GatedCall, on_progress: OnProgress | None) -> Outcome:
        """Put an edit through the gate, once those before it have passed.

        It ends with its caller while it waits for its turn, and not any more once it has begun.
        """
        left_ms = call.time_left()
        if self._turn.locked() and on_progress is not None:
            await on_progress(0, None, "another gated edit is being compiled")
        try:
            async with asyncio.timeout(None if left_ms is None else left_ms / 1000):
                await self._turn.acquire()
                try:
                    turn = await _turn_of(call.project)
                except BaseException:
                    self._turn.release()
                    raise
        except TimeoutError:
            why = "others were compiled before it, and that took the call's whole timeout_ms."
            return not_begun(tool_error(ToolErrorCode.EDITOR_NOT_READY, why), call.params)
        work = asyncio.create_task(through_gate(call.spec, call.params, call))
        self._going.add(work)

        def passed(_work: asyncio.Task[Outcome]) -> None:
            self._going.discard(work)
            if turn is not None:
                turn.release()
            self._turn.release()

        work.add_done_callback(passed)
        return await asyncio.shield(work)


async def _turn_of(project: Path | None) -> HeldLock | None:
    """The turn of one of the project's servers; ``None`` where nothing can be locked."""
    try:
        path = turn_file(project)
        while path is not None and (turn := acquire(path, 0)) is None:
            await asyncio.sleep(ASK_AGAIN_MS / 1000)
    except OSError:
        return None
    return None if path is None else turn
