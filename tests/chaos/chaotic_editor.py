"""An Editor that compiles, reloads, freezes, crashes and misanswers at random, from a seed.

It keeps a log of what it really executed: that is what every claim is held against.
"""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from fake_editor import FakeEditor, Job
from websockets.exceptions import ConnectionClosed

Json = dict[str, Any]


@dataclass
class ChaoticEditor(FakeEditor):
    """One unreliable Editor. Durations are seconds."""

    seed: int = 0
    executions: Counter[str] = field(default_factory=Counter)
    """How often each call, by its ``client_request_id``, was executed."""
    job_log: dict[str, Job] = field(default_factory=dict)
    """Every job there ever was, those that died with a crash included."""
    submitted_by: dict[str, str] = field(default_factory=dict)
    """Which call each job belongs to."""
    died: set[str] = field(default_factory=set)
    """The jobs that a crash made this Editor forget."""
    happened: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.random = random.Random(self.seed)
        self._tasks: set[asyncio.Task[None]] = set()
        self._held_back: list[Json] = []

    async def live(self, over: asyncio.Event) -> None:
        """Be unreliable until ``over``; then be ready and reliable, until cancelled."""
        fates = {
            self._compile: 4,
            self._compile_and_reload: 4,
            self._freeze: 2,
            self._crash: 1,
            self._lose_the_connection: 1,
            self._quit_and_return: 1,
            self._talk_nonsense: 2,
        }
        while not over.is_set():
            await self._pause(0.05, 0.5)
            (fate,) = self.random.choices(list(fates), list(fates.values()))
            self.happened[fate.__name__.strip("_")] += 1
            with suppress(ConnectionClosed, ConnectionError):
                await fate()
            if self.closed.is_set():
                await self._return()
        self.frozen = False
        await self._stay()

    async def _stay(self) -> None:
        """Be ready, and come back if the server takes a busy machine's delay for an absence."""
        while True:
            if self.closed.is_set():
                await self._return()
            with suppress(ConnectionClosed):
                await self.enter("ready")
            await self.closed.wait()

    async def _pause(self, shortest: float, longest: float) -> None:
        await asyncio.sleep(self.random.uniform(shortest, longest))

    async def _return(self) -> None:
        """Connect until it works, as the plugin does."""
        while True:
            with suppress(ConnectionClosed, ConnectionError, OSError, TimeoutError):
                await self.connect()
                break
            await self._pause(0.01, 0.05)
        self._answer_what_was_held_back()

    async def _compile(self) -> None:
        await self.enter("compiling")
        await self._pause(0, 0.2)
        await self.enter("ready")

    async def _compile_and_reload(self) -> None:
        await self.enter("compiling")
        await self._pause(0, 0.1)
        if self.random.random() < 0.3:
            await self.enter("ready")  # the moment that looks ready and is not
        await self.reload()
        await self._pause(0, 0.3)

    async def _freeze(self) -> None:
        self.frozen = True
        await self._pause(0, 0.5)
        self.frozen = False

    async def _crash(self) -> None:
        await self.abort()
        self.died.update(self.jobs)
        for job in self.jobs.values():
            job.finish("failed")
        self.jobs.clear()
        await self._pause(0.05, 0.4)

    async def _lose_the_connection(self) -> None:
        await self.abort()

    async def _quit_and_return(self) -> None:
        await self.close()
        await self._pause(0, 0.3)

    async def _talk_nonsense(self) -> None:
        nonsense: list[str | bytes] = ["garbage", "[]", b"\x00", '{"type": "result"}', "{}"]
        await self.say_raw(self.random.choice(nonsense))
        await self.say("result", request_id="req-unknown", status="ok", result={})

    # -- work --------------------------------------------------------------------------------

    async def _react(self, frame: Json) -> None:
        if frame["type"] == "ping":
            await super()._react(frame)
            return
        task = asyncio.create_task(self._work(frame))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _work(self, frame: Json) -> None:
        with suppress(ConnectionClosed):
            if frame["type"] == "execute":
                await self._execute(frame)
            elif frame["type"] == "submit_job":
                await self._submit(frame)
            else:
                await super()._react(frame)

    async def _execute(self, frame: Json) -> None:
        if self.random.random() < 0.03:
            await self.refuse(frame, "ERR_INVALID_PARAMS", "not today")
            return
        self.executions[frame["client_request_id"]] += 1
        if self.random.random() < 0.3:
            await self._pause(0, 0.02)
        chance = self.random.random()
        if chance < 0.01:
            self.happened["never answered"] += 1
        elif chance < 0.03:
            self.happened["answered late"] += 1
            self._held_back.append(frame)
            if chance < 0.02:
                await self._pause(0, 0.3)
                self._answer_what_was_held_back()
        elif chance < 0.04:
            self.happened["answered wrongly"] += 1
            await self.answer(frame, {"wrong": True})
        elif chance < 0.045:
            self.happened["answered oversize"] += 1
            await self.answer(frame, {"entries": "x" * 1_100_000})
        else:
            await self.answer(frame)
            if chance < 0.07:
                self.happened["answered twice"] += 1
                await self.answer(frame)

    def _answer_what_was_held_back(self) -> None:
        held_back, self._held_back = self._held_back, []

        async def answer_all() -> None:
            with suppress(ConnectionClosed):
                for frame in held_back:
                    await self.answer(frame)

        task = asyncio.create_task(answer_all())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _submit(self, frame: Json) -> None:
        call = frame["client_request_id"]
        self.executions[call] += 1
        job = Job(f"job-{len(self.job_log)}", frame["params"])
        self.jobs[job.job_id] = self.job_log[job.job_id] = job
        self.submitted_by[job.job_id] = call
        task = asyncio.create_task(self._run_job(job))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        await self.say(
            "submit_job_result",
            request_id=frame["request_id"],
            status="accepted",
            job_id=job.job_id,
        )

    async def _run_job(self, job: Job) -> None:
        await self._pause(0, 0.3)
        if job.state != "queued":
            return
        job.state = "running"
        for completed in range(3):
            job.progress = {"completed": completed, "total": 3}
            await self._pause(0, 0.2)
            if completed and job.params.get("cancelled"):
                job.finish("cancelled")
        job.finish()

    async def cancel(self, frame: Json) -> None:
        job = self.jobs.get(frame["target_job_id"])
        if job is not None and job.state == "running":
            job.params["cancelled"] = True
        await super().cancel(frame)
