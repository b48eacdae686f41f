"""What Unity asks of a package's folder, and what the distribution promises of it."""

from __future__ import annotations

import json
import re
import tomllib

import pytest

from tests.bench.assemblies import PACKAGE_ASSEMBLY
from tests.unity_package.meta_files import PACKAGE, assets, meta_file, meta_text

MANIFEST = json.loads((PACKAGE / "package.json").read_text(encoding="utf-8"))
PROJECT = tomllib.loads((PACKAGE.parents[1] / "pyproject.toml").read_text(encoding="utf-8"))


def test_every_asset_has_a_meta_file_of_its_own() -> None:
    """Unity ignores what has none; ``python -m tests.unity_package.meta_files`` makes them."""
    guids = {}
    for asset in assets():
        text = meta_file(asset).read_text(encoding="utf-8")
        found = re.search(r"^guid: ([0-9a-f]{32})$", text, re.MULTILINE)
        assert found, asset
        assert guids.setdefault(found[1], asset) == asset
        assert text.splitlines()[2:] == meta_text(asset).splitlines()[2:], asset
    assert {meta_file(asset) for asset in assets()} == set(PACKAGE.rglob("*.meta"))


def test_the_settings_class_keeps_its_identity() -> None:
    """Users' assets name the script by this identifier: with another one, they would be lost."""
    text = (PACKAGE / "Editor" / "Settings" / "UnityMcpPluginSettings.cs.meta").read_text()
    assert "guid: c730635e6b59a900f69d073105a3dc60\n" in text
    source = (PACKAGE / "Editor" / "Settings" / "SettingsValidation.cs").read_text(encoding="utf-8")
    assert 'ScriptGuid = "c730635e6b59a900f69d073105a3dc60"' in source


def test_versions_agree() -> None:
    assert MANIFEST["version"] == PROJECT["project"]["version"]
    source = (PACKAGE / "Editor" / "Protocol" / "PackageVersion.cs").read_text(encoding="utf-8")
    assert f'Current = "{MANIFEST["version"]}";' in source
    assert f"## [{MANIFEST['version']}]" in (PACKAGE / "CHANGELOG.md").read_text(encoding="utf-8")


def test_the_manifest_is_one() -> None:
    assert MANIFEST["name"] == "com.unitysnippet.mcp"
    assert MANIFEST["unity"] == "2021.3"
    assert set(MANIFEST["dependencies"]) == {
        "com.unity.nuget.newtonsoft-json",
        "com.unity.test-framework",
    }


@pytest.mark.parametrize(
    ("folder", "name"),
    [("Editor", PACKAGE_ASSEMBLY), ("Tests/Editor", f"{PACKAGE_ASSEMBLY}.Tests")],
)
def test_each_folder_has_one_assembly_for_the_editor_only(folder: str, name: str) -> None:
    (file,) = (PACKAGE / folder).rglob("*.asmdef")
    asmdef = json.loads(file.read_text(encoding="utf-8"))
    assert file.stem == asmdef["name"] == name
    assert asmdef["includePlatforms"] == ["Editor"]
    assert asmdef["autoReferenced"] is False
    # The package's own tests are nobody's but its developers': not by a framework's define alone.
    constraints = [] if folder == "Editor" else ["UNITY_INCLUDE_TESTS", "UNITY_MCP_PACKAGE_TESTS"]
    assert asmdef["defineConstraints"] == constraints


def test_unity_finds_its_documents() -> None:
    for name in ("README.md", "CHANGELOG.md", "LICENSE.md", "Documentation~/unity-mcp.md"):
        assert (PACKAGE / name).read_text(encoding="utf-8").strip()
    licence = (PACKAGE.parents[1] / "LICENSE").read_text(encoding="utf-8")
    assert (PACKAGE / "LICENSE.md").read_text(encoding="utf-8") == licence


def test_classes_that_unity_serializes_have_files_of_their_names() -> None:
    for file in (PACKAGE / "Editor").rglob("*.cs"):
        for kind in ("ScriptableSingleton<", "EditorWindow"):
            found = re.search(rf"class (\w+) : {re.escape(kind)}", file.read_text(encoding="utf-8"))
            assert found is None or found[1] == file.stem
