"""An event loop whose listening socket survives failed accepts.

Implements docs/design/systems.md "Sockets". On Windows, asyncio closes the listening socket if
accepting one connection fails, for example because the client reset it. On other systems, asyncio
goes on. But when it has no file descriptors left, it logs two thousand failures a second.
"""

from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import Callable
from typing import Any, TypeVar

from mcp_server.event_log import log_event

T = TypeVar("T")

_PAUSE_S = 0.05
"""Seconds between two attempts, so that repeated failures cost little."""


_OUT_OF_RESOURCES = "socket.accept() out of system resource"
"""The message that asyncio logs before it pauses for a second."""
_SILENCE_S = 60.0
"""Seconds for which that message isn't logged again."""


async def accept_steadily(accept: Callable[[Any], asyncio.Future[T]], listener: Any) -> T:
    """Return the next connection from ``listener``, however many accepts fail before.

    ``accept`` starts to accept one. Its ``OSError`` is raised only if ``listener`` is closed.
    """
    while True:
        try:
            return await accept(listener)
        except OSError:
            if listener.fileno() < 0:
                raise
            await asyncio.sleep(_PAUSE_S)


if sys.platform == "win32":

    class _SteadyProactor(asyncio.IocpProactor):
        def accept(self, listener: Any) -> asyncio.Future[Any]:
            return asyncio.ensure_future(accept_steadily(super().accept, listener))

    def new_event_loop() -> asyncio.AbstractEventLoop:
        """Return the system's usual loop, made to accept steadily."""
        loop = asyncio.ProactorEventLoop(_SteadyProactor())
        loop.set_exception_handler(ExceptionHandler())
        return loop

else:

    def new_event_loop() -> asyncio.AbstractEventLoop:
        """Return the system's usual loop, which accepts steadily by itself."""
        loop = asyncio.new_event_loop()
        loop.set_exception_handler(ExceptionHandler())
        return loop


class ExceptionHandler:
    """A loop's handler for uncaught exceptions: asyncio's own, except for failed accepts."""

    def __init__(self) -> None:
        self._silent_until = float("-inf")
        self._untold = 0

    def __call__(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """Log the failure that the loop reports."""
        if context.get("message") == _OUT_OF_RESOURCES:
            self._log_sometimes(loop.time(), context.get("exception"))
        elif not _is_of_accepting(context):
            loop.default_exception_handler(context)

    def _log_sometimes(self, now: float, error: object) -> None:
        """Log from time to time that connections must wait, and how often."""
        self._untold += 1
        if now < self._silent_until:
            return
        why = error.strerror if isinstance(error, OSError) else str(error)
        log_event(
            "connections_wait",
            level=logging.WARNING,
            why=f"{why}; a larger limit (ulimit -n), or fewer clients, would help",
            attempts=self._untold,
        )
        self._silent_until, self._untold = now + _SILENCE_S, 0


def _is_of_accepting(context: dict[str, Any]) -> bool:
    """Return whether a client left before it was accepted. On Windows, the task then fails."""
    task = context.get("future")
    coroutine = task.get_coro() if isinstance(task, asyncio.Task) else None
    is_of_accepting = getattr(coroutine, "__name__", "") == "accept_coro"
    return is_of_accepting and isinstance(context.get("exception"), OSError)
