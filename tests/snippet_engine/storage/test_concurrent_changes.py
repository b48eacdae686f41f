"""Processes whose change sets cross: each lands whole or is refused, and none waits for ever.

This file is also the program that runs several times at once. ``CHANGE_PROCESSES`` and
``CHANGE_ROUNDS`` say how much of it.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections import Counter
from pathlib import Path

from change_sets import Scene, contents, state_files

from snippet_engine.errors import ErrorCode, SnippetError
from snippet_engine.source_text import content_hash
from snippet_engine.storage.change_sets.change_plan import FileChange
from snippet_engine.storage.stores.change_store import UndoneChange
from snippet_engine.storage.stores.script_store import ScriptStore, Undone

PROCESSES = int(os.environ.get("CHANGE_PROCESSES", "3"))
ROUNDS = int(os.environ.get("CHANGE_ROUNDS", "40"))
NAMES = [f"Assets/{folder}/F{n}.cs" for folder in "AB" for n in range(3)]
FINE = (ErrorCode.STALE_FILE, ErrorCode.BUSY)


def write_crossing_sets(root: str, me: str) -> None:
    """Add a line of its own to some files together, or to one alone, and now and then take it back.

    Prints the lines that stay by its own account, each with its files, and what it was told.
    """
    scene = Scene.of(Path(root), history_entries=20)
    singles = ScriptStore(scene.project, history_entries=20)
    chance = random.Random(me)
    stays: dict[str, list[str]] = {}
    told: Counter[str] = Counter()
    for number in range(ROUNDS):
        line = f"// {me} {number}\n"
        names = chance.sample(NAMES, chance.choice([1, 2, 2, 3, 4]))
        # In an order of its own: the store's is what keeps two from waiting for each other.
        changes = [appended(scene, name, line.encode()) for name in names]
        if len(changes) == 1:
            (only,) = changes
            assert only.before is not None
            assert only.after is not None
            answer: str | SnippetError = singles.apply(only.script, only.before, only.after) or ""
        else:
            answer = scene.store.apply(changes, client=me)
        if isinstance(answer, SnippetError):
            assert answer.code in FINE, answer
            told[answer.code] += 1
            continue
        stays[line] = names
        if chance.random() < 0.3:
            undone: object
            if len(changes) == 1:
                undone = singles.undo(changes[0].script, content_hash(changes[0].after or b""))
            else:
                undone = scene.store.undo(answer)
            if isinstance(undone, SnippetError):
                assert undone.code in (*FINE, ErrorCode.INVALID_REQUEST), undone
                told[f"undo {undone.code}"] += 1
            else:
                assert isinstance(undone, Undone | UndoneChange)
                del stays[line]
    print(json.dumps([stays, told]))


def appended(scene: Scene, name: str, line: bytes) -> FileChange:
    """That line added to the file as it is at one moment."""
    before = scene.bytes_of(name)
    return FileChange(scene.there(name), before, before + line)


def test_crossing_sets(tmp_path: Path) -> None:
    root = tmp_path / "Game"
    for name in NAMES:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(b"// first\n")
    running = [
        subprocess.Popen(
            [sys.executable, __file__, str(root), f"process-{n}"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for n in range(PROCESSES)
    ]
    expected: Counter[tuple[str, str]] = Counter()
    told: Counter[str] = Counter()
    landed = 0
    for process in running:
        out, err = process.communicate(timeout=3000)
        assert process.returncode == 0, err
        stays, others = json.loads(out)
        landed += len(stays)
        told.update(others)
        expected.update((name, line) for line, names in stays.items() for name in names)
    print(landed, dict(told))
    now = contents(root)
    # Every line in all of its files, once, or in none of them.
    found = Counter(
        (name, line)
        for name, content in now.items()
        for line in content.decode().splitlines(keepends=True)[1:]
    )
    assert found == expected
    assert sorted(now) == NAMES
    assert landed > PROCESSES * ROUNDS // 8
    assert state_files(root) == []
    assert len(list((root / "Library/SnippetEngine/history").iterdir())) <= 20


if __name__ == "__main__":
    write_crossing_sets(*sys.argv[1:])
