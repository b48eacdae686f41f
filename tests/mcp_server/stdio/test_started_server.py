"""A server outlives the client that started it: docs/design/systems.md "Processes".

The flags are those of ``CreateProcess``'s documentation; the start itself is a stand-in here.
"""

from __future__ import annotations

import os
import subprocess
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from mcp_server.interrupt_signals import ending_signals
from mcp_server.stdio import server_process
from mcp_server.stdio.server_process import start_detached

DETACHED_PROCESS = 0x00000008


class JailedError(PermissionError):
    """As ``CreateProcess`` refuses a process that may not leave its job."""

    winerror = 5


def started(*refusals: Exception) -> tuple[list[dict[str, Any]], Any]:
    """What was asked for, and a start that first refuses so."""
    asked: list[dict[str, Any]] = []
    left = list(refusals)

    def start(command: object, **options: Any) -> Any:
        asked.append(options)
        if left:
            raise left.pop(0)
        return SimpleNamespace(pid=1)

    return asked, start


def test_on_windows_it_has_no_window_and_leaves_the_clients_job() -> None:
    asked, start = started()
    start_detached(["serve"], {}, None, windows=True, start=start)
    (options,) = asked
    flags = options["creationflags"]
    assert flags & server_process.CREATE_NO_WINDOW
    assert flags & server_process.CREATE_BREAKAWAY_FROM_JOB
    assert flags & server_process.CREATE_NEW_PROCESS_GROUP
    assert not flags & DETACHED_PROCESS
    assert "start_new_session" not in options
    assert options["stdin"] == subprocess.DEVNULL


def test_a_job_that_lets_nobody_leave() -> None:
    asked, start = started(JailedError(13, "refused"))
    start_detached(["serve"], {}, None, windows=True, start=start)
    assert not asked[-1]["creationflags"] & server_process.CREATE_BREAKAWAY_FROM_JOB
    assert asked[-1]["creationflags"] & server_process.CREATE_NO_WINDOW


def test_what_else_is_refused_is_told() -> None:
    asked, start = started(PermissionError(13, "refused"))
    with pytest.raises(PermissionError):
        start_detached(["serve"], {}, None, windows=True, start=start)
    assert len(asked) == 1


def test_elsewhere_it_has_a_session_of_its_own() -> None:
    asked, start = started()
    start_detached(["serve"], {}, None, windows=False, start=start)
    assert asked[0]["start_new_session"]
    assert "creationflags" not in asked[0]


def test_what_the_system_knows_ends_a_server() -> None:
    windows = ModuleType("signal")
    windows.__dict__.update(SIGINT=2, SIGTERM=15, SIGBREAK=21)
    assert ending_signals(windows) == [2, 21, 15]
    of_this = {"SIGINT", "SIGTERM", "SIGBREAK" if os.name == "nt" else "SIGHUP"}
    assert {each.name for each in ending_signals()} == of_this
