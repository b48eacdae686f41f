"""What a release attaches, tried where nothing else of the project is."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, StdioServerParameters
from release_files import Built
from this_system import needs_git

from channels.artifacts import build_unity_tarball
from channels.manifests import ROOT, project

SCRIPT = "Assets/Scripts/Player.cs"
SOURCE = b"public class Player\r\n{\r\n    int speed = 10;\r\n}\r\n"
EDIT = {
    "path": SCRIPT,
    "mode": "apply",
    "instructions": [
        {
            "operation": "replace",
            "anchor": {"type": "text", "target": "speed = 10"},
            "newText": "speed = 20",
        }
    ],
}


@pytest.fixture
def game(tmp_path: Path) -> Path:
    game = tmp_path / "game"
    for folder in ("Assets/Scripts", "Packages", "ProjectSettings"):
        (game / folder).mkdir(parents=True)
    (game / SCRIPT).write_bytes(SOURCE)
    (game / "ProjectSettings/ProjectVersion.txt").write_text("m_EditorVersion: 2022.3.62f1\n")
    (game / "Packages/manifest.json").write_text('{"dependencies": {}}')
    return game


def bare_environment(home: Path) -> dict[str, str]:
    """No path, variable or setting that leads to this checkout."""
    kept = ("SYSTEMROOT", "TEMP", "TMP", "LOCALAPPDATA", "APPDATA", "USERPROFILE", "SSL_CERT_FILE")
    environment = {name: os.environ[name] for name in kept if name in os.environ}
    return {
        **environment,
        "PATH": os.defpath,
        "HOME": str(home),
        "XDG_STATE_HOME": str(home / "state"),
        "UNITY_CLI_PORT": "",
    }


def run(clean: Path, game: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [clean / "unity-cli", *arguments],
        cwd=game,
        env=bare_environment(game.parent),
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )


def test_the_wheel_says_its_version(clean: Path, game: Path) -> None:
    done = run(clean, game, "--version")
    assert done.stdout == f"unity-cli {project()['version']}\n"
    assert (clean / "unity-snippet").exists() or (clean / "unity-snippet.exe").exists()


def test_the_wheel_edits_and_takes_back(clean: Path, game: Path) -> None:
    call = ("tool", "call", "--output", "json")
    done = run(clean, game, *call, "edit_snippet", "--json", json.dumps(EDIT))
    assert done.returncode == 0, done.stderr
    assert (game / SCRIPT).read_bytes() == SOURCE.replace(b"10", b"20")
    undo = {"path": SCRIPT, "hashAfter": json.loads(done.stdout)["hashAfter"]}
    assert run(clean, game, *call, "undo_snippet", "--json", json.dumps(undo)).returncode == 0
    assert (game / SCRIPT).read_bytes() == SOURCE


def test_the_wheel_installs_the_unity_package(clean: Path, game: Path) -> None:
    done = run(clean, game, "plugin", "install", "--output", "json")
    assert done.returncode == 0, done.stderr
    folder = game / "Packages" / "com.unitysnippet.mcp"
    assert json.loads((folder / "package.json").read_text())["name"] == "com.unitysnippet.mcp"
    assert run(clean, game, "plugin", "status").returncode == 0


def test_the_wheel_examines_itself(clean: Path, game: Path) -> None:
    done = run(clean, game, "doctor", "--output", "json", "--lsp", "off", "--timeout", "60")
    assert done.returncode == 0, done.stdout + done.stderr
    checks = {each["name"]: each for each in json.loads(done.stdout)["checks"]}
    assert checks["embedded validator"]["ok"]
    assert checks["Unity project"]["ok"]


def test_the_wheel_serves(clean: Path, game: Path) -> None:
    """Over stdio, which starts a server of its own, and so over HTTP as well."""
    edited = anyio.run(edited_over_stdio, str(clean / "unity-cli"), ["mcp", "--port", free()], game)
    assert edited["status"] == "applied"
    assert (game / SCRIPT).read_bytes() == SOURCE.replace(b"10", b"20")


def test_the_wheels_server_needs_no_port_and_is_the_projects_only_one(
    clean: Path, game: Path
) -> None:
    """Typed twice, the second says where the first is."""
    environment = {**bare_environment(game.parent), "UNITY_CLI_LSP": "off"}
    with subprocess.Popen(
        [clean / "unity-cli", "serve"],
        cwd=game,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as server:
        assert server.stdout is not None
        try:
            url = server.stdout.readline().strip()
            again = run(clean, game, "serve")
            assert again.returncode == 2
            assert f"at {url}" in again.stderr.partition("runs for this project already")[2]
            doctor = run(clean, game, "doctor", "--output", "json", "--timeout", "60")
            told = json.loads(doctor.stdout)["checks"]
            (found,) = [each for each in told if each["name"] == "server"]
            assert found["ok"]
            assert found["summary"].startswith(f"{url}: ")
        finally:
            server.terminate()


def free() -> str:
    import socket

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return str(probe.getsockname()[1])


async def edited_over_stdio(
    command: str, arguments: list[str], game: Path, **env: str
) -> dict[str, Any]:
    parameters = StdioServerParameters(
        command=command,
        args=arguments,
        cwd=game,
        env={**bare_environment(game.parent), "UNITY_CLI_LSP": "off", **env},
    )
    async with Client(parameters) as client:
        called = await asyncio.wait_for(client.call_tool("edit_snippet", EDIT), 120)
    assert called.structured_content is not None
    return called.structured_content


def test_the_wheel_holds_types_and_the_skill(built: Built) -> None:
    names = zipfile.ZipFile(built.wheel).namelist()
    for package in (
        "snippet_engine",
        "mcp_server",
        "lsp_client",
        "unity_bridge",
        "roslyn_server",
        "unity_assets",
    ):
        assert f"{package}/py.typed" in names
    assert "mcp_server/clients/skill/SKILL.md" in names
    tops = {name.split("/")[0] for name in names}
    assert not tops & {"tests", "channels", "benchmarks"}


@needs_git
def test_the_wheel_has_the_unity_package(built: Built) -> None:
    """Every file of it, hidden ones and Documentation~ included, and no C# build's leavings."""
    inside = "unity_bridge/unity_package/"
    names = zipfile.ZipFile(built.wheel).namelist()
    command = ["git", "ls-files", inside]
    tracked = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    assert {name for name in names if name.startswith(inside)} == set(tracked.stdout.splitlines())


def test_the_bundle_runs_under_uv(built: Built, game: Path, tmp_path: Path) -> None:
    """As Claude Desktop does: unpacked somewhere, and what the manifest says is started."""
    folder = tmp_path / "bundle"
    with zipfile.ZipFile(built.bundle) as archive:
        archive.extractall(folder)
    config = json.loads((folder / "manifest.json").read_text())["server"]["mcp_config"]
    filled = {"${__dirname}": str(folder), "${user_config.project}": str(game)}
    arguments = [filled.get(each, each) for each in config["args"]]
    assert config["command"] == "uv"
    edited = anyio.run(_bundle_edit, arguments, game)
    assert edited["status"] == "applied"
    assert (game / SCRIPT).read_bytes() == SOURCE.replace(b"10", b"20")


async def _bundle_edit(arguments: list[str], game: Path) -> dict[str, Any]:
    started = ["-m", "uv", *arguments]
    cache = {"UV_CACHE_DIR": str(game.parent / "uv"), "UV_PYTHON": sys.executable}
    return await edited_over_stdio(sys.executable, started, game, UNITY_CLI_PORT=free(), **cache)


def test_unitys_tarball_is_what_is_installed(built: Built, clean: Path, game: Path) -> None:
    assert run(clean, game, "plugin", "install").returncode == 0
    installed = game / "Packages" / "com.unitysnippet.mcp"
    with tarfile.open(built.tarball) as archive:
        packed = {
            member.name.removeprefix("package/"): archive.extractfile(member).read()  # type: ignore[union-attr]
            for member in archive.getmembers()
        }
    files = {
        path.relative_to(installed).as_posix(): path.read_bytes()
        for path in installed.rglob("*")
        if path.is_file() and path.name != ".unity-cli-install.json"
    }
    # As by a git URL, its tests are there, too; Unity compiles them where a project asks for them.
    left_out = {name for name in packed if name.startswith("Tests")}
    assert {name: packed[name] for name in packed.keys() - left_out} == files
    assert left_out
    # Unity makes up an id for what has no .meta, another one on every machine.
    visible = [name for name in packed if "~/" not in name and not name.endswith(".meta")]
    assert [name for name in visible if f"{name}.meta" not in packed] == []


def test_unitys_tarball_is_the_same_each_time(built: Built, tmp_path: Path) -> None:
    assert build_unity_tarball(tmp_path).read_bytes() == built.tarball.read_bytes()


def test_the_sdist_holds_all_files_of_the_tests(built: Built) -> None:
    listed = subprocess.run(
        ["git", "ls-files", "-z", "tests"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if listed.returncode:
        pytest.skip("no checkout of git, which knows what belongs to the tests")
    with tarfile.open(built.sdist) as archive:
        held = {name.partition("/")[2] for name in archive.getnames()}
    assert [name for name in listed.stdout.split("\0") if name and name not in held] == []


def test_the_sdist_s_tests_run(built: Built, tmp_path: Path) -> None:
    """A part of them that says much and takes little, with this environment's libraries."""
    with tarfile.open(built.sdist) as archive:
        archive.extractall(tmp_path, filter="data")
    (root,) = tmp_path.iterdir()
    assert not (root / ".venv").exists()
    tests = (
        "tests/snippet_engine/test_edits.py",
        "tests/mcp_server/contract",
        "tests/test_architecture.py",
    )
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests]
    environment = {**os.environ, "PYTEST_ADDOPTS": "", "PYTEST_XDIST_WORKER": ""}
    done = subprocess.run(
        command, cwd=root, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout[-3000:]
    assert str(ROOT) not in done.stdout
