"""Every example of the README, run as printed.

Only the names of folders and the ports are this machine's own. A block that can't be run here has
a comment above it that says why: ``<!-- not run: ... -->``.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from fake_editor import FakeEditor

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
TIMEOUT_S = 240

NOT_RUN = {
    "python3 dev.py demo": "a step of .ci/run",
    "python3 dev.py test": "this is part of it",
    "/bin/pip install .": "an environment with the built wheel is tried in tests/channels",
}

pytestmark = pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")


def blocks() -> list[str]:
    """The blocks of shell commands, in order, without those that are marked."""
    found = re.finditer(
        r"(?P<mark><!-- not run: .+? -->\s+)?^(?P<indent> *)```bash\n(?P<code>.*?)^ *```$",
        README,
        re.DOTALL | re.MULTILINE,
    )
    return [
        re.sub(f"^{each['indent']}", "", each["code"], flags=re.MULTILINE)
        for each in found
        if each["mark"] is None and not any(line in each["code"] for line in NOT_RUN)
    ]


def free_ports(count: int) -> list[int]:
    import socket

    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.bind(("127.0.0.1", 0))
    ports = [int(each.getsockname()[1]) for each in sockets]
    for each in sockets:
        each.close()
    return ports


class Desk:
    """A terminal in a Unity project: a home of its own, and the servers that were started."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "home"
        self.home.mkdir()
        self._servers: list[subprocess.Popen[str]] = []
        self._names: dict[str, str] = {}
        for name in ("UnityProject", "GameA", "GameB"):
            shutil.copytree(ROOT / "tests" / "fixtures" / "unity-project", folder / name)
            self._names[f"/path/to/{name}"] = str(folder / name)
        self.project = folder / "UnityProject"
        self.port, *others = free_ports(3)
        ports = zip(("48091", "48092"), map(str, others), strict=True)
        self._own_ports = dict(ports)
        path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
        url = f"http://127.0.0.1:{self.port}/mcp"
        self._environment = {
            **{k: v for k, v in os.environ.items() if not k.startswith(("XDG_", "UNITY_CLI_"))},
            "PATH": path,
            "HOME": str(self.home),
            "UNITY_CLI_PORT": str(self.port),
            "UNITY_CLI_URL": url,
        }

    def type(self, block: str) -> str:
        """Run a block to its end, or until the server that it starts is there; its output."""
        for printed, own in (*self._names.items(), *self._own_ports.items()):
            block = block.replace(printed, own)
        serves = block.startswith("unity-cli serve")
        process = subprocess.Popen(
            ["bash", "-euo", "pipefail", "-c", f"exec {block}" if serves else block],
            cwd=self.project,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        if serves:
            self._servers.append(process)
            assert process.stdout is not None
            return process.stdout.readline()
        out, err = process.communicate(timeout=TIMEOUT_S)
        assert process.returncode == 0, f"{block}\n{out}{err}"
        return out

    def close(self) -> None:
        for server in self._servers:
            server.terminate()
        for server in self._servers:
            server.communicate(timeout=TIMEOUT_S)


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    desk = Desk(tmp_path_factory.mktemp("desk"))
    edit = re.search(r"--json '(\{.*?\})'\n", README, re.DOTALL)
    assert edit is not None
    (desk.project / "edit.json").write_text(edit[1], encoding="utf-8")
    call = {"tool": "edit_snippet", "params": json.loads(edit[1])}
    (desk.project / "calls.jsonl").write_text(json.dumps(call) + "\n", encoding="utf-8")
    yield desk
    desk.close()


class EditorThatTests:
    """An Editor that runs the tests it is asked for, on an event loop of its own."""

    def __init__(self, port: int) -> None:
        self._url = f"ws://127.0.0.1:{port}/unity"
        self._loop = asyncio.new_event_loop()
        self._there = threading.Event()
        self._thread = threading.Thread(target=self._loop.run_until_complete, args=[self._run()])

    def __enter__(self) -> None:
        self._thread.start()
        assert self._there.wait(TIMEOUT_S)

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._left.set)
        self._thread.join(TIMEOUT_S)

    async def _run(self) -> None:
        self._left = asyncio.Event()
        editor = await FakeEditor(self._url).connect()
        working = asyncio.create_task(self._work(editor))
        self._there.set()
        await self._left.wait()
        working.cancel()
        await editor.close()

    async def _work(self, editor: FakeEditor) -> None:
        while True:
            await editor.received("get_job_status")
            for job in editor.jobs.values():
                job.finish()


def test_every_example_runs_as_printed(desk: Desk) -> None:
    own_edit, first, *rest = blocks()
    script = desk.project / "Assets" / "Scripts" / "Player.cs"
    before = script.read_bytes()
    edited = desk.type(own_edit)
    assert [edited.count(word) for word in ("previewed ", "applied ", "undone ")] == [1, 1, 1]
    assert script.read_bytes() == before
    assert first.startswith("unity-cli serve")
    assert desk.type(first) == f"http://127.0.0.1:{desk.port}/mcp\n"
    with EditorThatTests(desk.port):
        said = {block: desk.type(block) for block in rest}
    installed = json.loads((desk.home / ".cursor/mcp.json").read_text(encoding="utf-8"))
    arguments = ["mcp", "--port", str(desk.port), "--project", str(desk.project)]
    assert installed["mcpServers"]["unity"]["args"] == arguments
    assert list(desk.home.rglob("mcp_config.json")) == []  # taken out, and nothing else was in it
    games = json.loads((desk.home / ".claude.json").read_text(encoding="utf-8"))["mcpServers"]
    assert list(games) == ["unity-game-a", "unity-game-b"]
    folders = [game["args"][-1] for game in games.values()]
    assert [Path(folder).name for folder in folders] == ["GameA", "GameB"]
    assert len({game["args"][2] for game in games.values()}) == 2
    (shell,) = (output for block, output in said.items() if "run_tests" in block)
    assert "2 passed" in shell
    (editors,) = (output for block, output in said.items() if "get_editor_state" in block)
    assert editors == "no Unity Editor is connected (no_editor)\n"


def test_the_first_example_prints_what_it_says(desk: Desk) -> None:
    session = re.search(r"^```\n\$ (unity-cli .*?'\n)(.*?)^```$", README, re.DOTALL | re.MULTILINE)
    assert session is not None
    assert desk.type(session[1]) == session[2]
