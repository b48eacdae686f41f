"""Where an edit stands afterwards, and whether it is what was sent: docs/design/engine.md §7."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from snippet_engine.engine import SnippetEngine
from snippet_engine.errors import SnippetError

PATH = "Assets/A.cs"
TEXT = "class A\n{\n    int a;\n\n    void B()\n    {\n        a = 1;\n    }\n}\n"


def done(root: Path, *instructions: dict[str, Any]) -> dict[str, Any]:
    (root / "Assets").mkdir()
    (root / PATH).write_text(TEXT)
    engine = SnippetEngine.open(root)
    assert isinstance(engine, SnippetEngine)
    request = {"path": PATH, "mode": "preview", "instructions": list(instructions)}
    result = engine.edit_snippet(request)
    assert not isinstance(result, SnippetError), result
    return result


def insertion(target: str, position: str, new_text: str, **more: str) -> dict[str, Any]:
    anchor = {"type": "text", "target": target, "position": position}
    return {"operation": "insert", "anchor": anchor, "newText": new_text, **more}


def replacement(target: str, new_text: str) -> dict[str, Any]:
    anchor = {"type": "text", "target": target}
    return {"operation": "replace", "anchor": anchor, "newText": new_text}


def deletion(target: str) -> dict[str, Any]:
    return {"operation": "delete", "anchor": {"type": "text", "target": target}}


@pytest.mark.parametrize(
    ("instruction", "lines", "is_adjusted"),
    [
        (replacement("a = 1", "a = 2"), "7", False),
        (replacement("a = 1;\n", "a = 1;\n        a = 2;\n"), "8", False),
        (insertion("int a;", "line_after", "int b;"), "4", False),
        (insertion("int a;", "line_after", "    int b;\n    int c;"), "4-5", False),
        (insertion("int a;", "line_after", "\tint b {\n\t\tget; }"), "4-5", True),
        (insertion("int a;", "line_after", "int b {\n\tget; }"), "4-5", True),
        (insertion("int a;", "after", " int b;"), "3", False),
        (insertion("    void B()", "line_before", "int b;\r\nint c;"), "5-6", False),
        (deletion("a = 1;"), "7", False),
    ],
)
def test_one_edit(
    tmp_path: Path, instruction: dict[str, Any], lines: str, *, is_adjusted: bool
) -> None:
    result = done(tmp_path, instruction)
    assert result["lines"] == lines, result["diff"]
    assert result["results"][0].get("adjusted", False) is is_adjusted, result["diff"]


def test_lines_are_those_after_all_edits(tmp_path: Path) -> None:
    result = done(
        tmp_path, replacement("a = 1", "a = 2"), insertion("int a;", "line_after", "int b;\nint c;")
    )
    assert result["lines"] == "4-5, 9"


def test_what_is_skipped_is_no_change(tmp_path: Path) -> None:
    result = done(tmp_path, replacement("a = 1", "a = 1"))
    assert result["status"] == "unchanged"
    assert result["lines"] == ""
