"""Names that are declared twice, or used too early, are found wherever their namesakes stand."""

import json
from pathlib import Path
from typing import Any

import pytest
from validating import new_errors, source_of

from snippet_engine.csharp.document import Document
from snippet_engine.csharp.document_cache import DocumentCache
from snippet_engine.edits import EditSet, TextEdit
from snippet_engine.validation.embedded.embedded_validator import EmbeddedValidator

FIXTURES = Path(__file__).parents[3] / "fixtures" / "agreement" / "scopes.json"
EXAMPLES: list[dict[str, Any]] = json.loads(FIXTURES.read_text(encoding="utf-8"))
"""``check``, ``before``, ``after``, and what Roslyn (C# 9) said of it: ``roslyn``, ``errors``."""

METHOD = """class C
{
    int field;

    void M(int p)
    {
        int first = 1;
        Go(first);
        Go(2);
    }

    void N() { int other = 1; }
}
"""


def ids(before: str, after: str) -> list[str]:
    return [found.id for found in new_errors(before, after)]


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example["after"][-60:])
def test_the_verdict_is_roslyns(example: dict[str, Any]) -> None:
    found = new_errors(example["before"], example["after"])
    assert bool(found) == (example["roslyn"] != "valid"), (example["after"], found)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example["after"][-60:])
def test_the_verdict_is_the_same_when_the_whole_file_is_parsed(example: dict[str, Any]) -> None:
    before, after = example["before"], example["after"]
    edits = EditSet((TextEdit(0, len(before), after).trimmed(before),))
    documents = Document(source_of(before)), Document(source_of(after))
    whole = EmbeddedValidator().validate("Assets/C.cs", *documents, edits).diagnostics
    assert whole == new_errors(before, after)


def test_what_is_in_conflict_is_found_anywhere_in_the_member() -> None:
    lines = "".join(f"        Go({number});\n" for number in range(300))
    before = METHOD.replace("        Go(2);\n", f"{lines}        Last();\n")
    (found,) = new_errors(before, before.replace("Last();", "var first = 3;"))
    assert found.id == "CS0128"
    assert "'first'" in found.message
    assert found.position.line == 308


def test_a_method_that_is_too_long_to_be_parsed_once_more_is_read_all_the_same() -> None:
    lines = "".join(f"        Go({number:05});\n" for number in range(2_000))
    before = METHOD.replace("        Go(2);\n", f"{lines}        Last();\n")
    assert ids(before, before.replace("Last();", "var first = 3;")) == ["CS0128"]
    assert not ids(before, before.replace("Last();", "var second = 3;"))


def test_what_was_there_before_is_not_told() -> None:
    before = METHOD.replace("Go(2);", "int first = 2; int p;")
    assert not ids(before, before.replace("Go(first)", "Go(first, 3)"))
    assert not ids(before, before.replace("int first = 2;", "long first = 2;"))
    assert ids(before, before.replace("Go(first);", "int first = 3;")) == ["CS0128"]


def test_what_was_twice_in_broken_code_is_not_reported_when_that_is_mended() -> None:
    twice = METHOD.replace("int field;", "int field; int field; void N() { }")
    broken = twice.replace("Go(2);", "int p; int q = (2;")
    mended = twice.replace("Go(2);", "int p; int other = (2);")
    assert ids(METHOD, mended) == ["CS0102", "CS0136", "CS0111"]
    assert not ids(broken, mended)


@pytest.mark.parametrize(
    ("declared", "old", "new", "expected"),
    [
        ("enum E { A, B }", "B", "A", "CS0102"),
        ("void F(int a) { }\n    void F(long b) { }", "long", "int", "CS0111"),
        ("void F<T>(int a) { }\n    void G<T>(int b) { }", "G<", "F<", "CS0111"),
        ("C() { }\n    C(long b) { }", "long b", "", "CS0111"),
        ("bool F(object a) { var x = 1; return a is long y && y > x; }", "y", "x", "CS0128"),
        ("int F(object a) { var x = 1; return a is long y ? 2 : x; }", "y", "x", "CS0128"),
        ("void F(int x) { (int, int) y = Go(); Go(x); }", "y", "x", "CS0136"),
        ("void F(int x) { Go(x);\n\n x = 2; }", "Go(x);\n", "Go(x);\nGo\n", "CS0136"),
    ],
)
def test_a_name_is_found_without_its_type(declared: str, old: str, new: str, expected: str) -> None:
    before = METHOD.replace("int field;", declared)
    assert ids(before, before.replace(old, new)) == [expected]


def test_what_was_twice_in_the_type_before_is_not_told_when_a_method_is_split() -> None:
    before = METHOD.replace("int field;", "int field; int field;")
    after = before.replace("Go(first);", "Go(first); } void New() {")
    assert not ids(before, after)


def test_a_member_that_an_edit_splits_off_can_be_one_too_many() -> None:
    after = METHOD.replace("Go(first);", "Go(first); } void N() {")
    assert ids(METHOD, after) == ["CS0111"]


def test_an_edit_of_a_header_changes_what_its_body_means() -> None:
    assert ids(METHOD, METHOD.replace("int p)", "int first)")) == ["CS0136"]
    assert not ids(METHOD, METHOD.replace("int p)", "int other)"))
    before = METHOD.replace("void M", "async void M").replace("Go(2);", "await Go();")
    assert ids(before, before.replace("async ", "")) == ["CS4032"]


def test_brackets_that_are_gone_join_scopes() -> None:
    before = METHOD.replace("Go(2);", "{ int q; }\n        {\n            int q;\n        }")
    after = before.replace(
        "{ int q; }\n        {\n            int q;\n        }", "{ int q; int q; }"
    )
    assert ids(before, after) == ["CS0128"]


@pytest.mark.parametrize(
    ("other", "expected"),
    [
        ("#if A\n    int one;\n#else\n    int two;\n#endif\n", []),
        ("#if A\n    int one;\n#endif\n#if B\n    int two;\n#endif\n", []),
        ("#if A\n    int one;\n#elif B\n    int two;\n#endif\n", []),
        ("    int one;\n#if A\n    int two;\n#endif\n", ["CS0102"]),
        ("#if A\n    int one;\n    int two;\n#endif\n", ["CS0102"]),
        ("#region R\n    int one;\n#endregion\n    int two;\n", ["CS0102"]),
        ("#if A\n    int one;\n#endif\n#if A\n    int two;\n#endif\n", ["CS0102"]),
    ],
)
def test_what_is_never_compiled_together_is_in_no_conflict(other: str, expected: list[str]) -> None:
    before = METHOD.replace("    int field;\n", other)
    assert ids(before, before.replace("int two;", "int one;")) == expected


def test_a_directive_can_compile_a_second_declaration() -> None:
    before = METHOD.replace("    int field;\n", "#if A\n    int one;\n#endif\n    int one;\n")
    assert ids(before, before.replace("#if A", "#if true")) == ["CS0102"]


def test_a_qualified_type_may_be_another_than_that_of_the_same_name() -> None:
    before = "class A { }\nnamespace N { class A { }\nclass C { void F(A a) { } void G() { } } }\n"
    assert not ids(before, before.replace("void G() { }", "void F(global::A a) { }"))
    assert ids(before, before.replace("void G() { }", "void F(A a) { }")) == ["CS0111"]


def test_other_parts_of_a_type_are_apart() -> None:
    before = "partial class C { partial void A(); }\n\npartial class C { int b; }\n"
    assert not ids(before, before.replace("int b;", "partial void A() { }"))


def test_several_edits_are_judged_together() -> None:
    edits = EditSet(
        (
            TextEdit(METHOD.index("Go(first);"), METHOD.index("Go(first);"), "int one = 1; "),
            TextEdit(METHOD.index("Go(2);"), METHOD.index("Go(2);"), "int one = 2; "),
        )
    )
    after = edits.apply(METHOD)
    documents = Document(source_of(METHOD)), Document(source_of(after))
    found = EmbeddedValidator().validate("Assets/C.cs", *documents, edits).diagnostics
    assert [each.id for each in found] == ["CS0128"]


def test_declared_in_the_middle_of_names_of_many_kinds() -> None:
    names = "".join(f"    void F{number}(int a) {{ }}\n" for number in range(400))
    before = METHOD.replace("    int field;\n", f"{names}    int field;\n")
    assert ids(before, before.replace("int field;", "int F7;")) == ["CS0102"]
    assert ids(before, before.replace("int field;", "void F7(int b) { }")) == ["CS0111"]
    assert not ids(before, before.replace("int field;", "void F7(long b) { }"))


@pytest.mark.parametrize(
    ("opening", "closing"),
    [("{", "}"), ("F(() => ", ");"), ("a + (", ")"), ("from x in (", ") select x"), ("(", ")")],
)
def test_what_is_nested_deeper_than_is_read_is_left_alone(opening: str, closing: str) -> None:
    deep = f"{opening * 300} int q; int q; {closing * 300}"
    for member in (deep, f"var a = {deep};"):
        new_errors(METHOD, METHOD.replace("Go(2);", member))
    blocks = "{" * 300 + " int q; int q; " + "}" * 300
    assert not ids(METHOD, METHOD.replace("Go(2);", blocks))


def test_a_member_of_very_many_parts_is_read_in_one_go() -> None:
    many = "".join(
        f"        Go(out var a{number}, (int b{number}, c));\n" for number in range(4_000)
    )
    before = METHOD.replace("        Go(2);\n", f"{many}        Last();\n")
    assert ids(before, before.replace("Last();", "int a7;")) == ["CS0128"]


def _by_two_edits(before: str, *edits: TextEdit) -> list[str]:
    """The new errors of edits far from each other, judged as an edited document is."""
    documents, together = DocumentCache(), EditSet(tuple(sorted(edits)))
    old = documents.get(source_of(before))
    new = documents.edited(old, source_of(together.apply(before)), together)
    verdict = EmbeddedValidator().validate("Assets/C.cs", old, new, together)
    return [each.id for each in verdict.diagnostics]


def test_a_member_may_move_within_its_type() -> None:
    far = "".join(f"    void F{number}() {{ Go({number}); }}\n" for number in range(20))
    before = f"class C\n{{\n    int moved;\n    int first;\n{far}    int last;\n}}\n"
    field = before.index("    int moved;\n")
    gone = TextEdit(field, field + len("    int moved;\n"), "")
    end = before.index("}\n", before.index("int last;"))
    assert _by_two_edits(before, gone, TextEdit(end, end, "    int moved;\n")) == []
    assert _by_two_edits(before, TextEdit(end, end, "    int moved;\n")) == ["CS0102"]
    kept = TextEdit(field, field, "    int other;\n")
    assert _by_two_edits(before, kept, TextEdit(end, end, "    int moved;\n")) == ["CS0102"]
    twice = TextEdit(field, field, "    int twice;\n")
    assert _by_two_edits(before, twice, TextEdit(end, end, "    int twice;\n")) == ["CS0102"]


@pytest.mark.parametrize(
    "kind", ["int {};", "void {}() {{ }}", "int {} {{ get; set; }}", "class {} {{ }}"]
)
@pytest.mark.parametrize("break_before", [True, False])
@pytest.mark.parametrize("whole_line", [True, False])
def test_a_member_that_is_moved_counts_once(
    kind: str, break_before: bool, whole_line: bool
) -> None:
    one, two, three, new = (f"    {kind.format(name)}" for name in ("A", "B", "C", "New"))
    before = f"class T\n{{\n{one}\n{two}\n{three}\n}}\n"
    end = before.index(one) + len(one)
    put = TextEdit(end, end, f"\n{new}") if break_before else TextEdit(end + 1, end + 1, f"{new}\n")
    start = before.index(two)
    gone = TextEdit(start, start + len(two) + whole_line, "")
    assert _by_two_edits(before, put, gone) == []
    same = (
        TextEdit(end, end, f"\n{one}") if break_before else TextEdit(end + 1, end + 1, f"{one}\n")
    )
    assert _by_two_edits(before, same, gone) != []
