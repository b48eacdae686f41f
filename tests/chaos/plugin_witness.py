"""What is claimed over the plugin's road, held against the chaotic Editor's log."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from calls import Call
from chaotic_editor import ChaoticEditor
from marked_scripts import MarkedScripts


class PluginWitness:
    """An Editor whose plugin connects to the server."""

    timeouts_ms = (60, 300, 1_500, 4_000)

    def __init__(self, port: int, seed: int, project: Path) -> None:
        scripts = MarkedScripts(project)
        self.editor = ChaoticEditor(f"ws://127.0.0.1:{port}/unity", seed=seed, scripts=scripts)
        self.happened: Counter[str] = self.editor.happened
        self._over = asyncio.Event()
        self._life: asyncio.Task[None] | None = None

    async def begin(self) -> None:
        await self.editor.connect()
        self._life = asyncio.create_task(self.editor.live(self._over))

    async def settle(self) -> None:
        self._over.set()

    async def end(self) -> None:
        assert self._life is not None
        self._life.cancel()
        with suppress(asyncio.CancelledError):
            await self._life

    def against_job(self, call: Call, status: Mapping[str, Any]) -> list[str]:
        job_id, state = status["job_id"], status["state"]
        real = self.editor.job_log[job_id].state
        died = job_id in self.editor.died and state in ("failed", "unknown", "cancelled")
        forgotten = job_id in self.editor.forgotten and state == "unknown"
        if state == real or died or forgotten:
            return []
        return [f"{job_id} ended as {real}; the server says {state}"]

    def against(self, call: Call) -> list[str]:
        executed = self.editor.executions[call.name]
        broken = []
        if executed > 1:
            broken.append(f"executed {executed} times")
        if call.answer is None:
            return broken
        if call.tool in ("get_editor_state", "get_job_status", "cancel_job", "get_symbols"):
            status = call.answer.get("status")
            job = self.editor.job_log.get(call.arguments.get("job_id", ""))
            gone = job is not None and job.job_id in self.editor.died
            if status == "cancelled" and not gone and (job is None or job.state != "cancelled"):
                broken.append(f"cancelled, but the job is {job}")
            return broken
        if call.claims == "completed" and executed != 1:
            broken.append(f"claims completed, executed {executed} times")
        if call.claims == "completed_error" and not self.editor.failures[call.name]:
            broken.append("claims completed_error, but none failed")
        if call.claims == "not_executed" and executed and call.attempts == 1:
            broken.append(f"claims not_executed, but was ({call.error})")
        if call.tool == "run_tests" and call.ok:
            owner = self.editor.submitted_by.get(call.answer["job_id"])
            if owner != call.name:
                broken.append(f"was given the job of {owner}")
        if call.tool == "compile" and call.ok:
            compiled = [
                job.result["duration_ms"]
                for job in self.editor.compiled_for.get(call.name, [])
                if job.state == "succeeded" and job.result is not None
            ]
            if call.answer["duration_ms"] not in compiled:
                broken.append(f"was told of another compilation ({call.answer})")
        return broken
