"""How long the package keeps the Editor's main loop, update by update.

    python tests/bench_scenarios/main_loop.py

Prints, for each activity, how long the package's callbacks took in one update of the main loop:
percentiles and the maximum, and how many updates went over 5 ms. The server and the package are
real; the bench measures around ``EditorApplication.update``. ``events`` are Unity's other calls
of the package: compilation, play mode, tests. What runs for the first time is compiled then: the
lines that say "first" show that.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
if __name__ == "__main__":
    sys.path[:0] = [str(HERE), str(HERE.parent / "doubles"), str(HERE.parents[1])]

from stage import Stage, on_stage  # noqa: E402

from tests.bench.editor import Event  # noqa: E402
from tests.bench.installation import Runtime, install  # noqa: E402

_COLUMNS = ("updates", "p50_us", "p99_us", "p999_us", "max_us", "over_5_ms", "events_max_us")


async def _idle(_stage: Stage, seconds: float) -> None:
    await asyncio.sleep(seconds)


async def _calls(stage: Stage, seconds: float) -> None:
    await _until(seconds, lambda: stage.result("get_play_mode_state"))


async def _console(stage: Stage, seconds: float) -> None:
    await _until(seconds, lambda: stage.result("read_console", max_entries=200))


async def _logging(stage: Stage, seconds: float) -> None:
    await _until(seconds, lambda: stage.do("flood 100 200"))


async def _tests(stage: Stage, seconds: float) -> None:
    await stage.do("tests-clear")
    for number in range(round(seconds * 50)):
        await stage.do(
            f"test edit Game.Many.T{number} {'failed' if number % 5 == 0 else 'passed'} 1"
        )
    job = (await stage.result("run_tests", mode="edit"))["job_id"]
    await stage.job(job, "succeeded")


async def _play(stage: Stage, seconds: float) -> None:
    await stage.do("play-reload off")

    async def both() -> None:
        await stage.result("control_play_mode", action="start")
        await stage.wait("play_mode", playing=True)
        await stage.result("control_play_mode", action="stop")
        await stage.wait("play_mode", playing=False)

    await _until(seconds, both)


async def _until(seconds: float, act: Any) -> None:
    loop = asyncio.get_running_loop()
    end = loop.time() + seconds
    while loop.time() < end:
        await act()


ACTIVITIES = {
    "first use": _calls,
    "idle": _idle,
    "get_play_mode_state": _calls,
    "read_console, 5000 entries": _console,
    "100 log lines, over and over": _logging,
    "a first run of tests": _tests,
    "a run of tests": _tests,
    "play mode on and off": _play,
}


async def measure(runtime: Runtime, seconds: float) -> list[tuple[str, Event]]:
    """What the bench says of each activity."""
    figures = []
    with tempfile.TemporaryDirectory() as project:
        async with on_stage(install(runtime), Path(project)) as stage:
            await stage.do("flood 5000 200")
            for name, activity in ACTIVITIES.items():
                await activity(stage, seconds)
                figures.append((name, await asyncio.to_thread(stage.editor.ask, "stats", "stats")))
    return figures


def main() -> int:
    """Run by hand; prints the table."""
    parser = argparse.ArgumentParser(
        allow_abbrev=False, description=__doc__.splitlines()[0] if __doc__ else None
    )
    parser.add_argument("--seconds", type=float, default=10, help="for each activity")
    parser.add_argument("--runtime", choices=[each.value for each in Runtime], default="mono")
    options = parser.parse_args()
    figures = asyncio.run(measure(Runtime(options.runtime), options.seconds))
    print(f"{'':30}" + "".join(f"{column:>14}" for column in _COLUMNS))
    for name, event in figures:
        print(f"{name:30}" + "".join(f"{event[column]:14}" for column in _COLUMNS))
    return 0


if __name__ == "__main__":
    sys.exit(main())
