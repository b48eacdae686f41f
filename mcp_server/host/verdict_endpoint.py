"""``POST /verdict``: commands of this user ask the compiler that runs here.

Implements docs/design/server-and-bridge.md §13.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from starlette.requests import Request
from starlette.responses import JSONResponse

from mcp_server.host.http.request_bodies import WholeRequests

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

    from lsp_client.validator import LanguageServerValidator

T = TypeVar("T")


class Lender(Protocol):
    """Runs what is bounded on a thread; ``None``: the server stops."""

    def __call__(self, work: Callable[[], T], /) -> Awaitable[T | None]:
        """What ``work`` comes to."""
        ...


class VerdictEndpoint:
    """ASGI application: one question, one answer."""

    def __init__(self, validator: Callable[[], LanguageServerValidator | None], lend: Lender):
        """``validator`` opens what judges, if anything does; it may take its time."""
        self._validator = validator
        self._lend = lend
        self._app = WholeRequests(self._serve, lambda body: body)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        await self._app(scope, receive, send)

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        response = await self._answer(await Request(scope, receive).body())
        await response(scope, receive, send)

    async def _answer(self, body: bytes) -> JSONResponse:
        told = await self._lend(partial(self._told, body, monotonic()))
        status, document = told or (503, {"error": "the server is stopping"})
        return JSONResponse(document, status, headers={"Cache-Control": "no-store"})

    def _told(self, body: bytes, came_at: float) -> tuple[int, dict[str, Any]]:
        """The status and the answer. Runs on a thread, as reading a large body takes long, too."""
        from mcp_server.calls.server.verdict_questions import (  # noqa: PLC0415 - half of the engine
            answer,
            problem_of,
        )

        try:
            question = json.loads(body)
        except (ValueError, RecursionError):
            return 400, {"error": "the body must be JSON"}
        problem = problem_of(question)
        if problem is not None:
            return 400, {"error": problem}
        validator = self._validator()
        if validator is None:
            return 409, {"error": "this server asks no compiler (--lsp off)"}
        if "within_ms" in question:  # others before it had their turn in that time
            left_ms = question["within_ms"] - round((monotonic() - came_at) * 1000)
            question["within_ms"] = max(1, left_ms)
        try:
            return 200, answer(validator, question)
        except ValueError as error:
            return 400, {"error": str(error)}
