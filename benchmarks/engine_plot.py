"""Draw the engine's times by the file's length, next to one parse and one bare write."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from math import ceil, floor, log10

from benchmarks.engine_report import Row

_LEFT, _TOP, _WIDTH, _HEIGHT, _RIGHT, _BOTTOM = 64, 56, 560, 320, 190, 52

_Point = tuple[float, float]
"""Lines of the file, and milliseconds."""


@dataclass(frozen=True)
class _Line:
    """One kind of work. ``dashes`` as SVG has them; empty for a whole line."""

    name: str
    colour: str
    points: Sequence[_Point]
    dashes: str = ""


def plot(rows: Sequence[Row]) -> str:
    """Return the SVG of a run's medians: previews of 1 and of 10 edits, both axes logarithmic.

    Raises ``ValueError`` where there is nothing to draw.
    """
    lines = [
        line for line in _lines([row for row in rows if row.file != "with #if"]) if line.points
    ]
    points = [point for line in lines for point in line.points]
    if not points:
        raise ValueError("no rows to draw")
    x = _Scale([point[0] for point in points], _LEFT, _LEFT + _WIDTH)
    y = _Scale([point[1] for point in points], _TOP + _HEIGHT, _TOP)
    width, height = _LEFT + _WIDTH + _RIGHT, _TOP + _HEIGHT + _BOTTOM
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
            f'width="{width}" height="{height}" font-family="sans-serif" font-size="12">',
            f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
            '<text x="16" y="26" font-size="15" font-weight="bold">A preview, by lines of the file '
            "(medians, milliseconds)</text>",
            *_axes(x, y),
            *(part for line in lines for part in _drawn(line, x, y)),
            *_legend(lines),
            "</svg>",
            "",
        ]
    )


def _lines(rows: Sequence[Row]) -> Iterator[_Line]:
    parses = {row.lines: row.parse_ms for row in rows}
    writes = {row.lines: row.bare_write_ms for row in rows if row.bare_write_ms is not None}
    for edits, colour in ((10, "#1f4e79"), (1, "#6fa8dc")):
        for state, dashes in (("cold", "6 3"), ("warm", "")):
            points = [
                (row.lines, row.median_ms)
                for row in rows
                if (row.case, row.edits, row.state) == ("preview", edits, state)
            ]
            name = f"{edits} edits, {state}" if edits > 1 else f"1 edit, {state}"
            yield _Line(name, colour, sorted(points), dashes)
    yield _Line("one cold parse", "#c0392b", sorted(parses.items()))
    yield _Line("one bare durable write", "#7f8c8d", sorted(writes.items()), "2 3")


class _Scale:
    """From values to places on a logarithmic axis of whole powers of ten."""

    def __init__(self, values: Sequence[float], first: float, last: float) -> None:
        self._low = floor(log10(min(values)))
        self._high = max(ceil(log10(max(values))), self._low + 1)
        self._first, self._last = first, last

    def at(self, value: float) -> float:
        share = (log10(value) - self._low) / (self._high - self._low)
        return self._first + share * (self._last - self._first)

    def powers(self) -> list[float]:
        return [10.0**power for power in range(self._low, self._high + 1)]


def _axes(x: _Scale, y: _Scale) -> Iterator[str]:
    bottom = _TOP + _HEIGHT
    for value in y.powers():
        place = y.at(value)
        yield (
            f'<line x1="{_LEFT}" y1="{place:.1f}" x2="{_LEFT + _WIDTH}" y2="{place:.1f}" '
            'stroke="#e4e4e0"/>'
        )
        yield f'<text x="{_LEFT - 8}" y="{place + 4:.1f}" text-anchor="end">{value:,g}</text>'
    for value in x.powers():
        place = x.at(value)
        yield (
            f'<line x1="{place:.1f}" y1="{_TOP}" x2="{place:.1f}" y2="{bottom}" stroke="#e4e4e0"/>'
        )
        yield f'<text x="{place:.1f}" y="{bottom + 18}" text-anchor="middle">{value:,.0f}</text>'
    yield f'<text x="{_LEFT + _WIDTH / 2}" y="{bottom + 40}" text-anchor="middle">lines</text>'


def _drawn(line: _Line, x: _Scale, y: _Scale) -> Iterator[str]:
    dashed = f' stroke-dasharray="{line.dashes}"' if line.dashes else ""
    places = " ".join(f"{x.at(lines):.1f},{y.at(ms):.1f}" for lines, ms in line.points)
    yield (
        f'<polyline points="{places}" fill="none" stroke="{line.colour}" stroke-width="2"{dashed}/>'
    )
    for lines, ms in line.points:
        yield (
            f'<circle cx="{x.at(lines):.1f}" cy="{y.at(ms):.1f}" r="3" fill="{line.colour}">'
            f"<title>{escape(line.name)}, {lines:,} lines: {ms:.1f} ms</title></circle>"
        )


def _legend(lines: Sequence[_Line]) -> Iterator[str]:
    left = _LEFT + _WIDTH + 16
    for number, line in enumerate(lines):
        y = _TOP + 12 + 22 * number
        dashed = f' stroke-dasharray="{line.dashes}"' if line.dashes else ""
        yield (
            f'<line x1="{left}" y1="{y}" x2="{left + 28}" y2="{y}" stroke="{line.colour}" '
            f'stroke-width="2"{dashed}/>'
        )
        yield f'<text x="{left + 36}" y="{y + 4}">{escape(line.name)}</text>'
