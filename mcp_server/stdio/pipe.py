"""Carry one stdio client's messages to the shared server and back, unchanged.

Implements docs/design/command-line.md ``mcp``. The server speaks MCP. This module only knows
requests, their answers, and what to say when no answer comes. So it doesn't load MCP's SDK, which
takes longer than everything else before the first answer. A call that may have been executed is
never sent twice.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import suppress
from functools import partial
from secrets import token_hex
from typing import Any

import httpx2

from mcp_server.calls.answer_limits import answer_limit_s, limit_without_progress_s
from mcp_server.calls.server.server_proof import NotProvenError
from mcp_server.calls.server.server_status import NoStatus, unreachable
from mcp_server.contract.catalog import CATALOG
from mcp_server.contract.errors import ToolError, ToolErrorCode, lost, tool_error
from mcp_server.contract.server_schemas import PIPE_HEADER
from mcp_server.contract.tool_spec import ToolSpec
from mcp_server.stdio.shared_server import SharedServer
from mcp_server.stdio.stdio_lines import MAX_LINE_BYTES, LongLine, id_of

Json = dict[str, Any]

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
SERVER_ERROR = -32000

CONNECT_S = 10.0
"""Most seconds for connecting, and for sending."""

OTHER_LIMIT_S = 60.0
"""Most seconds for the answer to a request that isn't a tool call."""

ATTEMPTS = 3
"""A message is sent at most this many times."""

BATCH = "batches are not supported: send each message on a line of its own"

_VERSION_IN_META = "io.modelcontextprotocol/protocolVersion"


class _NoAnswerError(Exception):
    """The server's response ended without an answer."""


class Pipe:
    """Carries one client's messages. Lives on one event loop."""

    def __init__(
        self,
        server: SharedServer,
        send: Callable[[bytes], Awaitable[None]],
        unusable: ToolError | None = None,
    ) -> None:
        """``send`` writes a line to the client.

        ``unusable`` says why there will never be a server.
        """
        self._server = server
        self._send = send
        self._unusable = unusable
        self._running: dict[str, asyncio.Task[None]] = {}
        self._notifying: set[asyncio.Task[None]] = set()
        self._clients: list[httpx2.AsyncClient] = []
        self._lease: object = None
        self._session = token_hex(16)
        self._agreed: dict[str, str] = {}
        """Headers that the handshake agreed on, for clients that begin with one."""

    async def take(self, line: bytes | LongLine) -> None:
        """Take one line from the client: start the request, send the notification, or refuse it."""
        if isinstance(line, LongLine):
            problem = f"the line is not JSON of {MAX_LINE_BYTES // 1024**2} MiB at most"
            await self._refuse(id_of(line), PARSE_ERROR, problem)
            return
        if not line.strip():
            return
        try:
            message = json.loads(line)
        except (ValueError, RecursionError) as error:
            await self._refuse(id_of(line), PARSE_ERROR, _why_unread(error))
            return
        if not isinstance(message, dict) or not isinstance(message.get("method"), str):
            if not _is_answer(message):
                problem = BATCH if isinstance(message, list) else "the line is no JSON-RPC message"
                for request_id in _ids_of(message):
                    await self._refuse(request_id, INVALID_REQUEST, problem)
            return
        if "id" in message:
            self._start(message, line)
            return
        if message["method"] == "notifications/cancelled":
            params = message.get("params")
            cancelled = params.get("requestId") if isinstance(params, dict) else None
            task = self._running.pop(json.dumps(cancelled), None)
            if task is not None:
                task.cancel()  # closes its connection without an answer
        task = asyncio.create_task(self._notify(message, line))
        self._notifying.add(task)
        task.add_done_callback(self._notifying.discard)

    def _start(self, message: Json, line: bytes) -> None:
        key = json.dumps(message["id"])
        task = asyncio.create_task(self._answer_whatever_happens(message, line))
        self._running[key] = task

        def ended(_: asyncio.Task[None]) -> None:
            if self._running.get(key) is task:
                del self._running[key]

        task.add_done_callback(ended)

    async def drain(self, limit_s: float) -> None:
        """Wait until every request is answered, at most ``limit_s`` seconds."""
        if self._running:
            await asyncio.wait(list(self._running.values()), timeout=limit_s)

    async def close(self) -> None:
        """Cancel all requests, and close the connections."""
        tasks = [*self._running.values(), *self._notifying]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)
        for client in self._clients:
            await client.aclose()

    # -- to the server -------------------------------------------------------------------------

    async def _notify(self, message: Json, line: bytes) -> None:
        if self._unusable is None and await self._server.ensure() is None:
            with suppress(httpx2.TransportError, NotProvenError):
                await self._http().post(
                    self._server.bound_url, content=line, headers=self._headers(message)
                )

    async def _answer_whatever_happens(self, message: Json, line: bytes) -> None:
        try:
            await self._answer(message, line)
        except Exception:
            logging.getLogger(__name__).exception("a request could not be carried")
            await self._refuse(message["id"], SERVER_ERROR, "unity-cli mcp failed; see its log")

    async def _answer(self, message: Json, line: bytes) -> None:
        """Send a request until it is answered, or refuse it. It gets exactly one answer."""
        spec, arguments = _called(message)
        limit_s = _limit_s(message, spec, arguments)
        reason = ""
        for _ in range(ATTEMPTS):
            unusable = self._unusable or await self._server.ensure()
            if unusable is not None:
                await self._fail(message, unusable)
                return
            try:
                async with asyncio.timeout(limit_s) as limit:
                    await self._exchange(message, line, partial(_renew, limit, limit_s))
                return
            except NotProvenError as error:
                unproven = tool_error(ToolErrorCode.UNITY_DISCONNECTED, f"{error}.")
                await self._fail(message, unproven)
                return
            except (httpx2.ConnectError, httpx2.ConnectTimeout) as error:
                reason = str(error) or type(error).__name__
                await self._server.leave()
            except (httpx2.TransportError, _NoAnswerError, TimeoutError) as error:
                is_late = isinstance(error, TimeoutError)
                if spec is not None and (is_late or spec.changes_things(arguments)):
                    await self._fail(message, _lost(self._server.url, error, spec, arguments))
                    return
                # The call changes nothing, so it is sent again.
                reason = str(error) or type(error).__name__
        gone = NoStatus(reason, answered=False)
        await self._fail(message, unreachable(self._server.url, gone, self._server.project))

    async def _exchange(self, message: Json, line: bytes, renew: Callable[[], None]) -> None:
        """Send a request, and pass the answer on. ``renew`` is called at each sign of progress."""
        request = self._http().stream(
            "POST", self._server.bound_url, content=line, headers=self._headers(message)
        )
        async with request as response:
            answered = False
            kind = response.headers.get("content-type", "").partition(";")[0]
            if kind == "text/event-stream":
                try:
                    async for event in _events(response):
                        answered |= await self._relay(message, event, response)
                        renew()
                except httpx2.TransportError:
                    if not answered:
                        raise
            elif kind == "application/json":
                answered = await self._relay(message, await response.aread(), response)
            else:
                why = (await response.aread()).decode("utf-8", "replace").strip()
                await self._refuse(
                    message["id"], SERVER_ERROR, f"HTTP status {response.status_code}: {why}"
                )
                answered = True
            if not answered:
                raise _NoAnswerError

    async def _relay(self, request: Json, data: bytes, response: httpx2.Response) -> bool:
        """Pass a message on to the client. Return whether it is the answer to ``request``."""
        message = json.loads(data)
        if request["method"] == "initialize" and "result" in message:
            self._agreed = {
                "MCP-Protocol-Version": str(message["result"].get("protocolVersion")),
                "Mcp-Session-Id": response.headers.get("mcp-session-id", ""),
            }
        is_answer = "method" not in message
        if is_answer and message.get("id") is None and _is_id(request["id"]):
            # The server could not read the request, so it doesn't know its id.
            message["id"] = request["id"]
            data = json.dumps(message).encode()
        await self._send(data if b"\n" not in data else json.dumps(message).encode())
        return is_answer

    def _http(self) -> httpx2.AsyncClient:
        """Return the HTTP client for the present server."""
        if not self._clients or self._lease is not self._server.lease:
            self._lease = self._server.lease
            self._clients.append(
                httpx2.AsyncClient(
                    verify=False,  # no TLS here, and preparing for it takes 40 ms
                    timeout=httpx2.Timeout(CONNECT_S, read=None, pool=None),
                    # If the server closes a reused connection, nobody knows whether it
                    # has read the call.
                    limits=httpx2.Limits(max_keepalive_connections=0),
                    **self._server.http_options(),
                )
            )
        return self._clients[-1]

    def _headers(self, message: Json) -> dict[str, str]:
        headers = {
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            PIPE_HEADER: self._session,
        }
        params = message.get("params")
        params = params if isinstance(params, dict) else {}
        version = _version_in_meta(message)
        if version is not None:  # newer MCP: each message names the version
            headers |= {"MCP-Protocol-Version": version, "Mcp-Method": message["method"]}
            # A tool's name, or a task's id.
            about = "taskId" if message["method"].startswith("tasks/") else "name"
            name = params.get(about)
            headers |= {"Mcp-Name": name} if isinstance(name, str) else {}
        elif message["method"] != "initialize":
            headers |= self._agreed
        return {name: _in_a_header(value) for name, value in headers.items()}

    # -- to the client -------------------------------------------------------------------------

    async def _fail(self, request: Json, error: ToolError) -> None:
        """Answer with ``error``: a tool call with a tool's result, other requests with an error."""
        if request["method"] != "tools/call" or self._unusable is not None:
            await self._refuse(request["id"], INVALID_REQUEST, error.text, error.to_json()["error"])
            return
        result: Json = {
            "content": [{"type": "text", "text": error.text}],
            "structuredContent": error.to_json(),
            "isError": True,
        }
        if _version_in_meta(request) is not None:
            result["resultType"] = "complete"
        await self._send_message(id=request["id"], result=result)

    async def _refuse(self, request_id: object, code: int, message: str, data: Any = None) -> None:
        error = {"code": code, "message": message} | ({} if data is None else {"data": data})
        await self._send_message(id=request_id, error=error)

    async def _send_message(self, **fields: Any) -> None:
        await self._send(json.dumps({"jsonrpc": "2.0", **fields}).encode())


def _limit_s(message: Json, spec: ToolSpec | None, arguments: Mapping[str, Any]) -> float:
    """Return the seconds within which the answer, or the next progress, must come."""
    if spec is None:
        return OTHER_LIMIT_S
    meta = message["params"].get("_meta")
    has_progress = isinstance(meta, dict) and "progressToken" in meta
    return (answer_limit_s if has_progress else limit_without_progress_s)(spec, arguments)


def _renew(limit: asyncio.Timeout, limit_s: float) -> None:
    limit.reschedule(asyncio.get_running_loop().time() + limit_s)


def _is_id(value: object) -> bool:
    return isinstance(value, str) or type(value) is int


def _is_answer(message: object) -> bool:
    return isinstance(message, dict) and bool(message.keys() & {"result", "error"})


def _ids_of(message: object) -> list[object]:
    """Return the ids to refuse an invalid message or a batch with; ``[None]`` if it has none."""
    several = message if isinstance(message, list) else [message]
    requests = (each for each in several if isinstance(each, dict) and not _is_answer(each))
    return [each["id"] for each in requests if _is_id(each.get("id"))] or [None]


def _why_unread(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "the line can't be read as JSON: too many levels"
    if isinstance(error, UnicodeDecodeError):
        return f"the line is not JSON: no UTF-8 at byte {error.start}"
    if isinstance(error, json.JSONDecodeError):
        return f"the line is not JSON: {error.msg} at character {error.pos}"
    return "the line can't be read as JSON: a number has too many digits"


def _version_in_meta(message: Json) -> str | None:
    """Return the protocol version in a message's ``_meta``; ``None`` if it has none.

    Only newer versions of MCP put it into every message.
    """
    params = message.get("params")
    meta = params.get("_meta") if isinstance(params, dict) else None
    version = meta.get(_VERSION_IN_META) if isinstance(meta, dict) else None
    return version if isinstance(version, str) else None


def _called(message: Json) -> tuple[ToolSpec | None, Mapping[str, Any]]:
    """Return the called tool and its arguments. ``None`` if the message calls no known tool.

    Unusual arguments, which the server may repair, get the tool's longest ``timeout_ms``.
    """
    params = message.get("params")
    if message["method"] != "tools/call" or not isinstance(params, dict):
        return None, {}
    arguments = params.get("arguments")
    arguments = arguments if isinstance(arguments, dict) else {}
    name = params.get("name")
    spec = CATALOG.get(name) if isinstance(name, str) else None
    if spec is None:
        return None, {}
    known = arguments.keys() <= spec.input_schema["properties"].keys()
    if not known or type(arguments.get("timeout_ms", 1)) is not int:
        arguments = {**arguments, "timeout_ms": spec.max_timeout_ms}
    return spec, arguments


def _lost(url: str, error: Exception, spec: ToolSpec, arguments: Mapping[str, Any]) -> ToolError:
    """Return the error for a call that was sent and not answered."""
    if isinstance(error, TimeoutError):
        code, what = ToolErrorCode.REQUEST_TIMEOUT, f"did not answer {spec.name} in time"
    else:
        code, what = ToolErrorCode.RECONNECT_TIMEOUT, f"went away before {spec.name} was answered"
    return lost(code, f"The server at {url} {what}.", spec, arguments)


def _in_a_header(value: str) -> str:
    """Return ``value`` with ``?`` for each character that a header can't hold.

    No server knows such a value, so nothing is lost.
    """
    return "".join(each if " " <= each <= "~" else "?" for each in value)


async def _events(response: httpx2.Response) -> AsyncIterator[bytes]:
    """Yield the data of the server-sent events. A message has no line breaks."""
    rest = b""
    async for part in response.aiter_bytes():
        *lines, rest = (rest + part).split(b"\n")
        for line in lines:
            if line.startswith(b"data:") and (data := line[5:].strip()):
                yield data
