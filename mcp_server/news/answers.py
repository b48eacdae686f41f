"""Put news into an answer: at most five entries, in few bytes. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from mcp_server.news.findings import Finding, Origin
from snippet_engine.errors import shortened

MAX_ENTRIES = 5
MAX_BYTES = 800
_MESSAGE = 200
_SHORT_MESSAGE = 100

PENDING = "it is still being judged; new errors come as news in your next answers"
"""What an apply's answer says if a part isn't judged yet."""


def entries(caller: str, findings: Sequence[Finding]) -> tuple[list[dict[str, Any]], list[Finding]]:
    """Return the entries for a caller, and all findings that they settle.

    Each edit that caused errors gets one entry before any edit gets a second one. An edit's entry
    settles its other errors, too: they count as given.
    """
    rows: list[dict[str, Any]] = []
    origins: set[tuple[int, int]] = set()
    size = len("[]")
    for finding in _origins_first(findings)[:MAX_ENTRIES]:
        is_first = _settled_with(finding) not in origins
        is_first = is_first and not finding.is_unknown
        for most in (_MESSAGE,) if finding.is_unknown else (_MESSAGE, _SHORT_MESSAGE):
            row = _entry(caller, finding, most, with_undo=is_first)
            added = len(_json(row)) + bool(rows)
            if size + added <= MAX_BYTES:
                break
        else:
            if rows:
                break
            row = _least(row, MAX_BYTES - size)
            added = len(_json(row))
        rows.append(row)
        size += added
        origins.add(_settled_with(finding))
    return rows, [each for each in findings if _settled_with(each) in origins]


def _origins_first(findings: Sequence[Finding]) -> list[Finding]:
    """Return the first finding of each origin, then the others."""
    firsts: dict[tuple[int, int], Finding] = {}
    for finding in findings:
        firsts.setdefault(_settled_with(finding), finding)
    chosen = {each.number for each in firsts.values()}
    return [*firsts.values(), *(each for each in findings if each.number not in chosen)]


def _settled_with(finding: Finding) -> tuple[int, int]:
    """Return a key that is equal for findings that one entry settles."""
    origin = finding.origin
    is_alone = origin.is_one_of_several or finding.is_unknown
    return (origin.number, finding.number if is_alone else 0)


def _entry(caller: str, finding: Finding, most: int, *, with_undo: bool) -> dict[str, Any]:
    error, origin = finding.error, finding.origin
    row: dict[str, Any] = {"file": error.file}
    if error.line:
        row["line"] = error.line
    if error.code:
        row["code"] = error.code
    row["message"] = shortened(error.message, most)
    row["since"] = _since(caller, finding)
    if with_undo and origin.undo:
        row["undo"] = dict(origin.undo)
    return row


def not_shown(left: Sequence[Finding], rows: Sequence[Mapping[str, Any]]) -> int:
    """Return the number of errors in ``left`` that have no entry in ``rows``."""
    errors = sum(1 + each.and_more for each in left if not each.is_unknown)
    return errors - sum(1 for each in rows if "line" in each or "code" in each)


def _since(caller: str, finding: Finding) -> str:
    since = _since_origin(caller, finding.origin)
    return f"{since}; not judged again after later edits" if finding.is_old else since


def _since_origin(caller: str, origin: Origin) -> str:
    if origin.caller is None:
        return origin.what if not origin.client else f"{origin.what} by {origin.client}"
    if origin.caller == caller:
        return f"your {origin.what}"
    return f"{origin.what} by {origin.client or 'another client'}"


def _least(row: dict[str, Any], room: int) -> dict[str, Any]:
    """Return an entry in about ``room`` bytes: no ``undo``, no ``since``, and a shorter path."""
    kept = {key: value for key, value in row.items() if key not in ("undo", "since")}
    while len(_json(kept)) > room and len(kept["file"]) > 1:
        kept["file"] = "…" + kept["file"][len(kept["file"]) // 4 + 1 :]
    return kept


def _json(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def in_words(news: Mapping[str, Any]) -> list[str]:
    """Return lines of text that say the same as ``news``, ``more`` and ``pending``."""
    lines = []
    for row in news.get("news", ()):
        place = f"{row['file']}:{row['line']}" if "line" in row else row["file"]
        code = f" {row['code']}" if "code" in row else ""
        since = f" (since {row['since']})" if "since" in row else ""
        undo = f"; undo: {json.dumps(row['undo'])}" if "undo" in row else ""
        lines.append(f"news: {place}{code}: {row['message']}{since}{undo}")
    if news.get("more"):
        errors = "error" if news["more"] == 1 else "errors"
        lines.append(f"news: {news['more']} more {errors}; check_project lists all")
    if news.get("pending"):
        lines.append(f"pending: {news['pending']}, being judged; new errors will be news")
    return lines
