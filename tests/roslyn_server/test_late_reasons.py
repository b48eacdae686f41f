"""What can't be judged after the answer is news, too: blocked assemblies, and code that no symbol
compiles.

docs/design/server-and-bridge.md §15, with a real server and a real compiler, in three assemblies,
each referring to the one before it.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import laid_out
import late_verdicts
import pytest
from late_verdicts import client, run
from running_server import RunningServer

from roslyn_server.toolchains.pairing import Toolchain

CLOCK = "Assets/Low/Clock.cs"
MENU = "Assets/Mid/Menu.cs"
TOP = "Assets/High/Top.cs"
SCRIPTS = {
    CLOCK: "public class Clock { public int Now; }\n",
    MENU: "public class Menu { public Clock Of; public int At => Of.Now; }\n",
    TOP: "class Top {\n    Menu menu;\n#if NEVER\n    int at => menu.Of.Now;\n#endif\n}\n",
}
NOT_CLEAN = "public class Clock : INope { public int Now; }\n"


@pytest.fixture(scope="module")
def server(
    tmp_path_factory: pytest.TempPathFactory, roslyn_4_8: Toolchain, references: Path
) -> Iterator[RunningServer]:
    layout = laid_out.unity_6_5(tmp_path_factory.mktemp("machine"), roslyn_4_8)
    root = laid_out.project(tmp_path_factory.mktemp("module") / "project", layout.editor)
    laid_out.built(root, references, {CLOCK: SCRIPTS[CLOCK]}, "Low")
    laid_out.built(root, references, {MENU: SCRIPTS[MENU]}, "Mid", ["Low"])
    laid_out.built(root, references, {TOP: SCRIPTS[TOP]}, "High", ["Low", "Mid"])
    with late_verdicts.serving_built(layout, root) as serving:
        late_verdicts.start_compiler(serving)
        yield serving


@pytest.fixture(autouse=True)
def as_laid_out(server: RunningServer) -> None:
    """Put back what an earlier test has left, and have the server judge that first."""

    async def judged() -> None:
        async with client(server, "earlier") as calls:
            for path, text in SCRIPTS.items():
                left = (server.cwd / path).read_text(encoding="utf-8")
                if left != text:
                    restored = await calls.replace(path, left.strip(), text.strip())
                    assert restored["status"] == "applied", restored
            await calls.until_judged()

    run(judged)


async def broken_by_undo(calls: late_verdicts.Calls, path: str, text: str) -> None:
    """Have an undo bring ``text`` back, which has errors."""
    (calls.root / path).write_text(text, encoding="utf-8")
    old, new = text, SCRIPTS[path]
    repaired = await calls.replace(path, old.strip(), new.strip())
    assert repaired["status"] == "applied", repaired
    undone = await calls("undo_snippet", **repaired["undo"])
    assert undone["status"] == "undone", undone


def test_what_is_blocked_is_judged_once_the_errors_are_repaired(server: RunningServer) -> None:
    async def scenario() -> None:
        async with client(server) as calls:
            await broken_by_undo(calls, CLOCK, NOT_CLEAN)
            await calls.until_judged()
            assert [each["code"] for each in calls.news] == ["CS0246"]
            calls.news.clear()
            edited = await calls.replace(TOP, "Menu menu;", "Menuu menu;")
            assert edited["status"] == "applied", edited
            await calls.until_judged()
            (told,) = calls.news
            assert "High was not checked" in told["message"]
            assert "undo" not in told
            calls.news.clear()
            repaired = await calls.replace(CLOCK, "Clock : INope", "Clock")
            assert repaired.get("status") == "applied", repaired
            await calls.until_judged()
            assert [(each["file"], each["code"]) for each in calls.news] == [(TOP, "CS0246")]
            checked = await calls("check_project")
            assert [each["path"] for each in checked["errors"]] == [TOP]

    run(scenario)


def test_an_undo_that_repairs_is_no_news(server: RunningServer) -> None:
    async def scenario() -> None:
        async with client(server) as calls:
            clean = SCRIPTS[CLOCK]
            (server.cwd / CLOCK).write_text(clean, encoding="utf-8")
            edited = await calls.replace(
                CLOCK, "class Clock", "class Clock : INope", validation="embedded"
            )
            assert edited["status"] == "applied", edited
            await calls("undo_snippet", **edited["undo"])
            assert (server.cwd / CLOCK).read_text(encoding="utf-8") == clean
            await calls.until_judged()
            assert calls.news == []

    run(scenario)


def test_code_that_no_symbol_compiles_is_named(server: RunningServer) -> None:
    async def scenario() -> None:
        async with client(server) as calls:
            await broken_by_undo(calls, CLOCK, SCRIPTS[CLOCK].replace("Now", "Then"))
            await calls.until_judged()
            (left,) = [each for each in calls.news if "code" not in each]
            assert f"inactive #if code of {TOP}" in left["message"]
            assert [each["file"] for each in calls.news if "code" in each] == [MENU]

    run(scenario)


def test_an_edit_that_is_taken_back_outside_leaves_no_news(server: RunningServer) -> None:
    async def scenario() -> None:
        async with client(server) as mine, client(server, "other") as others:
            await others.look()
            await broken_by_undo(mine, CLOCK, SCRIPTS[CLOCK].replace("Now", "Then"))
            await others.until_judged()
            assert [each["file"] for each in others.news if "code" in each] == [MENU]
            mine.news.clear()
            (server.cwd / CLOCK).write_text(SCRIPTS[CLOCK], encoding="utf-8")
            await mine.until_judged()
            assert [each for each in mine.news if "code" in each] == []

    run(scenario)


def test_sessions_of_one_name_are_each_given_what_is_found(server: RunningServer) -> None:
    async def scenario() -> None:
        async with client(server, mode="auto") as mine, client(server, mode="auto") as others:
            await others.look()
            await broken_by_undo(mine, CLOCK, SCRIPTS[CLOCK].replace("Now", "Then"))
            await others.until_judged()
            await mine.until_judged()
            for each in (mine, others):
                assert MENU in [row["file"] for row in each.news if "code" in row]

    run(scenario)
