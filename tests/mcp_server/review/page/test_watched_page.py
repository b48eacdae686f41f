"""The review page in a real browser, while a real MCP client works."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from live_server import LiveServer
from mcp import types
from mcp_talk import talk
from review_browser import LOOKS, Browser, browse, live, unusable, wait_for_title
from running_server import KILL, SCRIPT, SOURCE, RunningServer, edit

from mcp_server.review.hold.held_calls import HoldSetting
from mcp_server.review.page.timeline import PIECE
from mcp_server.review.record.events import Event, NewEvent, Outcome

Scenario = Callable[[Browser, LiveServer], Awaitable[None]]


def watched(project: Path, scenario: Scenario, **options: Any) -> list[str]:
    """Run ``scenario`` with a browser and a server of ``project``; the pages' problems."""

    async def run(browser: Browser) -> None:
        async with LiveServer(project=project, **options) as server:
            await scenario(browser, server)
            await browser.leave()

    return browse(run)


def root(server: LiveServer) -> str:
    return f"http://127.0.0.1:{server.port}"


def replacing(target: str, new: str, mode: str = "apply") -> dict[str, Any]:
    anchor = {"type": "text", "target": target}
    instruction = {"operation": "replace", "anchor": anchor, "newText": new}
    return {"path": SCRIPT, "mode": mode, "instructions": [instruction]}


async def work(server: LiveServer, *calls: dict[str, Any], name: str = "agent") -> None:
    info = types.Implementation(name=name, version="1")
    async with server.client(client_info=info) as client:
        for each in calls:
            await client.call_tool("edit_snippet", each)


async def lines(page: Any) -> list[str]:
    found: list[str] = await page.locator(".entry-link").all_text_contents()
    return found


async def take_back(page: Any) -> None:
    await page.get_by_role("button", name="Take it back").click()
    await page.wait_for_url("**/event/*")


def test_a_page_shows_what_an_agent_does(project: Path) -> None:
    async def scenario(browser: Browser, server: LiveServer) -> None:
        page = await browser.watch(await browser.person(), root(server))
        assert await page.locator("#nothing").is_visible()
        await work(server, edit("preview"), edit("apply"), edit("apply"), name="Some agent")
        await page.locator("#e3").wait_for()
        outcomes = await page.locator(".entry .badge").all_inner_texts()
        assert outcomes == ["refused", "applied", "previewed"]
        assert "Some agent" in await page.locator("#e2").inner_text()
        assert not await page.locator("#nothing").is_visible()
        assert "Some agent" in await page.locator("#now").inner_text()

        await page.locator("#e2 .entry-link").click()
        assert "speed > 20" in await page.locator("tr.added").inner_text()
        assert await page.locator("tr.added mark").all_inner_texts() == ["20"]
        assert "embedded" in await page.locator("main").inner_text()
        await page.get_by_role("link", name="Side by side").click()
        assert await page.locator("td.removed mark").all_inner_texts() == ["10"]
        await page.goto(f"{root(server)}/event/3")
        shown = await page.locator("main").inner_text()
        assert "Near matches" in shown
        assert "The request" in shown

    assert watched(project, scenario) == []


def test_the_mark_and_the_filters_have_addresses(project: Path) -> None:
    async def scenario(browser: Browser, server: LiveServer) -> None:
        page = await browser.watch(await browser.person(), root(server))
        await work(server, edit("preview"), edit("apply"))
        await page.locator("#e2").wait_for()
        assert await page.locator(".unseen").count() == 2
        await page.get_by_role("button", name="I have looked at everything").click()
        await live(page)
        assert await page.locator(".unseen").count() == 0
        await work(server, replacing("speed > 20", "speed > 30"), name="other")
        await page.locator("#e3.unseen").wait_for()
        for query, numbers in (
            ("since=mark", ["3"]),
            ("client=other", ["3"]),
            ("outcome=previewed", ["1"]),
            ("file=player", ["3", "2", "1"]),
            ("q=nothing+has+this", []),
        ):
            await page.goto(f"{root(server)}/?{query}")
            found = [await each.get_attribute("data-number") for each in await entries(page)]
            assert found == numbers, query
        await page.goto(f"{root(server)}/?outcome=refused")
        await live(page)
        await work(server, edit("preview", path="Assets/None.cs"), edit("apply"))
        await page.locator("#e4").wait_for()
        assert await page.locator("#entries .badge", has_text="applied").count() == 0

    assert watched(project, scenario) == []


async def entries(page: Any) -> list[Any]:
    found: list[Any] = await page.locator("#entries .entry").all()
    return found


def test_all_four_ways_to_take_back(project: Path) -> None:
    script = project / SCRIPT
    two_parts = {
        "path": SCRIPT,
        "mode": "apply",
        "instructions": [
            *replacing("using UnityEngine;", "using UnityEngine;\nusing System;")["instructions"],
            *replacing("speed = 0;", "speed = 1;")["instructions"],
        ],
    }

    async def scenario(browser: Browser, server: LiveServer) -> None:
        await work(server, edit("apply"), replacing("int speed", "float speed"), two_parts)
        person = await browser.person()
        page = await browser.watch(person, f"{root(server)}/event/3")

        await page.locator(".part a").first.click()
        assert script.read_bytes().count(b"using System;") == 1, "a preview writes nothing"
        await take_back(page)
        part = SOURCE.replace(b"speed > 10", b"speed > 20").replace(b"int speed", b"float speed")
        assert script.read_bytes() == part.replace(b"speed = 0;", b"speed = 1;")

        await page.goto(f"{root(server)}/event/1")
        await page.get_by_role("link", name="Take this back").click()
        await take_back(page)
        assert b"speed > 10" in script.read_bytes(), "an older one, and the later ones stay"
        assert b"float speed" in script.read_bytes()

        await page.goto(f"{root(server)}/net?since=0")
        await page.get_by_role("link", name="Take back everything").click()
        await take_back(page)
        assert script.read_bytes() == SOURCE
        assert (await page.locator("h1 .badge").inner_text()) == "applied"

        await page.get_by_role("link", name="Take this back").click()
        await take_back(page)
        assert b"float speed" in script.read_bytes(), "taking back can be taken back"

    assert watched(project, scenario) == []


def test_without_scripts_the_page_works_and_names_what_stands_against_it(project: Path) -> None:
    async def scenario(browser: Browser, server: LiveServer) -> None:
        await work(server, edit("apply"))
        person = await browser.person(java_script_enabled=False)
        page = await person.new_page()
        await page.goto(root(server))
        await page.get_by_role("button", name="I have looked at everything").click()
        assert await page.locator(".unseen").count() == 0
        await page.locator("#e1 .entry-link").click()
        await page.get_by_role("link", name="Take this back").click()
        await work(server, replacing("speed > 20", "speed > 30"))
        before = (project / SCRIPT).read_bytes()
        await page.get_by_role("button", name="Take it back").click()
        against = page.get_by_role("alert")
        await against.wait_for()
        assert (project / SCRIPT).read_bytes() == before, "it isn't as it was shown"
        later = page.get_by_role("link", name="entry 2")
        assert await later.get_attribute("href") == "/event/2"
        assert await page.get_by_role("button", name="Take it back").count() == 0
        await page.goto(f"{root(server)}/take-back?event=2")
        await take_back(page)
        assert b"speed > 20" in (project / SCRIPT).read_bytes()

    problems = watched(project, scenario)
    assert [each for each in problems if "409" not in each] == []


def test_two_windows_and_two_browsers_agree(project: Path) -> None:
    async def scenario(browser: Browser, server: LiveServer) -> None:
        one, other = await browser.person(), await browser.person()
        pages = [await browser.watch(each, root(server)) for each in (one, one, one, other)]
        await work(server, edit("preview"), edit("apply"))
        for page in pages:
            await page.locator("#e2").wait_for()
        shown = [await lines(page) for page in pages]
        assert shown == [shown[0]] * 4
        # The window that listened for the others goes; another one takes over.
        await pages[0].close()
        await work(server, replacing("speed > 20", "speed > 30"))
        for page in pages[1:]:
            await page.locator("#e3").wait_for()

    assert watched(project, scenario) == []


def test_a_page_outlives_its_server_and_misses_nothing(project: Path) -> None:
    """The server is killed, and another one of the project comes to the same port."""

    async def call(server: RunningServer, arguments: dict[str, Any]) -> None:
        async def scenario(client: Any) -> None:
            await client.call_tool("edit_snippet", arguments)

        await asyncio.to_thread(talk, server.url, "auto", scenario, "agent")

    async def scenario(browser: Browser) -> None:
        with RunningServer(cwd=project) as server:
            page = await browser.watch(await browser.person(), server.url.removesuffix("/mcp"))
            await call(server, edit("apply"))
            await page.locator("#e1").wait_for()
            await asyncio.to_thread(server.stop, KILL)
        await page.locator("#connection.lost").wait_for()
        with RunningServer(cwd=project, port=server.port) as again:
            await call(again, replacing("speed > 20", "speed > 30"))
            await page.locator("#e2").wait_for()
            await live(page)
            await page.reload()
            assert len(await lines(page)) == 2
            await page.get_by_role("button", name="I have looked at everything").click()
            await live(page)
            assert await page.locator(".unseen").count() == 0, "its cookie is still good"

    # What the browser says of the connections that it lost.
    assert [each for each in browse(scenario) if "Failed to load resource" not in each] == []


def test_a_link_logs_one_browser_in(project: Path) -> None:
    async def scenario(browser: Browser, server: LiveServer) -> None:
        link = server.server.access.link()
        stranger = await (await browser.person()).new_page()
        await stranger.goto(root(server))
        assert "unity-cli open" in await stranger.locator("main").inner_text()
        page = await browser.watch(await browser.person(), link)
        assert await page.locator("h1").inner_text() == "Timeline"
        assert "#" not in page.url, "the code is not left in the history"
        await stranger.goto(link)
        await stranger.reload()
        await stranger.locator("#login-state", has_text="used already").wait_for()

    problems = watched(project, scenario, token="a-token-that-nobody-guesses")
    assert [each for each in problems if "401" not in each and "403" not in each] == []


NOTIFICATIONS = """
    window.notes = [];
    window.Notification = class {
        static permission = "granted";
        constructor(title, options) { window.notes.push(options.body); }
    };
    Object.defineProperty(document, "hidden", { get: () => true });
"""


def test_somebody_who_is_waited_for_is_told(project: Path) -> None:
    async def scenario(browser: Browser, server: LiveServer) -> None:
        person = await browser.person()
        await person.add_init_script(NOTIFICATIONS)
        page = await browser.watch(person, root(server))
        held = server.server.review.held
        await held.set(HoldSetting(is_on=True))
        waiting = asyncio.create_task(work(server, edit("apply")))
        await page.locator("#now .waits").wait_for()
        # What the feed tells may come after the entries that an earlier message led to.
        await wait_for_title(page, "(1) waiting")
        assert await page.evaluate("window.notes") == ["1 change waits for you."]
        for each in held.waiting:
            held.answer(each.key, approves=True)
        await waiting
        await page.locator("#e1").wait_for()
        await page.locator("#now .waits").wait_for(state="detached")
        await wait_for_title(page, "Timeline")
        assert b"speed > 20" in (project / SCRIPT).read_bytes()

    assert watched(project, scenario) == []


HOSTILE = "<img src=x onerror=alert(1)>"


@pytest.mark.skipif("sys.platform == 'win32'", reason="such names can't be on Windows")
def test_nothing_that_others_wrote_runs(project: Path) -> None:
    name = f"Assets/{HOSTILE.replace('/', '')}.cs"
    code = f"class A\n{{\n    // </td></table>{HOSTILE}<script>alert(2)</script>\n}}\n"
    (project / name).write_text(code, encoding="utf-8")

    async def scenario(browser: Browser, server: LiveServer) -> None:
        await work(
            server,
            {**replacing("class A", "class B"), "path": name},
            {**replacing("no such <script>alert(3)</script>", HOSTILE), "path": name},
            name=HOSTILE,
        )
        person = await browser.person()
        page = await browser.watch(person, root(server))
        dialogs: list[str] = []

        async def note(dialog: Any) -> None:
            dialogs.append(dialog.message)
            await dialog.dismiss()

        page.on("dialog", note)
        await page.locator("#e2").wait_for()
        for path in (
            "/",
            f"/?q={HOSTILE}&file={HOSTILE}&client={HOSTILE}&since={HOSTILE}",
            "/event/1",
            "/event/1?side=1&lines=all",
            "/event/2",
            f"/net?since=0&client={HOSTILE}",
            "/take-back?event=1",
            "/take-back?since=0",
            f"/take-back?event=1&path={HOSTILE}&changes=0",
        ):
            await page.goto(root(server) + path)
            await live(page)
            assert await page.locator("img").count() == 0, path
            assert await page.locator("script:not([type=module])").count() == 0, path
        assert dialogs == []
        # The page's own policy stops what would get through.
        await page.evaluate(
            "document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=\"alert(9)\">')"
        )
        assert dialogs == []

    problems = watched(project, scenario)
    assert [e for e in problems if not re.search(r"violates|Content Security|404", e)] == []


def many_events(count: int) -> list[NewEvent]:
    return [
        NewEvent(
            Event(
                0, 1_700_000_000 + each, "agent", "s", "edit_snippet",
                Outcome.APPLIED if each % 2 else Outcome.REFUSED, line=f"line {each} changed",
            )
        )
        for each in range(1, count + 1)
    ]  # fmt: skip


def test_a_thousand_entries_come_in_pieces(project: Path) -> None:
    async def scenario(browser: Browser, server: LiveServer) -> None:
        store = server.server.review.store
        for each in many_events(1_000):
            store.add(each)
        page = await browser.watch(await browser.person(), root(server))
        assert len(await entries(page)) <= 2 * PIECE
        for pieces in (2, 3, 4):
            await page.locator("#older").scroll_into_view_if_needed()
            await page.locator(f"#e{1_000 - pieces * PIECE + 1}").wait_for()
        numbers = [await each.get_attribute("data-number") for each in await entries(page)]
        assert numbers == [str(1_000 - each) for each in range(len(numbers))]
        await page.goto(f"{root(server)}/?q=line+17+changed")
        assert await lines(page) == ["line 17 changed"]
        await page.goto(f"{root(server)}/?before=101")
        assert len(await entries(page)) == PIECE
        assert await page.locator("#older").count() == 0

    assert watched(project, scenario) == []


def test_a_page_that_stays_open_drops_its_oldest_entries_and_gets_them_again(
    project: Path,
) -> None:
    async def scenario(browser: Browser, server: LiveServer) -> None:
        store = server.server.review.store
        page = await browser.watch(await browser.person(), root(server))
        events = many_events(450)
        for last in (250, 450):
            for each in events[last - 200 if last > 250 else 0 : last]:
                store.add(each)
            await page.locator(f"#e{last}").wait_for()
        assert len(await entries(page)) == 300
        await page.locator("#older").scroll_into_view_if_needed()
        await page.locator("#e51").wait_for()
        await page.locator("#older").scroll_into_view_if_needed()
        await page.locator("#e1").wait_for()
        numbers = [await each.get_attribute("data-number") for each in await entries(page)]
        assert numbers == [str(each) for each in range(450, 0, -1)]
        assert await page.locator("#older").count() == 0

    assert watched(project, scenario) == []


def test_keys_go_through_the_list(project: Path) -> None:
    async def scenario(browser: Browser, server: LiveServer) -> None:
        await work(server, edit("preview"), edit("apply"))
        page = await browser.watch(await browser.person(), root(server))
        await page.keyboard.press("j")
        await page.keyboard.press("j")
        assert await page.locator("#e1 .entry-link:focus").count() == 1
        await page.keyboard.press("k")
        assert await page.locator("#e2 .entry-link:focus").count() == 1
        await page.keyboard.press("/")
        await page.keyboard.type("j?")
        assert await page.locator("#search").input_value() == "j?"
        await page.keyboard.press("Tab")
        await page.locator("#e2 .entry-link").focus()
        await page.keyboard.press("?")
        assert await page.locator("dialog[open]").is_visible()
        await page.keyboard.press("Escape")
        await page.locator("#e2 .entry-link").focus()
        await page.keyboard.press("u")
        await page.wait_for_url("**/event/2#take-back")

    assert watched(project, scenario) == []


ADDRESSES = ("/", "/event/1", "/event/2", "/event/2?side=1", "/event/3", "/net?since=0")


def test_everybody_can_use_it(project: Path, axe: str, one_in: Callable[[int], int]) -> None:
    """No violation of axe-core's rules: light, dark, and on a narrow screen; and nothing is cut."""
    wrong: list[object] = []

    async def scenario(browser: Browser, server: LiveServer) -> None:
        await work(server, edit("preview"), edit("apply"), edit("apply"))
        for scheme, width in LOOKS[:: one_in(3)]:
            viewport = {"width": width, "height": 800}
            person = await browser.person(color_scheme=scheme, viewport=viewport)
            page = await person.new_page()
            for address in (*ADDRESSES, "/take-back?event=2"):
                await page.goto(root(server) + address)
                await live(page)
                found = await unusable(page, axe, width)
                wrong.extend((scheme, address, *each) for each in found)
            await person.close()

    assert watched(project, scenario) == []
    assert wrong == []
