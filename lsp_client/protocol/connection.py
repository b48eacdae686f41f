"""One running, initialized server: send bounded requests, show documents, end the server.

Implements docs/design/roslyn.md §2. Knows LSP and no C#. A connection that failed in any way is
over for good; ``Connection.ended`` says why.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Self, TypeVar

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.io_ import run_async

from lsp_client.outcomes import LastAnswer, MethodUnknown, ParamsRefused, RequestRefused, ServerLost
from lsp_client.process.server_process import ServerProcess
from lsp_client.protocol.answering_client import (
    CAPABILITIES,
    Announcements,
    AnsweringClient,
    OnProgress,
)
from lsp_client.protocol.tolerant_protocol import (
    BoundedReader,
    OffSchemaError,
    OwnId,
    TolerantProtocol,
)
from lsp_client.servers.server_table import Launch
from lsp_client.timing import Timing
from snippet_engine.errors import shortened_message
from snippet_engine.storage.os_failure import reason_of

T = TypeVar("T")

_OUT_OF_MEMORY = -32020
_REFUSALS = {
    types.ErrorCodes.MethodNotFound.value: MethodUnknown,
    types.ErrorCodes.InvalidParams.value: ParamsRefused,
    _OUT_OF_MEMORY: LastAnswer,
}
_AGAIN = {types.LSPErrorCodes.ContentModified.value, types.LSPErrorCodes.ServerCancelled.value}
_PING = "unity/ping"
_START_TOKEN = "unity-snippet-start"
"""The token for progress of the server's start."""
_SHOWN_ERROR = 300
_VERSION_STEP = 10
"""Difference of successive versions, so that a server can't guess the next one by counting."""


class Connection:
    """A server that answers. Lives on one event loop."""

    def __init__(self, launch: Launch, process: ServerProcess, timing: Timing) -> None:
        self.spec = launch.spec
        self.folder = types.WorkspaceFolder(launch.root.as_uri(), launch.root.name)
        self.turn = asyncio.Lock()
        """Held while documents change: one text at a time."""
        self.ended: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self.capabilities = types.ServerCapabilities()
        self.server_info: types.ServerInfo | None = None
        self.announcements = Announcements()
        self.silent_until = 0.0
        """Until this time a server that never offered diagnostics isn't asked."""
        self._launch = launch
        self._process = process
        self._timing = timing
        self._versions: dict[str, int] = {}
        self._requests = 0
        self._marks = 0
        self._ending: asyncio.Task[None] | None = None
        self._client = AnsweringClient(
            self.announcements,
            self.folder,
            self.spec.ready_notification,
            lambda error: self.fail(f"could not be sent a message ({error})"),
        )
        protocol = self._client.protocol
        assert isinstance(protocol, TolerantProtocol)
        self._protocol = protocol
        self._protocol.set_writer(process.stdin)
        self._tasks = [asyncio.create_task(self._read()), asyncio.create_task(self._wait())]

    @classmethod
    async def open(
        cls,
        launch: Launch,
        timing: Timing,
        started: Awaitable[ServerProcess] | None = None,
        on_message: Callable[[], None] = lambda: None,
    ) -> Self:
        """Start the server, unless ``started``, and wait until it is ready.

        ``on_message`` is called for each message of the server. Raises ``ServerLost``.
        """
        name = launch.spec.name
        try:
            process = await (started or ServerProcess.of(launch))
        except (OSError, ValueError) as error:
            why = reason_of(error) if isinstance(error, OSError) else error
            raise ServerLost(f"{name} can't be started: {why}") from error
        connection = cls(launch, process, timing)
        connection._protocol.on_message = on_message
        try:
            async with asyncio.timeout(launch.spec.start_s):
                await connection._initialize()
        except (TimeoutError, RequestRefused) as error:
            reason = str(error) or f"was not ready within {launch.spec.start_s:g} s"
            connection.fail(reason)
            await connection.gone()
            raise ServerLost(await connection.ended) from error
        except BaseException:
            connection.fail("was not waited for")
            await connection.gone()
            raise
        return connection

    @property
    def name(self) -> str:
        """The server's name in the table."""
        return self.spec.name

    @property
    def validator_name(self) -> str:
        """The server's name in verdicts."""
        if self.spec.names_itself and self.server_info is not None:
            return self.server_info.name
        return self.spec.validator or self.spec.name

    @property
    def pid(self) -> int:
        """The server's process group."""
        return self._process.pid

    # -- requests and notifications --------------------------------------------------------

    async def request(self, method: str, params: Any, timeout_s: float | None = None) -> Any:
        """Return the result of a request, which is cancelled with its caller.

        Raises ``TimeoutError``, ``RequestRefused``, and ``ServerLost`` if the connection ends or
        the answer isn't valid LSP. A request whose content was modified meanwhile is sent once
        more.
        """
        try:
            return await self._request_once(method, params, timeout_s)
        except JsonRpcException as error:
            refusal = f"refused {method}: {_first_line(error.message)}"
            if error.code not in _AGAIN:
                raise _REFUSALS.get(error.code, RequestRefused)(refusal) from error
        try:
            return await self._request_once(method, params, timeout_s)
        except JsonRpcException as error:
            raise RequestRefused(f"refused {method} twice: {_first_line(error.message)}") from error

    async def _request_once(self, method: str, params: Any, timeout_s: float | None) -> Any:
        self._check_open()
        self._requests += 1
        request_id = OwnId(self._requests)
        answer = self._protocol.send_request_async(method, params, msg_id=request_id)
        try:
            async with asyncio.timeout(timeout_s):
                await asyncio.wait({answer, self.ended}, return_when=asyncio.FIRST_COMPLETED)
            if not answer.done():
                raise ServerLost(self.ended.result())
            return answer.result()
        except OffSchemaError as error:
            self.fail(f"answered {method} with what LSP does not allow")
            raise ServerLost(self.ended.result()) from error
        except (TimeoutError, asyncio.CancelledError):
            self._protocol.forget(request_id)
            if not self.ended.done():
                self.notify(types.CANCEL_REQUEST, types.CancelParams(id=request_id.number))
            raise
        finally:
            if not answer.done():
                answer.cancel()

    async def ask(
        self, method: str, params: Mapping[str, Any], read: Callable[[Mapping[str, Any]], T]
    ) -> T:
        """Send a request beyond LSP; return what ``read`` makes of the answer.

        Raises as :meth:`request`; ``ServerLost`` also if ``read`` can't read the answer.
        """
        answer = await self.request(method, dict(params))
        try:
            return read(answer)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            self.fail(f"answered {method} with an invalid result")
            raise ServerLost(self.ended.result()) from error

    async def answers(self, within_s: float) -> bool:
        """Return whether the server still answers, however long its work takes.

        Sends a request that no server has. Ends a server that is silent for ``within_s``.
        """
        try:
            await self.request(_PING, None, within_s)
        except RequestRefused:
            pass  # an answer of any kind
        except ServerLost:
            return False
        except TimeoutError:
            self.fail(f"answered nothing for {within_s:g} s")
            return False
        return True

    @contextlib.contextmanager
    def progress(self, on_progress: OnProgress | None) -> Iterator[str | None]:
        """Yield a token for a request, whose progress goes to ``on_progress``."""
        if on_progress is None:
            yield None
            return
        self._marks += 1
        token = f"unity-snippet-{self._marks}"
        self.announcements.progress[token] = on_progress
        try:
            yield token
        finally:
            del self.announcements.progress[token]

    def notify(self, method: str, params: Any) -> None:
        """Send a notification. Raises ``ServerLost``."""
        self._check_open()
        self._protocol.notify(method, params)

    async def until(self, event: asyncio.Event) -> None:
        """Wait for ``event``. Raises ``ServerLost`` if the connection ends first."""
        waiting = asyncio.ensure_future(event.wait())
        try:
            either: set[asyncio.Future[Any]] = {waiting, self.ended}
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        finally:
            waiting.cancel()
        self._check_open()

    def _check_open(self) -> None:
        if self.ended.done():
            raise ServerLost(self.ended.result())

    # -- documents -------------------------------------------------------------------------

    def show(self, uri: str, text: str, *, opening: bool) -> int:
        """Show ``text`` as the document's; return its version, never used before."""
        version = self._versions[uri] = self._versions.get(uri, 0) + _VERSION_STEP
        self.announcements.shown(uri, version)
        if opening:
            item = types.TextDocumentItem(uri, self.spec.language_id, version, text)
            self.notify(
                types.TEXT_DOCUMENT_DID_OPEN, types.DidOpenTextDocumentParams(text_document=item)
            )
        else:
            self.notify(
                types.TEXT_DOCUMENT_DID_CHANGE,
                types.DidChangeTextDocumentParams(
                    text_document=types.VersionedTextDocumentIdentifier(version, uri),
                    content_changes=[types.TextDocumentContentChangeWholeDocument(text)],
                ),
            )
        return version

    def close(self, uri: str) -> None:
        """Close the document, so that the disk's text counts again."""
        self.notify(
            types.TEXT_DOCUMENT_DID_CLOSE,
            types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(uri)),
        )

    def saved(self, uri: str, text: str) -> None:
        """Tell the server that the file was written, as an editor would."""
        self.show(uri, text, opening=True)
        self.notify(
            types.TEXT_DOCUMENT_DID_SAVE,
            types.DidSaveTextDocumentParams(types.TextDocumentIdentifier(uri), text=text),
        )
        self.close(uri)
        change = types.FileEvent(uri, types.FileChangeType.Changed)
        self.notify(
            types.WORKSPACE_DID_CHANGE_WATCHED_FILES, types.DidChangeWatchedFilesParams([change])
        )

    def next_mark(self) -> int:
        """Return a number that this server has not been shown yet."""
        self._marks += 1
        return self._marks

    # -- beginning and end -----------------------------------------------------------------

    async def _initialize(self) -> None:
        uri = self.folder.uri
        params = types.InitializeParams(
            process_id=os.getpid(),
            client_info=types.ClientInfo("unity-snippet"),
            root_uri=uri,
            root_path=str(self._launch.root),
            workspace_folders=[self.folder],
            capabilities=CAPABILITIES,
            work_done_token=_START_TOKEN,
        )
        result = await self.request(types.INITIALIZE, params)
        if not isinstance(result, types.InitializeResult):
            self.fail("answered initialize with nothing")
            self._check_open()
        self.capabilities, self.server_info = result.capabilities, result.server_info
        encoding = self.capabilities.position_encoding
        if encoding not in (None, types.PositionEncodingKind.Utf16):
            self.fail(f"counts positions in {encoding}, which the client did not offer")
            self._check_open()
        provider = self.capabilities.diagnostic_provider
        if provider is not None:
            self.announcements.identifiers["static"] = provider.identifier
        self.notify(types.INITIALIZED, types.InitializedParams())
        self._open_projects(self._launch.opens)
        if self.spec.ready_notification is not None:
            await self.until(self.announcements.ready)

    def _open_projects(self, files: Sequence[Path]) -> None:
        if not self.spec.needs_projects:
            return
        solutions = [file for file in files if file.suffix in (".sln", ".slnx")]
        if solutions:
            self._protocol.notify("solution/open", {"solution": solutions[0].as_uri()})
        elif files:
            self._protocol.notify("project/open", {"projects": [file.as_uri() for file in files]})

    def fail(self, reason: str) -> None:
        """End the connection: ``reason`` is a predicate, as in "did not answer"."""
        if not self.ended.done():
            self.ended.set_result(f"{self.name} {reason}")
            self._ending = asyncio.create_task(self._end())

    async def shut_down(self) -> None:
        """End the server by LSP's ``shutdown``, or else by force."""
        if not self.ended.done():
            with contextlib.suppress(TimeoutError, RequestRefused, ServerLost):
                await self.request(types.SHUTDOWN, None, self._timing.shutdown_s)
                self.notify(types.EXIT, None)
                await asyncio.wait({self.ended}, timeout=self._timing.shutdown_s)
        self.fail("was shut down")
        await self.gone()

    async def gone(self) -> None:
        """Wait until no process of an ended connection is left."""
        if self._ending is not None:
            await asyncio.shield(self._ending)

    async def _end(self) -> None:
        await self._process.kill(self._timing.kill_s)
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _wait(self) -> None:
        self.fail(await self._process.exited())

    async def _read(self) -> None:
        reader = BoundedReader(self._process.stdout, self._protocol)
        try:
            await run_async(
                stop_event=self._client._stop_event,
                reader=reader,
                protocol=self._protocol,
                error_handler=lambda error, _source: self.fail(_garbage(error)),
            )
        except OffSchemaError as error:
            self.fail(str(error))
        except EOFError:
            await self._end_of_output("stopped in the middle of a message")
        except (OSError, ValueError) as error:
            await self._end_of_output(f"can't be read from ({type(error).__name__})")
        else:
            await self._end_of_output("closed its output")

    async def _end_of_output(self, reason: str) -> None:
        """Wait briefly for the process's end, which explains more than the end of its output."""
        await asyncio.wait({self.ended}, timeout=self._timing.shutdown_s)
        self.fail(reason)


def _garbage(error: Exception) -> str:
    if isinstance(error, OffSchemaError):
        return str(error)
    return f"sent a message that can't be read ({type(error).__name__})"


def _first_line(message: Any) -> str:
    """Return the first line of a server's error message; stack traces follow."""
    lines = (line.strip() for line in str(message).splitlines())
    return shortened_message(next(filter(None, lines), "without a word"), _SHOWN_ERROR)
