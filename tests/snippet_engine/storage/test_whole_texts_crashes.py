"""Whole texts that a killed process was writing are all old or all new.

This file is also the program whose forked children are killed: see ``killed_processes``.
"""

from __future__ import annotations

import sys
from base64 import b64encode
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from change_sets import (
    AFTER_EVERYTHING,
    FILES,
    Scene,
    contents,
    new_project,
    state_files,
    tree,
)
from killed_processes import killed_runs, main

from snippet_engine.engine import SnippetEngine
from snippet_engine.source_text import content_hash

MOVED = {"Assets/Core/Deep/Util.cs": "Assets/Util.cs"}


def taking_everything_back() -> dict[str, Any]:
    """What takes back :meth:`.Scene.everything`, which moves, creates, deletes and edits."""
    files: list[dict[str, Any]] = []
    for path, now in AFTER_EVERYTHING.items():
        then_path = MOVED.get(path, path)
        then = FILES.get(then_path)
        if then == now or path.endswith(".cs.meta"):
            continue
        file: dict[str, Any] = {"path": path, "expectedHash": content_hash(now)}
        if then_path != path:
            file["moveTo"] = then_path
        if then is not None:
            file["content"] = b64encode(then).decode()
        files.append(file)
    old = FILES["Assets/Old.cs"]
    content, removed = b64encode(old).decode(), content_hash(old)
    files.append({"path": "Assets/Old.cs", "content": content, "removedHash": removed})
    return {"mode": "apply", "validation": "none", "files": files}


def take_back(root: Path) -> None:
    engine = SnippetEngine.open(root)
    assert isinstance(engine, SnippetEngine)
    done = engine.put_texts(taking_everything_back())
    assert isinstance(done, dict), done
    assert done["status"] == "applied"


@pytest.fixture(scope="module")
def old(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return new_project(tmp_path_factory.mktemp("old") / "Game")


@pytest.fixture(scope="module")
def new(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = new_project(tmp_path_factory.mktemp("new") / "Game")
    scene = Scene.of(root)
    assert isinstance(scene.store.apply(scene.everything(), client="x"), str)
    return root


def test_taking_back(old: Path, new: Path, tmp_path: Path, one_in: Callable[[int], int]) -> None:
    first, changed = tree(old), tree(new)
    landed = []
    for root in killed_runs(__file__, "take_back", new, tmp_path / "runs", one_in=one_in(6)):
        engine = SnippetEngine.open(root)
        assert isinstance(engine, SnippetEngine)
        engine.recover()
        assert tree(root) in (first, changed), root
        assert state_files(root) == []
        landed.append(tree(root) == first)
        if not landed[-1]:
            take_back(root)
            assert tree(root) == first
        listed = engine.get_history({})
        assert isinstance(listed, dict)
        undone = engine.undo_snippet(listed["changes"][0]["undo"])
        assert isinstance(undone, dict), undone
        assert contents(root) == contents(new)
    # Nothing before the commit, everything after it.
    assert landed == sorted(landed)
    assert set(landed) == {False, True}


if __name__ == "__main__":
    main({"take_back": take_back}, *sys.argv[1:])
