"""Two projects whose servers are killed again and again, and start on each other's ports.

Each has a run of tests in its Editor meanwhile, over the Pipeline. What a server says of it, and of
the other project's, is held against what is so.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mcp import Client, MCPError
from pipeline_editor import PipelineEditor
from tasks_client import TasksClient, TasksClientExtension

PATIENCE_S = 120

Run = tuple[str, str]
"""A run of tests: whether it is followed as a ``task`` or as a ``job``, and its id."""


async def swap_ports(
    start: Callable[[Path, int], Any], folder: Path, rounds: int, seed: int
) -> list[str]:
    """What was said that isn't so. ``start`` a server of a project, on a port or, 0, any; it has a
    ``port``, and ``kill`` and ``stop``."""
    chance, wrong = random.Random(seed), []
    projects = [folder / name for name in ("one", "two")]
    for project in projects:
        for part in ("Assets", "Packages", "ProjectSettings"):
            (project / part).mkdir(parents=True)
    with PipelineEditor(projects[0]) as one, PipelineEditor(projects[1]) as two:
        servers = [start(project, 0) for project in projects]
        one.ends_tests = two.ends_tests = False
        for number in range(rounds):
            runs = [
                await _begun(servers[0], one, chance.choice(["task", "job"])),
                await _begun(servers[1], two, chance.choice(["task", "job"])),
            ]
            ports = [server.port for server in servers]
            for server in servers:
                await asyncio.to_thread(server.kill if chance.random() < 0.5 else server.stop)
            for mine in chance.sample((0, 1), 2):  # one of the two is there first
                servers[mine] = start(projects[mine], ports[1 - mine])
                said = [await _state(servers[mine], runs[each]) for each in (mine, 1 - mine)]
                if said[0] not in ("working", "running") or said[1] != "not known":
                    wrong.append(f"ports swapped, {number}: of its own and the other's run {said}")
            one.finish_tests()
            two.finish_tests()
            for server, run in zip(servers, runs, strict=True):
                async with asyncio.timeout(PATIENCE_S):
                    while (state := await _state(server, run)) in ("working", "running"):
                        await asyncio.sleep(0.1)
                if state not in ("completed", "succeeded"):
                    wrong.append(f"ports swapped, {number}: it has succeeded, and is {state}")
        for server in servers:
            await asyncio.to_thread(server.stop)
        begun = [len(editor.did("run_tests")) for editor in (one, two)]
    return wrong if begun == [rounds] * 2 else [*wrong, f"{begun} runs were begun, not {rounds}"]


def _client(server: Any, kind: str) -> Client:
    extensions = [TasksClientExtension()] if kind == "task" else []
    return Client(f"http://127.0.0.1:{server.port}/mcp", extensions=extensions)


async def _begun(server: Any, editor: PipelineEditor, kind: str) -> Run:
    async with asyncio.timeout(PATIENCE_S), _client(server, kind) as client:
        while True:
            told = await TasksClient(client).call("run_tests")
            known = getattr(told, "task_id", None) or told.structured_content.get("job_id")
            if known is not None:
                break
            await asyncio.sleep(0.1)  # the Editor isn't found yet
        await asyncio.to_thread(editor.wait_until, lambda: editor.run is not None)
        return kind, known


async def _state(server: Any, run: Run) -> str:
    async with asyncio.timeout(PATIENCE_S), _client(server, run[0]) as client:
        if run[0] == "job":
            told = await client.call_tool("get_job_status", {"job_id": run[1]})
            return "not known" if told.is_error else str(told.structured_content["state"])
        try:
            return str((await TasksClient(client).ask("get", run[1]))["status"])
        except MCPError:
            return "not known"
