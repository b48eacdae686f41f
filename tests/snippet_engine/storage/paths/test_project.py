"""Where a path really leads: docs/design/engine.md §6."""

from __future__ import annotations

import errno
import json
import os
import socket
from pathlib import Path

import pytest
from answered import refusal, success
from this_system import needs_fifo, needs_posix

from snippet_engine.errors import ErrorCode, SnippetError, shortened_start
from snippet_engine.source_text import MAX_FILE_BYTES
from snippet_engine.storage.paths.project import FileSnapshot, Project, ScriptPath
from snippet_engine.storage.system.folder import Folder


def located(project: Project, path: str, *, for_writing: bool = True) -> ScriptPath:
    return success(project.locate(path, for_writing=for_writing))


def refused(project: Project, path: str, *, for_writing: bool = True) -> SnippetError:
    error = refusal(project.locate(path, for_writing=for_writing))
    assert str(project.root) not in error.message
    assert str(project.root.parent) not in str(error.to_json())
    return error


def link(link_path: Path, target: Path) -> None:
    link_path.parent.mkdir(parents=True, exist_ok=True)
    link_path.symlink_to(target)


def test_a_project_has_assets(tmp_path: Path) -> None:
    error = refusal(Project.open(tmp_path), ErrorCode.INVALID_REQUEST)
    assert tmp_path.name in error.message


def test_packages_are_optional(tmp_path: Path) -> None:
    (tmp_path / "Assets").mkdir()
    project = success(Project.open(tmp_path))
    assert refused(project, "Packages/a/A.cs").code is ErrorCode.FILE_NOT_FOUND


def test_plain_script(project: Project, root: Path) -> None:
    script = located(project, r"Assets\Scripts/Player.cs")
    assert script.relative == script.canonical == "Assets/Scripts/Player.cs"
    assert script.real == root / "Assets/Scripts/Player.cs"
    snapshot = success(script.read())
    assert snapshot.data == (root / "Assets/Scripts/Player.cs").read_bytes()


class TestLinks:
    """A link is followed; what counts is where it leads."""

    def test_inside_to_inside(self, project: Project, root: Path) -> None:
        link(root / "Assets/Link.cs", root / "Assets/Scripts/Player.cs")
        link(root / "Packages/pack", root / "Assets/Scripts")
        for path in ("Assets/Link.cs", "Packages/pack/Player.cs"):
            script = located(project, path)
            assert script.relative == path
            assert script.canonical == "Assets/Scripts/Player.cs"
            assert script.real == root / "Assets/Scripts/Player.cs"

    def test_assets_may_be_a_link(self, tmp_path: Path, root: Path) -> None:
        clone = tmp_path / "Clone"
        link(clone / "Assets", root / "Assets")
        project = success(Project.open(clone))
        script = located(project, "Assets/Scripts/Player.cs")
        assert script.real == root / "Assets/Scripts/Player.cs"
        assert script.canonical == "Assets/Scripts/Player.cs"

    @pytest.mark.parametrize("target", ["outside/Player.cs", "outside/Missing.cs", "Game/A.cs"])
    def test_a_file_link_to_the_outside(
        self, project: Project, root: Path, tmp_path: Path, target: str
    ) -> None:
        link(root / "Assets/Link.cs", tmp_path / target)
        assert refused(project, "Assets/Link.cs").code is ErrorCode.PATH_NOT_ALLOWED

    def test_what_exists_outside_cannot_be_told(
        self, project: Project, root: Path, tmp_path: Path
    ) -> None:
        link(root / "Assets/Out", tmp_path / "outside")
        there = refused(project, "Assets/Out/Player.cs")
        missing = refused(project, "Assets/Out/Nobody.cs")
        assert there.code is missing.code is ErrorCode.PATH_NOT_ALLOWED
        assert there.message.replace("Player", "Nobody") == missing.message

    def test_out_and_in_again(self, project: Project, root: Path, tmp_path: Path) -> None:
        link(tmp_path / "outside/Back", root / "Assets/Scripts")
        link(root / "Assets/Out", tmp_path / "outside")
        assert located(project, "Assets/Out/Back/Player.cs").canonical == "Assets/Scripts/Player.cs"

    def test_a_circle(self, project: Project, root: Path) -> None:
        link(root / "Assets/A.cs", root / "Assets/B.cs")
        link(root / "Assets/B.cs", root / "Assets/A.cs")
        link(root / "Assets/Loop", root / "Assets/Loop")
        assert refused(project, "Assets/A.cs").code is ErrorCode.PATH_NOT_ALLOWED
        assert refused(project, "Assets/Loop/A.cs").code is ErrorCode.PATH_NOT_ALLOWED

    @needs_posix
    def test_to_a_name_that_is_not_unicode(self, project: Project, root: Path) -> None:
        odd = root / "Assets" / os.fsdecode(b"odd\xff.cs")
        try:
            odd.write_bytes(b"class A {}")
        except OSError:
            pytest.skip("this file system takes names in Unicode only")
        link(root / "Assets/Link.cs", odd)
        assert refused(project, "Assets/Link.cs").code is ErrorCode.PATH_NOT_ALLOWED

    def test_to_the_assets_folder_itself(self, project: Project, root: Path) -> None:
        link(root / "Packages/Link.cs", root / "Assets")
        assert refused(project, "Packages/Link.cs").code is ErrorCode.PATH_NOT_ALLOWED


class TestNotARegularFile:
    """Refused at once: a test that blocks here fails by its timeout."""

    @needs_posix
    def test_device(self, project: Project, root: Path) -> None:
        link(root / "Assets/Null.cs", Path(os.devnull))
        assert refused(project, "Assets/Null.cs").code is ErrorCode.PATH_NOT_ALLOWED

    @needs_fifo
    def test_a_fifo_that_came_after_the_look(self, root: Path, player: ScriptPath) -> None:
        player.real.unlink()
        os.mkfifo(player.real)
        refusal(player.read(), ErrorCode.PATH_NOT_ALLOWED)

    @needs_fifo
    def test_a_fifo_that_came_within_the_read(
        self, player: ScriptPath, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        status = Folder.status

        def swap_after_the_look(folder: Folder, name: str) -> os.stat_result:
            result = status(folder, name)
            player.real.unlink()
            os.mkfifo(player.real)
            return result

        monkeypatch.setattr(Folder, "status", swap_after_the_look)
        refusal(player.read(), ErrorCode.PATH_NOT_ALLOWED)


class TestReadOnly:
    """The package cache, and files that are not checked out."""

    def test_package_cache(self, project: Project, root: Path) -> None:
        cached = root / "Library/PackageCache/com.unity.x@1.0.0/Runtime/X.cs"
        cached.parent.mkdir(parents=True)
        cached.write_bytes(b"class X {}")
        link(root / "Assets/Link.cs", cached)
        path = cached.relative_to(root).as_posix()
        for named in (path, "Assets/Link.cs", "Packages/com.unity.x/Runtime/X.cs"):
            error = refused(project, named)
            assert error.code is ErrorCode.READ_ONLY
            assert "Packages/" in error.message
        for named in (path, "Assets/Link.cs"):
            script = located(project, named, for_writing=False)
            assert script.canonical == path
            assert isinstance(script.read(), FileSnapshot)
        # Unity's own name of the file: where it is kept is said, for those who want to read it.
        error = refused(project, "Packages/com.unity.x/Runtime/X.cs", for_writing=False)
        assert error.code is ErrorCode.FILE_NOT_FOUND
        assert error.details == {"nearest": [path]}


class TestNotFound:
    """The error names files that exist."""

    @needs_posix
    def test_only_what_can_be_sent_is_named(self, project: Project, root: Path) -> None:
        try:
            (root / "Assets/Scripts" / os.fsdecode(b"Enemy\xff.cs")).write_bytes(b"")
        except OSError:
            pytest.skip("this file system takes names in Unicode only")
        error = refused(project, "Assets/Scripts/Enemyx.cs")
        json.dumps(error.to_json(), ensure_ascii=False).encode()
        assert error.details["nearest"] == []

    def test_a_file_on_the_way(self, project: Project) -> None:
        error = refused(project, "Assets/Scripts/Player.cs/Player.cs")
        assert error.code is ErrorCode.FILE_NOT_FOUND

    def test_a_name_that_no_file_can_have(self, project: Project) -> None:
        assert refused(project, f"Assets/{'x' * 300}.cs").code is ErrorCode.FILE_NOT_FOUND


class TestRead:
    """What a read refuses."""

    def test_gone(self, player: ScriptPath) -> None:
        player.real.unlink()
        refusal(player.read(), ErrorCode.FILE_NOT_FOUND)
        player.real.parent.rmdir()
        refusal(player.read(), ErrorCode.FILE_NOT_FOUND)

    def test_swapped_for_a_link(self, player: ScriptPath, tmp_path: Path) -> None:
        player.real.unlink()
        link(player.real, tmp_path / "outside/Player.cs")
        refusal(player.read(), ErrorCode.PATH_NOT_ALLOWED)

    def test_folder_swapped_for_a_link(self, player: ScriptPath, tmp_path: Path) -> None:
        player.real.parent.rename(tmp_path / "moved")
        link(player.real.parent, tmp_path / "outside")
        refusal(player.read(), ErrorCode.PATH_NOT_ALLOWED)


def test_reading_leaves_no_trace(project: Project, root: Path) -> None:
    """Looking at a script changes nothing on disk, not even below ``Library/``."""

    def tree() -> list[tuple[str, int, int, int]]:
        status = [(path, path.lstat()) for path in sorted(root.rglob("*"))]
        return [(str(path), s.st_mtime_ns, s.st_ctime_ns, s.st_ino) for path, s in status]

    before = tree()
    for path in ("Assets/Scripts/Player.cs", "Assets/Missing.cs", "../x.cs"):
        script = project.locate(path, for_writing=True)
        if isinstance(script, ScriptPath):
            script.read()
            script.check_writable()
    assert tree() == before
    assert not (root / "Library").exists()


def test_a_canonical_path_finds_its_script_again(project: Project, player: ScriptPath) -> None:
    assert project.named(player.canonical) == player
    assert project.named("ProjectSettings/TagManager.asset") is not None
    outside = ("Library/PackageCache/p@1/A.cs", "/etc/x.cs", "Library/x.asset", "ProjectSettings")
    for odd in (*outside, "Assets/../x.cs", "Assets/a\\x.asset", "Assets//x.asset"):
        assert project.named(odd) is None


# -- what is told --------------------------------------------------------------------------

SEND = "Send a path of a .cs file inside Assets/ or Packages/."


@needs_posix
def test_what_stands_in_a_scripts_place_is_named(
    project: Project, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assets = root / "Assets"
    (assets / "Folder.cs").mkdir()
    os.mkfifo(assets / "Pipe.cs")
    link(assets / "Circle.cs", assets / "Circle.cs")
    monkeypatch.chdir(assets)  # Names of sockets must be short.
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("Socket.cs")
        told = {
            name: refused(project, f"Assets/{name}.cs").message
            for name in ("Folder", "Pipe", "Circle", "Socket")
        }
    assert told == {
        "Folder": f"Assets/Folder.cs is a folder, not a C# script. {SEND}",
        "Pipe": f"Assets/Pipe.cs is a FIFO, not a C# script. {SEND}",
        "Circle": f"Assets/Circle.cs is a link that leads in a circle, not a C# script. {SEND}",
        "Socket": f"Assets/Socket.cs is a device or socket, not a C# script. {SEND}",
    }


def test_where_a_link_leads_is_told_without_the_place(
    project: Project, root: Path, tmp_path: Path
) -> None:
    link(root / "Assets/Out.cs", tmp_path / "outside/Player.cs")
    (root / "Assets/Scene.unity").write_bytes(b"%YAML")
    link(root / "Assets/Scene.cs", root / "Assets/Scene.unity")
    outside, scene = refused(project, "Assets/Out.cs"), refused(project, "Assets/Scene.cs")
    assert outside.message == (
        f"Assets/Out.cs leads outside the project's Assets/ and Packages/. {SEND}"
    )
    assert scene.message == (
        f"Assets/Scene.cs is a link to a file that is not named like a script. {SEND}"
    )


def test_a_missing_script_is_told_with_the_nearest_or_without(project: Project) -> None:
    near = refused(project, "Assets/Player.cs")
    assert near.message == (
        "Assets/Player.cs does not exist. Did you mean Assets/Scripts/Player.cs?"
    )
    assert near.details == {"nearest": ["Assets/Scripts/Player.cs"]}
    assert refused(project, "Assets/Quux.cs").message == (
        "Assets/Quux.cs does not exist. Check the path."
    )


def test_a_downloaded_package_is_told_with_the_way_to_change_it(
    project: Project, root: Path
) -> None:
    for package in ("com.unity.a@1.0.0", "com.unity.b@2.0.0", "com.unity.plain"):
        (root / "Library/PackageCache" / package / "Runtime").mkdir(parents=True)
    cache = root / "Library/PackageCache"
    (cache / "com.unity.b@2.0.0/Runtime/X.cs").write_bytes(b"")
    (cache / "com.unity.plain/Runtime/Y.cs").write_bytes(b"")
    assert refused(project, "Packages/com.unity.b/Runtime/X.cs").message == (
        "Packages/com.unity.b/Runtime/X.cs belongs to a downloaded package, which Unity restores. "
        "To change it, copy its folder from Library/PackageCache to Packages/."
    )
    # Neither the package without the file nor the file of another package.
    error = refused(project, "Packages/com.unity.a/Runtime/X.cs")
    assert (error.code, error.details) == (ErrorCode.FILE_NOT_FOUND, {"nearest": []})
    # A package that Unity keeps without a version in its folder's name.
    plain = refused(project, "Packages/com.unity.plain/Runtime/Y.cs")
    assert plain.code is ErrorCode.READ_ONLY


def test_what_became_of_a_script_in_use_is_told_whole(
    player: ScriptPath, monkeypatch: pytest.MonkeyPatch
) -> None:
    def told() -> str:
        answer = refusal(player.read())
        assert answer.details == ({"limit": MAX_FILE_BYTES} if "limit" in answer.message else {})
        return answer.message

    name = "Assets/Scripts/Player.cs"
    assert player.check_writable() is None
    player.real.chmod(0o464)  # Group and others do not count.
    read_only = player.check_writable()
    assert read_only is not None
    assert read_only.code is ErrorCode.READ_ONLY
    assert isinstance(player.read(), FileSnapshot)
    assert read_only.message == (
        f"{name} is read-only. Under version control such as Perforce that means it is not "
        "checked out: check it out, or make it writable."
    )
    with monkeypatch.context() as patch:
        patch.setattr(Folder, "read", _denied)
        assert told() == f"{name} can't be read: Permission denied. Check its permissions."
    player.real.chmod(0o644)
    with player.real.open("wb") as file:
        file.truncate(MAX_FILE_BYTES)
    assert isinstance(player.read(), FileSnapshot)
    with player.real.open("wb") as file:
        file.truncate(MAX_FILE_BYTES + 1)
    assert told() == (
        f"{name} has more than {MAX_FILE_BYTES:,} bytes, the limit. "
        "Edit it with another tool, or split the file."
    )
    player.real.unlink()
    assert told() == f"{name} no longer exists; it was there a moment ago."
    player.real.mkdir()
    assert told() == (
        f"{name} changed into something else than a regular file while it was in use."
    )


def _denied(*_: object) -> None:
    raise PermissionError(errno.EACCES, "denied", "/an/absolute/path")


@pytest.mark.parametrize("path", ["assets/scripts/player.cs", "./Assets/SCRIPTS/Player.cs"])
def test_a_suggestion_has_the_names_on_disk(project: Project, path: str) -> None:
    error = refusal(project.locate(path))
    assert error.details == {"suggestion": "Assets/Scripts/Player.cs"}
    assert "Send Assets/Scripts/Player.cs instead." in error.message


def test_a_suggestion_for_a_new_script_has_the_folder_that_is_there(project: Project) -> None:
    error = refusal(project.locate_new("assets/scripts/Enemy.cs"))
    assert error.details == {"suggestion": "Assets/Scripts/Enemy.cs"}


def test_a_new_script_is_located_where_it_would_be_made(project: Project, root: Path) -> None:
    for path in (
        "Assets/Scripts/Enemy.cs",
        "Assets/Not/There/Enemy.cs",
        "Assets/Scripts/Player.cs",
    ):
        script = success(project.locate_new(path))
        assert (script.relative, script.canonical) == (path, path)
        assert script.real == root / path


def test_a_new_script_below_a_link_is_located_where_that_leads(
    project: Project, root: Path
) -> None:
    (root / "Assets/Real").mkdir()
    link(root / "Assets/Linked", root / "Assets/Real")
    script = success(project.locate_new("Assets/Linked/Enemy.cs"))
    assert (script.relative, script.canonical) == ("Assets/Linked/Enemy.cs", "Assets/Real/Enemy.cs")


@pytest.mark.parametrize(
    ("path", "code", "why"),
    [
        ("Assets/Link.cs", ErrorCode.PATH_NOT_ALLOWED, "Assets/Link.cs is a link"),
        (
            "Assets/Scripts/Player.cs/Enemy.cs",
            ErrorCode.PATH_NOT_ALLOWED,
            "Assets/Scripts/Player.cs/Enemy.cs leads through something that is not a folder",
        ),
        (
            "Assets/Settings/Enemy.cs",
            ErrorCode.PATH_NOT_ALLOWED,
            "Assets/Settings/Enemy.cs leads outside the project's Assets/ and Packages/",
        ),
        (
            f"Assets/{'a' * 300}.cs",
            ErrorCode.PATH_NOT_ALLOWED,
            "aa.cs has a name of over 250 bytes",
        ),
        ("Library/PackageCache/com.x@1/New.cs", ErrorCode.READ_ONLY, "com.x@1/New.cs"),
    ],
)
def test_where_no_new_script_can_be_made_is_refused(
    project: Project, root: Path, path: str, code: ErrorCode, why: str
) -> None:
    (root / "Library/PackageCache/com.x@1").mkdir(parents=True)
    link(root / "Assets/Link.cs", root / "Assets/Scripts/Player.cs")
    (root / "ProjectSettings").mkdir(exist_ok=True)
    link(root / "Assets/Settings", root / "ProjectSettings")
    error = refusal(project.locate_new(path))
    assert error.code is code
    assert why in error.message


@pytest.mark.parametrize("path", ["Player.cs", "Scripts\\Old\\player.cs"])
def test_a_file_name_alone_suggests_the_script_that_has_it(project: Project, path: str) -> None:
    for located in (project.locate(path), project.locate(path, for_writing=True)):
        assert isinstance(located, SnippetError)
        assert located.code is ErrorCode.PATH_NOT_ALLOWED
        assert located.details == {"suggestion": "Assets/Scripts/Player.cs"}
        assert located.message.endswith("Send Assets/Scripts/Player.cs instead.")


@pytest.mark.parametrize(
    "path",
    [
        ".claude/worktrees/X/Assets/Scripts/Player.cs",
        ".claude/worktrees/X/Assets/Scripts/New.cs",
        ".claude/worktrees/X/Player.cs",
        "Nested/Assets/Scripts/Player.cs",
        "Nested\\Packages\\a\\Player.cs",
        "{root}/Nested/assets/Scripts/Player.cs",
        "{above}/Other/Assets/Scripts/Player.cs",
        "file://{above}/Other/Assets/Scripts/Player.cs",
        "Other/Assets/Scripts/Player.cs",
        "../Other/Assets/Scripts/Player.cs",
    ],
)
def test_a_path_of_another_project_or_worktree_suggests_nothing_here(
    path: str, project: Project, root: Path
) -> None:
    for other in (root / "Nested", root.parent / "Other", root / ".claude/worktrees/Y"):
        (other / "Assets").mkdir(parents=True)
    (root / ".claude/worktrees/X").mkdir()
    (root / ".claude/worktrees/X/.git").write_text("gitdir: elsewhere")
    path = path.format(root=root.as_posix(), above=root.parent.as_posix())
    for located in (project.locate(path), project.locate_new(path), refused(project, path)):
        assert isinstance(located, SnippetError)
        assert located.code is ErrorCode.PATH_NOT_ALLOWED
        assert located.details == {"project": root.name}
        assert f"another project or worktree. This one is {root.name}:" in located.message
        assert "--project" in located.message
        assert len(located.message) <= 200


def test_a_folder_of_the_served_project_is_no_other_one(project: Project, root: Path) -> None:
    (root / "Assets/Own/Assets").mkdir(parents=True)
    (root / ".git").mkdir()
    (root.parent / "Scripts/.git").mkdir(parents=True)
    for path, meant in (
        ("Assets/Own/./New.cs", "Assets/Own/New.cs"),
        (f"{root.as_posix()}/Assets/Own/Assets/New.cs", "Assets/Own/Assets/New.cs"),
        (f"{root.name}/Assets/Scripts/Player.cs", "Assets/Scripts/Player.cs"),
        ("Scripts/Player.cs", "Assets/Scripts/Player.cs"),
    ):
        assert refused(project, path).details == {"suggestion": meant}


def test_a_file_name_that_several_have_suggests_none_of_them(project: Project, root: Path) -> None:
    (root / "Assets/Player.cs").write_bytes(b"")
    located = refusal(project.locate("Player.cs"))
    both = {"Assets/Player.cs", "Assets/Scripts/Player.cs"}
    assert set(located.details["nearest"]) == both
    assert "Did you mean Assets/" in located.message


@pytest.mark.parametrize(
    "path", ["/Player.cs", "C:/Player.cs", "../Player.cs", "Enemy.cs", "Player", "a" * 5000 + ".cs"]
)
def test_what_names_no_script_suggests_none(project: Project, path: str) -> None:
    located = refusal(project.locate(path))
    assert "Player.cs" not in str(located.details)


def test_a_folder_that_is_no_project_is_told_what_it_lacks(tmp_path: Path) -> None:
    def told(*parts: str) -> str:
        error = refusal(Project.open(tmp_path.joinpath(*parts)))
        assert not error.message.endswith("…")
        return error.message

    (tmp_path / "game/Assets").mkdir(parents=True)
    (tmp_path / "game/Assets/Player.cs").touch()
    (tmp_path / "bare").mkdir()
    game, bare, gone = (_shown(tmp_path / name) for name in ("game", "bare", "gone"))
    ending = "Name the folder that holds Assets."
    assert told("bare") == f"{bare} is not a Unity project: it has no Assets folder. {ending}"
    assert told("gone") == f"There is no folder {gone}. {ending}"
    assert told("game", "Assets").endswith(f"it has no Assets folder. Name {game}.")
    assert told("game", "Assets", "Player.cs").endswith(f"it is not a folder. Name {game}.")
    told("game", "deep" * 20, "deep" * 20)
    assert told("n" * 300).startswith("There is no folder ")


def _shown(folder: Path) -> str:
    """As messages have it: of a long path the end."""
    return shortened_start(str(folder), 65)
