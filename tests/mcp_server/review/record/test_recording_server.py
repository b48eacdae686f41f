"""A real server records what agents, commands, hooks and other programs do."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
import platformdirs
import pytest
from mcp import Client
from mcp_talk import talk
from running_server import SCRIPT, SOURCE, TIMEOUT_S, RunningServer, edit, make_project, run_cli
from this_system import KILL

from mcp_server.calls.server.project_server import project_key
from mcp_server.review.record.event_store import EventStore
from mcp_server.review.record.events import Event, Outcome

pytestmark = pytest.mark.anyio

NEW = SOURCE.replace(b"speed > 10", b"speed > 20")
BROKEN = SOURCE.replace(b"speed = 0;", b"speed = ;")


@contextmanager
def kept(root: Path) -> Iterator[EventStore]:
    """The events that the project's server has written so far."""
    state = platformdirs.user_state_path("unity-snippet", appauthor=False) / "kept"
    store = EventStore(state / f"project-{project_key(root)}-1" / "review")
    store.start()
    assert store.settle(TIMEOUT_S)
    yield store
    store.stop(TIMEOUT_S)


def wait_for(root: Path, found: Callable[[list[Event]], bool]) -> list[Event]:
    """Return the events, once they are as expected."""
    until = time.monotonic() + TIMEOUT_S
    while True:
        with kept(root) as store:
            events = store.events()
        if found(events):
            return events
        assert time.monotonic() < until, events


def a_project(tmp_path: Path) -> Path:
    root = make_project(tmp_path / "Game")
    (root / "Library").mkdir()
    return root


async def test_agents_commands_hooks_and_others(tmp_path: Path) -> None:
    root = a_project(tmp_path)
    with RunningServer("--lsp", "off", cwd=root) as server:
        server.wait_for_log("scripts_known")

        async with Client(server.url, mode="auto") as client:
            await client.call_tool("edit_snippet", edit("apply"))
        done = run_cli("undo", "--project", str(root), cwd=root)
        assert done.returncode == 0, done.stderr
        event: dict[str, Any] = {
            "session_id": "s1",
            "hook_event_name": "PreToolUse",
            "tool_name": "Write",
            "tool_input": {"file_path": str(root / SCRIPT), "content": BROKEN.decode()},
            "cwd": str(root),
        }
        guard = server.url.removesuffix("/mcp") + "/guard/claude-code"
        assert "deny" in httpx2.post(guard, json=event, timeout=TIMEOUT_S).text
        (root / SCRIPT).write_bytes(BROKEN)
        server.wait_for_log("outside_change")
        events = wait_for(root, lambda events: len(events) == 4)
        assert server.stop() == 0
    by_outcome = {each.outcome: each for each in events if each.undo or each.tool}
    assert events[-1].outcome is Outcome.APPLIED
    changed, guarded, applied = (
        by_outcome[each] for each in (Outcome.CHANGED, Outcome.GUARDED, Outcome.APPLIED)
    )
    undone = next(each for each in events if not each.undo and not each.tool)
    assert undone.line.startswith("by unity-snippet, outside of a recorded call: if (speed > 20)")
    assert applied.client
    assert undone.files[0].path == SCRIPT
    assert (guarded.client, guarded.session, guarded.tool) == ("claude-code", "s1", "Write")
    assert (changed.client, changed.tool) == (None, "")
    assert changed.undo is not None
    with kept(root) as store:
        texts = [
            [store.text(digest or "") for digest in (file.before, file.after)]
            for event in (changed, undone, applied)
            for file in event.files
        ]
        assert texts == [[SOURCE, BROKEN], [NEW, SOURCE], [SOURCE, NEW]]
        late = store.late(changed.number)
        assert [each.file for each in late] == [SCRIPT] * len(late)
        sent = store.detail(guarded.number)
    assert late, "the embedded validator finds the error after the change"
    assert sent is not None
    assert sent["sent"][0]["text"] == BROKEN.decode()


def test_a_killed_server_keeps_what_it_wrote_and_its_successor_goes_on(tmp_path: Path) -> None:
    root = a_project(tmp_path)

    async def apply(client: Client) -> None:
        await client.call_tool("edit_snippet", edit("apply"))

    with RunningServer("--lsp", "off", cwd=root) as server:
        talk(server.url, "auto", apply)
        wait_for(root, lambda events: len(events) == 1)
        server.stop(KILL)
    with RunningServer("--lsp", "off", cwd=root) as server:
        talk(server.url, "auto", apply)  # which finds its text no more
        events = wait_for(root, lambda events: len(events) == 2)
        assert server.stop() == 0
    assert [each.number for each in events] == [2, 1]
    assert [each.outcome for each in events] == [Outcome.REFUSED, Outcome.APPLIED]
    assert json.dumps(events[0].to_json())
