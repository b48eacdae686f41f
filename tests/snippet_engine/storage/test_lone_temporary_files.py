"""Temporary files of which no record is left: named, as each may have the only copy of a text."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from change_sets import FILES, Scene, new_project

from mcp_server.doctor.unity_project import check_project
from snippet_engine.storage.change_journal import ChangeJournal


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    return Scene.of(new_project(tmp_path / "Game"))


class DiedError(BaseException):
    pass


def dies(*_: object) -> None:
    raise DiedError


def cut_short(scene: Scene) -> None:
    """A set whose writer died after its last step: what it deleted has a temporary name alone."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ChangeJournal, "finish", dies)
        patch.setattr(ChangeJournal, "settle", dies)
        with pytest.raises(DiedError):
            scene.store.apply(scene.everything(), client=None)


def told(scene: Scene) -> list[str]:
    (scene.root / "ProjectSettings").mkdir(exist_ok=True)
    checks = [each for each in check_project(scene.root) if each.name == "temporary files"]
    return [path for each in checks for path in each.details]


def test_doctor_names_them_once_their_record_is_gone(scene: Scene) -> None:
    cut_short(scene)
    assert scene.store.lone_temporary_files() == []
    assert told(scene) == []
    shutil.rmtree(scene.root / "Library")
    lone = scene.store.lone_temporary_files()
    assert set(told(scene)) <= set(lone)
    assert told(scene) != []
    (old,) = [path for path in lone if path.startswith("Assets/.Old.cs.") and "meta" not in path]
    # What it says is the way back.
    (scene.root / old).rename(scene.root / "Assets/Old.cs")
    assert scene.bytes_of("Assets/Old.cs") == FILES["Assets/Old.cs"]
    assert old not in scene.store.lone_temporary_files()


def test_nothing_is_told_where_nothing_is(scene: Scene) -> None:
    (scene.root / "Assets/.Other.tmp").write_bytes(b"somebody else's")
    assert scene.store.lone_temporary_files() == []
    assert told(scene) == []
