"""An edit that stays only if Unity compiles it: applied, compiled, and undone where that fails.

Implements docs/design/change-sets.md §5. The Editor compiles before, too, and once more without the
edit: errors that were there already, or that others have caused meanwhile, are none of its doing.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

from mcp_server.contract.catalog import CATALOG
from mcp_server.contract.errors import Guarantee, ToolError, ToolErrorCode, tool_error
from mcp_server.contract.outcome import Outcome, ToolResult
from mcp_server.contract.tool_spec import EDITOR_GATE, ToolSpec
from mcp_server.host.compared_compiles import beyond, has_compiled_since, why_it_stays
from snippet_engine.schemas.checked_params import CheckedParams

Json: TypeAlias = dict[str, Any]
TimeLeft: TypeAlias = Callable[[], int | None]
"""How many milliseconds of the call's own time are left, 0 at least; ``None``: it named none."""

_UNDO = CATALOG["undo_snippet"]
_KEPT = ("status", "errors", "duration_ms", "truncated", "note", "stale_view")
"""What of a compile's result stands in that of the edit."""

_INVALID_STATE = "ERR_INVALID_STATE"
_SEND_AGAIN = "Send it again."


class Hands(Protocol):
    """What the gate does its work with."""

    async def run(self, spec: ToolSpec, params: CheckedParams, /) -> Outcome:
        """Make a call of a script tool."""

    async def compile(self, *, patiently: bool) -> Outcome:
        """Make a call of ``compile``; ``patiently``: again, where the Editor refuses it."""

    async def amend(self, client_request_id: str, result: Mapping[str, Any] | None, /) -> None:
        """Have ``result`` told to who sends that request again; ``None``: it is a new one."""

    async def saved_since(self, paths: Collection[str], since_s: float, /) -> bool:
        """Whether a script of ``paths`` was written since, as of ``time.time``."""

    def time_left(self) -> int | None:
        """See :data:`TimeLeft`."""


def ungated(params: CheckedParams, left_ms: int | None = None) -> CheckedParams:
    """The call as the engine does it, which knows no Editor; it may take ``left_ms``."""
    kept = {key: params[key] for key in params if key != EDITOR_GATE}
    return CheckedParams(params.tool, kept if left_ms is None else {**kept, "timeout_ms": left_ms})


async def through_gate(spec: ToolSpec, params: CheckedParams, hands: Hands) -> Outcome:
    """Apply, compile, and undo if that brings errors which weren't there before.

    Whatever the Editor does, the answer says whether the edit stands.
    """
    asked_s = time.time()
    before = await hands.compile(patiently=False)
    if isinstance(before, ToolError):
        return not_begun(before, params)
    if hands.time_left() == 0:
        why = "the scripts were compiled first, and that took the call's whole timeout_ms."
        return not_begun(tool_error(ToolErrorCode.EDITOR_NOT_READY, why), params)
    return await _Gate(spec, params, hands).pass_through(before.structured, asked_s)


@dataclass(frozen=True, slots=True)
class _Gate:
    spec: ToolSpec
    params: CheckedParams
    hands: Hands

    async def pass_through(
        self, before: Mapping[str, Any], asked_s: float, *, tried: bool = False
    ) -> Outcome:
        """Apply what is to compile no worse than ``before``, which was asked for at ``asked_s``;
        ``tried``: for the second time."""
        begun_s = time.time()
        applied = await self.hands.run(self.spec, ungated(self.params, self.hands.time_left()))
        if isinstance(applied, ToolError) or applied.structured.get("applied") is not True:
            return applied
        if applied.structured.get("replayed"):
            # What was compiled just now had the edit in it already: it tells nothing of before.
            why = "this is the answer of the first time, and the edit was there already: "
            why += "these errors may be its own; undo_snippet takes it back"
            if not before["errors"]:
                why = "this is the answer of the first time, and the edit was there already"
            return self._with(applied, {**_told(before), "status": "unknown", "reason": why})
        after = await self._compiled_since(begun_s)
        if "reason" in after:
            return self._with(applied, {**after, "reason": f"the edit stands; {after['reason']}"})
        if after["status"] != "failed":
            return self._with(applied, _told(after))
        stays = why_it_stays(before, after)
        if stays is not None:
            return self._with(applied, {**_told(after), "reason": stays})
        new = beyond(after["errors"], before["errors"])
        return await self._take_back(applied, {**_told(after), "errors": new}, asked_s, tried=tried)

    async def _compiled_since(self, begun_s: float) -> Json:
        """A compile of what was written since; with a ``reason`` where it tells nothing of that."""
        outcome = await self.hands.compile(patiently=True)
        if isinstance(outcome, ToolError):
            return {"status": "unknown", "errors": [], "reason": outcome.message}
        compiled = outcome.structured
        if has_compiled_since(compiled, begun_s):
            return dict(compiled)
        told = {"status": "unknown", "errors": []}
        if compiled.get("stale_view"):
            told["stale_view"] = compiled["stale_view"]
            why = "Unity sees no change in it yet"
        else:
            why = "Unity finds no change, and was not seen to compile it"
        return {**told, "reason": f"{why}: give its window the focus, then compile"}

    async def _take_back(
        self, applied: ToolResult, failed: Json, asked_s: float, *, tried: bool
    ) -> Outcome:
        result = applied.structured
        which = (
            {"changeId": result["changeId"]}
            if "changeId" in result
            else {"path": result["path"], "hashAfter": result["hashAfter"]}
        )
        new = failed["errors"]
        begun_s = time.time()
        undone = await self.hands.run(_UNDO, CheckedParams(_UNDO.name, which))
        if isinstance(undone, ToolError):
            why = _whole_sentences(undone.message)
            failed["reason"] = f"the edit stands, as it could not be undone: {why}"
            return self._with(applied, failed)
        warnings = [*result["warnings"], *undone.structured.get("warnings", ())]
        back = {**result, "status": "undone_by_compile", "applied": False, "warnings": warnings}
        again = await self._compiled_since(begun_s)
        if "reason" in again:
            failed["reason"] = f"undone, but Unity has not compiled that yet: {again['reason']}"
        elif again["status"] == "failed" and not beyond(new, again["errors"]):
            others = "undone, though Unity tells these errors without it, too: others caused them"
            return await self._put_back(back, failed, again, begun_s, others, tried=tried)
        else:
            failed["errors"] = beyond(new, again["errors"])
            beside = {each["path"] for each in failed["errors"]} - _own_paths(self.params)
            if beside and await self.hands.saved_since(beside, asked_s):
                others = "undone, and these may be others' errors: a script was saved meanwhile"
                return await self._put_back(back, failed, again, begun_s, others, tried=tried)
        told = self._with(ToolResult(back, ""), failed)
        await self._amend(told.structured)
        return told

    async def _put_back(
        self,
        back: Json,
        failed: Json,
        again: Mapping[str, Any],
        asked_s: float,
        others: str,
        *,
        tried: bool,
    ) -> Outcome:
        """Others have caused what is wrong since the first compile, or may have: ``others``.

        What there is without the edit is what it is compared with now, once.
        """
        await self._amend(None)
        if tried or self.hands.time_left() == 0:
            return self._with(
                ToolResult(back, ""), {**failed, "reason": f"{others}. {_SEND_AGAIN}"}
            )
        outcome = await self.pass_through(again, asked_s, tried=True)
        if isinstance(outcome, ToolError):
            why = f"{others}, and then it was refused: {outcome.message}"
            return self._with(ToolResult(back, ""), {**failed, "reason": why})
        return outcome

    async def _amend(self, result: Mapping[str, Any] | None) -> None:
        if "client_request_id" in self.params:
            await self.hands.amend(self.params["client_request_id"], result)

    def _with(self, applied: ToolResult, compiled: Mapping[str, Any]) -> ToolResult:
        from snippet_engine.answer.text_form import text_form  # noqa: PLC0415 - the engine's, once it ran

        result = {**applied.structured, "compile": dict(compiled)}
        return ToolResult(result, text_form(self.spec.name, result))


def not_begun(why: ToolError, params: CheckedParams) -> ToolError:
    """The error of a call that wrote nothing, as the Editor can't compile: ``why``.

    Where the Editor is in a state that no waiting ends, as play mode, it is that of the compile.
    """
    is_of_state = why.details.get("plugin_error_code") == _INVALID_STATE
    said = f"Nothing was written: {why.message}"
    if is_of_state:
        said = f"Nothing was written ({_INVALID_STATE}): {why.details['plugin_message']}"
    if "client_request_id" in params:
        # The first one may have been cut short after its write, and only an apply would tell.
        said += " (By this call: get_history has what an earlier one under its id has written.)"
    return tool_error(
        why.code if is_of_state else ToolErrorCode.EDITOR_NOT_READY,
        said,
        details={**why.details, "code": why.code.value},
        guarantee=Guarantee.NOT_EXECUTED,
    )


def _own_paths(params: Mapping[str, Any]) -> set[str]:
    changes = params.get("changes", [params])
    return {each[key] for each in changes for key in ("path", "moveTo") if key in each}


def _whole_sentences(message: str) -> str:
    """``message`` without an end that leads to a list, which a reason has no place for."""
    if not message.endswith(":"):
        return message
    return f"{message.rpartition('. ')[0] or message[:-1]}. get_history lists what can be undone."


def _told(compiled: Mapping[str, Any]) -> Json:
    return {key: compiled[key] for key in _KEPT if key in compiled}
