"""The contexts that are remembered match where trying each at each place would say."""

from __future__ import annotations

from functools import partial

from hypothesis import given
from hypothesis import strategies as st

from snippet_engine.anchors.anchor_for_place import Rivals, text_around
from snippet_engine.anchors.context import Context, occurrences
from snippet_engine.anchors.unique_context import with_unique_context
from snippet_engine.request import Anchor
from snippet_engine.source_text import TextRange

LINES = st.lists(
    st.sampled_from(["a();", "  a();", "a(); ", "b", "b ", "", " ", "{", "}", "});", "a(); a();"]),
    max_size=14,
)


def _places(view: str, text: str) -> list[TextRange]:
    return list(occurrences(view, text, [TextRange(0, len(view))]))


@given(LINES, st.sampled_from(["a();", "a", "}", "b\n"]))
def test_the_remembered_context_is_the_one_by_trial(lines: list[str], text: str) -> None:
    view = "\n".join(lines)
    places = _places(view, text)
    for place in places:
        others = [each for each in places if each != place]

        def tried(before: str, after: str, others: list[TextRange] = others) -> bool:
            return any(Context(before, after).fits(view, each) for each in others)

        rivals = Rivals(view, others, lambda _: True, partial(text_around, view))
        found = with_unique_context(view, Anchor(text), place, rivals.have)
        assert found == with_unique_context(view, Anchor(text), place, tried)


def test_places_that_are_not_wanted_are_no_rivals() -> None:
    view = "// a\na\n"
    comment, code = _places(view, "a")
    is_code, around = code.__eq__, partial(text_around, view)
    assert not Rivals(view, [comment], is_code, around).have("", "")
    assert Rivals(view, [code], is_code, around).have("", "")


def test_a_context_can_be_asked_for_in_any_order() -> None:
    view = "x\ny\na\n\nz\ny\na\n"
    _, second = _places(view, "a")
    rivals = Rivals(view, [second], lambda _: True, partial(text_around, view))
    assert not rivals.have("x\ny", "")
    assert rivals.have("y", "")
    assert not rivals.have("x\ny", "")
