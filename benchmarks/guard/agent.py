"""A running server, and an agent whose writes have the hooks of Claude Code around them."""

from __future__ import annotations

import http.client
import json
import socket
import subprocess
import sysconfig
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter
from typing import Any

UNITY_CLI = str(Path(sysconfig.get_path("scripts")) / "unity-cli")
CLIENT = "claude-code"
_WAITS_S = 300.0


@contextmanager
def serving(root: Path, lsp: str) -> Iterator[int]:
    """Serve a project; yields the port."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    (root / "Library").mkdir(exist_ok=True)
    arguments = ("serve", "--project", str(root), "--port", str(port), "--lsp", lsp)
    process = subprocess.Popen(
        [UNITY_CLI, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    try:
        assert process.stdout is not None
        if b"http" not in process.stdout.readline():
            raise RuntimeError("the server did not start")
        yield port
    finally:
        process.terminate()
        process.wait(_WAITS_S)


class Agent:
    """One session. ``seconds`` has how long each kind of hook took, from request to answer."""

    def __init__(self, root: Path, port: int, session: str) -> None:
        self.root = root
        self.port = port
        self.session = session
        self.seconds: dict[str, list[float]] = {}
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=_WAITS_S)
        self._calls = 0

    def fire(self, event: str, **more: Any) -> dict[str, Any]:
        """Call a hook over HTTP; its answer."""
        body = self.payload(event, **more)
        started = perf_counter()
        self._connection.request(
            "POST", f"/guard/{CLIENT}", body, {"Content-Type": "application/json"}
        )
        with self._connection.getresponse() as answer:
            data = answer.read()
        self.seconds.setdefault(event, []).append(perf_counter() - started)
        found: dict[str, Any] = json.loads(data or b"{}")
        return found

    def payload(self, event: str, **more: Any) -> bytes:
        """Return an event as the client sends it."""
        said = {"session_id": self.session, "cwd": str(self.root), "hook_event_name": event}
        return json.dumps({**said, **more}).encode()

    def call(self, path: str, text: bytes) -> dict[str, Any]:
        """Return a new call that writes a whole file."""
        self._calls += 1
        sent = {"file_path": str(self.root / path), "content": text.decode("utf-8", "replace")}
        return {"tool_name": "Write", "tool_input": sent, "tool_use_id": f"call{self._calls}"}

    def before(self, call: dict[str, Any]) -> str:
        """Return why a call is refused; empty if it isn't."""
        said = self.fire("PreToolUse", **call).get("hookSpecificOutput", {})
        return str(said.get("permissionDecisionReason", ""))

    def after(self, call: dict[str, Any]) -> str:
        """Return what the hook says after a call."""
        said = self.fire("PostToolUse", **call).get("hookSpecificOutput", {})
        return str(said.get("additionalContext", ""))

    def fire_after_nothing(self) -> str:
        """Return what the hook says after a tool that writes nothing."""
        return self.after({"tool_name": "Read", "tool_input": {}, "tool_use_id": "read"})

    def stop(self) -> str:
        """Return why the turn should not end."""
        return str(self.fire("Stop", stop_hook_active=False).get("reason", ""))

    def undo(self, request: dict[str, Any]) -> str:
        """Take a change back with our tool; its status or error."""
        return str(self._tool("undo_snippet", request).get("status", "an error"))

    def check_project(self) -> str:
        """Have the whole project compiled; the status."""
        return str(self._tool("check_project", {"timeout_ms": 290_000}).get("status", "an error"))

    def _tool(self, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        call = {"name": name, "arguments": arguments}
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
        headers = {
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": "2025-06-18",
        }
        self._connection.request("POST", "/mcp", json.dumps(body).encode(), headers)
        with self._connection.getresponse() as answer:
            text = answer.read().decode()
        lines = [each.removeprefix("data: ") for each in text.splitlines() if '"jsonrpc"' in each]
        result = json.loads(lines[-1])["result"]
        found: dict[str, Any] = result.get("structuredContent", {})
        return found

    def close(self) -> None:
        """Hang up."""
        self._connection.close()


def percentile(values: Sequence[float], percent: int) -> float:
    """Return a percentile in milliseconds."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, len(ordered) * percent // 100)] * 1000
