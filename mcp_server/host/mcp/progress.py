"""``notifications/progress`` for one call: rising, at a bounded rate, none after its end.

Implements docs/design/server-and-bridge.md §2 "Progress". A client that doesn't read delays only
its own notices.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from mcp.server import ServerRequestContext

from mcp_server.contract.outcome import OnProgress

LEAST_INTERVAL_S = 0.1
"""Between two notices of a call, in seconds; the last one in between is kept."""


class _Teller:
    def __init__(self, send: OnProgress) -> None:
        self._send = send
        self._highest = -1.0
        self._latest: tuple[float, float | None, str] | None = None
        self._new = asyncio.Event()

    async def tell(self, progress: float, total: float | None, message: str) -> None:
        """Have this progress sent, if it is more than the last. Never waits."""
        if progress > self._highest:
            self._highest = progress
            self._latest = (progress, total, message)
            self._new.set()

    async def keep_sending(self) -> None:
        while True:
            await self._new.wait()
            self._new.clear()
            assert self._latest is not None
            await self._send(*self._latest)
            await asyncio.sleep(LEAST_INTERVAL_S)


@asynccontextmanager
async def telling(context: ServerRequestContext[Any]) -> AsyncIterator[OnProgress | None]:
    """Yield a function that reports progress to the request's client; ``None`` if not wanted."""
    if "progress_token" not in (context.meta or {}):
        yield None
        return
    teller = _Teller(context.session.report_progress)
    sending = asyncio.create_task(teller.keep_sending())
    try:
        yield teller.tell
    finally:
        sending.cancel()
        await asyncio.wait({sending})
