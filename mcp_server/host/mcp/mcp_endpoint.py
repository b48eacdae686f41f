"""MCP's ``tools/list`` and ``tools/call``, over HTTP.

Implements docs/design/server-and-bridge.md §2 and §7. The server keeps no state for an MCP session,
so a client survives a restart of the server.
"""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Any, Protocol

from mcp import MCPError, types
from mcp.server import Server, ServerRequestContext
from mcp.server.context import CallNext, HandlerResult, ServerMiddleware
from mcp.server.extension import Extension, compose_tool_call_handler
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from starlette.requests import Request

from mcp_server.calls.server.server_file import projects_of_query
from mcp_server.calls.server.server_status import is_same_folder, wrong_project
from mcp_server.contract.catalog import CATALOG
from mcp_server.contract.errors import ToolError
from mcp_server.contract.outcome import OnProgress, Outcome, ToolResult
from mcp_server.contract.script_tools import find_tool
from mcp_server.contract.tool_spec import ToolSpec
from mcp_server.event_log import log_event
from mcp_server.host.execution_coordinator import Present
from mcp_server.host.http.loopback_guard import MAX_BODY_BYTES
from mcp_server.host.mcp.clients import (
    CancellableCalls,
    caller_key,
    caller_of,
    sending_progress,
    session_key,
    with_client_name,
)
from mcp_server.host.mcp.short_answers import short_answer
from mcp_server.host.mcp.short_errors import SentRequests, short_error, with_retries
from mcp_server.host.mcp.tool_results import to_call_tool_result
from mcp_server.version import package_version
from snippet_engine.schemas.checked_params import Problem, find_problems

MCP_HTTP_PATH = "/mcp"

_INSTRUCTIONS = (
    "Changes C# scripts of a Unity project in small, validated steps: edit_snippet one script, "
    "edit_scripts several, new, moved and deleted ones. Preview with "
    'mode "preview", then send the same request with mode "apply"; undo_snippet takes it back. '
    "When an edit is refused, its error says what to send instead. check_project says whether the "
    "project compiles. None of these needs a Unity Editor; "
    "console, compile, tests as jobs and play mode do. Errors say "
    "whether anything was executed and whether to try again."
)


class ToolCalls(Protocol):
    """Runs tool calls, and returns outcomes in a form that every client accepts."""

    async def call(
        self,
        spec: ToolSpec,
        arguments: Mapping[str, Any],
        on_progress: OnProgress | None = None,
        *,
        present: Present | None = None,
    ) -> Outcome:
        """Call a tool. ``present`` turns the outcome into the caller's answer."""
        ...


def make_mcp_server(
    coordinator: ToolCalls,
    extensions: Sequence[Extension] = (),
    served: Callable[[], str | None] = lambda: None,
    more_instructions: str = "",
) -> Server[Any]:
    """Return an MCP server that lists the catalog, and calls tools through ``coordinator``.

    ``extensions`` add methods, and may answer calls differently. ``served`` returns the project
    that calls must be for. ``more_instructions`` go to the client.
    """
    listing = types.ListToolsResult(
        tools=[types.Tool.model_validate(spec.to_mcp()) for spec in CATALOG.values()]
    )

    async def list_tools(
        _context: ServerRequestContext[Any], _params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        return listing

    calls = CancellableCalls()
    callers, requests = Callers(), SentRequests()

    async def call_tool(
        context: ServerRequestContext[Any], params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        spec = find_tool(params.name)
        if isinstance(spec, ToolError):
            raise MCPError(types.INVALID_PARAMS, spec.message, spec.to_json())
        async with sending_progress(context) as on_progress:
            key = caller_key(context.request)
            # Without a session, a client may reconnect before it retries. So ``key`` isn't enough.
            session = session_key(context.request)
            whole = requests.whole(session, spec, params.arguments or {})
            if isinstance(whole, ToolError):
                return to_call_tool_result(whole)
            caller = callers.of(key)

            def present(spec: ToolSpec, arguments: Mapping[str, Any], outcome: Outcome) -> Outcome:
                if isinstance(outcome, ToolResult):
                    return short_answer(spec.name, arguments, outcome, caller.not_given)
                if key is not None:
                    keep = partial(requests.keep, session, spec)
                    outcome = with_retries(spec, arguments, outcome, keep)
                return short_error(arguments, outcome)

            work = coordinator.call(spec, whole, on_progress, present=present)
            outcome = await calls.run(context.request, context.request_id, work)
        return to_call_tool_result(outcome, context.request)

    async def on_cancelled(
        context: ServerRequestContext[Any], params: types.CancelledNotificationParams
    ) -> None:
        calls.cancel(caller_of(context.request, params.request_id))

    server = Server[Any](
        "unity-snippet",
        version=package_version(),
        title="Unity snippet editing",
        instructions=f"{_INSTRUCTIONS} {more_instructions}".rstrip(),
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        get_tool_input_schema=_input_schema,
    )
    server.middleware.append(with_client_name)
    server.middleware.append(for_one_project(served))
    server.middleware.append(with_object_arguments)
    server.add_notification_handler(
        "notifications/cancelled", types.CancelledNotificationParams, on_cancelled
    )
    answer_calls = compose_tool_call_handler(extensions, call_tool)
    server.add_request_handler("tools/call", types.CallToolRequestParams, answer_calls)
    for extension in extensions:
        server.extensions[extension.identifier] = extension.settings()
        for method in extension.methods():
            server.add_request_handler(method.method, method.params_type, method.handler)
    return server


def make_session_manager(server: Server[Any]) -> StreamableHTTPSessionManager:
    """Return the manager that serves ``server`` over HTTP without state, within its ``run()``."""
    return StreamableHTTPSessionManager(
        server,
        stateless=True,
        max_request_body_size=MAX_BODY_BYTES,
        # ``LoopbackGuard`` checks Host and Origin; the SDK would refuse a host name in capitals.
        security_settings=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )


def _input_schema(tool: str) -> Mapping[str, Any] | None:
    spec = CATALOG.get(tool)
    return spec.input_schema if spec is not None else None


MAX_CALLERS = 64
"""Most callers that are remembered. The caller whose last call is oldest is forgotten first."""

MAX_FILES = 256
_COUNTS_LINES = frozenset({"mixed_line_endings"})
"""Warnings whose message changes with each edit, although it means the same."""


class Caller:
    """Remembers the warnings that one caller was given. Any thread may use it."""

    def __init__(self) -> None:
        self._given: OrderedDict[str, set[tuple[str, str]]] = OrderedDict()
        self._lock = Lock()

    def not_given(self, path: str, warnings: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
        """Return a file's ``warnings`` that the caller was not given since they first applied."""
        holding = {_name(each) for each in warnings}
        with self._lock:
            before = self._given.pop(path, set())
            if holding:
                self._given[path] = holding
            if len(self._given) > MAX_FILES:
                self._given.popitem(last=False)
        return [each for each in warnings if _name(each) not in before]


class Callers:
    """All callers, by their key. Lives on one event loop."""

    def __init__(self) -> None:
        self._known: OrderedDict[str, Caller] = OrderedDict()

    def of(self, key: str | None) -> Caller:
        """Return the caller with that key; a new one if the key is unknown or ``None``."""
        if key is None:
            return Caller()
        caller = self._known.pop(key, None) or Caller()
        self._known[key] = caller
        if len(self._known) > MAX_CALLERS:
            self._known.popitem(last=False)
        return caller


def _name(warning: dict[str, Any]) -> tuple[str, str]:
    code = warning["code"]
    return code, "" if code in _COUNTS_LINES else warning["message"]


def for_one_project(served: Callable[[], str | None]) -> ServerMiddleware[Any]:
    """Return middleware that refuses calls and task requests for other projects.

    ``served`` returns the server's project for each call. ``None`` accepts any project.
    """

    async def refuse_others(
        ctx: ServerRequestContext[Any, Any], call_next: CallNext
    ) -> HandlerResult:
        if ctx.method == "tools/call" or ctx.method.startswith("tasks/"):
            here = served()
            other = None if here is None else _other(ctx, here)
            if here is not None and other is not None:
                log_event("other_project", level=logging.WARNING, named=other)
                refusal = wrong_project(here, other)
                if ctx.method != "tools/call":
                    raise MCPError(types.INVALID_REQUEST, refusal.text, refusal.to_json())
                return to_call_tool_result(refusal)
        return await call_next(ctx)

    return refuse_others


def _other(ctx: ServerRequestContext[Any, Any], served: str) -> str | None:
    """Return the other project that the request's address names; ``None`` if it names none."""
    if not isinstance(ctx.request, Request):
        return None
    named = projects_of_query(ctx.request.url.query)
    return next((each for each in named if not _is_folder(each, served)), None)


def _is_folder(named: str, served: str) -> bool:
    # A relative path would depend on the server's working folder.
    return Path(named).is_absolute() and is_same_folder(named, Path(served))


ARGUMENTS = "arguments"


async def with_object_arguments(
    ctx: ServerRequestContext[Any, Any], call_next: CallNext
) -> HandlerResult:
    """Pass a call on with an object as its arguments, or refuse it and say what to send.

    An object sent as text, or an empty value, is wrapped in an object. Repair then reads it.
    """
    if ctx.method != "tools/call":
        return await call_next(ctx)
    params = ctx.params or {}
    name, sent = params.get("name"), params.get(ARGUMENTS)
    if not isinstance(name, str):
        example = '{"name": "get_editor_state", "arguments": {}}'
        message = f"tools/call: params.name must be the name of a tool, as in {example}"
        raise MCPError(types.INVALID_PARAMS, message)
    if sent is None or isinstance(sent, dict):
        return await call_next(ctx)
    # Seldom needed and slow to load.
    from mcp_server.repair.offers.refusal import Refusal  # noqa: PLC0415
    from mcp_server.repair.reading.values import is_empty, parsed  # noqa: PLC0415

    spec = find_tool(name)
    means_object = is_empty(sent) or (isinstance(sent, str) and isinstance(parsed(sent), dict))
    if means_object or isinstance(spec, ToolError):
        return await call_next(replace(ctx, params={**params, ARGUMENTS: {ARGUMENTS: sent}}))
    return to_call_tool_result(Refusal(spec.name, sent, (_problem(spec, sent),)).to_error())


def _problem(spec: ToolSpec, sent: object) -> Problem:
    from mcp_server.calls.json_input import NotJson  # noqa: PLC0415 - as above
    from mcp_server.calls.json_input import parsed as typed  # noqa: PLC0415

    (problem, *_) = find_problems(spec.input_schema, sent)
    why = typed(sent) if isinstance(sent, str) and sent.lstrip().startswith("{") else None
    if not isinstance(why, NotJson):
        return problem
    return Problem(problem.steps, f"{problem.message}; it {why.what}: {why.why}")
