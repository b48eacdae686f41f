"""What an engine finds out between two requests, so that the second one need not."""

from __future__ import annotations

from typing import Any

import pytest
import tree_sitter
from unity_project import UnityProject, replace

from snippet_engine.csharp.tree import syntax_tree

SOURCE = "class Player\n{\n    int speed = 10;\n#if DEBUG\n    int more = 1;\n#endif\n}\n"


@pytest.fixture
def reparsed(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """The texts whose tree was made from another one's, in order."""
    found: list[bytes] = []
    made = syntax_tree.reparse

    def noting(tree: tree_sitter.Tree, before: bytes, after: bytes, *rest: Any) -> tree_sitter.Tree:
        found.append(after)
        return made(tree, before, after, *rest)

    monkeypatch.setattr(syntax_tree, "reparse", noting)
    return found


def preview(project: UnityProject, target: str, new_text: str) -> dict[str, Any]:
    return project.done(replace(target, new_text), mode="preview", validation="embedded")


def told(result: dict[str, Any]) -> dict[str, Any]:
    """The result without what differs each time."""
    return {**result, "validation": {**result["validation"], "durationMs": 0}}


def test_the_tree_is_made_ahead(project: UnityProject, reparsed: list[bytes]) -> None:
    project.write(SOURCE)
    project.done(replace("speed = 10", "speed = 20"))
    reparsed.clear()
    project.engine.look_ahead()
    ahead = list(reparsed)
    assert any(b"speed = 20" in text for text in ahead)
    preview(project, "speed = 20", "speed = 30")
    assert reparsed == ahead
    project.engine.look_ahead()
    assert reparsed == ahead


def test_without_it_a_preview_makes_it(project: UnityProject, reparsed: list[bytes]) -> None:
    project.write(SOURCE)
    project.done(replace("speed = 10", "speed = 20"))
    reparsed.clear()
    alone = preview(project, "speed = 20", "speed = 30")
    assert any(b"speed = 20" in text for text in reparsed)
    project.done(replace("speed = 20", "speed = 10"))
    project.done(replace("speed = 10", "speed = 20"))
    project.engine.look_ahead()
    assert told(preview(project, "speed = 20", "speed = 30")) == told(alone)


def test_a_broken_script_is_looked_at_all_the_same(project: UnityProject) -> None:
    project.write("class Player\n{\n    int speed = 10;\n    void M( {\n")
    project.done(replace("speed = 10", "speed = 20"))
    project.engine.look_ahead()
    project.engine.look_ahead()
    assert preview(project, "speed = 20", "speed = 30")["status"] == "previewed"
