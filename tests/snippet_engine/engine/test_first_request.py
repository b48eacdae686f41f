"""A refused first request with a client_request_id: nothing of it stays in the project."""

from __future__ import annotations

from typing import Any

import pytest
from answered import success
from script_changes import edit
from unity_project import SCRIPT, UnityProject, replace

from snippet_engine.errors import SnippetError

FOLDER = "Library/SnippetEngine/requests"


def calls(project: UnityProject) -> dict[str, Any]:
    wrong = edit(SCRIPT, replace("nothing like it", "x"))
    once = {"client_request_id": "once"}
    return {
        "edit_snippet": lambda: project.engine.edit_snippet({**wrong, "mode": "apply", **once}),
        "edit_scripts": lambda: project.engine.edit_scripts(
            {"mode": "apply", "changes": [wrong], **once}
        ),
        "undo_snippet": lambda: project.engine.undo_snippet({"changeId": "0" * 16, **once}),
    }


@pytest.mark.parametrize("tool", ["edit_snippet", "edit_scripts", "undo_snippet"])
def test_a_refusal_leaves_no_folder(project: UnityProject, tool: str) -> None:
    project.write("class Player { int a; }\n")
    before = sorted(project.root.rglob("*"))
    assert isinstance(calls(project)[tool](), SnippetError)
    assert sorted(project.root.rglob("*")) == before


def test_after_it_the_id_is_still_free(project: UnityProject) -> None:
    project.write("class Player { int a; }\n")
    assert isinstance(calls(project)["edit_snippet"](), SnippetError)
    right = {**edit(SCRIPT, replace("int a", "int b")), "mode": "apply"}
    success(project.engine.edit_snippet({**right, "client_request_id": "once"}))
    assert (project.root / FOLDER).is_dir()
    again = success(project.engine.edit_snippet({**right, "client_request_id": "once"}))
    assert again["replayed"] is True
