"""``editorGate``: an edit that stays only if Unity compiles it, docs/design/change-sets.md §5."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from call_results import error, result
from fake_editor import COMPILED, PATIENCE_S, FakeEditor, Job
from live_server import NO_HEARTBEAT, HeldClock, LiveServer
from mcp import Client

from mcp_server.contract.catalog import CATALOG
from mcp_server.review.hold.held_calls import HoldSetting
from mcp_server.review.record.events import Outcome

pytestmark = pytest.mark.anyio


@pytest.fixture
async def live(clock: HeldClock, project: Path) -> AsyncIterator[LiveServer]:
    """A server with a project, and without heartbeat, so that time can pass in large steps."""
    async with LiveServer(clock=clock, timing=NO_HEARTBEAT, project=project) as server:
        yield server


SCRIPT = "Assets/Scripts/Player.cs"
BROKEN = {
    "path": SCRIPT,
    "line": 3,
    "column": 9,
    "code": "CS0103",
    "message": "The name 'Nowhere' does not exist",
}
OLD = {**BROKEN, "path": "Assets/Old.cs", "code": "CS0246", "message": "No such type"}


def edit(**more: Any) -> dict[str, Any]:
    instruction = {
        "operation": "replace",
        "anchor": {"type": "text", "target": "class Player"},
        "newText": "class Hero",
    }
    request = {"path": SCRIPT, "mode": "apply", "instructions": [instruction]}
    return {**request, "editorGate": "compile", "include": ["full"], **more}


def as_set(**more: Any) -> dict[str, Any]:
    small = edit()
    change = {"path": small["path"], "instructions": small["instructions"]}
    new = {"path": "Assets/New/Made.cs", "create": "class Made { }\n"}
    gated = {"editorGate": "compile", "include": ["full"]}
    return {"mode": "apply", "changes": [change, new], **gated, **more}


def gated(client: Client, tool: str, arguments: dict[str, Any]) -> asyncio.Task[Any]:
    return asyncio.create_task(client.call_tool(tool, arguments))


async def compiles(
    editor: FakeEditor,
    count: int,
    errors: Sequence[dict[str, Any]] = (),
    status: str | None = None,
    **more: Any,
) -> None:
    """The Editor's next compile, its ``count``th, ends with ``errors``."""
    await editor.received("submit_job")
    while len(editor.jobs) < count:
        await asyncio.sleep(0)
    job: Job = list(editor.jobs.values())[-1]
    status = status or ("failed" if errors else "succeeded")
    told = {"status": status, "errors": list(errors), "reloaded": status != "failed"}
    compiled = {**COMPILED, **told, "last_compiled": datetime.now(UTC).isoformat(), **more}
    job.finish("succeeded", compiled)
    await editor.announce(job)


def scripts(project: Path) -> dict[str, bytes]:
    files = (each for each in (project / "Assets").rglob("*") if each.is_file())
    return {each.relative_to(project).as_posix(): each.read_bytes() for each in files}


@pytest.mark.parametrize(("tool", "request_of"), [("edit_snippet", edit), ("edit_scripts", as_set)])
async def test_what_does_not_is_undone(
    live: LiveServer, project: Path, tool: str, request_of: Any, editor: FakeEditor, client: Client
) -> None:
    before = scripts(project)
    call = gated(client, tool, request_of())
    await compiles(editor, 1)
    await compiles(editor, 2, [BROKEN])
    await compiles(editor, 3)
    answer = await call
    undone = result(answer, tool)
    assert (undone["status"], undone["applied"]) == ("undone_by_compile", False)
    assert undone["compile"]["errors"] == [BROKEN]
    assert scripts(project) == before
    assert f"{SCRIPT}:3:9: CS0103" in answer.content[0].text
    jsonschema.validate(undone, CATALOG[tool].answer_schema)
    store = live.server.review.store
    assert await asyncio.to_thread(store.settle, PATIENCE_S)
    (event,) = store.events()
    assert (event.outcome, event.code) == (Outcome.REFUSED, "undone_by_compile")
    texts = [store.text(each or "") for each in (event.files[0].before, event.files[0].after)]
    assert texts[0] == before[SCRIPT]
    assert b"class Hero" in (texts[1] or b"")


async def test_one_whose_caller_has_left_is_one_event(
    live: LiveServer, editor: FakeEditor, client: Client
) -> None:
    call = gated(client, "edit_scripts", as_set())
    await compiles(editor, 1)
    while len(editor.jobs) < 2:
        await asyncio.sleep(0)
    call.cancel()
    await live.logged("request_abandoned", tool="edit_scripts")
    assert [each.tool for each in live.server.review.calls.running] == ["edit_scripts"]
    ended = asyncio.Event()
    live.server.review.calls.on_change = ended.set
    await compiles(editor, 2)
    await asyncio.wait_for(ended.wait(), PATIENCE_S)
    store = live.server.review.store
    assert await asyncio.to_thread(store.settle, PATIENCE_S)
    (event,) = (each for each in store.events() if each.tool == "edit_scripts")
    assert event.outcome is Outcome.APPLIED
    assert event.undo is not None


async def test_a_meta_that_changed_meanwhile_is_told_as_by_the_undo(
    editor: FakeEditor, client: Client, project: Path
) -> None:
    meta = project / f"{SCRIPT}.meta"
    meta.write_bytes(b"guid: 1\n")
    moved = {"path": SCRIPT, "moveTo": "Assets/New/Player.cs"}
    gate = {"editorGate": "compile", "include": ["full"]}
    request = {"mode": "apply", "changes": [moved], **gate}
    call = gated(client, "edit_scripts", request)
    await compiles(editor, 1)
    while len(editor.jobs) < 2:
        await asyncio.sleep(0)
    (project / "Assets/New/Player.cs.meta").write_bytes(b"guid: 2\n")
    await compiles(editor, 2, [BROKEN])
    await compiles(editor, 3)
    answer = await call
    undone = result(answer, "edit_scripts")
    assert undone["status"] == "undone_by_compile"
    assert [(each["code"], each["path"]) for each in undone["warnings"]] == [
        ("meta_changed", f"{SCRIPT}.meta")
    ]
    assert "its GUID is 2, was 1" in answer.content[0].text
    assert meta.read_bytes() == b"guid: 2\n"


VERDICTS: dict[str, tuple[list[dict[str, Any]], str, str, str]] = {
    "the errors were there before": (
        [{"errors": [OLD]}, {"errors": [{**OLD, "line": 7}]}],
        "applied",
        "failed",
        "were there before the edit",
    ),
    "one error is new": (
        [{"errors": [OLD]}, {"errors": [OLD, BROKEN]}, {"errors": [OLD]}],
        "undone_by_compile",
        "failed",
        "",
    ),
    "a failure without errors": ([{}, {"status": "failed"}, {}], "undone_by_compile", "failed", ""),
    "a success with errors": (
        [{}, {"errors": [BROKEN], "status": "succeeded"}],
        "applied",
        "unknown",
        "breaks the contract",
    ),
}


@pytest.mark.parametrize("what", VERDICTS)
async def test_what_the_editor_says_decides_over_the_edit(
    project: Path, editor: FakeEditor, client: Client, what: str
) -> None:
    says, status, compiled, reason = VERDICTS[what]
    before = scripts(project)
    call = gated(client, "edit_snippet", edit())
    for count, each in enumerate(says, 1):
        await compiles(editor, count, **each)
    done = result(await call, "edit_snippet")
    assert (done["status"], done["compile"]["status"]) == (status, compiled)
    assert reason in done["compile"].get("reason", "")
    assert (scripts(project) == before) is (status == "undone_by_compile")
    if what == "one error is new":
        assert done["compile"]["errors"] == [BROKEN]


async def written_once(clock: HeldClock, project: Path, request: dict[str, Any]) -> None:
    """Have a server write an edit, and end before it is compiled."""
    async with LiveServer(clock=clock, timing=NO_HEARTBEAT, project=project) as first:
        editor = await first.editor().connect()
        async with first.client() as client:
            call = gated(client, "edit_snippet", request)
            await compiles(editor, 1)
            await editor.received("submit_job")
            call.cancel()


async def test_sent_again_after_the_servers_end_the_edits_own_errors_are_not_taken_for_older_ones(
    clock: HeldClock, project: Path
) -> None:
    request = edit(client_request_id="once")
    await written_once(clock, project, request)
    async with LiveServer(clock=clock, timing=NO_HEARTBEAT, project=project) as second:
        editor = await second.editor().connect()
        async with second.client() as client:
            call = gated(client, "edit_snippet", request)
            await compiles(editor, 1, [BROKEN])
            again = result(await call, "edit_snippet")
    assert (again["replayed"], again["compile"]["status"]) == (True, "unknown")
    assert again["compile"]["errors"] == [BROKEN]
    assert "the edit may have caused" in again["compile"]["reason"]


@pytest.mark.parametrize("there", ["no Editor", "an Editor in play mode"])
async def test_sent_again_where_nothing_can_be_compiled_the_first_write_is_not_denied(
    clock: HeldClock, project: Path, there: str
) -> None:
    request = edit(client_request_id="once")
    await written_once(clock, project, request)
    async with LiveServer(clock=clock, timing=NO_HEARTBEAT, project=project) as second:
        if there != "no Editor":
            editor = await second.editor(held=True).connect()
        async with second.client() as client:
            call = gated(client, "edit_snippet", request)
            if there != "no Editor":
                await editor.refuse(await editor.received("submit_job"), "ERR_INVALID_STATE")
            told = error(await call)
    code = "ERR_EDITOR_NOT_READY" if there == "no Editor" else "ERR_UNITY_EXECUTION"
    assert told["code"] == code
    assert told["message"].startswith("Nothing was written")
    assert "An earlier call with this id may have written" in told["message"]
    assert b"class Hero" in (project / SCRIPT).read_bytes()


@pytest.mark.parametrize("which", [1, 2])
async def test_the_calls_time_is_that_of_its_compiles_too(
    live: LiveServer, project: Path, clock: HeldClock, which: int, client: Client
) -> None:
    before = scripts(project)
    editor = await live.editor().connect()
    call = gated(client, "edit_snippet", edit(timeout_ms=5_000))
    if which == 2:
        await compiles(editor, 1)
    await editor.received("submit_job")
    await live.logged("job_accepted", times=which)
    clock.advance(5_001)
    answer = await call
    if which == 1:
        assert error(answer)["details"]["execution_guarantee"] == "not_executed"
        assert scripts(project) == before
    else:
        done = result(answer, "edit_snippet")
        assert (done["status"], done["compile"]["status"]) == ("applied", "unknown")


async def test_only_the_new_errors_are_told(editor: FakeEditor, client: Client) -> None:
    call = gated(client, "edit_snippet", edit())
    await compiles(editor, 1, [OLD])
    await compiles(editor, 2, [OLD, BROKEN])
    await compiles(editor, 3, [OLD])
    undone = result(await call, "edit_snippet")
    assert undone["compile"]["errors"] == [BROKEN]


async def test_without_an_editor_nothing_is_written(client: Client, project: Path) -> None:
    before = scripts(project)
    told = error(await client.call_tool("edit_snippet", edit()))
    assert told["code"] == "ERR_EDITOR_NOT_READY"
    assert told["details"]["execution_guarantee"] == "not_executed"
    assert scripts(project) == before


async def test_an_editor_that_cannot_compile_before_lets_nothing_be_written(
    silent: FakeEditor, client: Client, project: Path
) -> None:
    before = scripts(project)
    call = gated(client, "edit_snippet", edit())
    frame = await silent.received("submit_job")
    await silent.refuse(frame, "ERR_EDITOR_NOT_READY", "In play mode")
    told = error(await call)
    assert told["code"] == "ERR_EDITOR_NOT_READY"
    assert told["message"].startswith("Nothing was written: ")
    assert scripts(project) == before


async def test_an_editor_that_goes_in_between_leaves_the_edit(
    live: LiveServer, project: Path, clock: HeldClock, editor: FakeEditor, client: Client
) -> None:
    call = gated(client, "edit_snippet", edit())
    await compiles(editor, 1)
    await editor.received("submit_job")
    while len(editor.jobs) < 2:
        await asyncio.sleep(0)
    await live.logged("job_accepted")
    await editor.reload()
    await live.logged("editor_state", state="unknown")
    clock.advance(60_001)
    done = result(await call, "edit_snippet")
    assert (done["status"], done["compile"]["status"]) == ("applied", "unknown")
    assert done["compile"]["reason"].startswith("the edit is in place; ")
    assert b"class Hero" in (project / SCRIPT).read_bytes()


async def test_a_preview_asks_no_editor(client: Client) -> None:
    done = result(await client.call_tool("edit_snippet", edit(mode="preview")), "edit_snippet")
    assert (done["status"], "compile" in done) == ("previewed", False)


async def test_a_refused_edit_is_not_compiled_again(editor: FakeEditor, client: Client) -> None:
    refused = edit()
    refused["instructions"][0]["anchor"]["target"] = "class Nobody"
    call = gated(client, "edit_snippet", refused)
    await compiles(editor, 1)
    assert error(await call)["code"] == "ERR_SNIPPET"
    assert len(editor.jobs) == 1


async def test_each_of_its_compiles_is_told_of(
    live: LiveServer, clock: HeldClock, client: Client
) -> None:
    """No notice may tell of less time than the one before, and the second compile begins anew."""
    heard: asyncio.Queue[float] = asyncio.Queue()

    async def hear(progress: float, _total: float | None, _message: str | None) -> None:
        heard.put_nowait(progress)

    async def next_notice(editor: FakeEditor, jobs: int) -> float:
        while len(editor.jobs) < jobs:
            await asyncio.sleep(0)
        async with asyncio.timeout(20):
            while heard.empty():
                clock.advance(1_000)
                await asyncio.sleep(0.01)
        return heard.get_nowait()

    editor = await live.editor().connect()
    call = asyncio.create_task(client.call_tool("edit_snippet", edit(), progress_callback=hear))
    first = await next_notice(editor, 1)
    await compiles(editor, 1)
    while not heard.empty():
        first = heard.get_nowait()
    assert await next_notice(editor, 2) > first
    await compiles(editor, 2)
    result(await call, "edit_snippet")


@pytest.mark.parametrize(
    ("last_compiled", "told"),
    [
        (None, "unknown"),
        ("2001-01-01T00:00:00.000Z", "unknown"),
        ("no time", "unknown"),
        ("2999-01-01T00:00:00.000Z", "up_to_date"),
    ],
    ids=["not told", "before the write", "garbage", "since the write"],
)
async def test_nothing_to_compile_is_believed_of_what_was_compiled(
    editor: FakeEditor, client: Client, last_compiled: str | None, told: str
) -> None:
    """The Editor may compile before it is asked; if it didn't, it hasn't seen the edit."""
    call = gated(client, "edit_snippet", edit())
    await compiles(editor, 1)
    while len(editor.jobs) < 2:
        await asyncio.sleep(0)
    job = list(editor.jobs.values())[-1]
    answer = {**COMPILED, "status": "up_to_date", "errors": [], "reloaded": False}
    if last_compiled is not None:
        answer["last_compiled"] = last_compiled
    job.finish("succeeded", answer)
    await editor.announce(job)
    done = result(await call, "edit_snippet")
    assert done["status"] == "applied"
    assert done["compile"]["status"] == told
    assert ("was not seen to compile" in done["compile"].get("reason", "")) == (told == "unknown")


async def test_a_held_edit_is_compiled_once_it_is_approved_and_undone_without_asking(
    live: LiveServer, project: Path, editor: FakeEditor, client: Client
) -> None:
    before, held = scripts(project), live.server.review.held
    await held.set(HoldSetting(is_on=True))
    call = gated(client, "edit_snippet", edit())
    await live.logged("held", tool="edit_snippet")
    assert editor.count("submit_job") == 0
    (waiting,) = held.waiting
    held.answer(waiting.key, approves=True)
    await compiles(editor, 1)
    await compiles(editor, 2, [BROKEN])
    await compiles(editor, 3)
    undone = result(await call, "edit_snippet")
    assert (undone["status"], undone["applied"]) == ("undone_by_compile", False)
    assert held.waiting == []
    assert scripts(project) == before
