"""``unity-cli plugin`` as a real process, from this checkout and from the wheel."""

from __future__ import annotations

import json
from pathlib import Path

from running_server import run_cli

from mcp_server.plugin.installation import SHIPPED
from mcp_server.plugin.package_manifest import PACKAGE_NAME

VERSION = json.loads((SHIPPED / "package.json").read_text(encoding="utf-8"))["version"]


def test_install_and_status(project: Path) -> None:
    folder = project / "Packages" / PACKAGE_NAME
    done = run_cli("plugin", "status", cwd=project)
    assert (done.returncode, done.stdout.split(";")[0]) == (1, "not installed")
    done = run_cli("--dry-run", "plugin", "install", cwd=project)
    assert done.returncode == 0
    assert done.stdout.startswith("would install ")
    assert not folder.exists()
    done = run_cli("plugin", "install", cwd=project)
    assert done.stdout.startswith("installed ")
    assert str(folder) in done.stdout
    done = run_cli("plugin", "install", "--output", "json", cwd=project)
    assert json.loads(done.stdout)["action"] == "nothing"
    done = run_cli("plugin", "status", "--output", "json", cwd=project)
    assert (done.returncode, json.loads(done.stdout)["state"]) == (0, "current")


def test_a_broken_list_of_packages_is_told(project: Path) -> None:
    manifest = project / "Packages" / "manifest.json"
    manifest.write_text('{ "dependencies": {')
    told = "Packages/manifest.json is not JSON (line 1, column 20)"
    assert f"{told}. Unity finds no packages" in run_cli("plugin", "status", cwd=project).stdout
    done = run_cli("plugin", "status", "--output", "json", cwd=project)
    assert json.loads(done.stdout)["manifest_problem"].startswith(told)
    doctor = run_cli("doctor", "--lsp", "off", "--timeout", "60", cwd=project)
    assert f"✘ Unity package: {told}\n    Unity finds no packages: repair it" in doctor.stdout
    for _ in range(2):  # installed, and there already
        done = run_cli("plugin", "install", cwd=project)
        assert (done.returncode, done.stderr.startswith(told)) == (0, True)
        assert "Unity loads it" not in done.stderr
    done = run_cli("--dry-run", "plugin", "install", "--output", "json", cwd=project)
    assert json.loads(done.stdout)["manifest_problem"].startswith(told)
    manifest.write_text('{"dependencies": {}}')
    done = run_cli("plugin", "status", "--output", "json", cwd=project)
    assert json.loads(done.stdout)["manifest_problem"] is None


def test_what_is_no_project(no_project: Path, project: Path) -> None:
    done = run_cli("plugin", "install", "--project", str(no_project), cwd=no_project)
    assert done.returncode == 2
    assert "is not a Unity project" in done.stderr
    status = run_cli("plugin", "status", "--project", str(project / "Assets"), cwd=no_project)
    assert f"{str(project)[-40:]}." in status.stderr.partition(" Name ")[2]
    done = run_cli("plugin", "install", "--output", "json", cwd=no_project)
    assert (done.returncode, json.loads(done.stdout)["error"]["code"]) == (
        2,
        "ERR_CONFIG_VALIDATION",
    )
    assert list(no_project.iterdir()) == []


def test_uninstall(project: Path) -> None:
    folder = project / "Packages" / PACKAGE_NAME
    added = run_cli("plugin", "install", cwd=project).stdout.partition("(")[2].split(" ")[0]
    (folder / "README.md").write_text("mine")
    for command in ("install", "uninstall"):
        done = run_cli("plugin", command, cwd=project)
        assert (done.returncode, (folder / "README.md").read_text()) == (1, "mine")
        assert "--force" in done.stderr
    assert run_cli("plugin", "install", "--force", cwd=project).returncode == 0
    done = run_cli("plugin", "uninstall", cwd=project)
    assert done.stdout == f"removed {VERSION}: {folder} ({added} files)\n"
    run_cli("plugin", "install", cwd=project)
    done = run_cli("--dry-run", "plugin", "uninstall", cwd=project)
    assert (done.returncode, done.stdout.split(":")[0]) == (0, f"would remove {VERSION}")
    assert folder.exists()
    done = run_cli("plugin", "uninstall", "--output", "json", cwd=project)
    document = json.loads(done.stdout)
    assert (document["action"], document["version"]) == ("remove", VERSION)
    assert f"Packages/{PACKAGE_NAME}/package.json" in document["removed"]
    assert not folder.exists()
    done = run_cli("plugin", "uninstall", cwd=project)
    assert (done.returncode, "nothing to remove" in done.stdout) == (0, True)


def test_settings_that_unity_ignores_and_their_removal(project: Path) -> None:
    asset = project / "ProjectSettings" / "UnityMcpPluginSettings.asset"
    asset.write_text("port: 5000\n")
    run_cli("plugin", "install", cwd=project)
    done = run_cli("plugin", "status", cwd=project)
    assert "is ignored by Unity" in done.stdout
    done = run_cli("plugin", "status", "--output", "json", cwd=project)
    assert "is ignored by Unity" in json.loads(done.stdout)["settings_problem"]
    done = run_cli("plugin", "uninstall", cwd=project)
    assert "--settings" in done.stderr
    assert asset.exists()
    done = run_cli("plugin", "uninstall", "--settings", cwd=project)
    assert done.stdout == f"removed settings: {asset}\n"
    assert not asset.exists()


def test_a_project_that_is_not_there_is_said_not_to_be(tmp_path: Path) -> None:
    missing = tmp_path / "none"
    for command in ("install", "status", "uninstall"):
        done = run_cli("plugin", command, "--project", str(missing), cwd=tmp_path)
        assert done.returncode == 2
        assert f"{missing} does not exist" in done.stderr
