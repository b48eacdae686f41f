"""Texts that don't fit are cut at the end of a word."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snippet_engine.errors import shortened, shortened_start, show


@pytest.mark.parametrize(
    ("text", "limit", "cut"),
    [
        ("Unitask1.A has errors", 21, "Unitask1.A has errors"),
        ("Unitask1.A has errors", 20, "Unitask1.A has…"),
        ("Unitask1.A has errors", 15, "Unitask1.A has…"),
        ("Unitask1.A has errors", 14, "Unitask1.A…"),
        ("timer += Time.deltaTime;", 20, "timer += Time.…"),
        ("line one\nline two", 10, "line one…"),
        ("snake_case_name other_name", 20, "snake_case_name…"),
        # One word alone is too long: half of it says more than nothing.
        ("a" * 30, 20, "a" * 19 + "…"),
    ],
)
def test_a_text_is_cut_at_the_end_of_a_word(text: str, limit: int, cut: str) -> None:
    assert shortened(text, limit) == cut


def test_a_path_begins_with_a_whole_name() -> None:
    path = "Assets/Scripts/" + "Folder/" * 10 + "Player.cs"
    assert show(path) == "…" + path[-70:].partition("/")[2].join(("/", ""))
    assert shortened_start("Assets/Scripts/Player.cs", 20) == "…/Scripts/Player.cs"


@given(st.text("ab_ ./\n", max_size=60), st.integers(2, 40))
def test_it_fits_and_is_a_part(text: str, limit: int) -> None:
    cut = shortened(text, limit)
    assert len(cut) <= limit
    assert text.startswith(cut.removesuffix("…"))
    assert (cut == text) == (len(text) <= limit)
