"""An edit that stays only if Unity compiles it: applied, compiled, and undone where that fails.

Implements docs/design/change-sets.md §5. The Editor compiles before, too: errors that were there
already are no reason to take an edit back, and what others changed is none of its doing.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeAlias

from mcp_server.contract.catalog import CATALOG, EDITOR_GATE, ToolSpec
from mcp_server.contract.errors import Guarantee, ToolError, ToolErrorCode, tool_error
from mcp_server.contract.outcome import Outcome, ToolResult
from snippet_engine.checked_params import CheckedParams

RunLocal: TypeAlias = Callable[[ToolSpec, CheckedParams], Awaitable[Outcome]]
Compile: TypeAlias = Callable[[], Awaitable[Outcome]]

_UNDO = CATALOG["undo_snippet"]
_KEPT = ("status", "errors", "duration_ms", "truncated", "note", "stale_view")
"""What of a compile's result stands in that of the edit."""

Key: TypeAlias = tuple[str, str, str]


def ungated(params: CheckedParams) -> CheckedParams:
    """The call as the engine does it, which knows no Editor."""
    return CheckedParams(params.tool, {key: params[key] for key in params if key != EDITOR_GATE})


async def through_gate(
    spec: ToolSpec, params: CheckedParams, run: RunLocal, compile_scripts: Compile
) -> Outcome:
    """Apply, compile, and undo if that brings errors which weren't there before.

    ``run`` makes a local call, ``compile_scripts`` one of ``compile``. Whatever the Editor does,
    the answer says whether the edit stands.
    """
    before = await compile_scripts()
    if isinstance(before, ToolError):
        return _not_begun(before)
    known = _keys(before.structured)
    applied = await run(spec, ungated(params))
    if isinstance(applied, ToolError) or applied.structured.get("applied") is not True:
        return applied
    if applied.structured.get("replayed"):
        why = "this is the answer of the first time; call compile to see how the scripts stand"
        return _with_compile(spec, applied, {"status": "unknown", "errors": [], "reason": why})
    after = await compile_scripts()
    if isinstance(after, ToolError):
        why = f"the edit stands; {after.message}"
        return _with_compile(spec, applied, {"status": "unknown", "errors": [], "reason": why})
    stale = after.structured.get("stale_view")
    if stale:
        why = "the edit stands; Unity sees no change in it yet: give its window the focus, then "
        told = {"status": "unknown", "errors": [], "reason": f"{why}compile", "stale_view": stale}
        return _with_compile(spec, applied, told)
    new = [each for each in after.structured["errors"] if _key(each) not in known]
    if not new:
        return _with_compile(spec, applied, _told(after.structured))
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
    back = {**result, "status": "undone_by_compile", "applied": False}
    return _with_compile(spec, ToolResult(back, ""), failed)


def _not_begun(why: ToolError) -> ToolError:
    """The Editor's refusal to compile, before anything was written."""
    return tool_error(
        ToolErrorCode.EDITOR_NOT_READY,
        f"Nothing was written: {why.message}",
        details={**why.details, "code": why.code.value},
        guarantee=Guarantee.NOT_EXECUTED,
    )


def _told(compiled: Mapping[str, Any]) -> dict[str, Any]:
    return {key: compiled[key] for key in _KEPT if key in compiled}


def _with_compile(spec: ToolSpec, applied: ToolResult, compiled: Mapping[str, Any]) -> ToolResult:
    from snippet_engine.text_form import text_form  # noqa: PLC0415 - the engine's, once it ran

    result = {**applied.structured, "compile": dict(compiled)}
    return ToolResult(result, text_form(spec.name, result))


def _keys(compiled: Mapping[str, Any]) -> set[Key]:
    return {_key(each) for each in compiled["errors"]}


def _key(issue: Mapping[str, Any]) -> Key:
    """What makes an error the same one, wherever its line has moved to."""
    return str(issue["path"]), str(issue["code"]), str(issue["message"])
