from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from planning import on_symbol
from this_system import needs_posix
from unity_project import UnityProject, delete, in_method, insert, replace

from snippet_engine.answer.warnings import Warn, Warnings
from snippet_engine.validation.validator import Verdict


def warned(
    project: UnityProject, text: str | bytes, *instructions: dict[str, Any]
) -> list[tuple[str, int | None, int | None]]:
    """Code, instruction and line of each warning about a request that must succeed."""
    project.write(text)
    result = project.done(*instructions, mode="preview")
    assert all(len(each["message"]) <= 200 for each in result["warnings"])
    return [(each["code"], each.get("index"), each.get("line")) for each in result["warnings"]]


def method(*lines: str) -> str:
    return in_method(*(line.removeprefix("        ") for line in lines))


GO = "            Go();"


# -- blocks --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "head",
    [
        *("if (a)", "if (a) { } else", "for (;;)", "foreach (var x in y)", "while (a)", "do"),
        *("try", "try { A(); } catch (Exception e)", "try { A(); } finally", "using (var x = y)"),
        *("lock (x)", "fixed (int* x = y)", "unsafe", "checked"),
    ],
)
def test_a_block_that_is_emptied(project: UnityProject, head: str) -> None:
    tail = {"do": " while (a);", "try": " finally { A(); }"}.get(head, "")
    for text in (
        method(f"        {head}", "        {", GO, f"        }}{tail}"),
        method(f"        {head} {{", GO, f"        }}{tail}"),
        method(f"        {head} {{ Go(); }}{tail}"),
    ):
        assert [code for code, _, _ in warned(project, text, delete("Go();"))] == ["empty_block"]


def test_the_line_of_the_empty_block_is_the_one_after_the_edit(project: UnityProject) -> None:
    text = method("        A();", "        if (a)", "        {", GO, "        }")
    assert warned(project, text, delete("A();"), delete("Go();")) == [("empty_block", 1, 6)]


@pytest.mark.parametrize(
    ("lines", "instruction"),
    [
        (["        if (a)", "        {", "            A();", GO, "        }"], delete("Go();")),
        (["        if (a)", "        {", "            // why", GO, "        }"], delete("Go();")),
        (["        if (a)", "        {", GO, "        }"], replace("Go();", "// later")),
        (["        if (a)", "        {", GO, "        }"], replace("Go();", "A();")),
        # An empty block that the edit has nothing to do with.
        (["        if (a) { }", "        Go();"], delete("Go();")),
        (["        if (a) { }", "        Go();"], replace("Go", "A")),
        (["        if (Go()) { }"], replace("Go", "A")),
        # Empty methods and lambdas are usual.
        (["        Go();"], delete("Go();")),
        (["        var f = () => { Go(); };"], delete("Go();")),
    ],
)
def test_other_blocks(project: UnityProject, lines: list[str], instruction: Any) -> None:
    assert warned(project, method(*lines), instruction) == []


# -- names ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "instruction", "message"),
    [
        (
            "_count++;",
            replace("count++;", "Count++;"),
            "The target begins within _count: only that part of it changes. "
            "To change all of it, send it whole.",
        ),
        (
            "x = counter;",
            replace("x = count", "x = total"),
            "The target ends within counter: only that part of it changes. "
            "To change all of it, send it whole.",
        ),
        ("x = _isOn + 1;", delete("isOn + 1"), "The target begins within _isOn: only that part"),
        ("x = 10f;", replace("0f;", "5f;"), "The target begins within 10f: only that"),
        ("_count++;", replace("count++;", "x = count++;"), "The target begins within _count: only"),
        (
            "x = counter;",
            insert("x = count", "Now", position="after"),
            "The target ends within counter: the newText goes into it. "
            "To change all of it, send it whole.",
        ),
        ('Log($"{_count + 1}");', replace("count + 1", "sum + 1"), "The target begins within _c"),
    ],
)
def test_a_target_that_begins_or_ends_within_a_name(
    project: UnityProject, line: str, instruction: dict[str, Any], message: str
) -> None:
    project.write(method("        Go();", f"        {line}"))
    warnings = project.done(instruction, mode="preview")["warnings"]
    (told,) = [each for each in warnings if each["code"] == "within_a_name"]
    assert told["message"].startswith(message)
    assert (told["index"], told["line"]) == (0, 6)


@pytest.mark.parametrize(
    ("line", "instruction"),
    [
        ("_count++;", replace("_count++;", "_sum++;")),
        # A part of one name, and of nothing else, is meant so.
        ("velocitiesCached = x;", replace("Cached", "Kept")),
        ("velocitiesCached = x;", delete("Cached")),
        # Of the name, nothing changes.
        ("_count++;", replace("count++;", "count--;")),
        ("x = counter;", replace("x = count", "y = count")),
        ("_count++;", insert("count++;", " Go();", position="after")),
        ("_count++;", insert("count++;", "Go();", position="line_before")),
        # Not in code.
        ('Log("recount it");', replace("count it", "sum it")),
        ("Go(); // recount it", replace("count it", "sum it")),
    ],
)
def test_a_target_that_cuts_no_name(
    project: UnityProject, line: str, instruction: dict[str, Any]
) -> None:
    if "//" in line:
        instruction["anchor"]["in"] = "comment"
    codes = [code for code, _, _ in warned(project, method(f"        {line}"), instruction)]
    assert "within_a_name" not in codes


# -- guards --------------------------------------------------------------------------------

GUARDS = [
    "if (a)",
    "if (a) A();\n        else",
    "if (a) { A(); }\n        else if (b)",
    "for (int i = 0; i < 3; i++)",
    "foreach (var x in y)",
    "while (a)",
    "using (var x = y)",
    "lock (x)",
    "fixed (int* x = y)",
    "if (a)\n            while (b)",
]


STATEMENT = [GO, "        Next();"]
BLOCK = ["        {", GO, "        }", "        Next();"]


@pytest.mark.parametrize(
    ("lines", "instruction"),
    [
        # It gets the next statement.
        (STATEMENT, delete("Go();")),
        (STATEMENT, delete("            Go();\n")),
        (STATEMENT, replace("Go();", "// Go();")),
        # It loses its statement to another one.
        (STATEMENT, insert("Go();", "Log();", position="line_before")),
        (STATEMENT, insert("Go();", "Log(); ", position="before")),
        (STATEMENT, replace("Go();", "Log(); Go();")),
        (STATEMENT, replace("Go", "Log(); Go")),
        (STATEMENT, replace("Go();", "Go();\n            Log();")),
        (STATEMENT, replace("o();", "o(); Log();")),
        # It is parted from its block.
        (BLOCK, insert("{", "Log();", position="line_before", after="Go();")),
    ],
)
def test_a_guard_that_is_changed(
    project: UnityProject, lines: list[str], instruction: dict[str, Any]
) -> None:
    for guard in GUARDS:
        warnings = warned(project, method(f"        {guard}", *lines), instruction)
        assert {(code, index) for code, index, _ in warnings} == {("guard_scope_changed", 0)}, guard


@pytest.mark.parametrize("guard", GUARDS)
def test_a_guard_whose_statement_goes_with_those_after_it(
    project: UnityProject, guard: str
) -> None:
    for between in (" ", "\n            ", " // why\n            "):
        text = method(f"        {guard}{between}Go();", "        Then();", "        Next();")
        several = "Go();\n        Then();"
        for instruction in (delete(several), replace(several, "// none")):
            warnings = warned(project, text, instruction)
            assert {(code, index) for code, index, _ in warnings} == {("guard_scope_changed", 0)}


@pytest.mark.parametrize("guard", GUARDS)
def test_a_head_that_is_parted_from_its_block(project: UnityProject, guard: str) -> None:
    text = method(f"        {guard}", *BLOCK)
    head = guard.rsplit("\n", maxsplit=1)[-1].strip()
    line = text[: text.index(head)].count("\n") + 1
    for instruction in (
        insert(head, "Log();", position="line_after", after="{"),
        insert("{", "Log();", position="line_before", after="Go();"),
        replace(head, f"{head}\n        Log();", after="{"),
        replace(f"{head}\n        {{", f"{head}\n        Log();\n        {{"),
    ):
        assert set(warned(project, text, instruction)) == {("guard_scope_changed", 0, line)}


@pytest.mark.parametrize(
    ("lines", "instruction", "line"),
    [
        (["if (a) Go();", "Next();"], delete(" Go();"), 5),
        (["if (a)", "    Go();", "Next();"], replace("if (a)", "if (a)\n            Log();"), 5),
        (["if (a) A();", "else B();", "Then();", "Next();"], delete("B();\n        Then();"), 5),
        # An else that another if takes, and a lambda that is parted from its block.
        (["if (a) A();", "else B();"], insert("A();", "if (x) C();", position="line_after"), 5),
        (["f = () =>", "{", "    Go();", "};"], insert("=>", "Log();", position="line_after"), 5),
    ],
)
def test_where_a_guard_is_changed(
    project: UnityProject, lines: list[str], instruction: dict[str, Any], line: int
) -> None:
    text = method(*(f"        {each}" for each in lines))
    assert warned(project, text, instruction) == [("guard_scope_changed", 0, line)]


@pytest.mark.parametrize(
    ("lines", "instructions"),
    [
        # Braces: nothing else gets under the guard.
        (["        {", GO, "            A();", "        }", "        Next();"], [delete("Go();")]),
        (BLOCK, [insert("{", "Log();", after="Go();", position="line_after")]),
        (BLOCK, [insert("Go();", "Log();", position="line_before")]),
        (BLOCK, [insert("{", "// why", after="Go();", position="line_before")]),
        (BLOCK, [insert("{", "while (b)", after="Go();", position="line_before")]),
        (BLOCK, [replace("Go();\n        }", "Go();\n        }\n        Log();")]),
        (
            STATEMENT,
            [
                insert("Go();", "{", position="line_before"),
                insert("Go();", "}", position="line_after"),
            ],
        ),
        (STATEMENT, [replace("Go();", "{ Log(); Go(); }")]),
        # Another statement takes the place.
        (STATEMENT, [replace("Go();", "Gone();")]),
        (STATEMENT, [replace("Go", "Gone")]),
        (STATEMENT, [replace("Go();", "{ }")]),
        (STATEMENT, [replace("Go();", ";")]),
        (STATEMENT, [insert("Go();", "if (b)", position="line_before")]),
        # The edit is elsewhere, or of a comment.
        ([GO, "        Next();", "        Last();"], [delete("Next();")]),
        (STATEMENT, [replace("Next();", "// Next();")]),
        (STATEMENT, [insert("Next();", "Last();", position="line_before")]),
        (STATEMENT, [insert("Go();", "// why", position="line_before")]),
        (STATEMENT, [replace("Go();", "Go(); // why")]),
        # What comes behind it is on a line indented as the guard is.
        (STATEMENT, [insert("Go();", "Last();", position="line_after")]),
        (STATEMENT, [replace("Go();", "Go();\n        Log();")]),
        (STATEMENT, [replace("Go();", "Go();\n\n        Log();\n        Log(2);")]),
    ],
)
def test_a_guard_that_keeps_what_it_guards(
    project: UnityProject, lines: list[str], instructions: list[dict[str, Any]]
) -> None:
    for guard in GUARDS:
        warnings = warned(project, method(f"        {guard}", *lines), *instructions)
        assert "guard_scope_changed" not in [code for code, _, _ in warnings], guard


def test_an_else_stays_with_its_if(project: UnityProject) -> None:
    text = method("        if (a)", "            A();", "        else", "            B();")
    for target in ("A();", "B();"):
        for new_text in ("Gone();", "for (;;) Gone();"):
            assert warned(project, text, replace(target, new_text)) == []
    text = method("        if (a)", *STATEMENT)
    assert warned(project, text, delete("if (a)\n            Go();")) == []


def test_what_is_sent_instead_stands_in_the_block(project: UnityProject) -> None:
    project.write(method("        if (a)", "        {", GO, "        }"))
    result = project.done(insert("if (a)", "Log();", position="line_after"), mode="preview")
    (told,) = [w for w in result["warnings"] if w["code"] == "guard_scope_changed"]
    assert "line 5" in told["message"]
    project.done(insert("{", "Log();", before="if (a)", position="line_after"))
    assert b"{\n            Log();\n            Go();" in project.read()


# -- anchors -------------------------------------------------------------------------------


def test_matches_in_comments_that_were_set_aside(project: UnityProject) -> None:
    text = "// int a;\n/* int a; */\nclass C { int a; }\n"
    assert warned(project, text, replace("int a", "int b")) == [("anchor_in_comment", 0, 3)]
    in_comment = {"in": "comment", "before": "//"}
    assert warned(project, text, replace("int a", "int b", **in_comment)) == []


@pytest.mark.parametrize(
    ("literal", "target"),
    [
        ('"go there"', "there"),
        ('@"C:\\go ""there"" now"', "there"),
        ('$"go {x} there"', "there"),
        ("'!'", "!"),
    ],
)
def test_a_target_in_a_string(project: UnityProject, literal: str, target: str) -> None:
    text = f"class C {{ object x = {literal}; }}\n"
    assert warned(project, text, replace(target, "?")) == [("anchor_in_string", 0, 1)]


@pytest.mark.parametrize("target", ['"there"', "x = ", '$"go {', "y"])
def test_a_target_that_is_not_in_a_string(project: UnityProject, target: str) -> None:
    text = 'class C { object y = $"go {x} there"; object x = ""; object z = "there"; }\n'
    warnings = warned(project, text, insert(target, " ", before="object" if target == "y" else ""))
    assert warnings == []


@pytest.mark.parametrize(
    ("asked", "is_told"),
    [
        (insert("// note", "Go();", **{"in": "comment"}), True),
        (insert("note", " Go(); ", position="before", **{"in": "comment"}), True),
        (insert("Run(); // note", "Go();"), True),  # it ends in the comment
        (insert("// note", " to all", **{"in": "comment"}), False),
        (insert("// note", "\n        Go();", **{"in": "comment"}), False),
        (insert("// note", "Go();", position="before", **{"in": "comment"}), False),
        (insert("// note", "Go();", position="line_after", **{"in": "comment"}), False),
        (insert("Run();", " Go();"), False),
    ],
)
def test_code_that_is_commented_out(
    project: UnityProject, asked: dict[str, Any], *, is_told: bool
) -> None:
    expected = [("commented_out", 0, 5)] if is_told else []
    assert warned(project, method("        Run(); // note"), asked) == expected


def test_code_that_no_symbols_compile(project: UnityProject) -> None:
    text = "class C\n{\n#if false\n    int a;\n#endif\n#if NOT_DEFINED\n    int b;\n#endif\n}\n"
    assert warned(project, text, replace("int a", "int c")) == [("inactive_region", 0, 4)]
    assert warned(project, text, replace("int b", "int c")) == []
    symbol = on_symbol("C.b", "insert", "int c;", position="line_after")
    assert warned(project, text, symbol) == []


# -- the file ------------------------------------------------------------------------------


def test_mixed_line_endings(project: UnityProject) -> None:
    text = b"class C\r\n{\n    int a;\r}\n"
    project.write(text)
    result = project.done(replace("int a", "int b"), mode="preview")
    assert result["warnings"] == [
        {
            "code": "mixed_line_endings",
            "message": "The file mixes line endings (1 CRLF, 1 CR, 2 LF); each line keeps its own.",
        }
    ]


def test_other_names_of_the_file(project: UnityProject, tmp_path: Path) -> None:
    file = project.write("class C { int a; }\n")
    other = tmp_path / "other.cs"
    other.hardlink_to(file)
    for mode in ("preview", "apply"):
        result = project.done(replace("int a", "int b"), mode=mode)
        assert [each["code"] for each in result["warnings"]] == ["hard_links"]
    assert other.read_bytes() == b"class C { int a; }\n"
    assert project.done(replace("int b", "int c"))["warnings"] == []


@needs_posix
@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("Assets/NUL.cs", "Assets/NUL.cs has a name that Windows reserves for a device (NUL)"),
        ("Assets/Old./A.cs", "Assets/Old./A.cs has a name that ends in a dot"),
        ("Assets/List<T>.cs", "Assets/List<T>.cs has < in a name"),
    ],
)
def test_a_script_that_windows_can_t_have(project: UnityProject, path: str, says: str) -> None:
    project.write("class C { int a; }\n", path)
    for mode in ("preview", "apply"):
        (warning,) = project.done(replace("int a", "int b"), path=path, mode=mode)["warnings"]
        assert warning["code"] == "windows_name"
        assert warning["message"].startswith(says)
        assert len(warning["message"]) <= 200


def test_errors_that_were_there_before(project: UnityProject) -> None:
    text = "class C\n{\n    int a = ;\n    int b;\n}\n"
    assert warned(project, text, replace("b", "c")) == [("preexisting_errors", None, None)]


def test_nothing_to_warn_of(project: UnityProject) -> None:
    assert warned(project, "class C { int a; }\n", replace("int a", "int b")) == []


def test_where_a_compiler_has_judged_names_none_is_told_as_still_used() -> None:
    told = Warnings([Warn("name_still_used", "a"), Warn("empty_block", "b")], ())

    def beside(*coverage: str, knows_project: bool = True) -> list[str]:
        verdict = Verdict("any", coverage, "9.0", 1, 1.0, knows_project=knows_project)
        return [each.code for each in told.beside(verdict)]

    assert beside("syntax", "semantics") == ["empty_block"]
    assert beside("syntax") == beside("semantics", knows_project=False)
    assert beside("syntax") == ["name_still_used", "empty_block"]
