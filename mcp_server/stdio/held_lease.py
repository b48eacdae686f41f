"""A client's end of a lease: while it is held, the server knows that the client is there.

Part of docs/design/command-line.md ``mcp``; :mod:`mcp_server.host.own_status` is the server's
end. Taking a lease also shows which program has the port; losing it shows that the server has gone.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from dataclasses import dataclass
from enum import Enum
from http import HTTPStatus
from pathlib import Path

import httpx2

from mcp_server.calls.server.server_proof import (
    LOOPBACK_ADDRESS,
    Credentials,
    NotProvenError,
    proving,
)
from mcp_server.calls.server.server_status import LEASE_PATH, NOT_OURS, WRONG_TOKEN, ServerStatus
from mcp_server.event_log import log_event

ANSWER_LIMIT_S = 20.0
"""Longest wait for an answer, in seconds: the server may be starting."""


TOLD_AFTER_S = 5.0
"""Seconds after which the wait is logged, so that the program doesn't seem to hang."""


class Absent(Enum):
    """There is no server; one may be started."""

    NOBODY_LISTENS = "nobody listens"
    HUNG_UP = "the connection was closed, as by a server that is ending"


@dataclass(frozen=True, slots=True)
class Unusable:
    """Another program listens on the port, or an unusable server."""

    reason: str
    advice: str = ""
    """What to do about it."""


class HeldLease:
    """A lease, until it is closed or the server ends."""

    def __init__(
        self, http: httpx2.AsyncClient, status: ServerStatus, rest: AsyncIterator[str]
    ) -> None:
        self.status = status
        self._http = http
        self._watching = asyncio.create_task(_wait_for_end(rest))

    @property
    def held(self) -> bool:
        """Return whether the server is still there."""
        return not self._watching.done()

    async def close(self) -> None:
        """Give the lease back."""
        self._watching.cancel()
        await asyncio.wait([self._watching])
        await self._http.aclose()


async def take_lease(
    port: int, token: str | None, project: Path | None = None
) -> HeldLease | Absent | Unusable:
    """Take a lease from the server on ``port`` of the loopback address.

    The server's own file, with its key, is looked for in ``project``, too.
    """
    url = f"http://{LOOPBACK_ADDRESS}:{port}"
    http = httpx2.AsyncClient(
        base_url=url,
        verify=False,  # no TLS here, and preparing for it takes 40 ms
        timeout=httpx2.Timeout(ANSWER_LIMIT_S, read=None),
        **proving(Credentials.for_url(url, token, project)),
    )
    lease: HeldLease | Absent | Unusable | None = None
    telling = asyncio.get_running_loop().call_later(TOLD_AFTER_S, _tell_of_silence, url)
    try:
        async with asyncio.timeout(ANSWER_LIMIT_S):
            lease = await _ask(http)
    except TimeoutError:
        lease = Unusable(f"no answer within {ANSWER_LIMIT_S:g} s", _WHEN_SILENT)
    except NotProvenError as error:
        lease = Unusable(str(error))
    except httpx2.ConnectError:
        lease = Absent.NOBODY_LISTENS
    except httpx2.TransportError:
        lease = Absent.HUNG_UP
    finally:
        telling.cancel()
        if not isinstance(lease, HeldLease):
            await http.aclose()
    return lease


_WHEN_SILENT = (
    "If it is unity-cli serve, it is stuck or very busy: restart it. Else choose another --port."
)
WHEN_NOT_OURS = "End that program, or choose another --port."


def _tell_of_silence(url: str) -> None:
    log_event("no_answer_yet", level=logging.WARNING, url=url, given_up_after_s=ANSWER_LIMIT_S)


async def _ask(http: httpx2.AsyncClient) -> HeldLease | Unusable:
    response = await http.send(http.build_request("POST", LEASE_PATH, json={}), stream=True)
    if response.status_code == HTTPStatus.UNAUTHORIZED:
        return Unusable(WRONG_TOKEN)
    lines = aiter(response.aiter_lines())
    status = ServerStatus.parse(await anext(lines, ""))
    if response.status_code != HTTPStatus.OK or status is None:
        return Unusable(NOT_OURS, WHEN_NOT_OURS)
    return HeldLease(http, status, lines)


async def _wait_for_end(rest: AsyncIterator[str]) -> None:
    try:
        async for _ in rest:
            pass
    except httpx2.TransportError:
        pass  # the server has gone as well
