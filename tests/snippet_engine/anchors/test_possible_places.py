"""Places are found by what is rarest, and none is missed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snippet_engine.anchors.context import Context, blanks_after, blanks_before, occurrences
from snippet_engine.anchors.possible_places import possible_places
from snippet_engine.source_text import TextRange

TEXTS = st.text("ab \n", max_size=12)


@pytest.fixture(autouse=True)
def by_lines_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("snippet_engine.anchors.possible_places._FEW", 0)


@given(
    view=st.text("ab \n", max_size=80),
    target=st.text("ab \n", min_size=1, max_size=4),
    before=TEXTS,
    after=TEXTS,
    cut=st.integers(0, 10),
)
def test_every_place_that_fits_is_among_them(
    view: str, target: str, before: str, after: str, cut: int
) -> None:
    scopes = [TextRange(0, cut), TextRange(cut, len(view))] if cut < len(view) else []
    found = list(possible_places(view, target, Context(before, after), scopes))
    assert len(found) == len(set(found))
    places = set(occurrences(view, target, scopes))
    assert set(found) <= places
    fitting = {each for each in places if Context(before, after).fits(view, each)}
    assert fitting <= set(found)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("// here", ""),
        ("    // here\n    Go();", ""),
        ("", "// here"),
        ("", "Go();\n    // here"),
        ("    Go();\n\n    // here\n", "Go();\n    // here"),
    ],
)
def test_a_target_that_stands_everywhere_is_tried_at_one_place(before: str, after: str) -> None:
    often = "    Go();\n" * 500
    around = f"{before}\n    Go();   \n    {after}" if before else f"    Go();\n\n{after}"
    view = f"{often}\n{around}\n{often}"
    whole = [TextRange(0, len(view))]
    found = list(possible_places(view, "Go();", Context(before, after), whole))
    assert 1 <= len(found) <= 3
    assert any(Context(before, after).fits(view, each) for each in found)


@given(text=st.text("a \n\t\u3000", max_size=300), offset=st.integers(0, 300))
def test_white_space_beside_a_place(text: str, offset: int) -> None:
    offset = min(offset, len(text))
    assert blanks_before(text, offset) == len(text[:offset].rstrip())
    assert blanks_after(text, offset) == len(text) - len(text[offset:].lstrip())


def test_a_run_of_blanks_is_read_once() -> None:
    """Whatever stands in it, and from whichever end it is reached."""
    view = "a" + " " * 50_000 + "b"
    both = Context("a", "b")
    assert all(both.fits(view, TextRange(at, at + 1)) for at in range(1, 50_001))
    assert not Context("c", "b").fits(view, TextRange(40_000, 40_001))
