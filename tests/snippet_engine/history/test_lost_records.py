"""What is written while somebody removes ``Library``: it is told that it can't be undone."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from answered import success
from script_changes import changed, create, edit
from this_system import needs_exchange
from unity_project import SCRIPT, UnityProject, replace

from snippet_engine.errors import ErrorCode, SnippetError
from snippet_engine.storage.stores import script_locks
from snippet_engine.storage.system import folder
from snippet_engine.storage.system.file_lock import HeldLock

EDIT = replace("int a", "int b")
Apply = Callable[[UnityProject], dict[str, Any]]
WRITES = pytest.mark.parametrize(
    "apply",
    [
        lambda project: project.done(EDIT),
        lambda project: changed(project, edit(SCRIPT, EDIT)),
        lambda project: changed(
            project, edit(SCRIPT, EDIT), create("Assets/New.cs", "class New { }\n")
        ),
    ],
    ids=["edit_snippet", "edit_scripts", "edit_scripts, two files"],
)


@pytest.fixture
def project(tmp_path: Path) -> UnityProject:
    made = UnityProject(tmp_path)
    made.write("class Player { int a; }\n")
    return made


@needs_exchange
@WRITES
def test_a_write_whose_record_is_removed_says_that_it_cant_be_undone(
    project: UnityProject, monkeypatch: pytest.MonkeyPatch, apply: Apply
) -> None:
    exchange = folder.exchange_names

    def removed_then_exchanged(folder_fd: int, one: str, other: str) -> bool:
        shutil.rmtree(project.root / "Library")
        monkeypatch.undo()
        return exchange(folder_fd, one, other)

    monkeypatch.setattr(folder, "exchange_names", removed_then_exchanged)
    result = apply(project)
    assert result["status"] == "applied"
    assert project.read() == b"class Player { int b; }\n"
    (warning,) = result["warnings"]
    assert warning["code"] == "not_undoable"
    undo = (
        {"changeId": result["changeId"]}
        if "changeId" in result
        else {"path": SCRIPT, "hashAfter": result["hashAfter"]}
    )
    assert isinstance(project.engine.undo_snippet(undo), SnippetError)


@WRITES
def test_a_write_whose_record_waits_to_be_completed_can_be_undone(
    project: UnityProject, monkeypatch: pytest.MonkeyPatch, apply: Apply
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError

    with monkeypatch.context() as patch:
        patch.setattr("snippet_engine.storage.records.history.replace_file", refuse)
        result = apply(project)
    (warning,) = result["warnings"]
    assert warning["code"] == "not_undoable"
    history = success(project.engine.get_history({}))
    (waiting,) = history["unfinished"]
    assert "The next apply or undo completes it" in waiting["message"]
    project.engine.recover(again=True)
    history = success(project.engine.get_history({}))
    (entry,) = history["changes"]
    assert entry["undoable"]


@WRITES
def test_a_folder_of_locks_that_is_removed_while_they_are_taken_is_made_anew(
    project: UnityProject, monkeypatch: pytest.MonkeyPatch, apply: Apply
) -> None:
    acquire = script_locks.acquire

    def removed_then_acquired(path: Path, timeout_ms: int) -> HeldLock | None:
        shutil.rmtree(project.root / "Library")
        monkeypatch.undo()
        return acquire(path, timeout_ms)

    monkeypatch.setattr(script_locks, "acquire", removed_then_acquired)
    assert apply(project)["status"] == "applied"
    assert project.read() == b"class Player { int b; }\n"


def test_a_folder_of_locks_that_cant_be_made_is_told(
    project: UnityProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    acquire = script_locks.acquire

    def always_removed(path: Path, timeout_ms: int) -> HeldLock | None:
        shutil.rmtree(project.root / "Library")
        return acquire(path, timeout_ms)

    monkeypatch.setattr(script_locks, "acquire", always_removed)
    assert project.refused(replace("int a", "int b")).code is ErrorCode.WRITE_FAILED
