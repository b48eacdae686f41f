"""Put the results of ``find_references`` and ``rename_symbol`` into words."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from snippet_engine.answer.call_notes import notes_of, own_warnings
from snippet_engine.errors import counted

MAX_TEXT_LENGTH = 4_000
"""Longest text of either result, in code points: a page of references fits."""

_MOST_FILES = 30
_MOST_LISTED = 10
_LOST = " (may be lost)"
"""Added to a call or value that the new name may not reach any more."""


def references_lines(result: Mapping[str, Any]) -> Iterator[str]:
    """Yield a line for each file with references, and one for each place in it."""
    symbol = result["symbol"]
    yield (
        f"{counted(result['total'], 'reference')} of {symbol['display']} ({symbol['kind']}) in "
        f"{counted(result['files'], 'file')}"
    )
    if "note" in result:
        yield result["note"]
    yield from _not_complete(result)
    path = ""
    for each in result["references"]:
        if each["path"] != path:
            path = each["path"]
            yield path
        yield f"  {each['line']} {each['kind']}: {each['text']}"
    if "cursor" in result:
        yield f"more: send cursor {result['cursor']}"


def rename_lines(result: Mapping[str, Any]) -> Iterator[str]:
    """Yield the changed files, the places that stay, and the diffs."""
    files = result["files"]
    undo = f", changeId {result['changeId']}" if "changeId" in result else ""
    replayed = " (replayed)" if result.get("replayed") else ""
    yield (
        f"{result['status']} {result['symbol']['display']} -> {result['newName']}: "
        f"{counted(result['places'], 'place')} in {counted(len(files), 'file')}{undo}{replayed}"
    )
    yield from notes_of(result)
    yield from _not_complete(result)
    for each in files[:_MOST_FILES]:
        moved = f" to {each['movedTo']}" if "movedTo" in each else ""
        yield f"{each['status']} {each['path']}{moved} ({each['places']})"
    if len(files) > _MOST_FILES:
        yield f"… {len(files) - _MOST_FILES} more files"
    yield from _listed(result.get("left", ()), lambda each: each["why"], "stays")
    yield from _listed(result.get("strings", ()), lambda each: f"string {each['text']}", "stays")
    if "notListed" in result:
        yield f"… and {result['notListed']} more that stay or were not searched"
    for warning in own_warnings(result):
        yield f"warning {warning['code']}: {warning['message']}"
    for each in files:
        if each.get("diff"):
            yield f"{each['path']}\n{each['diff']}"


def seems_rename_line(found: Mapping[str, Any]) -> str:
    """Return the offer of the rename that accepted edits seem to be."""
    counts = [
        f"{counted(found[key], what)} in {where}"
        for key, what, where in (
            ("otherPlaces", "other place", "scripts"),
            ("inAssets", "place", "assets"),
        )
        if key in found
    ]
    places = ", ".join(counts) if counts else "other places not counted"
    left = f" (not counted: {' '.join(found['notCounted'])})" if "notCounted" in found else ""
    requests = [
        f"{each['tool']} {json.dumps(each['arguments'], ensure_ascii=False)}"
        for each in found["requests"]
    ]
    return (
        f"seems a rename of {found['symbol']} to {found['newName']}: {places}{left}. "
        f"To rename everywhere, send {', then '.join(requests)}"
    )


def _listed(rows: Any, describe: Any, what: str) -> Iterator[str]:
    lines: dict[tuple[str, str, bool], list[str]] = {}
    for each in rows:
        same = (each["path"], describe(each), bool(each.get("lost")))
        lines.setdefault(same, []).append(str(each["line"]))
    for (path, said, is_lost), numbers in [*lines.items()][:_MOST_LISTED]:
        yield f"{what}{_LOST * is_lost} {path}:{', '.join(numbers)}: {said}"
    beyond = [*lines.items()][_MOST_LISTED:]
    if beyond:
        more = sum(len(numbers) for (_, _, is_lost), numbers in beyond if is_lost)
        count = sum(len(numbers) for _, numbers in beyond)
        yield f"… {count} more{f', {more} of them{_LOST}' * bool(more)}"


def _not_complete(result: Mapping[str, Any]) -> Iterator[str]:
    if result["complete"]:
        return
    yield "not complete: the name may also be used elsewhere"
    files = result.get("notSearched", ())
    lines = [*result.get("reasons", ()), *(f"{each['path']}: {each['reason']}" for each in files)]
    for line in lines[:_MOST_LISTED]:
        yield f"  {line}"
    if len(lines) > _MOST_LISTED:
        yield "  …"
