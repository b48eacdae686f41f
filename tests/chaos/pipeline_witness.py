"""What is claimed over the Pipeline's road, held against the chaotic double's log."""

from __future__ import annotations

import asyncio
import threading
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from calls import Call
from chaotic_pipeline import ChaoticPipeline

from unity_bridge.pipeline.run_jobs import MAX_REFRESHES

CHANGES = ("editor_play", "editor_stop", "editor_pause", "recompile", "run_tests", "cancel_tests")
"""Commands that change things, by their old names."""

JOINED_S = 2.0
"""What a call is told by a compilation that it joins may have been seen so long before it came."""


class PipelineWitness:
    """An Editor that the server finds by its descriptor."""

    timeouts_ms = (250, 1_500, 4_000, 10_000)

    def __init__(self, project: Path, seed: int) -> None:
        self.editor = ChaoticPipeline(project, seed=seed)
        self.happened: Counter[str] = self.editor.happened
        self._over = threading.Event()
        self._life = threading.Thread(target=self.editor.live, args=[self._over], daemon=True)

    async def begin(self) -> None:
        await asyncio.to_thread(self.editor.start)
        self._life.start()

    async def settle(self) -> None:
        self._over.set()
        await asyncio.to_thread(self._life.join)

    async def end(self) -> None:
        await asyncio.to_thread(self.editor.stop)

    def against_job(self, call: Call, status: Mapping[str, Any]) -> list[str]:
        job_id, state, result = status["job_id"], status["state"], status["result"] or {}
        runs = self.editor.test_runs.get(call.name, [])
        if len(runs) > 1:
            return [f"{job_id}: {len(runs)} runs were started for it"]
        real = runs[0].state if runs else "never begun"
        if real == "completed":
            ran = {"passed": runs[0].passed, "failed": runs[0].failed}
            summary = result.get("summary", {})
            if state != "succeeded" or any(summary[name] != ran[name] for name in ran):
                return [f"{job_id} completed with {ran}; the server says {state}, {result}"]
        elif state == "succeeded" or (state == "cancelled" and real == "running"):
            return [f"{job_id} is {real}; the server says {state}, {result}"]
        return []

    def against(self, call: Call) -> list[str]:
        executed = {name: n for name in CHANGES if (n := self.editor.executions[call.name, name])}
        broken = [
            f"{name} executed {n} times"
            for name, n in executed.items()
            # A compile that others join is followed by another, for whom it is counted, too.
            if n > (MAX_REFRESHES if name == "recompile" else 1)
        ]
        if call.answer is None:
            return broken
        if call.claims == "not_executed" and executed and call.attempts == 1:
            broken.append(f"claims not_executed, but {executed} ({call.error})")
        if call.claims == "completed_error" and not self._failed(call):
            broken.append(f"claims completed_error, but none failed ({call.error})")
        if call.ok:
            broken += self._against_result(call, call.answer)
        return broken

    def _failed(self, call: Call) -> bool:
        """Whether anything failed for a call, or had to."""
        if self.editor.failures[call.name]:
            return True
        moments = self.editor.moments(call.began_s - JOINED_S, call.ended_s)
        if call.tool == "control_play_mode" and call.arguments["action"] == "pause":
            return any(each.play_mode == "stopped" for each in moments)
        if call.tool == "control_play_mode" and call.arguments["action"] == "start":
            return any(each.compiled_errors for each in moments)
        # A compilation that several calls share failed for the first of them.
        code = (call.error or {})["details"].get("plugin_error_code")
        failed = code == "PIPELINE_COMMAND_FAILED" and any(self.editor.failures.values())
        return call.tool == "compile" and failed

    def _against_result(self, call: Call, answer: Mapping[str, Any]) -> list[str]:
        if call.tool in ("get_play_mode_state", "control_play_mode"):
            told = answer["is_playing"], answer["is_paused"]
            modes = {each.play_mode for each in self.editor.moments(call.began_s, call.ended_s)}
            if told not in {(mode != "stopped", mode == "paused") for mode in modes}:
                return [f"told playing, paused = {told}, while play mode was {sorted(modes)}"]
        if call.tool == "read_console":
            strange = {each["message"] for each in answer["entries"]} - self.editor.logged
            names = ("console", "get_console_logs")
            if strange or not any(self.editor.executions[call.name, name] for name in names):
                return [f"told {sorted(strange)}, and nobody asked the Editor, or it didn't log it"]
        if call.tool == "compile":
            return self._against_compile(call, answer)
        return []

    def _against_compile(self, call: Call, answer: Mapping[str, Any]) -> list[str]:
        began_s = call.began_s - JOINED_S
        if answer["status"] == "failed":
            told = tuple(each["message"] for each in answer["errors"])
            true = {
                tuple(error.partition("error CS0029: ")[2] for error in each.compiled_errors)
                for each in self.editor.moments(began_s, call.ended_s)
            }
            return [] if told in true - {()} else [f"told {told}, and the Editor had {true}"]
        if answer["status"] == "up_to_date":
            times = self.editor.nothing_to_compile_s
            there = any(began_s <= each <= call.ended_s for each in times)
            return [] if there else ["told up_to_date, which the Editor did not say"]
        good = any(
            not each.errors and each.ended_s is not None and began_s <= each.ended_s <= call.ended_s
            for each in self.editor.compilations
        )
        if good or self._joined_a_good_one(call):
            return []
        return [f"told {answer}, and nothing was compiled without errors"]

    def _joined_a_good_one(self, call: Call) -> bool:
        """Whether another's compile was told, after which the Editor found nothing more to do.

        That one may have ended long before the call came, as its job goes on until the reload that
        follows is over.
        """
        if self.editor.executions[call.name, "recompile"]:
            return False
        for looked_s in self.editor.nothing_to_compile_s:
            ended = [
                each
                for each in self.editor.compilations
                if each.ended_s is not None and each.ended_s < looked_s
            ]
            if call.began_s <= looked_s <= call.ended_s and ended and not ended[-1].errors:
                return True
        return False
