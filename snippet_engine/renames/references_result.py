"""The result of ``find_references``: pages of places, in code and in assets."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from typing import Any

from snippet_engine.errors import ErrorCode, SnippetError, shortened
from snippet_engine.renames.rename_result import MOST_LISTED, reasons_of, symbol
from snippet_engine.renames.symbol_server import FoundReferences
from unity_assets import Found

DEFAULT_LIMIT = 40
_PAGE_BYTES = 2_000
"""About what a page has at most, unless the request says how many places it wants."""

_TEXT = 100
_MESSAGE = "Unity calls it by its name: no place says so."
_OF_LIBRARY = "A library may call it as {}: no place says so."
_CURSOR = re.compile(r"(\d{1,9})-([0-9a-f]{8})")


def references_result(
    code: FoundReferences, assets: Found, params: Mapping[str, Any]
) -> dict[str, Any] | SnippetError:
    """Return the page that the request asks for; ``stale_file`` if places changed since."""
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
            "text": shortened(each.line_text.strip(), _TEXT),
        }
        for each in sorted(code.references, key=lambda each: (each.path, each.start))
    ]


def _of_assets(assets: Found) -> list[dict[str, Any]]:
    return [
        {
            "path": each.path,
            "line": each.line,
            "kind": each.kind,
            "text": shortened(each.text.strip(), _TEXT),
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
            "The references have changed since the page with that cursor. Send the request "
            "without cursor.",
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
