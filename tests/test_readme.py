"""Every example of the README and of the how-to guides, run as printed.

Only the names of folders and the ports are replaced. A comment above a block that can't run here
gives the reason: ``<!-- not run: ... -->``.
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
from page_blocks import bash_blocks

from mcp_server.clients.table import CLIENTS
from mcp_server.contract.catalog import CATALOG

ROOT = Path(__file__).resolve().parent.parent
GUIDES = (
    "connect-an-agent",
    "guard",
    "review",
    "several-editors",
    "shared-machine",
    "unity-editor",
    "use-from-a-shell",
)
PAGES = ("README.md", *(f"docs/howto/{name}.md" for name in GUIDES))
TIMEOUT_S = 240
EDIT = {
    "path": "Assets/Scripts/Player.cs",
    "mode": "preview",
    "instructions": [
        {
            "operation": "replace",
            "anchor": {"type": "text", "target": "speed > 10"},
            "newText": "speed > maxSpeed",
        }
    ],
}

NOT_RUN = {
    "python3 dev.py demo": "a step of .ci/run",
    "python3 dev.py test": "this is part of it",
}

pytestmark = pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")


def blocks(page: str) -> list[str]:
    """Return the page's blocks of shell commands, in order, without those in ``NOT_RUN``."""
    return [each for each in bash_blocks(page) if not any(line in each for line in NOT_RUN)]


def free_ports(count: int) -> list[int]:
    import socket

    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.bind(("127.0.0.1", 0))
    ports = [int(each.getsockname()[1]) for each in sockets]
    for each in sockets:
        each.close()
    return ports


def test_every_tool_and_every_client_is_named() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    named = {*re.findall(r"`([\w-]+)`", readme), *re.findall(r" client install (\S+)\n", readme)}
    assert {*CATALOG, *CLIENTS} <= named


EXPECTED = {
    "README.md": ("previewed ", "applied ", "undone "),
    "docs/howto/connect-an-agent.md": ("claude-desktop", "mcpServers", "dry run: "),
    "docs/howto/guard.md": ("hooks written", "guard installed", "hooks removed"),
    "docs/howto/review.md": ("http://127.0.0.1:",),
    "docs/howto/several-editors.md": ("no Unity Editor is connected (no_editor)\n",),
    "docs/howto/shared-machine.md": (".claude.json written", "mcp.json written"),
    "docs/howto/unity-editor.md": ("com.unitysnippet.mcp", "/mcp"),
    "docs/howto/use-from-a-shell.md": ("edit_snippet", "previewed ", "2 passed"),
}
"""What a page's blocks print, among other things."""


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


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    desk = Desk(tmp_path)
    (desk.project / "edit.json").write_text(json.dumps(EDIT), encoding="utf-8")
    call = {"tool": "edit_snippet", "params": EDIT}
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


def printed(desk: Desk, page: str) -> dict[str, str]:
    """Run a page's blocks in order; what each of them printed."""
    said: dict[str, str] = {}
    for block in blocks(page):
        if "run_tests" in block:
            with EditorThatTests(desk.port):
                said[block] = desk.type(block)
        else:
            said[block] = desk.type(block)
    return said


@pytest.mark.parametrize("page", PAGES)
def test_every_example_runs_as_printed(desk: Desk, page: str) -> None:
    script = desk.project / "Assets" / "Scripts" / "Player.cs"
    before = script.read_bytes()
    said = printed(desk, page)
    assert script.read_bytes() == before
    for block, output in said.items():
        if block.startswith("unity-cli serve"):
            assert re.fullmatch(r"http://127\.0\.0\.1:\d+/mcp\n", output), block
    everything = "".join(said.values())
    assert [word for word in EXPECTED[page] if word not in everything] == []
    if page.endswith("several-editors.md"):
        assert_two_servers_are_registered(desk)
    if page.endswith("review.md"):
        assert "has ended" in desk.type("unity-cli stop")  # the server that ``open`` started


def assert_two_servers_are_registered(desk: Desk) -> None:
    games = json.loads((desk.home / ".claude.json").read_text(encoding="utf-8"))["mcpServers"]
    assert list(games) == ["unity-game-a", "unity-game-b"]
    folders = [game["args"][-1] for game in games.values()]
    assert [Path(folder).name for folder in folders] == ["GameA", "GameB"]
    assert len({game["args"][2] for game in games.values()}) == 2


def test_the_readme_has_the_size_of_an_overview() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 180


def test_the_readmes_figures_are_those_of_the_benchmark() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    page = (ROOT / "docs" / "landing.md").read_text(encoding="utf-8")
    requests, landed, wrong, plain = re.findall(
        r"Of ([\d,]+) requests .*?, ([\d.]+)% landed by the second try and (\d+) changed the "
        r"wrong text.\n.*? landed ([\d.]+)%",
        readme,
    )[0]
    together = re.search(
        rf"\| \*\*together\*\* \| {requests} \| ([\d.]+)% \| [\d.]+% \| ([\d.]+)%", page
    )
    assert together is not None
    assert round(float(together[1]) + float(together[2]), 1) == float(landed)
    assert f"Wrong: {wrong}, of which" in page
    assert f"| exact unique replace | {plain}% | 0.0% |" in page
