"""What the history has from before anything was recorded."""

from __future__ import annotations

from pathlib import Path

from running_server import SCRIPT, SOURCE, edit, make_project

from mcp_server.review.record.events import Outcome
from mcp_server.review.review import Review
from snippet_engine.call_context import as_client
from snippet_engine.engine import SnippetEngine

LONG_S = 60.0
PAGE = "http://127.0.0.1:48091/"
NEW = SOURCE.replace(b"speed > 10", b"speed > 20")


def a_project(tmp_path: Path) -> tuple[Path, SnippetEngine]:
    root = make_project(tmp_path / "Game")
    engine = SnippetEngine.open(root)
    assert isinstance(engine, SnippetEngine)
    return root, engine


def test_the_history_is_taken_over_once(tmp_path: Path) -> None:
    root, engine = a_project(tmp_path)
    with as_client("unity-cli"):
        engine.edit_snippet(edit("apply"))
        change = {"path": "Assets/New.cs", "create": "class New { }\n"}
        engine.edit_scripts({"mode": "apply", "changes": [change]})
    for _ in range(2):
        review = Review(tmp_path / "kept", PAGE)
        review.start(root)
        assert review.store.settle(LONG_S)
        made, edited = review.store.events()
        assert [made.number, edited.number] == [2, 1]
        assert (edited.client, edited.outcome) == ("unity-cli", Outcome.APPLIED)
        assert edited.line == "if (speed > 10) → if (speed > 20)"
        assert edited.undo == {"path": SCRIPT, "hashAfter": edited.files[0].after}
        assert made.line == "created"
        assert made.undo is not None
        texts = [
            None if digest is None else review.store.text(digest)
            for event in (edited, made)
            for digest in (event.files[0].before, event.files[0].after)
        ]
        assert texts == [SOURCE, NEW, None, (root / "Assets/New.cs").read_bytes()]
        review.stop(LONG_S)
    undone = engine.undo_snippet(dict(edited.undo))
    assert isinstance(undone, dict), undone
    assert (root / SCRIPT).read_bytes() == SOURCE


def test_where_there_is_no_history_there_are_no_events(tmp_path: Path) -> None:
    root, _ = a_project(tmp_path)
    for project in (root, tmp_path / "gone", None):
        review = Review(tmp_path / "kept", PAGE)
        review.start(project)
        assert review.store.settle(LONG_S)
        assert review.store.events() == []
        review.stop(LONG_S)
