"""The line of an event says no more than was seen."""

from __future__ import annotations

from typing import Any

import pytest

from mcp_server.review.record.events import FileTexts
from mcp_server.review.record.recorder import changes, found, line_of

CLEAN: dict[str, Any] = {
    "status": "clean",
    "errors": [],
    "warnings": [],
    "counts": {"errors": 0, "warnings": 2},
    "notChecked": [],
}


@pytest.mark.parametrize(
    ("result", "line"),
    [
        (CLEAN, "0 errors, 2 warnings (clean)"),
        (
            {**CLEAN, "status": "errors", "counts": {"errors": 1, "warnings": 0}},
            "1 error, 0 warnings (errors)",
        ),
        (
            {
                **CLEAN,
                "status": "unknown",
                "notChecked": [{"assembly": None, "reason": "No build"}],
            },
            "Not known whether it compiles: No build",
        ),
        (
            {
                **CLEAN,
                "status": "unknown",
                "counts": {"errors": 3, "warnings": 0},
                "notChecked": [{"assembly": "Game", "reason": "No build"}],
            },
            "3 errors, 0 warnings, and more is not known: No build",
        ),
        ({"status": "failed", "errors": [{}, {}], "warnings": []}, "2 errors, 0 warnings (failed)"),
        ({"status": "up_to_date", "errors": []}, "Nothing to compile since the last time"),
    ],
)
def test_a_check_is_called_clean_only_if_it_is(result: dict[str, Any], line: str) -> None:
    assert found(result) == line


@pytest.mark.parametrize(
    ("texts", "line"),
    [
        (FileTexts("A.cs", b"a\nb\n", b"a\nc\n"), "b → c"),
        (FileTexts("A.cs", b"a\r\n", b"a\n"), "blank lines, line endings or the encoding"),
        (FileTexts("A.cs", None, b"a\n"), "created"),
        (FileTexts("A.cs", b"a\n", None), "deleted"),
        (FileTexts("A.cs", b"a\n", b"a\n", "B.cs"), "moved to B.cs"),
        (FileTexts("A.cs", b"a\n", b"a\n"), "changed nothing"),
        (FileTexts("A.cs", is_unknown=True), "changed; its text was not seen"),
        (FileTexts("A.cs", b"a\n", b"a\n\n"), "blank lines, line endings or the encoding"),
    ],
)
def test_one_file(texts: FileTexts, line: str) -> None:
    assert changes([texts]) == line


def test_a_long_line_is_cut() -> None:
    rename = {"symbol": "A." + "b" * 500, "newName": "c", "places": 1}
    assert len(line_of("rename_symbol", {}, rename, ())) <= 160
