"""What waits, jobs, console, problems and figures in a real browser."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from call_results import error, result
from live_server import LiveServer
from review_browser import LOOKS, Browser, browse, live, unusable, wait_for_title
from running_server import SCRIPT, SOURCE, edit

from mcp_server.review.hold.held_calls import HoldSetting

Scenario = Callable[[Browser, LiveServer, Any], Awaitable[None]]

EDITED = SOURCE.replace(b"speed > 10", b"speed > 20")
NEW = {"mode": "apply", "changes": [{"path": "Assets/New.cs", "create": "class New { }\n"}]}


def watched(project: Path, scenario: Scenario) -> list[str]:
    """Run ``scenario`` with a browser, a server that holds calls, and a client of it."""

    async def run(browser: Browser) -> None:
        async with LiveServer(project=project) as server, server.client() as client:
            await server.server.review.held.set(HoldSetting(is_on=True))
            await scenario(browser, server, client)
            await browser.leave()

    return browse(run)


def root(server: LiveServer) -> str:
    return f"http://127.0.0.1:{server.port}"


@asynccontextmanager
async def calling(client: Any, tool: str, arguments: dict[str, Any]) -> AsyncIterator[Any]:
    call = asyncio.create_task(client.call_tool(tool, arguments))
    yield call
    await call


def test_a_change_is_approved_and_another_refused(project: Path) -> None:
    async def scenario(browser: Browser, server: LiveServer, client: Any) -> None:
        page = await browser.watch(await browser.person(), f"{root(server)}/holds")
        other = await browser.watch(await browser.person(), f"{root(server)}/holds")
        assert "Nothing waits." in await page.locator("#holds").inner_text()
        async with calling(client, "edit_snippet", edit("apply")) as first:
            await page.locator(".held").wait_for()
            await wait_for_title(page, "(1) waiting")
            assert "speed > 20" in await page.locator("tr.added").inner_text()
            assert (project / SCRIPT).read_bytes() == SOURCE
            await page.get_by_label("because").fill("half of a reason")
            async with calling(client, "edit_scripts", NEW) as second:
                await page.locator(".held").nth(1).wait_for()
                edits, sets = page.locator(".held").first, page.locator(".held").nth(1)
                # What somebody types is there still, although another change came.
                assert await edits.get_by_label("because").input_value() == "half of a reason"
                await sets.get_by_label("because").fill("no new scripts")
                await sets.get_by_role("button", name="Refuse").click()
                refused = error(await second)
            assert refused["details"]["details"]["reason"] == "no new scripts"
            # A page that stays open shows what another one has answered.
            await other.locator("#holds-lately", has_text="refused").wait_for()
            assert await other.locator(".held").count() == 1
            await page.get_by_role("button", name="Approve").click()
            assert result(await first, "edit_snippet")["status"] == "applied"
        await page.locator("#holds-lately", has_text="approved").wait_for()
        assert "Nothing waits." in await page.locator("#holds").inner_text()
        assert (project / SCRIPT).read_bytes() == EDITED
        assert not (project / "Assets/New.cs").exists()

    assert watched(project, scenario) == []


def test_everybody_can_use_these_views(
    project: Path, axe: str, one_in: Callable[[int], int]
) -> None:
    """No violation of axe-core's rules: light, dark, and on a narrow screen; and nothing is cut."""
    wrong: list[object] = []

    async def scenario(browser: Browser, server: LiveServer, client: Any) -> None:
        editor = server.editor()
        trace = f"Player:Update () (at {SCRIPT}:9)"
        editor.console = [{"type": "error", "message": "broken", "stack_trace": trace}]
        await editor.connect()
        held = server.server.review.held
        await held.set(HoldSetting(is_on=False))
        result(await client.call_tool("edit_snippet", edit("apply")), "edit_snippet")
        error(await client.call_tool("edit_snippet", edit("apply")))
        await held.set(HoldSetting(is_on=True))
        jobs = [result(await client.call_tool("run_tests"), "run_tests")["job_id"] for _ in "ab"]
        done, runs = (editor.jobs[each] for each in jobs)
        failed = [
            {"name": f"Game.Tests.{each}", "message": "no", "stack_trace": trace} for each in "AB"
        ]
        summary = {"total": 2, "passed": 0, "failed": 2, "skipped": 0, "duration_ms": 3}
        done.finish(result={"summary": summary, "failed_tests": failed})
        runs.state, runs.progress = "running", {"completed": 1, "total": 2, "current": "Tests.C"}
        for each in (done, runs):
            await editor.announce(each)
        async with calling(client, "edit_scripts", NEW):
            await server.logged("held")
            await look(browser, server, axe, one_in(3), wrong)
            for each in held.waiting:
                held.answer(each.key, approves=False)

    assert watched(project, scenario) == []
    assert wrong == [], wrong


async def look(
    browser: Browser, server: LiveServer, axe: str, one_in: int, wrong: list[object]
) -> None:
    for scheme, width in LOOKS[::one_in]:
        viewport = {"width": width, "height": 800}
        person = await browser.person(color_scheme=scheme, viewport=viewport)
        page = await person.new_page()
        for path in ("holds", "jobs", "console", "problems", "figures", "event/1"):
            await page.goto(f"{root(server)}/{path}")
            await live(page)
            wrong += [(scheme, path, *each) for each in await unusable(page, axe, width)]
        await person.close()
