"""An edit that stays only if Unity compiles it: applied, compiled, and undone where that fails.

Implements docs/design/change-sets.md §5. The Editor compiles before, too: errors that were there
already are no reason to take an edit back, and what others changed is none of its doing.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime
from typing import Any, TypeAlias

from mcp_server.contract.catalog import CATALOG
from mcp_server.contract.errors import Guarantee, ToolError, ToolErrorCode, tool_error
from mcp_server.contract.outcome import Outcome, ToolResult
from mcp_server.contract.tool_spec import EDITOR_GATE, ToolSpec
from snippet_engine.schemas.checked_params import CheckedParams

RunLocal: TypeAlias = Callable[[ToolSpec, CheckedParams], Awaitable[Outcome]]
Compile: TypeAlias = Callable[[], Awaitable[Outcome]]
TimeLeft: TypeAlias = Callable[[], int | None]
"""How many milliseconds of the call's own time are left, 0 at least; ``None``: it named none."""

_UNDO = CATALOG["undo_snippet"]
_KEPT = ("status", "errors", "duration_ms", "truncated", "note", "stale_view")
"""What of a compile's result stands in that of the edit."""

_INVALID_STATE = "ERR_INVALID_STATE"

Key: TypeAlias = tuple[str, str, str]


def ungated(params: CheckedParams, left_ms: int | None = None) -> CheckedParams:
    """The call as the engine does it, which knows no Editor; it may take ``left_ms``."""
    kept = {key: params[key] for key in params if key != EDITOR_GATE}
    return CheckedParams(params.tool, kept if left_ms is None else {**kept, "timeout_ms": left_ms})


async def through_gate(
    spec: ToolSpec,
    params: CheckedParams,
    run: RunLocal,
    compile_scripts: Compile,
    time_left: TimeLeft,
) -> Outcome:
    """Apply, compile, and undo if that brings errors which weren't there before.

    ``run`` makes a local call, ``compile_scripts`` one of ``compile``. Whatever the Editor does,
    the answer says whether the edit stands.
    """
    before = await compile_scripts()
    if isinstance(before, ToolError):
        return not_begun(before, params)
    left_ms = time_left()
    if left_ms == 0:
        why = "the scripts were compiled first, and that took the call's whole timeout_ms."
        return not_begun(tool_error(ToolErrorCode.EDITOR_NOT_READY, why), params)
    known = _keys(before.structured)
    begun_s = time.time()
    applied = await run(spec, ungated(params, left_ms))
    if isinstance(applied, ToolError) or applied.structured.get("applied") is not True:
        return applied
    if applied.structured.get("replayed"):
        # What was compiled just now had the edit in it already, so it tells nothing of before.
        why = "this is the answer of the first time, and the edit was there already: "
        errors = before.structured["errors"]
        why += "these errors may be its own; undo_snippet takes it back" if errors else "no errors"
        told = {**_told(before.structured), "status": "unknown", "reason": why}
        return _with_compile(spec, applied, told)
    after = await compile_scripts()
    if isinstance(after, ToolError):
        why = f"the edit stands; {after.message}"
        return _with_compile(spec, applied, {"status": "unknown", "errors": [], "reason": why})
    stale = after.structured.get("stale_view")
    if stale:
        why = "the edit stands; Unity sees no change in it yet: give its window the focus, then "
        told = {"status": "unknown", "errors": [], "reason": f"{why}compile", "stale_view": stale}
        return _with_compile(spec, applied, told)
    if _has_not_compiled(after.structured, begun_s):
        why = "the edit stands; Unity finds no change, and was not seen to compile it: give its "
        told = {"status": "unknown", "errors": [], "reason": f"{why}window the focus, then compile"}
        return _with_compile(spec, applied, told)
    new = [each for each in after.structured["errors"] if _key(each) not in known]
    failed = after.structured["status"] == "failed"
    if not new and (not failed or before.structured["status"] == "failed"):
        told = _told(after.structured)
        if failed:
            told["reason"] = (
                "the edit stays: all of these errors were there before it"
                if after.structured["errors"]
                else "the edit stays: Unity tells no errors, neither before it nor with it, and "
                "says both times that the scripts don't compile"
            )
        return _with_compile(spec, applied, told)
    return await _taken_back(
        spec, applied, {**_told(after.structured), "errors": new}, run, compile_scripts
    )


async def _taken_back(
    spec: ToolSpec,
    applied: ToolResult,
    failed: dict[str, Any],
    run: RunLocal,
    compile_scripts: Compile,
) -> Outcome:
    result = applied.structured
    which = (
        {"changeId": result["changeId"]}
        if "changeId" in result
        else {"path": result["path"], "hashAfter": result["hashAfter"]}
    )
    undone = await run(_UNDO, CheckedParams(_UNDO.name, which))
    if isinstance(undone, ToolError):
        failed["reason"] = f"the edit stands, as it could not be undone: {undone.message}"
        return _with_compile(spec, applied, failed)
    again = await compile_scripts()
    if isinstance(again, ToolError):
        failed["reason"] = f"undone, but Unity has not compiled that yet: {again.message}"
    told = undone.structured.get("warnings", ()) if isinstance(undone, ToolResult) else ()
    warnings = [*result["warnings"], *told]
    back = {**result, "status": "undone_by_compile", "applied": False, "warnings": warnings}
    return _with_compile(spec, ToolResult(back, ""), failed)


def _has_not_compiled(compiled: Mapping[str, Any], since_s: float) -> bool:
    """Whether the Editor found nothing to compile, and nothing tells that it has compiled since, as
    of ``time.time``: by itself, as it does where it sees a change before it is asked.

    The road over the Pipeline has looked at that before it answers.
    """
    if compiled["status"] != "up_to_date" or compiled.get("link") != "plugin":
        return False
    try:
        # The Editor runs on this machine: there is one clock.
        last = datetime.fromisoformat(compiled["last_compiled"])
        return last.replace(tzinfo=last.tzinfo or UTC).timestamp() < since_s
    except (KeyError, ValueError):
        return True


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


def _told(compiled: Mapping[str, Any]) -> dict[str, Any]:
    return {key: compiled[key] for key in _KEPT if key in compiled}


def _with_compile(spec: ToolSpec, applied: ToolResult, compiled: Mapping[str, Any]) -> ToolResult:
    from snippet_engine.answer.text_form import text_form  # noqa: PLC0415 - the engine's, once it ran

    result = {**applied.structured, "compile": dict(compiled)}
    return ToolResult(result, text_form(spec.name, result))


def _keys(compiled: Mapping[str, Any]) -> set[Key]:
    return {_key(each) for each in compiled["errors"]}


def _key(issue: Mapping[str, Any]) -> Key:
    """What makes an error the same one, wherever its line has moved to."""
    return str(issue["path"]), str(issue["code"]), str(issue["message"])
