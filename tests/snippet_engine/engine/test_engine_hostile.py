"""Requests of attackers and of clumsy models, and files of unusual size."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from answered import success
from hypothesis import given, settings
from hypothesis import strategies as st
from planning import on_symbol
from unity_project import SCRIPT, UnityProject, delete, replace

from snippet_engine.answer.error_text import MAX_ERROR_LENGTH
from snippet_engine.answer.text_form import text_form
from snippet_engine.errors import ErrorCode, SnippetError
from snippet_engine.limits import MAX_INSTRUCTIONS

PLAYER = 'class Player\n{\n    int speed = 10; // "fast"\n    string s = "x";\n}\n'


@pytest.mark.parametrize(
    "new_text",
    [
        "speed = 10; \\",
        "speed = 10; */",
        "speed = 10; /*",
        'speed = 10; "',
        "speed = 10; '",
        "speed = 10;\n#endif",
        "speed = 10;\n#if",
        "speed = 10;\n#region",
        "speed = 10;\n#nonsense",
        "speed = 10; }",
        "speed = 10; {",
        "speed = 10; // {\n}",
        "speed = 10; \x00",
        "speed = 10; \u202e}",
        'speed = 10; @"',
        'speed = $"{',
        "speed = 10;\\u007d",
        "\ufeff speed = 10",
    ],
)
def test_new_text_that_would_leave_its_place(project: UnityProject, new_text: str) -> None:
    project.write(PLAYER)
    error = project.refused(replace("speed = 10;", new_text))
    assert error.code is ErrorCode.SYNTAX_ERROR


@pytest.mark.parametrize(
    "target",
    [
        "\x00",
        "\\",
        "$0",
        "(?:x)+",
        "[",
        "\u2028",
        "😀" * 1000,
        "x" * 1_000_000,
        "\n" * 10_000,
        " " * 10_000,
        "```",
        "1: " * 5000,
        "\\n" * 5000,
        "class Player\n" * 3000,
        "{" * 5000,
    ],
)
def test_targets_that_stand_nowhere(project: UnityProject, target: str) -> None:
    project.write(PLAYER)
    for instruction in (
        replace(target, "y"),
        replace("speed = 10", "y", before=target + "x"),
        replace("speed = 10", "y", after=target + "x"),
        on_symbol("Player", "replace", "y", target=target),
        on_symbol(target, "delete"),
    ):
        error = project.refused(instruction)
        assert error.code in (ErrorCode.ANCHOR_NOT_FOUND, ErrorCode.SYMBOL_NOT_FOUND)
        assert len(text_form("edit_snippet", error)) <= MAX_ERROR_LENGTH


@pytest.mark.parametrize(
    "text", ["", "\r", "\n", "\r\n", " ", "// only a comment", "#if X", "\x00"]
)
def test_files_that_hold_no_code(project: UnityProject, text: str) -> None:
    project.write(text)
    assert isinstance(project.engine.get_symbols({"path": SCRIPT}), dict)
    assert isinstance(project.engine.validate_script({"path": SCRIPT}), dict)
    project.refused(replace("class", "struct"))
    project.refused(on_symbol("Player", "delete"))
    assert project.read() == text.encode()


def test_a_line_of_many_characters(project: UnityProject) -> None:
    text = "class C { int[] a = { " + "1, " * 150_000 + "2 }; }"
    project.write(text)
    project.done(replace("2 };", "3 };"))
    assert project.read().decode() == text.replace("2 };", "3 };")
    error = project.refused(replace("1, ", "4, "))
    assert error.details["matches"] == 150_000
    error = project.refused(replace("1, 5, ", "4, "))
    assert len(text_form("edit_snippet", error)) <= MAX_ERROR_LENGTH


def test_deep_nesting(project: UnityProject) -> None:
    deep = "class C { int a = " + "(" * 2000 + "1" + ")" * 2000 + "; }\n"
    project.write(deep)
    project.refused(replace("1", "1)"))
    project.edit(replace("1", "2"))
    blocks = "class C { void M() { " + "{ " * 3000 + "Go();" + " }" * 3000 + " } }\n"
    project.write(blocks)
    assert isinstance(project.refused(replace("Go();", "Go(); }")), SnippetError)
    success(project.edit(replace("Go();", "Went();")))
    classes = "class C { " * 1500 + "int a;" + " }" * 1500
    project.write(classes)
    assert isinstance(project.edit(replace("int a", "int b")), dict)
    assert isinstance(project.engine.get_symbols({"path": SCRIPT}), dict)


MANY = "    void Method{n}(int a)\n    {{\n        if (a > {n})\n            Go(a);\n    }}\n\n"


def big_class(methods: int) -> str:
    return "class Big\n{\n" + "".join(MANY.format(n=n) for n in range(methods)) + "}\n"


def test_a_file_of_20_000_lines(project: UnityProject) -> None:
    text = big_class(3400)
    assert text.count("\n") > 20_000
    project.write(text)
    result = project.done(
        replace("a > 3333", "a >= 3333"),
        delete("if (a > 1700)\n            Go(a);"),
        on_symbol("Big.Method5", "insert", "Log();", position="body_start"),
    )
    assert [each["code"] for each in result["warnings"]] == []
    after = project.read().decode()
    assert after == (
        text.replace("a > 3333", "a >= 3333")
        .replace("        if (a > 1700)\n            Go(a);\n", "")
        .replace("Method5(int a)\n    {\n", "Method5(int a)\n    {\n        Log();\n", 1)
    )
    success(project.engine.undo_snippet({"path": SCRIPT, "hashAfter": result["hashAfter"]}))
    assert project.read().decode() == text
    error = project.refused(replace("e", "x"))
    assert error.code is ErrorCode.AMBIGUOUS_ANCHOR
    assert error.details["matches"] == text.count("e")
    error = project.refused(replace("method3333(inta)", "x"))
    assert error.code is ErrorCode.ANCHOR_NOT_FOUND
    assert error.details["nearest"][0]["differs"] == ["letter case", "white space"]


def test_targets_that_stand_very_often(project: UnityProject) -> None:
    text = big_class(1000)
    project.write(text)
    for target in (" ", "\n", "Go(a);"):
        error = project.refused(replace(target, "x"))
        assert error.code is ErrorCode.AMBIGUOUS_ANCHOR
        assert error.details["matches"] == text.count(target)
        error = project.refused(replace(target, "x", before="nowhere"))
        assert error.code is ErrorCode.ANCHOR_NOT_FOUND
        assert error.details["nearest"][0]["differs"] == ["the before context"]


def test_white_space_of_many_characters(project: UnityProject) -> None:
    text = f"class C {{{' ' * 200_000}int a;{chr(10) * 200_000}}}"
    project.write(text)
    project.done(replace("int a;", "int b;", before="{", after="}"))
    for target in (" ", "\n", " " * 1000):
        error = project.refused(replace(target, "x", before="class C {\n"))
        assert error.code in (ErrorCode.AMBIGUOUS_ANCHOR, ErrorCode.ANCHOR_NOT_FOUND)


def test_more_places_in_comments_than_are_looked_at(project: UnityProject) -> None:
    comments = "// Go(a);\n" * 5000
    project.write(f"{comments}class C {{ void M() {{ Go(a); }} }}\n{comments}")
    result = project.done(replace("Go(a);", "Went(a);"))
    assert result["warnings"][0]["code"] == "anchor_in_comment"
    assert project.read().count(b"Went(a)") == 1
    project.write(comments)
    assert project.refused(replace("Go(a);", "x")).code is ErrorCode.ANCHOR_IN_COMMENT


# -- anything at all -----------------------------------------------------------------------

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=8,
)
KEYS = st.sampled_from(
    ["path", "mode", "instructions", "operation", "anchor", "newText", "type", "target", "before",
     "after", "position", "symbolPath", "in", "metadata", "expectedHash", "validation", "include"]
)  # fmt: skip


def near_requests() -> st.SearchStrategy[Any]:
    text = st.text(max_size=6)
    anchor = st.dictionaries(KEYS, text | JSON, max_size=4) | st.fixed_dictionaries(
        {"type": st.sampled_from(["text", "symbol"]), "target": text},
        optional={
            "before": text,
            "after": text,
            "symbolPath": text,
            "position": st.sampled_from(["before", "line_after", "body_end"]),
            "in": st.just("comment"),
        },
    )
    instruction = st.fixed_dictionaries(
        {"operation": st.sampled_from(["replace", "insert", "delete"]), "anchor": anchor},
        optional={"newText": text, "metadata": JSON},
    )
    return st.fixed_dictionaries(
        {
            "path": st.just(SCRIPT) | text,
            "mode": st.sampled_from(["preview", "apply"]),
            "instructions": st.lists(instruction | JSON, max_size=MAX_INSTRUCTIONS),
        },
        optional={"expectedHash": text, "include": JSON, "validation": st.just("embedded")},
    )


@pytest.fixture(scope="module")
def shared() -> Iterator[UnityProject]:
    """One project for all examples."""
    with tempfile.TemporaryDirectory() as folder:
        project = UnityProject(Path(folder) / "project")
        project.write(PLAYER)
        yield project


@settings(max_examples=150)
@given(near_requests() | JSON)
def test_no_request_is_answered_with_an_exception(shared: UnityProject, params: Any) -> None:
    engine = shared.engine
    for tool in (
        engine.edit_snippet,
        engine.undo_snippet,
        engine.get_symbols,
        engine.validate_script,
    ):
        outcome = tool(params)
        if isinstance(outcome, SnippetError):
            assert len(outcome.message) <= 200
            assert len(text_form("edit_snippet", outcome)) <= MAX_ERROR_LENGTH


@pytest.mark.parametrize("unit", ["    0,\n", "//\n", "/*\n", "    }\n", "a(); "])
def test_text_that_repeats_itself(project: UnityProject, unit: str) -> None:
    project.write("class C\n{\n" + unit * 3000 + "}\n")
    error = project.refused(replace(unit, "x"))
    assert error.details["matches"] == 3000
    assert len(error.details["candidates"]) == 10
