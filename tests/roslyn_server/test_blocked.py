"""What refers to an assembly with errors: not judged then, and by all that changed afterwards.

docs/design/roslyn.md §3 "The whole project". Three assemblies, each referring to the one before it
only, beside which an older library of the lowest may lie.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import laid_out
import pytest
from compiled_library import compiled_library
from judged_edits import Started
from laid_out import Layout
from server_session import ServerOn, Session

from roslyn_server.protocol import CHECK_PROJECT_REQUEST, JUDGE_CHANGES_REQUEST, JUDGE_TEXT_REQUEST
from roslyn_server.toolchains.pairing import Toolchain
from snippet_engine.errors import ErrorCode, SnippetError

pytestmark = [pytest.mark.anyio, pytest.mark.shares_server, pytest.mark.sampled(one_in=2)]

CLOCK = "Assets/Low/Clock.cs"
OTHER = "Assets/Low/Other.cs"
MENU = "Assets/Mid/Menu.cs"
TOP = "Assets/High/Top.cs"
SCRIPTS = {
    CLOCK: "public class Clock { public int Now; public const int Size = 1; }\n",
    OTHER: "public class Other { }\n",
    MENU: "public class Menu { int Of(Clock of) => of.Now; public const int Size = Clock.Size; }\n",
    TOP: "class Top { byte size = Menu.Size; }\n",
}
RENAMED = SCRIPTS[CLOCK].replace("Now", "Then")
LARGER = SCRIPTS[CLOCK].replace("= 1;", "= 1000;")
BROKEN = "public class Other : INope { }\n"
USED_WRONGLY = ("CS1061", MENU, 1, 44)
TOO_LARGE = ("CS0031", TOP, 1, 25)


@pytest.fixture
def root(new_root: Path, machine: Layout, references: Path) -> Path:
    """A project that was described, and never built."""
    root = laid_out.project(new_root, machine.editor)
    low = {name: SCRIPTS[name] for name in (CLOCK, OTHER)}
    laid_out.built(root, references, low, "Low")
    laid_out.built(root, references, {MENU: SCRIPTS[MENU]}, "Mid", ["Low"])
    laid_out.built(root, references, {TOP: SCRIPTS[TOP]}, "High", ["Mid"])
    return root


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory, roslyn_4_8: Toolchain) -> Path:
    """The lowest assembly, as it was once built."""
    folder = tmp_path_factory.mktemp("built")
    source = folder / "Low.cs"
    source.write_text(SCRIPTS[CLOCK] + SCRIPTS[OTHER], "utf-8")
    return compiled_library(source, folder / "made", roslyn_4_8)


@pytest.fixture(params=["built", "never built"])
def project(request: pytest.FixtureRequest, root: Path, library: Path) -> Path:
    """The project with that library, and without it."""
    if request.param == "built":
        (folder,) = root.glob("Library/Bee/artifacts/*")
        shutil.copy(library, folder / "Low.ref.dll")
    return root


def write(root: Path, **texts: str) -> None:
    """Give scripts other texts: ``CLOCK``, ``OTHER`` and so on by their names."""
    for name, text in texts.items():
        (root / getattr(sys.modules[__name__], name)).write_text(text, "utf-8")


async def check(session: Session, **params: Any) -> Any:
    return await session.client.protocol.send_request_async(CHECK_PROJECT_REQUEST, params)


async def judge(session: Session, changes: dict[str, str | None]) -> Any:
    params = {"changes": [{"path": path, "text": text} for path, text in changes.items()]}
    return await session.client.protocol.send_request_async(JUDGE_CHANGES_REQUEST, params)


async def judge_text(session: Session, path: str, text: str) -> Any:
    """The verdict on one text, however long it takes."""
    params = {"uri": session.uri(path), "text": text, "namesMs": 120_000}
    return await session.client.protocol.send_request_async(JUDGE_TEXT_REQUEST, params)


def told(answer: Any) -> list[tuple[str, str, int, int]]:
    return sorted((each.code, each.path, each.line, each.column) for each in answer.errors)


def left(answer: Any) -> list[tuple[str, str]]:
    return [(each.assembly, each.reason) for each in answer.notChecked]


BLOCKED = "Names and types were not checked: Low has errors."


async def of_the_menu(session: Session) -> None:
    """A verdict on a text above the broken assembly."""
    judged = await judge_text(session, MENU, SCRIPTS[MENU].replace("of.Now", "of.Now + 1"))
    assert (judged.errors, judged.coverage.covers) == ([], ["brackets", "syntax"])
    (why,) = judged.coverage.notChecked
    assert (why.reason, why.message) == ("blocked", BLOCKED)


async def of_the_top(session: Session) -> None:
    """A verdict on a text two assemblies above it."""
    judged = await judge_text(session, TOP, SCRIPTS[TOP].replace("size", "length"))
    assert (judged.errors, judged.coverage.covers) == ([], ["brackets", "syntax"])
    (why,) = judged.coverage.notChecked
    assert (why.reason, why.message) == ("blocked", BLOCKED)


async def of_the_broken_one(session: Session) -> None:
    """Verdicts on texts of the broken assembly itself: one as broken, and one that mends it."""
    for text in ("public class Other : INope2 { }\n", SCRIPTS[OTHER]):
        judged = await judge_text(session, OTHER, text)
        assert "semantics" in judged.coverage.covers
        assert [each.code for each in judged.errors] == ["CS0246"] * ("INope2" in text)
        (why,) = judged.coverage.notChecked
        assert (why.reason, why.detail) == ("other_assemblies", "Mid, High")


async def of_several(session: Session) -> None:
    """A verdict on changes of both."""
    judged = await judge(session, {OTHER: SCRIPTS[OTHER], MENU: SCRIPTS[MENU] + "\n"})
    assert (told(judged), "semantics" in judged.coverage) == ([], False)
    assert left(judged) == [("Mid", "blocked"), ("High", "blocked")]
    (message, _) = [each.message for each in judged.notChecked]
    assert message == "Mid was not checked: Low has errors."


async def of_nothing(session: Session) -> None:
    """Nothing."""


@pytest.mark.parametrize(
    "meanwhile",
    [of_the_menu, of_the_top, of_the_broken_one, of_several, of_nothing],
    ids=lambda each: each.__name__,
)
async def test_what_was_blocked_is_held_against_all_that_changed_meanwhile(
    project: Path, machine: Layout, server_on: ServerOn, meanwhile: Callable[[Session], Any]
) -> None:
    async with server_on(machine, project) as session:
        assert (await check(session)).status == "clean"
        write(project, CLOCK=RENAMED, OTHER=BROKEN)
        for _ in range(2):
            broken = await check(session)
            assert told(broken) == [("CS0246", OTHER, 1, 22)]
            assert left(broken) == [("Mid", "blocked"), ("High", "blocked")]
            await meanwhile(session)
        write(project, OTHER=SCRIPTS[OTHER])
        mended = await check(session)
        assert (mended.status, told(mended)) == ("errors", [USED_WRONGLY])
        assert [each.code for each in (await judge_text(session, MENU, SCRIPTS[MENU])).errors] == [
            "CS1061"
        ]
        write(project, MENU=SCRIPTS[MENU].replace("of.Now", "of.Then"), CLOCK=RENAMED)
        assert told(await check(session)) == []
        # The same, seen two assemblies above.
        write(project, CLOCK=LARGER.replace("Now", "Then"), OTHER=BROKEN)
        assert told(await check(session)) == [("CS0246", OTHER, 1, 22)]
        await judge_text(session, TOP, SCRIPTS[TOP])
        write(project, OTHER=SCRIPTS[OTHER])
        assert told(await judge(session, {TOP: SCRIPTS[TOP]})) == []  # it was so before
        assert told(await check(session)) == [TOO_LARGE]


async def test_a_server_that_starts_on_a_broken_project_judges_what_can_be(
    project: Path, machine: Layout, server_on: ServerOn
) -> None:
    write(project, CLOCK=RENAMED, OTHER=BROKEN)
    async with server_on(machine, project) as session:
        await of_the_menu(session)
        await of_the_broken_one(session)
        await of_the_top(session)
        write(project, OTHER=SCRIPTS[OTHER])
        judged = await judge_text(session, MENU, SCRIPTS[MENU])
        assert [each.code for each in judged.errors] == ["CS1061"]
        assert told(await check(session)) == [USED_WRONGLY]


async def test_a_lower_script_that_is_removed_and_comes_back(
    project: Path, machine: Layout, server_on: ServerOn
) -> None:
    async with server_on(machine, project) as session:
        assert (await check(session)).status == "clean"
        write(project, CLOCK=RENAMED + "class More : Other { }\n")
        (project / OTHER).unlink()
        assert told(await check(session)) == [("CS0246", CLOCK, 2, 14)]
        await of_the_menu(session)
        write(project, OTHER=SCRIPTS[OTHER])
        assert told(await check(session)) == [USED_WRONGLY]


def _without_its_response_file(root: Path) -> Callable[[], None]:
    (response,) = root.glob("Library/Bee/artifacts/*/Low.rsp")
    text = response.read_text("utf-8")
    response.write_text(f'@"{response}"\n', "utf-8")
    return lambda: _settled(response, text)


def _without_a_reference(root: Path) -> Callable[[], None]:
    (response,) = root.glob("Library/Bee/artifacts/*/Low.rsp")
    gone = response.with_name("Gone.dll")
    some = next(each for each in response.read_text("utf-8").splitlines() if "-r:" in each)
    text = response.read_text("utf-8") + f'-r:"{gone}"\n'
    response.write_text(text, "utf-8")
    return lambda: shutil.copy(some.removeprefix("-r:").strip('"'), gone) and None


def _with_another_definition(root: Path) -> Callable[[], None]:
    definition = root / "Assets/Low/Low.asmdef"
    text, times = definition.read_text("utf-8"), definition.stat()
    definition.write_text(text.replace("{", '{"defineConstraints": ["MOBILE"], '), "utf-8")

    def mend() -> None:
        definition.write_text(text, "utf-8")
        os.utime(definition, ns=(times.st_atime_ns, times.st_mtime_ns))

    return mend


def _settled(file: Path, text: str) -> None:
    file.write_text(text, "utf-8")


@pytest.mark.parametrize(
    "spoil",
    [_without_its_response_file, _without_a_reference, _with_another_definition],
    ids=lambda each: each.__name__,
)
async def test_an_assembly_that_could_not_be_judged_and_can_be_again(
    project: Path,
    machine: Layout,
    server_on: ServerOn,
    spoil: Callable[[Path], Callable[[], None]],
) -> None:
    async with server_on(machine, project) as session:
        assert (await check(session)).status == "clean"
        mend = spoil(project)
        write(project, CLOCK=RENAMED)
        spoilt = await check(session)
        assert (spoilt.status, told(spoilt)) == ("unknown", [])
        for path in (MENU, TOP):
            judged = await judge_text(session, path, SCRIPTS[path])
            assert judged.errors == []
        mend()
        for _ in range(2):
            assert told(await check(session)) == [USED_WRONGLY]


async def test_a_library_that_changes_with_an_assembly_is_not_overlooked(
    root: Path, tmp_path: Path, roslyn_4_8: Toolchain, session: Session
) -> None:
    made = []
    for name in ("Old", "New"):
        source = tmp_path / name / "Plug.cs"
        source.parent.mkdir()
        source.write_text(f"public class Plug {{ public int {name}; }}\n", "utf-8")
        made.append(compiled_library(source, tmp_path / name / "made", roslyn_4_8))
    (response,) = root.glob("Library/Bee/artifacts/*/Mid.rsp")
    plug = response.with_name("Plug.dll")
    shutil.copy(made[0], plug)
    response.write_text(response.read_text("utf-8") + f'-r:"{plug}"\n', "utf-8")
    write(root, MENU=SCRIPTS[MENU] + "class Plugged { int Of(Plug plug) => plug.Old; }\n")
    assert told(await check(session)) == []
    shutil.copy(made[1], plug)
    write(root, OTHER="public class Other { public int More; }\n")
    assert told(await check(session)) == [("CS1061", MENU, 2, 43)]


@pytest.mark.own_server
def test_who_insists_on_names_is_told_what_keeps_them_from_being_judged(
    project: Path, machine: Layout, started: Started
) -> None:
    write(project, CLOCK=RENAMED, OTHER=BROKEN)
    judged = started(machine, project)
    request = {
        "path": MENU,
        "mode": "apply",
        "instructions": [
            {
                "operation": "replace",
                "anchor": {"type": "text", "target": "of.Now"},
                "newText": "of.Now + of.Now",
            }
        ],
    }
    refused = judged.engine.edit_snippet({**request, "validation": "lsp"})
    assert isinstance(refused, SnippetError)
    assert (refused.code, refused.message) == (
        ErrorCode.VALIDATOR_UNAVAILABLE,
        "No verdict of a C# language server: Names and types were not checked: Low has errors. "
        'Fix those first (check_project lists them), or send "validation": "auto".',
    )
    together = {"mode": "preview", "changes": [{k: request[k] for k in ("path", "instructions")}]}
    several = judged.engine.edit_scripts({**together, "validation": "lsp"})
    assert isinstance(several, SnippetError)
    assert several.code is ErrorCode.VALIDATOR_UNAVAILABLE
    assert "Mid was not checked: Low has errors. Fix those first" in several.message
    previewed = judged.engine.edit_scripts(together)
    assert isinstance(previewed, dict), previewed
    assert previewed["validation"]["notChecked"] == [
        "Mid was not checked: Low has errors",
        "High was not checked: Low has errors",
    ]
    standing = judged.engine.validate_script({"path": MENU})
    assert isinstance(standing, dict)
    applied = judged.engine.edit_snippet(request)
    assert isinstance(applied, dict), applied
    for answer in (standing, applied):
        assert answer["validation"]["coverage"] == ["brackets", "syntax"]
        assert answer["validation"]["notChecked"] == ["semantics (blocked: Low has errors)"]
