"""The views' parts without I/O: places in texts, who touched a line, trees, figures, plots."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_server.review.page.console import Part, last_touch, parts_of
from mcp_server.review.page.figures import BARS, HEIGHT, MOST_CODES, WIDTH, figures, ranges, stacked
from mcp_server.review.page.jobs import MAX_TESTS, Branch, tree_of
from mcp_server.review.page.rendering import tool_name
from mcp_server.review.record.events import Event, EventFile, Outcome

# -- places ----------------------------------------------------------------------------------------

PLACE = "Assets/Scripts/My Game/Enemy.cs"


@pytest.mark.parametrize(
    ("text", "path", "line"),
    [
        (f"Enemy:Update () (at {PLACE}:14)", PLACE, 14),
        (f"{PLACE}(14,9): error CS0103: nothing", PLACE, 14),
        ("at Packages/com.a.b/Runtime/A.cs:3", "Packages/com.a.b/Runtime/A.cs", 3),
    ],
)
def test_a_place_in_a_text(text: str, path: str, line: int) -> None:
    (found,) = [each for each in parts_of(text) if each.path]
    assert (found.path, found.line) == (path, line)
    assert found.text in text


@pytest.mark.parametrize(
    "text",
    ["", "no place", "/home/me/Assets/A.cs:3", "MyAssets/A.cs:3", "Assets/A.png:3", "Assets/A.cs"],
)
def test_what_is_no_place(text: str) -> None:
    assert [each for each in parts_of(text) if each.path] == []


@given(st.text(alphabet="As/et:(),12 .c\n", max_size=60))
def test_no_part_of_a_text_is_lost(text: str) -> None:
    assert "".join(each.text for each in parts_of(text)) == text


def test_several_places() -> None:
    text = "Assets/A.cs:1 and Assets/B.cs:2"
    assert list(parts_of(text)) == [
        Part("Assets/A.cs:1", "Assets/A.cs", 1),
        Part(" and "),
        Part("Assets/B.cs:2", "Assets/B.cs", 2),
    ]


# -- who touched a line ----------------------------------------------------------------------------


class Recorded:
    """Events of one file, newest first, with their texts."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.texts: dict[str, bytes] = {}

    def change(self, before: str | None, after: str | None, path: str = "A", to: str = "") -> None:
        file = EventFile(path, to or None, self._put(before), self._put(after))
        number = len(self.events) + 1
        event = Event(number, 0.0, None, None, "edit_snippet", Outcome.APPLIED, (file,))
        self.events.insert(0, event)

    def _put(self, text: str | None) -> str | None:
        if text is None:
            return None
        digest = hashlib.sha256(text.encode()).hexdigest()
        self.texts[digest] = text.encode()
        return digest

    def touched(self, line: int, path: str = "A") -> tuple[int, bool] | None:
        found = last_touch(self.events, path, line, self.texts.get)
        return None if found is None else (found.event.number, found.is_of_line)


Changes = list[tuple[str | None, str | None, str, str]]
EDITED: Changes = [("a\nb\n", "a\nB\n", "A", "")]
LATER: Changes = [
    ("a\nb\nc\n", "a\nB\nc\n", "A", ""),
    ("a\nB\nc\n", "new\nnew\na\nB\nc\n", "A", ""),
    ("new\nnew\na\nB\nc\n", "new\nnew\na\nB\nC\n", "A", ""),
]
MOVED: Changes = [("a\nb\n", "a\nB\n", "Old", ""), ("a\nB\n", "a\nB\n", "Old", "A")]
UNRECORDED: Changes = [*EDITED, ("other\na\nB\n", "other\na\nB\nc\n", "A", "")]


@pytest.mark.parametrize(
    ("changes", "line", "touched"),
    [
        pytest.param(LATER, 4, (1, True), id="moved down by a later change"),
        pytest.param(LATER, 1, (2, True), id="inserted"),
        pytest.param(LATER, 5, (3, True), id="changed last"),
        pytest.param(LATER, 3, (3, False), id="touched by no recorded event"),
        pytest.param(MOVED, 2, (1, True), id="moved with its file"),
        pytest.param([(None, "a\nb\n", "A", "")], 2, (1, True), id="of a new file"),
        pytest.param(UNRECORDED, 3, (2, False), id="something was not recorded"),
        pytest.param(EDITED, 99, (1, False), id="beyond the end"),
    ],
)
def test_who_touched_a_line(changes: Changes, line: int, touched: tuple[int, bool]) -> None:
    recorded = Recorded()
    for each in changes:
        recorded.change(*each)
    assert recorded.touched(line) == touched
    assert recorded.touched(line, "Other") is None


def test_it_stops_where_a_text_is_not_kept() -> None:
    recorded = Recorded()
    recorded.change(*EDITED[0])
    recorded.texts.clear()
    assert recorded.touched(2) == (1, False)


# -- failed tests ----------------------------------------------------------------------------------


def failed(*names: str) -> list[dict[str, Any]]:
    return [{"name": each, "message": "m", "stack_trace": "s"} for each in names]


def shown(branch: Branch) -> Any:
    below = {each.name: shown(each) for each in branch.below}
    return below or len(branch.failures)


def test_failed_tests_are_a_tree() -> None:
    tree = tree_of(failed("Game.Tests.A.One", "Game.Tests.A.Two", "Game.Tests.B.One", "Lone"))
    assert shown(tree) == {"Game.Tests": {"A": {"One": 1, "Two": 1}, "B": {"One": 1}}, "Lone": 1}
    assert tree.count == 4
    assert tree.below[0].count == 3


def test_dots_in_arguments_part_nothing() -> None:
    tree = tree_of(failed('Tests.A.Case(1.5,"a.b")', "Tests.A.Case(2)"))
    assert shown(tree) == {"Tests.A": {'Case(1.5,"a.b")': 1, "Case(2)": 1}}


def test_the_tree_is_bounded() -> None:
    tree = tree_of(failed(*(f"A.T{each}" for each in range(MAX_TESTS + 5)), ".".join("abc" * 99)))
    assert tree.count == MAX_TESTS
    deep = tree_of(failed(".".join("a" * 3000)))
    depth = 0
    while deep.branches:
        (deep,) = deep.branches.values()
        depth += 1
    assert depth == 12


def test_equal_names_fail_more_than_once() -> None:
    assert shown(tree_of(failed("A.B", "A.B"))) == {"A": {"B": 2}}


# -- figures ---------------------------------------------------------------------------------------


def event(time_s: float, outcome: Outcome, tool: str = "edit_snippet", **more: Any) -> Event:
    return Event(1, time_s, None, None, tool, outcome, **more)


def test_edits_are_counted_by_time_and_outcome() -> None:
    events = [
        event(0.0, Outcome.APPLIED),
        event(0.5, Outcome.REFUSED, code="stale_file"),
        event(23.9, Outcome.APPLIED),
        event(24.0, Outcome.PREVIEWED),
        event(24.1, Outcome.APPLIED),
        event(3.0, Outcome.DONE, tool="compile"),
    ]
    found = figures(events, 0.0, 24.0)
    assert len(found.spans) == BARS == 24
    assert found.spans[0].counts == (1, 0, 1, 0)
    assert found.spans[23].counts == (1, 1, 0, 0)
    assert sum(each.total for each in found.spans) == 4
    assert dict(found.outcomes)[Outcome.APPLIED] == 2
    assert found.events == 5
    assert found.refusals == (("stale_file", 1),)


def test_refusals_are_counted_by_code() -> None:
    events = [event(1.0, Outcome.GUARDED)]
    for each in range(MOST_CODES + 2):
        events += [event(1.0, Outcome.REFUSED, code=f"c{each:02}")] * (each + 2)
    found = figures(events, 0.0, 2.0)
    assert found.refusals[0] == (f"c{MOST_CODES + 1:02}", MOST_CODES + 3)
    assert len(found.refusals) == MOST_CODES
    assert found.other_refusals == 1 + 2 + 3


def test_durations_by_tool() -> None:
    events = [event(1.0, Outcome.APPLIED, duration_ms=float(each)) for each in range(1, 11)]
    events.append(event(1.0, Outcome.DONE, tool="compile", duration_ms=4000.0))
    edits, compiles = figures(events, 0.0, 2.0).durations
    assert (edits.tool, edits.calls, edits.median_ms, edits.longest_ms) == (
        "edit_snippet",
        10,
        5.5,
        10.0,
    )
    assert edits.p90_ms == 10.0
    assert compiles.median_ms == compiles.p90_ms == 4000.0


def test_nothing_happened() -> None:
    found = figures([], 5.0, 5.0)
    assert found.durations == found.refusals == ()
    assert stacked(found.spans).bars == ()
    assert ranges(found.durations) == ((), [])


@given(st.lists(st.tuples(st.floats(0, 100), st.sampled_from(list(Outcome))), max_size=60))
def test_bars_stay_in_their_plot(events: list[tuple[float, Outcome]]) -> None:
    found = figures([event(time_s, each) for time_s, each in events], 0.0, 100.0)
    plot = stacked(found.spans)
    for each in plot.bars:
        assert 0 <= each.x <= each.x + each.width <= WIDTH
        assert -0.2 <= each.y <= each.y + each.height <= HEIGHT + 0.2
        assert each.height > 0


def test_ranges_are_on_one_axis() -> None:
    events = [event(1.0, Outcome.APPLIED, duration_ms=10.0)]
    events.append(event(1.0, Outcome.DONE, tool="compile", duration_ms=1000.0))
    rows, marks = ranges(figures(events, 0.0, 2.0).durations)
    assert [mark[1] for mark in marks] == ["1 ms", "10 ms", "100 ms", "1 s"]
    assert [each.median_x for each in rows] == [round(WIDTH / 3, 1), WIDTH]


# -- words -----------------------------------------------------------------------------------------


def test_a_take_back_is_not_shown_under_the_name_of_its_call() -> None:
    assert [tool_name(each) for each in ("put_texts", "edit_snippet")] == [
        "take back",
        "edit_snippet",
    ]
