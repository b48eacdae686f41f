"""Taking the package out again: all that came goes, and nothing else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mcp_server.plugin import removal
from mcp_server.plugin.installation import RECORD, InstallPlan, Refusal, carry_out, plan_install
from mcp_server.plugin.package_manifest import PACKAGE_NAME, SETTINGS_ASSET
from mcp_server.plugin.removal import RemovalPlan, plan_removal, remove, removed_files


def snapshot(folder: Path) -> dict[str, bytes | None]:
    """Every file with what is in it, and every folder."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() if path.is_file() else None
        for path in folder.rglob("*")
    }


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    for folder in ("Assets", "ProjectSettings"):
        (root / folder).mkdir(parents=True)
    return root


def package(project: Path) -> Path:
    return project / "Packages" / PACKAGE_NAME


def install(project: Path) -> None:
    plan = plan_install(project)
    assert isinstance(plan, InstallPlan), plan
    assert carry_out(plan) is None


def planned(project: Path, *, settings: bool = False, force: bool = False) -> RemovalPlan:
    plan = plan_removal(project, settings=settings, force=force)
    assert isinstance(plan, RemovalPlan), plan
    return plan


def refusal(project: Path, words: str, *, force: bool = False) -> None:
    before = snapshot(project)
    refused = plan_removal(project, force=force)
    assert isinstance(refused, Refusal)
    assert words in refused.message
    assert snapshot(project) == before


@pytest.mark.parametrize("manifest", [True, False])
def test_an_uninstall_leaves_what_was_there_before_the_install(
    project: Path, manifest: bool
) -> None:
    if manifest:
        (project / "Packages").mkdir()
        (project / "Packages" / "manifest.json").write_text("{}")
    before = snapshot(project)
    assert planned(project, settings=True).nothing
    install(project)
    there = {name for name, content in snapshot(project).items() if content is not None}
    plan = planned(project)
    assert plan.version is not None
    files = removed_files(plan)
    assert set(files) == {name for name in there if name not in before}
    assert remove(plan) is None
    assert snapshot(project) == before


def test_the_settings_asset_goes_only_where_that_is_asked_for(project: Path) -> None:
    asset = project / SETTINGS_ASSET
    asset.write_text("%YAML 1.1\n")
    install(project)
    plan = planned(project)
    assert plan.settings_stay
    assert remove(plan) is None
    assert asset.is_file()
    plan = planned(project, settings=True)
    assert (plan.nothing, plan.version, plan.settings_stay) == (False, None, False)
    assert removed_files(plan) == (SETTINGS_ASSET.as_posix(),)
    assert remove(plan) is None
    assert not asset.exists()


def test_local_changes_are_kept_unless_forced(project: Path) -> None:
    install(project)
    (package(project) / "Editor" / "Mine.cs").write_text("class Mine {}")
    refusal(project, "Editor/Mine.cs")
    (package(project) / RECORD).unlink()  # as one that was copied by hand
    refusal(project, "--force")
    assert remove(planned(project, force=True)) is None
    assert not package(project).exists()


def test_what_is_not_ours_is_left_alone(project: Path, tmp_path: Path) -> None:
    packages = project / "Packages"
    packages.mkdir()
    package(project).mkdir()
    refusal(project, "is not the package", force=True)
    package(project).rmdir()
    outside = tmp_path / "outside"
    outside.mkdir()
    package(project).symlink_to(outside)
    refusal(project, "is a link", force=True)
    package(project).unlink()
    by_url = {"dependencies": {PACKAGE_NAME: "https://x/y.git"}}
    (packages / "manifest.json").write_text(json.dumps(by_url))
    refusal(project, "Packages/manifest.json", force=True)


def test_a_change_since_the_plan_ends_the_removal(project: Path) -> None:
    install(project)
    plan = planned(project)
    (package(project) / "README.md").write_text("saved just now")
    before = snapshot(project)
    refused = remove(plan)
    assert refused is not None
    assert "changed in the meantime" in refused.message
    assert snapshot(project) == before


def test_a_folder_that_cannot_be_moved_stays_whole(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(project)
    plan = planned(project)
    before = snapshot(project)

    def failing(self: Path, target: Path) -> Path:
        raise PermissionError(13, "denied", str(self))

    monkeypatch.setattr(removal.Path, "rename", failing)
    refused = remove(plan)
    assert refused is not None
    assert "Permission denied" in refused.message
    assert snapshot(project) == before


def test_what_somebody_wrote_into_a_damaged_package_is_not_removed_unasked(project: Path) -> None:
    install(project)
    manifest = package(project) / "package.json"
    for text in (manifest.read_text() + "my note\n", '{"name": 1}'):
        manifest.write_text(text)
        refused = plan_removal(project)
        assert isinstance(refused, Refusal)
        assert "package.json in Packages/" in refused.message
        assert "--force" in refused.message
    assert isinstance(plan_removal(project, force=True), RemovalPlan)


@pytest.mark.parametrize("content", ["", "{", "{\n", "\0\0", None])
def test_a_damaged_package_can_be_removed(project: Path, content: str | None) -> None:
    before = snapshot(project)
    install(project)
    manifest = package(project) / "package.json"
    manifest.unlink() if content is None else manifest.write_text(content)
    plan = planned(project)
    assert not plan.nothing
    assert remove(plan) is None
    assert snapshot(project) == before
