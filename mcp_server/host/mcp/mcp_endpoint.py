"""MCP's ``tools/list`` and ``tools/call``, and how HTTP carries them.

Implements docs/design/server-and-bridge.md §2 and §7. An MCP session holds no
state here, so a client outlives a restart of the server.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Protocol

from mcp import MCPError, types
from mcp.server import Server, ServerRequestContext
from mcp.server.extension import Extension, compose_tool_call_handler
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings

from mcp_server.contract.catalog import CATALOG
from mcp_server.contract.errors import ToolError
from mcp_server.contract.outcome import OnProgress, Outcome, ToolResult
from mcp_server.contract.request_validator import find_tool
from mcp_server.contract.tool_spec import ToolSpec
from mcp_server.host.execution_coordinator import Present
from mcp_server.host.http.loopback_guard import MAX_BODY_BYTES
from mcp_server.host.mcp.callers import Callers
from mcp_server.host.mcp.clients import (
    CancellableCalls,
    caller_key,
    caller_of,
    session_key,
    with_client_name,
)
from mcp_server.host.mcp.middleware import for_one_project, with_object_arguments
from mcp_server.host.mcp.progress import telling
from mcp_server.host.mcp.retries import SentRequests, with_retries
from mcp_server.host.mcp.short_answers import short_answer
from mcp_server.host.mcp.short_errors import short_error
from mcp_server.host.mcp.tool_results import to_call_tool_result
from mcp_server.version import package_version

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
    """Runs calls to their outcome, which every client accepts."""

    async def call(
        self,
        spec: ToolSpec,
        arguments: Mapping[str, Any],
        on_progress: OnProgress | None = None,
        *,
        present: Present | None = None,
    ) -> Outcome:
        """Call a tool. Progress goes to ``on_progress``; ``present`` words the answer."""
        ...


def make_mcp_server(
    coordinator: ToolCalls,
    extensions: Sequence[Extension] = (),
    served: Callable[[], str | None] = lambda: None,
    more_instructions: str = "",
) -> Server[Any]:
    """Return an MCP server that lists the catalog and calls tools through ``coordinator``.

    ``extensions`` add methods and may answer calls differently. ``served`` returns the project that
    calls must be for. ``more_instructions`` go to the client.
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
        async with telling(context) as on_progress:
            key = caller_key(context.request)
            # A client without a session may reconnect before it retries, so ``key`` won't do.
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
    """Return the manager that serves ``server`` over HTTP, stateless, in its ``run()``."""
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
