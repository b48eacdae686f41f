"""An event loop whose listening socket outlives clients that hang up before they are let in.

Implements docs/design/systems.md "Sockets". Where accepting one connection fails, as it does for
a client that has reset it meanwhile, asyncio's loop of Windows closes the listening socket: the
server runs on, and nobody reaches it any more.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from typing import Any, Protocol, TypeVar

T = TypeVar("T")

_PAUSE_S = 0.05
"""Between two attempts, so that what fails each time, as without free handles, costs little."""


class Listener(Protocol):
    """What is used of a listening socket."""

    def fileno(self) -> int:
        """Its number; negative once it is closed."""


async def accept_steadily(accept: Callable[[Listener], asyncio.Future[T]], listener: Listener) -> T:
    """The next connection that can be had from ``listener``, however many fail before it.

    ``accept`` begins to accept one. Raises its ``OSError`` once ``listener`` is closed.
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
        def accept(self, listener: Listener) -> asyncio.Future[Any]:
            return asyncio.ensure_future(accept_steadily(super().accept, listener))

    def new_event_loop() -> asyncio.AbstractEventLoop:
        """The system's usual loop, which accepts steadily."""
        loop = asyncio.ProactorEventLoop(_SteadyProactor())
        loop.set_exception_handler(handle_exception)
        return loop

else:

    def new_event_loop() -> asyncio.AbstractEventLoop:
        """The system's usual loop, which accepts steadily by itself."""
        return asyncio.new_event_loop()


def handle_exception(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """As asyncio does, but without a word on connections that could not be accepted: it keeps a
    task of its own for each, whose failure nobody asks for."""
    task = context.get("future")
    coroutine = task.get_coro() if isinstance(task, asyncio.Task) else None
    if isinstance(context.get("exception"), OSError) and (
        getattr(coroutine, "__name__", "") == "accept_coro"
    ):
        return
    loop.default_exception_handler(context)
