"""A server whose windows are a fraction of the real ones: ``chaos_server.py SCALE PROJECT``.

Prints its port once it listens.
"""

from __future__ import annotations

import asyncio
import socket
import sys
from dataclasses import fields
from pathlib import Path

from mcp_server.event_log import LogFormat, configure_logging
from mcp_server.host.config import ServerConfig, bind
from mcp_server.host.serve import UnityServer
from mcp_server.host.stop_signal import StopSignal
from unity_bridge.timing import Timing


def scaled(scale: float) -> Timing:
    """Every window of the bridge, ``scale`` times as short."""
    real = Timing()
    return Timing(**{field.name: getattr(real, field.name) / scale for field in fields(Timing)})


def main(scale: float, project: Path) -> None:
    configure_logging(LogFormat.JSON)
    listener = bind(0)
    assert isinstance(listener, socket.socket), listener
    port = listener.getsockname()[1]
    stop_signal = StopSignal()
    stop_signal.listen()
    server = UnityServer(
        ServerConfig(port=port, project=project),
        stop_signal,
        lambda: print(port, flush=True),
        timing=scaled(scale),
    )
    asyncio.run(server.serve_until_stopped(listener))


if __name__ == "__main__":
    main(float(sys.argv[1]), Path(sys.argv[2]))
