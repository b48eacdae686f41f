"""Which of several places is meant, and all of them at once.

Implements the offers of ``ambiguous_anchor`` and ``anchor_in_comment``, docs/design/engine.md §8.
Nothing is preferred but for what the request itself says: a symbol or a line that it names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from snippet_engine.errors import MAX_OFFERS
from snippet_engine.offers.repair import Repair
from snippet_engine.request import Instruction, anchor_of
from snippet_engine.schema import MAX_INSTRUCTIONS

_WORD = re.compile(r"\w+")
_LINE = re.compile(r"\b(?:lines?|L)\s*#?:?\s*(\d{1,7})\b", re.IGNORECASE)
_EVERYWHERE = re.compile(
    r"\b(?:everywhere|(?:all|every|each)\s+(?:of\s+the\s+|the\s+)?"
    r"(?:\d+\s+)?(?:occurrence|place|use|usage|match|instance|reference|call)(?:e?s)?)\b",
    re.IGNORECASE,
)
_NEAR = 3
"""Lines between a line that the request names and the one that is meant, at most."""
_MAX_TEXTS = 200
"""Values of the metadata that are looked at."""


def for_ambiguous(
    instructions: Sequence[Instruction],
    index: int,
    details: Mapping[str, Any],
) -> list[Repair]:
    """An anchor that fits several places: the one that is named, or each, or all of them."""
    instruction = instructions[index]
    candidates = [each for each in details.get("candidates", ()) if "anchor" in each]
    if not candidates:
        return []
    preferred, basis = _named(instruction, candidates)
    if preferred is not None:
        candidates.remove(preferred)
        candidates.insert(0, preferred)
    found = [
        Repair(_told(each), (replace(instruction, anchor=anchor_of(each["anchor"])),))
        for each in candidates
    ]
    if preferred is not None:
        found[0] = replace(found[0], basis=basis)
    sweep = _sweep(instructions, index, details, candidates)
    if sweep is not None:
        found = [sweep, *found] if sweep.basis else [*found[: MAX_OFFERS - 1], sweep]
    return found[:MAX_OFFERS]


def for_comment(instruction: Instruction, details: Mapping[str, Any]) -> list[Repair]:
    """A target that stands in comments only."""
    return [
        Repair(
            f"{_told(each)}, in the comment",
            (replace(instruction, anchor=anchor_of(each["anchor"])),),
        )
        for each in details.get("candidates", ())[:MAX_OFFERS]
        if "anchor" in each
    ]


def _told(candidate: Mapping[str, Any]) -> str:
    symbol = f", in {candidate['symbol']}" if "symbol" in candidate else ""
    return f"line {candidate['line']}{symbol}"


def _named(
    instruction: Instruction, candidates: Sequence[Mapping[str, Any]]
) -> tuple[Mapping[str, Any] | None, str]:
    """The one candidate that the request names elsewhere, and how."""
    texts = list(_texts(instruction.metadata or {}))
    for found, basis in (_by_symbol(texts, candidates), _by_line(texts, candidates)):
        if found is not None:
            return found, basis
    return None, ""


def _texts(value: Any, key: str = "") -> Iterator[tuple[str, str]]:
    """Every text and number of the metadata, with its key; at most ``_MAX_TEXTS``."""
    queue = [(key, value)]
    seen = 0
    while queue and seen < _MAX_TEXTS:
        seen += 1
        key, value = queue.pop(0)
        if isinstance(value, Mapping):
            queue += [(str(name), each) for name, each in list(value.items())[:_MAX_TEXTS]]
        elif isinstance(value, list):
            queue += [(key, each) for each in value[:_MAX_TEXTS]]
        elif isinstance(value, str):
            yield key, value[:2000]
        elif isinstance(value, int) and not isinstance(value, bool):
            yield key, str(value)


def _by_symbol(
    texts: Sequence[tuple[str, str]], candidates: Sequence[Mapping[str, Any]]
) -> tuple[Mapping[str, Any] | None, str]:
    """The candidate whose symbol has a name in the texts that no other candidate's has."""
    said = {word for _, text in texts for word in _WORD.findall(text)}
    names = [set(_WORD.findall(each.get("symbol", "").partition("(")[0])) for each in candidates]
    hits = []
    for at, candidate in enumerate(candidates):
        others = {name for other, name_set in enumerate(names) if other != at for name in name_set}
        own = (names[at] - others) & said
        if own:
            hits.append((candidate, sorted(own)[0]))
    if len(hits) != 1:
        return None, ""
    return hits[0][0], f"metadata names {hits[0][1]}"


def _by_line(
    texts: Sequence[tuple[str, str]], candidates: Sequence[Mapping[str, Any]]
) -> tuple[Mapping[str, Any] | None, str]:
    """The candidate at, or clearly nearest to, the one line that the texts name."""
    lines = {int(number) for _, text in texts for number in _LINE.findall(text)}
    lines |= {
        int(text)
        for key, text in texts
        if "line" in key.lower() and text.strip().isascii() and text.strip().isdigit()
    }
    if len(lines) != 1:
        return None, ""
    (line,) = lines
    nearest = sorted(candidates, key=lambda each: abs(each["line"] - line))
    away = abs(nearest[0]["line"] - line)
    if away > _NEAR or (len(nearest) > 1 and abs(nearest[1]["line"] - line) <= 2 * away + 1):
        return None, ""
    return nearest[0], f"metadata names line {line}"


def _sweep(
    instructions: Sequence[Instruction],
    index: int,
    details: Mapping[str, Any],
    candidates: Sequence[Mapping[str, Any]],
) -> Repair | None:
    """The same at every place, where nothing in the request says that one of them is meant."""
    instruction = instructions[index]
    anchor, count = instruction.anchor, len(candidates)
    if anchor.before or anchor.after or count != details["matches"]:
        return None
    if count + len(instructions) - 1 > MAX_INSTRUCTIONS:
        return None
    said = " ".join(f"{key} {text}" for key, text in _texts(instruction.metadata or {}))
    basis = "metadata says so" if _EVERYWHERE.search(said) else ""
    return Repair(
        f"all {count} places",
        tuple(replace(instruction, anchor=anchor_of(each["anchor"])) for each in candidates),
        basis,
    )
