"""Breaks a script and mends it, over and over, and asks ``compile`` each time.

    python tests/bench_scenarios/compile_storm.py --count 200

Every second ``compile`` goes through a real domain reload. In each 50th turn the Editor is killed
while it compiles: that call must end as unknown, and the next Editor must compile. Prints how long
the answers took, and those that were not what they had to be.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
if __name__ == "__main__":
    sys.path[:0] = [str(HERE), str(HERE.parent / "doubles"), str(HERE.parents[1])]

from live_server import LiveServer  # noqa: E402
from stage import Stage  # noqa: E402
from storm_report import StormReport  # noqa: E402

from tests.bench.editor import BenchEditor  # noqa: E402
from tests.bench.installation import Installation, Runtime, install, prepare_project  # noqa: E402

KILL_EACH = 50


class Storm:
    """One server and one client, and one Editor after the other."""

    def __init__(self, live: LiveServer, client: Any, seed: int) -> None:
        self._live = live
        self._client = client
        self._random = random.Random(seed)
        self._killed: asyncio.Task[Any] | None = None
        self.report = StormReport()

    async def run(
        self, installation: Installation, project: Path, count: int, kill_each: int
    ) -> None:
        """Break and mend ``count`` times."""
        turn = 0
        while turn < count:
            with BenchEditor(installation, project) as editor:
                stage = Stage(self._live, editor, self._client, len(self._live.log))
                await stage.ready()
                await self._unknown(turn)
                while turn < count:
                    turn += 1
                    await self._break(stage, turn)
                    if turn % kill_each == 0:
                        await self._kill(stage, turn)
                        break
                    await self._mend(stage, turn)
                self.report.reloads += sum(e["event"] == "reloaded" for e in editor.events)

    async def _break(self, stage: Stage, turn: int) -> None:
        line, column = self._random.randint(1, 9000), self._random.randint(1, 200)
        path = f"Assets/Scripts/S{turn}.cs"
        await stage.do(f"edited {path}({line},{column}): CS{turn:04}: broken in turn {turn}")
        began = time.perf_counter()
        told = await self._told(stage)
        self.report.failed_ms.append((time.perf_counter() - began) * 1000)
        places = [(e["path"], e["line"], e["column"], e["code"]) for e in told.get("errors", [])]
        if (told.get("status"), places) != ("failed", [(path, line, column, f"CS{turn:04}")]):
            self.report.wrong.append(f"turn {turn}, broken: {told}")

    async def _mend(self, stage: Stage, turn: int) -> None:
        await stage.do("edited")
        began = time.perf_counter()
        told = await self._told(stage)
        self.report.mended_ms.append((time.perf_counter() - began) * 1000)
        if [told.get(name) for name in ("status", "errors", "reloaded")] != ["succeeded", [], True]:
            self.report.wrong.append(f"turn {turn}, mended: {told}")

    async def _told(self, stage: Stage) -> dict[str, Any]:
        """What a call is answered; of one that fails, also what the Editor did last."""
        outcome = await stage.call("compile")
        told = dict(outcome.structured_content or {})
        return {**told, "events": stage.editor.events[-5:]} if outcome.is_error else told

    async def _kill(self, stage: Stage, turn: int) -> None:
        await stage.do("hold-compilation on", "edited")
        call = asyncio.create_task(stage.call("compile"))
        await stage.wait("compiling")
        await asyncio.to_thread(stage.editor.kill)
        self.report.kills += 1
        self._killed = call

    async def _unknown(self, turn: int) -> None:
        """The call that was under way when the last Editor was killed has ended, as it must."""
        if self._killed is None:
            return
        outcome = await self._killed
        self._killed = None
        error = (outcome.structured_content or {}).get("error", {})
        if error.get("details", {}).get("execution_guarantee") != "unknown":
            self.report.wrong.append(f"killed before turn {turn}: {outcome.structured_content}")


async def run(
    installation: Installation, project: Path, count: int, seed: int, kill_each: int = KILL_EACH
) -> StormReport:
    """Break and mend ``count`` times; what becomes of an Editor that is killed last isn't seen."""
    async with LiveServer() as live, live.client() as client:
        prepare_project(project, live.port)
        storm = Storm(live, client, seed)
        await storm.run(installation, project, count, kill_each)
        return storm.report


def main() -> int:
    """Run by hand; prints the figures."""
    parser = argparse.ArgumentParser(
        allow_abbrev=False, description=__doc__.splitlines()[0] if __doc__ else None
    )
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--runtime", choices=[each.value for each in Runtime], default="mono")
    options = parser.parse_args()
    installation = install(Runtime(options.runtime))
    with tempfile.TemporaryDirectory() as project:
        report = asyncio.run(run(installation, Path(project), options.count, options.seed))
    print(report.table())
    return 1 if report.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
