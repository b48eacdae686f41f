"""Check the guard's hooks: whether they are installed, when they last fired, whether they work."""

from __future__ import annotations

import json
import shutil
import subprocess
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

from mcp_server.clients.guard_hooks import Installed, installed_here, places_here, switched_off
from mcp_server.clients.table import CLIENTS
from mcp_server.doctor.check import Check
from mcp_server.guard.clients.table import ADAPTERS
from mcp_server.guard.events import DOCTOR_SESSION, Moment
from mcp_server.guard.fired import UNREAD, Fired, read
from mcp_server.hook import NotCarriedError
from mcp_server.hook.server_record import find_server, log_folder
from mcp_server.this_installation import onto_path, program, quoted_word

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
"""A tool of each client that writes a whole file. Windsurf's events have only replacements."""

_STATES = {
    Installed.CURRENT: "installed",
    Installed.OTHER: "installed, but incomplete, edited or of another version",
    Installed.OFF: "installed, but switched off in the same file",
}

_NONE = "no agent has the guard's hooks in its settings (plugins were not checked)"
_ADVICE = "To check the edits of an agent's own tools: unity-cli client install NAME --guard"


def check_guard(project: Path | None, limit_s: float) -> list[Check]:
    """Check the hooks of every client that has them, and send one event through each."""
    here = {name: installed_here(adapter) for name, adapter in ADAPTERS.items()}
    installed = {name: found for name, found in here.items() if found is not Installed.NO}
    fired = {} if project is None else read(project)
    if not installed:
        lines = [f"{name}: fired {last}" for name in fired if (last := _last(fired[name]))]
        return [Check(NAME, False, _NONE, _ADVICE, optional=True, details=tuple(lines))]
    lines = [_line(name, found, fired) for name, found in installed.items()]
    if shutil.which(_PROGRAM) is None:
        why = f"{_PROGRAM} is not on PATH, so agents can't run the hooks"
        return [Check(NAME, False, why, onto_path(), details=tuple(lines))]
    until = time.monotonic() + limit_s - 1
    silent = _no_server(project)
    tried = [_tried(name, project, until - time.monotonic(), silent) for name in installed]
    details = tuple(f"{line}; {each.said}" for line, each in zip(lines, tried, strict=True))
    titles = ", ".join(CLIENTS[name].title for name in installed)
    wrong = _wrong(installed)
    if wrong is not None:
        advice, command = wrong
        return [Check(NAME, False, titles, advice, details=details, command=command)]
    if project is not None and silent is not None:
        why = f"{titles}: installed, but {silent}, so no edit is checked"
        command = f"{program()} serve --project {quoted_word(str(project))}"
        advice = f"Start the agent here, which starts a server, or: {command}"
        return [Check(NAME, False, why, advice, details=details, optional=True, command=command)]
    failed = [each for each in tried if each.works is False]
    if failed:
        why = f"{titles}: installed, but {len(failed)} of {len(tried)} did not refuse a broken text"
        advice = f"Run doctor again. If that doesn't help, see hook.log in {log_folder()}"
        return [Check(NAME, False, why, advice, details=details)]
    return [Check(NAME, True, titles, details=details)]


def _wrong(installed: Mapping[str, Installed | None]) -> tuple[str, str] | None:
    """Return the advice on wrong files, and the command in it."""
    if None in installed.values():
        return "Correct the file that can't be read. Then: client install NAME --guard", ""
    if Installed.OFF in installed.values():
        return "Remove the setting that switches off the client's hooks", ""
    old = [name for name, found in installed.items() if found is Installed.OTHER]
    if not old:
        return None
    command = f"unity-cli client install {old[0]} --guard --replace"
    return f"To update the hooks (edited ones are copied first): {command}", command


def _line(name: str, found: Installed | None, fired: Fired) -> str:
    if found is None:
        return f"{name}: its hooks file can't be read"
    text = _STATES[found]
    if found is Installed.OFF:
        here = places_here(ADAPTERS[name])
        setting = next(filter(None, (switched_off(*each) for each in here)), "a setting")
        text = f"{text} ({setting})"
    last = _last(fired.get(name, {}))
    if last is not None:
        return f"{name}: {text}; last fired {last}"
    note = ADAPTERS[name].note
    return f"{name}: {text}; has not fired in this project{f' ({note})' if note else ''}"


def _last(moments: Mapping[str, Mapping[str, Any]]) -> str | None:
    times = []
    for moment, entry in moments.items():
        try:
            at = datetime.fromisoformat(entry.get("at", "")).astimezone()
        except (TypeError, ValueError):
            continue
        if moment != UNREAD:
            times.append((at, moment))
    if not times:
        return None
    at, moment = max(times)
    return f"{at:%Y-%m-%d %H:%M:%S} ({moment})"


@dataclass(frozen=True, slots=True)
class _Try:
    said: str
    works: bool | None = None
    """Whether the hook worked; ``None`` if no event was sent."""


def _no_server(project: Path | None) -> str | None:
    try:
        find_server(json.dumps({"cwd": str(project or "")}).encode())
    except NotCarriedError as error:
        return str(error)
    return None


def _tried(
    name: str, project: Path | None, left_s: float, silent: str | None, *, again: bool = False
) -> _Try:
    """Send an event, which a server must refuse, through the hook. No file is written.

    ``silent`` is why there is no server.
    """
    if project is None:
        return _Try("not tried, because there is no project")
    if silent is not None:
        return _Try(f"not tried, because {silent}")
    if name not in _WRITERS:
        return _Try("not tried, because its events don't contain whole files")
    if left_s <= 0:
        return _Try("not tried, for lack of time")
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
        return _Try("tried just now: the hook did not end in time", works=False)
    except OSError as error:
        return _Try(f"the hook could not be started: {error.strerror}", works=False)
    if not (done.stdout or done.stderr or again):  # a server that has just started is slower
        return _tried(name, project, left_s / 2, silent, again=True)
    if b"CS" in done.stdout + done.stderr:
        return _Try("works: it refused a broken text just now", works=True)
    if done.returncode or done.stdout or done.stderr:
        code = done.returncode
        return _Try(f"tried just now: an unexpected answer, with exit code {code}", works=False)
    return _Try("tried just now: the project's server did not answer in time", works=False)


def _event(name: str, project: Path) -> dict[str, Any]:
    """Return the event before a write of a new file, with a text that was never sent before.

    A refused text passes the second time.
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
