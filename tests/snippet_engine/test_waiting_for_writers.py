"""A call that waits for another writer can be stopped until it writes, and is told in time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from time import monotonic
from typing import Any

import pytest
from unity_project import SCRIPT, UnityProject, replace

from mcp_server.calls.local_tools import LocalTools
from mcp_server.contract.errors import ToolError
from mcp_server.contract.script_tools import SCRIPT_TOOLS
from snippet_engine.budget import Stop
from snippet_engine.errors import ErrorCode, SnippetError
from snippet_engine.schemas.checked_params import CheckedParams
from snippet_engine.source_text import content_hash
from snippet_engine.storage.state_folder import StateFolder, lock_key
from snippet_engine.storage.stores import request_log, script_locks
from snippet_engine.storage.system.file_lock import acquire

EDIT = replace("int a;", "int b;")
BEFORE, AFTER = "class C { int a; }", "class C { int b; }"
EDIT_SNIPPET = {"path": SCRIPT, "mode": "apply", "instructions": [EDIT]}
EDIT_SCRIPTS = {"mode": "apply", "changes": [{"path": SCRIPT, "instructions": [EDIT]}]}


@pytest.fixture(params=["edit_snippet", "edit_scripts", "undo_snippet"])
def write(request: pytest.FixtureRequest, project: UnityProject) -> Callable[[], Any]:
    """A call that writes the script."""
    project.write(BEFORE)
    if request.param != "undo_snippet":
        params = EDIT_SNIPPET if request.param == "edit_snippet" else EDIT_SCRIPTS
        tool = getattr(project.engine, request.param)
        return lambda: tool({**params, "client_request_id": "once"})
    project.done(EDIT)
    params = {"path": SCRIPT, "hashAfter": content_hash(AFTER.encode())}
    return lambda: project.engine.undo_snippet(params)


@pytest.fixture
def other_writer(project: UnityProject) -> Iterator[None]:
    """Somebody else has the script's lock."""
    state = StateFolder(project.root.resolve())
    state.ensure("locks")
    lock = acquire(state.file("locks", f"{lock_key(SCRIPT)}.lock"), 0)
    assert lock is not None
    with lock:
        yield


def test_who_waits_is_stopped_and_has_written_nothing(
    project: UnityProject, write: Callable[[], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    stop = Stop()
    surely: list[bool] = []

    def stopped_meanwhile(path: str | Path, timeout_ms: int) -> Any:
        surely.append(stop.stop())
        return acquire(path, timeout_ms)

    before = project.read()
    monkeypatch.setattr(script_locks, "acquire", stopped_meanwhile)
    outcome = stop.run(write)
    assert isinstance(outcome, SnippetError)
    assert surely
    assert all(surely)
    assert project.read() == before
    monkeypatch.undo()
    assert isinstance(write(), dict), "nothing is left that keeps it from being sent again"


def test_who_waits_is_told_before_nobody_listens(
    project: UnityProject, write: Callable[[], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    allowed: list[int] = []

    def in_use(_: str | Path, timeout_ms: int) -> None:
        allowed.append(timeout_ms)

    def free(path: str | Path, timeout_ms: int) -> Any:
        allowed.append(timeout_ms)
        return acquire(path, 0)

    before = project.read()
    monkeypatch.setattr(script_locks, "acquire", in_use)
    monkeypatch.setattr(request_log, "acquire", free)
    stop = Stop()
    stop.waited_for_until = monotonic() + 1
    outcome = stop.run(write)
    assert isinstance(outcome, SnippetError)
    assert outcome.code is ErrorCode.BUSY
    assert allowed
    assert max(allowed) <= 800
    assert project.read() == before


@pytest.mark.usefixtures("other_writer")
@pytest.mark.parametrize(
    ("tool", "params"), [("edit_snippet", EDIT_SNIPPET), ("edit_scripts", EDIT_SCRIPTS)]
)
def test_no_effect_is_left_open(project: UnityProject, tool: str, params: dict[str, Any]) -> None:
    project.write(BEFORE)
    arguments = CheckedParams(tool, {**params, "timeout_ms": 1000})
    outcome = LocalTools(project.root).call_in_time(SCRIPT_TOOLS[tool], arguments)
    # On a machine so slow that it isn't told in time, it was stopped.
    assert isinstance(outcome, ToolError)
    assert outcome.retryable
    assert "unknown" not in str(outcome.details)
    assert project.read().decode() == BEFORE
