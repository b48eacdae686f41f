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


Done = subprocess.CompletedProcess[str]


def git(folder: Path, *arguments: str) -> str:
    if shutil.which("git") is None:
        pytest.skip("needs git")
    identity = ("-c", "user.name=Tester", "-c", "user.email=tester@localhost")
    done = subprocess.run(
        ["git", *identity, *arguments], cwd=folder, capture_output=True, text=True, check=True
    )
    return done.stdout


@pytest.fixture
def repository(project: Path) -> Path:
    """The project below a repository's root, with a commit."""
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


def _move(project: Path, path: str, to: str) -> None:
    """Move a script with its ``.meta``."""
    for ending in ("", ".meta"):
        (project / f"{path}{ending}").rename(project / f"{to}{ending}")


def _change(project: Path) -> None:
    """An edit, a new script with another file, and a move with an edit."""
    _write(project / SCRIPT, EDITED)
    _write(project / NEW, "\ufeffclass Made\r\n{\r\n}\r\n".encode())
    _write(project / "Assets/notes.txt", b"no script")
    (project / "Assets/Core").mkdir()
    _move(project, OTHER, MOVED)
    _write(project / MOVED, (project / MOVED).read_bytes().replace(b"int e", b"int f"))


def scripts(project: Path) -> dict[str, bytes]:
    files = (project / "Assets").rglob("*.cs*")
    return {each.relative_to(project).as_posix(): each.read_bytes() for each in files}


def commit(project: Path) -> None:
    git(project, "add", "--all")
    git(project, "commit", "--quiet", "-m", "next")


def bundled(project: Path, committed: bool = False, *options: str) -> Done:
    """The bundle of what has changed since the last commit, or of what a commit changes."""
    if committed:
        commit(project)
    revision = ["HEAD"] if committed else []
    return run_cli("bundle", "from-git", *options, *revision, cwd=project)


def changes(made: Done) -> list[dict[str, Any]]:
    assert made.returncode == 0, made.stderr
    found: list[dict[str, Any]] = json.loads(made.stdout)["changes"]
    return found


def take_back(project: Path, committed: bool = False) -> None:
    git(project, "reset", "--quiet", "--hard", "HEAD~1" if committed else "HEAD")
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
    made = bundled(repository, committed)
    assert made.returncode == 0, made.stderr
    assert "Assets/notes.txt" in made.stderr
    take_back(repository, committed)
    assert scripts(repository) == before
    apply(repository, made.stdout)
    assert scripts(repository) == after


LOST = "without its .meta a script gets a new GUID"


def left_out(made: Done) -> list[str]:
    """The ``.meta`` files that a bundle is told not to have."""
    line = next((each for each in made.stderr.splitlines() if each.startswith(".meta")), None)
    if line is None:
        return []
    assert LOST in line
    return line.partition("left out: ")[2].partition(". Copy")[0].split(", ")


@pytest.mark.parametrize("committed", [False, True])
def test_a_meta_that_no_bundle_makes_is_named(repository: Path, committed: bool) -> None:
    _write(repository / NEW, b"class Made { }\n")
    _write(repository / f"{NEW}.meta", b"guid: 2\n")
    _write(repository / "Assets/New.meta", b"guid: 3\n")
    _write(repository / f"{OTHER}.meta", b"guid: 4\n")
    made = bundled(repository, committed)
    assert [each["path"] for each in changes(made)] == [NEW]
    assert left_out(made) == [f"{NEW}.meta", f"{OTHER}.meta"]
    assert "not scripts, so left out: Assets/New.meta\n" in made.stderr


@pytest.mark.parametrize("content", [b"guid: 2\n", None])
def test_a_change_of_a_meta_alone_is_named(repository: Path, content: bytes | None) -> None:
    meta = repository / f"{OTHER}.meta"
    meta.unlink() if content is None else meta.write_bytes(content)
    made = bundled(repository)
    assert made.returncode == 1
    assert left_out(made) == [f"{OTHER}.meta"]
    assert "No script has changed" in made.stderr


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
    made = bundled(repository)
    assert changes(made)
    assert left_out(made) == []


def test_a_meta_that_changes_on_its_script_s_way_is_named(repository: Path) -> None:
    script = (repository / OTHER).read_bytes()
    _change(repository)
    _write(repository / MOVED, script)
    _write(repository / f"{MOVED}.meta", b"guid: 1\nlabels: [a]\n")
    git(repository, "add", "--all")
    made = bundled(repository)
    assert [each.get("moveTo") for each in changes(made)].count(MOVED) == 1
    assert left_out(made) == [f"{MOVED}.meta"]


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
    made = bundled(repository, committed)
    assert made.returncode == 0, made.stderr
    assert left_out(made) == [f"{MOVED}.meta"]
    git(repository, "reset", "--quiet", "--hard", "HEAD~1" if committed else "HEAD")
    apply(repository, made.stdout)
    there = scripts(repository)
    assert MOVED in there
    assert there.keys() & {OTHER, f"{OTHER}.meta", f"{MOVED}.meta"} == set()


@pytest.mark.parametrize("committed", [False, True])
def test_scripts_that_follow_each_other_keep_their_guids(repository: Path, committed: bool) -> None:
    """git takes A, which took the place of B, for what became B2: their texts are alike."""
    a, b, b2 = (f"Assets/{name}.cs" for name in ("A", "B", "B2"))
    for path, name in ((a, b"a"), (b, b"b")):
        text = b"class %s\n{\n    int a;\n    int b;\n    int c;\n}\n" % name
        _write(repository / path, text)
        _write(repository / f"{path}.meta", b"guid: %s\n" % name)
    commit(repository)
    _move(repository, b, b2)
    _move(repository, a, b)
    after = scripts(repository)
    made = bundled(repository, committed)
    assert made.returncode == 0, made.stderr
    assert left_out(made) == []
    take_back(repository, committed)
    apply(repository, made.stdout)
    assert scripts(repository) == after


@pytest.mark.parametrize("revision", [None, "HEAD", "HEAD~1..HEAD"])
def test_of_many_other_files_it_says_how_to_see_all(repository: Path, revision: str | None) -> None:
    _write(repository / SCRIPT, EDITED)
    names = [f"Assets/{number:02}.png" for number in range(23)]
    for name in names:
        _write(repository / name, name.encode())
    if revision is not None:
        commit(repository)
    made = bundled(repository, False, *([revision] if revision else []))
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
        commit(repository)
    (change,) = changes(bundled(repository, False, "HEAD~2..HEAD"))
    assert [each["newText"] for each in change["instructions"]] == ["        if (speed > 30)"]
    empty = bundled(repository, False, "HEAD..HEAD")
    assert empty.returncode == 1
    assert f"No script has changed below {repository / 'Assets'} or" in empty.stderr
    assert "in 'HEAD..HEAD'." in empty.stderr
    assert "ignores" not in empty.stderr


def test_a_range_of_three_dots_begins_where_both_ends_set_out(repository: Path) -> None:
    git(repository, "checkout", "--quiet", "-b", "other")
    _write(repository / SCRIPT, EDITED)
    commit(repository)
    git(repository, "checkout", "--quiet", "-")
    _write(repository / "Assets/New.cs", b"class New { }\n")
    commit(repository)
    (change,) = changes(bundled(repository, False, "HEAD...other"))
    assert change["path"] == SCRIPT


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


@pytest.mark.parametrize("name", ["taken.snippet.json", SCRIPT])
def test_a_bundle_takes_no_other_file_s_place(repository: Path, name: str) -> None:
    _write(repository / SCRIPT, EDITED)
    (repository / "taken.snippet.json").write_text("mine", encoding="utf-8")
    before = (repository / name).read_bytes()
    made = bundled(repository, False, "--out", name)
    assert made.returncode != 0
    assert name in made.stderr
    assert (repository / name).read_bytes() == before


def test_what_cannot_be_in_a_bundle_is_told_and_nothing_written(repository: Path) -> None:
    _write(repository / SCRIPT, EDITED.replace(b"\r\n", b"\n"))
    _write(repository / NEW, b"class Made { }\n")
    made = bundled(repository, False, "--out", "a.snippet.json")
    assert made.returncode != 0
    assert f"can't be bundled: {SCRIPT}: its line endings change" in made.stderr
    assert not (repository / "a.snippet.json").exists()
    assert [each["path"] for each in changes(bundled(repository, False, "--partial"))] == [NEW]


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
    whole = bundled(repository, committed)
    assert (whole.returncode, whole.stdout) == (2, "")
    told = [line for line in whole.stderr.splitlines() if line.startswith("can't be bundled: ")]
    # One line for each of the names, and for the target of a move that git finds only staged.
    assert len(told) == len(names) + 1
    assert "can't be bundled: Assets/back\\sl.cs: its path has a backslash" in whole.stderr
    assert "can't be bundled: Assets/a\N{REPLACEMENT CHARACTER}b.cs: its path has" in whole.stderr
    made = bundled(repository, False, "--partial", *(["HEAD"] if committed else []))
    # Where git sees no move, what went is deleted.
    expected = {SCRIPT} if committed else {SCRIPT, OTHER}
    assert {each["path"] for each in changes(made)} == expected


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
    for path, guid, content in ((a, b"a", b"class A { int a; }\n"), (b, b"b", text)):
        _write(repository / path, content)
        _write(repository / f"{path}.meta", b"guid: %s\n" % guid)
    commit(repository)
    before = scripts(repository)
    _move(repository, b, f"Assets/{target}")
    _move(repository, a, b)
    _write(repository / "Assets" / target, text.replace(b"class B", b"class  B"))
    _write(repository / SCRIPT, EDITED)
    git(repository, "add", "--all")
    made = bundled(repository, False, "--partial")
    assert made.returncode == 0, made.stderr
    depends = f"can't be bundled: {a}( [(]moves to .*[)])?: it depends on Assets/"
    assert re.search(depends, made.stderr)
    assert made.stderr.count("can't be bundled: ") == 2
    take_back(repository)
    apply(repository, made.stdout)
    assert scripts(repository) == {**before, SCRIPT: EDITED}


@needs_posix
@pytest.mark.parametrize("committed", [False, True])
def test_a_mode_is_told(repository: Path, committed: bool) -> None:
    (repository / OTHER).chmod(0o755)
    alone = bundled(repository, committed, "--partial")
    assert alone.returncode == 1
    told = f"can't be bundled: {OTHER}: its mode alone changes (100644 becomes 100755)"
    assert told in alone.stderr
    assert "No script that changed can be in a bundle." in alone.stderr
    _write(repository / SCRIPT, EDITED)
    _write(repository / NEW, b"class Made { }\n")
    for path in (SCRIPT, NEW):
        (repository / path).chmod(0o755)
    git(repository, "add", "--all")
    beside = bundled(repository, committed, "--partial")
    assert beside.returncode == 0, beside.stderr
    told = "file modes, which a bundle can't set: "
    line = next(each for each in beside.stderr.splitlines() if each.startswith(told))
    assert set(line.removeprefix(told).split(", ")) == {
        f"{path} (100644 becomes 100755)" for path in (SCRIPT, NEW)
    }


def test_the_folder_of_the_file_is_none_that_is_made(repository: Path, tmp_path: Path) -> None:
    _write(repository / SCRIPT, EDITED)
    out = tmp_path / "mistyped" / "a.snippet.json"
    made = bundled(repository, False, "--out", str(out))
    assert made.returncode == 2
    assert f"--out {out}: there is no folder {out.parent}." in made.stderr
    assert not out.parent.exists()


def test_scripts_that_git_ignores_are_told_from_unchanged_ones(repository: Path) -> None:
    root = repository.parent
    (root / ".gitignore").write_text(f"/{repository.name}/\n")
    git(root, "rm", "-r", "--quiet", "--cached", repository.name)
    commit(root)
    git(root, "commit", "--quiet", "--allow-empty", "-m", "nothing")
    _write(repository / SCRIPT, EDITED)
    for revision in ([], ["HEAD"]):
        done = bundled(repository, False, *revision)
        assert done.returncode == 1
        told = "git ignores scripts there. For changes made with these tools: unity-cli"
        assert told in done.stderr


@needs_git
def test_outside_of_a_repository_it_says_so(project: Path) -> None:
    for revision in ([], ["HEAD"], ["A..B"]):
        done = bundled(project, False, *revision)
        assert done.returncode == 2
        assert "The project is in no git repository" in done.stderr
        assert "from-history" in done.stderr


def test_a_repository_without_a_commit_has_nothing_but_new_scripts(project: Path) -> None:
    git(project.parent, "init", "--quiet")
    git(project, "add", SCRIPT)
    _write(project / NEW, b"class Made { }\n")
    created = {each["path"]: each["create"] for each in changes(bundled(project))}
    assert created == {SCRIPT: SOURCE.decode(), NEW: "class Made { }\n"}


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
    empty = run_cli("bundle", "from-history", cwd=project)
    assert empty.returncode != 0
    assert "The history of this project is empty" in empty.stderr
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


NO_COMMITS = {
    "nosuch": "nosuch is not a commit of ",
    "HEAD..nosuch": "nosuch is not a commit of ",
    "HEAD~1..HEAD": "HEAD~1 is not a commit of ",
    "HEAD^": "HEAD^ is not a commit of ",
    "HEAD...nosuch": "nosuch is not a commit of ",
    "HEAD:Assets": "HEAD:Assets is not a commit of ",
    "HEAD^{tree}": "HEAD^{tree} is not a commit of ",
    "HEAD^{blob}": "HEAD^{blob} is not a commit of ",
    "HEAD:Assets..HEAD": "HEAD:Assets is not a commit of ",
    "^HEAD": "^HEAD is not a commit of ",
    "HEAD..HEAD..HEAD": "HEAD..HEAD is not a commit of ",
    "..": "'..' names no commit on either side",
    "...": "'...' names no commit on either side",
    "": "REV is empty",
    "--output=stolen": "names no commit",
    "HEAD..--output=stolen": "names no commit",
    "HEAD...--output=stolen": "names no commit",
}


def test_what_is_no_commit_is_told_with_what_to_give_instead(repository: Path) -> None:
    for revision, told in NO_COMMITS.items():
        done = bundled(repository, False, "--", revision)
        assert done.returncode == 2, revision
        assert told in done.stderr, revision
    assert not list(repository.parent.rglob("stolen*"))
    assert bundled(repository, False, "HEAD").returncode == 0


@pytest.mark.parametrize("before", [True, False])
def test_a_bundle_in_a_file_is_told_as_json(repository: Path, *, before: bool) -> None:
    as_json = ("--output", "json")
    command = ("bundle", "from-git", "HEAD", "--out", "made.snippet.json")
    words = (*as_json, *command) if before else (*command, *as_json)
    told = {"file": "made.snippet.json", "scripts": 2}
    dry = run_cli("--dry-run", *words, cwd=repository)
    assert json.loads(dry.stdout) == {**told, "written": False, "dry_run": True}
    assert not (repository / "made.snippet.json").exists()
    done = run_cli(*words, cwd=repository)
    assert json.loads(done.stdout) == {**told, "written": True, "dry_run": False}
    assert "changes" in json.loads((repository / "made.snippet.json").read_text())


# -- where git keeps scripts otherwise than a checkout has them ---------------------------------

EDIT, GONE, KEPT = (f"Assets/{name}.cs" for name in ("Edit", "Gone", "Kept"))


@pytest.fixture(params=["autocrlf", "attributes"])
def checkout(project: Path, request: pytest.FixtureRequest) -> Path:
    """The project below a repository's root, which keeps LF where the files have CRLF."""
    root = project.parent
    git(root, "init", "--quiet")
    by_setting = request.param == "autocrlf"
    git(root, "config", "core.autocrlf", "true" if by_setting else "false")
    if not by_setting:
        (root / ".gitattributes").write_bytes(b"*.cs text eol=crlf\n")
    for path in (EDIT, GONE, KEPT):
        text = f"class {Path(path).stem}\r\n{{\r\n    int a;\r\n}}\r\n"
        (project / path).write_bytes(text.encode())
    commit(root)
    return project


@pytest.mark.parametrize("committed", [False, True])
def test_a_bundle_is_of_the_scripts_as_they_are_checked_out(
    checkout: Path, committed: bool
) -> None:
    before = scripts(checkout)
    _write(checkout / EDIT, before[EDIT].replace(b"int a", b"int b"))
    (checkout / GONE).unlink()
    (checkout / KEPT).rename(checkout / "Assets/Elsewhere.cs")
    _write(checkout / "Assets/Made.cs", b"class Made\r\n{\r\n}\r\n")
    after = scripts(checkout)
    made = bundled(checkout, committed)
    assert made.returncode == 0, made.stderr
    take_back(checkout, committed)
    assert scripts(checkout) == before
    apply(checkout, made.stdout)
    assert scripts(checkout) == after


def test_line_endings_as_git_keeps_them_and_both_names_of_a_move_that_cant_be(
    checkout: Path,
) -> None:
    _write(checkout / EDIT, b"class Edit\n{\n    int b;\n}\n")
    assert [each["path"] for each in changes(bundled(checkout))] == [EDIT]
    name = f"Assets/Long/{'a' * 250}.cs"
    (checkout / "Assets/Long").mkdir()
    (checkout / GONE).rename(checkout / name)
    made = bundled(checkout, True)
    assert f"can't be bundled: {name} (moved from {GONE}): " in made.stderr
