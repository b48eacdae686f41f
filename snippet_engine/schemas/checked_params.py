"""Parameters of a call that satisfy their tool's schema.

Whoever receives parameters first checks them, once: the server, the command line, lint, or the
engine. The result, :class:`CheckedParams`, is never checked again. Metadata is bounded here, too
(docs/design/engine.md §11), because JSON Schema can't bound the size of an object.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, final

from snippet_engine.errors import ErrorCode, SnippetError, shortened_start
from snippet_engine.schemas.schema_check import Problem, find_problems
from snippet_engine.schemas.schema_findings import JsonPath

_SHOWN_PATH = 50
"""Longest JSON path in a message, in code points; the end is shown, because it names the key."""


@final
class CheckedParams(Mapping[str, Any]):
    """The parameters of a call of ``tool``. Made by :func:`checked`; read only."""

    __slots__ = ("_values", "tool")

    def __init__(self, tool: str, values: Mapping[str, Any]) -> None:
        self.tool = tool
        self._values = values

    def __getitem__(self, key: str) -> Any:
        return self._values[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def with_known(self, **known: Any) -> CheckedParams:
        """Return a copy with the ``known`` values, which must satisfy the schema."""
        return CheckedParams(self.tool, {**self._values, **known})

    def without(self, key: str) -> CheckedParams:
        """Return a copy without ``key``, which the schema must not require."""
        return CheckedParams(self.tool, {k: self._values[k] for k in self._values if k != key})


def checked(tool: str, schema: Mapping[str, Any], params: object) -> CheckedParams | list[Problem]:
    """Return ``params`` checked against the input ``schema`` of ``tool``, or every problem.

    Whole numbers become ``int``. Parameters already checked for ``tool`` are returned unchanged.
    """
    if isinstance(params, CheckedParams) and params.tool == tool:
        return params
    problems = request_problems(schema, params)
    if problems:
        return problems
    assert isinstance(params, Mapping), "the parameters of every tool are an object"
    return CheckedParams(tool, with_integers(params))


def refusal(problems: list[Problem]) -> SnippetError:
    """Return ``invalid_request``; ``details.problems`` lists all problems."""
    first = problems[0]
    path = shortened_start(first.path, _SHOWN_PATH)
    left = len(problems) - 1
    more = f"; {left} more problem{'' if left == 1 else 's'}" if left else ""
    return SnippetError(
        ErrorCode.INVALID_REQUEST,
        f"{path} {first.message}{more}",
        details={"problems": [{"path": p.path, "message": p.message} for p in problems]},
    )


MAX_METADATA_BYTES = 64 * 1024
"""Limit of all metadata of a request together, as JSON in UTF-8."""


def request_problems(schema: Mapping[str, Any], params: object) -> list[Problem]:
    """Return every problem under the input ``schema``, or else of the metadata's size."""
    found = find_problems(schema, params)
    return found or (_too_much(params) if isinstance(params, Mapping) else [])


def _too_much(params: Mapping[str, Any]) -> list[Problem]:
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


_AS_SENT = "metadata"
"""Any object, which is returned to the sender unchanged."""


def with_integers(value: Any) -> Any:
    """Return checked JSON with whole numbers as ``int``; the same object if nothing changes."""
    match value:
        case float():
            return int(value) if value.is_integer() else value
        case list():
            items = [with_integers(each) for each in value]
            same = all(new is old for new, old in zip(items, value, strict=True))
            return value if same else items
        case Mapping():
            made = {
                key: each if key == _AS_SENT else with_integers(each) for key, each in value.items()
            }
            return value if all(made[key] is value[key] for key in made) else made
    return value
