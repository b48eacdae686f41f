"""Calls of ``unity-cli hook`` around plain writes, as Claude Code or Codex makes them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from time import monotonic, sleep
from typing import Any

from running_server import TIMEOUT_S, environment, run_cli_process

PATIENT = {"UNITY_SNIPPET_GUARD_PATIENCE": "100"}
"""A busy machine must not fail a test: for servers and hooks."""


class Agent:
    """One session of an agent that writes with its own tool."""

    def __init__(self, project: Path, session: str, client: str = "claude-code") -> None:
        self.project = project
        self.session = session
        self._client = client
        self._calls = 0

    def fire(self, event: str, **more: Any) -> dict[str, Any]:
        """Call the hook; its answer."""
        payload = {
            "session_id": self.session,
            "cwd": str(self.project),
            "hook_event_name": event,
            **more,
        }
        done = run_cli_process(
            "hook",
            self._client,
            cwd=self.project,
            stdin=json.dumps(payload).encode(),
            env=environment(**PATIENT),
        )
        assert (done.returncode, done.stderr) == (0, "")
        found: dict[str, Any] = json.loads(done.stdout) if done.stdout else {}
        return found

    def write(self, path: str, text: bytes) -> str:
        """Write a whole file with the hooks around it; what is told afterwards.

        A refusal raises ``AssertionError``.
        """
        self._calls += 1
        sent = {"file_path": str(self.project / path), "content": text.decode()}
        call = {"tool_name": "Write", "tool_input": sent, "tool_use_id": f"t{self._calls}"}
        refused = self.fire("PreToolUse", **call)
        assert refused == {}, refused
        (self.project / path).parent.mkdir(parents=True, exist_ok=True)
        (self.project / path).write_bytes(text)
        return told(self.fire("PostToolUse", **call, tool_response={"success": True}))

    def patch(self, path: str, old: str, new: str) -> str:
        """Replace a text in one line as Codex does, with the hooks around it; what is told."""
        self._calls += 1
        text = (self.project / path).read_text(encoding="utf-8")
        line = next(each for each in text.split("\n") if old in each)
        hunk = f"@@\n-{line}\n+{line.replace(old, new)}"
        patch = f"*** Begin Patch\n*** Update File: {path}\n{hunk}\n*** End Patch"
        call = {
            "turn_id": "turn",
            "tool_name": "apply_patch",
            "tool_input": {"command": patch},
            "tool_use_id": f"t{self._calls}",
        }
        refused = self.fire("PreToolUse", **call)
        assert refused == {}, refused
        (self.project / path).write_text(text.replace(old, new, 1), encoding="utf-8")
        return told(self.fire("PostToolUse", **call, tool_response="done"))

    def requested(self, said: str) -> dict[str, Any]:
        """Send the request for ``undo_snippet`` that a text ends with; the result."""
        request = json.loads(said.rpartition("undo_snippet ")[2])
        return self.tool("undo_snippet", **request)

    def tool(self, name: str, **arguments: Any) -> dict[str, Any]:
        """Call one of our tools; its result."""
        call = ("tool", "call", name, "--json", json.dumps(arguments))
        done = run_cli_process("--output", "json", *call, cwd=self.project)
        assert done.returncode == 0, done.stdout + done.stderr
        found: dict[str, Any] = json.loads(done.stdout)
        return found

    def refused(self, path: str, text: bytes) -> str:
        """Return why a write is refused."""
        sent = {"file_path": str(self.project / path), "content": text.decode()}
        said = self.fire("PreToolUse", tool_name="Write", tool_input=sent, tool_use_id="r")
        return str(said["hookSpecificOutput"]["permissionDecisionReason"])


def told(answer: dict[str, Any]) -> str:
    """Return the context in an answer; empty if there is none."""
    return str(answer.get("hookSpecificOutput", {}).get("additionalContext", ""))


def wait_until(is_so: Callable[[], bool]) -> None:
    """Wait until something that the server does after its answer has happened."""
    until = monotonic() + TIMEOUT_S
    while not is_so():
        assert monotonic() < until
        sleep(0.01)
