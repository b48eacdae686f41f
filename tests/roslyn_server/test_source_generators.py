"""Sources that generators make as a project is built, made for a check as well.

docs/design/roslyn.md §3 "Source generators". The generators are real ones, compiled by the Roslyn
that then runs them.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import laid_out
import pytest
from compiled_library import compiled_library
from laid_out import Layout
from server_session import ServerOn, Session

from roslyn_server.protocol import CHECK_PROJECT_REQUEST, JUDGE_CHANGES_REQUEST
from roslyn_server.toolchains.pairing import Toolchain

pytestmark = [pytest.mark.anyio, pytest.mark.shares_server]

PLAYER = "Assets/Core/Player.cs"
GAME = "Assets/Game/Game.cs"
SCRIPTS = {
    PLAYER: "[Mark] public partial class Player { int a; public int Twice() => Made() * 2; }\n",
    GAME: "class Game { int Of(Player player) => player.Made(); }\n",
}


@pytest.fixture(scope="module")
def makers(tmp_path_factory: pytest.TempPathFactory, roslyn_4_8: Toolchain) -> Path:
    """The library with the generators."""
    source = Path(__file__).with_name("Makers.cs")
    return compiled_library(source, tmp_path_factory.mktemp("makers"), roslyn_4_8)


@pytest.fixture
def root(new_root: Path, machine: Layout, references: Path, makers: Path) -> Path:
    """Two assemblies, of which the lower one has generators."""
    root = laid_out.project(new_root, machine.editor)
    laid_out.built(root, references, {PLAYER: SCRIPTS[PLAYER]}, "Core")
    laid_out.built(root, references, {GAME: SCRIPTS[GAME]}, "Game", ["Core"])
    extend(root, f'-analyzer:"{makers}"')
    return root


def extend(root: Path, *lines: str) -> None:
    (response,) = root.glob("Library/Bee/artifacts/*/Core.rsp")
    response.write_text(response.read_text("utf-8") + "\n".join(lines) + "\n", "utf-8")


async def check(session: Session) -> Any:
    return await session.client.protocol.send_request_async(CHECK_PROJECT_REQUEST, {})


async def judge(session: Session, path: str, text: str) -> Any:
    params = {"changes": [{"path": path, "text": text}]}
    return await session.client.protocol.send_request_async(JUDGE_CHANGES_REQUEST, params)


def told(answer: Any) -> list[tuple[str, str]]:
    return sorted((each.code, each.path) for each in answer.errors)


def left(answer: Any) -> list[tuple[str, str]]:
    return sorted((each.assembly, each.reason) for each in answer.notChecked)


async def test_what_scripts_name_may_be_generated(root: Path, session: Session) -> None:
    clean = await check(session)
    assert (clean.status, told(clean), left(clean)) == ("clean", [], [])
    assert (clean.checked.assemblies, clean.checked.files) == (["Core", "Game"], 2)
    assert (await check(session)).boundAgain == "nothing"

    (root / PLAYER).write_text("public partial class Player { int B => Made().No; }\n", "utf-8")
    assert told(await check(session)) == [("CS1061", PLAYER)]


async def test_what_is_generated_follows_the_scripts(root: Path, session: Session) -> None:
    assert (await check(session)).status == "clean"
    (root / PLAYER).write_text("public partial class Player { int a; int b; int c; }\n", "utf-8")
    broken = await check(session)  # three fields make Made() another type
    assert told(broken) == [("CS0266", GAME)]

    whole = "public class Player { }\n"
    judged = await judge(session, PLAYER, whole)
    assert told(judged) == [("CS1061", GAME)]
    (root / PLAYER).write_text(whole, "utf-8")
    assert told(await check(session)) == [("CS1061", GAME)]

    (root / PLAYER).write_text(SCRIPTS[PLAYER], "utf-8")
    assert (await check(session)).status == "clean"
    assert told(await judge(session, PLAYER, SCRIPTS[PLAYER].replace("int a;", ""))) == []


async def test_an_edit_is_judged_with_what_is_generated(session: Session) -> None:
    ids = await session.ids(PLAYER, SCRIPTS[PLAYER].replace("Made() *", "Made(1) *"))
    assert ids == ["CS1501"]
    assert "semantics" in (await session.coverage(PLAYER)).covers


async def test_additional_files_are_given_to_generators(root: Path, session: Session) -> None:
    given = root / "Library" / "Names.txt"
    given.write_text("One", "utf-8")
    extend(root, f'-additionalfile:"{given}"')
    (root / GAME).write_text("class Game { int a = Given.One; }\n", "utf-8")
    assert (await check(session)).status == "clean"
    given.write_text("Other", "utf-8")
    assert told(await check(session)) == [("CS0117", GAME)]


async def test_an_error_of_a_generator_is_one_of_the_project(root: Path, session: Session) -> None:
    (root / PLAYER).write_text(SCRIPTS[PLAYER] + "class Unwanted { }\n", "utf-8")
    answer = await check(session)
    assert told(answer) == [("MAKE1", PLAYER)]
    assert [(each.line, each.column) for each in answer.errors] == [(2, 7)]


async def test_where_a_generator_fails_nothing_is_claimed_of_names(
    root: Path, session: Session
) -> None:
    (root / PLAYER).write_text(SCRIPTS[PLAYER] + "class Throws { Unknown a; }\n", "utf-8")
    failed = await check(session)
    assert (failed.status, told(failed)) == ("unknown", [])
    assert left(failed) == [("Core", "source_generators"), ("Game", "source_generators")]
    assert "HalfMaker failed: InvalidOperationException: no half of that" in (
        failed.notChecked[0].message
    )
    assert await session.ids(PLAYER, SCRIPTS[PLAYER].replace("Made", "Unknown")) == []
    assert "semantics" not in (await session.coverage(PLAYER)).covers

    (root / PLAYER).write_text(SCRIPTS[PLAYER], "utf-8")
    assert (await check(session)).status == "clean"
    throwing = await judge(session, PLAYER, SCRIPTS[PLAYER] + "class Throws { }\n")
    assert (told(throwing), "semantics" in throwing.coverage) == ([], False)


async def test_what_refers_to_it_by_way_of_others_is_not_judged_either(
    root: Path, references: Path, session: Session
) -> None:
    script = "Assets/Top/Top.cs"
    laid_out.built(root, references, {script: "class Top { Game game; }\n"}, "Top", ["Game"])
    (root / PLAYER).write_text(SCRIPTS[PLAYER] + "class Throws { }\n", "utf-8")
    everywhere = [(name, "source_generators") for name in ("Core", "Game", "Top")]
    assert left(await check(session)) == everywhere
    judged = await judge(session, script, "class Top { Unknown game; }\n")
    assert (told(judged), left(judged)) == ([], everywhere[2:])
    assert "semantics" not in judged.coverage


async def test_scripts_that_would_end_the_process_are_not_given_to_generators(
    root: Path, session: Session
) -> None:
    deep = "class Deep { int a = " + "(" * 5000 + "1" + ")" * 5000 + "; }\n"
    (root / PLAYER).write_text(SCRIPTS[PLAYER] + deep, "utf-8")
    answer = await check(session)
    assert told(answer) == [("CS8078", PLAYER)]
    (root / PLAYER).write_text(SCRIPTS[PLAYER], "utf-8")
    assert (await check(session)).status == "clean"


async def test_texts_are_read_where_a_generator_fails(root: Path, session: Session) -> None:
    (root / PLAYER).write_text("class Throws { int a }\n", "utf-8")
    assert told(await check(session)) == [("CS1002", PLAYER)]


@pytest.mark.own_server
async def test_a_generator_without_an_end_is_not_waited_for(
    root: Path, machine: Layout, server_on: ServerOn
) -> None:
    (root / PLAYER).write_text(SCRIPTS[PLAYER] + "class Endless { }\n", "utf-8")
    async with server_on(machine, root) as session:
        endless = await check(session)
        assert endless.status == "unknown"
        assert "didn't end within 20 seconds" in endless.notChecked[0].message
        assert (await check(session)).notChecked == endless.notChecked


async def test_a_library_that_cant_be_loaded_is_named(
    root: Path, makers: Path, session: Session
) -> None:
    damaged = root / "Damaged.dll"
    damaged.write_bytes(makers.read_bytes()[:2000] + b"GeneratorAttribute")
    extend(root, f'-analyzer:"{damaged}"')
    answer = await check(session)
    assert answer.status == "unknown"
    assert "Damaged.dll can't be loaded" in answer.notChecked[0].message


@pytest.mark.own_server
async def test_a_generator_that_was_built_anew_is_the_one_that_runs(
    root: Path, machine: Layout, server_on: ServerOn, makers: Path
) -> None:
    own = root / "Own.dll"
    own.write_bytes(b"no library, of a GeneratorAttribute")
    os.utime(own, (1, 1))
    (response,) = root.glob("Library/Bee/artifacts/*/Core.rsp")
    response.write_text(response.read_text("utf-8").replace(str(makers), str(own)), "utf-8")
    async with server_on(machine, root) as session:
        assert (await check(session)).status == "unknown"
        own.write_bytes(makers.read_bytes())
        assert (await check(session)).status == "clean"
