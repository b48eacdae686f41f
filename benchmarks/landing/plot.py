"""The figures as a picture: a bar for each class and each way of editing, drawn as SVG."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from benchmarks.landing.kinds import CLASSES
from benchmarks.landing.outcome import Outcome
from benchmarks.landing.references import REFERENCES
from benchmarks.landing.report import Found, Tally

_COLOURS = {
    Outcome.FIRST: "#2f7d5b",
    Outcome.SECOND: "#8cc5a2",
    Outcome.REFUSED: "#d9d9d4",
    Outcome.WRONG: "#c0392b",
}
_WORDS = {
    Outcome.FIRST: "landed at the first try",
    Outcome.SECOND: "landed at the second",
    Outcome.REFUSED: "refused",
    Outcome.WRONG: "wrong bytes written",
}
_LEFT, _WIDTH, _RIGHT = 230, 520, 70
_BAR, _STEP, _GAP = 15, 19, 24
_OURS = "edit_snippet"


def plot(found: Found) -> str:
    """Return the SVG: the share of each outcome, for each class and for all."""
    run = found.run
    rows = [*_rows(found)]
    height = 104 + sum(_STEP if row is not None else _GAP for row in rows)
    width = _LEFT + _WIDTH + _RIGHT
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
            f'width="{width}" height="{height}" font-family="sans-serif" font-size="12">',
            f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
            f'<text x="16" y="26" font-size="15" font-weight="bold">{found.all.requests:,} real '
            f"edits, spoiled as agents spoil them (profile {escape(run.profile)})</text>",
            *_legend(),
            *_bars(rows),
            "</svg>",
            "",
        ]
    )


Row = tuple[str, str, Tally] | None
"""The class where it begins, the way of editing, its outcomes; ``None`` is a gap."""


def _rows(found: Found) -> Iterator[Row]:
    yield from _group("all together", found.all, found.references)
    for name in CLASSES:
        if name in found.by_class:
            others = {each.name: found.references_by_class[each.name][name] for each in REFERENCES}
            yield None
            yield from _group(name, found.by_class[name], others)


def _group(name: str, ours: Tally, others: dict[str, Tally]) -> Iterator[Row]:
    yield name, _OURS, ours
    for other, tally in others.items():
        yield "", other, tally


def _legend() -> Iterator[str]:
    x = 16
    for outcome, colour in _COLOURS.items():
        yield f'<rect x="{x}" y="42" width="12" height="12" fill="{colour}"/>'
        yield f'<text x="{x + 18}" y="52">{_WORDS[outcome]}</text>'
        x += 36 + 7 * len(_WORDS[outcome])


def _bars(rows: list[Row]) -> Iterator[str]:
    y = 88
    for row in rows:
        if row is None:
            y += _GAP
            continue
        name, way, tally = row
        if name:
            yield f'<text x="16" y="{y - 5}" font-weight="bold">{escape(name)}</text>'
        weight = ' font-weight="bold"' if way == _OURS else ""
        yield f'<text x="{_LEFT - 8}" y="{y + 12}" text-anchor="end"{weight}>{escape(way)}</text>'
        x = float(_LEFT)
        for outcome, colour in _COLOURS.items():
            share = tally.share(outcome)
            if share:
                yield (
                    f'<rect x="{x:.1f}" y="{y}" width="{share * _WIDTH:.1f}" height="{_BAR}" '
                    f'fill="{colour}"><title>{_WORDS[outcome]}: {share:.1%}</title></rect>'
                )
            x += share * _WIDTH
        landed = tally.share(Outcome.FIRST, Outcome.SECOND)
        yield f'<text x="{_LEFT + _WIDTH + 8}" y="{y + 12}">{landed:.0%}</text>'
        y += _STEP
