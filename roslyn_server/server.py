"""The language server: LSP requests in, Roslyn's answers out.

Implements docs/design/roslyn.md §3. ``initialize`` is answered once Roslyn is loaded; without one,
that request fails with the reason. Calls into .NET run on one thread each for syntax and semantics,
so that the loop stays free and a cancelled request ends early.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol, lsp_method
from pygls.uris import to_fs_path

from roslyn_server import lsp_values, protocol
from roslyn_server.compiler.answers import Finding
from roslyn_server.compiler.hosting import HostingError
from roslyn_server.documents import Documents, OpenDocument
from roslyn_server.failures import (
    ContentModifiedError,
    NoToolchainError,
    cancellable,
    end_out_of_memory,
    on_thread,
    without_an_answer,
)
from roslyn_server.judge import Judge, SemanticVerdict
from roslyn_server.project_requests import (
    ProjectRequests,
    changes_of,
    check_params_of,
    text_params_of,
    work_done_token,
)
from roslyn_server.text_judge import TextJudge

_log = logging.getLogger("roslyn_server")
_Answer = TypeVar("_Answer")

LoadJudge = Callable[[Path | None], Judge]
"""Makes the judge for a project's root, if there is one, and lets it warm up: ready is what answers
at its usual speed. Raises ``HostingError``."""


class _Protocol(LanguageServerProtocol):
    """Positions are UTF-16, whatever the client would take; documents are this package's own."""

    _server: RoslynLanguageServer

    def _send_data(self, data: Any) -> None:
        super()._send_data(data)
        error = getattr(data, "error", None)
        if getattr(error, "code", None) == protocol.OUT_OF_MEMORY_ERROR:
            end_out_of_memory()

    @lsp_method(types.INITIALIZE)
    def lsp_initialize(
        self, params: types.InitializeParams
    ) -> Generator[Any, Any, types.InitializeResult]:
        if params.capabilities.general is not None:
            params.capabilities.general.position_encodings = [types.PositionEncodingKind.Utf16]
        result: types.InitializeResult = yield from super().lsp_initialize(params)
        return result

    @lsp_method(types.TEXT_DOCUMENT_DID_OPEN)
    def lsp_text_document__did_open(self, params: types.DidOpenTextDocumentParams) -> None:
        item = params.text_document
        self._server.opened(OpenDocument(item.uri, item.version, item.text))

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(self, params: types.DidChangeTextDocumentParams) -> None:
        target = params.text_document
        self._server.changed(target.uri, target.version, params.content_changes)

    @lsp_method(types.TEXT_DOCUMENT_DID_CLOSE)
    def lsp_text_document__did_close(self, params: types.DidCloseTextDocumentParams) -> None:
        self._server.closed(params.text_document.uri)


class RoslynLanguageServer(LanguageServer):
    """Serves one client over one stream. ``load`` is called once, off the event loop."""

    def __init__(self, version: str, load: LoadJudge, project: Path | None) -> None:
        super().__init__(protocol.SERVER_NAME, version, protocol_cls=_Protocol, max_workers=4)
        self.failure: str | None = None
        """Why Roslyn could not be hosted, once that is known."""
        self.spoken_to = threading.Event()
        """Set once a client has said ``initialize``."""
        self._load = load
        self._project = project
        self._judge: Judge | None = None
        self._texts: TextJudge | None = None
        self._documents = Documents()
        self._syntax_thread = ThreadPoolExecutor(1, "syntax")
        self._semantics_thread = ThreadPoolExecutor(1, "semantics")
        self._project_requests = ProjectRequests(self._tell_progress)
        self._told: dict[str, tuple[OpenDocument, list[Finding]]] = {}
        """What was last found in a document's syntax, lest its semantics repeat it."""
        self._meanings: dict[str, tuple[OpenDocument, SemanticVerdict]] = {}
        """The last verdict on what a document's names mean, and the version that it is about."""
        self._pushes: dict[str, asyncio.Task[None]] = {}
        self._register()

    def _register(self) -> None:
        """Name the handlers to pygls, which takes plain functions only."""

        @self.feature(types.INITIALIZE)
        async def initialize(params: types.InitializeParams) -> None:
            await self._initialize(params)

        @self.feature(types.INITIALIZED)
        async def initialized(_params: types.InitializedParams) -> None:
            await self._initialized()

        @self.feature(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
        async def document_symbol(params: types.DocumentSymbolParams) -> list[types.DocumentSymbol]:
            return await self._document_symbol(params)

        @self.feature(protocol.COVERAGE_REQUEST)
        async def coverage(params: Any) -> protocol.Coverage:
            return await self._coverage(params)

        @self.feature(protocol.CHECK_PROJECT_REQUEST)
        async def check_project(params: Any) -> protocol.CheckedProject:
            return await self._check_project(params)

        @self.feature(protocol.JUDGE_CHANGES_REQUEST)
        async def judge_changes(params: Any) -> protocol.JudgedChanges:
            return await self._judge_changes(params)

        @self.feature(protocol.JUDGE_TEXT_REQUEST)
        async def judge_text(params: Any) -> protocol.JudgedText:
            return await self._judge_text(params)

        @self.feature(protocol.STATUS_REQUEST)
        def status(_params: Any) -> protocol.Status:
            return self._loaded().status()

        # What lies on disk is looked at for each verdict; these are only taken note of.
        @self.feature(types.TEXT_DOCUMENT_DID_SAVE)
        def did_save(_params: types.DidSaveTextDocumentParams) -> None:
            pass

        @self.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
        def did_change_watched_files(_params: types.DidChangeWatchedFilesParams) -> None:
            pass

    def _register_diagnostics(self) -> None:
        options = types.DiagnosticOptions(
            identifier=protocol.SYNTAX_IDENTIFIER,
            inter_file_dependencies=True,
            workspace_diagnostics=False,
        )

        @self.feature(types.TEXT_DOCUMENT_DIAGNOSTIC, options)
        async def diagnostic(
            params: types.DocumentDiagnosticParams,
        ) -> types.RelatedFullDocumentDiagnosticReport:
            return await self._diagnostic(params)

    # -- the session ---------------------------------------------------------------------------

    async def _initialize(self, params: types.InitializeParams) -> None:
        self.spoken_to.set()
        root = self._project or _root(params)
        try:
            self._judge = await on_thread(self._syntax_thread, self._load, root)
        except HostingError as error:
            self.failure = str(error)
            raise NoToolchainError(self.failure) from error
        _log.info("Roslyn %s on %s", self._judge.compiler, self._judge.runtime)
        if not self._registers_dynamically:
            self._register_diagnostics()

    async def _initialized(self) -> None:
        if not self._registers_dynamically:
            return
        # Only now: what is registered before shows among the static capabilities too.
        self._register_diagnostics()
        registrations = [
            types.Registration(
                id=f"{protocol.SERVER_NAME}.{identifier}",
                method=types.TEXT_DOCUMENT_DIAGNOSTIC,
                register_options=types.DiagnosticRegistrationOptions(
                    document_selector=[types.TextDocumentFilterLanguage(language="csharp")],
                    identifier=identifier,
                    inter_file_dependencies=identifier == protocol.SEMANTICS_IDENTIFIER,
                    workspace_diagnostics=False,
                ),
            )
            for identifier in protocol.DIAGNOSTIC_IDENTIFIERS
        ]
        await self.client_register_capability_async(types.RegistrationParams(registrations))

    @property
    def _registers_dynamically(self) -> bool:
        text_document = self.client_capabilities.text_document
        diagnostic = text_document.diagnostic if text_document is not None else None
        return diagnostic is not None and diagnostic.dynamic_registration is True

    @property
    def _pulls(self) -> bool:
        text_document = self.client_capabilities.text_document
        return text_document is not None and text_document.diagnostic is not None

    # -- documents -----------------------------------------------------------------------------

    def opened(self, document: OpenDocument) -> None:
        """Take note of a document that the client opened."""
        self._documents.open(document)
        self._push(document)

    def changed(
        self, uri: str, version: int, changes: Sequence[types.TextDocumentContentChangeEvent]
    ) -> None:
        """Take note of changes to an open document."""
        document = self._documents.change(uri, version, changes)
        if document is None:
            _log.warning("a change of a document that isn't open was ignored")
        else:
            self._push(document)

    def closed(self, uri: str) -> None:
        """Forget a document."""
        self._documents.close(uri)
        self._told.pop(uri, None)
        self._meanings.pop(uri, None)
        pushing = self._pushes.pop(uri, None)
        if pushing is not None:
            pushing.cancel()
        if not self._pulls:
            self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))

    def _document(self, uri: str) -> OpenDocument:
        document = self._documents.get(uri)
        if document is None:
            raise JsonRpcInvalidParams(f"{uri} isn't open: send textDocument/didOpen first")
        return document

    # -- verdicts ------------------------------------------------------------------------------

    async def _diagnostic(
        self, params: types.DocumentDiagnosticParams
    ) -> types.RelatedFullDocumentDiagnosticReport:
        document = self._document(params.text_document.uri)
        findings = await self._findings(document, params.identifier)
        if self._documents.get(document.uri) is not document:
            raise ContentModifiedError(f"{document.uri} changed while it was judged")
        of_names = params.identifier in {None, protocol.SEMANTICS_IDENTIFIER}
        related = self._elsewhere(document) if of_names else None
        return types.RelatedFullDocumentDiagnosticReport(
            items=[lsp_values.diagnostic(each) for each in findings], related_documents=related
        )

    async def _findings(self, document: OpenDocument, identifier: str | None) -> list[Finding]:
        path = _path(document.uri)
        judge = self._loaded()
        findings: list[Finding] = []
        if identifier in {None, protocol.SYNTAX_IDENTIFIER, protocol.PARSING_IDENTIFIER}:
            only_parsed = identifier == protocol.PARSING_IDENTIFIER
            async with cancellable() as cancellation:

                def judged(text: str) -> list[Finding]:
                    reading = judge.reading(path, text)
                    return judge.syntax(reading, text, cancellation, only_parsed=only_parsed)

                findings = await on_thread(self._syntax_thread, judged, document.text)
            self._told[document.uri] = document, findings
        if identifier in {None, protocol.SEMANTICS_IDENTIFIER}:
            open_texts = self._open_texts()
            async with cancellable() as cancellation:
                meaning = await on_thread(
                    self._semantics_thread,
                    judge.semantics,
                    path,
                    document.text,
                    open_texts,
                    cancellation,
                )
            if self._documents.get(document.uri) is document:
                self._meanings[document.uri] = document, meaning
            of, told = self._told.get(document.uri, (None, []))
            findings += [
                each for each in meaning.findings if of is not document or each not in told
            ]
        return findings

    def _elsewhere(
        self, document: OpenDocument
    ) -> dict[str, types.FullDocumentDiagnosticReport | types.UnchangedDocumentDiagnosticReport]:
        """The errors that this version brings to other files."""
        of, meaning = self._meanings.get(document.uri, (None, None))
        if of is not document or meaning is None:
            return {}
        return {
            path.as_uri(): types.FullDocumentDiagnosticReport(
                items=[lsp_values.diagnostic(each) for each in findings]
            )
            for path, findings in meaning.elsewhere.items()
        }

    def _open_texts(self) -> dict[Path, str]:
        """The open documents that are files, by their paths."""
        paths = ((_path(each.uri), each.text) for each in self._documents.all())
        return {path: text for path, text in paths if path is not None}

    def _push(self, document: OpenDocument) -> None:
        """Publish what is wrong with this version, unless a newer one overtakes it."""
        if self._pulls:
            return
        running = self._pushes.pop(document.uri, None)
        if running is not None:
            running.cancel()
        self._pushes[document.uri] = asyncio.ensure_future(self._publish(document))

    async def _publish(self, document: OpenDocument) -> None:
        with without_an_answer():
            findings = await self._findings(document, None)
        if self._documents.get(document.uri) is document:
            self.text_document_publish_diagnostics(
                types.PublishDiagnosticsParams(
                    uri=document.uri,
                    diagnostics=[lsp_values.diagnostic(each) for each in findings],
                    version=document.version,
                )
            )

    async def _document_symbol(
        self, params: types.DocumentSymbolParams
    ) -> list[types.DocumentSymbol]:
        document = self._document(params.text_document.uri)
        judge = self._loaded()
        async with cancellable() as cancellation:
            declarations = await on_thread(
                self._syntax_thread, judge.outline, _path(document.uri), document.text, cancellation
            )
        return lsp_values.document_symbols(declarations)

    async def _coverage(self, params: Any) -> protocol.Coverage:
        try:
            uri = str(params.textDocument.uri)
        except AttributeError:
            raise JsonRpcInvalidParams("textDocument.uri is missing") from None
        document = self._document(uri)
        judge = self._loaded()
        of, meaning = self._meanings.get(uri, (None, None))
        judged = meaning if of is document else None
        reading = await on_thread(self._syntax_thread, judge.reading, _path(uri), document.text)
        return judge.coverage(reading, judged)

    async def _judge_text(self, params: Any) -> protocol.JudgedText:
        asked = text_params_of(params)
        if self._texts is None:
            on_syntax = partial(on_thread, self._syntax_thread)
            on_semantics = partial(on_thread, self._semantics_thread)
            self._texts = TextJudge(self._loaded(), on_syntax, on_semantics)
        path, open_texts = _path(asked["uri"]), self._open_texts()
        async with cancellable() as cancellation:
            return await self._texts.judged(path, asked, open_texts, cancellation)

    # -- the whole project ---------------------------------------------------------------------

    async def _check_project(self, params: Any) -> protocol.CheckedProject:
        asked, token = check_params_of(params), work_done_token(params)
        return await self._project_requests.check(self._loaded().project, asked, token)

    async def _judge_changes(self, params: Any) -> protocol.JudgedChanges:
        changes = changes_of(params)
        judge = self._loaded()
        async with cancellable() as cancellation:
            return await on_thread(self._semantics_thread, judge.changes, changes, cancellation)

    def _tell_progress(self, progress: types.ProgressParams) -> None:
        self.protocol.notify(types.PROGRESS, progress)

    # -- calls into .NET -----------------------------------------------------------------------

    def _loaded(self) -> Judge:
        if self._judge is None:
            raise NoToolchainError(self.failure or "the server isn't initialized")
        return self._judge


def _root(params: types.InitializeParams) -> Path | None:
    """The folder that the client works in, if it says so."""
    folders = params.workspace_folders
    uri = folders[0].uri if folders else params.root_uri
    path = to_fs_path(uri) if uri else params.root_path
    return Path(path) if path else None


def _path(uri: str) -> Path | None:
    """The file that a URI names, if it names one."""
    path = to_fs_path(uri)
    return Path(path) if path else None
