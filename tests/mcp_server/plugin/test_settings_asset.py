"""Whether Unity reads the project's settings asset, as far as its text tells."""

from __future__ import annotations

from pathlib import Path

import pytest

from mcp_server.plugin.installation import SHIPPED, PackageStatus, status
from mcp_server.plugin.package_manifest import SETTINGS_ASSET, SETTINGS_SCRIPT, settings_problem

HEAD = "%YAML 1.1\n%TAG !u! tag:unity3d.com,2011:\n--- !u!114 &1\nMonoBehaviour:\n"
OWN = f"  m_Script: {{fileID: 11500000, guid: {SETTINGS_SCRIPT}, type: 3}}\n"
VALUES = "  schemaVersion: 1\n  port: 5000\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for folder in ("Assets", "ProjectSettings"):
        (tmp_path / folder).mkdir()
    return tmp_path


def test_the_script_is_the_packages_own() -> None:
    meta = SHIPPED / "Editor" / "Settings" / "UnityMcpPluginSettings.cs.meta"
    assert f"guid: {SETTINGS_SCRIPT}\n" in meta.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "asset",
    [HEAD + OWN + VALUES, (HEAD + OWN + VALUES).replace("\n", "\r\n"), "\0\0\1 a binary asset"],
)
def test_what_unity_reads_is_no_problem(project: Path, asset: str) -> None:
    assert settings_problem(project) is None
    (project / SETTINGS_ASSET).write_bytes(asset.encode())
    assert settings_problem(project) is None


@pytest.mark.parametrize(
    "asset",
    [
        HEAD + VALUES,
        HEAD + "  m_Script: {fileID: 0}\n" + VALUES,
        HEAD + OWN.replace(SETTINGS_SCRIPT, "0" * 32) + VALUES,
        OWN + VALUES,
        "port: 5000\n",
        "",
    ],
)
def test_what_unity_ignores_is_told(project: Path, asset: str) -> None:
    (project / SETTINGS_ASSET).write_bytes(asset.encode())
    problem = settings_problem(project)
    assert problem is not None
    assert "m_Script" in problem
    assert len(problem) <= 200
    found = status(project)
    assert isinstance(found, PackageStatus)
    assert found.settings_problem == problem
