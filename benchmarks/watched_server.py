"""``unity-cli serve`` with an event loop that is watched: how long it was kept from everybody else.

    python -m benchmarks.watched_server ARGUMENTS

runs ``unity-cli serve ARGUMENTS``. When it is told to stop, it prints one more line on stdout: a
:class:`LoopUse` as JSON. Times are the thread's own CPU time, which other processes don't change.
"""

from __future__ import annotations

import asyncio
import asyncio.base_events
import asyncio.events
import json
import sys
from dataclasses import asdict, dataclass
from statistics import median
from time import thread_time
from typing import Any


@dataclass(frozen=True)
class LoopUse:
    """What the event loop did since the server listened, in milliseconds of CPU time.

    ``longest_ms`` is the longest single callback; ``turn_ms`` and ``turn_p99_ms`` are what one turn
    of the loop took, between two looks at the sockets: the median, and the 99th percentile.
    """

    turns: int
    turn_ms: float
    turn_p99_ms: float
    longest_ms: float


class _Watch:
    def __init__(self) -> None:
        self.turns: list[float] = []
        self.longest = 0.0

    def begin(self) -> None:
        """Count from now on: what came before was the start."""
        self.turns.clear()
        self.longest = 0.0

    def install(self) -> None:
        """Watch every event loop of this process."""
        handle: Any = asyncio.events.Handle
        loop: Any = asyncio.base_events.BaseEventLoop
        run, run_once = handle._run, loop._run_once

        def watched_run(callback: Any) -> None:
            started = thread_time()
            run(callback)
            self.longest = max(self.longest, thread_time() - started)

        def watched_run_once(running: Any) -> None:
            started = thread_time()
            run_once(running)
            self.turns.append(thread_time() - started)

        handle._run = watched_run
        loop._run_once = watched_run_once

    def use(self) -> LoopUse:
        turns = sorted(self.turns) or [0.0]
        return LoopUse(
            len(turns),
            median(turns) * 1000,
            turns[-(-len(turns) * 99 // 100) - 1] * 1000,
            self.longest * 1000,
        )


def main() -> None:
    """Serve, and say at the end how it went."""
    from mcp_server.cli import main as unity_cli
    from mcp_server.host.serve import UnityServer

    watch = _Watch()
    watch.install()
    startup, shutdown = UnityServer.startup, UnityServer.shutdown

    async def watched_startup(self: UnityServer, sockets: Any = None) -> None:
        await startup(self, sockets)
        asyncio.get_running_loop().call_later(0, watch.begin)  # behind what is still the start

    async def watched_shutdown(self: UnityServer, sockets: Any = None) -> None:
        print(json.dumps(asdict(watch.use())), flush=True)
        await shutdown(self, sockets)

    UnityServer.startup = watched_startup  # type: ignore[method-assign]
    UnityServer.shutdown = watched_shutdown  # type: ignore[method-assign]
    sys.argv = ["unity-cli", "serve", *sys.argv[1:]]
    unity_cli()


if __name__ == "__main__":
    main()
