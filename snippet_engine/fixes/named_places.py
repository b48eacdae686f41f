"""Find the place that a request names in its metadata: by a line or by a symbol."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

SEGMENTS = re.compile(r"\.(?![^(<]*[)>])")
"""Between the parts of a symbol's path."""

_WORD = re.compile(r"~?\w+")
"""A name, or a finalizer's."""
_LINE = re.compile(r"\b(?:lines?|L)\s*#?:?\s*(\d{1,7})\b", re.IGNORECASE)
_NEAR = 3
"""Lines between a line that the request names and the one that is meant, at most."""


def named_places(
    texts: Sequence[tuple[str, str]], candidates: Sequence[Mapping[str, Any]]
) -> tuple[list[Mapping[str, Any]], str]:
    """The candidates that the request names elsewhere, and how."""
    for found, basis in (_by_line(texts, candidates), _by_symbol(texts, candidates)):
        if found:
            return found, basis
    return [], ""


def _by_symbol(
    texts: Sequence[tuple[str, str]], candidates: Sequence[Mapping[str, Any]]
) -> tuple[list[Mapping[str, Any]], str]:
    """The candidates in a symbol that the texts name, by its path or by a name of its own."""
    symbols = [each.get("symbol", "") for each in candidates]
    ways = {way for path in set(symbols) for way in _ways_to(path)}
    paths = {path for path in ways if any(_names(text, path) for _, text in texts)}
    if paths:
        path = max(paths, key=lambda each: (len(each), each))
        return [
            each for each in candidates if path in _ways_to(each.get("symbol", ""))
        ], f"metadata names {path}"
    generic = {
        path: [each for each in SEGMENTS.split(path) if "<" in each and _is_said(texts, each)]
        for path in symbols
    }
    told = [path for path, own in generic.items() if own and list(generic.values()).count(own) == 1]
    if len(told) == 1:
        found = [each for each in candidates if each.get("symbol") == told[0]]
        return found, f"metadata names {generic[told[0]][-1]}"
    said = {word for _, text in texts for word in _WORD.findall(text)}
    names = {path: set(_WORD.findall(path.partition("(")[0])) for path in symbols}
    hits: dict[str, str] = {}
    for path, own in names.items():
        others = {name for other, found in names.items() if other != path for name in found}
        named = sorted((own - others) & said)
        if named:
            hits[path] = named[0]
    if len(hits) != 1:
        return [], ""
    ((path, name),) = hits.items()
    return [each for each in candidates if each.get("symbol", "") == path], f"metadata names {name}"


def _ways_to(path: str) -> list[str]:
    """A symbol's path, and those of the symbols that it stands in, but for the outermost."""
    parts = SEGMENTS.split(path)
    least = min(2, len(parts))
    return [".".join(parts[:count]) for count in range(least, len(parts) + 1)] if path else []


def short_paths(path: str) -> list[str]:
    """The ways to name a symbol by the end of its path, with its parameters and without, the
    shortest first."""
    parts = SEGMENTS.split(path)
    tails = [".".join(parts[-count:]) for count in range(1, len(parts) + 1)]
    names = [tail.removesuffix(parts[-1]) + parts[-1].partition("(")[0] for tail in tails]
    return sorted({*tails, *names}, key=lambda each: (len(each), each))


def _is_said(texts: Sequence[tuple[str, str]], name: str) -> bool:
    """Whether one of the texts has the part of a path, with its type parameters."""
    name = name.partition("(")[0]
    pattern = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
    return any(pattern.search(text) for _, text in texts)


def _names(text: str, path: str) -> bool:
    """Whether a text has the path, not only as the beginning of a longer one."""
    return re.search(rf"(?<![\w.]){re.escape(path)}(?!\.?\w)", text) is not None


def _by_line(
    texts: Sequence[tuple[str, str]], candidates: Sequence[Mapping[str, Any]]
) -> tuple[list[Mapping[str, Any]], str]:
    """The candidate at, or clearly nearest to, the one line that the texts name."""
    lines = {int(number) for _, text in texts for number in _LINE.findall(text)}
    lines |= {
        int(text)
        for key, text in texts
        if "line" in key.lower() and text.strip().isascii() and text.strip().isdigit()
    }
    if len(lines) != 1:
        return [], ""
    (line,) = lines
    nearest = sorted(candidates, key=lambda each: abs(each["line"] - line))
    away = abs(nearest[0]["line"] - line)
    if away > _NEAR or (len(nearest) > 1 and abs(nearest[1]["line"] - line) <= 2 * away):
        return [], ""
    return [nearest[0]], f"metadata names line {line}"
