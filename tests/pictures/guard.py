"""A picture of the guard: an agent's edit, as its hook sends it, refused by a real server."""

from __future__ import annotations

import itertools
import json
import re
import shutil
import tempfile
import time
from pathlib import Path

from tests.pictures.session import PROJECT, SCRIPT, Typed, background, on_terminal

EVENT = {
    "hook_event_name": "PreToolUse",
    "session_id": "s1",
    "tool_name": "str_replace",
    "tool_input": {
        "path": SCRIPT,
        "old_str": "if (amount <= 0) return health;",
        "new_str": "if (amount <= 0 || !IsAlive return health;",
    },
}
"""An edit by Kiro's tool, without a parenthesis. Kiro's hook answers in plain text."""

_WAIT_S = 60.0


def record_guard() -> list[Typed]:
    """Send the event to the hook, with a server that runs for a copy of the project.

    The picture has other words for the copy's path and for the session.
    """
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder) / "game"
        shutil.copytree(PROJECT, project)
        (project / "Library").mkdir(exist_ok=True)
        with background(("unity-cli", "serve"), project):
            refusal = _refused(project)
            event = on_terminal(("cat", "edit.json"), project, 0)
        event = re.sub(r'"session_id": "\w+"', '"session_id": "s1"', event)
        event = event.replace(str(project), "/home/ann/game")
        return [Typed("cat edit.json", event), Typed(_COMMAND, refusal)]


_COMMAND = "unity-cli hook kiro < edit.json"


def _refused(project: Path) -> str:
    """Return the refusal. A server that has just started, or is busy, gives no answer at first.

    In one session a text that was refused passes the next time, so each attempt has its own.
    """
    until = time.monotonic() + _WAIT_S
    for number in itertools.count():
        event = {"cwd": str(project), **EVENT, "session_id": f"s{number}"}
        text = json.dumps(event, indent=2) + "\n"
        (project / "edit.json").write_text(text, encoding="utf-8")
        shown = on_terminal(("sh", "-c", f"{_COMMAND} || true"), project, 0)
        if shown:
            return shown
        if time.monotonic() > until:
            break
    raise ValueError("the server refuses nothing")
