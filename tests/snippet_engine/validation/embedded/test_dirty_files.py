"""Files that were broken before the edit: repaired, edited elsewhere, not broken further."""

import pytest
from validating import new_errors, verdict_on

from snippet_engine.csharp.analysis import BrokenNode
from snippet_engine.edits import EditSet, TextEdit
from snippet_engine.validation.embedded.new_errors import added_nodes
from snippet_engine.validation.validator import NOT_GATED_ON_TREE

BROKEN = (
    "class C\n{\n    void M()\n    {\n        a = = b;\n        Go();\n    }\n\n    int c;\n}\n"
)


def test_it_can_be_repaired() -> None:
    assert not new_errors(BROKEN, BROKEN.replace("= =", "="))


def test_it_can_be_edited_elsewhere() -> None:
    verdict = verdict_on(BROKEN, BROKEN.replace("int c;", "int d;"))
    assert not verdict.diagnostics
    assert verdict.preexisting_errors


def test_a_new_error_elsewhere_is_found_where_the_old_one_stands_unchanged() -> None:
    assert new_errors(BROKEN, BROKEN.replace("int c;", "int c = ;"))


def test_brackets_and_structure_are_asked_in_any_case() -> None:
    assert new_errors(BROKEN, BROKEN.replace("Go();", "Go(;"))
    assert new_errors(BROKEN, BROKEN.replace("int c;", "int lock;"))


def test_what_can_not_be_told_is_said_not_to_have_been_checked() -> None:
    verdict = verdict_on(BROKEN, BROKEN.replace("a = = b;", "a = = = b c;"))
    assert NOT_GATED_ON_TREE in verdict.not_checked
    assert "syntax" not in verdict.coverage


@pytest.mark.parametrize(
    ("after", "added"),
    [
        ([(7, 8)], []),  # it stands where the edit moved it
        ([(1, 2), (7, 8)], [(1, 2)]),
        ([(7, 9)], None),  # one that changed can't be told from a new one
    ],
)
def test_nodes_that_an_edit_adds(
    after: list[tuple[int, int]], added: list[tuple[int, int]] | None
) -> None:
    old, *new = (BrokenNode(*each, "ERROR", False) for each in [(5, 6), *after])
    found = added_nodes([old], new, EditSet((TextEdit(0, 0, "xx"),)))
    assert (found and [(each.start, each.end) for each in found]) == added


SPREAD = (
    "class C\n{\n    void M()\n    {\n        a = = b;\n    }\n\n"
    "    void N()\n    {\n        Go();\n        Stop();\n    }\n\n    int = 3\n}\n"
)
"""What is broken here spreads over what follows when something else breaks."""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Stop();", "Stop()"),
        ("Go();", "Go() Go();"),
        ("Go();", "if (a) { Go() }"),
        ("    void N()", "    void O() { return }\n\n    void N()"),
    ],
)
def test_what_is_lost_in_a_whole_block_is_found(old: str, new: str) -> None:
    verdict = verdict_on(SPREAD, SPREAD.replace(old, new))
    assert verdict.diagnostics
    assert "syntax" in verdict.coverage


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Go();", "Go(1);"),
        ("Go();", "*(int*)p = 3;"),
        ("    void N()", "    int Two => 2;\n\n    void N()"),
        ("Stop();", "if (a) { Stop(); } // done"),
    ],
)
def test_what_is_whole_in_a_whole_block_is_taken(old: str, new: str) -> None:
    verdict = verdict_on(SPREAD, SPREAD.replace(old, new))
    assert not verdict.diagnostics
    assert "syntax" in verdict.coverage
    assert verdict.preexisting_errors
