"""Breaks the scripts and mends them, over and over, and asks ``compile`` over the Pipeline's road.

    python tests/chaos/pipeline_storm.py --count 200

Every second ``compile`` goes through a reload. In each 20th turn the Editor is killed while it
compiles, and comes back in another dialect: that call must end as unknown, and say why, and the
next one be right. Prints how long the answers took, and those that were not what they had to be.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import random
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
if __name__ == "__main__":
    sys.path[:0] = [str(HERE.parent / "doubles")]

from live_server import LiveServer  # noqa: E402
from mcp import Client  # noqa: E402
from pipeline_editor import PipelineEditor  # noqa: E402
from pipeline_editor.dialects import Dialect  # noqa: E402
from storm_report import StormReport  # noqa: E402

from mcp_server.host.config import EditorRoad  # noqa: E402

KILL_EACH = 20
ATTEMPTS = 20
LONG_S = 600
"""What a compile takes that is to be killed."""


class Storm:
    """One server and one client, and one Editor that dies now and then."""

    def __init__(self, live: LiveServer, client: Client, unity: PipelineEditor, seed: int) -> None:
        self._live = live
        self._client = client
        self._unity = unity
        self._random = random.Random(seed)
        self._dialects = itertools.cycle(Dialect)
        self.report = StormReport()

    async def run(self, count: int, kill_each: int) -> None:
        """Break and mend ``count`` times."""
        await self._live.logged("editor_state", state="ready", connected=True)
        for turn in range(1, count + 1):
            await self._break(turn)
            if turn % kill_each == 0:
                await self._kill(turn)
            await self._mend(turn)
        self.report.reloads = self._unity.reloads

    async def _break(self, turn: int) -> None:
        line, column = self._random.randint(1, 9000), self._random.randint(1, 200)
        path = f"Assets/Scripts/S{turn}.cs"
        self._unity.edit(f"{path}({line},{column}): error CS{turn:04}: broken in turn {turn}")
        told, took_ms = await self._told()
        self.report.failed_ms.append(took_ms)
        places = [(e["path"], e["line"], e["column"], e["code"]) for e in told.get("errors", [])]
        if (told.get("status"), places) != ("failed", [(path, line, column, f"CS{turn:04}")]):
            self.report.wrong.append(f"turn {turn}, broken: {told}")

    async def _mend(self, turn: int) -> None:
        self._unity.edit()
        told, took_ms = await self._told()
        self.report.mended_ms.append(took_ms)
        loaded = told.get("reloaded", False)
        if [told.get("status"), told.get("errors")] != ["succeeded", []] or loaded is False:
            self.report.wrong.append(f"turn {turn}, mended: {told}")

    async def _kill(self, turn: int) -> None:
        unity = self._unity
        unity.edit()
        unity.compile_s, usual_s = LONG_S, unity.compile_s
        call = asyncio.create_task(self._told())
        await asyncio.to_thread(unity.wait_until, lambda: unity.state == "compiling")
        await asyncio.to_thread(unity.crash)
        unity.compile_s, unity.dialect = usual_s, next(self._dialects)
        await asyncio.to_thread(unity.restart)
        self.report.kills += 1
        told, _ = await call
        problem = told.get("error", {})
        guarantee = problem.get("details", {}).get("execution_guarantee")
        if guarantee != "unknown" or "was closed or crashed" not in problem["message"]:
            self.report.wrong.append(f"turn {turn}, killed: {told}")

    async def _told(self) -> tuple[dict[str, Any], float]:
        """What a call is answered, and after how long. One that was not executed, as on a machine
        that is too busy for an Editor to answer in time, is made again."""
        for _ in range(ATTEMPTS):
            began = time.perf_counter()
            called = await self._client.call_tool("compile", read_timeout_seconds=120)
            told = dict(called.structured_content or {})
            took_ms = (time.perf_counter() - began) * 1000
            details = told.get("error", {}).get("details", {})
            if details.get("execution_guarantee") != "not_executed":
                break
            self.report.again += 1
        return told, took_ms


async def run(project: Path, count: int, seed: int, kill_each: int = KILL_EACH) -> StormReport:
    """Break and mend ``count`` times."""
    with PipelineEditor(project) as unity:
        async with (
            LiveServer(project=project, editor=EditorRoad.PIPELINE) as live,
            live.client() as client,
        ):
            storm = Storm(live, client, unity, seed)
            await storm.run(count, kill_each)
            return storm.report


def main() -> int:
    """Run by hand; prints the figures."""
    parser = argparse.ArgumentParser(
        allow_abbrev=False, description=__doc__.splitlines()[0] if __doc__ else None
    )
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as project:
        report = asyncio.run(run(Path(project), options.count, options.seed))
    print(report.table())
    return 1 if report.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
