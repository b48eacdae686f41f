"""Real language servers that were not made for this client, with their own languages' files.

``clangd`` pushes its diagnostics, ``basedpyright`` is asked for them: the protocol layer knows
no C#. Both are Python packages, installed with the tests' other tools.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import sysconfig
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, replace
from math import inf
from pathlib import Path
from typing import TypeVar

import pytest
from language_clients import GENEROUS_S, UNHURRIED, launch_of
from lsprotocol import types
from this_system import ON_WINE

from lsp_client.diagnostics.report import Report
from lsp_client.diagnostics.text_reports import report_of
from lsp_client.outcomes import RequestRefused, Unavailable
from lsp_client.protocol.connection import Connection
from lsp_client.running.client_thread import ClientThread
from lsp_client.running.supervisor import Supervisor
from lsp_client.servers.server_table import ServerSpec

T = TypeVar("T")

SCRIPTS = Path(sysconfig.get_path("scripts"))


@dataclass(frozen=True)
class Foreign:
    """A server, and two texts of its language: one without errors, one with."""

    spec: ServerSpec
    command: tuple[str, ...]
    file: str
    fine: str
    broken: str
    line: int
    """Where the error is, zero-based."""
    pulled: bool


CLANGD = Foreign(
    ServerSpec("clangd", language_id="cpp"),
    (str(SCRIPTS / "clangd"), "--background-index=false"),
    "main.cpp",
    "// Größe 𝕊\nint main() { return 0; }\n",
    "// Größe 𝕊\nint main() { return missing; }\n",
    1,
    pulled=False,
)
BASEDPYRIGHT = Foreign(
    ServerSpec("basedpyright", language_id="python"),
    (str(SCRIPTS / "basedpyright-langserver"), "--stdio"),
    "main.py",
    "print('Größe 𝕊')\nx = 1\n",
    "print('Größe 𝕊')\nx = (1\n",
    1,
    pulled=True,
)


def needs(foreign: Foreign) -> None:
    if ON_WINE and shutil.which(foreign.command[0]) is None:
        pytest.skip(f"the Python for Windows has no {foreign.spec.name}")


class Running:
    """One of them, running, for code that knows no event loop."""

    def __init__(self, foreign: Foreign, root: Path) -> None:
        self.foreign = foreign
        self.uri = (root / foreign.file).as_uri()
        self.file = root / foreign.file
        self.file.write_text(foreign.fine, encoding="utf-8")
        self._thread = ClientThread("test")
        launch = launch_of(foreign.spec, foreign.command, root)
        self._supervisor = Supervisor([launch], UNHURRIED)

    def ask(self, job: Callable[[Connection], Awaitable[T]], within_s: float = GENEROUS_S) -> T:
        async def work() -> T | Unavailable:
            return await self._supervisor.ask(job, within_s=within_s, patient=True)

        answer = self._thread.run(work(), GENEROUS_S + 5)
        assert not isinstance(answer, Unavailable), answer.reason
        return answer

    def reports(self, *texts: str) -> list[Report]:
        return self.ask(lambda c: report_of(c, self.uri, list(texts), inf))

    def close(self) -> None:
        self._thread.run(self._supervisor.close(), GENEROUS_S)
        self._thread.stop()


@pytest.fixture(params=[CLANGD, BASEDPYRIGHT], ids=["clangd", "basedpyright"], scope="module")
def running(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Running]:
    needs(request.param)
    made = Running(request.param, tmp_path_factory.mktemp("foreign"))
    yield made
    made.close()


def test_it_is_asked_as_it_wants_to_be(running: Running) -> None:
    async def look(connection: Connection) -> tuple[bool, str]:
        assert connection.server_info is not None
        return bool(connection.announcements.identifiers), connection.server_info.name

    running.reports(running.foreign.fine)
    pulled, name = running.ask(look)
    assert pulled is running.foreign.pulled
    assert name == running.foreign.spec.name


def test_errors_are_those_of_the_text_in_memory(running: Running) -> None:
    foreign = running.foreign
    before, after = running.reports(foreign.fine, foreign.broken)
    assert before.errors == ()
    assert {error.line for error in after.errors} >= {foreign.line}
    assert running.file.read_text(encoding="utf-8") == foreign.fine


def test_what_was_put_back_is_judged_afresh(running: Running) -> None:
    foreign = running.foreign
    for _ in range(3):
        assert running.reports(foreign.broken)[0].errors
        assert running.reports(foreign.fine)[0].errors == ()
    before, after = running.reports(foreign.broken, foreign.fine)
    assert (before.errors, after.errors) == ((), ())


def test_errors_of_both_texts_are_told_where_both_have_some(running: Running) -> None:
    foreign = running.foreign
    before, after = running.reports(foreign.broken, foreign.broken + "\n")
    assert {error.id for error in before.errors} <= {error.id for error in after.errors}
    assert before.errors


def test_versions_only_grow(running: Running) -> None:
    foreign = running.foreign

    async def versions(connection: Connection) -> list[int]:
        found = []
        for texts in ([foreign.fine], [foreign.fine, foreign.broken]):
            await report_of(connection, running.uri, texts, inf)
            found.append(connection._versions[running.uri])
        return found

    first = running.ask(versions)
    second = running.ask(versions)
    assert first[0] < first[1] < second[0] < second[1]


def test_a_cancelled_request_leaves_it_usable(running: Running) -> None:
    async def hurried(connection: Connection) -> str:
        uri = types.TextDocumentIdentifier(running.uri)
        params = types.DocumentSymbolParams(uri)
        try:
            await connection.request(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL, params, 0)
        except (TimeoutError, RequestRefused) as error:
            return type(error).__name__
        return "answered"

    assert running.ask(hurried) == "TimeoutError"
    assert running.reports(running.foreign.broken)[0].errors


def test_many_questions_at_once_get_each_its_own_answer(running: Running) -> None:
    foreign = running.foreign
    texts = [foreign.fine, foreign.broken] * 4

    async def all_at_once(connection: Connection) -> list[list[Report]]:
        jobs = [report_of(connection, running.uri, [text], inf) for text in texts]
        return await asyncio.gather(*jobs)

    answers = running.ask(all_at_once)
    assert [bool(each[0].errors) for each in answers] == [text == foreign.broken for text in texts]


def test_it_is_told_of_a_write(running: Running) -> None:
    foreign = running.foreign

    async def saved(connection: Connection) -> None:
        async with connection.turn:
            connection.saved(running.uri, foreign.fine)

    running.ask(saved)
    assert running.reports(foreign.broken)[0].errors


def test_after_a_crash_the_next_question_starts_another(running: Running) -> None:
    async def pid(connection: Connection) -> int:
        return connection.pid

    async def die(connection: Connection) -> None:
        os.killpg(connection.pid, signal.SIGKILL)
        await connection.ended

    first = running.ask(pid)
    running.ask(die)
    assert running.reports(running.foreign.broken)[0].errors
    assert running.ask(pid) != first


@pytest.mark.parametrize("foreign", [CLANGD, BASEDPYRIGHT], ids=["clangd", "basedpyright"])
def test_it_shuts_down_when_asked(foreign: Foreign, tmp_path: Path) -> None:
    needs(foreign)

    async def ending() -> str:
        launch = launch_of(foreign.spec, foreign.command, tmp_path)
        connection = await Connection.open(launch, replace(UNHURRIED, shutdown_s=GENEROUS_S))
        await connection.shut_down()
        return await connection.ended

    # It has shut down by itself, in time, or it would read "was shut down".
    assert "ended with exit code 0" in asyncio.run(ending())
