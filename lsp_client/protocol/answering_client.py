"""The client as servers see it: what it can do, and how it answers what a server asks of it.

Implements docs/design/roslyn.md §2. Whatever a server may ask is answered, so that none waits.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException, JsonRpcInternalError, PyglsError
from pygls.lsp.client import LanguageClient

from lsp_client.protocol.announcements import Announcements
from lsp_client.protocol.tolerant_protocol import TolerantProtocol

CAPABILITIES = types.ClientCapabilities(
    general=types.GeneralClientCapabilities(position_encodings=[types.PositionEncodingKind.Utf16]),
    text_document=types.TextDocumentClientCapabilities(
        synchronization=types.TextDocumentSyncClientCapabilities(
            dynamic_registration=True, did_save=True
        ),
        publish_diagnostics=types.PublishDiagnosticsClientCapabilities(version_support=True),
        diagnostic=types.DiagnosticClientCapabilities(dynamic_registration=True),
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
    """pygls's client, with answers. Hands what it hears to ``announcements``."""

    def __init__(
        self,
        announcements: Announcements,
        folder: types.WorkspaceFolder,
        ready_notification: str | None,
        on_unsendable: Callable[[Exception], None],
    ) -> None:
        """``on_unsendable`` is told of a message that could not be sent: an answer to it would
        be waited for in vain."""
        super().__init__("unity-snippet", "1", protocol_cls=TolerantProtocol)
        self._on_unsendable = on_unsendable
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
        """Take note of a message that could not be sent. Called by pygls, of every error."""
        if source is JsonRpcInternalError:
            self._on_unsendable(error)


def _named(answer: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """pygls wants a function that it may put attributes on."""

    def handler(params: Any) -> Any:
        return answer(params)

    return handler
