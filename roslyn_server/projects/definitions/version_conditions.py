"""Evaluate version expressions and define constraints of assembly definitions.

Expressions are those of Unity's manual, "Version Define expressions".
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from roslyn_server.projects.definitions.assembly_definitions import AssemblyDefinition

_VERSION = re.compile(r"^v?(\d+)(?:\.(\d+))?(?:\.(\d+))?(?:\.\d+)?(?:([abfpx])(\d+))?(?:-([^+]+))?")
_RANGE = re.compile(r"^([\[(])([^,\])]*)(,)?([^\])]*)([\])])$")

Order = tuple[int, int, int, tuple[object, ...]]
"""Sorts versions: the numbers, then the stage before a release."""

_STAGES = "abfpx"
"""Unity's own stages: alpha, beta, final, patch, experimental."""


def order_of(version: str) -> Order | None:
    """Return a version's sort key; ``None`` if the text isn't a version."""
    found = _VERSION.match(version.strip())
    if found is None:
        return None
    major, minor, patch = (int(each or 0) for each in found.group(1, 2, 3))
    if found[4]:
        return major, minor, patch, (1, _STAGES.index(found[4]), int(found[5]))
    if found[6] is None:
        return major, minor, patch, (1,)
    parts = tuple(
        (0, int(each), "") if each.isdecimal() else (1, 0, each) for each in found[6].split(".")
    )
    return major, minor, patch, (0, *parts)


def is_in(version: str, expression: str) -> bool | None:
    """Return whether a version fits an expression; ``None`` if that can't be decided."""
    has = order_of(version)
    text = expression.replace(" ", "")
    if not text:
        return True
    if has is None:
        return None
    within = _RANGE.match(text)
    if within is None:
        least = order_of(text)
        return None if least is None else has >= least
    opened, low, comma, high, closed = within.groups()
    if not comma:
        return None if order_of(low) is None else has == order_of(low)
    bounds = [(each, order_of(each)) for each in (low, high)]
    if any(bound and known is None for bound, known in bounds):
        return None
    least, most = (known for _, known in bounds)
    above = least is None or has > least or (has == least and opened == "[")
    below = most is None or has < most or (has == most and closed == "]")
    return above and below


def defined_by_versions(
    definition: AssemblyDefinition, versions: Mapping[str, str | None] | None
) -> dict[str, bool | None]:
    """Return for each version define's symbol whether it is defined, or ``None`` if unknown.

    ``versions`` are the project's resources; an unknown version is ``None``. ``versions`` itself is
    ``None`` if all are unknown.
    """
    found: dict[str, bool | None] = {}
    for resource, expression, symbol in definition.version_defines:
        if not symbol:
            continue
        holds: bool | None = None
        if versions is not None:
            version = versions.get(resource)
            known = resource in versions
            holds = False if not known else None if version is None else is_in(version, expression)
            if known and not expression.strip():
                holds = True
        before = found.get(symbol, False)
        found[symbol] = (
            True if True in (holds, before) else None if None in (holds, before) else False
        )
    return found


def unmet_constraints(constraints: tuple[str, ...], symbols: frozenset[str]) -> list[str]:
    """Return the define constraints that don't hold under the symbols."""
    return [each for each in constraints if not _is_met(each, symbols)]


def _is_met(constraint: str, symbols: frozenset[str]) -> bool:
    """Return whether a constraint holds: a symbol, ``!`` and a symbol, or several joined by ``||``.

    As in Unity, a constraint with an invalid name never holds. A symbol and its negation cancel
    each other; if nothing else is left, the constraint doesn't hold either.
    """
    names = {each.strip(" \t") for each in constraint.split("||")}
    unwanted = {each.removeprefix("!") for each in names if each.startswith("!")}
    wanted = {each for each in names if not each.startswith("!")}
    if not all(map(_SYMBOL.fullmatch, (*wanted, *unwanted))):
        return False
    wanted, unwanted = wanted - unwanted, unwanted - wanted
    return not wanted.isdisjoint(symbols) or not unwanted <= symbols


_SYMBOL = re.compile(r"(?=[^\W\d])[^ ]{1,247}")
"""A valid symbol name in Unity."""
