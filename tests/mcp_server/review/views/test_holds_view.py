"""The view of what waits, over HTTP, while a real MCP client calls."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from call_results import result
from live_server import LiveServer
from mcp import types
from review_person import Form, Person, words
from running_server import SCRIPT, SOURCE, edit

from mcp_server.review.hold.held_calls import HoldSetting

pytestmark = pytest.mark.anyio

HOSTILE = "<script>alert(1)</script>"


@pytest.fixture
async def person(live: LiveServer) -> AsyncIterator[Person]:
    async with Person(live.port) as somebody:
        await somebody.switch(on=True)
        yield somebody


async def waits(live: LiveServer, number: int = 1) -> None:
    async with asyncio.timeout(30):
        while len(live.server.review.held.waiting) < number:
            await live.logs_more()


def calling(client: Any, request: dict[str, Any] | None = None) -> asyncio.Task[Any]:
    sent = edit("apply") if request is None else request
    return asyncio.create_task(client.call_tool("edit_snippet", sent))


async def test_the_switch_is_off_and_says_what_is_not_held(live: LiveServer) -> None:
    async with Person(live.port) as person:
        said = words(await person.view("/holds"))
        assert "Hold changes: off" in said
        assert "Not held: writes by an agent's own edit tool" in said
        assert "unity-cli commands that run without this server" in said
        await person.switch(on=True)
        assert "Hold changes: on" in words(await person.view("/holds"))
        (form,) = await person.forms("/holds", "/actions/hold")
        await person.send(form, on="1", limit_s="90")
        assert live.server.review.held.setting == HoldSetting(is_on=True, limit_s=90)
        await person.send(form, on="1", limit_s="999999")
        assert live.server.review.held.setting.limit_s == 3600
        await person.switch(on=False)
    assert not live.server.review.held.setting.is_on


async def test_the_difference_is_seen_before_it_is_approved(
    live: LiveServer, person: Person, root: Path
) -> None:
    async with live.client() as client:
        call = calling(client)
        await waits(live)
        page = await person.view("/holds")
        said = words(page)
        assert "1 change waits" in said
        assert "edit_snippet: Assets/Scripts/Player.cs by mcp" in said
        assert SCRIPT in said
        assert "− if (speed > 10)" in said
        assert "+ if (speed > 20)" in said
        assert (root / SCRIPT).read_bytes() == SOURCE
        assert (await person.answer("approve")).status_code == 303
        assert result(await call, "edit_snippet")["status"] == "applied"
        said = words(await person.view("/holds"))
        assert "Nothing waits." in said
        assert f"edit_snippet: {SCRIPT} by mcp: approved" in said


async def test_the_second_page_says_how_it_was_answered(live: LiveServer, person: Person) -> None:
    async with live.client() as client, Person(live.port) as other:
        call = calling(client)
        await waits(live)
        (mine,) = await person.forms("/holds", "/actions/answer")
        (theirs,) = await other.forms("/holds", "/actions/answer")
        assert (await person.send(mine, answer="refuse", reason=HOSTILE)).status_code == 303
        late = await other.send(theirs, answer="approve")
        await call
    assert late.status_code == 409
    assert HOSTILE not in late.text
    assert f"this change was refused. The reason was: {HOSTILE}" in words(late.text).replace(
        "&lt;", "<"
    )


async def test_an_answer_of_another_page_or_time_does_nothing(
    live: LiveServer, person: Person, root: Path
) -> None:
    async with live.client() as client:
        call = calling(client)
        await waits(live)
        (form,) = await person.forms("/holds", "/actions/answer")
        unknown = await person.send(form, key="0" * 16, answer="approve")
        assert unknown.status_code == 409
        assert "not carried out by your answer" in words(unknown.text)
        assert (await person.send(form, answer="perhaps")).status_code == 400
        forged = Form("/actions/answer", {"key": form.fields["key"]})
        assert (await person.send(forged, answer="approve")).status_code == 403
        async with Person(live.port) as other:
            assert (await other.send(form, answer="approve")).status_code == 403
        assert len(live.server.review.held.waiting) == 1
        await person.answer("refuse")
        await call
    assert (root / SCRIPT).read_bytes() == SOURCE


async def test_what_others_wrote_is_escaped(live: LiveServer, person: Person) -> None:
    hostile = edit("apply")
    hostile["instructions"][0]["newText"] = f'"{HOSTILE}".Length > 1'
    agent = types.Implementation(name=HOSTILE, version="1")
    async with live.client(client_info=agent) as client:
        call = calling(client, hostile)
        await waits(live)
        page = await person.view("/holds")
        await person.answer("refuse")
        await call
    assert HOSTILE not in page
    assert words(page).count(HOSTILE) == 2


async def test_many_files_come_in_pieces(live: LiveServer, person: Person) -> None:
    changes = [{"path": f"Assets/New{n}.cs", "create": f"class New{n} {{ }}\n"} for n in range(20)]
    async with live.client() as client:
        sent = {"mode": "apply", "changes": changes}
        call = asyncio.create_task(client.call_tool("edit_scripts", sent))
        await waits(live)
        (held,) = live.server.review.held.waiting
        page = words(await person.view(f"/holds/{held.key}?from=15"))
        assert "files 16 to 20 of 20" in page
        assert "Assets/New19.cs" in page
        assert "Assets/New14.cs" not in page
        assert (await person.get("/holds/nothing")).status_code == 404
        await person.answer("approve")
        assert result(await call, "edit_scripts")["status"] == "applied"


async def test_the_feed_tells_that_something_waits(live: LiveServer, person: Person) -> None:
    async with live.client() as client, person._http.stream("GET", "/feed") as feed:
        lines = feed.aiter_lines()

        async def until(word: str) -> None:
            async with asyncio.timeout(30):
                async for line in lines:
                    if word in line:
                        return

        await until('"waits": 0')
        call = calling(client)
        await until('"waits": 1')
        await waits(live)
        await person.answer("refuse")
        await call
        await until('"waits": 0')


async def test_a_setting_that_cant_be_stored_counts_until_the_server_ends(
    live: LiveServer,
) -> None:
    (live.server.kept.folder / "hold.json").mkdir(parents=True)
    async with Person(live.port) as person:
        for is_on in (True, False):
            (form,) = await person.forms("/holds", "/actions/hold")
            sent = await person.send(form, on="1" if is_on else "0")
            assert sent.status_code == 500
            said = words(sent.text)
            assert "This lasts until the server ends: it could not be stored" in said
            assert f"Hold changes: {'on' if is_on else 'off'}" in said
            assert live.server.review.held.setting.is_on is is_on
