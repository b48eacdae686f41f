"""Every kind of break of another file is told, in the call or as news, and no valid edit is.

The kinds are data: ``cross_file_breaks/kinds.toml``. A sample of them is tried, and all of
them with ``--all``.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import laid_out
import pytest
from cross_file_breaks import project
from cross_file_breaks.kind import Kind
from cross_file_breaks.kinds import KINDS
from cross_file_breaks.told import Caller, Told
from lanes import is_drawn
from late_verdicts import client
from running_server import RunningServer

from roslyn_server.toolchains.pairing import Toolchain


@pytest.fixture(scope="module")
def server(
    tmp_path_factory: pytest.TempPathFactory, roslyn_4_8: Toolchain, references: Path
) -> Iterator[RunningServer]:
    layout = laid_out.unity_6_5(tmp_path_factory.mktemp("machine"), roslyn_4_8)
    root = tmp_path_factory.mktemp("module") / "project"
    project.lay_out(root, KINDS, references, layout.editor)
    environment = {**layout.environment, "UNITY_CLI_LSP": "auto"}
    with RunningServer(cwd=root, **environment) as serving:
        yield serving


Drawn: TypeAlias = Callable[[Sequence[Kind], int], list[Kind]]


@pytest.fixture(scope="module")
def drawn(one_in: Callable[[int], int]) -> Drawn:
    """Return the sample of kinds that are tried, or with --all each."""

    def sample(kinds: Sequence[Kind], number: int) -> list[Kind]:
        return [each for each in kinds if is_drawn(each.name, one_in(number))]

    return sample


def tried(
    server: RunningServer, attempt: Callable[[Caller, Kind], Awaitable[Told]], kinds: Sequence[Kind]
) -> dict[str, Told]:
    """Return what was told of each kind."""

    async def scenario() -> dict[str, Told]:
        async with client(server) as calls:

            async def call(tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
                return await calls(tool, **arguments)

            checked = await calls("check_project")
            assert checked["status"] == "clean", checked
            caller = Caller(call, server.cwd)
            return {each.name: await attempt(caller, each) for each in kinds}

    return asyncio.run(asyncio.wait_for(scenario(), 800))


def test_there_are_many_kinds() -> None:
    assert len({each.space for each in KINDS}) == len(KINDS) >= 150


def test_each_break_is_told_in_the_call_or_as_news(server: RunningServer, drawn: Drawn) -> None:
    told = tried(server, lambda caller, kind: caller.now(kind, kind.new), drawn(KINDS[::2], 4))
    assert [name for name, each in told.items() if not each.is_told] == []
    assert [name for name, each in told.items() if each.is_twice] == []


def test_each_break_that_is_judged_after_the_answer_is_news_once(
    server: RunningServer, drawn: Drawn
) -> None:
    told = tried(server, lambda caller, kind: caller.later(kind, kind.new), drawn(KINDS[1::2], 4))
    assert [name for name, each in told.items() if not each.news] == []
    assert [name for name, each in told.items() if each.is_twice] == []


def test_no_valid_edit_is_called_an_error(server: RunningServer, drawn: Drawn) -> None:
    kinds = drawn(KINDS[::4], 2)
    now = tried(server, lambda caller, kind: caller.now(kind, kind.valid_new), kinds)
    kinds = drawn(KINDS[1::4], 2)
    later = tried(server, lambda caller, kind: caller.later(kind, kind.valid_new), kinds)
    for told in (now, later):
        assert {name: each for name, each in told.items() if each.is_told or each.unknown} == {}
