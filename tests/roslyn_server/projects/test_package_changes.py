"""Packages that are not what was built are named, whatever the files' times."""

import json
import os
from pathlib import Path

import pytest
from built_project import BuiltProject
from this_system import needs_fifo

_GIT = "https://x.y/g.git#v1"
_HASH = "0123456789abcdef0123456789abcdef01234567"
_WANTED = {"com.a": "1.0.0", "com.b": "1.2.3-pre.1", "com.g": _GIT, "com.l": "file:../l"}


def _entry(name: str, version: str) -> dict[str, object]:
    source = "git" if "git" in version else "local" if "file:" in version else "registry"
    entry: dict[str, object] = {"version": version, "depth": 0, "source": source}
    return {**entry, "hash": _HASH} if source == "git" else entry


def _lock(project: BuiltProject, wanted: dict[str, str], **further: object) -> None:
    entries = {**{name: _entry(name, each) for name, each in wanted.items()}, **further}
    project.write("Packages/packages-lock.json", {"dependencies": entries})


def _ask(project: BuiltProject, wanted: dict[str, str]) -> None:
    project.write("Packages/manifest.json", {"dependencies": wanted}, when=1)


@pytest.fixture
def project(tmp_path: Path) -> BuiltProject:
    """A project with packages of all kinds, resolved, fetched and built."""
    made = BuiltProject(tmp_path)
    _ask(made, {**_WANTED, "com.unity.modules.audio": "1.0.0"})
    _lock(made, _WANTED, **{"com.unity.modules.audio": _builtin("1.0.0")})
    for at in ("com.a@1.0.0", "com.b@1.2.3-pre.1", f"com.g@{_HASH[:10]}"):
        name = at.partition("@")[0]
        made.write(f"Library/PackageCache/{at}/{name}.asmdef", {"name": name})
        made.write(f"Library/PackageCache/{at}/A.cs", "class A { }")
        made.built(name, f'"Library/PackageCache/{at}/A.cs"')
    made.write("l/package.json", {"name": "com.l", "version": "1.0.0"})
    return made


def _builtin(version: str) -> dict[str, object]:
    return {"version": version, "depth": 0, "source": "builtin", "dependencies": {}}


def test_what_was_asked_for_was_built(project: BuiltProject) -> None:
    assert project.changes() == []


@pytest.mark.parametrize(
    ("name", "version"),
    [
        ("com.a", "1.1.0"),
        ("com.a", "0.9.0"),
        ("com.a", "https://x.y/a.git"),
        ("com.a", "file:../a"),
        ("com.b", "1.2.3-pre.2"),
        ("com.b", "1.2.3"),
        ("com.g", "https://x.y/g.git#v2"),
        ("com.g", "2.0.0"),
        ("com.l", "file:../other"),
        ("com.new", "1.0.0"),
    ],
)
def test_what_is_asked_for_is_something_else(
    project: BuiltProject, name: str, version: str
) -> None:
    _ask(project, {**_WANTED, "com.unity.modules.audio": "1.0.0", name: version})
    (told,) = project.changes()
    assert f"asks for {name}, which Unity has not resolved yet" in told


@pytest.mark.parametrize("name", ["com.a", "com.g", "com.l", "com.unity.modules.audio"])
def test_what_is_no_longer_asked_for(project: BuiltProject, name: str) -> None:
    wanted = {**_WANTED, "com.unity.modules.audio": "1.0.0"}
    del wanted[name]
    _ask(project, wanted)
    (told,) = project.changes()
    assert f"{name} was removed" in told
    _ask(project, {})
    (told,) = project.changes()
    assert "com.a, com.b, com.g and 2 more was removed" in told


@pytest.mark.parametrize("file", ["manifest.json", "packages-lock.json", "com.e/package.json"])
@pytest.mark.parametrize("text", ['{"dependencies":{', "<<<<<<< HEAD\n{}", "[]", ""])
def test_what_cant_be_read_is_named(project: BuiltProject, file: str, text: str) -> None:
    project.write(f"Packages/{file}", text)
    (told,) = project.changes()
    assert f"Packages/{file} isn't " in told


@needs_fifo
@pytest.mark.parametrize("file", ["manifest.json", "packages-lock.json", "com.e/package.json"])
def test_a_pipe_is_named_as_one(project: BuiltProject, file: str) -> None:
    place = project.write(f"Packages/{file}", "{}")
    place.unlink()
    os.mkfifo(place)
    (told,) = project.changes()
    assert f"Packages/{file} can't be read (it is no plain file)" in told


def test_a_manifest_that_is_gone_is_named(project: BuiltProject) -> None:
    (project.root / "Packages/manifest.json").unlink()
    (told,) = project.changes()
    assert "Packages/manifest.json isn't there" in told


def test_a_newer_version_that_another_package_asked_for(project: BuiltProject) -> None:
    for at in ("com.a@1.4.0",):
        project.write(f"Library/PackageCache/{at}/A.cs", "class A { }")
        project.built("com.a", f'"Library/PackageCache/{at}/A.cs"')
    asks = {**_entry("com.b", "1.2.3-pre.1"), "dependencies": {"com.a": "1.4.0"}}
    locked = {**_WANTED, "com.a": "1.4.0"}
    further = {"com.unity.modules.audio": _builtin("1.0.0")}
    _lock(project, locked, **further, **{"com.b": asks})
    assert project.changes() == []
    _lock(project, locked, **further)
    (told,) = project.changes()
    assert "asks for com.a" in told


def test_the_editor_has_one_version_of_its_own_packages(project: BuiltProject) -> None:
    _lock(project, _WANTED, **{"com.unity.modules.audio": _builtin("1.0.3")})
    assert project.changes() == []


@pytest.mark.parametrize(
    "entry",
    [_entry("com.a", "1.1.0"), {**_entry("com.g", _GIT), "hash": "f" * 40}],
)
def test_what_was_resolved_is_not_what_was_compiled(
    project: BuiltProject, entry: dict[str, object]
) -> None:
    name = "com.g" if "hash" in entry else "com.a"
    _ask(project, {**_WANTED, name: str(entry["version"]), "com.unity.modules.audio": "1.0.0"})
    _lock(project, _WANTED, **{name: entry, "com.unity.modules.audio": _builtin("1.0.0")})
    (told,) = project.changes()
    assert f"{name} changed version" in told


def test_without_a_lock_file_what_was_fetched_tells(project: BuiltProject) -> None:
    (project.root / "Packages/packages-lock.json").unlink()
    wanted = {"com.a": "1.0.0", "com.g": _GIT, "com.unity.modules.audio": "1.0.0"}
    _ask(project, wanted)
    assert project.changes() == []
    _ask(project, {**wanted, "com.new": "1.0.0"})
    (told,) = project.changes()
    assert "asks for com.new" in told
    _ask(project, {**wanted, "com.a": "1.1.0"})
    (told,) = project.changes()
    assert "asks for com.a" in told


def test_a_package_that_isnt_fetched_here(project: BuiltProject) -> None:
    wanted = {**_WANTED, "com.unity.modules.audio": "1.0.0", "com.c": "1.0.0"}
    _ask(project, wanted)
    _lock(project, {**_WANTED, "com.c": "1.0.0"}, **{"com.unity.modules.audio": _builtin("1.0.0")})
    (told,) = project.changes()
    assert "com.c isn't in Library/PackageCache" in told


def test_a_package_whose_scripts_were_compiled_and_that_is_gone(project: BuiltProject) -> None:
    kept = {name: each for name, each in _WANTED.items() if name != "com.a"}
    _ask(project, kept)
    _lock(project, kept)
    assert project.changes() == [
        "Packages were not checked as they are: com.a was removed since the last build."
    ]


def test_a_package_that_lies_in_the_project_is_not_asked_for(project: BuiltProject) -> None:
    text = json.dumps({"name": "com.e", "version": "0.1.0"})
    project.write("Packages/com.e/package.json", text)
    assert project.changes() == []
    wanted = {**_WANTED, "com.unity.modules.audio": "1.0.0"}
    _lock(
        project,
        _WANTED,
        **{
            "com.e": {"version": "file:com.e", "depth": 0, "source": "embedded"},
            "com.unity.modules.audio": _builtin("1.0.0"),
        },
    )
    _ask(project, wanted)
    assert project.changes() == []
    (project.root / "Packages/com.e/package.json").unlink()
    (told,) = project.changes()
    assert "com.e was removed" in told


@pytest.mark.parametrize(("version", "is_same"), [("1.0.0", True), ("1.1.0", False)])
def test_unity_6_calls_folders_by_a_hash(
    project: BuiltProject, version: str, *, is_same: bool
) -> None:
    project.write("Library/PackageCache/com.a@0123456789ab/A.cs", "class A { }")
    description = {"name": "com.a", "version": "1.0.0"}
    project.write("Library/PackageCache/com.a@0123456789ab/package.json", description)
    project.built("com.a", '"Library/PackageCache/com.a@0123456789ab/A.cs"')
    wanted = {**_WANTED, "com.a": version}
    _ask(project, {**wanted, "com.unity.modules.audio": "1.0.0"})
    _lock(project, wanted, **{"com.unity.modules.audio": _builtin("1.0.0")})
    assert [("com.a changed version" in each) for each in project.changes()] == (
        [] if is_same else [True]
    )


def test_a_package_in_the_project_that_is_none_any_more(project: BuiltProject) -> None:
    description = project.write("Packages/com.e/package.json", {"name": "com.e"})
    project.write("Packages/com.e/E.asmdef", {"name": "E"})
    project.write("Packages/com.e/E.cs", "class E { }")
    project.built("E", '"Packages/com.e/E.cs"')
    assert project.changes() == []
    description.unlink()
    (told,) = project.changes()
    assert "Packages/com.e lost its package.json" in told


def test_a_package_that_is_being_fetched(project: BuiltProject) -> None:
    wanted = {**_WANTED, "com.c": "1.0.0"}
    _ask(project, {**wanted, "com.unity.modules.audio": "1.0.0"})
    _lock(project, wanted, **{"com.unity.modules.audio": _builtin("1.0.0")})
    project.write("Library/PackageCache/com.c@1.0.0/C.cs", "class C { }")
    builds = project.asking()
    assert not builds.changes()
    project.write("Library/PackageCache/com.c@1.0.0/C.asmdef", {"name": "C"})
    (told,) = builds.changes()
    assert "com.c isn't in the last build yet" in told.message
