"""Gated edits: applied, compiled by Unity, and undone if they cause new errors.

Implements docs/design/change-sets.md §5. The Editor compiles before the edit, after it, and once
more without it. Errors that were there before don't count, nor do errors that others caused
meanwhile.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Collection, Coroutine, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from mcp_server.contract.catalog import CATALOG
from mcp_server.contract.errors import Guarantee, ToolError, ToolErrorCode, tool_error
from mcp_server.contract.outcome import OnProgress, Outcome, ToolResult
from mcp_server.contract.tool_spec import EDITOR_GATE, ToolSpec
from mcp_server.editor.requests import new_request_id
from mcp_server.editor.tools import EditorTools
from mcp_server.host.compared_compiles import beyond, has_compiled_since, why_it_stays
from mcp_server.host.kept_state import turn_file
from mcp_server.host.local_runs import OnLeft
from snippet_engine.call_context import noting_nothing
from snippet_engine.schemas.checked_params import CheckedParams
from snippet_engine.schemas.schema import SEEMS_RENAME
from snippet_engine.storage.stores.write_gate import asking
from snippet_engine.storage.system.file_lock import HeldLock, acquire

Json: TypeAlias = dict[str, Any]
RunLocal: TypeAlias = Callable[[ToolSpec, CheckedParams], Coroutine[Any, Any, Outcome]]
CallEditor: TypeAlias = Callable[[ToolSpec, Mapping[str, Any], str], Coroutine[Any, Any, Outcome]]
Amend: TypeAlias = Callable[[str, Mapping[str, Any] | None], Coroutine[Any, Any, None]]

ASK_AGAIN_MS = 250
"""Milliseconds before the Editor is asked again after it refused a compile."""

_COMPILE = CATALOG["compile"]
_UNDO = CATALOG["undo_snippet"]
_KEPT = ("status", "errors", "duration_ms", "truncated", "note", "stale_view")
"""The fields of a compile's result that go into the edit's result."""

_INVALID_STATE = "ERR_INVALID_STATE"


class GatedCalls:
    """Runs a server's gated edits one at a time, in turn with the project's other servers.

    Lives on one event loop.
    """

    def __init__(self) -> None:
        self._turn = asyncio.Lock()
        self._going: set[asyncio.Task[Outcome]] = set()

    async def run(
        self, call: GatedCall, on_progress: OnProgress | None, on_left: OnLeft
    ) -> Outcome:
        """Run a gated edit when its turn comes.

        If the caller leaves before, the edit is dropped. If the caller leaves later, the edit runs
        to its end, and ``on_left`` gets that work.
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
            why = "other edits were compiled first, which took the call's whole timeout_ms."
            return not_begun(tool_error(ToolErrorCode.EDITOR_NOT_READY, why), call.params)
        work = asyncio.create_task(call.run())
        self._going.add(work)

        def release(_work: asyncio.Task[Outcome]) -> None:
            self._going.discard(work)
            if turn is not None:
                turn.release()
            self._turn.release()

        work.add_done_callback(release)
        try:
            return await asyncio.shield(work)
        except asyncio.CancelledError:
            on_left(work)
            raise


async def _turn_of(project: Path | None) -> HeldLock | None:
    """Wait for this server's turn. Return the lock; ``None`` if nothing can be locked."""
    try:
        path = turn_file(project)
        while path is not None and (turn := acquire(path, 0)) is None:
            await asyncio.sleep(ASK_AGAIN_MS / 1000)
    except OSError:
        return None
    return None if path is None else turn


@dataclass(frozen=True, slots=True)
class GatedCall:
    """One gated edit."""

    spec: ToolSpec
    params: CheckedParams
    project: Path | None
    editor_tools: EditorTools
    run_local: RunLocal
    amend: Amend
    """Replaces the stored answer for repeated requests. ``None`` makes the request a new one."""
    call_editor: CallEditor
    began_ms: float
    """When the call came, on the clock of ``editor_tools``."""

    def time_left(self) -> int | None:
        """Return how many milliseconds of ``timeout_ms`` are left; ``None`` if it isn't given."""
        if "timeout_ms" not in self.params:
            return None
        until = self.began_ms + self.spec.timeout_ms(self.params)
        return max(0, round(until - self.editor_tools.now_ms()))

    async def run(self) -> Outcome:
        """Apply the edit, let Unity compile it, and undo it if that causes new errors.

        Whatever the Editor does, the answer says whether the edit is still in place.
        """
        asked_s = time.time()
        before = await self._compile(patiently=False)
        if isinstance(before, ToolError):
            return not_begun(before, self.params)
        if self.time_left() == 0:
            why = "the present scripts were compiled first, which took the call's whole timeout_ms."
            return not_begun(tool_error(ToolErrorCode.EDITOR_NOT_READY, why), self.params)
        return await self._apply(before.structured, asked_s)

    async def _apply(
        self, before: Mapping[str, Any], asked_s: float, *, second: bool = False
    ) -> Outcome:
        """Apply the edit, and undo it if it adds errors to those of the compile ``before``.

        That compile was requested at ``asked_s``, as of ``time.time``.
        """
        begun_s = time.time()
        applied = await self.run_local(self.spec, self._without_gate())
        if isinstance(applied, ToolError) or applied.structured.get("applied") is not True:
            return applied
        if applied.structured.get("replayed"):
            # The first compile already included the edit, so the errors can't be compared.
            why = "this repeats the first answer, and the edit was already applied"
            if before["errors"]:
                why += ": the edit may have caused these errors; undo_snippet takes it back"
            return self._with(applied, {**_kept_fields(before), "status": "unknown", "reason": why})
        after = await self._compile_since(begun_s)
        if "reason" in after:
            return self._with(
                applied, {**after, "reason": f"the edit is in place; {after['reason']}"}
            )
        if after["status"] != "failed":
            return self._with(applied, _kept_fields(after))
        stays = why_it_stays(before, after)
        if stays is not None:
            return self._with(applied, {**_kept_fields(after), "reason": stays})
        failed = {**_kept_fields(after), "errors": beyond(after["errors"], before["errors"])}
        return await self._undo(applied, failed, asked_s, second=second)

    async def _undo(
        self, applied: ToolResult, failed: Json, asked_s: float, *, second: bool
    ) -> Outcome:
        """Undo the edit, and compile without it.

        If others caused the errors, apply it once more.
        """
        result = applied.structured
        which = (
            {"changeId": result["changeId"]}
            if "changeId" in result
            else {"path": result["path"], "hashAfter": result["hashAfter"]}
        )
        new = failed["errors"]
        begun_s = time.time()
        # The person approved the edit on condition that it compiles, so the undo needs no approval.
        with asking(None), noting_nothing():
            undone = await self.run_local(_UNDO, CheckedParams(_UNDO.name, which))
        if isinstance(undone, ToolError):
            why = _without_list(undone.message)
            failed["reason"] = f"the edit is in place, because it could not be undone: {why}"
            return self._with(applied, failed)
        warnings = [*result["warnings"], *undone.structured.get("warnings", ())]
        back = {**result, "status": "undone_by_compile", "applied": False, "warnings": warnings}
        back.pop(SEEMS_RENAME, None)  # The field's requests begin with this undo.
        again = await self._compile_since(begun_s)
        if "reason" in again:
            failed["reason"] = f"undone, but Unity has not compiled that yet: {again['reason']}"
        elif again["status"] == "failed" and not beyond(new, again["errors"]):
            others = "undone, but Unity reports these errors without it, too: others caused them"
            return await self._apply_again(back, failed, again, begun_s, others, second=second)
        else:
            failed["errors"] = beyond(new, again["errors"])
            own = _own_paths(self.params) | _own_paths({"changes": result.get("files", ())})
            elsewhere = {each["path"] for each in failed["errors"]} - own
            if elsewhere and await self._saved_since(elsewhere, asked_s):
                others = (
                    "undone, but others may have caused these errors: a script was saved meanwhile"
                )
                return await self._apply_again(back, failed, again, begun_s, others, second=second)
        outcome = self._with(ToolResult(back, ""), failed)
        await self._amend(outcome.structured)
        return outcome

    async def _apply_again(
        self,
        back: Json,
        failed: Json,
        again: Mapping[str, Any],
        asked_s: float,
        others: str,
        *,
        second: bool,
    ) -> Outcome:
        """Apply the edit once more, compared with the compile ``again``.

        ``others`` is a text that says why others may have caused the errors.
        """
        await self._amend(None)
        if second or self.time_left() == 0:
            reason = f"{others}. Send it again."
            return self._with(ToolResult(back, ""), {**failed, "reason": reason})
        outcome = await self._apply(again, asked_s, second=True)
        if isinstance(outcome, ToolError):
            reason = f"{others}, and then it was refused: {outcome.message}"
            return self._with(ToolResult(back, ""), {**failed, "reason": reason})
        return outcome

    async def _compile(self, *, patiently: bool) -> Outcome:
        """Let Unity compile.

        With ``patiently``, repeat that while the Editor refuses and time is left.
        """
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

    async def _compile_since(self, begun_s: float) -> Json:
        """Compile what was written since ``begun_s``. Add a ``reason`` if that isn't certain."""
        outcome = await self._compile(patiently=True)
        if isinstance(outcome, ToolError):
            return {"status": "unknown", "errors": [], "reason": outcome.message}
        compiled = outcome.structured
        if has_compiled_since(compiled, begun_s):
            return dict(compiled)
        stale = compiled.get("stale_view")
        why = "Unity finds no change, and was not seen to compile the edit"
        if stale:
            why = "Unity doesn't see the change yet"
        return {
            "status": "unknown",
            "errors": [],
            **({"stale_view": stale} if stale else {}),
            "reason": f"{why}: give its window the focus, then compile",
        }

    def _is_refused_for_now(self, outcome: Outcome) -> bool:
        if not isinstance(outcome, ToolError) or not outcome.retryable:
            return False
        if outcome.details["execution_guarantee"] != Guarantee.NOT_EXECUTED:
            return False
        # If no Editor was connected, the call has already waited for one.
        waited = outcome.code is ToolErrorCode.EDITOR_NOT_READY
        is_there = "plugin_error_code" in outcome.details or self.editor_tools.connected
        return (is_there or not waited) and self.editor_tools.may_be_asked

    async def _saved_since(self, paths: Collection[str], since_s: float) -> bool:
        """Return whether a script of ``paths`` was saved since ``since_s``, as of ``time.time``."""
        return await asyncio.to_thread(_any_written, self.project or Path(), paths, since_s)

    async def _amend(self, result: Mapping[str, Any] | None) -> None:
        if "client_request_id" in self.params:
            await self.amend(self.params["client_request_id"], result)

    def _without_gate(self) -> CheckedParams:
        """Return the call for the engine, which knows no Editor, with the time that is left."""
        kept, left_ms = self.params.without(EDITOR_GATE), self.time_left()
        return kept if left_ms is None else kept.with_known(timeout_ms=left_ms)

    def _with(self, applied: ToolResult, compiled: Mapping[str, Any]) -> ToolResult:
        from snippet_engine.answer.text_form import text_form  # noqa: PLC0415 - loaded with the engine

        result = {**applied.structured, "compile": dict(compiled)}
        return ToolResult(result, text_form(self.spec.name, result))


def not_begun(why: ToolError, params: CheckedParams) -> ToolError:
    """Return the error for a call that wrote nothing, because Unity can't compile.

    ``why`` is the compile's error. If waiting doesn't help, as in play mode, its code is kept.
    """
    is_of_state = why.details.get("plugin_error_code") == _INVALID_STATE
    message = f"Nothing was written: {why.message}"
    if is_of_state:
        message = f"Nothing was written ({_INVALID_STATE}): {why.details['plugin_message']}"
    if "client_request_id" in params:
        # An earlier call may have ended after its write. Only an apply would show that.
        message += " (An earlier call with this id may have written: see get_history.)"
    return tool_error(
        why.code if is_of_state else ToolErrorCode.EDITOR_NOT_READY,
        message,
        details={**why.details, "code": why.code.value},
        guarantee=Guarantee.NOT_EXECUTED,
    )


def _any_written(project: Path, paths: Collection[str], since_s: float) -> bool:
    for path in paths:
        try:
            if (project / path).stat().st_mtime >= since_s:
                return True
        except (OSError, ValueError):  # the file is gone
            continue
    return False


def _own_paths(params: Mapping[str, Any]) -> set[str]:
    changes = params.get("changes", [params])
    return {each[key] for each in changes for key in ("path", "moveTo", "movedTo") if key in each}


def _without_list(message: str) -> str:
    """Return ``message`` without its last sentence if that introduces a list."""
    if not message.endswith(":"):
        return message
    return f"{message.rpartition('. ')[0] or message[:-1]}. get_history lists what can be undone."


def _kept_fields(compiled: Mapping[str, Any]) -> Json:
    return {key: compiled[key] for key in _KEPT if key in compiled}
