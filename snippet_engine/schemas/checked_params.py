"""Parameters of a call that satisfy their tool's schema.

The first code that receives the parameters checks them once. Metadata is limited here, too
(docs/design/engine.md §11), because JSON Schema can't limit the size of an object.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, final

from snippet_engine.errors import ErrorCode, SnippetError, shortened_start
from snippet_engine.schemas.schema_findings import (
    QUOTED_LENGTH,
    ErrorReader,
    Finding,
    JsonPath,
    quoted,
    value_at,
)

if TYPE_CHECKING:
    from jsonschema_rs import Draft202012Validator


_SHOWN_PATH = 50
"""Longest JSON path in a message, in code points. The end is shown, because it names the key."""


@final
class CheckedParams(Mapping[str, Any]):
    """The parameters of a call of ``tool``. Made by :func:`checked`; read-only."""

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
    """Return every problem under the input ``schema``; if there is none, that of the metadata."""
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
"""The key of an object that may have any content, and is returned unchanged."""


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


MAX_DEPTH = 100
"""Deepest nesting of arrays and objects that a value may have."""

MAX_PROBLEMS = 100
"""Most problems that one answer lists; the last entry then says that there are more."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One problem: where it is, and how to correct it."""

    steps: JsonPath
    message: str
    about_key: bool = False
    """Whether the last key is wrong, not its value."""

    @property
    def path(self) -> str:
        """Return the place as it is in messages: ``$.instructions[2].operation``."""
        return render_path(self.steps)

    def __str__(self) -> str:
        return f"{self.path} {self.message}"


def find_problems(schema: Mapping[str, Any], instance: object) -> list[Problem]:
    """Return every problem of ``instance`` under ``schema``, in document order.

    ``schema`` may have only local ``$ref``, and must not change after its first use. Never raises
    for an ``instance`` that ``json.loads`` can return.
    """
    unfit: list[Finding] = []
    value = _fit(instance, (), unfit)
    replaced = {finding.path for finding in unfit if finding.keyword == _STAND_IN}
    validator = _compiled(schema)
    if not unfit and validator.is_valid(value):
        return []
    reader = ErrorReader(schema, value)
    # Every error takes time to create. So a long array is cut if its first items have errors.
    few = list(islice(reader.findings(validator.iter_errors(_cut(value))), MAX_PROBLEMS * 2))
    found = [
        finding
        for finding in few or reader.findings(validator.iter_errors(value))
        if not any(finding.path[:n] in replaced for n in range(len(finding.path) + 1))
    ]
    findings = _most_telling(unfit + found)
    order = _DocumentOrder(value)
    findings.sort(key=lambda finding: order.of(finding.path))
    problems = list(
        dict.fromkeys(Problem(f.path, f.message, f.keyword in _ABOUT_KEYS) for f in findings)
    )
    if len(problems) > MAX_PROBLEMS:
        problems[MAX_PROBLEMS:] = [Problem((), f"has more problems than these {MAX_PROBLEMS}")]
    return problems


_validators: dict[int, tuple[Mapping[str, Any], Draft202012Validator]] = {}


def _compiled(schema: Mapping[str, Any]) -> Draft202012Validator:
    """Return the compiled ``schema``. It is looked up by identity: schemas are constants."""
    known = _validators.get(id(schema))
    if known is None:
        from jsonschema_rs import Draft202012Validator  # noqa: PLC0415 - 45 ms to import

        if len(_validators) >= 64:
            _validators.clear()
        # Keep the schema, so that no other object gets its id.
        known = _validators[id(schema)] = (schema, Draft202012Validator(dict(schema)))
    return known[1]


_ABOUT_KEYS = frozenset({"additionalProperties", "not"})
"""Schema keywords that the presence of a key violates."""

_STAND_IN = "a stand-in"
"""The "keyword" of a replaced value. Problems of the replacement aren't reported."""


def _most_telling(findings: list[Finding]) -> list[Finding]:
    wrong = {finding.path for finding in findings}
    by_path: dict[JsonPath, list[Finding]] = {}
    for finding in findings:
        if not wrong & (finding.depends_on - {finding.path}):
            by_path.setdefault(finding.path, []).append(finding)
    kept: list[Finding] = []
    for here in by_path.values():
        fixed = [finding for finding in here if finding.keyword in ("enum", "const")]
        if fixed:  # these imply the type; the narrowest one applies
            kept.append(min(fixed, key=lambda finding: finding.breadth))
        else:
            kept += [finding for finding in here if finding.keyword == "type"] or here
    return kept


def _fit(value: object, path: JsonPath, unfit: list[Finding]) -> Any:
    """Return a copy that JSON Schema can validate; add to ``unfit`` what the copy omits."""

    def refuse(message: str, stand_in: object = None) -> Any:
        unfit.append(Finding(path, message, _STAND_IN))
        return stand_in

    def drop_key(message: str) -> None:
        unfit.append(Finding(path, message, "a dropped key"))

    if isinstance(value, str) and value.isascii():
        return value  # This is the most frequent case.
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else refuse(f"must be a finite number (got {value})")
    if isinstance(value, str):
        at = _lone_surrogate(value)
        if at is None:
            return value
        return refuse(
            f"has half of a surrogate pair (\\u{ord(value[at]):04x}) at character {at}; "
            "send the whole character",
            "",
        )
    if isinstance(value, list | tuple | dict) and len(path) >= MAX_DEPTH:
        return refuse(f"is nested deeper than {MAX_DEPTH} levels")
    if isinstance(value, list | tuple):
        return [_fit(item, (*path, index), unfit) for index, item in enumerate(value)]
    if isinstance(value, dict):
        copy: dict[str, Any] = {}
        for key, item in value.items():
            if not isinstance(key, str):
                drop_key(f"has a key that is not a string ({type(key).__name__})")
            elif _lone_surrogate(key) is not None:
                drop_key(f"has a key with half of a surrogate pair ({key[:QUOTED_LENGTH]!a})")
            else:
                copy[key] = _fit(item, (*path, key), unfit)
        return copy
    return refuse(f"is not a JSON value ({type(value).__name__})")


def _lone_surrogate(text: str) -> int | None:
    if text.isascii():
        return None
    try:
        text.encode()
    except UnicodeEncodeError as error:
        return error.start
    return None


def _cut(value: Any) -> Any:
    if isinstance(value, list):
        return [_cut(item) for item in value[: MAX_PROBLEMS + 1]]
    if isinstance(value, dict):
        return {key: _cut(item) for key, item in value.items()}
    return value


class _DocumentOrder:
    """Sorts paths by where their values are in the document; missing keys come last."""

    def __init__(self, value: Any) -> None:
        self._value = value
        self._places: dict[int, dict[str, int]] = {}
        """For each object (by identity): the places of its keys."""

    def of(self, path: JsonPath) -> list[int]:
        """Return the sort key of ``path``."""
        order: list[int] = []
        value = self._value
        for step in path:
            if isinstance(value, dict):
                if id(value) not in self._places:
                    self._places[id(value)] = {key: at for at, key in enumerate(value)}
                order.append(self._places[id(value)].get(str(step), len(value)))
            elif isinstance(step, int):
                order.append(step)
            value = value_at(value, (step,))
        return order


def render_path(path: JsonPath) -> str:
    """Return a path such as ``$.instructions[2].anchor``; unusual keys are quoted."""
    steps = [
        f"[{step}]"
        if isinstance(step, int)
        else f".{step}"
        if step.isidentifier() and len(step) <= QUOTED_LENGTH
        else f"[{quoted(step)}]"
        for step in path
    ]
    return "$" + "".join(steps)
