"""What may be written and what not: docs/design/engine.md §4, through the whole engine."""

from __future__ import annotations

import re
from typing import Any

import pytest
from answered import success
from unity_project import SCRIPT, UnityProject, delete, insert, replace

from snippet_engine.errors import ErrorCode


def klass(*lines: str) -> str:
    return "class C\n{\n" + "".join(f"    {line}\n" for line in lines) + "}\n"


METHOD = klass("void M()", "{", "    if (a) { Go(); }", "    Go2(1, 2);", "}")


@pytest.mark.parametrize(
    "instruction",
    [
        delete("}", before="Go2(1, 2);"),
        replace("Go2(1, 2);", 'Go2("1);'),
        replace("Go2(1, 2);", "Go2(1, 2);\n#if X"),
        replace("Go2(1, 2);", "return return;"),
    ],
)
def test_an_edit_that_would_break_the_file_is_refused(
    project: UnityProject, instruction: dict[str, Any]
) -> None:
    project.write(METHOD)
    error = project.refused(instruction)
    assert error.code is ErrorCode.SYNTAX_ERROR
    assert error.instruction == 0
    first = error.details["diagnostics"][0]
    assert first["instruction"] == 0
    assert first["id"]
    assert f"line {first['line']}" in error.message
    assert error.details["validation"]["diagnostics"] == error.details["diagnostics"]


# -- files that are broken already ---------------------------------------------------------


BROKEN = klass("void M()", "{", "    Go(;", "}", "int other = 1;")


def test_a_broken_file_can_be_edited_elsewhere(project: UnityProject) -> None:
    project.write(BROKEN)
    result = project.done(replace("other = 1", "other = 2"))
    assert [each["code"] for each in result["warnings"]] == ["preexisting_errors"]
    assert result["validation"]["diagnostics"] == []


# -- who caused what -----------------------------------------------------------------------


def test_errors_are_told_by_instruction(project: UnityProject) -> None:
    project.write(klass("int a = 1;", "int b = 2;", "int c = 3;", "int d = 4;"))
    error = project.refused(
        replace("a = 1", "a = 10"),
        replace("b = 2;", "b = (2;"),
        replace("c = 3", "c = 30"),
        replace("d = 4;", "d = 4"),
    )
    assert error.code is ErrorCode.SYNTAX_ERROR
    # The bracket is missed only where the class ends, much nearer to another culprit.
    # What is wrong with that one is seen only without it.
    assert [(each["line"], each["instruction"]) for each in error.details["diagnostics"]] == [
        (6, 3),
        (7, 1),
    ]
    assert error.instruction == 3
    error = project.refused(replace("a = 1;", "a = 1"), replace("d = 4", "d = = 4"))
    assert {each["line"]: each["instruction"] for each in error.details["diagnostics"]} == {
        3: 0,
        6: 1,
    }


@pytest.mark.parametrize("value", ["(", "{", "/*", "= 1", "+", '"', "0)"])
def test_each_of_ten_broken_edits_is_named(project: UnityProject, value: str) -> None:
    project.write(klass(*(f"int f{number} = 0;" for number in range(10))))
    edits = [replace(f"int f{n} = 0", f"int f{n} = {value}") for n in range(10)]
    for order in (edits, edits[::-1]):
        found = project.refused(*order).details["diagnostics"]
        assert sorted(each["instruction"] for each in found) == list(range(10))
        for each in found:
            opened = re.search("at line ([0-9]+)", each["message"])
            line = int(opened[1]) if opened else each["line"]
            assert line == (3 + each["instruction"] if order is edits else 12 - each["instruction"])


def test_lines_of_another_text_are_not_told(project: UnityProject) -> None:
    project.write(klass("int a = 1;", "int b = 2;", "int c = 3;"))
    error = project.refused(
        replace("int a = 1;", "int a =\n    (1;"), replace("b = 2", "b = (2"), replace("3", "4")
    )
    found = error.details["diagnostics"]
    assert {(each["line"], each["instruction"]) for each in found} == {(7, 0), (7, 1)}
    assert [each["message"] for each in found if each["instruction"] == 0] == [") expected"]


def test_edits_that_need_each_other_are_named_by_no_other_error(project: UnityProject) -> None:
    project.write(klass("int a = 1;", "int b = 2;", "int c = 3;"))
    pair = replace("a = 1;", "a = F(1"), replace("int b = 2", "+ 2)")
    error = project.refused(*pair, replace("c = 3", "c = ="))
    assert {each["instruction"] for each in error.details["diagnostics"]} == {2}
    project.done(*pair, mode="preview")


def test_instructions_that_are_valid_only_together_are_applied(project: UnityProject) -> None:
    text = klass("void M()", "{", "    Go();", "}")
    project.write(text)
    project.done(
        insert("Go();", "if (a)\n{", position="line_before"),
        insert("Go();", "}", position="line_after"),
    )
    assert "if (a)\n        {\n        Go();\n        }" in project.read().decode()


# -- which validator -----------------------------------------------------------------------


@pytest.mark.parametrize("validation", [None, "auto", "embedded"])
def test_the_embedded_validator_says_what_it_covered(
    project: UnityProject, validation: str | None
) -> None:
    project.write(METHOD)
    more = {} if validation is None else {"validation": validation}
    verdict = project.done(replace("1, 2", "3, 4"), **more)["validation"]
    assert verdict["validator"] == "embedded"
    assert verdict["coverage"] == ["brackets", "syntax"]
    assert verdict["notChecked"]
    assert verdict["languageVersion"]
    assert verdict["symbolSets"] >= 1


@pytest.mark.parametrize("mode", ["preview", "apply"])
def test_without_a_language_server_lsp_is_refused(project: UnityProject, mode: str) -> None:
    project.write(METHOD)
    error = project.refused(replace("1, 2", "3, 4"), validation="lsp", mode=mode)
    assert error.code is ErrorCode.VALIDATOR_UNAVAILABLE
    assert not error.retryable
    assert '"auto"' in error.message


# -- the reading tools ---------------------------------------------------------------------


def test_validate_script_lists_what_is_wrong(project: UnityProject) -> None:
    project.write(METHOD)
    result = success(project.engine.validate_script({"path": SCRIPT}))
    assert result["valid"] is True
    assert result["validation"]["diagnostics"] == []

    project.write(BROKEN)
    before = project.tree()
    result = success(project.engine.validate_script({"path": SCRIPT}))
    assert result["valid"] is False
    (diagnostic,) = result["validation"]["diagnostics"]
    assert diagnostic.keys() == {"line", "column", "id", "message"}
    assert "line 5" in diagnostic["message"]
    assert project.tree() == before


def test_get_symbols_of_good_and_broken_files(project: UnityProject) -> None:
    project.write(METHOD)
    result = success(project.engine.get_symbols({"path": SCRIPT}))
    assert [(each["symbolPath"], each["kind"]) for each in result["symbols"]] == [
        ("C", "class"),
        ("C.M()", "method"),
    ]
    assert result["symbols"][1]["range"] == {
        "start": {"line": 2, "character": 4},
        "end": {"line": 6, "character": 5},
    }
    assert result["hash"].startswith("sha256:")

    project.write(BROKEN)
    result = success(project.engine.get_symbols({"path": SCRIPT}))
    assert [each["symbolPath"] for each in result["symbols"]] == ["C", "C.M()", "C.other"]

    project.write("// nothing declared\n")
    result = success(project.engine.get_symbols({"path": SCRIPT}))
    assert result["symbols"] == []


def test_every_symbol_that_is_listed_can_be_sent(project: UnityProject) -> None:
    project.write(klass("int a, b;", "void M() { void L() { } }", "class D { }"))
    symbols = success(project.engine.get_symbols({"path": SCRIPT}))
    for each in symbols["symbols"]:
        anchor = {"type": "symbol", "symbolPath": each["symbolPath"], "position": "before"}
        instruction = {"operation": "insert", "anchor": anchor, "newText": "/* here */"}
        result = project.done(instruction, mode="preview")
        assert result["results"][0]["range"]["start"] == each["range"]["start"]


@pytest.mark.parametrize(
    "member",
    [
        "record struct P(int x);",
        "required int a { get; set; }",
        "void M() { break }",
        "void M() { 5; }",
        "void M() { a + b; }",
        "int a, int b;",
        "void M() { int[] a = { 1, 2; }",
        "void M() { else { } }",
        "void M() { try { } }",
        "int this { get; }",
        'string a = """raw""";',
        "file class D { }",
    ],
)
def test_what_an_edit_is_refused_for_is_told_of_a_file(project: UnityProject, member: str) -> None:
    """The same lines, whether they come by an edit or stand in the file already."""
    project.write("class C\n{\n    // here\n}\n")
    edit = insert("// here", member, position="line_after", **{"in": "comment"})
    refused = project.refused(edit)
    assert refused.code is ErrorCode.SYNTAX_ERROR
    lines = {each["line"] for each in refused.details["diagnostics"]}
    project.write(f"class C\n{{\n    // here\n    {member}\n}}\n")
    told = success(project.engine.validate_script({"path": SCRIPT}))
    assert not told["valid"]
    assert lines <= {each["line"] for each in told["validation"]["diagnostics"]}


@pytest.mark.parametrize("symbol", ["UNITY_EDITOR", "MINE", "!MINE"])
def test_an_if_without_its_end_is_told_before_the_braces_in_it(
    project: UnityProject, symbol: str
) -> None:
    project.write("class A\n{\n    void M()\n    {\n        Go();\n    }\n}\n")
    error = project.refused(replace("        Go();", f"#if {symbol}\n        Go();"))
    assert [each["id"] for each in error.details["diagnostics"]] == ["CS1027", "CS1513"]
    assert "CS1027 #endif expected" in error.message
