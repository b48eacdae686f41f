"""What Roslyn is asked, and, where it can be had, what it answers."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from benchmarks.agreement.oracle import MAX_SYMBOL_SETS, Oracle, Truth, symbol_sets
from benchmarks.agreement.sure_errors import SURE
from roslyn_server.toolchains.packages import FetchError
from snippet_engine.csharp.lexical.symbol_sets import UNITY_EDITOR_SYMBOLS

FIXTURES = Path(__file__).parents[1] / "fixtures" / "agreement"


def test_a_text_without_conditions_has_one_symbol_set() -> None:
    assert symbol_sets(["class C { }"]) == [UNITY_EDITOR_SYMBOLS]


def test_few_symbols_are_combined_in_every_way() -> None:
    sets = symbol_sets(["#if A && !B\n#elif UNITY_EDITOR\n#endif\n"])
    named = {"A", "B", "UNITY_EDITOR"}
    assert len({frozenset(each & named) for each in sets}) == 8


def test_many_symbols_are_bounded() -> None:
    text = "".join(f"#if S{number}\n#endif\n" for number in range(40))
    sets = symbol_sets([text])
    assert len(sets) == MAX_SYMBOL_SETS
    assert sets[0] == UNITY_EDITOR_SYMBOLS
    assert any(f"S{39}" in each for each in sets)


@pytest.fixture(scope="module")
def oracle() -> Oracle:
    try:
        return Oracle()
    except FetchError as error:
        if os.environ.get("CI"):
            raise
        pytest.skip(str(error))


@pytest.mark.parametrize(
    "name", ["structural", "newer_syntax", "regressions", "never_compiles", "scopes"]
)
def test_recorded_verdicts_are_still_roslyns(
    oracle: Oracle, name: str, one_in: Callable[[int], int]
) -> None:
    examples = json.loads((FIXTURES / f"{name}.json").read_text(encoding="utf-8"))
    for example in examples[:: one_in(4)]:
        (verdict,) = oracle.judge(example["before"], [example["after"]])
        assert verdict.truth.value == example["roslyn"], example["after"]


def test_an_error_in_any_branch_counts(oracle: Oracle) -> None:
    before = "class C\n{\n#if NEVER_DEFINED\n    int a;\n#endif\n}\n"
    (verdict,) = oracle.judge(before, [before.replace("int a;", "int a")])
    assert verdict.truth is Truth.BROKEN


def test_errors_that_were_there_do_not(oracle: Oracle) -> None:
    before = "class C\n{\n    int a = ;\n    int b;\n}\n"
    (verdict,) = oracle.judge(before, [before.replace("int b", "int c")])
    assert verdict.truth is Truth.VALID


def test_what_no_reference_can_rescue_is_of_form(oracle: Oracle) -> None:
    before = "class C\n{\n    void M()\n    {\n        Go();\n    }\n}\n"
    verdicts = oracle.judge(
        before,
        [before.replace("Go();", text) for text in ("a;", "break;", "Unknown(); Base.Call();")],
    )
    assert [verdict.truth for verdict in verdicts] == [Truth.FORM, Truth.FORM, Truth.VALID]
    assert verdicts[0].errors[0].split(" ", 1)[0] in SURE


def test_every_sure_error_has_a_reason_and_is_none_that_a_reference_mends() -> None:
    assert all(SURE.values())
    of_names = {"CS0103", "CS0117", "CS0118", "CS0119", "CS0234", "CS0246", "CS1061", "CS0161"}
    assert of_names.isdisjoint(SURE)
