"""The page takes a run's figures, each profile's in its own place."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.landing.kinds import PROFILES, UNSPOILED
from benchmarks.landing.outcome import Outcome
from benchmarks.landing.page import with_figures
from benchmarks.landing.references import EXACT
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


def test_all_calls_are_mixed_of_spoiled_ones_and_others() -> None:
    found = _found("agent")
    for outcome, count in ((Outcome.FIRST, 4), (Outcome.SECOND, 4), (Outcome.REFUSED, 2)):
        for _ in range(count):
            found.all.add(outcome, 10)
    found.by_class[UNSPOILED].add(Outcome.FIRST, 10)
    found.references[EXACT].add(Outcome.FIRST, 10)
    found.references[EXACT].add(Outcome.REFUSED, 10)
    least, most = found.of_all_calls()
    # Of the spoiled ones that one loses half: then twice as many as it loses are spoiled.
    assert (least.spoiled, most.spoiled) == (pytest.approx(0.22), pytest.approx(0.46))
    assert most.shares[Outcome.FIRST] == pytest.approx(0.46 * 0.4 + 0.54)
    assert sum(most.shares.values()) == pytest.approx(1)
    page = with_figures("<!-- figures: agent -->\n<!-- end of figures -->", found)
    assert "| 23% | 46% | 72.4% | 18.4% | 9.2% | 0.0% |" in page


def test_of_all_calls_nothing_is_said_where_nothing_else_was_measured() -> None:
    found = _found("agent")
    found.all.add(Outcome.FIRST, 10)
    assert found.of_all_calls() == []


def test_the_page_says_how_many_can_land_at_the_first_try() -> None:
    found = _found("agent")
    for outcome, may_land in (
        (Outcome.FIRST, True),
        (Outcome.SECOND, True),
        (Outcome.REFUSED, False),
    ):
        found.all.add(outcome, 10, may_land=may_land)
        found.by_class[UNSPOILED].add(outcome, 10, may_land=may_land)
    page = with_figures("<!-- figures: agent -->\n<!-- end of figures -->\n", found)
    assert "| **together** | 3 | 33.3% | 66.7% | 33.3% | 33.3% | 0.0% |" in page
    assert "At the first try 33.3% landed; without a guess, 66.7%\n" in page


def test_the_page_says_which_other_ways_cost_fewer_bytes() -> None:
    found = _found("agent")
    found.all.add(Outcome.SECOND, 100)
    found.references[EXACT].add(Outcome.FIRST, 90)
    found.references["ladder"].add(Outcome.FIRST, 110)
    found.until_landed.update({"this": 100, EXACT: 500, "ladder": 90})
    page = with_figures("<!-- figures: agent -->\n<!-- end of figures -->\n", found)
    assert f"Fewer bytes per landed edit than `edit_snippet`: {EXACT};\n" in page
    assert "with reading again: ladder.\n" in page
