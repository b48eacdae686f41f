"""The text of an edit's result: its 1,000 characters go to what helps its reader."""

from __future__ import annotations

import re
from typing import Any

import pytest
from unity_project import UnityProject, replace

from snippet_engine.answer.text_form import (
    MAX_TEXT_LENGTH,
    changes_text,
    cut_at_line,
    edit_text,
    text_form,
)
from snippet_engine.answer.unified_diff import FileDiff, diff_lines
from snippet_engine.errors import SnippetError

BODY = "".join(f"    int before{n};\n" for n in range(4)) + "    int speed = 1;\n"


def set_of(project: UnityProject, count: int, mode: str = "preview") -> str:
    changes = []
    for number in range(count):
        path = f"Assets/Scripts/Enemy{number}.cs"
        project.write(f"class Enemy{number}\n{{\n{BODY}}}\n", path)
        changes.append({"path": path, "instructions": [replace("speed = 1", "speed = 2")]})
    result = project.engine.edit_scripts({"mode": mode, "changes": changes})
    assert not isinstance(result, SnippetError), result
    text = text_form("edit_scripts", result)
    assert len(text) <= MAX_TEXT_LENGTH
    return text


def test_of_six_files_every_changed_line_is_shown(project: UnityProject) -> None:
    text = set_of(project, 6)
    assert text.count("\n+    int speed = 2;") == 6
    assert "sha256:" not in text


def test_an_applied_set_has_its_id_and_no_hash(project: UnityProject) -> None:
    text = set_of(project, 2, "apply")
    assert re.search(r"\nchangeId [0-9a-f]{16}\n", text)
    assert "sha256:" not in text


def test_of_twenty_files_it_says_how_much_is_not_shown(project: UnityProject) -> None:
    text = set_of(project, 20)
    *lines, last = text.split("\n")
    shown = sum(line.startswith(("+  ", "-  ")) for line in lines)
    told = re.fullmatch(
        r"… \((\d+) more changed lines, (\d+) files not shown at all: whole in structuredContent\)",
        last,
    )
    assert told is not None, last
    assert shown + int(told[1]) == 2 * 20
    assert sum(line.startswith("--- ") for line in lines) + int(told[2]) == 20
    more = re.search(r"^… and (\d+) more \((\d+) edited\): in structuredContent$", text, re.M)
    assert more is not None
    assert len(re.findall(r"^edited ", text, re.M)) + int(more[1]) == 20


def test_no_line_is_cut_in_the_middle(project: UnityProject) -> None:
    text = set_of(project, 9)
    for line in text.split("\n"):
        if line.startswith(("+ ", "- ")):
            assert line in ("-    int speed = 1;", "+    int speed = 2;")


def result(diff: str, warnings: int) -> dict[str, Any]:
    return {
        "status": "previewed",
        "path": "Assets/A.cs",
        "hashBefore": "sha256:" + "0" * 64,
        "hashAfter": "sha256:" + "1" * 64,
        "results": [],
        "validation": {"validator": "embedded", "coverage": ["syntax"], "notChecked": []},
        "diff": diff,
        "warnings": [{"code": f"code{n}", "message": "w" * 180} for n in range(warnings)],
    }


DIFF = "@@ -1,3 +1,3 @@\n context\n-int a;\n+int b;\n context"


@pytest.mark.parametrize("warnings", [1, 4, 12])
def test_warnings_do_not_push_the_change_out(warnings: int) -> None:
    text = edit_text(result(DIFF, warnings), 1000)
    assert "\n-int a;\n+int b;" in text
    assert len(text) <= 1000
    told = text.count("warning code")
    assert told == warnings or f"… ({warnings - told} warnings more: in structuredContent)" in text


def test_of_a_long_diff_the_lines_that_change_come_first() -> None:
    long = "\n".join(f" context {n} {'c' * 60}" for n in range(40))
    (found,) = [diff_lines([FileDiff("", f"@@ -1 +1 @@\n{long}\n-int a;\n+int b;")], 400)]
    assert found == ["@@ -1 +1 @@", "-int a;", "+int b;"]


def test_a_diff_that_the_result_has_only_in_part_says_so() -> None:
    lines = "\n".join(f"+line {n}" for n in range(100))
    *shown, note = diff_lines(
        [FileDiff("", f"@@ -0 +1,150 @@\n{lines}\n… (50 more lines cut)")], 300
    )
    count = 150 - (len(shown) - 1)
    assert note == f"… ({count} more changed lines: to see all, preview fewer files)"


def test_errors_of_the_compiler_are_cut_at_a_line() -> None:
    files = [{"path": "Assets/A.cs", "status": "edited", "diff": DIFF, "results": []}]
    error = {"path": "Assets/A.cs", "line": 1, "column": 1, "code": "CS1", "message": "m" * 100}
    told = {
        **result("", 0),
        "files": files,
        "compile": {"status": "errors", "errors": [error] * 20},
    }
    text = cut_at_line(changes_text(told, 1000), 1000)
    assert len(text) <= 1000
    *_, last = text.split("\n")
    assert re.fullmatch(r"… \(\d+ more lines: in structuredContent\)", last)


def test_a_line_that_is_too_long_by_itself_is_cut() -> None:
    assert cut_at_line("a" * 30, 20) == "a" * 19 + "…"
    assert cut_at_line("a" * 20, 20) == "a" * 20


def test_of_a_file_that_goes_the_lines_are_not_shown() -> None:
    gone = {"path": "Assets/A.cs", "status": "deleted", "diff": "@@ -1 +0,0 @@\n-int a;"}
    edited = {"path": "Assets/B.cs", "status": "edited", "diff": DIFF}
    files = [{**each, "results": []} for each in (gone, edited)]
    text = changes_text({**result("", 0), "files": files}, 1000)
    assert "deleted Assets/A.cs" in text
    assert text.count("-int a;") == 1
    assert "--- Assets/A.cs" not in text
