"""The client side of a connection: our answers to a server, and its announcements."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException, JsonRpcInternalError, PyglsError
from pygls.lsp.client import LanguageClient

from lsp_client.protocol.tolerant_protocol import TolerantProtocol
from lsp_client.protocol.uris import canonical

OnProgress = Callable[[str, int | None], None]
"""Called with a server's current activity, and the percentage, if known."""


class Announcements:
    """Everything that one server announced. Lives on one event loop."""

    def __init__(self) -> None:
        self.identifiers: dict[str, str | None] = {}
        """Identifiers of pull diagnostics by registration id; ``None`` for those without one."""
        self.changed = asyncio.Event()
        """Set, and replaced, whenever something is pushed or registered."""
        self.ready = asyncio.Event()
        """Set once the server has sent its ready notification."""
        self.has_pushed = False
        """Whether any diagnostics were ever pushed."""
        self.progress: dict[str, OnProgress] = {}
        """Listeners by token."""
        self._shown: dict[str, int] = {}
        self._pushed: dict[tuple[str, int | None], types.PublishDiagnosticsParams] = {}

    def on_push(self, params: types.PublishDiagnosticsParams) -> None:
        """Store pushed diagnostics, unless their version was never shown."""
        self.has_pushed = True
        document = canonical(params.uri)
        if params.version in (None, self._shown.get(document)):
            self._pushed[document, params.version] = params
        self._wake()

    def pushed(self, uri: str, version: int | None) -> types.PublishDiagnosticsParams | None:
        """Return the diagnostics pushed for a version since the text last changed.

        With ``version`` ``None``, return those that were pushed without a version.
        """
        return self._pushed.get((canonical(uri), version))

    def shown(self, uri: str, version: int) -> None:
        """Set the document's version; earlier pushes are about another text."""
        document = canonical(uri)
        self._shown[document] = version
        for known in [each for each in self._pushed if each[0] == document]:
            del self._pushed[known]

    def on_progress(self, params: Any) -> None:
        """Pass progress to its listener."""
        token, value = getattr(params, "token", None), getattr(params, "value", None)
        listener = self.progress.get(token) if isinstance(token, str) else None
        if listener is None:
            return
        fields = value if isinstance(value, Mapping) else getattr(value, "__dict__", {})
        message, percentage = fields.get("message"), fields.get("percentage")
        known = percentage if isinstance(percentage, int) and 0 <= percentage <= 100 else None
        listener(message if isinstance(message, str) else "", known)

    def on_register(self, params: types.RegistrationParams) -> None:
        """Store registrations of pull diagnostics."""
        for each in params.registrations:
            if each.method == types.TEXT_DOCUMENT_DIAGNOSTIC:
                options = each.register_options
                identifier = (
                    options.get("identifier")
                    if isinstance(options, Mapping)
                    else getattr(options, "identifier", None)
                )
                self.identifiers[each.id] = identifier if isinstance(identifier, str) else None
        self._wake()

    def on_unregister(self, params: types.UnregistrationParams) -> None:
        """Remove registrations."""
        for each in params.unregisterations:
            self.identifiers.pop(each.id, None)

    def _wake(self) -> None:
        self.changed.set()
        self.changed = asyncio.Event()


CAPABILITIES = types.ClientCapabilities(
    general=types.GeneralClientCapabilities(position_encodings=[types.PositionEncodingKind.Utf16]),
    text_document=types.TextDocumentClientCapabilities(
        synchronization=types.TextDocumentSyncClientCapabilities(
            dynamic_registration=True, did_save=True
        ),
        publish_diagnostics=types.PublishDiagnosticsClientCapabilities(version_support=True),
        diagnostic=types.DiagnosticClientCapabilities(dynamic_registration=True),
        references=types.ReferenceClientCapabilities(),
    ),
    window=types.WindowClientCapabilities(work_done_progress=True),
    workspace=types.WorkspaceClientCapabilities(
        configuration=True,
        workspace_folders=True,
        did_change_watched_files=types.DidChangeWatchedFilesClientCapabilities(
            dynamic_registration=True
        ),
        diagnostics=types.DiagnosticWorkspaceClientCapabilities(refresh_support=True),
    ),
)

_ANSWERED_WITH_NOTHING = (
    types.WINDOW_WORK_DONE_PROGRESS_CREATE,
    types.WINDOW_SHOW_MESSAGE_REQUEST,
    types.WORKSPACE_DIAGNOSTIC_REFRESH,
    types.WORKSPACE_SEMANTIC_TOKENS_REFRESH,
    types.WORKSPACE_INLAY_HINT_REFRESH,
    types.WORKSPACE_CODE_LENS_REFRESH,
    "workspace/_roslyn_projectNeedsRestore",
)


class AnsweringClient(LanguageClient):
    """pygls's client, which also answers the server's requests and passes on its announcements."""

    def __init__(
        self,
        announcements: Announcements,
        folder: types.WorkspaceFolder,
        ready_notification: str | None,
        on_send_error: Callable[[Exception], None],
    ) -> None:
        """``on_send_error`` is called for an unsent message, so that nobody waits for its
        answer."""
        super().__init__("unity-snippet", "1", protocol_cls=TolerantProtocol)
        self._on_send_error = on_send_error
        answers: dict[str, Callable[[Any], Any]] = {
            types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS: announcements.on_push,
            types.PROGRESS: announcements.on_progress,
            types.CLIENT_REGISTER_CAPABILITY: announcements.on_register,
            types.CLIENT_UNREGISTER_CAPABILITY: announcements.on_unregister,
            types.WORKSPACE_CONFIGURATION: lambda params: [None] * len(params.items),
            types.WORKSPACE_WORKSPACE_FOLDERS: lambda _: [folder],
            types.WORKSPACE_APPLY_EDIT: lambda _: types.ApplyWorkspaceEditResult(applied=False),
            types.WINDOW_SHOW_DOCUMENT: lambda _: types.ShowDocumentResult(success=False),
        }
        for method in _ANSWERED_WITH_NOTHING:
            answers[method] = lambda _: None
        if ready_notification is not None:
            answers[ready_notification] = lambda _: announcements.ready.set()
        for method, answer in answers.items():
            self.feature(method)(_named(answer))

    def report_server_error(
        self, error: Exception, source: type[PyglsError] | type[JsonRpcException]
    ) -> None:
        """Handle a message that could not be sent. Called by pygls for every error."""
        if source is JsonRpcInternalError:
            self._on_send_error(error)


def _named(answer: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Wrap ``answer`` in a plain function, as pygls sets attributes on its handlers."""

    def handler(params: Any) -> Any:
        return answer(params)

    return handler
