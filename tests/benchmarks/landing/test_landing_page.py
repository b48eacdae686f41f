"""The page takes a run's figures, each profile's in its own place."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.landing.kinds import PROFILES
from benchmarks.landing.page import with_figures
from benchmarks.landing.report import Found
from benchmarks.landing.run import Run

PAGE = Path(__file__).parents[3] / "docs" / "landing.md"


def _found(profile: str) -> Found:
    return Found(Run(("somebody/game",), profile, 7, 3))


def test_figures_replace_those_of_the_same_profile_only() -> None:
    page = (
        "a\n<!-- figures: agent -->\nformer\n<!-- end of figures -->\nb\n<!-- figures: strong -->\n"
    )
    page += "kept\n<!-- end of figures -->\nc\n"
    once = with_figures(page, _found("agent"))
    assert "former" not in once
    assert "kept" in once
    assert "seed 7" in once
    assert with_figures(once, _found("agent")) == once
    assert once.startswith("a\n")
    assert once.endswith("kept\n<!-- end of figures -->\nc\n")


def test_a_page_without_a_place_is_refused() -> None:
    with pytest.raises(ValueError, match="profile weak"):
        with_figures("nothing", _found("weak"))


def test_the_documentation_has_places() -> None:
    text = PAGE.read_text(encoding="utf-8")
    for profile in ("agent", "strong"):
        assert profile in PROFILES
        assert "seed 7, drawn from\n`somebody/game`" in with_figures(text, _found(profile))
