"""Domain reloads at random moments: none hangs, none leaves a thread, the session always returns.

    python tests/bench_scenarios/reload_storm.py --count 500 --seed 1

Exit code 1 when a reload hung, took longer than a second, left a thread or a socket of its
domain behind, or the session did not come back. The server is real, and so is the package;
between them is a line that stalls, breaks and floods.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import random
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
if __name__ == "__main__":
    sys.path[:0] = [str(HERE), str(HERE.parent / "doubles"), str(HERE.parents[1])]

from live_server import LiveServer  # noqa: E402
from mcp import Client  # noqa: E402
from stage import Stage  # noqa: E402
from unreliable_line import UnreliableLine, text_message  # noqa: E402

from tests.bench.editor import BenchEditor, Event  # noqa: E402
from tests.bench.installation import (  # noqa: E402
    Installation,
    Runtime,
    install,
    prepare_project,
)

LIMIT_MS = 1_000
"""Longer than this no reload may take."""

_CONSOLE = "flood 300 3000"
"""Makes an answer of ``read_console`` fill more than what the sockets buffer."""

_PING = text_message('{"type": "ping", "protocol_version": 1}')
_EXECUTE = text_message(
    '{"type": "execute", "protocol_version": 1, "request_id": "slipped-in", "timeout_ms": 5000,'
    ' "tool_name": "get_play_mode_state", "params": {}}'
)
_LONG = text_message('{"type": "ping", "protocol_version": 1, "filler": "' + "x" * 500_000 + '"}')


@dataclass(frozen=True)
class Reload:
    """One reload: when it came, what the Editor reported, how long the session was away."""

    situation: str
    event: Event
    away_ms: float

    @property
    def total_ms(self) -> float:
        total: float = self.event["total_ms"]
        return total


@dataclass
class Report:
    """What came of a run."""

    reloads: list[Reload] = field(default_factory=list)
    answers: Counter[str] = field(default_factory=Counter)
    """How the calls ended that were under way."""

    def broken_promises(self) -> list[str]:
        """Every reload that left something behind, a line each."""
        broken = []
        for number, each in enumerate(self.reloads, 1):
            for what in ("threads_left", "sockets_left"):
                if each.event[what]:
                    broken.append(f"reload {number} ({each.situation}): {what} {each.event[what]}")
        return broken

    def slow(self) -> list[str]:
        """Every reload that took longer than :data:`LIMIT_MS`."""
        return [
            f"reload {number} ({each.situation}) took {each.total_ms:.0f} ms"
            for number, each in enumerate(self.reloads, 1)
            if each.total_ms > LIMIT_MS
        ]

    def table(self) -> str:
        """The figures, a line for each situation."""
        lines = [
            f"{'milliseconds':12}{'':>5}{'reload':>16}{'before':>16}{'unload':>16}{'away':>16}",
            f"{'':12}{'n':>5}" + f"{'median':>8}{'max':>8}" * 4,
        ]
        situations = sorted({each.situation for each in self.reloads})
        for name in [*situations, "all"]:
            chosen = [each for each in self.reloads if name in (each.situation, "all")]
            columns = [
                [each.total_ms for each in chosen],
                [each.event["before_ms"] for each in chosen],
                [each.event["unload_ms"] for each in chosen],
                [each.away_ms for each in chosen],
            ]
            figures = "".join(f"{statistics.median(c):8.0f}{max(c):8.0f}" for c in columns)
            lines.append(f"{name:12}{len(chosen):5}{figures}")
        ended = ", ".join(f"{count} {how}" for how, count in sorted(self.answers.items()))
        return "\n".join([*lines, f"calls under way: {ended or 'none'}"])


class Storm:
    """One run: the line, and what can be done to it."""

    def __init__(self, stage: Stage, line: UnreliableLine, seed: int) -> None:
        self._stage = stage
        self._line = line
        self._random = random.Random(seed)
        self._calls: list[asyncio.Task[Any]] = []
        self.report = Report()
        self._situations: dict[str, Callable[[], Awaitable[None]]] = {
            "idle": self._idle,
            "connecting": self._connecting,
            "receiving": self._receiving,
            "sending": self._sending,
            "closing": self._closing,
            "dead": self._dead,
            "frozen": self._frozen,
            "flooding": self._flooding,
        }

    async def run(self, count: int) -> Report:
        """Reload so often; every situation comes, in random order."""
        names = [list(self._situations)[n % len(self._situations)] for n in range(count)]
        self._random.shuffle(names)
        for name in names:
            await self._one(name)
        for call in self._calls:
            called = await call
            document = called.structured_content or {}
            self.report.answers["ok" if not called.is_error else document["error"]["code"]] += 1
        return self.report

    async def _one(self, name: str) -> None:
        epoch = self._stage.live.server.link.view.epoch
        await self._situations[name]()
        started = time.perf_counter()
        flood = asyncio.create_task(self._keep_flooding()) if name == "flooding" else None
        self._stage.editor.tell("reload")
        event = await self._stage.wait("reloaded")
        if flood is not None:
            flood.cancel()
        await self._mend()
        while not (
            self._stage.live.server.link.view.ready
            and self._stage.live.server.link.view.epoch > epoch
        ):
            await self._stage.logged("editor_state")
        away = (time.perf_counter() - started) * 1000 - event["total_ms"]
        self.report.reloads.append(Reload(name, event, away))

    async def _mend(self) -> None:
        self._line.pass_on()
        if not self._line.listening:
            await self._line.open()

    async def _pause(self, most_ms: float) -> None:
        """The random part of the moment."""
        await asyncio.sleep(self._random.uniform(0, most_ms) / 1000)

    def _call(self, tool: str) -> None:
        self._calls.append(asyncio.create_task(self._stage.call(tool)))

    async def _idle(self) -> None:
        await self._pause(30)

    async def _connecting(self) -> None:
        # Somewhere between the first byte of the handshake and the last of the capability.
        self._line.stall(down=self._random.choice((0, 60, 200, 400, 2_000)))
        self._line.drop()
        await self._pause(300)

    async def _receiving(self) -> None:
        self._line.slip_in(_LONG[: self._random.randrange(1, len(_LONG))])
        self._line.stall(down=0)
        await self._pause(10)

    async def _sending(self) -> None:
        self._line.stall(up=self._random.randrange(0, 200_000))
        self._call("read_console")
        # The server may have others to ask for first: then the moment is another one.
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._line.holds.wait(), 0.5)
        await self._pause(20)

    async def _closing(self) -> None:
        self._line.say_goodbye()
        await self._pause(5)

    async def _dead(self) -> None:
        await self._line.close()
        await self._pause(400)

    async def _frozen(self) -> None:
        self._call(self._random.choice(("get_play_mode_state", "read_console")))
        await self._pause(5)
        self._line.stall(down=0, up=0)
        await self._pause(50)

    async def _flooding(self) -> None:
        self._line.slip_in((_PING * 20 + _EXECUTE) * 20)
        await self._pause(30)

    async def _keep_flooding(self) -> None:
        while True:
            self._line.slip_in((_PING * 20 + _EXECUTE) * 5)
            await asyncio.sleep(0.002)  # some 50,000 messages a second


async def run(installation: Installation, project: Path, count: int, seed: int) -> Report:
    """Reload ``count`` times at moments that follow from ``seed``."""
    async with LiveServer() as live, Client(live.url) as client:
        line = UnreliableLine(live.port)
        await line.open()
        prepare_project(project, line.port)
        try:
            with BenchEditor(installation, project) as editor:
                stage = Stage(live, editor, client)
                await stage.ready()
                await stage.do(_CONSOLE)
                return await Storm(stage, line, seed).run(count)
        finally:
            await line.ended()


def main() -> int:
    """Run by hand; prints the figures."""
    parser = argparse.ArgumentParser(
        allow_abbrev=False, description=__doc__.splitlines()[0] if __doc__ else None
    )
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--runtime", choices=[each.value for each in Runtime], default="mono")
    options = parser.parse_args()
    installation = install(Runtime(options.runtime))
    with tempfile.TemporaryDirectory() as project:
        report = asyncio.run(run(installation, Path(project), options.count, options.seed))
    print(report.table())
    problems = [*report.broken_promises(), *report.slow()]
    print("\n".join(problems) or "Every reload left nothing behind, and the session came back.")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
