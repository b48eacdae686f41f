"""A server whose windows are a fraction of the real ones: arguments SCALE PROJECT ROAD PORT.

Prints its port once it listens. Over the Pipeline each of its requests to the Editor says, in a
header, which call it is made for: that is all that tells a double whom it executes a command for.
"""

from __future__ import annotations

import asyncio
import faulthandler
import signal
import socket
import sys
from contextvars import ContextVar
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from mcp_server.event_log import LogFormat, configure_logging
from mcp_server.host.config import EditorRoad, ServerConfig, bind
from mcp_server.host.serve import UnityServer
from mcp_server.host.stopping import StopSignal
from unity_bridge.link import Command
from unity_bridge.pipeline.http_client import PipelineHttp
from unity_bridge.pipeline.pipeline_link import PipelineLink
from unity_bridge.timing import Pace, Timing

ASK_WHERE = getattr(signal, "SIGUSR1", None)
"""The signal to which the server says where it is; on Windows there is none."""


def scaled(scale: float) -> Timing:
    """Every window of the bridge, ``scale`` times as short."""
    real = Timing()
    return Timing(**{field.name: getattr(real, field.name) / scale for field in fields(Timing)})


_CALL: ContextVar[str] = ContextVar("call", default="")
"""The ``client_request_id`` that goes on; tasks that are begun for it inherit it."""


def name_callers() -> None:
    """Have requests over the Pipeline name the call that they are made for."""
    start, request = PipelineLink.start, PipelineHttp._request

    def named_start(link: PipelineLink, request_id: str, command: Command, timeout_ms: int) -> None:
        before = _CALL.set(getattr(command, "client_request_id", None) or "")
        start(link, request_id, command, timeout_ms)
        _CALL.reset(before)

    async def named_request(
        http: PipelineHttp, method: str, path: str, **options: Any
    ) -> tuple[int, bytes]:
        headers = {**options.pop("headers", {}), "X-Caller": _CALL.get()}
        return await request(http, method, path, headers=headers, **options)

    PipelineLink.start = named_start  # type: ignore[method-assign]
    PipelineHttp._request = named_request  # type: ignore[method-assign]


def scaled_pace(scale: float) -> Pace:
    """Every pace of the Pipeline's road, ``scale`` times as fast; what was asked for is looked at
    as often as ever."""
    real = Pace()
    names = {field.name for field in fields(Pace)} - {"compile_look_ms", "play_look_ms"}
    return replace(real, **{name: getattr(real, name) / scale for name in names})


def main(scale: float, project: Path, road: EditorRoad, port: int) -> None:
    configure_logging(LogFormat.JSON)
    name_callers()
    listener = bind(port)
    assert isinstance(listener, socket.socket), listener
    port = listener.getsockname()[1]
    stop_signal = StopSignal()
    stop_signal.listen()
    server = UnityServer(
        ServerConfig(port=port, project=project, editor=road),
        stop_signal,
        lambda: print(port, flush=True),
        timing=scaled(scale),
        pace=scaled_pace(scale),
    )
    asyncio.run(_serve(server, listener))


async def _serve(server: UnityServer, listener: socket.socket) -> None:
    """Serve; asked by :data:`ASK_WHERE`, write to stderr where every thread and task is."""
    if ASK_WHERE is not None:
        asyncio.get_running_loop().add_signal_handler(ASK_WHERE, _write_tasks)
        faulthandler.register(ASK_WHERE, chain=True)
    await server.serve_until_stopped(listener)


def _write_tasks() -> None:
    for task in asyncio.all_tasks():
        task.print_stack()


if __name__ == "__main__":
    main(float(sys.argv[1]), Path(sys.argv[2]), EditorRoad(sys.argv[3]), int(sys.argv[4]))
