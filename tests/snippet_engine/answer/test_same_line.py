"""``same_line``: an insertion without a blank between it and the code on its line."""

from __future__ import annotations

import pytest
from planning import on_symbol
from unity_project import UnityProject, insert

TEXT = "class C\n{\n    int x;\n\n    void M()\n    {\n        Go();\n    }\n}\n"
NEW = "void N() { }"


def codes(project: UnityProject, *instructions: dict[str, object]) -> list[str]:
    project.write(TEXT)
    result = project.done(*instructions, mode="preview")
    assert all(len(each["message"]) <= 200 for each in result["warnings"])
    return [each["code"] for each in result["warnings"]]


@pytest.mark.parametrize(
    "instruction",
    [
        on_symbol("C.M()", "insert", NEW),
        on_symbol("C.M()", "insert", NEW, position="before"),
        insert("Go();", "Stop();"),
        insert("int x;", "[NonSerialized] int y;"),
        insert("Go();", "Stop();", position="before"),
    ],
)
def test_code_behind_code_is_told(project: UnityProject, instruction: dict[str, object]) -> None:
    assert codes(project, instruction) == ["same_line"]


@pytest.mark.parametrize(
    "instruction",
    [
        on_symbol("C.M()", "insert", NEW, position="line_after"),
        on_symbol("C", "insert", NEW, position="body_end"),
        on_symbol("C.M()", "insert", f"\n\n    {NEW}"),
        insert("Go();", " Stop();"),
        insert("Go();", " // why"),
        insert("Go(", "1"),
        insert("int x", " = 1"),
    ],
)
def test_code_set_apart_is_not_told(project: UnityProject, instruction: dict[str, object]) -> None:
    assert codes(project, instruction) == []
