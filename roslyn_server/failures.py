"""Failures of the server as LSP errors, and its end when the compiler runs out of memory."""

from __future__ import annotations

import asyncio
import logging
import os
import sys
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager
from typing import Any, TypeVar

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from roslyn_server import protocol
from roslyn_server.compiler.calls import Cancellation, CancelledError, is_out_of_memory

_LAST_WORD_S = 10.0
"""Seconds to wait for the last answer to be sent: a client may not read it."""

_log = logging.getLogger("roslyn_server")
_Answer = TypeVar("_Answer")


class NoToolchainError(JsonRpcException):
    """No compiler is loaded; the message says why."""

    CODE = protocol.NO_TOOLCHAIN_ERROR
    MESSAGE = "Roslyn can't be hosted"


class ContentModifiedError(JsonRpcException):
    """The document changed while it was judged."""

    CODE = types.LSPErrorCodes.ContentModified.value
    MESSAGE = "The document changed"


class RequestRefusedError(JsonRpcException):
    """The request can't be carried out as its sender wants; the message says why."""

    CODE = types.LSPErrorCodes.RequestFailed.value
    MESSAGE = "The request was refused"


class OutOfMemoryError(JsonRpcException):
    """The compiler ran out of memory; this is the process's last answer."""

    CODE = protocol.OUT_OF_MEMORY_ERROR
    MESSAGE = (
        "the compiler is out of memory, and the server ends: "
        f"{protocol.MEMORY_VARIABLE} says how much it may take"
    )


@asynccontextmanager
async def cancellable() -> AsyncIterator[Cancellation]:
    """Cancel a call into .NET when the awaiting request is cancelled."""
    cancellation = Cancellation()
    try:
        yield cancellation
    except asyncio.CancelledError:
        cancellation.cancel()
        raise


async def on_thread(
    thread: ThreadPoolExecutor, call: Callable[..., _Answer], *arguments: Any
) -> _Answer:
    """Run ``call`` on ``thread``; raise ``asyncio.CancelledError`` if it was cancelled.

    Raises :class:`OutOfMemoryError`, after which this process ends.
    """
    try:
        return await asyncio.get_running_loop().run_in_executor(thread, call, *arguments)
    except CancelledError as error:
        raise asyncio.CancelledError from error
    except Exception as error:
        if is_out_of_memory(error):
            # The client starts another server. Send the answer first, if possible.
            last = threading.Timer(_LAST_WORD_S, end_out_of_memory)
            last.daemon = True
            last.start()
            raise OutOfMemoryError() from None  # so that its objects can be freed
        raise


async def in_time(
    ask: Callable[[Cancellation], Awaitable[_Answer]],
    within_s: float | None,
    cancellation: Cancellation,
) -> _Answer | None:
    """Return what ``ask`` answers; cancel it and return ``None`` after ``within_s`` seconds.

    Without ``within_s`` there is no limit.
    """
    bound = cancellation.linked()
    work = asyncio.ensure_future(ask(bound))
    try:
        await asyncio.wait({work}, timeout=within_s)
        return work.result() if work.done() else None
    finally:
        bound.cancel()
        leave(work)


def leave(work: asyncio.Future[Any]) -> None:
    """Stop waiting for ``work``, whether it succeeds or fails."""
    work.add_done_callback(lambda ended: ended.cancelled() or ended.exception())


@contextmanager
def without_an_answer() -> Iterator[None]:
    """Run work without a waiting request; end the process if memory runs out."""
    try:
        yield
    except OutOfMemoryError:
        end_out_of_memory()


def end_out_of_memory() -> None:
    """End this process with an exit code that tells the client why."""
    _log.error(
        "the compiler is out of memory: %s says how much it may take", protocol.MEMORY_VARIABLE
    )
    sys.stderr.flush()
    os._exit(protocol.EXIT_OUT_OF_MEMORY)
