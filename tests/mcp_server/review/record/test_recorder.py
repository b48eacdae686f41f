"""The events of calls, as a coordinator with real script tools makes them, and their lines."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from running_server import SCRIPT, SOURCE, edit, make_project

from mcp_server.calls.local_tools import LocalTools
from mcp_server.contract.catalog import CATALOG
from mcp_server.contract.outcome import ToolResult
from mcp_server.host.execution_coordinator import ExecutionCoordinator
from mcp_server.news.callers import as_caller
from mcp_server.review.record.events import Event, FileTexts, Outcome
from mcp_server.review.record.recorder import changes, found, line_of
from mcp_server.review.review import Review
from snippet_engine.call_context import as_client
from snippet_engine.source_text import content_hash

LONG_S = 60.0
NEW = SOURCE.replace(b"speed > 10", b"speed > 20")


class Recorded:
    """A project whose calls are recorded."""

    def __init__(self, root: Path) -> None:
        self.project = make_project(root / "project")
        self.review = Review(root / "kept", "http://127.0.0.1:1/")
        self.review.start()
        self.store = self.review.store

    def call(self, tool: str, arguments: Mapping[str, Any]) -> Event | None:
        """Make a call; return the event that it led to."""
        before = self.store.last_number

        async def make() -> None:
            coordinator = ExecutionCoordinator(LocalTools(self.project))
            coordinator.recorder = self.review.recorder
            await coordinator.call(CATALOG[tool], arguments)
            await coordinator.stop(0)

        with as_client("Claude Code 2.1"), as_caller("session-1"):
            asyncio.run(make())
        assert self.store.settle(LONG_S)
        found = self.store.events()
        assert self.store.last_number - before <= 1
        return found[0] if self.store.last_number > before else None

    def texts(self, event: Event) -> list[tuple[str, str | None, bytes | None, bytes | None]]:
        """The files of an event, with their texts."""
        return [
            (each.path, each.moved_to, *map(self._text, (each.before, each.after)))
            for each in event.files
        ]

    def _text(self, digest: str | None) -> bytes | None:
        return None if digest is None else self.store.text(digest)


@pytest.fixture
def recorded(tmp_path: Path) -> Recorded:
    return Recorded(tmp_path)


def test_a_preview_and_its_apply(recorded: Recorded) -> None:
    preview = recorded.call("edit_snippet", edit())
    assert preview is not None
    assert (preview.outcome, preview.undo) == (Outcome.PREVIEWED, None)
    assert recorded.texts(preview) == [(SCRIPT, None, SOURCE, NEW)]
    applied = recorded.call("edit_snippet", edit("apply"))
    assert applied is not None
    assert applied.outcome is Outcome.APPLIED
    assert (applied.client, applied.session) == ("Claude Code 2.1", "session-1")
    assert applied.line == "if (speed > 10) → if (speed > 20)"
    assert recorded.texts(applied) == [(SCRIPT, None, SOURCE, NEW)]
    assert applied.undo is not None
    detail = recorded.store.detail(applied.number)
    assert detail is not None
    assert detail["arguments"] == edit("apply")
    assert detail["result"]["hashAfter"] == applied.files[0].after
    undone = recorded.call("undo_snippet", applied.undo)
    assert undone is not None
    assert undone.outcome is Outcome.UNDONE
    assert recorded.texts(undone) == [(SCRIPT, None, NEW, SOURCE)]


def test_a_set_that_makes_moves_and_deletes(recorded: Recorded) -> None:
    other = recorded.project / "Assets/Old.cs"
    other.write_bytes(b"class Old { }\n")
    changes = [
        {"path": "Assets/New.cs", "create": "class New { }\n"},
        {"path": SCRIPT, "moveTo": "Assets/Player.cs"},
        {"path": "Assets/Old.cs", "delete": True, "expectedHash": content_hash(other.read_bytes())},
    ]
    applied = recorded.call("edit_scripts", {"mode": "apply", "changes": changes})
    assert applied is not None
    assert applied.outcome is Outcome.APPLIED
    assert recorded.texts(applied) == [
        ("Assets/New.cs", None, None, b"class New { }\n"),
        (SCRIPT, "Assets/Player.cs", SOURCE, SOURCE),
        ("Assets/Old.cs", None, b"class Old { }\n", None),
    ]
    assert applied.line == "3 files, first Assets/New.cs"
    assert applied.undo is not None
    undone = recorded.call("undo_snippet", applied.undo)
    assert undone is not None
    assert len(undone.files) == 3
    assert other.read_bytes() == b"class Old { }\n"


@pytest.mark.parametrize(
    ("arguments", "code", "line"),
    [
        ({**edit("apply"), "path": "Assets/No.cs"}, "file_not_found", "Assets/No.cs"),
        ({"path": SCRIPT}, "invalid_request", "Invalid parameters"),
    ],
)
def test_a_refusal_names_its_code_and_its_script(
    recorded: Recorded, arguments: dict[str, Any], code: str, line: str
) -> None:
    event = recorded.call("edit_snippet", arguments)
    assert event is not None
    assert (event.outcome, event.code) == (Outcome.REFUSED, code)
    assert line in event.line
    assert [(each.path, each.is_unknown) for each in event.files] == [(arguments["path"], True)]
    detail = recorded.store.detail(event.number)
    assert detail is not None
    assert detail["arguments"] == arguments
    assert detail["error"]["code"]
    assert detail["text"]


def test_an_edit_that_would_break_the_script_is_refused_with_its_errors(
    recorded: Recorded,
) -> None:
    request = edit("apply")
    request["instructions"][0]["newText"] = "speed > "
    event = recorded.call("edit_snippet", request)
    assert event is not None
    assert event.outcome is Outcome.REFUSED
    assert event.errors > 0
    assert (recorded.project / SCRIPT).read_bytes() == SOURCE


def test_reading_tools_leave_no_event(recorded: Recorded) -> None:
    assert recorded.call("get_symbols", {"path": SCRIPT}) is None
    assert recorded.call("get_history", {}) is None
    assert recorded.call("validate_script", {"path": SCRIPT}) is None


def test_a_check_says_how_it_ended(recorded: Recorded) -> None:
    event = recorded.call("check_project", {})
    assert event is not None
    # No compiler is found here, which is no finding about the scripts.
    assert event.outcome in (Outcome.DONE, Outcome.REFUSED, Outcome.FAILED)
    assert event.files == ()


def test_what_the_caller_gets_is_not_changed_by_recording(tmp_path: Path) -> None:
    project = make_project(tmp_path / "project")

    async def make(review: Review | None) -> Any:
        coordinator = ExecutionCoordinator(LocalTools(project))
        coordinator.recorder = None if review is None else review.recorder
        outcome = await coordinator.call(CATALOG["edit_snippet"], edit())
        await coordinator.stop(0)
        assert isinstance(outcome, ToolResult)
        return outcome.structured

    review = Review(tmp_path / "kept", "")  # not started: nothing is ever taken from its queue
    plain, recorded = asyncio.run(make(None)), asyncio.run(make(review))
    for each in (plain, recorded):
        del each["validation"]["durationMs"]
    assert recorded == plain


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
