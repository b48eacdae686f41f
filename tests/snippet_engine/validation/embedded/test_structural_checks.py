"""Each structural check finds what Roslyn calls broken, and leaves alone what it calls valid."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from validating import new_errors

from snippet_engine.csharp.lexical.language_version import LanguageVersion
from snippet_engine.csharp.tree import syntax_tree
from snippet_engine.validation.embedded.checks.structural_checks import CHECKS
from snippet_engine.validation.embedded.checks.tree_patterns import PatternTable

FIXTURES = Path(__file__).parents[3] / "fixtures" / "agreement"
EXAMPLES: list[dict[str, Any]] = json.loads(
    (FIXTURES / "structural.json").read_text(encoding="utf-8")
)
"""``check``, ``before``, ``after``, and what Roslyn (C# 9) said of it: ``roslyn``, ``errors``.

What is ``form`` need not be found here, but in :data:`NEVER_COMPILES`.
"""
NEVER_COMPILES: list[dict[str, Any]] = json.loads(
    (FIXTURES / "never_compiles.json").read_text(encoding="utf-8")
)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example["check"])
def test_the_verdict_is_roslyns(example: dict[str, Any]) -> None:
    found = new_errors(example["before"], example["after"])
    if example["roslyn"] == "broken":
        assert found, example["after"]
    elif example["roslyn"] == "valid":
        assert not found, (example["after"], found)


@pytest.mark.parametrize("example", NEVER_COMPILES, ids=lambda example: example["check"])
def test_what_no_reference_can_rescue_is_refused(example: dict[str, Any]) -> None:
    found = new_errors(example["before"], example["after"])
    assert bool(found) == (example["roslyn"] != "valid"), (example["after"], found)


@pytest.mark.parametrize("name", [check.name for check in CHECKS])
def test_every_check_is_shown_code_that_is_broken_and_code_that_is_not(name: str) -> None:
    demanded = [each for each in EXAMPLES if each["roslyn"] != "form"] + NEVER_COMPILES
    verdicts = {example["roslyn"] for example in demanded if example["check"] == name}
    why = f"record examples of it: python -m benchmarks.agreement.record {name!r} BEFORE AFTER"
    assert "valid" in verdicts, why
    assert not verdicts.isdisjoint(("broken", "form")), why


@pytest.mark.parametrize("after", ["a = nameof(List<>);", "a = G::B.C();"])
def test_what_a_later_version_takes_is_left_to_it(after: str) -> None:
    before = "class C { void M() { } }"
    text = before.replace("{ }", f"{{ {after} }}")
    assert new_errors(before, text, LanguageVersion(9))
    assert not new_errors(before, text, LanguageVersion(14))


@pytest.mark.parametrize(
    "new",
    ["var x = Mathf::Max(1, 2);", "core::Reset();", "if (a == E::X) { }", "return Mathf::PI;"],
)
def test_members_do_not_follow_two_colons(new: str) -> None:
    before = "using X = System.Math; class C { void M() { Go(); } }"
    assert [each.id for each in new_errors(before, before.replace("Go();", new))] == ["CS0432"]
    assert not new_errors(before, before.replace("Go();", re.sub(r"\w+::", "X::", new)))
    (name,) = re.findall(r"(\w+)::", new)
    used = before.replace("Go();", f"Go(); {new}")
    assert not new_errors(used, used.replace("Go();", f"F({name}::Y);"))


def test_names_before_two_colons_in_comments_and_strings_are_left_alone() -> None:
    before = "class C { void M() { Go(); } }"
    for new in ('Go("A::B");', "Go(); // A::B", "Go(); /* A::B */", 'Go($"{a}A::B");'):
        assert not new_errors(before, before.replace("Go();", new + "\n"))


def test_an_operand_far_below_its_async_function_is_left_alone() -> None:
    before = "class C { async Task M() { Go(); } }"
    sum_of_many = "var a = await F()" + ' + "b"' * 450
    nested_calls = "var a = " + "F(" * 450 + "await b" + ")" * 450
    for new in (sum_of_many, nested_calls):
        assert not new_errors(before, before.replace("Go()", new))


def test_what_stood_there_before_is_not_told() -> None:
    before = "class C { void M() { public int a = 1; static int b = 2; int c = 3; } }"
    assert not new_errors(before, before.replace("c = 3", "c = 4"))
    assert not new_errors(before, before.replace("b = 2", "b = 20000"))


def test_what_an_edit_moves_is_not_new() -> None:
    before = "class C\n{\n    void M()\n    {\n        static int b = 2;\n    }\n}\n"
    after = before.replace("    static int", "    Go();\n        static int")
    assert not new_errors(before, after)


def test_a_second_one_is_new() -> None:
    before = "class C\n{\n    void M()\n    {\n        static int b = 2;\n    }\n}\n"
    after = before.replace("b = 2;", "b = 2;\n        static int c = 3;")
    assert [found.id for found in new_errors(before, after)] == ["CS0106"]


def test_the_message_quotes_what_is_wrong_and_where() -> None:
    (found,) = new_errors("class C\n{\n    int a;\n}\n", "class C\n{\n    int lock;\n}\n")
    assert found.id == "CS1041"
    assert "'lock'" in found.message
    assert found.position == (2, 8)


def test_no_check_fails_on_a_tree_of_broken_code() -> None:
    table = PatternTable(CHECKS)
    for number, example in enumerate(EXAMPLES):
        text = example["after"].encode()
        for start in range(number % 27, len(text), 27):
            broken = text[:start] + text[start + 4 :]
            table.search(syntax_tree.parse(broken), [(0, len(broken))])
