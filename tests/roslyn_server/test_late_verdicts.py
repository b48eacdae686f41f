"""No verdict is lost: one that comes after the answer is news.

docs/design/server-and-bridge.md §15, with a real server, a real compiler and real clients.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import laid_out
import late_verdicts
import pytest
from late_verdicts import LIBRARY, MANY, Calls, caller, client, run, said_news
from running_server import RunningServer

from mcp_server.news.answers import PENDING
from roslyn_server.toolchains.pairing import Toolchain

BREAK = ("int Points()", "long Points()")
REPAIR = ("long Points()", "int Points()")
LAST = caller(MANY - 1)
OUTSIDE = "Assets/Plugins~/Outside.cs"


@pytest.fixture(scope="module")
def server(
    tmp_path_factory: pytest.TempPathFactory, roslyn_4_8: Toolchain, references: Path
) -> Iterator[RunningServer]:
    layout = laid_out.unity_6_5(tmp_path_factory.mktemp("machine"), roslyn_4_8)
    folder = tmp_path_factory.mktemp("module")
    with late_verdicts.serving(layout, folder, references, late_verdicts.callers()) as serving:
        late_verdicts.start_compiler(serving)
        yield serving


@pytest.fixture(autouse=True)
def as_laid_out(server: RunningServer) -> None:
    """Put back what a test has changed, by the server's own tool, and wait until that is judged."""
    read = ((server.cwd / path).read_text(encoding="utf-8") for path in late_verdicts.callers())
    changed = [
        (path, now, text)
        for (path, text), now in zip(late_verdicts.callers().items(), read, strict=True)
        if now != text
    ]

    async def scenario() -> None:
        async with client(server, "tidy") as calls:
            for path, now, text in changed:
                applied = await calls.replace(path, now, text)
                assert applied.get("status") == "applied", applied
            await calls.until_judged()

    if changed:
        run(scenario)


async def broken(calls: Calls, **more: Any) -> dict[str, Any]:
    """Apply the edit whose effect is too far away to be judged at once."""
    applied = await calls.replace(LIBRARY, *BREAK, **more)
    assert applied.get("status") == "applied", applied
    return applied


def test_what_breaks_is_news_once_to_each_caller(server: RunningServer) -> None:
    async def scenario() -> None:
        async with client(server) as mine, client(server, "other") as others:
            await others.look()
            applied = await broken(mine)
            assert applied["pending"] == 1
            assert applied["notChecked"][-1] == PENDING
            await mine.until_judged()
            for _ in range(3):
                await mine.look()
                await others.look()
            (news,) = mine.news
            assert (news["file"], news["line"], news["code"]) == (LAST, 3, "CS0266")
            assert news["since"] == f"your edit of {LIBRARY}"
            (told,) = others.news
            assert told == {**news, "since": f"edit of {LIBRARY} by agent"}
            undone = await mine("undo_snippet", **news["undo"])
            assert undone["status"] == "undone"
            assert await mine.until_judged() == {}

    run(scenario)


def test_an_edit_may_wait_for_its_whole_verdict(server: RunningServer) -> None:
    async def scenario() -> None:
        async with client(server) as calls:
            applied = await broken(calls, wait="verdict", timeout_ms=30_000)
            assert "pending" not in applied
            assert applied["checked"] == "names"
            assert "notChecked" not in applied
            assert [each["file"] for each in applied["news"]] == [LAST]
            assert await calls.look() == {}
            repaired = await calls.replace(LIBRARY, *REPAIR, wait="verdict", timeout_ms=30_000)
            assert said_news(repaired) == {}

    run(scenario)


def test_what_is_repaired_before_it_was_given_is_no_news(server: RunningServer) -> None:
    async def scenario() -> None:
        async with client(server) as mine, client(server, "other") as others:
            await others.look()
            await broken(mine)
            await others.until_judged()
            assert [each["file"] for each in others.news] == [LAST]
            await mine.replace(LIBRARY, *REPAIR)
            await mine.until_judged()
            assert mine.news == []

    run(scenario)


def test_what_is_taken_back_before_its_verdict_is_no_news(server: RunningServer) -> None:
    async def scenario() -> None:
        async with client(server) as calls:
            applied = await broken(calls)
            undone = await calls("undo_snippet", **applied["undo"])
            assert undone["status"] == "undone"
            await calls.until_judged()
            assert calls.news == []

    run(scenario)


def test_what_an_editor_repaired_meanwhile_is_no_news(server: RunningServer) -> None:
    async def scenario() -> None:
        async with client(server) as mine, client(server, "other") as others:
            await others.look()
            await broken(mine)
            await others.until_judged()
            file = server.cwd / LAST
            file.write_text(file.read_text().replace("int Of", "long Of"), encoding="utf-8")
            await mine.until_judged()
            assert mine.news == []

    run(scenario)


def test_what_the_answer_says_itself_is_no_news(server: RunningServer) -> None:
    async def scenario() -> None:
        async with client(server) as mine, client(server, "other") as others:
            await others.look()
            await broken(mine)
            await others.until_judged()
            checked = await mine("check_project")
            assert [each["path"] for each in checked["errors"]] == [LAST]
            assert said_news(checked) == {}
            assert await mine.look() == {}

    run(scenario)


def test_a_caller_that_has_gone_leaves_its_news_to_the_others(server: RunningServer) -> None:
    async def scenario() -> None:
        async with client(server, "other") as others:
            await others.look()
            async with client(server) as mine:
                await broken(mine)
            await others.until_judged()
            assert [each["file"] for each in others.news] == [LAST]

    run(scenario)


@pytest.mark.skipif(sys.platform != "linux", reason="the compiler's process is found by /proc")
def test_a_compiler_that_dies_meanwhile_is_asked_again(server: RunningServer) -> None:
    async def scenario() -> None:
        async with client(server) as calls:
            await broken(calls)
            late_verdicts.kill_compiler(server)
            await calls.until_judged()
            assert [each["file"] for each in calls.news] == [LAST]
            assert calls.news[0]["code"] == "CS0266"

    run(scenario)


def test_a_file_outside_the_build_costs_the_others_nothing(server: RunningServer) -> None:
    comment = {
        "operation": "insert",
        "anchor": {"type": "text", "target": "public class Health", "position": "line_before"},
        "newText": "// Health.",
    }

    async def scenario() -> None:
        async with client(server) as calls:
            changes = [
                {"path": LIBRARY, "instructions": [comment]},
                {"path": OUTSIDE, "create": "class Outside { }\n"},
            ]
            applied = await calls("edit_scripts", mode="preview", changes=changes)
            assert applied["checked"] == "names", applied
            assert OUTSIDE in str(applied["notChecked"])

    run(scenario)


def test_what_another_program_breaks_is_news_once_to_each_caller(server: RunningServer) -> None:
    async def scenario() -> None:
        async with client(server) as mine, client(server, "other") as others:
            await mine.look()
            await others.look()
            (server.cwd / LIBRARY).write_text(
                late_verdicts.LIBRARY_TEXT.replace("int Points", "uint Points"), encoding="utf-8"
            )
            async with asyncio.timeout(late_verdicts.WAIT_S):
                while not mine.news:
                    await asyncio.sleep(0.1)
                    await mine.look()
            await others.until_judged()
            for _ in range(3):
                await mine.look()
                await others.look()
            (news,) = mine.news
            assert (news["file"], news["line"], news["code"]) == (LAST, 3, "CS0266")
            assert news["since"] == f"change of {LIBRARY} outside unity-snippet"
            assert others.news == [news]
            undone = await mine("undo_snippet", **news["undo"])
            assert undone["status"] == "undone"
            assert await mine.until_judged() == {}

    run(scenario)


def test_what_another_program_breaks_before_the_compiler_runs(
    tmp_path: Path, roslyn_4_8: Toolchain, references: Path
) -> None:
    layout = laid_out.unity_6_5(tmp_path, roslyn_4_8)
    with late_verdicts.serving(layout, tmp_path, references, late_verdicts.callers(3)) as server:
        server.wait_for_log("scripts_known")

        async def scenario() -> None:
            async with client(server) as mine:
                await mine.look()
                broken = late_verdicts.LIBRARY_TEXT.replace("int Points", "uint Points")
                (server.cwd / LIBRARY).write_text(broken, encoding="utf-8")
                server.wait_for_log("outside_change")
                await mine("check_project")
                async with asyncio.timeout(late_verdicts.WAIT_S):
                    while not mine.news:
                        await asyncio.sleep(0.1)
                        await mine.look()
                (news,) = mine.news
                assert (news["file"], news["code"]) == (caller(2), "CS0266")
                assert news["since"] == f"change of {LIBRARY} outside unity-snippet"
                assert news["undo"]["path"] == LIBRARY

        run(scenario)
