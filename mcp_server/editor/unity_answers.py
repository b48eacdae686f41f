"""Check Unity's answers against the contract.

Implements docs/design/wire-protocol.md §1 and docs/design/server-and-bridge.md §7. Unknown fields
are dropped; the rest must satisfy the contract, or the call ends with ``ERR_INVALID_RESPONSE``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import jsonschema_rs

from mcp_server.contract.outcome import run_contradiction
from snippet_engine.schemas.schema_check import find_problems
from unity_bridge.plugin.wire_schemas import PROGRESS

_compiled: dict[int, tuple[Mapping[str, Any], jsonschema_rs.Draft202012Validator]] = {}
"""Validators by the identity of their schemas, which are kept so that the identity stays."""


def known_fields(schema: Mapping[str, Any], value: Any) -> Any:
    """Return ``value`` without the fields that ``schema`` doesn't have."""
    if isinstance(value, dict) and "properties" in schema:
        known = schema["properties"]
        return {key: known_fields(known[key], each) for key, each in value.items() if key in known}
    if isinstance(value, list) and "items" in schema:
        return [known_fields(schema["items"], each) for each in value]
    return value


def breach(schema: Mapping[str, Any], value: Any) -> tuple[str, str] | None:
    """Return how ``value`` breaks ``schema``: (expected, actual), or ``None``."""
    problems = [] if _is_valid(schema, value) else find_problems(schema, value)
    if not problems:
        return None
    expected, _, got = problems[0].message.partition(" (got ")
    actual = got.removesuffix(")") if got else "something else"
    return f"{problems[0].path} {expected}", actual


def contradiction(
    result: Mapping[str, Any], arguments: Mapping[str, Any]
) -> tuple[str, str] | None:
    """Return how a valid result contradicts itself or its call: (expected, actual), or ``None``."""
    if "action" in arguments and result["action"] != arguments["action"]:
        return f"$.action {arguments['action']!r}", repr(result["action"])
    if "state" in result and "is_playing" in result:
        playing = "paused" if result["is_paused"] else "playing"
        expected = playing if result["is_playing"] else "stopped"
        if result["state"] != expected:
            flags = f"is_playing {result['is_playing']} and is_paused {result['is_paused']}"
            return f"$.state {expected!r} with {flags.lower()}", repr(result["state"])
    if "entries" in result and result["count"] != len(result["entries"]):
        return f"$.count {len(result['entries'])}, as many as entries", str(result["count"])
    return None


def job_contradiction(tool: str, result: Mapping[str, Any]) -> tuple[str, str] | None:
    """Return how a job's valid result contradicts itself: (expected, actual), or ``None``."""
    return {"run_tests": run_contradiction, "compile": _compile_contradiction}[tool](result)


_PROGRESS = ("completed", "total", "current")


def known_progress(reported: Any) -> dict[str, Any] | None:
    """Return a plugin's progress; ``None`` where it is invalid."""
    if not isinstance(reported, dict):
        return None
    progress = {name: reported[name] for name in _PROGRESS if name in reported}
    if breach(PROGRESS, progress) is not None or progress["completed"] > progress["total"]:
        return None
    return progress


def _compile_contradiction(result: Mapping[str, Any]) -> tuple[str, str] | None:
    status, errors = result["status"], result["errors"]
    if status != "failed" and errors:
        return (
            "$.errors empty, as nothing failed",
            f"{len(errors)}, the first {errors[0]['message']}",
        )
    if status == "failed" and not errors and "note" not in result and result["reloaded"]:
        return "an error, or $.reloaded not true, as the compile failed", "no error, and true"
    return None


def matching(result: Mapping[str, Any], params: Mapping[str, Any]) -> dict[str, Any]:
    """Return a result of ``read_console`` with the entries that were asked for.

    A plugin of the first protocol ignores ``types`` and ``contains``. Entries that match in any
    form of case are kept.
    """
    entries = [entry for entry in result["entries"] if is_wanted(entry, params)]
    return {**result, "entries": entries, "count": len(entries)}


def is_wanted(entry: Mapping[str, Any], params: Mapping[str, Any]) -> bool:
    """Return whether a console entry matches the parameters of ``read_console``."""
    types, contains = params.get("types"), params.get("contains")
    if types is not None and entry["type"] not in types:
        return False
    return contains is None or _contains(entry["message"], contains)


def _contains(message: str, part: str) -> bool:
    return any(form(part) in form(message) for form in (str.lower, str.upper, str.casefold))


def _is_valid(schema: Mapping[str, Any], value: Any) -> bool:
    """Return whether ``value`` is valid; its problems are found only when needed."""
    if id(schema) not in _compiled:
        _compiled[id(schema)] = schema, jsonschema_rs.Draft202012Validator(dict(schema))
    return _compiled[id(schema)][1].is_valid(value)
