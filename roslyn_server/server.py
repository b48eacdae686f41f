"""The language server: LSP requests in, Roslyn's answers out.

Implements docs/design/roslyn.md §3. ``initialize`` is answered once Roslyn is loaded, or fails with
the reason. Syntax and semantics each have a thread for calls into .NET, so the event loop stays
free.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Generator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol, lsp_method
from pygls.uris import to_fs_path

from roslyn_server import documents, protocol
from roslyn_server.compiler.answers import Finding
from roslyn_server.compiler.hosting import HostingError
from roslyn_server.documents import OpenDocument
from roslyn_server.failures import (
    ContentModifiedError,
    NoToolchainError,
    cancellable,
    end_out_of_memory,
    on_thread,
    without_an_answer,
)
from roslyn_server.judge import Judge
from roslyn_server.names.name_requests import NameRequests
from roslyn_server.project_requests import (
    MAX_EARLIER,
    ProjectRequests,
    changes_of,
    check_params_of,
    code_fixes,
    fixes_params_of,
    judge_changes_params_of,
    text_params_of,
    work_done_token,
)
from roslyn_server.text_judge import TextJudge

_log = logging.getLogger("roslyn_server")
_Handler = Callable[[Any], Awaitable[Any]]
_RelatedReport = types.FullDocumentDiagnosticReport | types.UnchangedDocumentDiagnosticReport

LoadJudge = Callable[[Path], Judge]
"""Make and warm up the judge for a project's root. Raises ``HostingError``."""


class _Protocol(LanguageServerProtocol):
    """Always uses UTF-16 positions, and this package's own documents."""

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

    def __init__(self, load: LoadJudge, project: Path | None) -> None:
        super().__init__(protocol.SERVER_NAME, "1", protocol_cls=_Protocol, max_workers=4)
        self.failure: str | None = None
        """Why Roslyn could not be hosted, once that is known."""
        self._load = load
        self._project = project
        self._judge: Judge | None = None
        self._texts: TextJudge | None = None
        self._documents: dict[str, OpenDocument] = {}
        self._syntax_thread = ThreadPoolExecutor(1, "syntax")
        self._semantics_thread = ThreadPoolExecutor(1, "semantics")
        self._project_requests = ProjectRequests(self._send_progress)
        self._syntax_errors: dict[str, tuple[OpenDocument, list[Finding]]] = {}
        """The last findings in a document's syntax, which its semantics don't repeat."""
        self._pushes: dict[str, asyncio.Task[None]] = {}
        self._register()

    def _register(self) -> None:
        async def ignore(_params: Any) -> None:
            """Do nothing: each verdict looks at the disk."""

        handlers: dict[str, _Handler] = {
            types.INITIALIZE: self._initialize,
            types.INITIALIZED: self._initialized,
            types.TEXT_DOCUMENT_DOCUMENT_SYMBOL: self._document_symbol,
            protocol.CHECK_PROJECT_REQUEST: self._check_project,
            protocol.JUDGE_CHANGES_REQUEST: self._judge_changes,
            protocol.JUDGE_SINCE_REQUEST: self._judge_since,
            protocol.JUDGE_TEXT_REQUEST: self._judge_text,
            protocol.CODE_FIXES_REQUEST: self._code_fixes,
            protocol.STATUS_REQUEST: self._status,
            types.TEXT_DOCUMENT_DID_SAVE: ignore,
            types.WORKSPACE_DID_CHANGE_WATCHED_FILES: ignore,
        }
        names = NameRequests(lambda: self._loaded().project, self._open_texts)
        for method, handler in {**handlers, **names.handlers}.items():
            options = _OPTIONS.get(method)
            self.feature(method, options)(_plain(handler))

    def _register_diagnostics(self) -> None:
        options = types.DiagnosticOptions(
            identifier=protocol.SYNTAX_IDENTIFIER,
            inter_file_dependencies=True,
            workspace_diagnostics=False,
        )

        self.feature(types.TEXT_DOCUMENT_DIAGNOSTIC, options)(_plain(self._diagnostic))

    # -- the session ---------------------------------------------------------------------------

    async def _initialize(self, params: types.InitializeParams) -> None:
        root = self._project or _root(params) or Path.cwd()
        try:
            self._judge = await on_thread(self._syntax_thread, self._load, root)
        except HostingError as error:
            self.failure = str(error)
            raise NoToolchainError(self.failure) from error
        _log.info("Roslyn %s on %s", self._judge.compiler, self._judge.runtime)
        if not self._registers_dynamically:
            self._register_diagnostics()

    async def _initialized(self, _params: types.InitializedParams) -> None:
        if not self._registers_dynamically:
            return
        # Not earlier: an early registration also appears among the static capabilities.
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
        """Remember a document that the client opened."""
        self._documents[document.uri] = document
        self._push(document)

    def changed(
        self, uri: str, version: int, changes: Sequence[types.TextDocumentContentChangeEvent]
    ) -> None:
        """Apply changes to an open document."""
        document = self._documents.get(uri)
        if document is None:
            _log.warning("a change of a document that isn't open was ignored")
            return
        self._documents[uri] = document.changed(version, changes)
        self._push(self._documents[uri])

    def closed(self, uri: str) -> None:
        """Forget a document."""
        self._documents.pop(uri, None)
        self._syntax_errors.pop(uri, None)
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
        findings, elsewhere = await self._findings(document, params.identifier)
        if self._documents.get(document.uri) is not document:
            raise ContentModifiedError(f"{document.uri} changed while it was judged")
        related: dict[str, _RelatedReport] = {
            path.as_uri(): types.FullDocumentDiagnosticReport(
                items=[documents.diagnostic(each) for each in others]
            )
            for path, others in elsewhere.items()
        }
        items = [documents.diagnostic(each) for each in findings]
        judges_names = params.identifier in {None, protocol.SEMANTICS_IDENTIFIER}
        return types.RelatedFullDocumentDiagnosticReport(
            items=items, related_documents=related if judges_names else None
        )

    async def _findings(
        self, document: OpenDocument, identifier: str | None
    ) -> tuple[list[Finding], Mapping[Path, list[Finding]]]:
        """Return the findings in a document under one identifier, or both, and in other files."""
        path, text, judge = _path(document.uri), document.text, self._loaded()
        findings: list[Finding] = []
        if identifier in {None, protocol.SYNTAX_IDENTIFIER}:
            async with cancellable() as cancellation:

                def judged() -> list[Finding]:
                    return judge.syntax(judge.reading(path, text), text, cancellation)

                findings = await on_thread(self._syntax_thread, judged)
            self._syntax_errors[document.uri] = document, findings
        if identifier not in {None, protocol.SEMANTICS_IDENTIFIER}:
            return findings, {}
        open_texts = self._open_texts()
        async with cancellable() as cancellation:
            verdict = await on_thread(
                self._semantics_thread, judge.semantics, path, text, open_texts, cancellation
            )
        judged_document, known = self._syntax_errors.get(document.uri, (None, []))
        repeated = known if judged_document is document else []
        new = [each for each in verdict.findings if each not in repeated]
        return [*findings, *new], verdict.elsewhere

    def _open_texts(self) -> dict[Path, str]:
        paths = ((_path(each.uri), each.text) for each in self._documents.values())
        return {path: text for path, text in paths if path is not None}

    def _push(self, document: OpenDocument) -> None:
        """Publish the diagnostics of this version, unless a newer one replaces it."""
        if self._pulls:
            return
        running = self._pushes.pop(document.uri, None)
        if running is not None:
            running.cancel()
        self._pushes[document.uri] = asyncio.ensure_future(self._publish(document))

    async def _publish(self, document: OpenDocument) -> None:
        with without_an_answer():
            findings, _ = await self._findings(document, None)
        if self._documents.get(document.uri) is document:
            self.text_document_publish_diagnostics(
                types.PublishDiagnosticsParams(
                    uri=document.uri,
                    diagnostics=[documents.diagnostic(each) for each in findings],
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
        return documents.document_symbols(declarations)

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
        asked = judge_changes_params_of(params)
        on_semantics = partial(on_thread, self._semantics_thread)
        return await self._project_requests.judge_changes(self._loaded(), on_semantics, asked)

    async def _judge_since(self, params: Any) -> protocol.JudgedChanges:
        earlier = changes_of(params, MAX_EARLIER)
        return await self._project_requests.judge_since(self._loaded().project, earlier)

    async def _code_fixes(self, params: Any) -> dict[str, list[Any]]:
        (changes, path), judge = fixes_params_of(params), self._loaded()
        async with cancellable() as cancellation:
            return await on_thread(
                self._semantics_thread, code_fixes, judge, changes, path, cancellation
            )

    async def _status(self, _params: Any) -> protocol.Status:
        return self._loaded().status()

    def _send_progress(self, progress: types.ProgressParams) -> None:
        self.protocol.notify(types.PROGRESS, progress)

    # -- calls into .NET -----------------------------------------------------------------------

    def _loaded(self) -> Judge:
        if self._judge is None:
            raise NoToolchainError(self.failure or "the server isn't initialized")
        return self._judge


_OPTIONS = {types.TEXT_DOCUMENT_RENAME: types.RenameOptions(prepare_provider=True)}
"""The options that some features are announced with."""


def _plain(handler: _Handler) -> _Handler:
    """Wrap a method in a function: pygls sets attributes on handlers, and a method takes none."""

    async def handle(params: Any) -> Any:
        return await handler(params)

    return handle


def _root(params: types.InitializeParams) -> Path | None:
    folders = params.workspace_folders
    uri = folders[0].uri if folders else params.root_uri
    path = to_fs_path(uri) if uri else params.root_path
    return Path(path) if path else None


def _path(uri: str) -> Path | None:
    path = to_fs_path(uri)
    return Path(path) if path else None
