"""The results of ``rename_symbol``, and pages of ``find_references`` (docs/design/rename.md §5)."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from typing import Any

from snippet_engine.answer.unified_diff import MAX_DIFF_LENGTH
from snippet_engine.errors import ErrorCode, SnippetError, shortened, without_none
from snippet_engine.renames.planned_rename import RenamedFile
from snippet_engine.renames.symbol_server import FoundReferences, ServerRename
from unity_assets import Found, Renamed

MOST_LISTED = 100
"""Most items in each list of a result: strings, places that stay, files that weren't searched."""

_LONG = 9
"""Up to this many files that weren't searched are listed without their number."""

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
    # Values and calls that may be lost come first, because the lists may be cut.
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
    """Return why a search is incomplete; with the number of unsearched assets if it is large."""
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
    """Return the files' diffs. They share the room in order; what doesn't fit is omitted."""
    room, shown = MAX_DIFF_LENGTH, []
    for each in files:
        diff = None if room < _LEAST_DIFF else each.diff()
        text = "" if diff is None else diff.shown(room)
        room -= len(text)
        shown.append(text)
    return shown


DEFAULT_LIMIT = 40
_PAGE_BYTES = 2_000
"""Approximate size of a page, unless the request sets the number of places."""

_LINE_TEXT = 100
_MESSAGE = "Unity calls it by its name. These calls are not listed."
_OF_LIBRARY = "A library may call it as {}. These calls are not listed."
_CURSOR = re.compile(r"(\d{1,9})-([0-9a-f]{8})")


def references_result(
    code: FoundReferences, assets: Found, params: Mapping[str, Any]
) -> dict[str, Any] | SnippetError:
    """Return the page that the request asks for.

    Error: ``stale_file`` if the places have changed since the page that the ``cursor`` came from.
    """
    rows = [*_of_code(code), *_of_assets(assets)]
    digest = hashlib.sha256(repr(rows).encode("utf-8", "replace")).hexdigest()[:8]
    start = _start(params, digest)
    if isinstance(start, SnippetError):
        return start
    page = _page(rows[start:], params.get("limit"))
    not_searched = assets.not_searched
    result = {
        "symbol": symbol(code.symbol),
        "total": len(rows),
        "files": len({row["path"] for row in rows}),
        "references": page,
        "complete": code.complete and not not_searched,
    }
    called_as = code.symbol.get("calledAs")
    if code.symbol.get("isMessage") or called_as:
        result["note"] = _OF_LIBRARY.format(called_as) if called_as else _MESSAGE
    if reasons := reasons_of(code.reasons, not_searched):
        result["reasons"] = reasons
    if not_searched:
        result["notSearched"] = [
            {"path": path, "reason": reason} for path, reason in not_searched[:MOST_LISTED]
        ]
    if start + len(page) < len(rows):
        result["cursor"] = f"{start + len(page)}-{digest}"
    return result


def _of_code(code: FoundReferences) -> list[dict[str, Any]]:
    return [
        {
            "path": each.path,
            "line": each.start.line + 1,
            "column": each.start.character + 1,
            "kind": each.kind,
            "text": shortened(each.line_text.strip(), _LINE_TEXT),
        }
        for each in sorted(code.references, key=lambda each: (each.path, each.start))
    ]


def _of_assets(assets: Found) -> list[dict[str, Any]]:
    return [
        {
            "path": each.path,
            "line": each.line,
            "kind": each.kind,
            "text": shortened(each.text.strip(), _LINE_TEXT),
        }
        for each in sorted([*assets.hits, *assets.unnamed])
    ]


def _start(params: Mapping[str, Any], digest: str) -> int | SnippetError:
    if "cursor" not in params:
        return 0
    cursor = _CURSOR.fullmatch(params["cursor"])
    if cursor is None or cursor[2] != digest:
        return SnippetError(
            ErrorCode.STALE_FILE,
            "The cursor doesn't belong to the present references. Send the request without cursor.",
        )
    return int(cursor[1])


def _page(rows: Sequence[dict[str, Any]], limit: int | None) -> list[dict[str, Any]]:
    page: list[dict[str, Any]] = []
    room, path = _PAGE_BYTES, ""
    for row in rows[: limit or DEFAULT_LIMIT]:
        room -= len(row["text"]) + 20 + (len(row["path"]) if row["path"] != path else 0)
        if room < 0 and page and limit is None:
            break
        path = row["path"]
        page.append(row)
    return page
