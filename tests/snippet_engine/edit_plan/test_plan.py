from __future__ import annotations

from collections.abc import Callable
from itertools import permutations
from typing import Any

import pytest
from planning import document_of, edited, on_symbol, planned, unresolved
from unity_project import delete, in_class, in_method, insert, replace

from snippet_engine.answer.warnings import about_edit
from snippet_engine.edit_plan.plan import Outcome
from snippet_engine.edits import TextEdit
from snippet_engine.errors import ErrorCode

TEXT = "int a = 1;\nint b = 2;\nint c = 3;\n"
EMOJI = "😀"


# -- size ----------------------------------------------------------------------------------


@pytest.mark.parametrize("sign", ["x", EMOJI])
@pytest.mark.parametrize(
    "asked",
    [
        lambda new: replace("a = 1", new),
        lambda new: replace("a = 1", f"a = 1{new}"),
        lambda new: insert("a = 1", new),
        # The line that gets it adds its indentation and its ending: those are free.
        lambda new: insert("a = 1", new, position="line_after"),
        lambda new: insert("a = 1", new, position="line_before"),
    ],
)
def test_81_code_points_are_too_many(asked: Callable[[str], dict[str, Any]], sign: str) -> None:
    assert planned(TEXT, asked(sign * 80)).instructions[0].changed == 80
    error = unresolved(TEXT, asked(sign * 81))
    assert error.code is ErrorCode.DIFF_TOO_LARGE
    assert error.details["charactersChanged"] == 81
    assert error.instruction == 0


def test_the_larger_of_removed_and_inserted_counts() -> None:
    long = "x" * 81
    assert unresolved(long, delete(long)).details["charactersChanged"] == 81
    assert unresolved(long, replace(long, "y")).details["charactersChanged"] == 81
    assert planned(long, replace(long, "x")).instructions[0].changed == 80
    assert planned(long[:80], delete(long[:80])).instructions[0].changed == 80


def test_long_anchors_are_free() -> None:
    line = "void Method(int a, int b, int c, int d)\n{\n    Call(a, b, c, d);\n}\n"
    text = "".join(line.replace("Method", f"Method{n}") for n in range(50))
    assert len(text) > 3000
    new = text.replace("Method33", "Method__33")
    assert planned(text, replace(text, new)).instructions[0].changed == 2
    target = "b" * 100 + "0" + "c" * 99
    plan = planned(target, replace(target, "b" * 100 + "1234" + "c" * 99))
    assert plan.instructions[0].changed == 4


# -- nothing to do -------------------------------------------------------------------------


def test_an_edit_that_changes_nothing_is_no_change() -> None:
    plan = planned(TEXT, replace("int b", "int b"), replace("a = 1", "a = 2"))
    assert [item.outcome for item in plan.instructions] == [Outcome.NO_CHANGE, Outcome.EDIT]
    assert [item.changed for item in plan.instructions] == [0, 1]
    assert len(plan.edits) == 1


def test_equal_insertions_at_one_point_are_one() -> None:
    instructions = [
        insert("a = 1;", "x();", position="line_after"),
        insert("int b", "x();", position="line_before"),
        insert("int b", "x();\n", position="line_before"),
    ]
    plan = planned(TEXT, *instructions)
    assert [item.outcome for item in plan.instructions] == [
        Outcome.EDIT,
        Outcome.DUPLICATE,
        Outcome.DUPLICATE,
    ]
    assert [item.changed for item in plan.instructions] == [4, 0, 0]
    assert edited(TEXT, *instructions) == TEXT.replace("int b", "x();\nint b")


# -- overlaps ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("instructions", "line"),
    [
        ([replace("a = 1", "x"), replace("= 1;", "y")], 1),
        ([replace("a = 1", "x"), replace("a = 1", "x")], 1),
        ([replace("a = 1", "x"), delete("=", after="1")], 1),
        ([replace("a = 1", "x"), insert("a", "y", after="= 1")], 1),
        ([insert("a = 1", "x"), insert("a = 1", "y")], 1),
        ([insert("a = 1;", "x\n"), insert("\nint b", "y", position="before")], 1),
        ([delete("b = 2"), delete("int b")], 2),
        ([delete("int a = 1;\nint b"), replace("b = 2", "x")], 2),
        # The place of an edit that changes nothing is its own, too.
        ([replace("a = 1", "a = 1"), replace("1;", "2;")], 1),
    ],
)
def test_overlapping_edits_are_refused(instructions: list[dict[str, Any]], line: int) -> None:
    error = unresolved(TEXT, *instructions)
    assert error.code is ErrorCode.OVERLAPPING_EDITS
    assert error.details == {"instructions": [0, 1], "line": line}
    assert error.instruction == 1
    assert "Instructions 0 and 1" in error.message


def test_the_overlapping_pair_is_named_among_several() -> None:
    filler = [replace("c = 3", "c = 4"), insert("int b", "x", position="before")]
    first, second = replace("a = 1", "x"), replace("= 1;", "y")
    error = unresolved(TEXT, filler[0], second, filler[1], first)
    assert error.details["instructions"] == [1, 3]


@pytest.mark.parametrize(
    ("instructions", "expected"),
    [
        ([replace("int a", "x"), replace(" = 1", "y")], "xy;"),
        ([insert("int a", "x"), replace(" = 1", "y")], "int axy;"),
        ([replace("int a", "x"), insert("int a", "y")], "xy = 1;"),
        ([insert("int a", "y", position="before"), replace("int a", "x")], "yx = 1;"),
        ([replace("int a", "x"), replace(" = 1", "y"), insert(";", "z", before="1")], "xy;z"),
    ],
)
def test_edits_that_only_touch_are_fine(instructions: list[dict[str, Any]], expected: str) -> None:
    text = "int a = 1;"
    for order in permutations(instructions):
        assert edited(text, *order) == expected


@pytest.mark.parametrize(
    ("text", "instructions"),
    [
        (
            "int speed = 1;",
            [insert("peed", "x", position="before"), insert("int s", "x", position="after")],
        ),
        ("int a;", [insert("int a;", "x"), insert("int a;", "x", position="after")]),
        (
            "int a, b;\n",
            [
                insert("b", "int c;", position="line_after"),
                insert("int a", "int c;\n", position="line_after"),
            ],
        ),
    ],
)
def test_one_of_equal_insertions_stays(text: str, instructions: list[dict[str, Any]]) -> None:
    told = []
    for order in permutations(instructions):
        plan = planned(text, *order)
        kept = [order[each.index] for each in plan.instructions if each.outcome is Outcome.EDIT]
        warned = about_edit(document_of(text), document_of(edited(text, *order)), plan).warnings
        told.append((kept, [(each.code, order[each.index or 0]) for each in warned]))
    assert len(told[0][0]) == 1
    assert told[0] == told[1]


def test_all_anchors_are_resolved_against_the_original() -> None:
    instructions = [replace("int a", "int b"), replace("int b", "int c"), replace("int c", "int a")]
    for order in permutations(instructions):
        assert edited(TEXT, *order) == "int b = 1;\nint c = 2;\nint a = 3;\n"
    text = "x = 1; y = 2;"
    assert unresolved(text, replace("x", "z"), replace("z", "w")).instruction == 1


# -- several errors ------------------------------------------------------------------------


def test_the_errors_of_all_instructions_come_at_once() -> None:
    error = unresolved(
        TEXT,
        replace("a = 1", "a = 2"),
        replace("int", "var"),
        replace("nothing like this", "x"),
        replace("b = 2", "y" * 90),
    )
    assert (error.code, error.instruction) == (ErrorCode.AMBIGUOUS_ANCHOR, 1)
    others = error.details["otherErrors"]
    assert [(each["code"], each["instruction"]) for each in others] == [
        ("anchor_not_found", 2),
        ("diff_too_large", 3),
    ]
    assert "candidates" in error.details


def all_errors(text: str, *instructions: dict[str, Any]) -> list[tuple[str, int | None]]:
    """Code and instruction of each error that a request is told at once."""
    error = unresolved(text, *instructions)
    others = error.details.get("otherErrors", [])
    found = [(each["code"], each["instruction"]) for each in others]
    return [(error.code.value, error.instruction), *found]


LONG = "y" * 90


@pytest.mark.parametrize(
    ("instruction", "code"),
    [
        (replace("in a comment", LONG), "anchor_in_comment"),
        (replace("nothing like this", LONG), "anchor_not_found"),
        (replace("int", LONG), "ambiguous_anchor"),
        (insert("nothing like this", LONG), "anchor_not_found"),
        (delete("z" * 90), "anchor_not_found"),
        (on_symbol("Nobody", "insert", LONG, position="line_after"), "symbol_not_found"),
        (on_symbol("C", "insert", LONG, position="body_end"), "invalid_request"),
    ],
)
def test_all_faults_of_an_instruction_are_told(instruction: dict[str, Any], code: str) -> None:
    text = TEXT + "// in a comment\ndelegate void C();\n"
    assert all_errors(text, instruction) == [(code, 0), ("diff_too_large", 0)]


def test_a_size_that_the_place_decides_is_not_guessed() -> None:
    assert all_errors(TEXT, on_symbol("Nobody", "delete")) == [("symbol_not_found", 0)]
    assert all_errors(TEXT, on_symbol("Nobody", "replace", LONG)) == [("symbol_not_found", 0)]


def test_overlaps_are_told_beside_other_errors() -> None:
    instructions = [
        replace("nothing like this", "x"),
        replace("a = 1", "x"),
        replace("= 1;", "y"),
        replace("b = 2", "x"),
        replace("int b", "y"),
        delete("b"),
    ]
    assert all_errors(TEXT, *instructions) == [
        ("anchor_not_found", 0),
        ("overlapping_edits", 2),
        ("overlapping_edits", 4),
        ("overlapping_edits", 5),
    ]


def test_parts_of_an_insertion_are_not_advised_for_one_request() -> None:
    message = unresolved(TEXT, insert("a = 1;", "x" * 8001)).message
    assert "one request for each" in message
    assert len(message) <= 200


def test_an_edit_knows_its_instruction() -> None:
    plan = planned(TEXT, delete("int c = 3;"), insert("int a", "x"), replace("int b", "int b"))
    assert [plan.instruction_of(edit) for edit in plan.edits] == [1, 0]
    assert plan.edits.edits[1] == TextEdit(TEXT.index("int c"), len(TEXT), "")


def test_the_place_of_each_instruction_is_the_same_in_any_order() -> None:
    instructions = [
        delete("int a = 1;"),
        replace("b = 2", "b = 5"),
        insert("c = 3;", "int d;", position="line_after"),
        insert("int b", "// b", position="line_before"),
    ]
    texts = set()
    for order in permutations(range(4)):
        plan = planned(TEXT, *(instructions[number] for number in order))
        by_number = {
            number: item.edit for number, item in zip(order, plan.instructions, strict=True)
        }
        texts.add((plan.edits, *(by_number[number] for number in range(4))))
    assert len(texts) == 1


# -- what is told --------------------------------------------------------------------------

SPLIT_LINE = "Call(first, second, third); // the quick brown fox jumps over the lazy dog {n}\n"
SPLIT_TEXT = "".join(SPLIT_LINE.replace("{n}", str(n)) for n in range(12))


def large_change(lines: int) -> tuple[str, dict[str, Any]]:
    """A text, and one replacement that comes to as many small changes as ``lines``."""
    text = "".join(SPLIT_TEXT.splitlines(keepends=True)[:lines])
    return text, replace(text, text.replace("second", "2"))


@pytest.mark.parametrize(
    ("instruction", "advice"),
    [
        (insert("x", "y" * 81), "Send it to edit_scripts, which takes 8,000."),
        (
            insert("x", "y" * 8001),
            "Insert it in parts, one request for each, every part valid by itself.",
        ),
        (
            replace("x" * 8001, "y"),
            "Send parts that are each valid by themselves: for a class its members, by symbol "
            'anchors with part "body", and new members by insert.',
        ),
        (delete("x" * 8001), "Delete it in parts that lie side by side, an instruction for each."),
    ],
    ids=["small enough", "insert", "replace", "delete"],
)
def test_one_piece_too_large_is_told_whole(instruction: dict[str, Any], advice: str) -> None:
    target = instruction["anchor"]["target"]
    count = max(len(target), len(instruction.get("newText", "")))
    error = unresolved(target, instruction)
    assert error.message == f"The edit changes {count} code points; the limit is 80. {advice}"
    assert error.details == {"charactersChanged": count, "limit": 80}


def test_a_change_that_is_too_large_and_splits_comes_with_the_pieces() -> None:
    text, instruction = large_change(3)
    error = unresolved(text, instruction)
    pieces = error.details["instructions"]
    count = error.details["charactersChanged"]
    assert error.message == (
        f"The edit changes {count} code points; the limit is 80. {len(pieces)} smaller edits fit."
    )
    assert error.details.keys() == {"charactersChanged", "limit", "instructions"}
    assert edited(text, *pieces) == instruction["newText"]


def test_the_pieces_of_a_symbols_change_are_found_by_their_text() -> None:
    body = "".join("        " + line for line in SPLIT_TEXT.splitlines(keepends=True)[:3])
    text = f"class C\n{{\n    void M()\n    {{\n{body}    }}\n}}\n"
    target = body.strip()
    change = on_symbol("C.M", "replace", target.replace("second", "2"), target=target)
    pieces = unresolved(text, change).details["instructions"]
    assert {piece["anchor"]["type"] for piece in pieces} == {"text"}
    assert edited(text, *pieces) == text.replace("second", "2")


def test_a_piece_is_told_from_its_like_at_the_very_start_of_the_file() -> None:
    lines = "Call(alpha);\n" + "k" * 90 + "\nCall(beta);\n"
    text = "alpha\n" + lines
    new = lines.replace("alpha", "x" * 60).replace("beta", "y" * 60)
    pieces = unresolved(text, replace(lines, new)).details["instructions"]
    assert edited(text, *pieces) == "alpha\n" + new


def test_a_few_pieces_at_most_and_no_more_than_a_request_may_have() -> None:
    """Three; the large instruction itself makes room for one of its pieces."""
    text, instruction = large_change(3)
    assert len(unresolved(text, instruction).details["instructions"]) == 3
    many, larger = large_change(4)
    assert "instructions" not in unresolved(many, larger).details
    others = [replace(f"lazy dog {n}", f"lazy cat {n}") for n in range(10, 18)]
    behind = text + "".join(SPLIT_LINE.replace("{n}", str(n)) for n in range(10, 18))
    assert "instructions" not in unresolved(behind, instruction, *others).details
    assert len(unresolved(behind, instruction, *others[1:]).details["instructions"]) == 3


def test_an_emptied_last_line_stays_where_another_edit_writes_beside_it() -> None:
    """To go, it would take along the line break that the new line stands behind."""
    plan = planned(
        "int a;\nint b;", delete("int b;"), insert("int b;", "int x;", position="line_before")
    )
    assert [item.outcome for item in plan.instructions] == [Outcome.EDIT, Outcome.EDIT]
    assert plan.edits.edits == (TextEdit(7, 7, "int x;\n"), TextEdit(7, 13, ""))
    assert [plan.instruction_of(edit) for edit in plan.edits] == [1, 0]


@pytest.mark.parametrize(
    ("instruction", "changed"),
    [
        (replace("q" * 81, "z"), 81),
        (replace("q" * 82, "q" * 80 + "z"), 2),
        (delete("q" * 81), 81),
        (delete("q" * 80), 80),
        (insert("q", "z" * 81), 81),
        (insert("q", "z" * 80), 80),
        (on_symbol("C.Missing", "delete"), 0),
    ],
)
def test_not_found_and_too_large_are_both_told(instruction: dict[str, Any], changed: int) -> None:
    error = unresolved(TEXT, instruction)
    assert error.code in (ErrorCode.ANCHOR_NOT_FOUND, ErrorCode.SYMBOL_NOT_FOUND)
    others = [each["code"] for each in error.details.get("otherErrors", ())]
    assert others == (["diff_too_large"] if changed > 80 else [])
    if others:
        assert error.details["otherErrors"][0]["details"] == {
            "charactersChanged": changed,
            "limit": 80,
        }


@pytest.mark.parametrize(
    ("one", "other", "advice"),
    [
        (40, 40, "Join them into one instruction."),
        (41, 40, "Together they are too large for one: send one of them in a later request."),
    ],
)
def test_overlapping_edits_are_joined_if_they_fit(one: int, other: int, advice: str) -> None:
    error = unresolved("0123456789", replace("012", "x" * one), replace("234", "y" * other))
    assert error.message == f"Instructions 0 and 1 change the same place (line 1). {advice}"


TWICE = "    Spawn(enemy);\n    yield return Wait(1);\n"


@pytest.mark.parametrize(
    "asked",
    [
        replace(TWICE, TWICE + TWICE),
        replace(TWICE, TWICE + "\n" + TWICE),
        replace("    yield return Wait(1);\n", "    yield return Wait(1);\n" * 2),
        replace("Wait(1);", "Wait(1);\n    yield return Wait(1);", before="yield return "),
        insert(TWICE, TWICE, position="after"),
        insert(TWICE, TWICE, position="before"),
    ],
)
def test_who_quotes_statements_and_sends_them_twice_gets_them_twice(asked: dict[str, Any]) -> None:
    text = f"{{\n{TWICE}}}\n"
    (item,) = planned(text, asked).instructions
    assert item.outcome is Outcome.EDIT
    assert edited(text, asked).count("yield") == 2


@pytest.mark.parametrize("statement", ["t = 1;", "a.b = c;", "Jump();"])
def test_a_statement_is_made_as_often_as_it_is_sent_for_all_that_are_quoted(statement: str) -> None:
    for count in (1, 2, 3):
        text = "{\n" + f"    {statement}\n" * count + "}\n"
        quoted = f"    {statement}\n" * count
        asked = replace(quoted, f"{quoted}    {statement}\n", before="{\n", after="}")
        assert edited(text, asked).count(statement) == count + 1


@pytest.mark.parametrize(
    "statement",
    ["B();", "x++;", "i--;", "a.b();", "if (a) B();", "if (a)\n        B();", "{ x++; }"],
)
def test_a_statement_that_was_added_is_not_added_again_however_short(statement: str) -> None:
    text = "{\n    hp = 100;\n    done = true;\n}\n"
    for asked in (
        replace("hp = 100;", f"hp = 100;\n    {statement}"),
        replace("hp = 100;", f"{statement}\n    hp = 100;"),
        replace("hp = 100;", f"hp = 100; {statement}"),
        insert("hp = 100;", f"\n    {statement}"),
        insert("hp = 100;", f" {statement}"),
        insert("hp = 100;", f"{statement}\n    ", position="before"),
        insert("hp = 100;", statement, position="line_before"),
        insert("hp = 100;", statement, position="line_after"),
    ):
        once = edited(text, asked)
        assert once != text
        (item,) = planned(once, asked).instructions
        assert item.outcome is Outcome.DUPLICATE, asked


@pytest.mark.parametrize("declaration", ["int hp;", "[SerializeField] int hp;", "void Go() { }"])
@pytest.mark.parametrize(
    "lead",
    [
        "[Hide] ",
        "[Hide]\n    ",
        '[Tooltip("So")] [Hide] ',
        "/// <summary>Says what it is.</summary>\n    ",
        "/// <summary>Says what it is.</summary>\n",
        "/// <summary>Says what it is.</summary>\n    [Hide]\n    ",
    ],
)
def test_what_became_part_of_a_symbol_is_not_added_again(declaration: str, lead: str) -> None:
    path = "A.Go" if "Go" in declaration else "A.hp"
    asked = on_symbol(path, "insert", lead, position="before")
    once = edited(f"class A\n{{\n    int a;\n\n    {declaration}\n}}\n", asked)
    (item,) = planned(once, asked).instructions
    assert item.outcome is Outcome.DUPLICATE


# -- what was made already -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "target", "new_text"),
    [
        # What goes on behind the target, on its line or below.
        ("f(a.Of(b),\n    Limits.Mtu\n);", "a.Of(b)", "a.Of(b),\n    Limits.Mtu"),
        ("enum E\n{\n    Rpc,\n    Input\n}\n", "Rpc", "Rpc,\n    Input"),
        ("enum E\n{\n    Rpc,\n    Input,\n}\n", "    Rpc,", "    Rpc,\n    Input,"),
        ("enum E\n{\n    Rpc = 8,\n}\n", "Rpc = 8", "Rpc = 8,"),
        ("{\n    Shortest,\n    Raw\n}", "{", "{\n    Shortest,"),
        ("x.Go();\n\nUpgrade();\n", "x.Go();", "x.Go();\n\nUpgrade();"),
        ("a[i] = b[i];\na.Set[i] = true;\n", "a[i] = b[i];", "a[i] = b[i];\na.Set[i] = true;"),
        # What stands before it.
        ("{\n    Set();\n\n    using var a = B();\n}", "using var a", "Set();\n\n    using var a"),
        ("[Off]\n[In(typeof(A))]\nclass B {}", "[In(typeof(A))]", "[Off]\n[In(typeof(A))]"),
        ("private void A() {}", "void A()", "private void A()"),
        ("internal interface I {}", "interface I", "internal interface I"),
        ("using var a = B();", "var a = B();", "using var a = B();"),
        ("bounds = Mesh(a, b);", "Mesh(a, b);", "bounds = Mesh(a, b);"),
        ("Unity.Physics.Go(a);", "Go(a);", "Unity.Physics.Go(a);"),
        ("void A(Info info, int b)", "int b", "Info info, int b"),
        ("A.B c; // d", "B c; // d", "A.B c; // d"),
        ("A.D.B<int>[] c;", "B<int>[] c", "A.D.B<int>[] c"),
        ("{\n    if (!a) Set(all);\n}", "Set(all);", "if (!a) Set(all);"),
        ("{\n    if (a && b(c))\n    Set(all);\n}", "Set(all);", "if (a && b(c))\n    Set(all);"),
        ("{\n    foreach (var a in b) Set();\n}", "Set();", "foreach (var a in b) Set();"),
        ("{\n    lock (gate) Set(all);\n}", "Set(all);", "lock (gate) Set(all);"),
        ("{\n    if (a) B(); hp = 100;\n}\n", "hp = 100;", "if (a) B(); hp = 100;"),
        # What stands around it.
        ("if ((a == All || a == Some) && b)", "a == All", "(a == All || a == Some)"),
        ("F(oldItem.name, oldItem.data);", ".name, old", "Item.name, oldItem"),
        # One more base, and the last member of a list before a blank.
        ("class A : B, IOne { }", ": B", ": B, IOne"),
        ("class A : B, I, IOne {}", ": B", ": B, I"),
        ("enum E { One, Two, Three }", "Two", "Two, Three"),
        # What ends its last word.
        ("class A : IPackageV2 {}", "class A : IPackage", "class A : IPackageV2"),
        # A line of documentation, and a row of one sign that is as long as it is to become.
        ("/// }\n/// ]]>\n/// </code>\nclass A {}", "/// </code>", "/// ]]>\n/// </code>"),
        (f"A();\n\n//{'-' * 30}\nB();\n", f"//{'-' * 20}", f"//{'-' * 30}"),
        (f"A();\n\n//{'-' * 30}\nB();\n", f"//{'-' * 20}", f"\n//{'-' * 30}"),
    ],
)
def test_what_stands_right_there_is_not_added_again(text: str, target: str, new_text: str) -> None:
    comment = {"in": "comment"} if target.startswith("//") else {}
    (item,) = planned(text, replace(target, new_text, **comment)).instructions
    assert (item.outcome, item.changed) == (Outcome.DUPLICATE, 0)


@pytest.mark.parametrize(
    ("text", "target", "new_text"),
    [
        # One more argument, factor, digit, sign or bracket.
        ("F(size, other, third);", "size", "size, other"),
        ("F(\n    true,\n    true);", "F(", "F(\n    true,"),
        ("x * y;", "y", "x * y"),
        ("A(ref info, b)", "b", "ref info, b"),
        ("// ----\nclass A {}", "class A", "// ----\nclass A"),
        ("a = 11;", "1;", "11;"),
        ("a1 = b11;", "b1", "b11"),
        ("class A : B, IOneMore {}", ": B", ": B, IOne"),
        ("(a)", "a", "(a)"),
        ("{ 1,0,0 }", "{ 1", "{ 1,0"),
        ("{\n    0,\n    0\n}\n", "{", "{\n    0,"),
        ("{\n    a = b(c);\n    }\n}\n", "a = b(c);", "a = b(c);\n    }"),
        # The beginning of another word, another path, another line.
        ("subvoid A() {}", "void A()", "void void A()"),
        ("myprivate void A() {}", "void A()", "private void A()"),
        ("other.Unity.Go(a);", "Go(a);", "Unity.Go(a);"),
        ("A();\nBee();\n", "A();", "A();\nBe"),
        ("#if A\n#endif\n#endif\n", "#if A", "#if A\n#endif"),
        # Who quotes it wants another one, and who says more wants more.
        ("private void A() {}", "private void A()", "private private void A()"),
        ("A();\nBee();\n", "A();\nBee();", "A();\nBee();\nBee();"),
        ("{\n    x++;\n}\n", "x++;", "x++;\n    x++;"),
        ("{\n    x++;\n}\n", "x++;", "x++; x++;"),
        ("A.B c;", "A.B c;", "A.A.B c;"),
        ("A.B c;", "B c;", "D.B c;"),
        ("A.B c;", "B c;", "A.B d;"),
        ("D.A.B c;", "B c;", "A.B c;"),
        ("x = next.value;", "value", "next.value"),
        ("{\n    if (!a) Set(all);\n}", "Set(all);", "if (other) if (!a) Set(all);"),
        # A row of signs that is to be longer or shorter, or of others.
        (f"A();\n\n//{'-' * 30}\nB();\n", f"//{'-' * 20}", f"//{'-' * 40}"),
        (f"A();\n\n//{'-' * 30}\nB();\n", f"//{'-' * 20}", f"//{'-' * 25}"),
        (f"A();\n\n//{'-' * 30}\nB();\n", f"//{'-' * 20}", f"//{'-' * 20}{'=' * 10}"),
    ],
)
def test_what_may_be_wanted_twice_is_added(text: str, target: str, new_text: str) -> None:
    comment = {"in": "comment"} if target.startswith("//") else {}
    (item,) = planned(text, replace(target, new_text, **comment)).instructions
    assert item.outcome is Outcome.EDIT


IF_SHOWN = "\n        if (!shown.active)\n            "
USINGS = "using Text;\nusing Lists.Sorted;\n"


@pytest.mark.parametrize(
    ("text", "asked", "outcome"),
    [
        (TEXT, insert("int a = 1;", "int b = 2;", position="line_after"), Outcome.DUPLICATE),
        (
            "{\n    Set();\n\n    using var a = B();\n}",
            insert("using var a", "Set();\n\n    ", position="before"),
            Outcome.DUPLICATE,
        ),
        (
            "{\n    if (a) B(); hp = 100;\n}\n",
            insert("hp = 100;", "if (a) B(); ", position="before"),
            Outcome.DUPLICATE,
        ),
        (f"{{\n{TWICE}{TWICE}}}\n", replace(TWICE, TWICE + TWICE, before="{\n"), Outcome.DUPLICATE),
        # An attribute, of its own line or of the field's.
        ("[A]\nclass B {}\n", insert("[A]", "\n[A]"), Outcome.DUPLICATE),
        (in_class("[A]", "[B]", "int a;"), insert("    [A]", "\n    [B]"), Outcome.DUPLICATE),
        (in_class("[A(1)] int b;"), replace("int b;", "[A(1)] int b;"), Outcome.DUPLICATE),
        # A line that is there in other blanks, and one beyond a blank one.
        (
            in_method("if (!shown.active)", "    Show(true);"),
            replace("        Show(true);", f"{IF_SHOWN}Show(true);"),
            Outcome.DUPLICATE,
        ),
        (
            in_method("if (!shown.ready)", "    Show(true);"),
            replace("        Show(true);", f"{IF_SHOWN}Show(true);"),
            Outcome.EDIT,
        ),
        (in_method("A();", "B();", "", "B();"), insert("A();", "\n      B();"), Outcome.DUPLICATE),
        (in_method("A();", "", "B();"), insert("A();", "\n        B();"), Outcome.EDIT),
        # A line that another one begins with.
        (USINGS, insert("using Text;", "using Lists;", position="line_after"), Outcome.EDIT),
        (USINGS, insert("using Text;", "\nusing Lists;"), Outcome.EDIT),
        (USINGS, insert("using Lists.Sorted;", "using Lists;\n", position="before"), Outcome.EDIT),
        # What a target quotes may be put before it once more.
        ("int b = a[I] ;", insert("[I] ;", "[I] ", position="before"), Outcome.EDIT),
        ("  [Hide] int a;", insert("[Hide] int a;", "[Hide] ", position="before"), Outcome.EDIT),
    ],
)
def test_insertions_made_already(text: str, asked: dict[str, Any], outcome: Outcome) -> None:
    (item,) = planned(text, asked).instructions
    assert item.outcome is outcome
