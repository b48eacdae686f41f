"""``unity-cli bundle``: what was done already, as bundles that do it again, byte for byte."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from running_server import SCRIPT, SOURCE, run_cli
from this_system import needs_git, needs_posix

from mcp_server.bundles import git_changes

EDITED = SOURCE.replace(b"speed > 10", b"speed > 20")
NEW = "Assets/New/Made.cs"
MOVED = "Assets/Core/Gone.cs"
OTHER = "Assets/Scripts/Gone.cs"


def git(folder: Path, *arguments: str) -> str:
    identity = ("-c", "user.name=Tester", "-c", "user.email=tester@localhost")
    done = subprocess.run(
        ["git", *identity, *arguments], cwd=folder, capture_output=True, text=True, check=True
    )
    return done.stdout


@pytest.fixture
def repository(project: Path) -> Path:
    """The project below a repository's root, with a commit."""
    if shutil.which("git") is None:
        pytest.skip("needs git")
    _write(project / OTHER, b"class Gone { int a; int b; int c; int d; int e; }\n")
    _write(project / f"{OTHER}.meta", b"guid: 1\n")
    root = project.parent
    git(root, "init", "--quiet")
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "-m", "first")
    return project


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def _change(project: Path) -> None:
    """An edit, a new script with another file, and a move with an edit."""
    _write(project / SCRIPT, EDITED)
    _write(project / NEW, "\ufeffclass Made\r\n{\r\n}\r\n".encode())
    _write(project / "Assets/notes.txt", b"no script")
    (project / "Assets/Core").mkdir()
    (project / OTHER).rename(project / MOVED)
    (project / f"{OTHER}.meta").rename(project / f"{MOVED}.meta")
    _write(project / MOVED, (project / MOVED).read_bytes().replace(b"int e", b"int f"))


def scripts(project: Path) -> dict[str, bytes]:
    files = (project / "Assets").rglob("*.cs*")
    return {each.relative_to(project).as_posix(): each.read_bytes() for each in files}


def reset(project: Path) -> None:
    git(project, "reset", "--quiet", "--hard", "HEAD")
    git(project, "clean", "--quiet", "-fd", "Assets")


def apply(project: Path, bundle: str) -> None:
    _write(project / "a.snippet.json", bundle.encode())
    done = run_cli("apply", "a.snippet.json", "--yes", cwd=project)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("committed", [False, True])
def test_a_bundle_from_git_does_it_again(repository: Path, committed: bool) -> None:
    before = scripts(repository)
    _change(repository)
    after = scripts(repository)
    if committed:
        git(repository, "add", "--all")
        git(repository, "commit", "--quiet", "-m", "second")
    made = run_cli("bundle", "from-git", *(["HEAD"] if committed else []), cwd=repository)
    assert made.returncode == 0, made.stderr
    assert "Assets/notes.txt" in made.stderr
    if committed:
        git(repository, "reset", "--quiet", "--hard", "HEAD~1")
    else:
        reset(repository)
    assert scripts(repository) == before
    apply(repository, made.stdout)
    assert scripts(repository) == after


LOST = "without its .meta a script gets a new GUID"


def left_out(made: subprocess.CompletedProcess[str]) -> list[str]:
    """The ``.meta`` files that a bundle is told not to have."""
    line = next((each for each in made.stderr.splitlines() if each.startswith(".meta")), None)
    if line is None:
        return []
    assert LOST in line
    return line.partition("left out: ")[2].partition(". Copy")[0].split(", ")


@needs_git
@pytest.mark.parametrize("committed", [False, True])
def test_a_meta_that_no_bundle_makes_is_named(repository: Path, committed: bool) -> None:
    _write(repository / NEW, b"class Made { }\n")
    _write(repository / f"{NEW}.meta", b"guid: 2\n")
    _write(repository / "Assets/New.meta", b"guid: 3\n")
    _write(repository / f"{OTHER}.meta", b"guid: 4\n")
    if committed:
        git(repository, "add", "--all")
        git(repository, "commit", "--quiet", "-m", "second")
    made = run_cli("bundle", "from-git", *(["HEAD"] if committed else []), cwd=repository)
    assert made.returncode == 0, made.stderr
    assert [each["path"] for each in json.loads(made.stdout)["changes"]] == [NEW]
    assert left_out(made) == [f"{NEW}.meta", f"{OTHER}.meta"]
    assert "not scripts, so left out: Assets/New.meta\n" in made.stderr


@needs_git
@pytest.mark.parametrize("content", [b"guid: 2\n", None])
def test_a_change_of_a_meta_alone_is_named(repository: Path, content: bytes | None) -> None:
    meta = repository / f"{OTHER}.meta"
    meta.unlink() if content is None else meta.write_bytes(content)
    made = run_cli("bundle", "from-git", cwd=repository)
    assert made.returncode == 1
    assert left_out(made) == [f"{OTHER}.meta"]
    assert "No script has changed" in made.stderr


@needs_git
@pytest.mark.parametrize("moved", [False, True])
def test_a_meta_that_goes_with_its_script_is_not_named(repository: Path, moved: bool) -> None:
    if moved:
        _change(repository)
        meta = repository / f"{MOVED}.meta"
        # As git checks it out where lines end otherwise.
        meta.write_bytes(meta.read_bytes().replace(b"\n", b"\r\n"))
    else:
        (repository / OTHER).unlink()
        (repository / f"{OTHER}.meta").unlink()
    made = run_cli("bundle", "from-git", cwd=repository)
    assert made.returncode == 0, made.stderr
    assert left_out(made) == []


@needs_git
def test_a_meta_that_changes_on_its_script_s_way_is_named(repository: Path) -> None:
    script = (repository / OTHER).read_bytes()
    _change(repository)
    _write(repository / MOVED, script)
    _write(repository / f"{MOVED}.meta", b"guid: 1\nlabels: [a]\n")
    git(repository, "add", "--all")
    made = run_cli("bundle", "from-git", cwd=repository)
    assert [each.get("moveTo") for each in json.loads(made.stdout)["changes"]].count(MOVED) == 1
    assert left_out(made) == [f"{MOVED}.meta"]


@needs_git
@pytest.mark.parametrize("committed", [False, True])
@pytest.mark.parametrize("stays", [False, True])
def test_another_guid_is_another_script(repository: Path, committed: bool, stays: bool) -> None:
    """git takes two texts that are alike for one script that moved."""
    _write(repository / MOVED, (repository / OTHER).read_bytes())
    _write(repository / f"{MOVED}.meta", b"guid: 5\n")
    (repository / OTHER).unlink()
    if not stays:
        (repository / f"{OTHER}.meta").unlink()
    git(repository, "add", "--all")
    if committed:
        git(repository, "commit", "--quiet", "-m", "second")
    made = run_cli("bundle", "from-git", *(["HEAD"] if committed else []), cwd=repository)
    assert made.returncode == 0, made.stderr
    assert left_out(made) == [f"{MOVED}.meta"]
    git(repository, "reset", "--quiet", "--hard", "HEAD~1" if committed else "HEAD")
    apply(repository, made.stdout)
    there = scripts(repository)
    assert MOVED in there
    assert there.keys() & {OTHER, f"{OTHER}.meta", f"{MOVED}.meta"} == set()


@needs_git
@pytest.mark.parametrize("committed", [False, True])
def test_scripts_that_follow_each_other_keep_their_guids(repository: Path, committed: bool) -> None:
    """git takes A, which took the place of B, for what became B2: their texts are alike."""
    a, b, b2 = (f"Assets/{name}.cs" for name in ("A", "B", "B2"))
    _write(repository / a, b"class A\n{\n    int a;\n    int b;\n    int c;\n}\n")
    _write(repository / b, b"class B\n{\n    int a;\n    int b;\n    int c;\n}\n")
    for path, guid in ((a, b"a"), (b, b"b")):
        _write(repository / f"{path}.meta", b"guid: %s\n" % guid)
    git(repository, "add", "--all")
    git(repository, "commit", "--quiet", "-m", "second")
    for path, to in ((b, b2), (a, b)):
        (repository / path).rename(repository / to)
        (repository / f"{path}.meta").rename(repository / f"{to}.meta")
    after = scripts(repository)
    if committed:
        git(repository, "add", "--all")
        git(repository, "commit", "--quiet", "-m", "third")
    made = run_cli("bundle", "from-git", *(["HEAD"] if committed else []), cwd=repository)
    assert made.returncode == 0, made.stderr
    assert left_out(made) == []
    if committed:
        git(repository, "reset", "--quiet", "--hard", "HEAD~1")
    else:
        reset(repository)
    apply(repository, made.stdout)
    assert scripts(repository) == after


@needs_git
@pytest.mark.parametrize("revision", [None, "HEAD", "HEAD~1..HEAD"])
def test_of_many_other_files_it_says_how_to_see_all(repository: Path, revision: str | None) -> None:
    _write(repository / SCRIPT, EDITED)
    names = [f"Assets/{number:02}.png" for number in range(23)]
    for name in names:
        _write(repository / name, name.encode())
    if revision is not None:
        git(repository, "add", "--all")
        git(repository, "commit", "--quiet", "-m", "second")
    arguments = [] if revision is None else [revision]
    made = run_cli("bundle", "from-git", *arguments, cwd=repository)
    said = re.search(r"Assets/19\.png, and 3 more \(all: git (.*)\)$", made.stderr, re.M)
    assert said, made.stderr
    listed = git(repository, *shlex.split(said[1]))
    assert [name for name in names if name not in listed] == []


def test_a_bundle_from_the_history_names_the_meta_of_a_new_script(project: Path) -> None:
    changes = [{"path": NEW, "create": "class Made { }\n"}]
    call(project, "edit_scripts", {"mode": "apply", "changes": changes})
    assert left_out(run_cli("bundle", "from-history", cwd=project)) == []
    _write(project / f"{NEW}.meta", b"guid: 6\n")  # As Unity does.
    made = run_cli("bundle", "from-history", cwd=project)
    assert made.returncode == 0, made.stderr
    assert left_out(made) == [f"{NEW}.meta"]


def test_a_range_of_commits_is_one_bundle(repository: Path) -> None:
    for text in (b"speed > 20", b"speed > 30"):
        _write(repository / SCRIPT, SOURCE.replace(b"speed > 10", text))
        git(repository, "commit", "--quiet", "-am", "next")
    made = run_cli("bundle", "from-git", "HEAD~2..HEAD", cwd=repository)
    (change,) = json.loads(made.stdout)["changes"]
    assert [each["newText"] for each in change["instructions"]] == ["        if (speed > 30)"]


def test_a_range_of_three_dots_begins_where_both_ends_set_out(repository: Path) -> None:
    git(repository, "checkout", "--quiet", "-b", "other")
    _write(repository / SCRIPT, SOURCE.replace(b"speed > 10", b"speed > 20"))
    git(repository, "commit", "--quiet", "-am", "there")
    git(repository, "checkout", "--quiet", "-")
    _write(repository / "Assets/New.cs", b"class New { }\n")
    git(repository, "add", "Assets/New.cs")
    git(repository, "commit", "--quiet", "-m", "here")
    made = run_cli("bundle", "from-git", "HEAD...other", cwd=repository)
    (change,) = json.loads(made.stdout)["changes"]
    assert change["path"] == SCRIPT
    refused = run_cli("bundle", "from-git", "HEAD...--output=x", cwd=repository)
    assert "names no commit" in refused.stderr
    assert not (repository / "x").exists()


def test_a_script_that_goes_while_it_is_read_is_named(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _write(repository / SCRIPT, EDITED)
    object_contents = git_changes.object_contents

    def then_gone(*arguments: Any) -> Any:
        (repository / SCRIPT).unlink()
        return object_contents(*arguments)

    monkeypatch.setattr(git_changes, "object_contents", then_gone)
    told = git_changes.changed_scripts(repository, None)
    assert told == git_changes.GitError(f"{SCRIPT} can't be read: No such file or directory.")


def test_the_bundle_can_be_a_file(repository: Path) -> None:
    (repository / "Edits").mkdir()
    _write(repository / SCRIPT, EDITED)
    made = run_cli("bundle", "from-git", "--out", "Edits/a.snippet.json", cwd=repository)
    assert (made.returncode, made.stderr) == (0, "")
    _write(repository / SCRIPT, SOURCE)
    assert run_cli("lint", "Edits", cwd=repository).returncode == 0


@pytest.mark.parametrize("name", ["taken.snippet.json", SCRIPT])
def test_a_bundle_takes_no_other_file_s_place(repository: Path, name: str) -> None:
    _write(repository / SCRIPT, EDITED)
    (repository / "taken.snippet.json").write_text("mine", encoding="utf-8")
    before = (repository / name).read_bytes()
    made = run_cli("bundle", "from-git", "--out", name, cwd=repository)
    assert made.returncode != 0
    assert name in made.stderr
    assert (repository / name).read_bytes() == before


def test_a_dry_run_writes_no_bundle(repository: Path) -> None:
    _write(repository / SCRIPT, EDITED)
    made = run_cli("--dry-run", "bundle", "from-git", "--out", "a.snippet.json", cwd=repository)
    assert made.returncode == 0, made.stderr
    assert "dry run" in made.stdout
    assert not (repository / "a.snippet.json").exists()


def test_what_cannot_be_in_a_bundle_is_told_and_nothing_written(repository: Path) -> None:
    _write(repository / SCRIPT, EDITED.replace(b"\r\n", b"\n"))
    _write(repository / NEW, b"class Made { }\n")
    made = run_cli("bundle", "from-git", "--out", "a.snippet.json", cwd=repository)
    assert made.returncode != 0
    assert f"can't be bundled: {SCRIPT}: its line endings change" in made.stderr
    assert not (repository / "a.snippet.json").exists()
    made = run_cli("bundle", "from-git", "--partial", cwd=repository)
    assert [each["path"] for each in json.loads(made.stdout)["changes"]] == [NEW]


@needs_git
@needs_posix
@pytest.mark.parametrize("committed", [False, True])
def test_a_name_that_no_bundle_can_have_is_told_and_left_out(
    repository: Path, committed: bool
) -> None:
    names = ["back\\sl.cs", 'A"b.cs', "Con.cs", "x:y.cs", "a\tb.cs", "a\nb.cs"]
    for name in names:
        _write(repository / "Assets" / name, b"class Named { }\n")
    (repository / OTHER).rename(repository / "Assets/Scripts/Gone?.cs")
    _write(repository / SCRIPT, EDITED)
    if committed:
        git(repository, "add", "--all")
        git(repository, "commit", "--quiet", "-m", "second")
    revision = ["HEAD"] if committed else []
    whole = run_cli("bundle", "from-git", *revision, cwd=repository)
    assert (whole.returncode, whole.stdout) == (2, "")
    told = [line for line in whole.stderr.splitlines() if line.startswith("can't be bundled: ")]
    # One line for each of the names, and for the target of a move that git finds only staged.
    assert len(told) == len(names) + 1
    assert "can't be bundled: Assets/back\\sl.cs: its path has a backslash" in whole.stderr
    assert "can't be bundled: Assets/a\N{REPLACEMENT CHARACTER}b.cs: its path has" in whole.stderr
    made = run_cli("bundle", "from-git", "--partial", *revision, cwd=repository)
    assert made.returncode == 0, made.stderr
    # Where git sees no move, what went is deleted.
    listed = {each["path"] for each in json.loads(made.stdout)["changes"]}
    assert listed == {SCRIPT} if committed else listed == {SCRIPT, OTHER}


@needs_git
@pytest.mark.parametrize(
    ("target", "text"),
    [
        pytest.param("x\\y.cs", b"class B { int x; }\n", marks=needs_posix),
        ("C.cs", b"class B { } // \xe4\n"),
    ],
)
def test_what_hangs_on_a_script_that_is_left_out_is_left_out_too(
    repository: Path, target: str, text: bytes
) -> None:
    a, b = "Assets/A.cs", "Assets/B.cs"
    _write(repository / a, b"class A { int a; }\n")
    _write(repository / f"{a}.meta", b"guid: a\n")
    _write(repository / b, text)
    _write(repository / f"{b}.meta", b"guid: b\n")
    git(repository, "add", "--all")
    git(repository, "commit", "--quiet", "-m", "second")
    before = scripts(repository)
    edited = text.replace(b"class B", b"class  B")
    for path, to in ((b, f"Assets/{target}"), (a, b)):
        (repository / path).rename(repository / to)
        (repository / f"{path}.meta").rename(repository / f"{to}.meta")
    _write(repository / "Assets" / target, edited)
    _write(repository / SCRIPT, EDITED)
    git(repository, "add", "--all")
    made = run_cli("bundle", "from-git", "--partial", cwd=repository)
    assert made.returncode == 0, made.stderr
    assert re.search(
        f"can't be bundled: {a}( [(]moves to .*[)])?: it depends on Assets/", made.stderr
    )
    assert made.stderr.count("can't be bundled: ") == 2
    reset(repository)
    apply(repository, made.stdout)
    assert scripts(repository) == {**before, SCRIPT: EDITED}


@needs_git
@needs_posix
@pytest.mark.parametrize("committed", [False, True])
def test_a_mode_is_told(repository: Path, committed: bool) -> None:
    def made(*arguments: str) -> subprocess.CompletedProcess[str]:
        revision = ["HEAD"] if committed else []
        if committed:
            git(repository, "add", "--all")
            git(repository, "commit", "--quiet", "-m", "next")
        return run_cli("bundle", "from-git", *arguments, *revision, cwd=repository)

    (repository / OTHER).chmod(0o755)
    alone = made("--partial")
    assert alone.returncode == 1
    assert (
        f"can't be bundled: {OTHER}: its mode alone changes (100644 becomes 100755)" in alone.stderr
    )
    assert "No script that changed can be in a bundle." in alone.stderr
    _write(repository / SCRIPT, EDITED)
    (repository / SCRIPT).chmod(0o755)
    _write(repository / NEW, b"class Made { }\n")
    (repository / NEW).chmod(0o755)
    git(repository, "add", "--all")
    beside = made("--partial")
    assert beside.returncode == 0, beside.stderr
    told = "file modes, which a bundle can't set: "
    line = next(each for each in beside.stderr.splitlines() if each.startswith(told))
    assert set(line.removeprefix(told).split(", ")) == {
        f"{path} (100644 becomes 100755)" for path in (SCRIPT, NEW)
    }


@needs_git
@needs_posix
def test_where_all_are_left_out_it_does_not_say_that_none_changed(repository: Path) -> None:
    _write(repository / "Assets/Con.cs", b"class Con { }\n")
    made = run_cli("bundle", "from-git", "--partial", cwd=repository)
    assert made.returncode == 1
    assert "No script that changed can be in a bundle." in made.stderr


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["from-git", "no-such-revision"], "no-such-revision is not a commit"),
        (["from-git"], "No script has changed"),
        (["from-history"], "The history of this project is empty"),
    ],
)
def test_where_there_is_nothing_it_says_so(
    repository: Path, arguments: list[str], told: str
) -> None:
    done = run_cli("bundle", *arguments, cwd=repository)
    assert done.returncode != 0
    assert told in done.stdout + done.stderr


def test_the_folder_of_the_file_is_none_that_is_made(repository: Path, tmp_path: Path) -> None:
    _write(repository / SCRIPT, EDITED)
    out = tmp_path / "mistyped" / "a.snippet.json"
    made = run_cli("bundle", "from-git", "--out", str(out), cwd=repository)
    assert made.returncode == 2
    assert f"--out {out}: there is no folder {out.parent}." in made.stderr
    assert not out.parent.exists()


def test_an_empty_range_names_the_range_and_the_folders(repository: Path) -> None:
    done = run_cli("bundle", "from-git", "HEAD..HEAD", cwd=repository)
    assert done.returncode == 1
    assert f"No script has changed below {repository / 'Assets'} or" in done.stderr
    assert "in 'HEAD..HEAD'." in done.stderr
    assert "ignores" not in done.stderr


@pytest.mark.parametrize("arguments", [[], ["HEAD"]])
def test_scripts_that_git_ignores_are_told_from_unchanged_ones(
    repository: Path, arguments: list[str]
) -> None:
    root = repository.parent
    (root / ".gitignore").write_text(f"/{repository.name}/\n")
    git(root, "rm", "-r", "--quiet", "--cached", repository.name)
    git(root, "add", ".gitignore")
    git(root, "commit", "--quiet", "-m", "ignored")
    git(root, "commit", "--quiet", "--allow-empty", "-m", "nothing")
    _write(repository / SCRIPT, EDITED)
    done = run_cli("bundle", "from-git", *arguments, cwd=repository)
    assert done.returncode == 1
    assert "git ignores scripts there. For changes made with these tools: unity-cli" in done.stderr


@needs_git
@pytest.mark.parametrize("arguments", [[], ["HEAD"], ["A..B"]])
def test_outside_of_a_repository_it_says_so(project: Path, arguments: list[str]) -> None:
    done = run_cli("bundle", "from-git", *arguments, cwd=project)
    assert done.returncode == 2
    assert "The project is in no git repository" in done.stderr
    assert "from-history" in done.stderr


@needs_git
def test_a_repository_without_a_commit_has_nothing_but_new_scripts(project: Path) -> None:
    git(project.parent, "init", "--quiet")
    git(project, "add", SCRIPT)
    _write(project / NEW, b"class Made { }\n")
    done = run_cli("bundle", "from-git", cwd=project)
    assert done.returncode == 0, done.stderr
    created = {each["path"]: each["create"] for each in json.loads(done.stdout)["changes"]}
    assert created == {SCRIPT: SOURCE.decode(), NEW: "class Made { }\n"}


@pytest.mark.parametrize("revision", ["--output=stolen", "HEAD..--output=stolen"])
def test_an_option_is_no_revision(repository: Path, revision: str) -> None:
    done = run_cli("bundle", "from-git", "--", revision, cwd=repository)
    assert done.returncode == 2
    assert "names no commit" in done.stderr
    assert not list(repository.parent.rglob("stolen*"))


def call(project: Path, tool: str, request: Any) -> None:
    done = run_cli("tool", "call", tool, "--json", json.dumps(request), cwd=project)
    assert done.returncode == 0, done.stdout + done.stderr


def replaced(path: str, target: str, new_text: str) -> dict[str, Any]:
    anchor = {"type": "text", "target": target}
    instruction = {"operation": "replace", "anchor": anchor, "newText": new_text}
    return {"path": path, "instructions": [instruction]}


def test_a_bundle_from_history_is_what_all_changes_came_to(project: Path) -> None:
    _write(project / OTHER, b"class Gone { int a; }\n")
    before = scripts(project)
    call(project, "edit_snippet", {**replaced(SCRIPT, "speed > 10", "speed > 15"), "mode": "apply"})
    changes = [
        replaced(SCRIPT, "speed > 15", "speed > 20"),
        {"path": NEW, "create": "class Made { }\n"},
        {"path": OTHER, "moveTo": "Assets/Scripts/There.cs"},
    ]
    call(project, "edit_scripts", {"mode": "apply", "changes": changes})
    again = {"path": "Assets/Scripts/There.cs", "moveTo": MOVED}
    again |= {"instructions": replaced("", "int a", "int b")["instructions"]}
    call(project, "edit_scripts", {"mode": "apply", "changes": [again]})
    after = scripts(project)
    made = run_cli("bundle", "from-history", "--last", "3", cwd=project)
    assert made.returncode == 0, made.stderr
    listed = {each["path"]: each for each in json.loads(made.stdout)["changes"]}
    assert listed.keys() == {SCRIPT, NEW, OTHER}
    assert listed[OTHER]["moveTo"] == MOVED
    for _ in range(3):
        assert run_cli("undo", cwd=project).returncode == 0
    assert scripts(project) == before
    apply(project, made.stdout)
    assert scripts(project) == after


def test_what_somebody_else_changed_since_is_not_taken_for_the_agents(project: Path) -> None:
    call(project, "edit_snippet", {**replaced(SCRIPT, "speed > 10", "speed > 15"), "mode": "apply"})
    _write(project / SCRIPT, SOURCE + b"// mine\n")
    done = run_cli("bundle", "from-history", cwd=project)
    assert done.returncode != 0
    assert "was changed by something else since" in done.stderr
    assert "try `unity-cli bundle from-git`" in done.stderr


@pytest.mark.parametrize("command", ["from-git", "from-history"])
def test_outside_of_a_project_it_says_how_to_name_one(no_project: Path, command: str) -> None:
    done = run_cli("bundle", command, cwd=no_project)
    assert done.returncode == 2
    assert "--project PATH" in done.stderr
    assert str(no_project) in done.stderr


@needs_git
@pytest.mark.parametrize(
    ("revision", "told"),
    [
        ("nosuch", "nosuch is not a commit of "),
        ("HEAD..nosuch", "nosuch is not a commit of "),
        ("HEAD~1..HEAD", "HEAD~1 is not a commit of "),
        ("HEAD^", "HEAD^ is not a commit of "),
        ("HEAD...nosuch", "nosuch is not a commit of "),
        ("HEAD:Assets", "HEAD:Assets is not a commit of "),
        ("HEAD^{tree}", "HEAD^{tree} is not a commit of "),
        ("HEAD^{blob}", "HEAD^{blob} is not a commit of "),
        ("HEAD:Assets..HEAD", "HEAD:Assets is not a commit of "),
        ("^HEAD", "^HEAD is not a commit of "),
        ("HEAD..HEAD..HEAD", "HEAD..HEAD is not a commit of "),
        ("..", "'..' names no commit on either side"),
        ("...", "'...' names no commit on either side"),
        ("", "REV is empty"),
    ],
)
def test_what_is_no_commit_is_told_with_what_to_give_instead(
    repository: Path, revision: str, told: str
) -> None:
    done = run_cli("bundle", "from-git", revision, cwd=repository)
    assert done.returncode == 2
    assert told in done.stderr
    assert run_cli("bundle", "from-git", "HEAD", cwd=repository).returncode == 0


@needs_git
@pytest.mark.parametrize("before", [True, False])
def test_a_bundle_in_a_file_is_told_as_json(repository: Path, *, before: bool) -> None:
    as_json = ("--output", "json")
    command = ("bundle", "from-git", "HEAD", "--out", "made.snippet.json")
    words = (*as_json, *command) if before else (*command, *as_json)
    told = {"file": "made.snippet.json", "scripts": 2}
    dry = run_cli("--dry-run", *words, cwd=repository)
    assert json.loads(dry.stdout) == {**told, "written": False, "dry_run": True}
    done = run_cli(*words, cwd=repository)
    assert json.loads(done.stdout) == {**told, "written": True, "dry_run": False}
    assert "changes" in json.loads((repository / "made.snippet.json").read_text())
