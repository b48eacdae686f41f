"""What can't be looked at is no empty history, and nothing is written that couldn't be kept:
docs/design/engine.md §5 "Storage"."""

from __future__ import annotations

import errno
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from answered import refusal
from bound_by_rights import needs_rights, run_bound
from script_changes import changed, create, edit
from this_system import needs_fifo, needs_posix
from unity_project import SCRIPT, UnityProject, replace

from snippet_engine.errors import ErrorCode, SnippetError
from snippet_engine.storage.records import history as history_module

STATE = "Library/SnippetEngine"
EDIT = replace("int a", "int b")
AGAIN = replace("int b", "int c")
Apply = Callable[[UnityProject], dict[str, Any]]
WRITES = pytest.mark.parametrize(
    "apply",
    [
        lambda project: project.done(EDIT),
        lambda project: changed(
            project, edit(SCRIPT, EDIT), create("Assets/New.cs", "class N { }")
        ),
    ],
    ids=["edit_snippet", "edit_scripts"],
)


@pytest.fixture
def project(tmp_path: Path) -> UnityProject:
    made = UnityProject(tmp_path / "Game")
    made.write("class Player { int a; }\n")
    return made


@WRITES
def test_a_record_that_cant_be_kept_stays_and_is_told(
    project: UnityProject, monkeypatch: pytest.MonkeyPatch, apply: Apply
) -> None:
    """No second write is put on top, which would make the first one look as if it never was."""

    def full(source: str, target: str) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), source, None, target)

    with monkeypatch.context() as failing:
        failing.setattr(history_module, "replace_file", full)
        result = apply(project)
        assert result["status"] == "applied"
        told = next(each for each in result["warnings"] if each["code"] == "not_undoable")
        assert f"({STATE}/history: No space left on device)" in told["message"]
        again = refusal(project.edit(AGAIN), ErrorCode.WRITE_FAILED)
        assert f"{STATE}/history: No space left on device" in again.message
        refusal(undo(project, result), ErrorCode.WRITE_FAILED)
    assert project.read() == b"class Player { int b; }\n"
    assert isinstance(undo(project, result), dict)
    assert project.read() == b"class Player { int a; }\n"


def undo(project: UnityProject, result: dict[str, Any]) -> dict[str, Any] | SnippetError:
    if "changeId" in result:
        return project.engine.undo_snippet({"changeId": result["changeId"]})
    return project.engine.undo_snippet({"path": SCRIPT, "hashAfter": result["hashAfter"]})


def as_file(path: Path) -> None:
    path.write_text("x")


def as_fifo(path: Path) -> None:
    os.mkfifo(path)


def as_link(path: Path) -> None:
    path.with_name("elsewhere").mkdir()
    path.symlink_to("elsewhere")


KINDS = [
    pytest.param(as_file, id="file"),
    pytest.param(as_fifo, id="FIFO", marks=needs_fifo),
    pytest.param(as_link, id="link", marks=needs_posix),
]


@pytest.mark.parametrize("make", KINDS)
@pytest.mark.parametrize("part", ["history", "pending"])
def test_what_is_no_folder_is_no_empty_history(
    project: UnityProject, part: str, make: Callable[[Path], None]
) -> None:
    result = project.done(EDIT)
    place = project.root / STATE / part
    shutil.rmtree(place)
    make(place)
    for answer in (
        project.engine.get_history({}),
        undo(project, result),
        project.engine.undo_snippet({"changeId": "0" * 16}),
        project.edit(AGAIN),
    ):
        assert isinstance(answer, SnippetError), answer
        assert answer.code is ErrorCode.WRITE_FAILED
        assert f"{STATE}/{part} can't be used: it is not a folder" in answer.message
        assert answer.message.endswith("Nothing was changed.")
    assert isinstance(project.edit(AGAIN, mode="preview"), dict)
    assert project.read() == b"class Player { int b; }\n"


@needs_posix
def test_a_project_that_was_renamed_has_no_empty_history(
    project: UnityProject, tmp_path: Path
) -> None:
    project.done(EDIT)
    project.root.rename(tmp_path / "Elsewhere")
    answer = refusal(project.engine.get_history({}))
    assert "The project's folder isn't there any more" in answer.message
    again = project.engine.recover(again=True)
    assert len(again) == 1
    assert str(tmp_path) not in again[0]


BOUND = f"""
import json
import sys
from pathlib import Path
from snippet_engine.engine import SnippetEngine
from snippet_engine.errors import SnippetError

root, part, mode = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3], 8)
engine = SnippetEngine.open(root)

def told(answer):
    return answer.to_json() if isinstance(answer, SnippetError) else answer

def edit(old, new, mode="apply"):
    anchor = {{"type": "text", "target": old}}
    instruction = {{"operation": "replace", "anchor": anchor, "newText": new}}
    return {{"path": "{SCRIPT}", "mode": mode, "instructions": [instruction]}}

first = engine.edit_snippet(edit("int a", "int b"))
place = root / "{STATE}" / part
place.chmod(mode)
scripts = {{"mode": "apply", "changes": [{{"path": "Assets/New.cs", "create": "class New {{ }}"}}]}}
undo = {{"path": "{SCRIPT}", "hashAfter": first["hashAfter"]}}
answers = {{
    "preview": told(engine.edit_snippet(edit("int b", "int c", "preview"))),
    "edit": told(engine.edit_snippet(edit("int b", "int c"))),
    "set": told(engine.edit_scripts(scripts)),
    "undo": told(engine.undo_snippet(undo)),
    "history": told(engine.get_history({{}})),
    "recover": engine.recover(again=True),
}}
place.chmod(0o755)
answers["undone"] = told(engine.undo_snippet(undo))
print(json.dumps(answers))
"""


@needs_rights
@pytest.mark.parametrize(
    ("part", "mode", "reads"),
    [
        ("history", "555", True),
        ("history", "333", False),
        ("history", "000", False),
        ("pending", "555", True),
        ("pending", "000", False),
        (".", "000", False),
    ],
)
def test_rights_that_are_missing_are_told_before_anything_is_written(
    project: UnityProject, tmp_path: Path, part: str, mode: str, *, reads: bool
) -> None:
    script = tmp_path / "bound.py"
    script.write_text(BOUND)
    answers = json.loads(run_bound(script, str(project.root), part, mode))
    place = STATE if part == "." else f"{STATE}/{part}"
    refused = ["edit", "set", "undo", *([] if reads else ["history"])]
    for name in refused:
        answer = answers[name]
        assert answer.get("code") == "write_failed", (name, answer)
        assert f"check the rights of the folder {place}." in answer["message"]
        assert str(tmp_path) not in json.dumps(answer)
    assert answers["preview"]["status"] == "previewed"
    if reads:
        assert len(answers["history"]["changes"]) == 1
    assert len(answers["recover"]) == (not reads and part != "history")
    assert answers["undone"]["status"] == "undone"
    assert project.read() == b"class Player { int a; }\n"
    assert not (project.root / "Assets/New.cs").exists()
