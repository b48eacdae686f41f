"""Find what is wrong with a JSON value, in words that its sender can act on.

Implements docs/design/engine.md §1 and docs/design/command-line.md ``tool call``: all problems at
once, each with its JSON path. jsonschema-rs validates, and :mod:`.schema_findings` reads its
errors. This module prepares any value for it, and sorts the findings.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

from snippet_engine.schemas.schema_findings import ErrorReader, Finding, JsonPath, value_at
from snippet_engine.schemas.schema_messages import QUOTED_LENGTH, quoted

if TYPE_CHECKING:
    from jsonschema_rs import Draft202012Validator

MAX_DEPTH = 100
"""Deepest nesting of arrays and objects that a value may have."""

MAX_PROBLEMS = 100
"""Most problems that one answer lists; a last one says that more exist."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One problem: its place, and what to send instead."""

    steps: JsonPath
    message: str
    about_key: bool = False
    """Whether the last key is wrong, not its value."""

    @property
    def path(self) -> str:
        """Return the place as messages write it: ``$.instructions[2].operation``."""
        return render_path(self.steps)

    def __str__(self) -> str:
        return f"{self.path} {self.message}"


def find_problems(schema: Mapping[str, Any], instance: object) -> list[Problem]:
    """Return every problem of ``instance`` under ``schema``, in document order.

    ``schema`` may have only local ``$ref``, and must not change after its first use.
    """
    if _is_fit(instance, MAX_DEPTH) and _compiled(schema).is_valid(instance):
        return []
    unfit: list[Finding] = []
    value = _fit(instance, (), unfit)
    replaced = {finding.path for finding in unfit if finding.keyword == _STAND_IN}
    validator = _compiled(schema)
    if not unfit and validator.is_valid(value):
        return []
    reader = ErrorReader(schema, value)
    # Every error costs time to make, so of a long array only the start is looked at, if it is
    # wrong already.
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
    """Return the compiled ``schema``, by identity: schemas are constants."""
    known = _validators.get(id(schema))
    if known is None:
        from jsonschema_rs import Draft202012Validator  # noqa: PLC0415 - 45 ms to import

        if len(_validators) >= 64:
            _validators.clear()
        # the schema is kept with it, so that its id stays its own
        known = _validators[id(schema)] = (schema, Draft202012Validator(dict(schema)))
    return known[1]


_ABOUT_KEYS = frozenset({"additionalProperties", "not"})
"""Schema keywords that are violated by the presence of a key."""

_STAND_IN = "a stand-in"
"""The "keyword" of a replaced value; problems of its replacement are not reported."""


def _most_telling(findings: list[Finding]) -> list[Finding]:
    wrong = {finding.path for finding in findings}
    by_path: dict[JsonPath, list[Finding]] = {}
    for finding in findings:
        if not wrong & (finding.depends_on - {finding.path}):
            by_path.setdefault(finding.path, []).append(finding)
    kept: list[Finding] = []
    for here in by_path.values():
        fixed = [finding for finding in here if finding.keyword in ("enum", "const")]
        if fixed:  # says the type as well; of several the narrowest is what is meant
            kept.append(min(fixed, key=lambda finding: finding.breadth))
        else:
            kept += [finding for finding in here if finding.keyword == "type"] or here
    return kept


def _is_fit(value: object, depth: int) -> bool:
    """Return whether a value can surely be validated unchanged; if not, :func:`_fit` decides."""
    if type(value) is str:
        return value.isascii()
    if type(value) is dict:
        if depth <= 0:
            return False
        for key, item in value.items():
            if type(key) is not str or not key.isascii():
                return False
            # Most are texts: here, without a call for each.
            if not (item.isascii() if type(item) is str else _is_fit(item, depth - 1)):
                return False
        return True
    if type(value) is list:
        return depth > 0 and all(_is_fit(each, depth - 1) for each in value)
    return value is None or type(value) is bool or type(value) is int


def _fit(value: object, path: JsonPath, unfit: list[Finding]) -> Any:
    """Return a copy that JSON Schema can validate; add what it omits to ``unfit``."""

    def refuse(message: str, stand_in: object = None) -> Any:
        unfit.append(Finding(path, message, _STAND_IN))
        return stand_in

    def drop_key(message: str) -> None:
        unfit.append(Finding(path, message, "a dropped key"))

    if isinstance(value, str) and value.isascii():
        return value  # Most values are.
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
    """Return the index of the first code point that no encoding can write, if there is one."""
    if text.isascii():
        return None
    try:
        text.encode()
    except UnicodeEncodeError as error:
        return error.start
    return None


def _cut(value: Any) -> Any:
    """Return a copy whose arrays have at most as many items as problems are reported."""
    if isinstance(value, list):
        return [_cut(item) for item in value[: MAX_PROBLEMS + 1]]
    if isinstance(value, dict):
        return {key: _cut(item) for key, item in value.items()}
    return value


class _DocumentOrder:
    """Sorts paths by the place of their values in the document, missing keys last."""

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
    """Return ``$.instructions[2].anchor``; keys that are no plain names are quoted."""
    steps = [
        f"[{step}]"
        if isinstance(step, int)
        else f".{step}"
        if step.isidentifier() and len(step) <= QUOTED_LENGTH
        else f"[{quoted(step)}]"
        for step in path
    ]
    return "$" + "".join(steps)
