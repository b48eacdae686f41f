"""Context that stands at one place exactly as it was sent, and at others but for white space."""

from __future__ import annotations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from planning import document_of, place_of, plan_of, unresolved
from sent_back import check_offers
from unity_project import replace

from snippet_engine.anchors.resolver import place_in
from snippet_engine.errors import ErrorCode, SnippetError
from snippet_engine.request import Anchor

TEXT = """\
class C
{
    void M()
    {
        if (x)
            Foo();
        if (x) Foo();
        while (y)
        {
            if (x)
                Foo();
        }
    }
}
"""


def line_of(before: str, after: str = "") -> int:
    place = place_of(TEXT, replace("Foo();", "Bar();", before=before, after=after))
    return TEXT[: place.start].count("\n") + 1


@pytest.mark.parametrize(
    ("before", "after", "line"),
    [
        ("if (x)\n            ", "", 6),
        ("if (x) ", "", 7),
        ("if (x)\n                ", "", 11),
        ("if (x)", "\n        while (y)", 7),
        ("if (x)\n            ", "\n        if", 6),
        ("x)\n            ", "\n", 6),
    ],
)
def test_the_place_that_was_read_is_meant(before: str, after: str, line: int) -> None:
    assert line_of(before, after) == line
    anchor = Anchor("Foo();", before=before, after=after)
    found = place_in(document_of(TEXT), anchor)
    assert found is not None
    assert TEXT[: found.start].count("\n") + 1 == line


@pytest.mark.parametrize(
    ("before", "after"),
    [
        # Exact nowhere.
        ("if (x)", ""),
        ("if (x)\n", ""),
        ("if (x)\n\t", ""),
        # Blanks by themselves say nothing.
        ("\n            ", ""),
        # One side is exact, the other is not.
        ("if (x)\n            ", "\n\n"),
    ],
)
def test_context_that_tells_no_place_exactly_is_ambiguous(before: str, after: str) -> None:
    instruction = replace("Foo();", "Bar();", before=before, after=after)
    error = unresolved(TEXT, instruction)
    assert error.code is ErrorCode.AMBIGUOUS_ANCHOR
    assert check_offers(TEXT, instruction, error)


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.sampled_from(["a", "b", " ", "  ", "\n", "\n  ", ";"]), max_size=30).map("".join),
    st.integers(0, 40),
    st.integers(0, 8),
    st.integers(0, 8),
)
def test_exact_context_names_its_place_or_none(text: str, at: int, above: int, below: int) -> None:
    """Whatever stands elsewhere: of context as it stands around a place, no other is meant."""
    starts = [each for each in range(len(text)) if text.startswith("a", each)]
    assume(starts)
    start = starts[at % len(starts)]
    before, after = text[max(0, start - above) : start], text[start + 1 : start + 1 + below]
    plan = plan_of(text, replace("a", "x", before=before, after=after))
    if not isinstance(plan, SnippetError):
        assert plan.instructions[0].resolved.place == (start, start + 1)
        return
    lenient = replace("a", "x", before=before.strip(), after=after.strip())
    assert plan.code is ErrorCode.AMBIGUOUS_ANCHOR
    assert isinstance(plan_of(text, lenient), SnippetError)
    check_offers(text, replace("a", "x", before=before, after=after), plan)


def test_exact_at_several_places_is_ambiguous() -> None:
    text = TEXT + TEXT.replace("class C", "class D")
    assert unresolved(text, replace("Foo();", "Bar();", before="if (x) ")).code is (
        ErrorCode.AMBIGUOUS_ANCHOR
    )


def test_a_comment_is_no_rival_and_no_place() -> None:
    text = TEXT.replace("        if (x) Foo();", "        // if (x) Foo();")
    error = plan_of(text, replace("Foo();", "Bar();", before="if (x) "))
    assert isinstance(error, SnippetError)
    assert error.details["matches"] == 2


def test_who_asks_for_all_places_is_not_given_one() -> None:
    asked = {**replace("Foo();", "Bar();", before="if (x) "), "metadata": {"why": "all places"}}
    assert unresolved(TEXT, asked).code is ErrorCode.AMBIGUOUS_ANCHOR
