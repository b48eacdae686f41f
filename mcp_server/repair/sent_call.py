"""Pass on the calls that need no repair.

Implements docs/design/server-and-bridge.md §2 "Repair". Most calls are of this kind, so this module
imports nothing that only the others need.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from mcp_server.contract.tool_spec import ToolSpec
from snippet_engine.schemas.checked_params import CheckedParams, checked
from snippet_engine.schemas.schema_findings import JsonPath
from snippet_engine.storage.paths.request_path import FILE_URI, PACKAGE_CACHE, SCRIPT_ROOTS

ROOTS = (*SCRIPT_ROOTS, "/".join(PACKAGE_CACHE))
ROOT_STARTS = tuple(f"{root}/" for root in ROOTS)


@dataclass(frozen=True, slots=True)
class ReadCall:
    """A tool call's arguments, after reading."""

    params: CheckedParams
    notes: tuple[str, ...] = ()
    """Notes: which value was read as which. Often empty."""


def as_sent(spec: ToolSpec, arguments: object) -> CheckedParams | None:
    """Return a call that needs no repair; ``None`` if :func:`read_call` must look at it."""
    params = checked(spec.name, spec.input_schema, arguments)
    if not isinstance(params, CheckedParams):
        return None
    is_known = all(is_project_relative(path) for _, path in paths_of(params))
    return params if is_known and not any(absolute_paths_of(params)) else None


def paths_of(request: Mapping[str, Any]) -> Iterator[tuple[JsonPath, str]]:
    """Yield every path in a request, with its place there."""
    if isinstance(request.get("path"), str):
        yield ("path",), request["path"]
    changes = request.get("changes")
    for index, change in enumerate(changes if isinstance(changes, list) else ()):
        for key in ("path", "moveTo") if isinstance(change, dict) else ():
            if isinstance(change.get(key), str):
                yield ("changes", index, key), change[key]


def absolute_paths_of(request: Mapping[str, Any]) -> Iterator[tuple[int, str]]:
    """Yield each absolute path among a request's ``paths``, with its index."""
    paths = request.get("paths")
    for index, path in enumerate(paths if isinstance(paths, list) else ()):
        if isinstance(path, str) and is_absolute(path):
            yield index, path


def is_project_relative(path: str) -> bool:
    """Return whether ``path`` is written as in the contract; a backslash counts as ``/``."""
    if "\\" in path:
        path = path.replace("\\", "/")
    return path.startswith(ROOT_STARTS) and "//" not in path and "/./" not in path


def is_absolute(path: str) -> bool:
    """Return whether ``path`` is absolute, on any system."""
    return path.startswith(FILE_URI) or is_rooted(path.replace("\\", "/"))


def is_rooted(path: str) -> bool:
    """Return whether ``path``, written with ``/``, is absolute on any system."""
    return path.startswith("/") or path[1:2] == ":"
