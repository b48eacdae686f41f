"""The server as a process and as a partner in LSP: how it answers, waits, and ends."""

import asyncio
import io
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import laid_out
import pytest
from laid_out import Layout
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from server_session import ServerOn, Session

from roslyn_server.judge import Judge
from roslyn_server.lifecycle import show_life
from roslyn_server.protocol import DIAGNOSTIC_IDENTIFIERS, EXIT_NO_TOOLCHAIN, NO_TOOLCHAIN_ERROR
from roslyn_server.server import RoslynLanguageServer

pytestmark = pytest.mark.anyio

_SCRIPT = "Assets/A.cs"
_REPOSITORY = Path(__file__).parents[2]
_BROKEN = "class C { int a }\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return laid_out.project(tmp_path / "project", laid_out.UNITY_6_5)


async def test_a_client_that_pulls_and_registers_gets_one_registration_for_each_identifier(
    machine: Layout, root: Path, server_on: ServerOn
) -> None:
    async with server_on(machine, root) as session:
        assert session.initialized.capabilities.diagnostic_provider is None
        assert session.initialized.server_info is not None
        assert session.initialized.server_info.name == "roslyn_server"
        assert session.initialized.capabilities.position_encoding == "utf-16"
        options = [each.register_options for each in session.registrations]
        assert [each["identifier"] for each in options] == list(DIAGNOSTIC_IDENTIFIERS)

        session.open(_SCRIPT, 'class C\n{\n    string a = "\U0001f600" + ;\n}\n')
        report = await session.pull(_SCRIPT, "syntax")
        (item,) = report.items
        assert (item.code, item.source, item.severity) == ("CS1525", "roslyn", 1)
        # The smiling face is one code point, and two UTF-16 code units.
        assert item.range.start == types.Position(2, 22)

        gap = types.Range(item.range.start, item.range.start)
        session.change(_SCRIPT, types.TextDocumentContentChangePartial(gap, "1"))
        assert not (await session.pull(_SCRIPT, "syntax")).items
        assert not (await session.pull(_SCRIPT, None)).items

        outline = await session.client.text_document_document_symbol_async(
            types.DocumentSymbolParams(types.TextDocumentIdentifier(session.uri(_SCRIPT)))
        )
        assert outline is not None
        (class_,) = outline
        assert isinstance(class_, types.DocumentSymbol)
        assert (class_.name, class_.kind) == ("C", types.SymbolKind.Class)
        assert [(each.name, each.kind) for each in class_.children or ()] == [
            ("a", types.SymbolKind.Field)
        ]
        await _questions_about_what_isnt_there(session)
        await _texts_that_are_hard_on_a_compiler(session)


async def _questions_about_what_isnt_there(session: Session) -> None:
    with pytest.raises(JsonRpcException, match="isn't open"):
        await session.pull("Assets/None.cs", "syntax")


async def _texts_that_are_hard_on_a_compiler(session: Session) -> None:
    deep = f"class C {{ int a = {'(' * 5_000}1{')' * 5_000}; }}"
    assert "CS8078" in await session.ids(_SCRIPT, deep)
    for nested in ("!" * 4_200 + "true", "[" * 2_200, "f(" * 1_500):
        beside = "  void M() { }\n" * 1_000
        deep = f"class C {{\n{beside}  object A() => {nested};\n{beside}}}"
        assert "CS8078" in await session.ids(_SCRIPT, deep), nested[:2]
    assert "CS8078" not in await session.ids(_SCRIPT, f"class C {{ bool a = {'!' * 3_000}true; }}")
    assert "CS1056" in await session.ids(_SCRIPT, "class C { \0\ud800 }")
    assert await session.ids(_SCRIPT, "") == []
    assert await session.ids(_SCRIPT, "class C { }") == []


async def test_a_cancelled_request_ends_and_the_next_is_answered(
    machine: Layout, root: Path, server_on: ServerOn
) -> None:
    async with server_on(machine, root) as session:
        long = "class C { int a = 1" + " + 1" * 50_000 + "; }"
        session.open(_SCRIPT, long)
        requests = [session.pull(_SCRIPT, "syntax") for _ in range(4)]
        await asyncio.sleep(0)
        for number in list(session.client.protocol._request_futures):
            session.client.cancel_request(types.CancelParams(id=number))
        endings = await asyncio.gather(*requests, return_exceptions=True)
        assert any("cancel" in str(each).lower() for each in endings)
        assert await session.ids(_SCRIPT, _BROKEN) == ["CS1002"]


async def test_ready_is_said_once_the_judge_has_warmed_up() -> None:
    is_warm = threading.Event()

    class Warmed:
        compiler = runtime = ""

    def load(_root: Path | None) -> Judge:
        is_warm.wait()
        return cast(Judge, Warmed())

    server = RoslynLanguageServer(load, None)
    capabilities = types.ClientCapabilities()
    server.protocol.client_capabilities = capabilities  # as pygls does it
    ready = asyncio.ensure_future(
        server._initialize(types.InitializeParams(capabilities=capabilities))
    )
    await asyncio.sleep(0.1)
    assert not ready.done()
    is_warm.set()
    await ready


async def test_a_client_hears_that_the_server_lives_before_it_is_ready(
    machine: Layout, root: Path
) -> None:
    session = await Session.spawn(machine.environment, root)
    await session.initialize()
    assert session.logged == ["loading the compiler"]
    session.client.exit(None)
    await session.process.wait()


@pytest.mark.parametrize("said", [b"Content-Length: 2\r\n", b""])
def test_nothing_is_sent_before_the_client_speaks(
    said: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent = io.BytesIO()
    sent_before: list[bytes] = []

    class Client(io.RawIOBase):
        def readable(self) -> bool:
            return True

        def readinto(self, buffer: Any) -> int:
            sent_before.append(sent.getvalue())
            buffer[: len(said)] = said
            return len(said)

    stdin = io.BufferedReader(Client())
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=stdin))
    monkeypatch.setattr(sys, "stdout", SimpleNamespace(buffer=sent))
    show_life().join()
    assert sent_before == [b""]
    assert (b"window/logMessage" in sent.getvalue()) == bool(said)
    assert stdin.read(len(said)) == said


async def test_a_client_without_registration_finds_the_static_provider(
    machine: Layout, root: Path, server_on: ServerOn
) -> None:
    async with server_on(machine, root, dynamic=False) as session:
        provider = session.initialized.capabilities.diagnostic_provider
        assert isinstance(provider, types.DiagnosticOptions)
        assert provider.identifier == "syntax"
        assert await session.ids(_SCRIPT, _BROKEN) == ["CS1002"]


async def test_a_client_that_doesnt_pull_is_told_by_version(
    machine: Layout, root: Path, server_on: ServerOn
) -> None:
    async with server_on(machine, root, pulls=False) as session:
        session.set(_SCRIPT, _BROKEN)
        told = await session.published.get()
        assert (told.uri, told.version) == (session.uri(_SCRIPT), 1)
        assert [each.code for each in told.diagnostics] == ["CS1002"]

        session.set(_SCRIPT, "class C { int a; }\n")
        told = await session.published.get()
        assert (told.version, list(told.diagnostics)) == (2, [])
    assert session.process.returncode == 0


async def test_without_a_toolchain_initialize_fails_with_the_reason(
    tmp_path: Path, root: Path
) -> None:
    bare = Layout("bare", tmp_path / "empty", "", "", "", {"XDG_CACHE_HOME": str(tmp_path)})
    bare.environ["DOTNET_ROOT"] = str(tmp_path / "none")
    bare.environ["PATH"] = "/nowhere"
    session = await Session.spawn(bare.environment, root)
    with pytest.raises(JsonRpcException, match=r"unity-cli roslyn install") as failure:
        await session.initialize()
    assert failure.value.code == NO_TOOLCHAIN_ERROR
    session.client.exit(None)
    assert await session.process.wait() == EXIT_NO_TOOLCHAIN
    await session._drain
    (line,) = session.stderr.decode().splitlines()
    assert "No usable Roslyn was found" in line
    assert "not installed where Unity Hub puts Editors" in line


async def test_it_ends_when_its_input_ends_whatever_it_is_doing(
    machine: Layout, root: Path
) -> None:
    session = await Session.start(machine.environment, root)
    session.open(_SCRIPT, "class C { int a = 1" + " + 1" * 50_000 + "; }")
    pending = session.pull(_SCRIPT, "syntax")
    await asyncio.sleep(0)
    assert session.process.stdin is not None
    session.process.stdin.close()
    assert await asyncio.wait_for(session.process.wait(), 60) == 0
    pending.cancel()


_PARENT = """
import subprocess, sys, time
server = subprocess.Popen(
    [sys.executable, "-m", "roslyn_server", "--stdio", "--log-level", "info"],
    stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
)
# A sibling that holds the other end of the server's input: it stays open when we are gone.
sibling = subprocess.Popen(
    [sys.executable, "-c", "import time; time.sleep(600)"], pass_fds=[server.stdin.fileno()]
)
server.stderr.readline()
print(server.pid, sibling.pid, flush=True)
time.sleep(600)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="looks processes up in /proc")
def test_it_ends_with_its_parent_even_if_its_input_stays_open(machine: Layout) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", _PARENT],
        env=machine.environment,
        cwd=_REPOSITORY,
        stdout=subprocess.PIPE,
        text=True,
    ) as parent:
        assert parent.stdout is not None
        server, sibling = map(int, parent.stdout.readline().split())
        parent.kill()
    try:
        assert _is_running(sibling)
        while _is_running(server):
            time.sleep(0.05)
    finally:
        os.kill(sibling, signal.SIGKILL)


def _is_running(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2]
    except OSError:
        return False
    return state.split()[0] != "Z"
