"""Find the valid requests nearest to a refused one.

Implements docs/design/server-and-bridge.md §2 "Repair". Agents send offers unread. So an offer is a
preview if it could do more than the refused request asked.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass
from itertools import islice, product
from typing import Any

from mcp_server.contract.catalog import CATALOG
from mcp_server.contract.tool_spec import ToolSpec
from mcp_server.repair.reading.reading import ABSENT, Alternative, Reading, Unread
from mcp_server.repair.reading.values import boolean
from mcp_server.repair.words.table import MEANINGS, Keeps, Meaning, plain
from snippet_engine.errors import MAX_OFFERS, Offer, shortened
from snippet_engine.schemas.checked_params import request_problems
from snippet_engine.schemas.schema_findings import JsonPath, quoted

MAX_OFFERED_BYTES = 100_000
"""A larger request is not repeated, since the agent has it."""

FOR_ALL = "all"
"""The metadata that asks the engine for every place that an anchor fits."""
_OF_A_CHANGE = ("path", "expectedHash", "instructions")
_LONGEST_WHAT = 200
_LONGEST_KEPT = 200
_NUMBER = re.compile(r"(?<![\w.])[0-9]{1,9}(?![\w.])")

_MEANINGS: Mapping[tuple[str, str], Meaning] = {
    (tool, plain(name)): meaning
    for meaning in MEANINGS
    for tool in meaning.tools
    for name in meaning.names
}


def nearest_requests(spec: ToolSpec, reading: Reading) -> list[Offer]:
    """Return at most three valid requests that ``reading`` could mean, likeliest first."""
    try:
        size = len(json.dumps(reading.request))
    except (ValueError, RecursionError):  # it can't be written as JSON
        return []
    if size > MAX_OFFERED_BYTES or any(_looks(each) for each in reading.unread):
        return []
    base = deepcopy(dict(reading.request))
    without = [_take_out(base, each) for each in reading.unread]
    offers: dict[str, Offer] = {}
    for ways in islice(product(*(each.alternatives for each in reading.questions)), 8):
        offer = _offer(spec, base, without, ways)
        if offer is not None:
            offers.setdefault(json.dumps(offer.arguments, sort_keys=True), offer)
    if not offers and spec.name == "edit_snippet" and not without and not reading.questions:
        return _as_change_set(base)
    return list(offers.values())[:MAX_OFFERS]


def _as_change_set(request: Mapping[str, Any]) -> list[Offer]:
    spec = CATALOG["edit_scripts"]
    of_set = {key: request[key] for key in spec.input_schema["properties"] if key in request}
    of_change = {key: request[key] for key in _OF_A_CHANGE if key in request}
    whole = {**of_set, "changes": [of_change]}
    if request_problems(spec.input_schema, whole):
        return []
    return [Offer("as a change set", whole, tool=spec.name)]


def asks_for_all(reading: Reading) -> bool:
    """Return whether an instruction asks for every place that its anchor fits."""
    return any(map(_is_for_all, reading.unread))


def _is_for_all(unread: Unread) -> bool:
    meaning = meaning_of(unread)
    return meaning is not None and meaning.everywhere and bool(boolean(unread.value))


def lines_named(reading: Reading) -> Mapping[int, tuple[int, ...]]:
    """Return the one-based lines that unknown keys name, by the instruction's index.

    A line next to the request's keys belongs to its only instruction.
    """
    edits = reading.request.get("instructions")
    is_one = isinstance(edits, list) and len(edits) == 1
    named: dict[int, tuple[int, ...]] = {}
    for each in reading.unread:
        meaning = meaning_of(each)
        index = 0 if each.index is None and is_one else each.index
        if meaning is not None and meaning.line and index is not None:
            named[index] = (*named.get(index, ()), *_numbers(each.value))
    return named


def _numbers(value: Any) -> tuple[int, ...]:
    """Return the line numbers in a value: a number, ``57``, ``57-60``, or a list of these."""
    if isinstance(value, list):
        return tuple(number for each in value[:4] for number in _numbers(each))
    if isinstance(value, int) and not isinstance(value, bool):
        return (value,)
    if isinstance(value, str) and len(value) <= _LONGEST_KEPT:
        return tuple(map(int, _NUMBER.findall(value)[:4]))
    return ()


def not_taken(reading: Reading) -> Mapping[JsonPath, str]:
    """Return, by place, why the contract doesn't have a key.

    If the instruction has no anchor, the reason includes an example to send.
    """
    found: dict[JsonPath, str] = {}
    shown: set[str] = set()
    for each in reading.unread:
        meaning = meaning_of(each)
        if meaning is None:
            continue
        why = f"is not taken: {meaning.instead}"
        instruction = _instruction(reading.request, each)
        if meaning.send and meaning.send not in shown and "anchor" not in (instruction or {}):
            shown.add(meaning.send)
            why = f"{why}. Send {meaning.send}"
        found[reading.place_sent(each.at)] = why
    return found


def meaning_of(unread: Unread) -> Meaning | None:
    """Return the row for a key that the contract doesn't have, if there is one."""
    if len(unread.key) > _LONGEST_KEPT:
        return None
    return _MEANINGS.get((unread.tool, plain(unread.key)))


@dataclass(frozen=True, slots=True)
class _Without:
    """The effect of leaving a key out."""

    what: str
    keeps_mode: bool


def _offer(
    spec: ToolSpec, base: dict[str, Any], without: list[_Without], ways: tuple[Alternative, ...]
) -> Offer | None:
    request = deepcopy(base)
    for way in ways:
        for at, value in way.changes:
            _change(request, at, value)
    said = [*(way.what for way in ways), *(each.what for each in without)]
    timeout_ms = request.get("timeout_ms")
    if isinstance(timeout_ms, int) and timeout_ms > spec.max_timeout_ms:
        request["timeout_ms"] = spec.max_timeout_ms
        said.append(f"with the longest timeout_ms, {spec.max_timeout_ms}")
    keeps_mode = all(way.keeps_mode for way in ways) and all(each.keeps_mode for each in without)
    if not keeps_mode:
        if spec.harmless is not None:
            argument, harmless = spec.harmless
            if request.get(argument) != harmless:
                request[argument] = harmless
                said.append(f"as a {harmless}")
        elif spec.mutating and request.get(spec.guard or "") is None:
            return None
    if request_problems(spec.input_schema, request):
        return None
    ordered = {name: request[name] for name in spec.input_schema["properties"] if name in request}
    basis = "; ".join(way.basis for way in ways) if all(way.basis for way in ways) else ""
    return Offer(shortened("; ".join(said) or "as it was read", _LONGEST_WHAT), ordered, basis)


def _take_out(request: dict[str, Any], unread: Unread) -> _Without:
    """Remove a key from ``request``; a short value is kept in its instruction's metadata."""
    _change(request, unread.at, ABSENT)
    meaning = meaning_of(unread)
    key = unread.key if unread.key.isidentifier() else quoted(unread.key)
    key = f"{shortened(key, 40)} {_shown(unread.value)}"
    if _is_for_all(unread):
        for each in _instructions(request, unread):
            metadata = each.setdefault("metadata", {})
            if isinstance(metadata, dict):
                metadata[FOR_ALL] = True
        return _Without(f"{key} as metadata", keeps_mode=True)
    instruction = _instruction(request, unread)
    if instruction is not None and _is_short(unread.value):
        metadata = instruction.setdefault("metadata", {})
        if isinstance(metadata, dict):
            metadata.setdefault(unread.key, unread.value)
    return _Without(f"without {key}", meaning is not None and _keeps_mode(meaning, unread))


def _looks(unread: Unread) -> bool:
    """Return whether the key asks to write nothing, in a tool that always writes."""
    meaning = meaning_of(unread)
    if meaning is None or not meaning.looks:
        return False
    return boolean(unread.value) is not False and unread.value not in ("apply", "write")


def _keeps_mode(meaning: Meaning, unread: Unread) -> bool:
    match meaning.keeps_mode:
        case Keeps.ALWAYS:
            return True
        case Keeps.IF_FIRST:
            return unread.value in (0, 1, "0", "1") and not isinstance(unread.value, bool)
        case _:
            return False


def _instruction(request: Mapping[str, Any], unread: Unread) -> dict[str, Any] | None:
    return None if unread.index is None else next(iter(_instructions(request, unread)), None)


def _instructions(request: Mapping[str, Any], unread: Unread) -> list[dict[str, Any]]:
    """Return the instructions that a key applies to: its own, or all next to it."""
    holders = [request]
    changes = request.get("changes")
    if unread.at[0] == "changes" and len(unread.at) > 1:  # in a change of a set
        holders = [request["changes"][unread.at[1]]]
    elif "instructions" not in request and isinstance(changes, list):  # next to a set's changes
        holders = [each for each in changes if isinstance(each, dict)]
    lists = [each.get("instructions") for each in holders]
    every = [one for each in lists if isinstance(each, list) for one in each]
    only = every if unread.index is None else every[unread.index : unread.index + 1]
    return [each for each in only if isinstance(each, dict)]


def _change(request: dict[str, Any], at: JsonPath, value: Any) -> None:
    container: Any = request
    for step in at[:-1]:
        if isinstance(container, list):
            if not isinstance(step, int) or step >= len(container):
                return
            container = container[step]
        elif isinstance(container, dict):
            container = container.setdefault(str(step), {})
    if not isinstance(container, dict):
        return
    if value is ABSENT:
        container.pop(str(at[-1]), None)
    else:
        container[str(at[-1])] = value


def _is_short(value: Any) -> bool:
    return isinstance(value, bool | int | float) or (
        isinstance(value, str) and len(value) <= _LONGEST_KEPT
    )


def _shown(value: Any) -> str:
    return shortened(quoted(value), 40) if not isinstance(value, list | dict) else quoted(value)
