"""Jobs, console, problems, figures and notes over HTTP, with an Editor and without one."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from call_results import error, result
from live_server import LiveServer
from mcp import types
from review_person import Form, Person, words
from running_server import SCRIPT, edit

pytestmark = pytest.mark.anyio

HOSTILE = "<script>alert(1)</script>"


async def applied(live: LiveServer) -> dict[str, Any]:
    """The result of an edit, once it is recorded."""
    async with live.client() as client:
        found = result(await client.call_tool("edit_snippet", edit("apply")), "edit_snippet")
    await asyncio.to_thread(live.server.review.store.settle, 30)
    return found


@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("/holds", ["Nothing waits."]),
        ("/jobs", ["No Unity Editor is connected.", "There are no jobs."]),
        ("/console", ["No Unity Editor is connected"]),
        (
            "/problems",
            ["Whether it compiles isn't known.", "Unity was not asked to compile yet."],
        ),
        ("/figures", []),
    ],
)
async def test_every_view_is_there_without_anything_to_show(
    person: Person, path: str, says: list[str]
) -> None:
    answer = await person.get(path)
    assert answer.status_code == 200
    said = words(answer.text)
    assert [each for each in says if each not in said] == []
    assert "script-src 'self'" in answer.headers["content-security-policy"]
    assert "style=" not in answer.text
    assert " onclick" not in answer.text


@pytest.mark.parametrize(
    "action",
    ["/actions/hold", "/actions/answer", "/actions/note", "/actions/cancel-job", "/actions/check"],
)
async def test_no_action_counts_without_the_pages_token(person: Person, action: str) -> None:
    await person.view("/holds")
    assert (await person.send(Form(action, {"on": "1"}))).status_code == 403


# -- jobs ------------------------------------------------------------------------------------------


async def test_a_running_job_can_be_cancelled(live: LiveServer, person: Person) -> None:
    editor = await live.editor().connect()
    async with live.client() as client:
        job_id = result(await client.call_tool("run_tests"), "run_tests")["job_id"]
        job = editor.jobs[job_id]
        job.state, job.progress = "running", {"completed": 1, "total": 4, "current": HOSTILE}
        await editor.announce(job)
        async with asyncio.timeout(30):
            while "1 of 4" not in words(page := await person.view("/jobs")):
                await live.logs_more()
        assert HOSTILE not in page
        (form,) = await person.forms("/jobs", "/actions/cancel-job")
        assert form.fields["job_id"] == job_id
        assert (await person.send(form)).status_code == 303
        await editor.received("cancel")
        unknown = await person.send(form, job_id="nothing")
    assert unknown.status_code == 409
    assert "not cancelled" in words(unknown.text)


async def test_failed_tests_are_a_tree_with_places(live: LiveServer, person: Person) -> None:
    editor = await live.editor().connect()
    trace = f"at Game.Tests.A.One () in {SCRIPT}:5"
    failed = [
        {"name": f"Game.Tests.A.{each}", "message": HOSTILE, "stack_trace": trace}
        for each in ("One", "Two")
    ]
    summary = {"total": 3, "passed": 1, "failed": 2, "skipped": 0, "duration_ms": 12}
    async with live.client() as client:
        job_id = result(await client.call_tool("run_tests"), "run_tests")["job_id"]
        job = editor.jobs[job_id]
        job.finish(result={"summary": summary, "failed_tests": failed})
        await editor.announce(job)
        await client.call_tool("get_job_status", {"job_id": job_id, "wait_ms": 9000})
    page = await person.view("/jobs")
    said = words(page)
    assert "3 tests: 1 passed, 2 failed, 0 skipped" in said
    assert "Game.Tests.A 2 failed" in said
    assert HOSTILE not in page
    assert f"/touched?path={SCRIPT.replace('/', '%2F')}" in page.replace("/Scripts", "%2FScripts")
    assert await person.forms("/jobs", "/actions/cancel-job") == []


# -- console ---------------------------------------------------------------------------------------


async def test_the_console_has_levels_search_and_places(live: LiveServer, person: Person) -> None:
    editor = live.editor()
    editor.console = [
        {"type": "log", "message": f"started {HOSTILE}", "stack_trace": ""},
        {"type": "error", "message": "broken", "stack_trace": f"A:B () (at {SCRIPT}:9)"},
    ]
    await editor.connect()
    page = await person.view("/console")
    said = words(page)
    assert said.index("broken") < said.index("started"), "the newest first"
    assert HOSTILE not in page
    assert "line=9" in page
    only = words(await person.view("/console?level=error"))
    assert "broken" in only
    assert "started" not in only
    found = words(await person.view("/console?q=started&level=nonsense"))
    assert "started" in found
    assert "broken" not in found


async def test_an_editor_that_does_not_answer_is_said(live: LiveServer, person: Person) -> None:
    editor = await live.editor(held=True).connect()
    asked = asyncio.create_task(person.view("/console"))
    await editor.refuse(await editor.received("execute"), "ERR_INVALID_STATE", HOSTILE)
    page = await asked
    assert "did not return its console" in words(page)
    assert HOSTILE not in page


async def test_a_place_leads_to_who_touched_the_line(live: LiveServer, person: Person) -> None:
    await applied(live)
    answer = await person.get(f"/touched?path={SCRIPT}&line=9")
    assert answer.status_code == 303
    number = live.server.review.store.last_number
    assert answer.headers["location"] == f"/event/{number}"
    other = await person.view(f"/touched?path={SCRIPT}&line=1")
    assert "No recorded entry changed this line" in words(other)
    assert f"/event/{number}" in other
    nowhere = await person.get("/touched?path=Assets/None.cs&line=1")
    assert nowhere.status_code == 404
    odd = await person.get(f"/touched?path={HOSTILE}&line=x")
    assert odd.status_code == 404
    assert HOSTILE not in odd.text


# -- problems --------------------------------------------------------------------------------------


async def test_a_check_from_the_page(live: LiveServer, person: Person) -> None:
    (form,) = await person.forms("/problems", "/actions/check")
    assert (await person.send(form)).status_code == 303
    # Without a compiler the check itself is refused, or says what it doesn't know.
    async with asyncio.timeout(60):
        while 'data-running="1"' in await person.view("/problems"):
            await asyncio.sleep(0.05)
    await asyncio.to_thread(live.server.review.store.settle, 30)
    said = words(await person.view("/problems"))
    assert "gave no result" in said or "unknown" in said
    assert "'reason'" not in said
    assert "clean" not in said


async def test_a_compile_is_shown_by_file_with_its_age(live: LiveServer, person: Person) -> None:
    editor = await live.editor().connect()
    row = {"path": SCRIPT, "line": 9, "column": 3, "code": "CS0103", "message": HOSTILE}
    failed = {
        "status": "failed",
        "errors": [{**row, "assembly": "Assembly-CSharp"}],
        "warnings": [],
        "assemblies": [],
        "reloaded": False,
        "duration_ms": 7,
        "last_compiled": "2026-01-01T00:00:00.000Z",
    }
    async with live.client() as client:
        call = asyncio.create_task(client.call_tool("compile"))
        async with asyncio.timeout(30):
            while not editor.jobs:
                await live.logs_more()
        (job,) = editor.jobs.values()
        job.finish(result=failed)
        await editor.announce(job)
        await call
    await asyncio.to_thread(live.server.review.store.settle, 30)
    page = await person.view("/problems")
    said = words(page)
    assert "failed" in said
    assert f"{SCRIPT}:9: CS0103" in said
    assert HOSTILE not in page
    assert "Scripts have changed since" not in said
    await applied(live)
    assert "Scripts have changed since, in 1 entry" in words(await person.view("/problems"))


# -- figures ---------------------------------------------------------------------------------------


async def test_figures_count_what_happened(live: LiveServer, person: Person) -> None:
    await applied(live)
    async with live.client() as client:
        error(await client.call_tool("edit_snippet", edit("apply")))
    await asyncio.to_thread(live.server.review.store.settle, 30)
    page = await person.view("/figures?range=hour")
    said = words(page)
    assert "applied: 1" in said
    assert "refused: 1" in said
    assert page.count("<rect") == 3, "two bars, and one of a table"
    assert "edit_snippet 2" in said
    assert words(await person.view("/figures?range=nonsense")).count("applied: 1") == 1


# -- notes -----------------------------------------------------------------------------------------


async def test_a_note_from_the_page_reaches_the_agent(live: LiveServer, person: Person) -> None:
    agent = types.Implementation(name="some-agent", version="1")
    async with live.client(mode="legacy", client_info=agent) as client:
        result(await client.call_tool("edit_snippet", edit("apply")), "edit_snippet")
        await asyncio.to_thread(live.server.review.store.settle, 30)
        number = live.server.review.store.last_number
        (form,) = await person.forms(f"/event/{number}", "/actions/note")
        sent = await person.send(form, text=HOSTILE, file=SCRIPT, line="9")
        assert sent.status_code == 303
        page = await person.view(sent.headers["location"].partition("#")[0])
        assert HOSTILE not in page
        assert "not given yet" in words(page)
        found = result(await client.call_tool("get_symbols", {"path": SCRIPT}), "get_symbols")
        (note,) = found["notes"]
        assert (note["text"], note["file"], note["line"]) == (HOSTILE, SCRIPT, 9)
        assert note["about"].startswith(f"entry {number}: ")
        assert "given with the answer of get_symbols" in words(
            await person.view(f"/event/{number}")
        )
        missing = await person.send(form, event="99", text="x")
        assert missing.status_code == 404
        elsewhere = await person.send(form, text="x", file="Assets/Other.cs", line="3")
        assert elsewhere.status_code == 303
        (second,) = live.server.review.notes.about(number)[1:]
        assert (second.file, second.line) == (None, None)
