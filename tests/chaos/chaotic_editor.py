"""An Editor that compiles, reloads, freezes, crashes and misanswers at random, from a seed.

It keeps a log of what it really executed: that is what every claim is held against. Its plugin is
the project's own, or in some of its processes one of the first protocol: that one remembers no
requests, announces nothing, and keeps the results of eight jobs.
"""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from fake_editor import COMPILED, FakeEditor, Job, PluginError
from marked_scripts import MarkedScripts
from websockets.exceptions import ConnectionClosed

Json = dict[str, Any]


@dataclass
class ChaoticEditor(FakeEditor):
    """One unreliable Editor. Durations are seconds."""

    seed: int = 0
    scripts: MarkedScripts | None = None
    """What it compiles."""
    executions: Counter[str] = field(default_factory=Counter)
    """How often each call, by its ``client_request_id``, was executed."""
    failures: Counter[str] = field(default_factory=Counter)
    """How often each call was tried and failed, without doing anything."""
    job_log: dict[str, Job] = field(default_factory=dict)
    """Every job there ever was, those that died with a crash included."""
    submitted_by: dict[str, str] = field(default_factory=dict)
    """Which call each job belongs to; of a compilation, the call that began it."""
    compiled_for: dict[str, list[Job]] = field(default_factory=dict)
    """The compilations that each call began or joined."""
    died: set[str] = field(default_factory=set)
    """The jobs whose Editor crashed or was closed."""
    forgotten: set[str] = field(default_factory=set)
    """The jobs that the plugin forgot although it is the same Editor."""
    confirmed: set[str] = field(default_factory=set)
    """The jobs whose end the server says to know."""
    happened: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.random = random.Random(self.seed)
        self._tasks: set[asyncio.Task[None]] = set()
        self._answers: set[asyncio.Task[None]] = set()
        self._held_back: list[Json] = []
        self._settled = asyncio.Event()
        self._processes = 0
        self._sessions = 0
        self.modern = True
        self._new_process()

    def _new_process(self) -> None:
        """The Editor is started: nothing is left of an earlier one."""
        self.died.update(self.job_log)
        for job in self.jobs.values():
            job.finish("failed")
        self.jobs.clear()
        self.memory.clear()
        self._held_back.clear()
        self._processes += 1
        self.modern = self._processes == 1 or self.random.random() < 0.8
        self.memory_id = f"memory-{self._processes}" if self.modern else None
        self.hello = {"editor_instance_id": f"editor-{self._processes}", "heartbeat": "ping"}
        self._new_session()

    def _new_session(self) -> None:
        """What it was asked before is lost."""
        self._sessions += 1
        self.hello["plugin_session_id"] = f"session-{self._sessions}"

    async def live(self, over: asyncio.Event) -> None:
        """Be unreliable until ``over``; then be ready and reliable, until cancelled."""
        fates = {
            self._compile: 4,
            self._compile_and_reload: 6,
            self._freeze: 2,
            self._crash: 1,
            self._lose_the_connection: 1,
            self._quit_and_return: 1,
            self._talk_nonsense: 2,
            self._forget_results: 1,
        }
        self._settled.set()
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
        with suppress(ConnectionClosed):
            for job in list(self.jobs.values()):
                if self.modern and job.ended and job.job_id not in self.confirmed:
                    await self.announce(job)
        # The server has its say before a job is started that was to be started before.
        await self._pause(0.05, 0.1)
        self._settled.set()

    async def _compile(self) -> None:
        await self.enter("compiling")
        await self._pause(0, 0.2)
        await self.enter("ready")

    async def _compile_and_reload(self) -> None:
        await self.enter("compiling")
        await self._pause(0, 0.1)
        if self.random.random() < 0.3:
            await self.enter("ready")  # the moment that looks ready and is not
        self._settled.clear()
        await self.reload()
        if self.random.random() < 0.5:
            self.happened["memory of requests in flight lost"] += 1
            self._new_session()
            self._held_back.clear()
            for task in self._answers:
                task.cancel()
        await self._pause(0, 0.3)

    async def _forget_results(self) -> None:
        for job in list(self.jobs.values()):
            if job.ended:
                self.happened["results forgotten"] += job.job_id not in self.confirmed
                self.forgotten.add(job.job_id)
                del self.jobs[job.job_id]

    async def _freeze(self) -> None:
        self.frozen = True
        await self._pause(0, 0.5)
        self.frozen = False

    async def _crash(self) -> None:
        self._settled.clear()
        await self.abort()
        self._new_process()
        await self._pause(0.05, 0.4)

    async def _lose_the_connection(self) -> None:
        self._settled.clear()
        await self.abort()

    async def _quit_and_return(self) -> None:
        self._settled.clear()
        await self.close()
        self._new_process()
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
            if frame["type"] == "job_confirmed":
                self.confirmed.add(frame["job_id"])
            elif frame["type"] in ("execute", "submit_job") and await self.replay(frame):
                self.happened["asked again, and answered as before"] += 1
            elif frame["type"] == "execute":
                await self._execute(frame)
            elif frame["type"] == "submit_job":
                await self._submit(frame)
            else:
                await super()._react(frame)

    async def _execute(self, frame: Json) -> None:
        if self.random.random() < 0.03:
            await self.refuse(frame, "ERR_INVALID_PARAMS", "not today")
            return
        call = frame["client_request_id"]
        try:
            frame["done"] = self.run(frame["tool_name"], frame["params"])
        except PluginError as error:
            self.failures[call] += 1
            frame["failed"] = {"code": error.code, "message": error.message}
        else:
            self.executions[call] += 1
            if frame["tool_name"] == "control_play_mode":
                answer = {"type": "result", "status": "ok", "result": frame["done"]}
                self._remember(frame, answer)
        answering = asyncio.create_task(self._answer_somehow(frame))
        self._answers.add(answering)
        answering.add_done_callback(self._answers.discard)

    async def answer(self, frame: Json, result: Json | None = None) -> None:
        """Say what came of what was executed before."""
        request_id = frame["request_id"]
        if result is None and "failed" in frame:
            await self.say("result", request_id=request_id, status="error", result=frame["failed"])
            return
        done = frame["done"] if result is None else result
        await self.say("result", request_id=request_id, status="ok", result=done)

    async def _answer_somehow(self, frame: Json) -> None:
        with suppress(ConnectionClosed):
            await self._answer_perhaps(frame)

    async def _answer_perhaps(self, frame: Json) -> None:
        if self.random.random() < 0.3:
            await self._pause(0, 0.02)
        chance = self.random.random()
        if chance < 0.01 or (chance > 0.94 and frame["tool_name"] == "control_play_mode"):
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
        call, tool = frame.get("client_request_id", "a gate"), frame["tool_name"]
        if tool == "compile" and not self.modern:
            await self.refuse(frame, "ERR_UNKNOWN_COMMAND", "no such tool")
            return
        self.executions[call] += 1
        job = self._compilation() if tool == "compile" else None
        if job is not None:
            self.happened["a compilation joined"] += 1
        else:
            job = Job(f"job-{len(self.job_log)}", frame["params"], tool)
            self.jobs[job.job_id] = self.job_log[job.job_id] = job
            self.submitted_by[job.job_id] = call
            task = asyncio.create_task(self._run_job(job))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        if tool == "compile":
            self.compiled_for.setdefault(call, []).append(job)
        accepted = {"type": "submit_job_result", "status": "accepted", "job_id": job.job_id}
        self._remember(frame, accepted)
        answering = asyncio.create_task(self._answer_submission(frame, job))
        self._answers.add(answering)
        answering.add_done_callback(self._answers.discard)

    def _compilation(self) -> Job | None:
        """The one that is under way."""
        found = (job for job in self.jobs.values() if job.tool == "compile" and not job.ended)
        return next(found, None)

    async def _answer_submission(self, frame: Json, job: Job) -> None:
        if self.random.random() < 0.3:
            await self._pause(0, 0.1)
        request_id, status = frame["request_id"], "accepted"
        with suppress(ConnectionClosed):
            await self.say(
                "submit_job_result", request_id=request_id, status=status, job_id=job.job_id
            )

    async def _run_job(self, job: Job) -> None:
        await self._pause(0, 0.3)
        while not self._settled.is_set() or self.state != "ready":
            await self._pause(0.005, 0.01)
        if job.state != "queued":
            return
        job.state = "running"
        await self._tell(job)
        for completed in range(3):
            job.progress = {"completed": completed, "total": 3}
            await self._pause(0, 0.2)
            if completed and job.params.get("cancelled"):
                job.finish("cancelled")
        if job.tool == "compile":
            number = {"duration_ms": int(job.job_id.removeprefix("job-"))}
            job.finish(result={**COMPILED, **self._told_of_scripts(), **number})
        job.finish()
        if not self.modern:
            for old in [each for each in self.jobs.values() if each.ended][:-8]:
                self.forgotten.add(old.job_id)
                del self.jobs[old.job_id]
        await self._tell(job)

    def _told_of_scripts(self) -> Json:
        errors = [] if self.scripts is None else self.scripts.compile()
        return {
            "status": "failed" if errors else "succeeded",
            "errors": errors,
            "reloaded": not errors,
            "last_compiled": datetime.now(UTC).isoformat(timespec="milliseconds"),
        }

    async def _tell(self, job: Job) -> None:
        """Announce how a job is; what can't be told now is when the Editor is back."""
        if self.modern and job.job_id in self.jobs and not self.closed.is_set():
            with suppress(ConnectionClosed):
                await self.announce(job)

    async def cancel(self, frame: Json) -> None:
        job = self.jobs.get(frame["target_job_id"])
        if job is not None and job.state == "running":
            job.params["cancelled"] = True
        await super().cancel(frame)
        if job is not None and job.state == "cancelled":
            await self._tell(job)
