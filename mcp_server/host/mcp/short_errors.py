"""Shorten a script tool's refusal: leave out what its text, an offer or the request contains.

Implements docs/design/server-and-bridge.md §2 "Short answers". ``include: ["full"]`` asks for the
full form. If the server still knows a request, an offer may name only what it changes in it.
``{"retry": ID, "instructions": {"1": {…}}}`` is the request with that ID, with ``{…}`` as its
instruction 1. An array instead of ``{…}`` replaces instruction 1 by several.
"""

from __future__ import annotations

import json
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from secrets import token_hex
from threading import Lock
from typing import Any

from mcp_server.contract.errors import ToolError, ToolErrorCode, tool_error
from mcp_server.contract.short_schemas import FULL
from mcp_server.contract.tool_spec import RETRY, ToolSpec
from snippet_engine.errors import ErrorCode, Offer

Json = dict[str, Any]

MAX_DIAGNOSTICS = 5
MAX_DETAILS = 2_000
"""Most code points of an error's details, as JSON, without its offers."""

_IN_OFFERS = frozenset({"nearest", "instructions", "newTextLines"})
"""Details that an agent doesn't need if it gets an offer."""


def short_error(arguments: Mapping[str, Any], error: ToolError) -> ToolError:
    """Return ``error`` with each message once, unless ``arguments`` ask for the full form."""
    if FULL in (arguments.get("include") or ()) or "details" not in error.details:
        return error
    details = dict(error.details)
    if details.get("message") == error.message:
        del details["message"]
    offers = details.get("offers") or []
    details["details"] = _bounded(_short_details(details, offers))
    if not offers:
        details.pop("offers", None)
    return replace(error, details=details)


def _short_details(error: Mapping[str, Any], offers: Sequence[Mapping[str, Any]]) -> Json:
    """Return an error's details without those that its offers contain."""
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
            {**each, "details": _short_details(each, offers)} for each in kept["otherErrors"]
        ]
    return kept


def _anchors(value: Any) -> Iterator[Any]:
    if isinstance(value, Mapping):
        yield from (value[key] for key in value if key == "anchor")
    inner = value.values() if isinstance(value, Mapping) else value
    if not isinstance(value, str) and isinstance(inner, Iterable):
        for each in inner:
            yield from _anchors(each)


def _bounded(details: Json) -> Json:
    """Return ``details`` cut to :data:`MAX_DETAILS`: the longest list drops its last items."""
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


MAX_REQUESTS = 64
MAX_BYTES = 4_000_000
KEPT_S = 600.0
"""Seconds for which a request is kept."""

LEAST_SAVED = 100
"""Fewest code points that this form must save."""

LEAST_KEPT = 150
"""Fewest code points of a request that is offered by its id alone."""

_LISTS = ("changes", "instructions")
"""Lists whose items a retry names by their index. Items of the last list are replaced whole."""


@dataclass(frozen=True, slots=True)
class _Kept:
    caller: str | None
    tool: str
    request: Json
    size: int
    time_s: float


class SentRequests:
    """Refused requests, by their ids. Any thread may use it.

    The request of a session is kept for that session. Other requests are for anybody who has the
    id, which can't be guessed.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._kept: OrderedDict[str, _Kept] = OrderedDict()
        self._lock = Lock()

    def keep(self, caller: str | None, spec: ToolSpec, request: Json) -> str:
        """Keep a request for :data:`KEPT_S` seconds at most. Return its id."""
        name = token_hex(4 if caller else 8)
        size = len(json.dumps(request))
        with self._lock:
            self._kept[name] = _Kept(caller, spec.name, request, size, self._clock())
            self._forget()
        return name

    def _forget(self) -> None:
        size = sum(each.size for each in self._kept.values())
        until = self._clock() - KEPT_S
        for name, each in list(self._kept.items()):
            if len(self._kept) <= MAX_REQUESTS and size <= MAX_BYTES and each.time_s >= until:
                return
            size -= self._kept.pop(name).size

    def whole(
        self, caller: str | None, spec: ToolSpec, arguments: Mapping[str, Any]
    ) -> Mapping[str, Any] | ToolError:
        """Return the whole request that ``arguments`` describe, or an error if it isn't kept."""
        if RETRY not in arguments or not spec.resends:
            return arguments
        with self._lock:
            self._forget()
            kept = self._kept.get(str(arguments[RETRY]))
        if kept is None or kept.caller not in (None, caller) or kept.tool != spec.name:
            return _refused(
                f'{spec.name}: the request that "retry" names is gone. Send the whole request.'
            )
        changes = {key: each for key, each in arguments.items() if key != RETRY}
        merged = with_changes(kept.request, changes)
        return _refused(f"{spec.name}: {merged}") if isinstance(merged, str) else merged


def _refused(message: str) -> ToolError:
    return tool_error(ToolErrorCode.INVALID_PARAMS, message)


def with_retries(
    spec: ToolSpec,
    sent: Mapping[str, Any],
    error: ToolError,
    keep: Callable[[Json], str],
) -> ToolError:
    """Return ``error`` with offers that name only what they change in ``sent``.

    If the edit is too large, each offer of smaller edits is kept, and named by its id. ``keep``
    keeps a request and returns its id. If ``sent`` asks for the full form, only the text changes.
    """
    offers = [Offer.from_json(each) for each in error.details.get("offers") or ()]
    # Without a retry id, changed instructions are no request.
    least = 1 if _ABRIDGED in error.text else LEAST_SAVED
    changes = [None if each.tool else changes_of(sent, each.arguments, least) for each in offers]
    are_parts = error.details.get("code") == ErrorCode.DIFF_TOO_LARGE
    if not spec.resends or not (any(changes) or (offers and are_parts)):
        return error
    from snippet_engine.answer.error_text import MAX_ERROR_LENGTH, offer_lines  # noqa: PLC0415 - it made the error

    name = keep(dict(sent)) if any(changes) else ""
    short = []
    for offer, change in zip(offers, changes, strict=True):
        arguments: Mapping[str, Any] = offer.arguments
        if change:
            arguments = {RETRY: name, **change}
        elif are_parts and not offer.tool and len(json.dumps(arguments)) > LEAST_KEPT:
            arguments = {RETRY: keep(dict(arguments)), spec.resends: {}}
        short.append(replace(offer, arguments=arguments))
    if FULL not in (sent.get("include") or ()):
        details = {**error.details, "offers": [each.to_json() for each in short]}
        error = replace(error, details=details)
    first = error.text.partition("\n")[0]
    lines = offer_lines(short, MAX_ERROR_LENGTH - len(first), may_abridge=False)
    return replace(error, text="\n".join((first, *lines))) if lines else error


_ABRIDGED = ': {"instructions":'
"""In an error's text: an offer that shows only its changed instructions."""


def changes_of(
    sent: Mapping[str, Any], wanted: Mapping[str, Any], least: int = LEAST_SAVED
) -> Json | None:
    """Return the changes that turn ``sent`` into ``wanted``.

    ``None`` if they save less than ``least`` characters.
    """
    found = _changes(sent, wanted)
    if found is None or with_changes(sent, found) != wanted:
        return None
    saved = len(json.dumps(wanted)) - len(json.dumps(found))
    return found if saved >= least else None


def _changes(sent: Mapping[str, Any], wanted: Mapping[str, Any]) -> Json | None:
    """Return the changed values; ``None`` if they can't be expressed as changes."""
    if sent.keys() - wanted.keys():
        return None
    found: Json = {}
    for key, value in wanted.items():
        before = sent.get(key)
        if key in sent and before == value:
            continue
        found[key] = value
        if key == _LISTS[-1] and isinstance(before, list) and len(before) < len(value):
            found[key] = _one_becomes_several(before, value)
        elif key in _LISTS and isinstance(before, list) and len(before) == len(value):
            items = {
                str(index): _changes(old, new) if key != _LISTS[-1] else new
                for index, (old, new) in enumerate(zip(before, value, strict=True))
                if old != new
            }
            if None in items.values():
                return None
            found[key] = items
    return found


def _one_becomes_several(before: list[Any], after: list[Any]) -> Json | list[Any]:
    """If one item became several, return those by its index. Otherwise return all of ``after``."""
    more = len(after) - len(before)
    for at, old in enumerate(before):
        if before[at + 1 :] == after[at + 1 + more :]:
            return {str(at): after[at : at + 1 + more]}
        if old != after[at]:
            break
    return after


def with_changes(sent: Mapping[str, Any], changes: Mapping[str, Any]) -> Json | str:
    """Return ``sent`` with ``changes``, or a message if they don't fit."""
    merged = dict(sent)
    for key, value in changes.items():
        before = sent.get(key)
        if key not in _LISTS or not isinstance(value, Mapping) or not isinstance(before, list):
            merged[key] = value
            continue
        items: list[Any] = list(before)
        several: dict[int, list[Any]] = {}
        for index, new in value.items():
            if not index.isdecimal() or int(index) >= len(items):
                return f'{key} has no item "{index}": the request has {len(items)}, counted from 0.'
            old = items[int(index)]
            is_merged = key != _LISTS[-1] and isinstance(old, Mapping) and isinstance(new, Mapping)
            item = with_changes(old, new) if is_merged else new
            if isinstance(item, str):
                return item
            if key == _LISTS[-1] and isinstance(item, list):
                several[int(index)] = item
            else:
                items[int(index)] = item
        for at in sorted(several, reverse=True):
            items[at : at + 1] = several[at]
        merged[key] = items
    return merged
