"""``unity-cli bundle from-git`` where git keeps scripts otherwise than a checkout has them."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from running_server import run_cli
from this_system import needs_git

EDITED = "Assets/Edited.cs"
GONE = "Assets/Gone.cs"
MOVED = "Assets/Moved.cs"
MADE = "Assets/Made.cs"
ELSEWHERE = "Assets/Elsewhere.cs"
TEXT = b"class Some\r\n{\r\n    int a;\r\n}\r\n"

pytestmark = needs_git


def git(folder: Path, *arguments: str) -> None:
    identity = ("-c", "user.name=Tester", "-c", "user.email=tester@localhost")
    subprocess.run(["git", *identity, *arguments], cwd=folder, capture_output=True, check=True)


@pytest.fixture(params=["autocrlf", "attributes"])
def checkout(project: Path, request: pytest.FixtureRequest) -> Path:
    """The project below a repository's root, which keeps LF where the files have CRLF."""
    root = project.parent
    git(root, "init", "--quiet")
    if request.param == "autocrlf":
        git(root, "config", "core.autocrlf", "true")
    else:
        git(root, "config", "core.autocrlf", "false")
        (root / ".gitattributes").write_bytes(b"*.cs text eol=crlf\n")
    for path in (EDITED, GONE, MOVED):
        (project / path).write_bytes(TEXT.replace(b"Some", Path(path).stem.encode()))
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "-m", "first")
    return project


def scripts(project: Path) -> dict[str, bytes]:
    files = (project / "Assets").rglob("*.cs")
    return {each.relative_to(project).as_posix(): each.read_bytes() for each in files}


@pytest.mark.parametrize("committed", [False, True])
def test_a_bundle_is_of_the_scripts_as_they_are_checked_out(
    checkout: Path, committed: bool
) -> None:
    before = scripts(checkout)
    (checkout / EDITED).write_bytes(before[EDITED].replace(b"int a", b"int b"))
    (checkout / GONE).unlink()
    (checkout / MOVED).rename(checkout / ELSEWHERE)
    (checkout / MADE).write_bytes(b"class Made\r\n{\r\n}\r\n")
    after = scripts(checkout)
    if committed:
        git(checkout, "add", "--all")
        git(checkout, "commit", "--quiet", "-m", "second")
    made = run_cli("bundle", "from-git", *(["HEAD"] if committed else []), cwd=checkout)
    assert made.returncode == 0, made.stderr
    if committed:
        git(checkout, "checkout", "--quiet", "--force", "HEAD~1")
    else:
        git(checkout, "reset", "--quiet", "--hard", "HEAD")
        git(checkout, "clean", "--quiet", "-fd", "Assets")
    assert scripts(checkout) == before
    (checkout / "a.snippet.json").write_text(made.stdout, encoding="utf-8")
    done = run_cli("apply", "a.snippet.json", "--yes", cwd=checkout)
    assert done.returncode == 0, done.stdout + done.stderr
    assert scripts(checkout) == after


def test_a_script_saved_with_the_line_endings_that_git_keeps_can_be_in_it(checkout: Path) -> None:
    (checkout / EDITED).write_bytes(b"class Edited\n{\n    int b;\n}\n")
    made = run_cli("bundle", "from-git", cwd=checkout)
    assert made.returncode == 0, made.stderr
    assert [each["path"] for each in json.loads(made.stdout)["changes"]] == [EDITED]


def test_both_names_of_a_move_that_cannot_be_in_it_are_told(checkout: Path) -> None:
    (checkout / "Assets/moved").mkdir()
    (checkout / MOVED).rename(checkout / "Assets/moved/MOVED.cs")
    (checkout / "Assets/Moved").mkdir(exist_ok=True)
    name = f"Assets/Moved/{'a' * 250}.cs"
    (checkout / GONE).rename(checkout / name)
    git(checkout, "add", "--all")
    git(checkout, "commit", "--quiet", "-m", "second")
    made = run_cli("bundle", "from-git", "HEAD", cwd=checkout)
    assert f"can't be bundled: {name} (moved from {GONE}): " in made.stderr
