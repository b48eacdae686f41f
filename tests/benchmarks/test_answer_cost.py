"""What the benchmark of answers sends, and what the plain tool would have."""

from __future__ import annotations

import asyncio

import pytest

from benchmarks.answer_cost import Cost, Day, measured, report
from benchmarks.landing.true_edits import Script, Splice, TrueEdit
from benchmarks.landing.wording import Wording

TEXT = "class A\n{\n    int a = 1;\n    int b = 1;\n}\n"


def day(*, is_small: bool = True) -> Day:
    script = Script("p", "A.cs", TEXT, "\n", byte_order_mark=False)
    start = TEXT.index("1;")
    edit = TrueEdit(script, Splice(start, start + 1, "2"), ())
    return Day(edit, (Wording("", "int a = ", "1", "2", ";", "", start - 8),), is_small)


def test_a_small_change_is_a_small_edit_and_a_larger_one_a_set() -> None:
    tool, arguments = day().call()
    assert (tool, arguments["path"], len(arguments["instructions"])) == (
        "edit_snippet",
        "Assets/A.cs",
        1,
    )
    tool, arguments = day(is_small=False).call()
    assert (tool, len(arguments["changes"])) == ("edit_scripts", 1)


def test_the_plain_tool_quotes_what_stands_once() -> None:
    ((arguments, answer),) = day().plain_calls()
    assert (arguments["old_string"], arguments["new_string"]) == ("int a = 1;", "int a = 2;")
    assert TEXT.count(arguments["old_string"]) == 1
    assert answer == "The file Assets/A.cs has been updated."


def test_both_tools_are_counted_for_what_was_applied() -> None:
    ours, plain = asyncio.run(measured([day(), day(is_small=False)]))
    assert (ours.calls, plain.calls, ours.failed) == (2, 2, 0)
    assert 0 < ours.shown < ours.wire
    assert max(ours.answers) <= 400


def test_a_ratio_above_the_aim_fails(capsys: pytest.CaptureFixture[str]) -> None:
    ours, plain = Cost(1, 0, 300, 200, 250, [200]), Cost(1, 0, 300, 100, 100, [100])
    assert report(ours, plain) == 0
    assert "1.25 × plain" in capsys.readouterr().out
    assert report(Cost(1, 0, 600, 200, 250, [200]), plain) == 1
