"""Shorten a script tool's refusal by what its text or an offer has already.

Implements docs/design/server-and-bridge.md §2 "Short answers". Pure. ``include: ["full"]`` asks for
the full form.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from mcp_server.contract.errors import ToolError
from mcp_server.contract.short_schemas import FULL

Json = dict[str, Any]

MAX_DIAGNOSTICS = 5
MAX_DETAILS = 2_000
"""Most code points of what an error says apart from its offers, as JSON."""

_IN_OFFERS = frozenset({"nearest", "instructions", "newTextLines"})
"""Details that an agent with an offer doesn't need."""


def short_error(arguments: Mapping[str, Any], error: ToolError) -> ToolError:
    """Return ``error`` with each message once, unless ``arguments`` ask for the full form."""
    if FULL in (arguments.get("include") or ()) or "details" not in error.details:
        return error
    details = dict(error.details)
    if details.get("message") == error.message:
        del details["message"]
    offers = details.get("offers") or []
    details["details"] = _bounded(_of_one(details, offers))
    if not offers:
        details.pop("offers", None)
    return replace(error, details=details)


def _of_one(error: Mapping[str, Any], offers: Sequence[Mapping[str, Any]]) -> Json:
    left_out = {"validation"} | (_IN_OFFERS if offers else set())
    kept = {key: each for key, each in error["details"].items() if key not in left_out}
    if "diagnostics" in kept:
        found = kept["diagnostics"]
        kept["diagnostics"] = [
            {key: each[key] for key in each if key != "instruction"}
            if each.get("instruction") == error.get("instruction")
            else each
            for each in found[:MAX_DIAGNOSTICS]
        ]
        if len(found) > MAX_DIAGNOSTICS:
            kept["moreDiagnostics"] = len(found) - MAX_DIAGNOSTICS
    if offers and "candidates" in kept:
        anchors = list(_anchors(offers))
        others = [each for each in kept.pop("candidates") if each.get("anchor") not in anchors]
        kept |= {"candidates": others} if others else {}
    if "otherErrors" in kept:
        kept["otherErrors"] = [
            {**each, "details": _of_one(each, offers)} for each in kept["otherErrors"]
        ]
    return kept


def _anchors(value: Any) -> Iterator[Any]:
    """Yield every anchor in ``value``."""
    if isinstance(value, Mapping):
        yield from (value[key] for key in value if key == "anchor")
    inner = value.values() if isinstance(value, Mapping) else value
    if not isinstance(value, str) and isinstance(inner, Iterable):
        for each in inner:
            yield from _anchors(each)


def _bounded(details: Json) -> Json:
    """Return ``details`` in at most :data:`MAX_DETAILS`: the longest list loses its last items."""
    left_out = 0
    while _size(details) > MAX_DETAILS:
        lists = {key: each for key, each in details.items() if isinstance(each, list) and each}
        if not lists:
            break
        longest = max(lists, key=lambda key: _size(lists[key]))
        details = {**details, longest: lists[longest][:-1]}
        left_out += 1
        if longest == "diagnostics":
            left_out -= 1
            details["moreDiagnostics"] = details.get("moreDiagnostics", 0) + 1
    return {**details, "leftOut": left_out} if left_out else details


def _size(value: Any) -> int:
    return len(json.dumps(value, ensure_ascii=False))
