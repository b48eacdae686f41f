"""How much metadata a request may carry.

Implements docs/design/engine.md §11. It comes back with the answer, which clients take up to a
size; JSON Schema can't say how large a whole object may be.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from snippet_engine.schemas.schema_check import Problem, find_problems
from snippet_engine.schemas.schema_findings import JsonPath

MAX_METADATA_BYTES = 64 * 1024
"""All metadata of a request together, as JSON in UTF-8."""


def request_problems(schema: Mapping[str, Any], params: object) -> list[Problem]:
    """Every problem of the parameters of a tool: under its input ``schema``, else by their size."""
    found = find_problems(schema, params)
    return found or (_too_much(params) if isinstance(params, Mapping) else [])


def _too_much(params: Mapping[str, Any]) -> list[Problem]:
    """The problem is told of the instruction whose metadata is one too many."""
    total, over = 0, None
    for path, metadata in _all_metadata(params):
        total += len(json.dumps(metadata, ensure_ascii=False, separators=(",", ":")).encode())
        if over is None and total > MAX_METADATA_BYTES:
            over = path
    if over is None:
        return []
    limit = f"at most {MAX_METADATA_BYTES:,} bytes of metadata"
    return [Problem(over, f"is too much: a request may have {limit}, this one has {total:,}")]


def _all_metadata(params: Mapping[str, Any]) -> Iterator[tuple[JsonPath, Any]]:
    yield from _of_instructions(params, ())
    changes = params.get("changes")
    for number, change in enumerate(changes if isinstance(changes, list) else ()):
        yield from _of_instructions(change, ("changes", number))


def _of_instructions(holder: Any, path: JsonPath) -> Iterator[tuple[JsonPath, Any]]:
    listed = holder.get("instructions") if isinstance(holder, Mapping) else None
    for number, instruction in enumerate(listed if isinstance(listed, list) else ()):
        if isinstance(instruction, Mapping) and "metadata" in instruction:
            yield (*path, "instructions", number, "metadata"), instruction["metadata"]
