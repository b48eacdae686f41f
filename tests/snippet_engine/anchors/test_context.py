from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snippet_engine.anchors.context import Context, occurrences
from snippet_engine.source_text import TextRange

VIEW = "void A()\n{\n    go();\n}\n\nvoid B()\n{   \n\n    go();\n    stop();\n}\n"


def fitting(before: str, after: str, target: str = "go();") -> list[int]:
    context = Context(before, after)
    places = occurrences(VIEW, target, [TextRange(0, len(VIEW))])
    return [VIEW.count("\n", 0, place.start) + 1 for place in places if context.fits(VIEW, place)]


@pytest.mark.parametrize(
    ("before", "after", "lines"),
    [
        ("", "", [3, 9]),
        ("void A()\n{\n", "", [3]),
        ("void B()\n{\n", "", [9]),  # trailing blanks and an empty line in between
        ("void B()\n{\n\n    ", "", [9]),
        ("B()\n{", "", [9]),  # the first context line may be the end of its line
        ("void\n{", "", []),  # but no part before its end
        ("x\nvoid A()\n{", "", []),
        ("", "}", [3]),
        ("", "\n}\n", [3]),
        ("", "stop();", [9]),
        ("", "stop();\n}\n", [9]),
        ("", "stop", [9]),  # the last context line may be the start of its line
        ("", "stop\n", []),  # a line break in the context ends the line
        ("", "stop();  ", [9]),  # nor do trailing blanks, on one line
        ("", "stop();\n}  ", [9]),  # or several
        ("", "stop();\t\n", [9]),
        ("", "stop  \n", []),
        ("{  ", "stop();", [9]),
        ("{", "stop();\n}\nmore", []),
        ("  {", "", []),  # leading white space of a whole line counts
    ],
)
def test_context_stands_around_the_target(before: str, after: str, lines: list[int]) -> None:
    assert fitting(before, after) == lines


def test_occurrences_may_overlap() -> None:
    assert list(occurrences("aaa", "aa", [TextRange(0, 3)])) == [TextRange(0, 2), TextRange(1, 3)]
    assert list(occurrences("aaa", "aa", [TextRange(1, 3)])) == [TextRange(1, 3)]
    assert list(occurrences("aaa", "b", [TextRange(0, 3)])) == []


@given(st.text("a b\n", max_size=14), st.text("ab \n", max_size=4), st.text("ab \n", max_size=4))
def test_order_of_trial_makes_no_difference(view: str, before: str, after: str) -> None:
    places = [TextRange(at, at) for at in range(len(view) + 1)]
    context = Context(before, after)
    fresh = [Context(before, after).fits(view, place) for place in places]
    assert [context.fits(view, place) for place in places] == fresh
    assert [context.fits(view, place) for place in reversed(places)] == fresh[::-1]
