from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snippet_engine.anchors.context import Context, occurrences
from snippet_engine.anchors.unique_context import MAX_CONTEXT, with_unique_context
from snippet_engine.request import Anchor
from snippet_engine.source_text import TextRange


def unique(view: str, target: str, number: int) -> Anchor | None:
    """The anchor for the ``number``-th of the places where ``target`` stands."""
    places = list(occurrences(view, target, [TextRange(0, len(view))]))
    place = places[number]

    def fits_elsewhere(before: str, after: str) -> bool:
        context = Context(before, after)
        return any(context.fits(view, other) for other in places if other != place)

    return with_unique_context(view, Anchor(target), place, fits_elsewhere)


def context_of(view: str, target: str, number: int) -> tuple[str, str]:
    anchor = unique(view, target, number)
    assert anchor is not None
    return anchor.before, anchor.after


@pytest.mark.parametrize(
    ("view", "target", "number", "context"),
    [
        ("a;\nb;\n", "b;", 0, ("", "")),  # a lone place
        ("void A()\n{\n  go();\n}\nvoid B()\n{ }\n  go();\n", "go();", 1, ("{ }", "")),
        # The rest of the line is the nearest.
        ("x = 1;\ny = 1;\n", "1", 1, ("y =", "")),
        # The line below is taken where the one above does not tell.
        ("{\ngo();\n}\n{\ngo();\nstop();\n}\n", "go();", 1, ("", "stop();")),
        ("a b c", " ", 1, ("a b", "")),
    ],
)
def test_the_least_context(view: str, target: str, number: int, context: tuple[str, str]) -> None:
    assert context_of(view, target, number) == context


def test_as_many_lines_as_it_takes() -> None:
    block = "{\n  a();\n  b();\n}\n"
    view = f"void A()\n{block}void B()\n{block}"
    assert context_of(view, "b();", 1) == ("void B()\n{\n  a();", "")


def test_far_context_where_much_is_alike() -> None:
    lines = "same();\n" * 40
    view = f"first();\n{lines}second();\n{lines}"
    anchor = unique(view, "same();", 60)
    assert anchor is not None
    context = Context(anchor.before, anchor.after)
    fitting = [
        place
        for place in occurrences(view, "same();", [TextRange(0, len(view))])
        if context.fits(view, place)
    ]
    assert len(fitting) == 1


def test_no_context_tells_one_blank_from_the_next() -> None:
    assert unique("a    b", " ", 1) is None


def test_context_beyond_the_limit_is_not_offered() -> None:
    half = "same();\n" * (MAX_CONTEXT // 4)
    view = f"{half}x();\n{half}{half}x();\n{half}"
    assert unique(view, "x();", 1) is None


VIEWS = st.lists(
    st.sampled_from(["a", "a;", "  a;", "{", "}", "", " ", "b a", "a a"]), max_size=9
).map("\n".join)


@given(VIEWS, st.sampled_from(["a", "a;", " ", "\n", "a\n", "{", "  a", " a", ";\n"]), st.data())
def test_offered_context_fits_one_place_only(view: str, target: str, data: st.DataObject) -> None:
    places = list(occurrences(view, target, [TextRange(0, len(view))]))
    if not places:
        return
    number = data.draw(st.integers(0, len(places) - 1))
    anchor = unique(view, target, number)
    if anchor is None:
        assert not target.strip()
        return
    context = Context(anchor.before, anchor.after)
    assert [place for place in places if context.fits(view, place)] == [places[number]]
