"""The result of ``rename_symbol`` (docs/design/rename.md §3)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from snippet_engine.answer.unified_diff import MAX_DIFF_LENGTH
from snippet_engine.errors import shortened, without_none
from snippet_engine.renames.planned_rename import RenamedFile
from snippet_engine.renames.symbol_server import ServerRename
from unity_assets import Renamed

MOST_LISTED = 100
"""Most strings, places that stay, and files that were not searched, that a result lists."""

_LONG = 9
"""How many files that were not searched need no count beside their list."""

_LEAST_DIFF = 200
_TEXT = 160


def rename_result(
    code: ServerRename,
    assets: Renamed,
    files: Sequence[RenamedFile],
    new_name: str,
    *,
    applied: bool,
) -> dict[str, Any]:
    """Return the result without a ``changeId``."""
    # What may be lost comes first: the lists are cut.
    left = sorted(assets.left, key=lambda each: not each.lost)
    not_searched = assets.not_searched
    return without_none(
        {
            "warnings": [],
            "status": "applied" if applied else "previewed",
            "applied": applied,
            "symbol": symbol(code.symbol),
            "newName": new_name,
            "places": sum(each.places for each in files),
            "files": _files(files),
            "proved": {"assemblies": list(code.assemblies), "files": code.files},
            "strings": [
                without_none(
                    {
                        "path": each.path,
                        "line": each.line,
                        "text": shortened(each.text, _TEXT),
                        "offer": each.offer,
                    }
                )
                for each in code.strings[:MOST_LISTED]
            ]
            or None,
            "left": [
                {
                    "path": each.path,
                    "line": each.line,
                    "kind": each.kind,
                    "text": shortened(each.text.strip(), _TEXT),
                    "why": each.why,
                    "lost": each.lost,
                }
                for each in left[:MOST_LISTED]
            ]
            or None,
            "notListed": _beyond(code.strings, left, not_searched) or None,
            "notSearched": [
                {"path": path, "reason": reason} for path, reason in not_searched[:MOST_LISTED]
            ]
            or None,
            "complete": code.complete and not not_searched,
            "reasons": reasons_of(code.reasons, not_searched) or None,
        }
    )


def reasons_of(of_code: Sequence[str], not_searched: Sequence[object]) -> list[str]:
    """Return why a search isn't complete, with the number of assets where it is no short list."""
    count = len(not_searched)
    return [*of_code, *[f"{count} assets were not searched."] * (count > _LONG)]


def symbol(facts: Any) -> dict[str, Any]:
    """Return an answer's description of a symbol."""
    return {key: facts[key] for key in ("name", "kind", "display")}


def _beyond(*lists: Sequence[object]) -> int:
    return sum(max(0, len(each) - MOST_LISTED) for each in lists)


def _files(files: Sequence[RenamedFile]) -> list[dict[str, Any]]:
    diffs = _shown(files)
    return [
        without_none(
            {
                "path": each.change.script.relative,
                "movedTo": None if each.change.target is None else each.change.target.relative,
                "status": each.status,
                "places": each.places,
                "hashBefore": each.change.hash_before,
                "hashAfter": each.change.hash_after,
                "diff": diff,
            }
        )
        for each, diff in zip(files, diffs, strict=True)
    ]


def _shown(files: Sequence[RenamedFile]) -> list[str]:
    """Return the files' diffs: they share the room, in order; later ones are left out."""
    room, shown = MAX_DIFF_LENGTH, []
    for each in files:
        diff = None if room < _LEAST_DIFF else each.diff()
        text = "" if diff is None else diff.shown(room)
        room -= len(text)
        shown.append(text)
    return shown
