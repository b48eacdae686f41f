"""Calls over MCP: never on the event loop, never torn, always answered or logged."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Mapping
from concurrent.futures import wait
from pathlib import Path
from typing import Any

import pytest
from running_server import SCRIPT, SOURCE, edit

from mcp_server.calls.local_tools import LocalTools
from mcp_server.contract.catalog import CATALOG
from mcp_server.contract.errors import ToolError, ToolErrorCode
from mcp_server.contract.outcome import Outcome, ToolResult
from mcp_server.contract.tool_spec import ToolSpec
from mcp_server.editor.tools import EditorTools, ServerState
from mcp_server.host.execution_coordinator import ExecutionCoordinator
from mcp_server.host.local_runs import REST_S, THREADS
from snippet_engine import budget
from snippet_engine.engine import SnippetEngine
from snippet_engine.storage.stores.script_store import ScriptStore
from unity_bridge.editor_state import EditorState, EditorView, after_hello
from unity_bridge.link import Command, Completed, LinkListener

pytestmark = pytest.mark.anyio

EDIT, SCRIPT_CHECK = CATALOG["edit_snippet"], CATALOG["validate_script"]


class HeldTools(LocalTools):
    """Real tools that start only once they are released."""

    def __init__(self, project: Path) -> None:
        super().__init__(project)
        self.started = threading.Semaphore(0)
        self.release = threading.Event()

    def call(self, spec: ToolSpec, arguments: Mapping[str, Any]) -> Outcome:
        self.started.release()
        assert self.release.wait(60)
        return super().call(spec, arguments)


def events(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records]


async def test_a_call_is_logged_from_start_to_end(
    project: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", "mcp_server")

    coordinator = ExecutionCoordinator(LocalTools(project))
    outcome = await coordinator.call(EDIT, edit(client_request_id="mine"))
    await coordinator.stop(60)
    assert coordinator.idle
    assert isinstance(outcome, ToolResult), outcome
    started, done = (record.fields for record in caplog.records)  # type: ignore[attr-defined]
    assert events(caplog) == ["request", "request_done"]
    assert started == {
        "request_id": done["request_id"],
        "tool": "edit_snippet",
        "client_request_id": "mine",
    }
    assert done.keys() == {"request_id", "tool", "client_request_id", "duration_ms"}


async def test_wrong_arguments_never_reach_the_tool(
    project: Path, caplog: pytest.LogCaptureFixture
) -> None:
    tools = HeldTools(project)

    outcome = await ExecutionCoordinator(tools).call(EDIT, {"client_request_id": 5})
    assert isinstance(outcome, ToolError)
    assert outcome.code is ToolErrorCode.INVALID_PARAMS
    assert not tools.started.acquire(blocking=False)
    fields = caplog.records[-1].fields  # type: ignore[attr-defined]
    assert fields["error"] == "ERR_INVALID_PARAMS"
    assert fields["guarantee"] == "not_executed"


async def test_what_a_call_wrote_is_looked_at_behind_its_answer(project: Path) -> None:
    looked = threading.Event()

    class Noting(LocalTools):
        def look_ahead(self) -> None:
            super().look_ahead()
            looked.set()

    coordinator = ExecutionCoordinator(Noting(project))
    found = []
    for mode in ("preview", "apply"):
        outcome = await coordinator.call(EDIT, edit(mode))
        assert isinstance(outcome, ToolResult), outcome
        # A preview leaves nothing to be looked at; what follows an apply is waited for.
        patience = 60 if mode == "apply" else 4 * REST_S
        found.append(await asyncio.to_thread(looked.wait, patience))
    await coordinator.stop(60)
    assert found == [False, True]


async def test_a_call_that_takes_too_long_is_stopped_and_says_so(project: Path) -> None:
    tools = HeldTools(project)

    coordinator = ExecutionCoordinator(tools)
    outcome = await coordinator.call(EDIT, edit("apply", timeout_ms=1))
    assert not coordinator.idle
    tools.release.set()
    await coordinator.stop(60)
    assert isinstance(outcome, ToolError)
    assert outcome.code is ToolErrorCode.REQUEST_TIMEOUT
    assert outcome.details == {"execution_guarantee": "not_executed"}
    assert outcome.retryable
    assert (project / SCRIPT).read_bytes() == SOURCE


async def test_an_outline_of_a_small_script_waits_for_no_large_one(project: Path) -> None:
    large = "Assets/Large.cs"
    (project / large).write_text("class Large { }\n" + "// more\n" * 10_000)
    tools = HeldTools(project)

    class Held(LocalTools):
        def call(self, spec: ToolSpec, arguments: Mapping[str, Any], *more: Any) -> Outcome:
            asked = tools if arguments["path"] == large else super()
            return asked.call(spec, arguments)

    coordinator, symbols = ExecutionCoordinator(Held(project)), CATALOG["get_symbols"]
    call = asyncio.create_task(coordinator.call(symbols, {"path": large}))
    assert await asyncio.to_thread(tools.started.acquire, timeout=60)
    async with asyncio.timeout(60):
        small = await coordinator.call(symbols, {"path": SCRIPT})
    tools.release.set()
    both = [small, await call]
    await coordinator.stop(60)
    assert [type(each) for each in both] == [ToolResult, ToolResult]


async def test_what_is_out_of_time_while_it_writes_is_answered_once_it_has(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stopped = threading.Event()
    whole, stop = ScriptStore._write, budget.Stop.stop

    def held(self: ScriptStore, *args: Any, **kwargs: Any) -> Any:
        assert stopped.wait(60)
        return whole(self, *args, **kwargs)

    def stopping(self: budget.Stop) -> bool:
        is_stopped = stop(self)
        stopped.set()
        return is_stopped

    monkeypatch.setattr(ScriptStore, "_write", held)
    monkeypatch.setattr(budget.Stop, "stop", stopping)

    coordinator = ExecutionCoordinator(LocalTools(project))
    outcome = await coordinator.call(EDIT, edit("apply", timeout_ms=3_000))
    await coordinator.stop(60)
    assert isinstance(outcome, ToolResult), outcome
    assert outcome.structured["status"] == "applied"


async def test_what_is_out_of_time_while_it_writes_is_unknown_and_lands_whole(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    release, writing = threading.Event(), threading.Event()
    whole = ScriptStore._write

    def held(self: ScriptStore, *args: Any, **kwargs: Any) -> Any:
        writing.set()
        assert release.wait(60)
        return whole(self, *args, **kwargs)

    monkeypatch.setattr(ScriptStore, "_write", held)

    coordinator = ExecutionCoordinator(LocalTools(project))
    # A generous timeout: what ends the call is the server's stop, once it is writing.
    call = asyncio.create_task(coordinator.call(EDIT, edit("apply", timeout_ms=30_000)))
    assert await asyncio.to_thread(writing.wait, 60)
    await coordinator.stop(0.01)
    outcome = await call
    release.set()
    while not coordinator.idle:
        await asyncio.sleep(0.01)
    assert isinstance(outcome, ToolError)
    assert outcome.details["execution_guarantee"] == "unknown"
    assert outcome.details["recovery_action"] == "inspect_state_then_retry"
    assert (project / SCRIPT).read_bytes() == SOURCE.replace(b"speed > 10", b"speed > 20")


async def test_a_preview_that_nobody_waits_for_is_stopped(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, release, stopped = threading.Event(), threading.Event(), threading.Event()

    def slow(_self: SnippetEngine, _params: Mapping[str, Any]) -> Any:
        begun.set()
        assert release.wait(60)
        try:
            budget.check()
        except budget.StoppedError:
            stopped.set()
            raise

    monkeypatch.setattr(SnippetEngine, "edit_snippet", slow)

    coordinator = ExecutionCoordinator(LocalTools(project))
    call = asyncio.create_task(coordinator.call(EDIT, edit("preview")))
    assert await asyncio.to_thread(begun.wait, 60)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    release.set()
    assert await asyncio.to_thread(stopped.wait, 60)
    await coordinator.stop(60)


async def test_a_client_that_hangs_up_does_not_tear_an_apply(
    project: Path, caplog: pytest.LogCaptureFixture
) -> None:
    tools = HeldTools(project)

    coordinator = ExecutionCoordinator(tools)
    call = asyncio.create_task(coordinator.call(EDIT, edit("apply")))
    assert await asyncio.to_thread(tools.started.acquire, timeout=60)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    tools.release.set()
    await coordinator.stop(60)
    assert (project / SCRIPT).read_bytes() == SOURCE.replace(b"speed > 10", b"speed > 20")
    assert events(caplog)[-1] == "request_abandoned"


async def test_what_has_not_written_when_the_server_stops_never_does(project: Path) -> None:
    tools = HeldTools(project)

    coordinator = ExecutionCoordinator(tools)
    running = asyncio.create_task(coordinator.call(EDIT, edit("apply")))
    assert await asyncio.to_thread(tools.started.acquire, timeout=60)
    await coordinator.stop(0)
    assert not coordinator.idle
    late = await coordinator.call(SCRIPT_CHECK, {"path": SCRIPT})
    answer = await running
    tools.release.set()  # too late: the caller has been told that nothing was written
    assert isinstance(answer, ToolError)
    assert answer.code is ToolErrorCode.RECONNECT_TIMEOUT
    assert answer.details["execution_guarantee"] == "not_executed"
    assert answer.retryable
    assert isinstance(late, ToolError)
    assert late.code is ToolErrorCode.EDITOR_NOT_READY
    assert late.details["execution_guarantee"] == "not_executed"
    assert late.retryable


async def test_what_only_looks_is_not_told_by_what_is_left_of_its_compiler(project: Path) -> None:
    """Out of time, its compiler is ended: what it says of that is no answer."""
    tools = HeldTools(project)

    coordinator = ExecutionCoordinator(tools)
    call = asyncio.create_task(coordinator.call(SCRIPT_CHECK, {"path": SCRIPT}))
    assert await asyncio.to_thread(tools.started.acquire, timeout=60)
    await coordinator.stop(0)
    (job,) = coordinator.threads._running
    tools.release.set()
    wait([job], 60)  # while the loop stands still: it hears of both at once
    outcome = await call
    assert isinstance(outcome, ToolError)
    assert outcome.code is ToolErrorCode.RECONNECT_TIMEOUT
    assert outcome.details["execution_guarantee"] == "not_executed"


async def test_a_call_that_never_began_never_begins_later(project: Path) -> None:
    tools = HeldTools(project)

    coordinator = ExecutionCoordinator(tools)
    busy = [
        asyncio.create_task(coordinator.call(SCRIPT_CHECK, {"path": SCRIPT}))
        for _ in range(THREADS["tool"])
    ]
    for _ in busy:
        assert await asyncio.to_thread(tools.started.acquire, timeout=60)
    waiting = await coordinator.call(EDIT, edit("apply", timeout_ms=1))
    tools.release.set()
    await asyncio.gather(*busy)
    await coordinator.stop(60)
    outcome = waiting
    assert isinstance(outcome, ToolError)
    assert outcome.code is ToolErrorCode.REQUEST_TIMEOUT
    assert not tools.started.acquire(blocking=False)
    assert (project / SCRIPT).read_bytes() == SOURCE


async def test_a_command_whose_call_would_have_to_wait_makes_it_itself(project: Path) -> None:
    coordinator = ExecutionCoordinator(LocalTools(project))
    release = threading.Event()
    begun = threading.Semaphore(0)

    def held() -> bool:
        begun.release()
        return release.wait(60)

    calls = [
        asyncio.ensure_future(coordinator.threads.for_command(held))
        for _ in range(THREADS["command"])
    ]
    for _ in calls:
        assert await asyncio.to_thread(begun.acquire, timeout=60)
    assert await coordinator.threads.for_command(lambda: True) is None
    release.set()
    assert all(await asyncio.gather(*calls))
    assert await coordinator.threads.for_command(lambda: True) is True
    await coordinator.stop(0)
    assert await coordinator.threads.for_command(lambda: True) is None


async def test_a_commands_call_that_outlasts_the_server_is_cut_off(project: Path) -> None:
    coordinator = ExecutionCoordinator(LocalTools(project))
    begun, release = threading.Event(), threading.Event()

    def held() -> str:
        begun.set()
        release.wait(60)
        return "done"

    call = asyncio.ensure_future(coordinator.threads.for_command(held, lambda: "cut off"))
    assert await asyncio.to_thread(begun.wait, 60)
    await coordinator.stop(0)
    assert await call == "cut off"
    release.set()


@pytest.mark.parametrize(("changes", "answer"), [(True, "done"), (False, "cut off")])
async def test_a_call_that_only_reads_and_ends_with_the_server_is_cut_off(
    project: Path, changes: bool, answer: str
) -> None:
    """Its compiler may have been ended under it, so its answer may say less than is so."""

    threads = ExecutionCoordinator(LocalTools(project)).threads
    begun, release = threading.Event(), threading.Event()
    worker: list[threading.Thread] = []

    def held() -> str:
        worker.append(threading.current_thread())
        begun.set()
        release.wait(60)
        return "done"

    call = asyncio.ensure_future(threads.for_command(held, lambda: "cut off", changes=changes))
    assert await asyncio.to_thread(begun.wait, 60)
    await threads.stop(0)
    release.set()
    worker[0].join(60)  # the event loop, blocked here, sees both ends at once
    assert await call == answer


class HeldLink:
    """A link to an Editor that is ready, and answers when the test says so."""

    name = "plugin"

    def __init__(self) -> None:
        who = EditorView(EditorState.READY)
        self.view = after_hello(EditorView(), who, 0)
        self.started: list[str] = []
        self.asked = asyncio.Event()
        self._listeners: list[LinkListener] = []

    def listen(self, listener: LinkListener) -> None:
        self._listeners.append(listener)

    def start(self, request_id: str, command: Command, timeout_ms: int) -> None:
        self.started.append(request_id)
        self.asked.set()

    def forget(self, request_id: str) -> None:
        pass

    async def close(self) -> None:
        pass

    def answer(self, body: dict[str, Any]) -> None:
        for listener in self._listeners:
            listener.on_answer(self.started[-1], Completed(body))


async def test_what_the_editor_does_for_a_client_that_left_is_done_once(project: Path) -> None:
    """The call goes on without its caller: its result is there for who sends it again."""

    link = HeldLink()
    editor = EditorTools(link, lambda: ServerState.READY)
    coordinator = ExecutionCoordinator(LocalTools(project), editor)
    params = {"action": "start", "client_request_id": "mine"}
    call = asyncio.create_task(coordinator.call(CATALOG["control_play_mode"], params))
    await asyncio.wait_for(link.asked.wait(), 60)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    repeated = {**params, "timeout_ms": 1}  # answered at once, by what is known of the first
    again = await coordinator.call(CATALOG["control_play_mode"], repeated)
    assert isinstance(again, ToolError)
    assert again.code is ToolErrorCode.DUPLICATE_REQUEST
    flags = ("is_playing", "is_paused", "is_playing_or_will_change_playmode")
    link.answer({"action": "start", "accepted": True, **dict.fromkeys(flags, True)})
    for _ in range(100):  # Turns of the event loop: the first call still has its end to come.
        again = await coordinator.call(CATALOG["control_play_mode"], repeated)
        if isinstance(again, ToolResult):
            break
    await coordinator.stop(60)
    assert isinstance(again, ToolResult), again
    assert again.structured["replayed"] is True
    assert len(link.started) == 1
