"""Every kind of break of another file is told, in the call or as news, and no valid edit is.

The kinds are data: ``benchmarks/cross_file_breaks/kinds.py``.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import laid_out
import pytest
from late_verdicts import client
from running_server import RunningServer

from benchmarks.cross_file_breaks import project
from benchmarks.cross_file_breaks.kind import Kind
from benchmarks.cross_file_breaks.kinds import KINDS
from benchmarks.cross_file_breaks.told import Caller, Told
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


def test_each_break_is_told_in_the_call_or_as_news(server: RunningServer) -> None:
    told = tried(server, lambda caller, kind: caller.now(kind, kind.new), KINDS[::2])
    assert [name for name, each in told.items() if not each.is_told] == []
    assert [name for name, each in told.items() if each.is_twice] == []


def test_each_break_that_is_judged_after_the_answer_is_news_once(server: RunningServer) -> None:
    told = tried(server, lambda caller, kind: caller.later(kind, kind.new), KINDS[1::2])
    assert [name for name, each in told.items() if not each.news] == []
    assert [name for name, each in told.items() if each.is_twice] == []


def test_no_valid_edit_is_called_an_error(server: RunningServer) -> None:
    now = tried(server, lambda caller, kind: caller.now(kind, kind.valid_new), KINDS[::4])
    later = tried(server, lambda caller, kind: caller.later(kind, kind.valid_new), KINDS[1::4])
    for told in (now, later):
        assert {name: each for name, each in told.items() if each.is_told or each.unknown} == {}
