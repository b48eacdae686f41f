"""Show one event: its differences, the validators' verdicts, and a refusal's offers.

Implements docs/design/review.md "An event".
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from mcp_server.review.asking import is_by_agent
from mcp_server.review.page.access import number_in
from mcp_server.review.page.diffs.asset_changes import AssetChanges, asset_changes, is_asset_text
from mcp_server.review.page.diffs.file_diff import ALL_LINES, CONTEXT_LINES, FileDiff, file_diff
from mcp_server.review.page.rendering import refused, rendered
from mcp_server.review.page.sources import Sources
from mcp_server.review.record.events import WRITTEN, EventFile, Outcome

MAX_LISTED = 50
MAX_JSON = 60_000


@dataclass(frozen=True, slots=True)
class Verdict:
    """A validator, and its verdict."""

    validator: str
    covered: tuple[str, ...]
    not_checked: tuple[str, ...]
    duration_ms: float | None


@dataclass(frozen=True, slots=True)
class Remark:
    """An error or warning: code, place and message."""

    code: str
    place: str
    message: str


@dataclass(frozen=True, slots=True)
class Near:
    """A place that nearly matches, and how it differs."""

    place: str
    text: str
    differs: str


@dataclass(frozen=True, slots=True)
class Offer:
    """A request that the agent could have sent instead."""

    what: str
    request: str


@dataclass(frozen=True, slots=True)
class Said:
    """What the stored detail of a call says, for the template."""

    verdicts: tuple[Verdict, ...]
    errors: tuple[Remark, ...]
    warnings: tuple[Remark, ...]
    news: tuple[Remark, ...]
    message: str
    near: tuple[Near, ...]
    offers: tuple[Offer, ...]
    compile: str


def said(detail: object) -> Said:
    """Read the stored ``detail`` of a call. Missing parts stay empty."""
    whole = _mapping(detail)
    result = _mapping(whole.get("result"))
    error = _mapping(whole.get("error"))
    inner = _mapping(error.get("details"))
    reasons = _mapping(inner.get("details")) or inner
    verdict_in = result or reasons
    return Said(
        verdicts=tuple(_verdicts(verdict_in.get("validation"))),
        errors=tuple(_remarks(reasons.get("diagnostics") or result.get("errors"))),
        warnings=tuple(_remarks(result.get("warnings"))),
        news=tuple(_remarks(result.get("news"))),
        message=_text(error.get("message")),
        near=tuple(_near(reasons)),
        offers=tuple(_offers(inner.get("offers"))),
        compile=_text(_mapping(result.get("compile")).get("status")),
    )


def as_json(value: object) -> str:
    """Return ``value`` as indented JSON. Beyond :data:`MAX_JSON` characters it is cut."""
    text = json.dumps(value, indent=2, ensure_ascii=False, default=str)
    if len(text) <= MAX_JSON:
        return text
    return f"{text[:MAX_JSON]}\n… {len(text) - MAX_JSON:,} more characters"


def _verdicts(value: object) -> Iterator[Verdict]:
    for each in _rows(value if isinstance(value, list) else [value]):
        validator = _text(each.get("validator"))
        if validator:
            compiler = _text(each.get("compiler"))
            duration = each.get("durationMs")
            yield Verdict(
                f"{validator} ({compiler})" if compiler else validator,
                _texts(each.get("coverage")),
                _texts(each.get("notChecked")),
                duration if isinstance(duration, int | float) else None,
            )


def _remarks(value: object) -> Iterator[Remark]:
    for each in _rows(value):
        code = _text(each.get("id")) or _text(each.get("code"))
        file = _text(each.get("path")) or _text(each.get("file"))
        line = each.get("line")
        place = ":".join(filter(None, (file, str(line) if isinstance(line, int) else "")))
        yield Remark(code, place, _text(each.get("message")))


def _near(reasons: Mapping[str, Any]) -> Iterator[Near]:
    for name in ("nearest", "candidates"):
        for each in _rows(reasons.get(name)):
            line = each.get("line")
            where = [f"line {line}"] if isinstance(line, int) else []
            where += [_text(each.get("path")), _text(each.get("symbol"))]
            differs = "; ".join(_texts(each.get("differs")))
            yield Near(", ".join(filter(None, where)), _text(each.get("text")), differs)


def _offers(value: object) -> Iterator[Offer]:
    for each in _rows(value):
        yield Offer(_text(each.get("what")) or "this request", as_json(each.get("arguments")))


def _rows(value: object) -> Sequence[Mapping[str, Any]]:
    listed = value if isinstance(value, list) else []
    return [each for each in listed[:MAX_LISTED] if isinstance(each, Mapping)]


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _texts(value: object) -> tuple[str, ...]:
    return tuple(each for each in value if isinstance(each, str)) if isinstance(value, list) else ()


MAX_FILES = 50
MAX_VIEW_ROWS = 10_000


NOT_SEEN = "Its text was not seen."


@dataclass(frozen=True, slots=True)
class ShownFile:
    """A file and its differences."""

    path: str
    moved_to: str | None
    diff: FileDiff
    asset: AssetChanges | None
    """The changed fields, if the file is a Unity asset."""
    was_there: bool
    is_there: bool


async def event_page(sources: Sources, request: Request) -> Response:
    """Show one event, or answer 404."""
    store = sources.store
    number = number_in(request.path_params["number"])
    event = None if number is None else store.event(number)
    if event is None:
        why = "There is no such entry. The oldest entries are deleted when there are too many."
        return await refused(request, 404, why)
    detail = await asyncio.to_thread(store.detail, event.number)
    is_whole = request.query_params.get("lines") == "all"
    context = ALL_LINES if is_whole else CONTEXT_LINES
    is_refused = event.outcome in (Outcome.REFUSED, Outcome.GUARDED)
    not_seen = "It was not changed." if is_refused else NOT_SEEN
    files = await asyncio.to_thread(shown_files, sources, event.files, context, not_seen)
    known = detail or {}
    return await rendered(
        request,
        "event.html",
        event=event,
        said=said(known),
        late=store.late(event.number),
        can_be_noted=is_by_agent(event),
        notes=sources.review.notes.about(event.number),
        files=files,
        files_left_out=max(0, len(event.files) - len(files)),
        side=request.query_params.get("side") == "1",
        is_whole=is_whole,
        can_go_back=event.outcome in WRITTEN and bool(event.files),
        sent=as_json(known["arguments"]) if known.get("arguments") else "",
        answered=as_json(known.get("error") or known.get("result") or ""),
    )


def shown_files(
    sources: Sources,
    files: Iterable[EventFile],
    context: int = CONTEXT_LINES,
    not_seen: str = NOT_SEEN,
) -> list[ShownFile]:
    """Return the differences of the first ``files``, within the view's limits. Blocks.

    ``not_seen`` is the note for a file whose texts nobody saw.
    """
    shown: list[ShownFile] = []
    rows = 0
    for each in files:
        if len(shown) == MAX_FILES or rows > MAX_VIEW_ROWS:
            break
        path = each.moved_to or each.path
        diff = FileDiff(note=not_seen)
        if not each.is_unknown:
            diff = sources.diffs.diff(path, each.before, each.after, context)
        rows += sum(len(hunk.rows) for hunk in diff.hunks)
        hashes = each.before, each.after
        asset = None
        if not path.endswith(".cs"):
            before, after = (None if key is None else sources.store.text(key) for key in hashes)
            asset = _asset(path, before, after)
        was_there, is_there = (each.is_unknown or key is not None for key in hashes)
        shown.append(ShownFile(each.path, each.moved_to, diff, asset, was_there, is_there))
    return shown


def shown_change(
    path: str, moved_to: str | None, before: bytes | None, after: bytes | None
) -> ShownFile:
    """Return the differences between two texts of a file; ``None`` means no file. Blocks."""
    name = moved_to or path
    diff = file_diff(before, after, is_csharp=name.endswith(".cs"))
    there = before is not None, after is not None
    return ShownFile(path, moved_to, diff, _asset(name, before, after), *there)


def _asset(path: str, before: bytes | None, after: bytes | None) -> AssetChanges | None:
    if path.endswith(".cs") or before is None or after is None:
        return None
    if not (is_asset_text(before) and is_asset_text(after)):
        return None
    return asset_changes(before, after)
