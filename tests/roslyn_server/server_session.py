"""A plain pygls client that runs a server process, and what tests ask of it."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls.lsp.client import LanguageClient

from roslyn_server.protocol import JUDGE_TEXT_REQUEST

_REPOSITORY = Path(__file__).parents[2]

ServerOn = Callable[..., AbstractAsyncContextManager["Session"]]
"""Starts a server on a laid-out machine, for a project."""


class Session:
    """One running server and its client."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.client = LanguageClient("tests", "1")
        self.registrations: list[types.Registration] = []
        self.published: asyncio.Queue[types.PublishDiagnosticsParams] = asyncio.Queue()
        self.stderr = bytearray()
        self.logged: list[str] = []
        self._registered = asyncio.Event()
        self._versions: dict[str, int] = {}
        self._texts: dict[str, str] = {}

    @classmethod
    async def spawn(cls, environment: dict[str, str], root: Path, *arguments: str) -> Session:
        """Start the process; nothing is said to it yet."""
        session = cls(root)
        client = session.client

        @client.feature(types.CLIENT_REGISTER_CAPABILITY)
        def register(params: types.RegistrationParams) -> None:
            session.registrations += params.registrations
            session._registered.set()

        @client.feature(types.WINDOW_LOG_MESSAGE)
        def log(params: types.LogMessageParams) -> None:
            session.logged.append(params.message)

        @client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        def publish(params: types.PublishDiagnosticsParams) -> None:
            session.published.put_nowait(params)

        command = [sys.executable, "-m", "roslyn_server", "--stdio", "--project", str(root)]
        await client.start_io(*command, *arguments, env=environment, cwd=_REPOSITORY)
        session._drain = asyncio.ensure_future(session._read_stderr())
        return session

    @classmethod
    async def start(
        cls, environment: dict[str, str], root: Path, *, pulls: bool = True, dynamic: bool = True
    ) -> Session:
        """Start a server and initialize it, as a client with or without pull diagnostics."""
        session = await cls.spawn(environment, root)
        session.initialized = await session.initialize(pulls=pulls, dynamic=dynamic)
        session.client.initialized(types.InitializedParams())
        if pulls and dynamic:
            await session._registered.wait()
        return session

    async def initialize(
        self, *, pulls: bool = True, dynamic: bool = True
    ) -> types.InitializeResult:
        diagnostic = types.DiagnosticClientCapabilities(dynamic_registration=dynamic)
        text_document = types.TextDocumentClientCapabilities(
            diagnostic=diagnostic if pulls else None
        )
        utf_32_first = types.GeneralClientCapabilities(
            position_encodings=[types.PositionEncodingKind.Utf32, types.PositionEncodingKind.Utf16]
        )
        capabilities = types.ClientCapabilities(general=utf_32_first, text_document=text_document)
        return await self.client.initialize_async(
            types.InitializeParams(capabilities=capabilities, process_id=os.getpid())
        )

    def uri(self, script: str) -> str:
        return (self.root / script).as_uri()

    def open(self, script: str, text: str) -> None:
        self._versions[script] = 1
        self._texts[script] = text
        item = types.TextDocumentItem(self.uri(script), "csharp", 1, text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))

    def change(self, script: str, *changes: types.TextDocumentContentChangeEvent) -> None:
        self._versions[script] += 1
        target = types.VersionedTextDocumentIdentifier(self._versions[script], self.uri(script))
        self.client.text_document_did_change(
            types.DidChangeTextDocumentParams(target, list(changes))
        )

    def set(self, script: str, text: str) -> None:
        """Give an open document, or one that isn't open yet, another text."""
        if script in self._versions:
            self._texts[script] = text
            self.change(script, types.TextDocumentContentChangeWholeDocument(text))
        else:
            self.open(script, text)

    def pull(self, script: str, identifier: str | None) -> asyncio.Future[Any]:
        """Ask for diagnostics; the future of the server's report."""
        target = types.TextDocumentIdentifier(self.uri(script))
        params = types.DocumentDiagnosticParams(target, identifier=identifier)
        return asyncio.ensure_future(self.client.text_document_diagnostic_async(params))

    async def errors(self, script: str, text: str) -> list[types.Diagnostic]:
        """All errors of ``text`` as that script."""
        self.set(script, text)
        reports = [await self.pull(script, each) for each in ("syntax", "semantics")]
        items = [each for report in reports for each in report.items]
        return [each for each in items if each.severity is types.DiagnosticSeverity.Error]

    async def ids(self, script: str, text: str) -> list[str]:
        """The ids of those errors."""
        return [str(each.code) for each in await self.errors(script, text)]

    async def coverage(self, script: str) -> Any:
        """What the server says that a verdict on the script's last whole text covers."""
        params = {"uri": self.uri(script), "text": self._texts[script], "namesMs": 60_000}
        answer = await self.client.protocol.send_request_async(JUDGE_TEXT_REQUEST, params)
        return answer.coverage

    def close_all(self) -> None:
        """Close all documents."""
        for script in self._versions:
            target = types.TextDocumentIdentifier(self.uri(script))
            self.client.text_document_did_close(types.DidCloseTextDocumentParams(target))
        self._versions.clear()
        self._texts.clear()

    async def end(self) -> int:
        """Shut the server down if it still runs; its exit code."""
        process = self.process
        if process.returncode is None:
            await self.client.shutdown_async(None)
            self.client.exit(None)
        code = await process.wait()
        await self._drain
        return code

    @property
    def process(self) -> asyncio.subprocess.Process:
        """The server's process."""
        process = self.client._server
        assert process is not None
        return process

    async def _read_stderr(self) -> None:
        assert self.process.stderr is not None
        while data := await self.process.stderr.read(65536):
            self.stderr += data
