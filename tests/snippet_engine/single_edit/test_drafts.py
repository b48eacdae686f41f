"""Edits judged one after another in memory: nothing is written, and nothing is claimed too much."""

from __future__ import annotations

from typing import Any

import pytest
from answered import refusal, success
from unity_project import SCRIPT, UnityProject

from snippet_engine.engine import SnippetEngine
from snippet_engine.errors import ErrorCode
from snippet_engine.single_edit.versions import Drafts
from snippet_engine.validation.validator import Verdict

OTHER = "Assets/Scripts/Other.cs"
SOURCE = "class A { int x = 1; }\n"


class Server:
    """A language server that finds everything fine, and remembers which scripts it was asked of."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def start(self) -> None: ...

    def validate(self, path: str, *_: Any, **how: Any) -> Verdict:
        self.asked.append(path)
        return Verdict("server", ("syntax", "semantics"), "9.0", 1, 1.0, (), knows_project=True)

    def diagnose(self, path: str, *_: Any, **how: Any) -> Verdict:
        return self.validate(path)

    def saved(self, path: str, text: str) -> None:
        raise AssertionError("a draft is not saved")


def request(old: str, new: str, path: str = SCRIPT, **more: Any) -> dict[str, Any]:
    anchor = {"type": "text", "target": old}
    instruction = {"operation": "replace", "anchor": anchor, "newText": new}
    return {"path": path, "mode": "apply", "instructions": [instruction], **more}


@pytest.fixture
def server(project: UnityProject) -> Server:
    project.write(SOURCE)
    project.write(SOURCE, OTHER)
    return Server()


@pytest.fixture
def engine(project: UnityProject, server: Server) -> SnippetEngine:
    return success(SnippetEngine.open(project.root, server))


def drafted(
    engine: SnippetEngine, drafts: Drafts, params: dict[str, Any]
) -> tuple[dict[str, Any], Drafts]:
    return success(engine.draft_snippet(params, drafts))


def test_a_draft_builds_on_the_one_before_and_writes_nothing(
    project: UnityProject, engine: SnippetEngine
) -> None:
    before = project.tree()
    first, one = drafted(engine, Drafts(), request("x = 1", "x = 2"))
    second, _ = drafted(engine, one, request("x = 2", "x = 3", expectedHash=first["hashAfter"]))
    assert second["hashBefore"] == first["hashAfter"]
    assert (second["status"], second["applied"]) == ("previewed", False)
    assert project.tree() == before
    # Drafts are values: those from before are as they were.
    again, _ = drafted(engine, Drafts(), request("x = 1", "x = 2"))
    assert again["hashBefore"] == first["hashBefore"]
    refusal(engine.draft_snippet(request("x = 1", "x = 2"), one), ErrorCode.ANCHOR_NOT_FOUND)


def test_one_script_by_two_paths_is_one_draft(project: UnityProject, engine: SnippetEngine) -> None:
    (project.root / "Assets/Link.cs").symlink_to("Scripts/Player.cs")
    _, one = drafted(engine, Drafts(), request("x = 1", "x = 2"))
    drafted(engine, one, request("x = 2", "x = 3", "Assets/Link.cs"))


def test_a_server_judges_until_another_script_is_drafted(
    engine: SnippetEngine, server: Server
) -> None:
    first, drafts = drafted(engine, Drafts(), request("x = 1", "x = 2"))
    second, drafts = drafted(engine, drafts, request("x = 2", "x = 3"))
    assert first["validation"]["validator"] == second["validation"]["validator"] == "server"
    insisting = request("x = 1", "x = 2", OTHER, validation="lsp")
    third, _ = drafted(engine, drafts, insisting)
    assert third["validation"]["validator"] == "embedded"
    assert "semantics" in third["validation"]["notChecked"]
    assert server.asked == [SCRIPT, SCRIPT]
