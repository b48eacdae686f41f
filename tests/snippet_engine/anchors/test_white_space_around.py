"""White space next to a place, however much."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from snippet_engine.anchors.context import Context, blanks_after, blanks_before
from snippet_engine.source_text import TextRange


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
