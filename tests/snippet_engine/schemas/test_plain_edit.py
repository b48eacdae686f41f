"""What is known as a call of ``edit_snippet`` without the library is one for the library, too."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from snippet_engine.schemas.plain_edit import is_plain_edit
from snippet_engine.schemas.schema_check import find_problems
from snippet_engine.schemas.tool_schemas import INPUT_SCHEMAS

ANYTHING = st.one_of(
    st.none(), st.booleans(), st.integers(), st.text(max_size=3), st.lists(st.text(max_size=1))
)
TEXT = st.one_of(st.sampled_from(["a", "int x;", "é", "\ud800", ""]), ANYTHING)


def nearly(**values: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Objects with some of these keys, and perhaps another one."""
    more = st.sampled_from(["part", "in", "symbolPath", "indent", "metadata", "validation"])
    own = st.fixed_dictionaries({}, optional=values)
    some = st.dictionaries(more, TEXT, max_size=1)
    whole = st.fixed_dictionaries(values)
    return st.one_of(whole, own, st.builds(lambda one, other: {**one, **other}, whole, some))


ANCHORS = nearly(
    type=st.sampled_from(["text", "text", "text", "symbol"]),
    target=TEXT,
) | nearly(
    type=st.just("text"),
    target=st.just("x"),
    before=TEXT,
    after=TEXT,
    position=st.sampled_from(["before", "line_after", "body_start", 1]),
)
INSTRUCTIONS = nearly(
    operation=st.sampled_from(["replace", "insert", "delete", "move"]),
    anchor=st.one_of(ANCHORS, ANYTHING),
    newText=TEXT,
) | nearly(operation=st.just("delete"), anchor=ANCHORS)
CALLS = nearly(
    path=TEXT,
    mode=st.sampled_from(["preview", "apply", "later"]),
    instructions=st.one_of(st.lists(INSTRUCTIONS, max_size=12), ANYTHING),
)


@settings(max_examples=400, deadline=None)
@given(CALLS)
def test_what_is_plain_has_no_problems(call: dict[str, Any]) -> None:
    assert not is_plain_edit(call) or not find_problems(INPUT_SCHEMAS["edit_snippet"], call)


def call(**instruction: Any) -> dict[str, Any]:
    return {"path": "Assets/A.cs", "mode": "preview", "instructions": [instruction]}


@pytest.mark.parametrize(
    "plain",
    [
        call(
            operation="replace",
            anchor={"type": "text", "before": "a\n", "target": "b", "after": ""},
            newText="c",
        ),
        call(
            operation="insert",
            anchor={"type": "text", "target": "b", "position": "line_after"},
            newText="c",
        ),
        call(operation="delete", anchor={"type": "text", "target": "b"}),
    ],
)
def test_the_usual_calls_are_plain(plain: dict[str, Any]) -> None:
    assert is_plain_edit(plain)
    assert not find_problems(INPUT_SCHEMAS["edit_snippet"], plain)


@pytest.mark.parametrize(
    "other",
    [
        call(operation="delete", anchor={"type": "text", "target": "b"}, newText="c"),
        call(operation="replace", anchor={"type": "text", "target": "b"}),
        call(
            operation="replace",
            anchor={"type": "text", "target": "b", "position": "after"},
            newText="c",
        ),
        call(operation="delete", anchor={"type": "symbol", "target": "b", "symbolPath": "A"}),
        call(operation="delete", anchor={"type": "text", "target": "b", "in": "comment"}),
        {**call(operation="delete", anchor={"type": "text", "target": "b"}), "instructions": []},
    ],
)
def test_all_others_are_not(other: dict[str, Any]) -> None:
    assert not is_plain_edit(other)
