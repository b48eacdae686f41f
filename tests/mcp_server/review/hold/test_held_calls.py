"""Calls that wait for a person, with a real server and real MCP clients."""

from __future__ import annotations

import asyncio
import shlex
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import project_server
import pytest
from call_results import error, result
from live_server import LiveServer
from running_server import SCRIPT, SOURCE, edit

from mcp_server.calls.local_tools import LocalTools
from mcp_server.review.hold import approvals, held_calls
from mcp_server.review.hold.approvals import AnsweredBefore, Ended, Ending, UnknownCall
from mcp_server.review.hold.held_calls import MAX_REASON, HeldCall, HoldSetting
from mcp_server.review.record.events import Outcome
from mcp_server.review.record.recorder import WITHDRAWN

pytestmark = pytest.mark.anyio

PATIENCE_S = 30
EDITED = SOURCE.replace(b"speed > 10", b"speed > 20")


class Heard:
    """The progress of a call."""

    def __init__(self) -> None:
        self.messages: list[str] = []
        self._arrived = asyncio.Event()

    async def __call__(self, _progress: float, _total: float | None, message: str | None) -> None:
        self.messages.append(message or "")
        self._arrived.set()

    async def more(self) -> None:
        """Wait for the next one."""
        self._arrived.clear()
        await self._arrived.wait()


@pytest.fixture
async def live(root: Path) -> AsyncIterator[LiveServer]:
    async with LiveServer(project=root) as server:
        await server.server.review.held.set(HoldSetting(is_on=True))
        yield server


async def one_that_waits(live: LiveServer, number: int = 1) -> HeldCall:
    """The newest call that waits, once there are so many."""
    async with asyncio.timeout(PATIENCE_S):
        while len(live.server.review.held.waiting) < number:
            await live.logs_more()
    return live.server.review.held.waiting[-1]


def calling(client: Any, tool: str = "edit_snippet", **arguments: Any) -> asyncio.Task[Any]:
    sent = arguments or edit("apply")
    return asyncio.create_task(client.call_tool(tool, sent, progress_callback=Heard()))


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_an_approved_call_writes_what_was_shown(
    live: LiveServer, root: Path, mode: Any
) -> None:
    async with live.client(mode=mode) as client:
        heard = Heard()
        call = asyncio.create_task(
            client.call_tool("edit_snippet", edit("apply"), progress_callback=heard)
        )
        held = await one_that_waits(live)
        (shown,) = held.files
        assert (shown.script.relative, shown.before, shown.after) == (SCRIPT, SOURCE, EDITED)
        assert (root / SCRIPT).read_bytes() == SOURCE
        came_of_it = live.server.review.held.answer(held.key, approves=True)
        assert isinstance(came_of_it, Ended)
        assert result(await call, "edit_snippet")["status"] == "applied"
    assert (root / SCRIPT).read_bytes() == EDITED
    assert live.server.review.held.waiting == []
    assert any(f"approve it on http://127.0.0.1:{live.port}/holds" in e for e in heard.messages)


async def test_a_refused_call_says_why_and_writes_nothing(live: LiveServer, root: Path) -> None:
    async with live.client() as client:
        call = calling(client)
        held = await one_that_waits(live)
        said = " Keep\0 10: it\x1b is balanced. " + "x" * MAX_REASON
        live.server.review.held.answer(held.key, approves=False, reason=said)
        called = await call
    refused = error(called)
    assert refused["code"] == "ERR_SNIPPET"
    assert refused["retryable"] is False
    assert refused["details"]["execution_guarantee"] == "not_executed"
    assert refused["details"]["code"] == "approval_refused"
    reason = refused["details"]["details"]["reason"]
    assert reason == ("Keep 10: it is balanced. " + "x" * MAX_REASON)[:MAX_REASON]
    assert called.content[0].text.count(reason) == 1
    assert (root / SCRIPT).read_bytes() == SOURCE


async def test_nobody_answers(live: LiveServer, root: Path) -> None:
    live.server.review.held.setting = HoldSetting(is_on=True, limit_s=0)
    async with live.client() as client:
        refused = error(await calling(client))
    assert refused["details"]["code"] == "approval_timeout"
    assert refused["retryable"] is True
    assert refused["details"]["execution_guarantee"] == "not_executed"
    assert f"http://127.0.0.1:{live.port}/holds" in refused["message"]
    assert (root / SCRIPT).read_bytes() == SOURCE


async def test_a_client_without_progress_waits_less(live: LiveServer) -> None:
    async with live.client() as client:
        told, untold = calling(client), None
        with_progress = await one_that_waits(live)
        untold = asyncio.create_task(client.call_tool("edit_snippet", edit("apply")))
        without = await one_that_waits(live, 2)
        assert round(with_progress.until_s - with_progress.since_s) == 600
        assert round(without.until_s - without.since_s) == 45
        assert (with_progress.is_short, without.is_short) == (False, True)
        for each in live.server.review.held.waiting:
            live.server.review.held.answer(each.key, approves=False)
        await asyncio.gather(told, untold)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_a_cancelled_call_waits_no_longer(live: LiveServer, root: Path, mode: Any) -> None:
    async with live.client(mode=mode) as client:
        call = calling(client)
        held = await one_that_waits(live)
        call.cancel()
        await live.logged("hold_ended", ending="withdrawn")
        late = live.server.review.held.answer(held.key, approves=True)
    assert isinstance(late, AnsweredBefore)
    assert late.ended.ending is Ending.WITHDRAWN
    assert (root / SCRIPT).read_bytes() == SOURCE
    await live.logged("request_abandoned", tool="edit_snippet")
    assert await asyncio.to_thread(live.server.review.store.settle, PATIENCE_S)
    (event,) = live.server.review.store.events()
    assert (event.outcome, event.line, event.code) == (Outcome.FAILED, WITHDRAWN, None)


async def test_a_file_that_changed_meanwhile_voids_the_approval(
    live: LiveServer, root: Path
) -> None:
    saved = SOURCE.replace(b"speed = 0", b"speed = 1")
    async with live.client() as client:
        call = calling(client)
        held = await one_that_waits(live)
        (root / SCRIPT).write_bytes(saved)
        live.server.review.held.answer(held.key, approves=True)
        refused = error(await call)
    assert refused["details"]["code"] == "stale_file"
    assert refused["retryable"] is True
    assert (root / SCRIPT).read_bytes() == saved


async def test_a_call_that_would_be_refused_anyway_is_answered_at_once(live: LiveServer) -> None:
    wrong = edit("apply")
    wrong["instructions"][0]["anchor"]["target"] = "no such text anywhere"
    async with live.client() as client:
        refused = error(await client.call_tool("edit_snippet", wrong))
        previewed = result(await client.call_tool("edit_snippet", edit()), "edit_snippet")
    assert refused["details"]["code"] == "anchor_not_found"
    assert previewed["status"] == "previewed"
    assert not [fields for name, fields in live.log if name == "held"]


async def test_an_undo_waits_too(live: LiveServer, root: Path) -> None:
    await live.server.review.held.set(HoldSetting(is_on=False))
    async with live.client() as client:
        applied = result(await client.call_tool("edit_snippet", edit("apply")), "edit_snippet")
        await live.server.review.held.set(HoldSetting(is_on=True))
        call = calling(client, "undo_snippet", path=SCRIPT, hashAfter=applied["hashAfter"])
        held = await one_that_waits(live)
        assert (held.files[0].before, held.files[0].after) == (EDITED, SOURCE)
        assert (root / SCRIPT).read_bytes() == EDITED
        live.server.review.held.answer(held.key, approves=True)
        assert result(await call, "undo_snippet")["status"] == "undone"
    assert (root / SCRIPT).read_bytes() == SOURCE


async def test_switching_off_lets_the_next_call_through(live: LiveServer) -> None:
    async with live.client() as client:
        waits = calling(client)
        held = await one_that_waits(live)
        await live.server.review.held.set(HoldSetting(is_on=False))
        assert live.server.review.held.waiting == [held]
        applied = await client.call_tool("edit_snippet", edit("apply"))
        assert result(applied, "edit_snippet")["status"] == "applied"
        live.server.review.held.answer(held.key, approves=True)
        assert error(await waits)["details"]["code"] == "stale_file"


async def test_the_same_request_twice_is_written_once(live: LiveServer, root: Path) -> None:
    once = edit("apply", client_request_id="once")
    async with live.client() as client:
        first = calling(client, **once)
        await one_that_waits(live)
        second = calling(client, **once)
        await one_that_waits(live, 2)
        keys = [each.key for each in live.server.review.held.waiting]
        live.server.review.held.answer(keys[0], approves=True)
        assert result(await first, "edit_snippet")["status"] == "applied"
        live.server.review.held.answer(keys[1], approves=True)
        # The file is no longer as it was shown, and the answer is the first one's.
        assert result(await second, "edit_snippet")["replayed"] is True
        again = result(await client.call_tool("edit_snippet", once), "edit_snippet")
    assert again["replayed"] is True
    assert (root / SCRIPT).read_bytes() == EDITED


@pytest.mark.parametrize("is_on", [True, False])
async def test_the_switch_counts_where_the_call_would_write(
    live: LiveServer, root: Path, monkeypatch: pytest.MonkeyPatch, is_on: bool
) -> None:
    held, carry_out = live.server.review.held, LocalTools.call

    def switched(tools: LocalTools, *call: Any) -> Any:
        held.setting = HoldSetting(is_on=is_on)
        return carry_out(tools, *call)

    monkeypatch.setattr(LocalTools, "call", switched)
    held.setting = HoldSetting(is_on=not is_on)
    async with live.client() as client:
        call = calling(client)
        if is_on:
            waits = await one_that_waits(live)
            assert (root / SCRIPT).read_bytes() == SOURCE
            held.answer(waits.key, approves=True)
        assert result(await call, "edit_snippet")["status"] == "applied"
    assert held.waiting == []
    assert (root / SCRIPT).read_bytes() == EDITED


async def test_a_server_that_stops_ends_what_waits(root: Path) -> None:
    async with LiveServer(project=root) as live:
        await live.server.review.held.set(HoldSetting(is_on=True))
        async with live.client() as client:
            call = calling(client)
            held = await one_that_waits(live)
            live.server.should_exit = True
            refused = error(await call)
        assert refused["details"]["code"] == "approval_timeout"
        assert refused["details"]["execution_guarantee"] == "not_executed"
        await live.task
    assert (root / SCRIPT).read_bytes() == SOURCE
    async with LiveServer(project=root) as next_one:
        assert next_one.server.review.held.setting.is_on
        came_of_it = next_one.server.review.held.answer(held.key, approves=True)
    assert came_of_it == UnknownCall(held.key)
    assert (root / SCRIPT).read_bytes() == SOURCE


@pytest.mark.parametrize(
    ("kept", "is_on"),
    [
        ("", True),
        ('{"is_on": false, "limit_s": 60}', False),
        ('{"is_on": true, "limit_s": 60}', True),
        ('{"is_on": false}', True),
        ('{"is_on": 0, "limit_s": 60}', True),
        ("[]", True),
    ],
)
def test_a_setting_that_cant_be_read_holds(tmp_path: Path, kept: str, is_on: bool) -> None:
    assert not HoldSetting.read(tmp_path).is_on
    file = tmp_path / "hold.json"
    file.write_text(kept, encoding="utf-8")
    assert HoldSetting.read(tmp_path).is_on is is_on
    assert not HoldSetting.read(file / "kept").is_on, "where there can be no setting"
    HoldSetting(is_on=True, limit_s=90).keep(tmp_path / "new")
    assert HoldSetting.read(tmp_path / "new") == HoldSetting(is_on=True, limit_s=90)


async def test_a_flood_is_bounded(live: LiveServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(approvals, "MAX_WAITING", 2)
    async with live.client() as client:
        calls = [calling(client), calling(client)]
        await one_that_waits(live, 2)
        refused = error(await calling(client))
        assert refused["code"] == "ERR_QUEUE_FULL"
        assert refused["details"]["execution_guarantee"] == "not_executed"
        for each in live.server.review.held.waiting:
            live.server.review.held.answer(each.key, approves=False)
        await asyncio.gather(*calls)


async def test_a_refusal_is_recorded_with_what_would_have_been_written(live: LiveServer) -> None:
    async with live.client() as client:
        call = calling(client)
        held = await one_that_waits(live)
        live.server.review.held.answer(held.key, approves=False, reason="no")
        await call
    store = live.server.review.store
    assert await asyncio.to_thread(store.settle, PATIENCE_S)
    (event,) = store.events()
    assert (event.outcome, event.code) == (Outcome.REFUSED, "approval_refused")
    (file,) = event.files
    assert file.before is not None
    assert file.after is not None
    assert store.text(file.after) == EDITED


async def test_the_time_of_the_call_does_not_run_while_it_waits(
    live: LiveServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(held_calls, "NOTICE_S", 0.2)
    heard, sent = Heard(), edit("apply", timeout_ms=1000, wait="verdict")
    async with live.client() as client:
        call = asyncio.create_task(client.call_tool("edit_snippet", sent, progress_callback=heard))
        held = await one_that_waits(live)
        async with asyncio.timeout(PATIENCE_S):
            while len(heard.messages) < 8:  # so the call's own time is over
                await heard.more()
        live.server.review.held.answer(held.key, approves=True)
        assert result(await call, "edit_snippet")["status"] == "applied"
    ended = await live.logged("request_done", tool="edit_snippet")
    assert ended["held_s"] >= 1.0


async def test_a_rename_waits_with_all_of_its_files(root: Path) -> None:
    text = b"class Player\n{\n    void Fire() { Fire(); }\n}\n"
    (root / SCRIPT).write_bytes(text)
    command = shlex.join([sys.executable, "-S", str(Path(project_server.__file__))])
    sent = {"path": SCRIPT, "symbolPath": "Player.Fire", "newName": "Shoot", "mode": "apply"}
    async with LiveServer(project=root, lsp=command) as live, live.client() as client:
        await live.server.review.held.set(HoldSetting(is_on=True))
        call = calling(client, "rename_symbol", **sent)
        held = await one_that_waits(live)
        (file,) = held.files
        assert (file.before, file.after) == (text, text.replace(b"Fire", b"Shoot"))
        assert (root / SCRIPT).read_bytes() == text
        live.server.review.held.answer(held.key, approves=True)
        assert result(await call, "rename_symbol")["status"] == "applied"
    assert (root / SCRIPT).read_bytes() == text.replace(b"Fire", b"Shoot")
