"""Read what a tool said from the detail of an event: verdict, warnings, nearest places, offers.

Implements docs/design/review.md "An event". Pure. Details are JSON that may be cut, or of another
version, so whatever has another shape is left out; the view shows the whole JSON, too.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

MAX_LISTED = 50
"""Most rows of one kind."""

MAX_JSON = 60_000
"""Longest JSON that is shown, in characters."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Who judged, and what."""

    validator: str
    covered: tuple[str, ...]
    not_checked: tuple[str, ...]
    duration_ms: float | None


@dataclass(frozen=True, slots=True)
class Remark:
    """An error or warning: its code, place and words."""

    code: str
    place: str
    message: str


@dataclass(frozen=True, slots=True)
class Near:
    """A place that nearly fits, and in what it differs."""

    place: str
    text: str
    differs: str


@dataclass(frozen=True, slots=True)
class Offer:
    """A request that the agent could send instead."""

    what: str
    request: str


@dataclass(frozen=True, slots=True)
class Said:
    """What is known of one call."""

    verdicts: tuple[Verdict, ...]
    errors: tuple[Remark, ...]
    warnings: tuple[Remark, ...]
    news: tuple[Remark, ...]
    message: str
    near: tuple[Near, ...]
    offers: tuple[Offer, ...]
    compile: str


def said(detail: object) -> Said:
    """Return what the stored ``detail`` says."""
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
    """Return ``value`` as indented JSON, at most :data:`MAX_JSON` characters of it."""
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
