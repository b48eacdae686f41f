"""Whether the guard's hooks are installed, when they last fired, and whether they work."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from uuid import uuid4

from mcp_server.clients.guard_hooks import Installed, installed_in, places
from mcp_server.clients.table import CLIENTS
from mcp_server.doctor.check import Check
from mcp_server.guard.clients.adapter import Adapter
from mcp_server.guard.clients.table import ADAPTERS
from mcp_server.guard.events import DOCTOR_SESSION, Moment
from mcp_server.guard.fired import UNREAD, Fired, read

NAME = "guard"
_PROGRAM = "unity-cli"
_WRITERS = {
    "claude-code": "Write",
    "codex": "apply_patch",
    "cursor": "Write",
    "gemini-cli": "write_file",
    "copilot-cli": "Write",
    "vscode": "create_file",
    "opencode": "write",
    "cline": "write_to_file",
    "kiro": "fs_write",
}
"""A tool of each client that writes a whole file. Windsurf's events only have replacements."""

_NONE = "no agent has its hooks"
_ADVICE = "To have an agent's own edits checked: unity-cli client install NAME --guard"


def check_guard(project: Path | None, limit_s: float) -> list[Check]:
    """Check the hooks of each client that has them, and run one event through each."""
    here = {name: _installed(adapter) for name, adapter in ADAPTERS.items()}
    installed = {name: found for name, found in here.items() if found is not Installed.NO}
    if not installed:
        return [Check(NAME, False, _NONE, _ADVICE, optional=True)]
    fired = {} if project is None else read(project)
    lines = [_line(name, found, fired) for name, found in installed.items()]
    if shutil.which(_PROGRAM) is None:
        why = f"{_PROGRAM} is not on PATH, so agents can't run the hooks"
        command = "uv tool install unity-snippet"
        advice = f"Install it as a tool: {command}"
        return [Check(NAME, False, why, advice, details=tuple(lines), command=command)]
    until = time.monotonic() + limit_s - 1
    lines = [
        f"{line}; {_tried(name, project, until - time.monotonic())}"
        for name, line in zip(installed, lines, strict=True)
    ]
    summary = ", ".join(CLIENTS[name].title for name in installed)
    advice = command = ""
    old = [name for name, found in installed.items() if found is Installed.OTHER]
    if None in installed.values():
        advice = "Correct the file that can't be read. Then: unity-cli client install NAME --guard"
    elif old:
        command = f"unity-cli client install {old[0]} --guard"
        advice = f"To have the present text of the hooks: {command}"
    return [Check(NAME, not advice, summary, advice, details=tuple(lines), command=command)]


def _installed(adapter: Adapter) -> Installed | None:
    """Return how much of the guard the client has; ``None``: its file can't be read."""
    here = places(adapter, system=sys.platform, home=Path.home(), environment=os.environ)
    try:
        found = {installed_in(adapter.name, *each, system=sys.platform) for each in here}
    except (OSError, ValueError):
        return None
    return found.pop() if len(found) == 1 else Installed.OTHER


def _line(name: str, found: Installed | None, fired: Fired) -> str:
    """Return a client's state, for people."""
    if found is None:
        return f"{name}: its file of hooks can't be read"
    text = "installed" if found is Installed.CURRENT else "installed, with another text"
    last = _last(fired.get(name, {}))
    if last is not None:
        return f"{name}: {text}; last fired {last}"
    note = ADAPTERS[name].note
    return f"{name}: {text}; has not fired in this project{f' ({note})' if note else ''}"


def _last(moments: Mapping[str, Mapping[str, Any]]) -> str | None:
    times = [
        f"{at} ({moment})"
        for moment, entry in moments.items()
        if moment != UNREAD and isinstance(at := entry.get("at"), str)
    ]
    return max(times, default=None)


def _tried(name: str, project: Path | None, left_s: float, *, again: bool = False) -> str:
    """Return what became of an event that a server refuses. No file is written by it."""
    if project is None:
        return "not tried, as there is no project"
    if name not in _WRITERS:
        return "not tried, as its events don't have whole files"
    if left_s <= 0:
        return "not tried, for lack of time"
    try:
        done = subprocess.run(
            [shutil.which(_PROGRAM) or _PROGRAM, "hook", name],
            input=json.dumps(_event(name, project)).encode(),
            capture_output=True,
            cwd=project,
            timeout=left_s,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return "the hook did not end in time"
    except OSError as error:
        return f"the hook could not be started: {error.strerror}"
    if not (done.stdout or done.stderr or again):  # a server that has just started is slower
        return _tried(name, project, left_s / 2, again=True)
    if b"CS" in done.stdout + done.stderr:
        return "tried just now: a broken text was refused"
    if done.returncode or done.stdout or done.stderr:
        return f"tried just now: an unexpected answer, with exit code {done.returncode}"
    return "tried just now: no answer, as no server runs for this project, or it was busy"


def _event(name: str, project: Path) -> dict[str, Any]:
    """Return the event before a file is written that doesn't exist, with a text never sent before.

    A text that was refused once passes the next time.
    """
    adapter = ADAPTERS[name]
    event = next(each for each, when in adapter.events.items() if when is Moment.BEFORE)
    place = f"Assets/UnitySnippetDoctor{uuid4().hex}.cs"
    text = f"class Doctor {{ // {uuid4().hex}\n"
    path = str(project / place)
    arguments = {"file_path": path, "content": text}
    if name == "codex":
        lines = "".join(f"+{line}\n" for line in text.splitlines())
        patch = f"*** Begin Patch\n*** Add File: {place}\n{lines}*** End Patch\n"
        arguments = {"command": patch}
    return {
        "hook_event_name": event,
        "session_id": DOCTOR_SESSION,
        "cwd": str(project),
        "tool_name": _WRITERS[name],
        "tool_input": arguments,
    }
