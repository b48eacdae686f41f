"""MCP over stdin and stdout, for clients without HTTP.

Implements docs/design/command-line.md ``mcp``. :mod:`~mcp_server.stdio.pipe` carries the messages
to the server. If the server has gone, it is found or started again.
"""

from __future__ import annotations

import asyncio

from mcp_server.contract.errors import ToolError, ToolErrorCode, tool_error
from mcp_server.event_log import log_event
from mcp_server.stdio.pipe import Pipe
from mcp_server.stdio.shared_server import SharedServer
from mcp_server.stdio.stdio_lines import Output, read_lines
from mcp_server.terminal_text import nobody_reads
from snippet_engine.storage.os_failure import reason_of

DRAIN_LIMIT_S = 10.0
"""Seconds to wait for answers after the input has ended.

In a shell pipe, the end only means that no request follows.
"""


async def serve_stdio(server: SharedServer) -> ToolError | None:
    """Serve one client until it closes stdin.

    Return an error if stdin can't be read, or if there was no usable server at the start. In the
    second case each request was answered with that error.
    """
    unusable = await server.ensure()
    output = Output()
    pipe = Pipe(server, output.send, unusable)
    writing = asyncio.create_task(output.write())
    taking = asyncio.create_task(_take_all(pipe))
    try:
        await asyncio.wait([taking, writing], return_when=asyncio.FIRST_COMPLETED)
        if not writing.done():
            await asyncio.wait(
                [writing, asyncio.create_task(_answer_and_end(pipe, output))],
                return_when=asyncio.FIRST_COMPLETED,
            )
        await writing
    except OSError as error:
        if not nobody_reads(error):
            raise
        log_event("client_left")  # don't wait for answers that nobody reads
    finally:
        taking.cancel()
        await pipe.close()
        await server.leave()
    return unusable or _why_not_taken(taking)


def _why_not_taken(taking: asyncio.Task[None]) -> ToolError | None:
    """Return why stdin couldn't be read; ``None`` if it just ended."""
    error = taking.exception() if taking.done() and not taking.cancelled() else None
    if error is None:
        return None
    reason = reason_of(error) if isinstance(error, OSError) else repr(error)
    message = f"Standard input can't be read: {reason}."
    return tool_error(ToolErrorCode.INVALID_REQUEST, message, text=message)


async def _take_all(pipe: Pipe) -> None:
    lines = read_lines()
    while (line := await lines.get()) is not None:
        if isinstance(line, Exception):
            raise line
        await pipe.take(line)


async def _answer_and_end(pipe: Pipe, output: Output) -> None:
    await pipe.drain(DRAIN_LIMIT_S)
    await output.end()
