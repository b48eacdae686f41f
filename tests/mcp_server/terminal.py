"""A command on a terminal of its own, and what it showed there."""

from __future__ import annotations

import os
import subprocess
import threading
from pathlib import Path

from running_server import TIMEOUT_S, UNITY_CLI, environment


def run_on_terminal(
    *arguments: str, cwd: Path, stdout_too: bool = True, **variables: str
) -> tuple[int, str, str | None]:
    """The exit code, what the terminal showed, and stdout where that goes elsewhere."""
    import pty

    ours, theirs = pty.openpty()
    shown: list[bytes] = []

    def read() -> None:
        while True:
            try:
                chunk = os.read(ours, 65536)
            except OSError:  # how Linux says that the other end is closed
                return
            if not chunk:
                return
            shown.append(chunk)

    reader = threading.Thread(target=read)
    try:
        process = subprocess.Popen(
            [UNITY_CLI, *arguments],
            cwd=cwd,
            stdin=subprocess.DEVNULL,
            stdout=theirs if stdout_too else subprocess.PIPE,
            stderr=theirs,
            text=True,
            env=environment(TERM="xterm-256color", COLUMNS="120", **variables),
        )
        os.close(theirs)
        reader.start()
        stdout, _ = process.communicate(timeout=TIMEOUT_S)
        reader.join(TIMEOUT_S)
    finally:
        os.close(ours)
    return process.returncode, b"".join(shown).decode(), stdout
