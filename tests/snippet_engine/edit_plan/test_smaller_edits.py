from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from planning import edited, on_symbol, plan_of, unresolved
from unity_project import delete, insert, replace

from snippet_engine.errors import ErrorCode, SnippetError
from snippet_engine.limits import MAX_CHANGED_CODE_POINTS

LINE = "    transform.position += new Vector3(x, y, z) * speed * Time.deltaTime; // step {n}\n"
METHOD = "void Step()\n{\n" + "".join(LINE.replace("{n}", str(n)) for n in range(3)) + "}\n"


def too_large(text: str, *instructions: dict[str, Any]) -> SnippetError:
    error = unresolved(text, *instructions)
    assert error.code is ErrorCode.DIFF_TOO_LARGE
    assert error.details["limit"] == MAX_CHANGED_CODE_POINTS
    assert str(error.details["charactersChanged"]) in error.message
    return error


def split(text: str, instruction: dict[str, Any]) -> list[dict[str, Any]]:
    """The smaller instructions, which together must do what the large one would."""
    smaller = too_large(text, instruction).details["instructions"]
    target, new = instruction["anchor"]["target"], instruction["newText"]
    assert edited(text, *smaller) == text.replace(target, new)
    assert isinstance(smaller, list)
    return smaller


def test_pieces_that_meet_are_no_smaller_edits() -> None:
    # The second would have nothing to name: an instruction without a target is no request.
    text = "        Remove((entry) => entry.Contains(bundle));\n"
    new = "AddressableAssetUtility.StringContains(entry, bundle, StringComparison.Ordinal, false"
    error = too_large(text, replace("entry.Contains(bundle", new))
    assert all(each["anchor"]["target"] for each in error.details.get("instructions", ()))


def test_changes_far_apart_become_instructions_of_their_own() -> None:
    new = METHOD.replace("x, y, z", "x, y, 0")
    smaller = split(METHOD, replace(METHOD, new))
    assert len(smaller) == 3
    assert all(len(each["anchor"]["target"]) < 80 for each in smaller)


def test_neighbours_are_joined_as_long_as_they_fit() -> None:
    new = METHOD.replace("speed", "Speed").replace("Time", "time")
    assert len(split(METHOD, replace(METHOD, new))) <= 3


def test_metadata_goes_with_each_of_them() -> None:
    instruction = {**replace(METHOD, METHOD.replace("z)", "0)")), "metadata": {"why": 1}}
    smaller = too_large(METHOD, instruction).details["instructions"]
    assert all(each["metadata"] == {"why": 1} for each in smaller)


def test_the_other_instructions_of_the_request_leave_less_room() -> None:
    text = METHOD + "int a = 1;\n"
    large = replace(METHOD, METHOD.replace("z)", "0)"))
    others = [insert("int a", f"\n{n}") for n in range(4)]
    assert "instructions" in too_large(text, *others, large).details
    others += [insert("int a", f"\n{n}", position="before") for n in range(4)]
    error = too_large(text, *others, large)
    assert "instructions" not in error.details
    assert "Send it to edit_scripts" in error.message


@pytest.mark.parametrize("operation", ["replace", "delete"])
def test_what_concerns_a_symbol_as_a_whole_is_not_split(operation: str) -> None:
    text = "class C\n{\n" + METHOD + "}\n"
    new = {"replace": METHOD.rstrip("\n").replace("z)", "0)")}.get(operation)
    error = too_large(text, on_symbol("C.Step", operation, *filter(None, [new])))
    assert "instructions" not in error.details
    assert "edit_scripts" in error.message


def test_pieces_in_comments_say_so() -> None:
    comment = "// The quick brown fox jumps over the lazy dog, again and again and again.\n"
    text = f"int fox;\n{comment}{comment.replace('dog', 'cat')}"
    new = text.replace("quick", "fast").replace("fox jumps", "dog jumps").replace("cat", "cow")
    smaller = split(text, replace(text, new))
    assert any(each["anchor"].get("in") == "comment" for each in smaller)


@pytest.mark.parametrize(
    "instruction",
    [
        replace("int a;", "b" * 90),
        insert("int a;", "b" * 81),
        insert("int a;", "b" * 81, position="line_after"),
        replace("int a;" + "// c" * 30 + "// d" * 200, "int b;"),
        delete("// c" * 30 + "// d" * 200, **{"in": "comment"}),
    ],
)
def test_what_does_not_split_is_left_to_other_tools(instruction: dict[str, Any]) -> None:
    error = too_large("int a;" + "// c" * 30 + "// d" * 200, instruction)
    assert "instructions" not in error.details
    assert "Send it to edit_scripts" in error.message


SHORT = (
    "void Step()\n{\n"
    + "".join(f"    transform.Move(x, {n}); // step {n}\n" for n in range(6))
    + "}\n"
)


@pytest.mark.parametrize(
    ("text", "instruction"),
    [
        ("int a;" + "// c" * 30, delete("// c" * 30, **{"in": "comment"})),
        ("class C\n{\n" + SHORT + "}\n", delete(SHORT)),
        # What begins and ends in the middle of a line.
        (SHORT, delete(SHORT[SHORT.index("x, 0") : SHORT.index("step 5")])),
    ],
)
def test_a_deletion_is_made_side_by_side(text: str, instruction: dict[str, Any]) -> None:
    target = instruction["anchor"].get("target", SHORT)
    smaller = too_large(text, instruction).details["instructions"]
    assert {each["operation"] for each in smaller} == {"delete"}
    assert edited(text, *smaller) == text.replace(target, "")


def test_a_deletion_that_is_split_leaves_behind_what_the_whole_one_would() -> None:
    # Blanks before it and a ; after it stay; of its first part alone, the whole line would go.
    target = SHORT.rstrip("\n")
    text = "{\n    " + target + ";  // why\n}\n"
    smaller = too_large(text, delete(target)).details["instructions"]
    assert edited(text, *smaller) == text.replace(target, "")


WORDS = st.lists(
    st.sampled_from(["int ", "a", "b ", "= ", "1;\n", "foo(", ") ", "{\n", "}\n", "  ", "😀"]),
    min_size=5,
    max_size=60,
)


@st.composite
def large_changes(draw: st.DrawFn) -> tuple[str, str, str]:
    """A text, a target in it that stands once, and much to put in its place."""
    words = draw(WORDS)
    new = list(words)
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(new) - 1))
        new[at] = draw(st.sampled_from(["x", "yy ", "z" * 50, "\n", ""]))
    filler = "// " + "k" * 90 + "\n"
    middle = draw(st.integers(0, len(words)))
    target = "".join(words[:middle]) + filler + "".join(words[middle:])
    changed = "".join(new[:middle]) + filler + "".join(new[middle:])
    return f"head();\n{target}\ntail();\n", target, changed


@given(large_changes())
def test_smaller_instructions_do_what_the_large_one_would(change: tuple[str, str, str]) -> None:
    text, target, new = change

    plan = plan_of(text, replace(target, new))
    if isinstance(plan, SnippetError) and plan.code is ErrorCode.DIFF_TOO_LARGE:
        smaller = plan.details.get("instructions")
        if smaller is not None:
            assert all(each["anchor"]["target"] for each in smaller)
            assert edited(text, *smaller) == text.replace(target, new)
