"""What the system refuses is ``write_failed``, without traces: docs/design/engine.md §5 and §8.

A full disk is had in two ways: a limit on the size of files that a process may write, which
any system has, and, where mounting is allowed, a real file system of a few pages.
"""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from failing_system import FailingSystem, no_room_for, refused_by_the_system, small_disk

from snippet_engine.errors import ErrorCode, SnippetError, show
from snippet_engine.source_text import content_hash
from snippet_engine.storage.os_failure import write_failed
from snippet_engine.storage.paths.project import Project, ScriptPath
from snippet_engine.storage.stores.script_store import ScriptStore, Undone
from snippet_engine.storage.system import folder
from snippet_engine.storage.system.replace_file import FileInUseError

OLD = b"// old\n" * 100
NEW = b"// new\n" * 100

needs_limits = pytest.mark.skipif(
    os.name != "posix", reason="a limit on the size of files: POSIX only"
)

FAILURES = {
    errno.ENOSPC: "disk is full",
    errno.EDQUOT: "quota",
    errno.EACCES: "permission denied",
    errno.EROFS: "read-only",
    errno.EIO: "input/output error",
    errno.EFBIG: "size",
}


def new_project(root: Path) -> ScriptPath:
    (root / "Assets").mkdir(parents=True)
    (root / "Assets/A.cs").write_bytes(OLD)
    return located(root)


def located(root: Path) -> ScriptPath:
    project = Project.open(root)
    assert isinstance(project, Project)
    script = project.locate("Assets/A.cs", for_writing=True)
    assert isinstance(script, ScriptPath)
    return script


def store_of(script: ScriptPath) -> ScriptStore:
    project = Project.open(script.real_root.parent)
    assert isinstance(project, Project)
    return ScriptStore(project)


def files(root: Path) -> dict[str, bytes]:
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in root.rglob("*")
        if path.is_file() and path.suffix != ".lock"
    }


@pytest.mark.parametrize("failure", FAILURES, ids=errno.errorcode.__getitem__)
def test_each_step_can_fail(tmp_path: Path, failure: int, one_in: Callable[[int], int]) -> None:
    """Either the error and not a byte changed, or the new content, and it can be undone."""
    refused = 0
    every = 1 if failure == errno.ENOSPC else one_in(3)
    for number in range(1, 200, every):
        script = new_project(tmp_path / str(number))
        root = script.real_root.parent
        with pytest.MonkeyPatch.context() as monkeypatch:
            system = FailingSystem(monkeypatch, number, partial(refused_by_the_system, failure))
            answer = store_of(script).apply(script, OLD, NEW)
        if answer is None:
            assert script.real.read_bytes() == NEW
            assert store_of(script).recover() == []
            assert list((root / "Library/SnippetEngine/pending").iterdir()) == []
            assert store_of(script).undo(script, content_hash(NEW)) == Undone(NEW, OLD)
        else:
            refused += 1
            assert files(root) == {"Assets/A.cs": OLD}
            assert "/absolute" not in str(answer.to_json())
            if answer.code is not ErrorCode.PATH_NOT_ALLOWED:  # Could not even be read.
                assert answer.code is ErrorCode.WRITE_FAILED, answer
                assert answer.details["errno"] == errno.errorcode[failure].removeprefix("WSA")
                assert FAILURES[failure] in answer.message
            assert store_of(script).apply(script, OLD, NEW) is None
        if system.count < number:
            break
    else:
        pytest.fail("the write never came to its end")
    assert refused > 8 // every


@pytest.mark.skipif(os.name == "nt", reason="Windows can't exchange names")
def test_an_interrupt_during_the_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C before the exchange leaves nothing; right after it, a whole write with its history."""
    exchange = folder.exchange_names

    def interrupted_before(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    def interrupted_after(*args: Any, **options: Any) -> None:
        monkeypatch.setattr(folder, "exchange_names", exchange)
        exchange(*args, **options)
        raise KeyboardInterrupt

    script = new_project(tmp_path)
    monkeypatch.setattr(folder, "exchange_names", interrupted_before)
    with pytest.raises(KeyboardInterrupt):
        store_of(script).apply(script, OLD, NEW)
    monkeypatch.setattr(folder, "exchange_names", exchange)
    assert files(tmp_path) == {"Assets/A.cs": OLD}
    monkeypatch.setattr(folder, "exchange_names", interrupted_after)
    with pytest.raises(KeyboardInterrupt):
        store_of(script).apply(script, OLD, NEW)
    assert script.real.read_bytes() == NEW
    assert store_of(script).undo(script, content_hash(NEW)) == Undone(NEW, OLD)


def apply_in_little_space(root: str, limit: str) -> None:
    """In a process of its own: prints the error of a write that does not fit."""
    if int(limit):
        import resource

        resource.setrlimit(resource.RLIMIT_FSIZE, (int(limit), int(limit)))
    script = located(Path(root))
    answer = store_of(script).apply(script, OLD, b"x" * 1_000_000)
    print(answer.details["errno"] if isinstance(answer, SnippetError) else answer)


def in_little_space(root: Path, limit: int) -> str:
    command = [sys.executable, __file__, str(root), str(limit)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100, check=True)
    return done.stdout.strip()


@needs_limits
def test_no_room_for_the_file(tmp_path: Path) -> None:
    """The record fits, the temporary file does not."""
    script = new_project(tmp_path)
    assert in_little_space(tmp_path, 100_000) == "EFBIG"
    assert files(tmp_path) == {"Assets/A.cs": OLD}
    assert store_of(script).apply(script, OLD, NEW) is None


@needs_limits
def test_no_room_for_the_before_image(tmp_path: Path) -> None:
    """Then there is no write either: it could not be undone."""
    script = new_project(tmp_path)
    assert in_little_space(tmp_path, 500) == "EFBIG"
    assert files(tmp_path) == {"Assets/A.cs": OLD}
    assert store_of(script).apply(script, OLD, NEW) is None


def test_a_full_disk(tmp_path: Path) -> None:
    root = tmp_path / "Game"
    with small_disk(tmp_path, "256k") as fill:
        script = new_project(root)
        assert in_little_space(root, 0) == "ENOSPC"
        assert files(root) == {"Assets/A.cs": OLD}
        assert store_of(script).apply(script, OLD, NEW) is None
        fill()
        answer = store_of(script).apply(script, NEW, OLD)
        assert isinstance(answer, SnippetError)
        assert answer.details["errno"] == "ENOSPC"
        assert answer.message == no_room_for("Writing Assets/A.cs", "Library/SnippetEngine")
        assert script.real.read_bytes() == NEW
        assert store_of(script).recover() == []


def test_a_failure_without_a_number_is_no_success() -> None:
    error = write_failed(OSError("no number"), "Writing")
    assert error.code is ErrorCode.WRITE_FAILED
    assert error.message == "Writing failed: no number. Nothing was changed."
    assert "no number" in located_script().unreadable(OSError("no number")).message
    assert "OSError" in located_script().unreadable(OSError()).message


def located_script() -> ScriptPath:
    return ScriptPath("Assets/A.cs", "Assets/A.cs", Path("/Game/Assets"), ("A.cs",))


@pytest.mark.parametrize(
    "place", ["Library", "Library/SnippetEngine", "Library/SnippetEngine/locks"]
)
@pytest.mark.parametrize("kind", ["file", "link"])
def test_what_stands_where_the_engine_keeps_its_own_is_named(
    tmp_path: Path, place: str, kind: str
) -> None:
    script = new_project(tmp_path / "Library/Game")
    root = tmp_path / "Library/Game"
    (root / place).parent.mkdir(parents=True, exist_ok=True)
    if kind == "file" or place == "Library":
        (root / place).write_bytes(b"mine")
    else:
        (root / place).symlink_to(tmp_path)
    answer = store_of(script).apply(script, OLD, NEW)
    assert isinstance(answer, SnippetError)
    assert answer.message == (
        f"Writing Assets/A.cs failed: {place} can't be used: it is not a folder; move it away, or "
        "delete it. Nothing was changed."
    )
    assert (answer.details["path"], answer.details["errno"]) == (place, "ENOTDIR")
    assert script.real.read_bytes() == OLD
    (root / place).unlink()
    assert store_of(script).apply(script, OLD, NEW) is None


@pytest.mark.parametrize(
    ("failed", "place"),
    [
        ("/Games/Library/One/Library/SnippetEngine/locks/x", "Library/SnippetEngine/locks"),
        ("/Games/Library", "Library"),
        ("/Games/Library/One/Assets/A.cs", None),
        ("/Games/One/Assets/Library/A.cs", None),
        ("Library", None),
        ("A.cs", None),
        (3, None),
    ],
)
def test_only_our_own_folder_is_named(failed: object, place: str | None) -> None:
    if isinstance(failed, str) and failed.startswith("/") and os.name == "nt":
        failed = f"C:{failed}"
    error = write_failed(OSError(errno.EACCES, "x", failed), "Writing A")
    assert error.details.get("path") == place
    assert (f"failed: {place} can't be used: permission" in error.message) == (place is not None)


@pytest.mark.parametrize("number", [errno.EFBIG, errno.EACCES, errno.EIO])
def test_a_failure_names_no_file_of_ours_and_says_to_its_end_what_was_changed(
    tmp_path: Path, number: int
) -> None:
    record = tmp_path / "Library/SnippetEngine/pending" / f"{'8e' * 16}-{'35' * 16}"
    script = f"Assets/{'Folder/' * 12}A.cs"
    doing = f"Looking up the state of {show(script)} and 12 more"
    error = write_failed(OSError(number, "x", str(record)), doing, script)
    assert "8e8e" not in json.dumps(error.to_json())
    assert error.details["path"] == "Library/SnippetEngine/pending"
    assert error.message.endswith(". Nothing was changed.")
    held = FileInUseError(str(record), ["x" * 40, "y" * 40])
    busy = write_failed(held, doing, script)
    assert "8e8e" not in json.dumps(busy.to_json())
    assert busy.message.endswith(". Nothing was changed. Send this again.")


if __name__ == "__main__":
    apply_in_little_space(*sys.argv[1:])
