"""``unity-cli mcp`` processes, and the servers that they share, for tests to look at."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

from mcp import StdioServerParameters
from running_server import ITSELF, TIMEOUT_S, UNITY_CLI, environment
from user_state import state_in

from mcp_server.calls.server.server_status import ServerStatus, ask_status


def stdio_parameters(port: int, project: Path, state: Path, **env: str) -> StdioServerParameters:
    """How the SDK's client starts a stdio process. ``state`` keeps the server's log."""
    return StdioServerParameters(
        command=UNITY_CLI,
        args=["mcp", "--port", str(port), "--project", str(project)],
        env={**state_in(state), **env},
        cwd=project,
    )


def status(port: int, token: str | None = None) -> ServerStatus:
    """What the server on ``port`` says of itself."""
    answer = ask_status(f"http://127.0.0.1:{port}/mcp", token, TIMEOUT_S)
    assert isinstance(answer, ServerStatus), answer
    return answer


class RawStdio:
    """A stdio process without the SDK's client: lines in, lines out, signals at will."""

    def __init__(self, port: int | None, cwd: Path, state: Path, *options: str, **env: str) -> None:
        """``port`` is ``None`` if it is not to be given."""
        self._id = 0
        self.lines: list[str] = []
        self.process = subprocess.Popen(
            [*ITSELF, "mcp", *(["--port", str(port)] if port else []), *options],
            cwd=cwd,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment(**state_in(state), **env),
        )

    def __enter__(self) -> RawStdio:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.communicate(timeout=TIMEOUT_S)

    def send(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def read(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, "stdout was closed"
        self.lines.append(line)
        message: dict[str, Any] = json.loads(line)
        return message

    def request(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """Send a request and wait for its answer."""
        self._id += 1
        sent = {"jsonrpc": "2.0", "id": self._id, "method": method, "params": params}
        self.send(json.dumps(sent))
        while (message := self.read()).get("id") != self._id:
            pass
        return message

    def initialize(self) -> dict[str, Any]:
        """The handshake of the protocol versions that have one."""
        params = {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        }
        answer = self.request("initialize", params)
        if "result" in answer:
            self.send('{"jsonrpc": "2.0", "method": "notifications/initialized"}')
        return answer

    def close(self) -> tuple[int, str]:
        """Close stdin and wait for the end; the exit code, and what was written to stderr."""
        out, err = self.process.communicate(timeout=TIMEOUT_S)
        self.lines += (out or "").splitlines()  # on Windows none, of a pipe that is closed
        return self.process.returncode, err
