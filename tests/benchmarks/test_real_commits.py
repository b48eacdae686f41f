"""The player of real commits, on a small repository: what it counts is what happened."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from benchmarks.real_commits import Commit, commits_of, tried

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="needs git")


def commit(folder: Path, files: dict[str, bytes | None]) -> Commit:
    for path, data in files.items():
        file = folder / path
        if data is None:
            file.unlink()
        else:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(data)
    identity = ("-c", "user.name=Tester", "-c", "user.email=tester@localhost")
    for arguments in (("add", "--all"), (*identity, "commit", "--quiet", "-m", "next")):
        subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True)
    name = subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=folder, check=True, capture_output=True, text=True
    )
    return Commit(folder / ".git", name.stdout.strip())


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    subprocess.run(["git", "init", "--quiet"], cwd=tmp_path, check=True)
    return tmp_path


def test_each_ending_is_counted_as_what_it_is(repository: Path) -> None:
    body = b"class A\n{\n    int a;\n    int b;\n    int c;\n}\n"
    first = commit(repository, {"A.cs": body, "B.cs": b"class B { }\n", "readme.txt": b"x"})
    assert tried(first) == ("equal, and undone", "")
    moved = commit(repository, {"A.cs": None, "Deep/A.cs": body.replace(b"int c", b"int d")})
    assert tried(moved) == ("equal, and undone", "")
    assert tried(commit(repository, {"readme.txt": b"y"}))[0] == "not suited"
    broken = commit(repository, {"B.cs": b"class B {\n"})
    assert tried(broken)[0] == "refused: syntax_error"
    endings = commit(repository, {"Deep/A.cs": body.replace(b"\n", b"\r\n")})
    assert tried(endings)[0].startswith("not made: ")
    assert {each.name for each in commits_of(repository / ".git")} >= {first.name, moved.name}
