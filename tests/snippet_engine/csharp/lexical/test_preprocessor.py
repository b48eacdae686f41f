"""Directives: their syntax, their conditions, and how branches nest."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snippet_engine.csharp.lexical.preprocessor import Branch, Definitions, parse_directive, take

NOTHING: Definitions = frozenset()


def value(condition: str, *defined: str) -> bool:
    """The value of an ``#if`` condition where only ``defined`` symbols are defined."""
    directive = parse_directive("#if " + condition)
    assert not directive.problems, directive.problems
    step = take(directive, Branch(), NOTHING, frozenset(defined), False)
    return step.branch.active


def ids(line: str, *, active: bool = True) -> list[str]:
    branch = Branch() if active else Branch().open("if", (), False, False)
    step = take(parse_directive(line), branch, NOTHING, frozenset(), False)
    return [problem.id for problem in step.problems]


def run(lines: list[str], *defined: str) -> tuple[list[bool], list[str], Branch]:
    """Whether text below each line is compiled, all problems, and the branch at the end."""
    branch, definitions = Branch(), NOTHING
    active: list[bool] = []
    problems: list[str] = []
    for line in lines:
        branch, definitions, found = take(
            parse_directive(line), branch, definitions, frozenset(defined), False
        )
        active.append(branch.active)
        problems += [problem.id for problem in found]
    return active, problems, branch


@pytest.mark.parametrize(
    ("condition", "defined", "expected"),
    [
        ("A", ["A"], True),
        ("A", [], False),
        ("!A", [], True),
        ("!!A", ["A"], True),
        ("A && B", ["A"], False),
        ("A || B", ["B"], True),
        ("A || B && C", ["A"], True),
        ("(A || B) && C", ["A"], False),
        ("A == B", [], True),
        ("A != B", ["A"], True),
        ("A == true", ["A"], True),
        ("true", [], True),
        ("false", ["false"], False),
        ("TRUE", [], True),
        ("A // && false", ["A"], True),
        ("if", ["if"], True),
        ("größe && 変数", ["größe", "変数"], True),
        ("a", ["A"], False),
        ("\u00a0A\u3000", ["A"], True),
    ],
)
def test_conditions(condition: str, defined: list[str], expected: bool) -> None:
    assert value(condition, *defined) is expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("#if", ["CS1517"]),
        ("#if A B", ["CS1025"]),
        ("#if A & B", ["CS1025"]),
        ("#if A /* c */", ["CS1025"]),
        ("#if (A", ["CS1026"]),
        ("#if A ==", ["CS1517"]),
        ("#if 1", ["CS1517"]),
        ("#if hidden", ["CS1517"]),
        ("#define", ["CS1001"]),
        ("#define true", ["CS1001"]),
        ("#define A B", ["CS1025"]),
        ("#undef 5", ["CS1001"]),
        ("#foo", ["CS1024"]),
        ("#If A", ["CS1024"]),
        ("#", ["CS1024"]),
        ("#!/usr/bin/env x", ["CS1024"]),
        ('#r "x.dll"', ["CS1024"]),
        ('#load "x.csx"', ["CS1024"]),
        ("#error no", ["CS1029"]),
        ("#line 0", ["CS1576"]),
        ("#line foo", ["CS1576"]),
        ("#nullable", ["CS8637"]),
        ("#nullable enable foo", ["CS8637"]),
        ("#else", ["CS1028"]),
        ("#endif", ["CS1028"]),
        ("#endregion // late", ["CS1028"]),
    ],
)
def test_malformed_directives(line: str, expected: list[str]) -> None:
    assert ids(line) == expected


@pytest.mark.parametrize(
    "line",
    [
        "# if A",
        "#define A // why",
        '#region "it\'s" /* free text',
        "#warning don't",
        "#pragma warning disable 0649, CS0168 // fine",
        "#pragma anything goes",
        "#line hidden",
        "#line default",
        '#line 12 "a.cs"',
        '#line (1,2)-(3,4) 5 "a.cs"',
        "#nullable enable",
        "#nullable restore annotations // c",
    ],
)
def test_wellformed_directives(line: str) -> None:
    assert ids(line) == []


def test_an_inactive_branch_excuses_what_only_matters_when_compiled() -> None:
    assert ids("#error no", active=False) == []
    assert ids("#line foo", active=False) == []
    assert ids("#foo", active=False) == ["CS1024"]
    assert ids("#if (", active=False) == ["CS1517", "CS1026"]


@pytest.mark.parametrize(
    ("defined", "expected"),
    [
        (["A"], [True, False, False, True]),
        (["B"], [False, True, False, True]),
        (["A", "B"], [True, False, False, True]),
        ([], [False, False, True, True]),
    ],
)
def test_one_branch_of_a_chain_is_taken(defined: list[str], expected: list[bool]) -> None:
    active, problems, _ = run(["#if A", "#elif B", "#else", "#endif"], *defined)
    assert (active, problems) == (expected, [])


def test_branches_in_an_inactive_branch_stay_inactive() -> None:
    lines = ["#if A", "#if B", "#else", "#endif", "#else", "#endif"]
    active, problems, branch = run(lines, "B")
    assert active == [False, False, False, False, True, True]
    assert problems == []
    assert branch.parent is None


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["#if A", "#else", "#else", "#endif"], ["CS1027"]),
        (["#if A", "#else", "#elif B", "#endif"], ["CS1027"]),
        (["#region r", "#if A", "#endregion", "#endif"], ["CS1027"]),
        (["#if A", "#region r", "#endif"], ["CS1038"]),
        (["#if A", "#region r", "#else"], ["CS1038"]),
    ],
)
def test_branches_and_regions_nest(lines: list[str], expected: list[str]) -> None:
    assert run(lines)[1] == expected


def test_the_file_defines_and_undefines_symbols() -> None:
    active, problems, _ = run(["#define A", "#undef B", "#if A && !B", "#endif"], "B")
    assert problems == []
    assert active[2]


def test_definitions_come_before_the_first_token() -> None:
    step = take(parse_directive("#define A"), Branch(), NOTHING, frozenset(), True)
    assert [problem.id for problem in step.problems] == ["CS1032"]
    assert step.definitions == NOTHING


def test_equal_stacks_are_one_object() -> None:
    condition = parse_directive("#if A && B").condition
    root = Branch()
    assert root.open("if", (condition,), True, True) is root.open(
        "if", (parse_directive("#if A  &&  B").condition,), True, True
    )


CONDITIONS = st.recursive(
    st.sampled_from(["A", "B", "C", "true", "false"]),
    lambda inner: st.one_of(
        inner.map(lambda e: f"!({e})"),
        st.tuples(inner, st.sampled_from(["&&", "||", "==", "!="]), inner).map(
            lambda t: f"({t[0]}) {t[1]} ({t[2]})"
        ),
    ),
    max_leaves=8,
)


@given(CONDITIONS, st.sets(st.sampled_from("ABC")))
def test_conditions_mean_what_the_operators_mean(condition: str, defined: set[str]) -> None:
    python = condition.replace("!=", "^").replace("!", " not ").replace("^", "!=")
    python = python.replace("&&", " and ").replace("||", " or ")
    python = python.replace("true", "True").replace("false", "False")
    expected = eval(python, {}, {name: name in defined for name in "ABC"})
    assert value(condition, *defined) is expected


@given(st.text(alphabet='#ifelndrgoAB ()!&|="/*\\@x\t', max_size=40))
def test_any_line_is_parsed(text: str) -> None:
    line = "#" + text
    step = take(parse_directive(line), Branch(), NOTHING, frozenset(), False)
    assert all(0 <= problem.column <= len(line) for problem in step.problems)


@pytest.mark.parametrize(
    "condition", ["(" * 5000 + "A" + ")" * 5000, "!" * 5001 + "A", " == ".join(["A"] * 5000)]
)
def test_absurd_conditions_are_answered(condition: str) -> None:
    parse_directive("#if " + condition)
