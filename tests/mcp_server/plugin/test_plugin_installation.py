"""The Unity package in a project: every state, and what an install does and refuses."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from file_rights import binds_rights, closed
from this_system import needs_posix

from mcp_server.plugin import installation as plugin_installation
from mcp_server.plugin.installation import (
    RECORD,
    SHIPPED,
    InstallAction,
    InstallPlan,
    PackageState,
    PackageStatus,
    Refusal,
    carry_out,
    plan_install,
    status,
)
from mcp_server.plugin.package_manifest import PACKAGE_NAME


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    for folder in ("Assets", "Packages", "ProjectSettings"):
        (root / folder).mkdir(parents=True)
    (root / "Packages" / "manifest.json").write_text(
        '{"dependencies": {"com.unity.ugui": "1.0.0"}}'
    )
    (root / "ProjectSettings" / "ProjectVersion.txt").write_text("m_EditorVersion: 2021.3.45f1\n")
    return root


def snapshot(folder: Path) -> dict[str, bytes]:
    return {
        file.relative_to(folder).as_posix(): file.read_bytes()
        for file in folder.rglob("*")
        if file.is_file()
    }


def planned(project: Path, *, force: bool = False) -> InstallPlan:
    plan = plan_install(project, force=force)
    assert isinstance(plan, InstallPlan), plan
    return plan


def install(project: Path, *, force: bool = False) -> InstallPlan:
    plan = planned(project, force=force)
    assert carry_out(plan) is None
    return plan


def found_in(project: Path) -> PackageStatus:
    found = status(project)
    assert isinstance(found, PackageStatus), found
    return found


def state(project: Path) -> PackageState:
    return found_in(project).state


def refusal(project: Path, words: str, *, force: bool = False) -> Refusal:
    before = snapshot(project)
    refused = plan_install(project, force=force)
    assert isinstance(refused, Refusal)
    assert words in refused.message
    assert len(refused.message.replace(str(project), "")) <= 200
    assert snapshot(project) == before
    return refused


def package(project: Path) -> Path:
    return project / "Packages" / PACKAGE_NAME


def with_version(project: Path, version: str, *, recorded: bool = True) -> None:
    """Let the project have another version, as an install of that version would leave it."""
    manifest = package(project) / "package.json"
    document = json.loads(manifest.read_text()) | {"version": version}
    manifest.write_text(json.dumps(document))
    files = dict(plugin_installation.files_of(package(project)))
    (package(project) / RECORD).write_text(json.dumps({"files": files}) if recorded else "{}")


def test_an_install_copies_the_package_and_nothing_else(project: Path) -> None:
    before = snapshot(project)
    assert state(project) is PackageState.MISSING
    plan = install(project)
    assert plan.action is InstallAction.INSTALL
    assert state(project) is PackageState.CURRENT
    after = snapshot(project)
    new = {Path(name) for name in after.keys() - before.keys()}
    assert {name: after[name] for name in before} == before
    assert all(name.is_relative_to(Path("Packages", PACKAGE_NAME)) for name in new)
    for file in SHIPPED.rglob("*"):
        name = file.relative_to(SHIPPED)
        if file.is_file() and name.parts[0] not in ("Tests", "Tests.meta"):
            assert (package(project) / name).read_bytes() == file.read_bytes()
    assert not list(package(project).glob("Tests*"))  # they would run with the project's own
    assert len(plan.added) == len(new) - 1  # and the record
    assert install(project).action is InstallAction.NOTHING
    assert snapshot(project) == after
    assert {each.name for each in (project / "Packages").iterdir()} == {
        "manifest.json",
        PACKAGE_NAME,
    }


def test_what_an_earlier_install_copied_is_replaced_without_being_asked(project: Path) -> None:
    """The same version, other files, and a record that says that nobody changed any."""
    install(project)
    (package(project) / "Tests").mkdir()
    (package(project) / "Tests" / "Old.cs").write_text("class Old {}")
    version = json.loads((package(project) / "package.json").read_text())["version"]
    with_version(project, version)
    assert state(project) is PackageState.CHANGED
    plan = install(project)
    assert plan.action is InstallAction.REPAIR
    assert plan.removed == ("Tests/Old.cs",)
    assert state(project) is PackageState.CURRENT


def test_an_older_version_is_upgraded(project: Path) -> None:
    install(project)
    (package(project) / "Editor" / "Gone.cs").write_text("class Gone {}")
    (package(project) / "Editor" / "AssemblyInfo.cs").unlink()
    with_version(project, "0.0.9")
    assert state(project) is PackageState.OLDER
    plan = install(project)
    assert (plan.action, plan.previous_version) == (InstallAction.UPGRADE, "0.0.9")
    assert plan.removed == ("Editor/Gone.cs",)
    assert plan.added == ("Editor/AssemblyInfo.cs",)
    assert plan.changed == ("package.json",)
    assert state(project) is PackageState.CURRENT


def test_a_newer_version_is_kept(project: Path) -> None:
    install(project)
    with_version(project, "9.0.0")
    assert state(project) is PackageState.NEWER
    refusal(project, "--force")
    assert install(project, force=True).action is InstallAction.DOWNGRADE
    assert state(project) is PackageState.CURRENT


@pytest.mark.parametrize("version", [None, "0.0.9"])
def test_local_changes_are_kept(project: Path, version: str | None) -> None:
    install(project)
    if version is not None:
        with_version(project, version)
    (package(project) / "Editor" / "AssemblyInfo.cs").write_text("// mine")
    (package(project) / "Editor" / "Mine.cs").write_text("class Mine {}")
    mine = ("Editor/AssemblyInfo.cs", "Editor/Mine.cs")
    assert found_in(project).local_changes == mine
    refusal(project, "Editor/AssemblyInfo.cs, Editor/Mine.cs")
    install(project, force=True)
    assert state(project) is PackageState.CURRENT


def test_a_package_that_was_copied_by_hand(project: Path) -> None:
    install(project)
    (package(project) / RECORD).unlink()
    assert planned(project).action is InstallAction.NOTHING
    (package(project) / "README.md").write_text("another")
    refusal(project, "--force")
    # An older one without a record is upgraded: that is how it got there by hand.
    with_version(project, "0.0.9", recorded=False)
    assert install(project).action is InstallAction.UPGRADE


def test_a_project_that_has_it_elsewhere(project: Path) -> None:
    install(project)
    package(project).rename(project / "Packages" / "unity-mcp")
    refusal(project, "Packages/unity-mcp", force=True)
    manifest = project / "Packages" / "manifest.json"
    manifest.write_text(json.dumps({"dependencies": {PACKAGE_NAME: "https://x/y.git?path=/p"}}))
    assert state(project) is PackageState.ELSEWHERE
    refusal(project, "Packages/manifest.json (https://x/y.git?path=/p)", force=True)


def test_what_is_not_a_unity_project(tmp_path: Path, project: Path) -> None:
    assert refusal(tmp_path, "is not a Unity project").not_a_project
    (project / "ProjectSettings" / "ProjectVersion.txt").unlink()
    (project / "ProjectSettings").rmdir()
    assert refusal(project, "no ProjectSettings folder").not_a_project


def test_a_project_that_is_too_old(project: Path) -> None:
    file = project / "ProjectSettings" / "ProjectVersion.txt"
    file.write_text("m_EditorVersion: 2020.3.48f1\n")
    refusal(project, "needs Unity 2021.3")
    for version in ("2021.3.0f1", "2022.3.62f1", "6000.0.58f2", "unknown"):
        file.write_text(f"m_EditorVersion: {version}\n")
        assert planned(project).action is InstallAction.INSTALL


def test_links_are_left_alone(project: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    package(project).symlink_to(outside)
    refusal(project, "is a link", force=True)
    package(project).unlink()
    (project / "Packages" / "manifest.json").unlink()
    (project / "Packages").rmdir()
    (project / "Packages").symlink_to(outside)
    refusal(project, "is a link", force=True)
    assert list(outside.iterdir()) == []


DAMAGED = [
    ("", "is not JSON (line 1, column 1)"),
    ('{"name": "com.unitysnippet.mcp",\n<<<<<<< HEAD', "is not JSON (line 2, column 1)"),
    ("[]", "is not a JSON object"),
    ("{}", "has no name"),
    ('{"name": "com.unitysnippet.mcp", "version": 1}', "has no version"),
    ("[" * 100_000, "is not readable JSON"),
    (None, "can't be read"),
]


@pytest.mark.parametrize(("content", "damage"), DAMAGED)
def test_a_damaged_package_is_told(project: Path, content: str | None, damage: str) -> None:
    version = install(project).version
    manifest = package(project) / "package.json"
    manifest.unlink() if content is None else manifest.write_text(content)
    found = found_in(project)
    assert (found.state, found.installed_version) == (PackageState.DAMAGED, version)
    assert found.damage is not None
    assert damage in found.damage


WHOLE = (SHIPPED / "package.json").read_bytes().replace(b"\r\n", b"\n")
CUT_SHORT = {
    "gone": None,
    "empty": b"",
    "half": WHOLE[: len(WHOLE) // 2],
    "half, with CRLF": WHOLE[: len(WHOLE) // 2].replace(b"\n", b"\r\n"),
    "zeros": bytes(len(WHOLE)),
    "half, then zeros": WHOLE[:200].ljust(len(WHOLE), b"\0"),
}


@pytest.mark.parametrize("content", CUT_SHORT.values(), ids=CUT_SHORT)
def test_a_package_that_was_cut_short_is_mended(project: Path, content: bytes | None) -> None:
    version = install(project).version
    whole = snapshot(project)
    manifest = package(project) / "package.json"
    manifest.unlink() if content is None else manifest.write_bytes(content)
    found = found_in(project)
    assert found.state is PackageState.DAMAGED
    assert (found.installed_version, found.local_changes) == (version, ())
    assert install(project).action is InstallAction.REPAIR
    assert snapshot(project) == whole


@pytest.mark.parametrize(
    "content",
    [
        b"[]",
        b'{"name": "com.unitysnippet.mcp",\n<<<<<<< HEAD',
        WHOLE + b"my note\n",
        WHOLE.replace(b'"version"', b'"mine": [1,,2],\n  "version"'),
        b'{"name": "com.unitysnippet.mcp", "version": 1, "mine": true}',
    ],
)
def test_what_somebody_wrote_into_a_damaged_package_json_is_kept(
    project: Path, content: bytes
) -> None:
    install(project)
    whole = snapshot(project)
    (package(project) / "package.json").write_bytes(content)
    before = snapshot(project)
    found = found_in(project)
    assert found.local_changes == ("package.json",)
    assert found.damage is not None
    refusal(project, f"package.json in Packages/{PACKAGE_NAME} changed")
    refusal(project, found.damage)
    (package(project) / "mine.cs").write_text("class Mine { }")
    refusal(project, "mine.cs, package.json in Packages/")
    refusal(project, "--force")
    (package(project) / "mine.cs").unlink()
    assert snapshot(project) == before
    install(project, force=True)
    assert snapshot(project) == whole


def test_what_may_be_anybodys_is_left_alone(project: Path) -> None:
    install(project)
    manifest = package(project) / "package.json"
    for content in ('{"name": "com.other", "version": "1.0.0"}', "{}"):
        manifest.write_text(content)
        (package(project) / RECORD).unlink(missing_ok=True)
        refusal(project, "is not the package", force=True)
        refusal(project, "Move it away, then try again.", force=True)
    manifest.write_text("{")
    refusal(project, "package.json is not JSON (line 1, column 2)", force=True)
    shutil.rmtree(package(project))
    package(project).write_text("a file")
    refusal(project, "is not the package", force=True)


def test_a_change_since_the_plan_ends_the_install(project: Path) -> None:
    install(project)
    with_version(project, "0.0.9")
    plan = planned(project)
    (package(project) / "Editor" / "AssemblyInfo.cs").write_text("// saved just now")
    before = snapshot(project)
    refused = carry_out(plan)
    assert refused is not None
    assert "changed in the meantime" in refused.message
    assert snapshot(project) == before


@pytest.mark.parametrize(
    ("broken", "error", "told"),
    [
        ("pathlib.Path.rename", PermissionError(13, "denied"), "Permission denied"),
        ("shutil.copyfile", OSError(28, "no space"), "No space left"),
    ],
)
def test_a_failure_leaves_what_was_there(
    project: Path, monkeypatch: pytest.MonkeyPatch, broken: str, error: OSError, told: str
) -> None:
    install(project)
    with_version(project, "0.0.9")
    before = snapshot(project)
    plan = planned(project)
    rename = Path.rename

    def failing(source: Path, target: Path) -> Any:
        if broken == "shutil.copyfile" or (target == plan.folder and source.name == "new"):
            raise error
        return rename(source, target)

    monkeypatch.setattr(broken, failing)
    refused = carry_out(plan)
    assert refused is not None
    assert told in refused.message
    assert snapshot(project) == before
    assert state(project) is PackageState.OLDER


def test_what_cannot_be_cleaned_up_undoes_no_install(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On Windows: Unity has a file of the old package open."""
    install(project)
    with_version(project, "0.0.9")
    plan = planned(project)

    def held_open(path: object, *_: object, **__: object) -> None:
        raise PermissionError(13, "used by another process", str(path))

    with monkeypatch.context() as patch:
        patch.setattr("os.unlink", held_open)
        patch.setattr("os.rmdir", held_open)
        assert carry_out(plan) is None
    assert state(project) is PackageState.CURRENT
    (left,) = (project / "Packages").glob(f".{PACKAGE_NAME}-*")  # Unity ignores such a folder
    assert (left / "old" / "package.json").is_file()


@needs_posix
@binds_rights
def test_a_project_that_cant_be_written_names_what_was_to_be_written(project: Path) -> None:
    plan = planned(project)
    packages = project / "Packages"
    with closed(packages, 0o555):
        refused = carry_out(plan)
    assert isinstance(refused, Refusal)
    assert str(plan.folder) in refused.message
    assert f"Make {packages} writable" in refused.message
