"""A whole file's text, sent to the tool of small edits: as the change set that takes it.

Implements docs/design/server-and-bridge.md §2 "Repair".
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mcp_server.repair.reading.reading import Reading
from mcp_server.repair.reading.script_paths import has_text
from mcp_server.repair.reading.set_reading import SINGLE_TOOL
from mcp_server.repair.sent_call import is_project_relative
from snippet_engine.schemas.schema_check import Problem

_WHOLE = "says no place: a whole file's text goes to edit_scripts, as create"
_NOTHING = (
    "is empty, so it says no place: what comes before a file's first line is inserted with that "
    "as target and position line_before; a new or empty file's text goes to edit_scripts, as create"
)
_IS_THERE = (
    "says no place, and that file is there: nothing takes a file's whole text instead; send an "
    "instruction for each place that changes, to edit_scripts what is larger (a whole body: a "
    'symbol anchor with part "body")'
)
_OF_SET = ("mode", "validation", "client_request_id", "timeout_ms")


def as_new_file(
    tool: str, reading: Reading, project: Path | None
) -> tuple[Problem, Mapping[str, Any] | None] | None:
    """What is wrong with a request that is a file's whole text, and the set that takes it.

    ``None`` of any other request, and no set where the file is there already. A preview: the text
    may be a part of the file as well.
    """
    edits = reading.request.get("instructions")
    if tool != SINGLE_TOOL or reading.unread or not isinstance(edits, list) or len(edits) != 1:
        return None
    edit = edits[0] if isinstance(edits[0], dict) else {}
    text, anchor = edit.get("newText"), edit.get("anchor")
    if not isinstance(text, str) or not isinstance(reading.request.get("path"), str):
        return None
    at = ("instructions", 0)
    is_there = project is not None and has_text(reading.request["path"], project)
    if set(edit) == {"newText"}:
        why = _IS_THERE if is_there else _WHOLE
        problem = Problem(reading.place_sent((*at, "newText")), why)
    elif isinstance(anchor, dict) and anchor == {"type": "text", "target": ""}:
        problem = Problem(reading.place_sent((*at, "anchor", "target")), _NOTHING)
    else:
        return None
    if is_there or not is_project_relative(reading.request["path"]):
        return problem, None
    kept = {key: reading.request[key] for key in _OF_SET if key in reading.request}
    change = {"path": reading.request["path"], "create": text}
    return problem, {**kept, "mode": "preview", "changes": [change]}
