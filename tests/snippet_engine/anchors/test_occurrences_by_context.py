"""What is kept about a text's places says what trying each context at each of them would."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from snippet_engine.anchors.anchor_for_place import MOST, OccurrencesByContext
from snippet_engine.anchors.context import Context, occurrences
from snippet_engine.anchors.unique_context import with_unique_context
from snippet_engine.request import Anchor
from snippet_engine.source_text import TextRange

LINES = st.lists(
    st.sampled_from(["a();", "  a();", "a(); ", "b", "b ", "", " ", "{", "}", "});", "a(); a();"]),
    max_size=14,
)


def _whole(view: str) -> list[TextRange]:
    return [TextRange(0, len(view))]


@given(LINES, st.sampled_from(["a();", "a", "}", "b\n"]))
def test_the_least_context_is_the_one_that_each_place_is_tried_for(
    lines: list[str], text: str
) -> None:
    view = "\n".join(lines)
    places = list(occurrences(view, text, _whole(view)))
    kept = OccurrencesByContext.of(view, text, _whole(view), lambda _: True)
    assert kept is not None
    for place in places:

        def tried(before: str, after: str, place: TextRange = place) -> bool:
            others = (each for each in places if each != place)
            return any(Context(before, after).fits(view, each) for each in others)

        found = with_unique_context(view, Anchor(text), place, kept.besides(place))
        assert found == with_unique_context(view, Anchor(text), place, tried)


def test_places_that_are_not_wanted_are_no_look_alikes() -> None:
    view = "// a\na\n"
    code = TextRange(5, 6)
    kept = OccurrencesByContext.of(view, "a", _whole(view), lambda place: place == code)
    assert kept is not None
    assert not kept.besides(code)("", "")
    assert kept.besides(TextRange(3, 4))("", "")


def test_a_context_can_be_asked_for_in_any_order() -> None:
    view = "x\ny\na\n\nz\ny\na\n"
    first, second = occurrences(view, "a", _whole(view))
    kept = OccurrencesByContext.of(view, "a", _whole(view), lambda _: True)
    assert kept is not None
    fits_elsewhere = kept.besides(first)
    assert not fits_elsewhere("x\ny", "")
    assert fits_elsewhere("y", "")
    assert not fits_elsewhere("x\ny", "")
    assert not kept.besides(second)("z\ny", "")


def test_of_very_many_places_none_are_kept() -> None:
    view = "a\n" * (MOST + 1)
    assert OccurrencesByContext.of(view, "a", _whole(view), lambda _: True) is None
