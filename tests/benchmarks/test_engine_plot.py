from xml.etree import ElementTree

import pytest

from benchmarks.engine_plot import plot
from benchmarks.engine_report import Row
from benchmarks.measuring import Spread


def row(lines: int, edits: int, ms: float, case: str = "preview") -> Row:
    return Row(
        case=case,
        file="plain",
        lines=lines,
        bytes=lines * 40,
        edits=edits,
        state="warm",
        rounds=9,
        median_ms=ms,
        p90_ms=ms,
        least_ms=ms,
        parse_ms=lines / 100,
        ratio_to_parse=1,
        cpu_parses=Spread(1, 1, 1),
        bare_write_ms=0.5 if case == "apply" else None,
    )


def test_each_kind_of_work_is_a_line_through_what_was_measured() -> None:
    rows = [row(100, 1, 1), row(1_000, 1, 2), row(100, 10, 3), row(1_000, 10, 4)]
    rows += [row(100, 1, 9, "apply"), row(1_000, 1, 9, "apply")]

    svg = ElementTree.fromstring(plot(rows))

    titles = {each.text for each in svg.iter("{http://www.w3.org/2000/svg}title")}
    assert "1 edit, warm, 1,000 lines: 2.0 ms" in titles
    assert "10 edits, warm, 100 lines: 3.0 ms" in titles
    assert "one cold parse, 1,000 lines: 10.0 ms" in titles
    assert "one bare durable write, 100 lines: 0.5 ms" in titles
    assert len(list(svg.iter("{http://www.w3.org/2000/svg}polyline"))) == 4


def test_what_takes_longer_stands_higher() -> None:
    svg = ElementTree.fromstring(plot([row(100, 1, 1), row(1_000, 1, 8)]))
    heights = {
        each[0].text: float(each.attrib["cy"])
        for each in svg.iter("{http://www.w3.org/2000/svg}circle")
    }
    assert heights["1 edit, warm, 1,000 lines: 8.0 ms"] < heights["1 edit, warm, 100 lines: 1.0 ms"]


def test_nothing_is_drawn_of_nothing() -> None:
    with pytest.raises(ValueError, match="no rows"):
        plot([])
