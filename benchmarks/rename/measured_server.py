"""A server process asked by the MCP SDK's client: seconds, processor's time and memory."""

from __future__ import annotations

import os
import socket
import subprocess
import sysconfig
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mcp import Client

_LONGEST_S = 600.0


@dataclass(frozen=True, slots=True)
class Call:
    """What one call took. ``progress`` counts the reports that came meanwhile."""

    seconds: float
    cpu_seconds: float
    progress: int
    result: dict[str, Any]


class MeasuredServer:
    """One server, and a client of it."""

    def __init__(self, pid: int, client: Client) -> None:
        self._pid = pid
        self._client = client

    async def call(
        self,
        tool: str,
        arguments: dict[str, object],
    ) -> Call:
        """Call a tool. Raises ``RuntimeError`` if it answers with an error."""
        reports = 0

        async def told(progress: float, total: float | None, message: str | None) -> None:
            nonlocal reports
            reports += 1
            del progress, total, message

        cpu, started = self._cpu_seconds(), time.perf_counter()
        answer = await self._client.call_tool(tool, arguments, _LONGEST_S, told)
        took, used = time.perf_counter() - started, self._cpu_seconds() - cpu
        if answer.is_error:
            raise RuntimeError(f"{tool} {arguments}: {answer.structured_content}")
        return Call(took, used, reports, answer.structured_content or {})

    def memory_mib(self) -> list[tuple[str, float, float]]:
        """Return for each process its name, and how much it holds and held at most. Linux only."""
        found = []
        for pid in _tree(self._pid):
            status = Path(f"/proc/{pid}/status").read_text()
            held = {
                line.split(":")[0]: int(line.split()[1]) / 1024
                for line in status.splitlines()
                if line.startswith(("VmRSS", "VmHWM"))
            }
            words = Path(f"/proc/{pid}/cmdline").read_bytes().decode().split("\0")
            name = next((each for each in words if "roslyn_server" in each), Path(words[1]).name)
            found.append((name, held.get("VmRSS", 0.0), held.get("VmHWM", 0.0)))
        return found

    def _cpu_seconds(self) -> float:
        ticks = 0
        for pid in _tree(self._pid):
            told = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            ticks += int(told[11]) + int(told[12])
        return ticks / os.sysconf("SC_CLK_TCK")


@asynccontextmanager
async def serving(root: Path) -> AsyncIterator[MeasuredServer]:
    """Start ``unity-cli serve`` on a project; end it afterwards."""
    program = str(Path(sysconfig.get_path("scripts")) / "unity-cli")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    command = [program, "serve", "--project", str(root), "--lsp", "auto", "--port", str(port)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    try:
        assert process.stdout is not None
        process.stdout.readline()
        async with Client(f"http://127.0.0.1:{port}/mcp") as client:
            yield MeasuredServer(process.pid, client)
    finally:
        process.terminate()
        process.communicate(timeout=60)


def _tree(pid: int) -> Iterator[int]:
    """Yield a process and all that it started, also through others."""
    yield pid
    for children in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in children.read_text().split():
            yield from _tree(int(child))
