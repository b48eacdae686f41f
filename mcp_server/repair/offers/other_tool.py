"""Offer a change set for a request that only ``edit_scripts`` can take.

Implements docs/design/server-and-bridge.md §2 "Repair".
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from mcp_server.contract.catalog import CATALOG
from mcp_server.repair.offers.nearest_requests import MAX_OFFERED_BYTES
from mcp_server.repair.reading.set_reading import PATHS, SET_TOOL, SINGLE_TOOL, read_set
from mcp_server.repair.reading.values import parsed
from mcp_server.repair.words.table import ALIASES, CHANGE_ALIASES, CHANGES_ALIASES, plain
from snippet_engine.errors import Offer
from snippet_engine.schemas.checked_params import Problem, find_problems
from snippet_engine.schemas.schema_findings import JsonPath

_LISTS = frozenset(
    map(plain, ("instructions", "changes", *ALIASES[SINGLE_TOOL]["instructions"], *CHANGES_ALIASES))
)
_OF_A_CHANGE = frozenset(
    map(plain, ("instructions", "edits", "create", "delete", "moveTo", *CHANGE_ALIASES["moveTo"]))
)
"""Keys that an item of a list has only if it is the change of a file."""

_ONLY_SETS = "is what edit_scripts takes; this tool takes one path and its instructions"
_SEVERAL = "names several files: edit_scripts takes these, as changes"


def as_change_set(tool: str, sent: Mapping[str, Any]) -> tuple[Problem, Offer | None] | None:
    """Return the problem of an edit that only a change set can make, and the set.

    ``None`` for any other request. No set if there are several readings.
    """
    if tool != SINGLE_TOOL:
        return None
    named = [key for key in sent if plain(str(key)) in _LISTS]
    value = sent[named[0]] if len(named) == 1 else None
    value = parsed(value) if isinstance(value, str) else value
    items = [value] if isinstance(value, dict) else value
    if not isinstance(items, list) or not all(isinstance(each, dict) for each in items):
        return None
    at: JsonPath = (named[0],)
    rest = {key: each for key, each in sent.items() if key != named[0]}
    if any(plain(str(key)) in _OF_A_CHANGE for each in items for key in each):
        return _found(Problem(at, _ONLY_SETS), {**rest, "changes": items}, "as a change set")
    files = _by_file(items, rest)
    if files is None:
        return None
    of_set = {key: each for key, each in rest.items() if plain(str(key)) not in PATHS}
    changes = [{"path": path, "instructions": edits} for path, edits in files.items()]
    return _found(
        Problem(at, _SEVERAL),
        {**of_set, "changes": changes},
        f"as a change set of {len(files)} files",
    )


def _by_file(
    items: list[dict[str, Any]], rest: Mapping[str, Any]
) -> dict[str, list[dict[str, Any]]] | None:
    paths = [[key for key in each if plain(str(key)) in PATHS] for each in items]
    outside = [rest[key] for key in rest if plain(str(key)) in PATHS]
    found: dict[str, list[dict[str, Any]]] = {}
    for item, keys in zip(items, paths, strict=True):
        named = [item[key] for key in keys] or outside
        if len(named) != 1 or not isinstance(named[0], str):
            return None
        edit = {key: value for key, value in item.items() if key not in keys}
        found.setdefault(named[0], []).append(edit)
    is_all = not outside or outside[0] in found
    return found if len(found) > 1 and is_all else None


def _found(problem: Problem, request: dict[str, Any], what: str) -> tuple[Problem, Offer | None]:
    """Return ``problem`` and an offer of ``request`` as a change set.

    There is no offer if it can't be read without doubt, or is too large.
    """
    if "mode" not in request:
        request, what = {"mode": "preview", **request}, f"{what}, as a preview"
    reading = read_set(request)
    if reading is None or reading.questions or reading.unread:
        return problem, None
    spec = CATALOG[SET_TOOL]
    if find_problems(spec.input_schema, reading.request):
        return problem, None
    if len(json.dumps(reading.request)) > MAX_OFFERED_BYTES:
        return problem, None
    return problem, Offer(what, reading.request, tool=spec.name)
