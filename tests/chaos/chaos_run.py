"""Many clients, one unreliable Editor: nothing is lost, doubled or claimed wrongly.

    python tests/chaos/chaos_run.py --calls 10000 --clients 16 --seed 1 --road pipeline

Exit code 1 when anything that was promised was not kept. The server runs in a process of its
own, with windows a fraction of the real ones; everything goes over real sockets.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
if __name__ == "__main__":
    sys.path[:0] = [str(HERE.parent / "doubles"), str(HERE)]

from calls import Call, Witness  # noqa: E402
from chaos_server import ASK_WHERE  # noqa: E402
from gated_edits import GatedEdits  # noqa: E402
from mcp import Client  # noqa: E402
from pipeline_witness import PipelineWitness  # noqa: E402
from plugin_witness import PluginWitness  # noqa: E402
from swapped_ports import swap_ports  # noqa: E402

from mcp_server.editor.job_manager import KEEP_MS  # noqa: E402

Json = dict[str, Any]

SCALE = {"plugin": 20, "pipeline": 5}
"""How many times as short the server's windows are."""

MEMORY_GROWTH_MIB = 24
"""How much the server may grow between the first fifth of the calls and the last."""

GATED = "edit_snippet"

TOOLS = {
    "read_console": 35,
    "get_play_mode_state": 15,
    "control_play_mode": 20,
    "get_editor_state": 8,
    "run_tests": 5,
    "compile": 5,
    "get_job_status": 12,
    "cancel_job": 5,
    "get_symbols": 5,
    GATED: 8,
}

ROADS = ("plugin", "pipeline")

PATIENCE_S = 300
"""Who hasn't ended after so many seconds hangs, on however busy a machine."""

CALLS_TO_A_SWAP = 300
"""How many calls of a run go with one more swap of two other servers' ports."""

LAST_WORDS_S = 5

SCRIPT = "Assets/Player.cs"

ATTEMPTS = 4
"""How often a call that changes things is made at most, while its outcome is unknown."""

IMPATIENT = 0.03
"""How many of the calls are given up by their clients after a moment."""


@dataclass
class Report:
    """What came of a run."""

    calls: list[Call]
    witness: Witness
    final_jobs: dict[str, Json]
    """By id: the last status of each job, once it had ended."""
    seconds: float
    memory_mib: list[float]
    server_errors: list[str] = field(default_factory=list)

    def broken_promises(self) -> list[str]:
        """Everything that went against the contract, a line each; empty when all was kept."""
        broken = [*self.server_errors]
        for call in self.calls:
            told = [*call.wrong, *([] if call.tool == GATED else self.witness.against(call))]
            if call.answer is None and call.patience_s == Call.patience_s:
                told.append(f"no answer ({call.raised})")
            if call.tool == "get_symbols" and call.error:
                told.append(str(call.error))
            broken += [f"{call.name} {call.tool}: {each}" for each in told]
        issued = Counter(c.answer["job_id"] for c in self.calls if _is_run(c) and c.answer)
        broken += [f"{job_id} was issued {n} times" for job_id, n in issued.items() if n > 1]
        for call in self.calls:
            status = self.final_jobs.get((call.answer or {}).get("job_id", ""))
            if _is_run(call) and status is not None:
                broken += self.witness.against_job(call, status)
        if len(self.memory_mib) >= 5:
            early, late = self.memory_mib[len(self.memory_mib) // 5], self.memory_mib[-1]
            if late - early > MEMORY_GROWTH_MIB:
                broken.append(f"memory grew from {early:.0f} to {late:.0f} MiB")
        return broken

    def summary(self) -> str:
        """What happened, for people."""
        outcomes = Counter(
            call.error["code"] if call.error else "ok" if call.answer else "given up"
            for call in self.calls
        )
        jobs = Counter(each["state"] for each in self.final_jobs.values())
        compiled = Counter(
            call.error["code"] if call.error else "ok"
            for call in self.calls
            if call.tool == "compile" and call.answer
        )
        retried = Counter(
            call.error["code"] if call.error else "ok"
            for call in self.calls
            if call.attempts > 1 and call.answer
        )
        edits = Counter(
            call.error["code"] if call.error else call.answer["status"]
            for call in self.calls
            if call.tool == GATED and call.answer
        )
        memory = ", ".join(
            f"{each:.0f}" for each in self.memory_mib[:: max(1, len(self.memory_mib) // 8)]
        )
        return "\n".join(
            [
                f"{len(self.calls)} calls in {self.seconds:.0f} s",
                f"outcomes: {dict(outcomes.most_common())}",
                f"made again after an unknown outcome: {dict(retried.most_common())}",
                f"the Editor: {dict(self.witness.happened.most_common())}",
                f"jobs: {dict(jobs)}",
                f"compile: {dict(compiled.most_common())}",
                f"gated edits: {dict(edits.most_common())}",
                f"server memory, MiB: {memory}",
            ]
        )


def _is_run(call: Call) -> bool:
    return call.tool == "run_tests" and call.ok


class _Server:
    """The server's process."""

    def __init__(self, project: Path, road: str, port: int = 0) -> None:
        given = (str(SCALE[road]), str(project), road, str(port))
        self._process = subprocess.Popen(
            [sys.executable, str(HERE / "chaos_server.py"), *given],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self._process.stdout is not None
        self.port = int(self._process.stdout.readline())
        self.errors: list[str] = []
        self._reader = threading.Thread(target=self._read_log, daemon=True)
        self._reader.start()

    def _read_log(self) -> None:
        """Drain the log; an error in it is a bug."""
        assert self._process.stderr is not None
        for line in self._process.stderr:
            try:
                wrong = json.loads(line)["level"] in ("error", "critical")
            except ValueError:  # what the interpreter itself has to say
                wrong = True
            if wrong:
                self.errors.append(f"the server logged: {line.rstrip()}")

    def memory_mib(self) -> float | None:
        """What it occupies now; ``None`` where that can't be told."""
        status = Path(f"/proc/{self._process.pid}/status")
        if not status.exists():
            return None
        (line,) = (each for each in status.read_text().splitlines() if each.startswith("VmRSS"))
        return int(line.split()[1]) / 1024

    def kill(self) -> int:
        """End it at once."""
        self._process.kill()
        return self.stop()

    def stop(self) -> int:
        """Ask it to end; its exit code. Of one that doesn't, :attr:`errors` say where it hangs."""
        self._process.terminate()
        try:
            code = self._process.wait(PATIENCE_S)
        except subprocess.TimeoutExpired:
            if ASK_WHERE is not None:
                self._process.send_signal(ASK_WHERE)
                time.sleep(LAST_WORDS_S)
            self._process.kill()
            code = self._process.wait()
        self._reader.join()
        for pipe in (self._process.stdout, self._process.stderr):
            assert pipe is not None
            pipe.close()
        return code


async def run(*, calls: int, clients: int, seed: int, road: str = "plugin") -> Report:
    """Do it over one of the :data:`ROADS`, and return what came of it."""
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder)
        for part in ("Assets", "Packages", "ProjectSettings"):
            (project / part).mkdir()
        (project / SCRIPT).write_text("class Player { int speed; }\n", encoding="utf-8")
        server = _Server(project, road)
        witness: Witness = (
            PluginWitness(server.port, seed, project)
            if road == "plugin"
            else PipelineWitness(project, seed)
        )
        try:
            report = await _run(server, witness, project, calls=calls, clients=clients, seed=seed)
        finally:
            code = await asyncio.to_thread(server.stop)
        if road == "pipeline":

            def start(its_project: Path, port: int) -> _Server:
                return _Server(its_project, road, port)

            rounds = max(1, calls // CALLS_TO_A_SWAP)
            server.errors += await swap_ports(start, project / "swapped", rounds, seed)
    report.server_errors = server.errors
    if code != 0:
        report.server_errors.append(f"the server ended with exit code {code}")
    return report


async def _run(
    server: _Server, witness: Witness, project: Path, *, calls: int, clients: int, seed: int
) -> Report:
    await witness.begin()
    url = f"http://127.0.0.1:{server.port}/mcp"
    done: list[Call] = []
    memory: list[float] = []
    started = time.monotonic()

    async def client(number: int) -> None:
        chance = random.Random(f"{seed}:{number}")
        jobs: list[str] = []
        edits = GatedEdits(project, number)
        async with Client(url, mode="legacy" if number % 4 == 0 else "auto") as mcp_client:
            for n in range(number, calls, clients):
                call = _choose(chance, f"call-{n}", jobs, witness.timeouts_ms)
                if call.tool == GATED:
                    done.append(await edits.one(mcp_client, chance, call.name))
                    continue
                await _make(mcp_client, call)
                while call.lost and call.attempts < ATTEMPTS and chance.random() < 0.8:
                    call.attempts += 1
                    await asyncio.sleep(chance.uniform(0, 0.5))
                    await _make(mcp_client, call)
                done.append(call)
                if _is_run(call):
                    assert call.answer is not None
                    jobs.append(call.answer["job_id"])
                if len(done) % max(1, calls // 20) == 0:
                    occupied = server.memory_mib()
                    memory.extend([] if occupied is None else [occupied])

    await asyncio.gather(*(client(number) for number in range(clients)))
    seconds = time.monotonic() - started
    await witness.settle()
    try:
        final_jobs = await _final_jobs(url, done)
    finally:
        await witness.end()
    return Report(done, witness, final_jobs, seconds, memory)


def _choose(
    chance: random.Random, name: str, jobs: list[str], timeouts_ms: tuple[int, ...]
) -> Call:
    (tool,) = chance.choices(list(TOOLS), list(TOOLS.values()))
    if tool in ("get_job_status", "cancel_job") and not jobs:
        tool = "run_tests"
    arguments: Json = {"client_request_id": name}
    if tool in ("get_job_status", "cancel_job"):
        arguments["job_id"] = chance.choice(jobs[-5:])
    if tool == "control_play_mode":
        arguments["action"] = chance.choice(["start", "stop", "pause"])
    if tool == "run_tests":
        arguments["filter"] = name
    if tool == "get_symbols":
        arguments = {"path": SCRIPT}
    elif tool not in ("run_tests", "get_editor_state"):
        arguments["timeout_ms"] = chance.choice(timeouts_ms)
    patience_s = 0.03 if chance.random() < IMPATIENT else Call.patience_s
    return Call(name, tool, arguments, patience_s=patience_s)


async def _make(client: Client, call: Call) -> None:
    call.began_s = call.began_s or time.monotonic()
    try:
        called = await client.call_tool(
            call.tool, call.arguments, read_timeout_seconds=call.patience_s
        )
    except Exception as error:
        call.raised, call.answer = repr(error), None
        return
    finally:
        call.ended_s = time.monotonic()
    call.answer = dict(called.structured_content or {})


async def _final_jobs(url: str, calls: list[Call]) -> dict[str, Json]:
    """The status of every job that was issued, once each has ended, by its id.

    Without those that the server has had time to forget; it must know all the others.
    """
    issued = [c for c in calls if c.answer and _is_run(c)]
    states: dict[str, Json] = {}
    async with Client(url) as client:
        for call in issued[-500:]:  # the server forgets the oldest of more
            assert call.answer is not None
            job_id = call.answer["job_id"]
            for _ in range(100):
                called = await client.call_tool(
                    "get_job_status", {"job_id": job_id, "wait_ms": 2_000}
                )
                answer = called.structured_content
                assert isinstance(answer, dict)
                if called.is_error and time.monotonic() - call.ended_s > KEEP_MS / 1000:
                    break
                assert not called.is_error, (job_id, answer)
                states[job_id] = {"state": str(answer), **answer}
                if states[job_id]["state"] not in ("queued", "running"):
                    break
    return states


def main() -> int:
    parser = argparse.ArgumentParser(allow_abbrev=False, description=__doc__.partition("\n")[0])
    parser.add_argument("--calls", type=int, default=10_000)
    parser.add_argument("--clients", type=int, default=16)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--road", choices=ROADS, default=ROADS[0])
    options = parser.parse_args()
    report = asyncio.run(
        run(calls=options.calls, clients=options.clients, seed=options.seed, road=options.road)
    )
    print(report.summary())
    broken = report.broken_promises()
    print("\n".join(broken[:50]) if broken else "every promise was kept")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
