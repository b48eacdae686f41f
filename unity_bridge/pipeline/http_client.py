"""HTTP requests to the Pipeline package: bounded, to the literal address, never through a proxy.

Implements docs/design/pipeline.md §4.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from typing import Any, Self

import httpx2

from unity_bridge.link import Malformed, OutcomeUnknown
from unity_bridge.pipeline.replies import UNREACHABLE, ExecReply, read_exec, read_json

MAX_ANSWER_BYTES = 8 * 1024 * 1024
"""Largest answer that is read, in bytes."""

MAX_REQUEST_BYTES = 1024 * 1024
"""Largest body that the package takes, in bytes."""

CONNECT_S = 1.0
GET_S = 2.0
"""Time limit for a status, in seconds: the package answers it off the main thread."""


class _TooLargeError(Exception):
    """An answer has too many bytes."""


class PipelineHttp:
    """One Editor's server and its token. An async context manager."""

    def __init__(self, port: int, token: str, may_be_told: Callable[[], bool]) -> None:
        """``may_be_told`` returns whether the process on ``port`` may see ``token``. It blocks."""
        self._may_be_told = may_be_told
        self._client = httpx2.AsyncClient(
            base_url=f"http://127.0.0.1:{port}",
            headers={"Authorization": f"Bearer {token}", "Accept-Encoding": "identity"},
            trust_env=False,
            follow_redirects=False,
            # A connection for each request: a request on a kept one may be lost.
            limits=httpx2.Limits(max_keepalive_connections=0, max_connections=8),
            timeout=httpx2.Timeout(GET_S, connect=CONNECT_S),
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Close every connection."""
        await self._client.aclose()

    async def get(self, path: str, **query: str) -> tuple[int, Any]:
        """Return the status, and the body's JSON or ``None``.

        The status is 0 if nothing answers.
        """
        try:
            async with asyncio.timeout(GET_S):
                status, body = await self._request("GET", path, params=query)
        except (httpx2.HTTPError, httpx2.InvalidURL, OSError, TimeoutError, _TooLargeError):
            return 0, None
        return status, read_json(body)

    async def exec(
        self, command: str, parameters: Mapping[str, Any], timeout_ms: float
    ) -> ExecReply:
        """Run a command and wait for its answer, at most ``timeout_ms``."""
        # The Editor's limit is longer than ours, because a command that it gives up keeps running.
        body = {
            "command": command,
            "parameters": dict(parameters),
            "timeout": round(timeout_ms) + 5_000,
        }
        content = json.dumps(body).encode()
        if len(content) > MAX_REQUEST_BYTES:
            return read_exec(413, b"")
        try:
            async with asyncio.timeout(timeout_ms / 1000):
                status, answer = await self._request(
                    "POST",
                    "/api/exec",
                    content=content,
                    headers={"Content-Type": "application/json"},
                    timeout=httpx2.Timeout(timeout_ms / 1000, connect=CONNECT_S),
                )
        except (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout):
            return UNREACHABLE
        except _TooLargeError:
            actual = f"more than {MAX_ANSWER_BYTES} bytes"
            return Malformed(f"an answer of at most {MAX_ANSWER_BYTES} bytes", actual, True)
        except (httpx2.HTTPError, OSError, TimeoutError) as error:
            lost = f"the connection to the Unity Editor broke ({type(error).__name__})"
            return OutcomeUnknown(lost)
        return read_exec(status, answer)

    async def _request(self, method: str, path: str, **options: Any) -> tuple[int, bytes]:
        if not await asyncio.to_thread(self._may_be_told):
            raise httpx2.ConnectError("the process that listens there must not see the token")
        if self._client.is_closed:  # meanwhile: the token has changed
            raise httpx2.ConnectError("the connection was closed")
        async with self._client.stream(method, path, **options) as response:
            parts: list[bytes] = []
            size = 0
            async for part in response.aiter_raw():  # decompressed, it may be of any size
                size += len(part)
                if size > MAX_ANSWER_BYTES:
                    raise _TooLargeError
                parts.append(part)
            return response.status_code, b"".join(parts)
