"""A Unity Editor's plugin for tests: a real WebSocket client that lives by the wire schemas.

Everything it gets is held against ``contracts/wire/``, and everything it says, unless it is
told to say something wrong. It compiles, reloads, freezes, crashes and misbehaves on command.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

from held_to_schema import hold_to_schema
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from unity_bridge.plugin.wire_schemas import FROM_PLUGIN, FROM_SERVER

Json = dict[str, Any]

TURNED_AWAY = 1008
"""The code with which a second Editor's connection is closed."""

PATIENCE_S = 120
"""How long a test waits for something that must happen before it fails."""

TESTS_PASSED: Json = {
    "summary": {"total": 2, "passed": 2, "failed": 0, "skipped": 0, "duration_ms": 12},
    "failed_tests": [],
}


COMPILED: Json = {
    "status": "succeeded",
    "errors": [],
    "warnings": [],
    "assemblies": ["Assembly-CSharp"],
    "reloaded": True,
    "duration_ms": 700,
    "last_compiled": "2026-01-01T00:00:00.000Z",
}

RESULTS = {"run_tests": TESTS_PASSED, "compile": COMPILED}


@dataclass
class PluginError(Exception):
    """A tool that fails in the Editor."""

    code: str
    message: str


@dataclass
class Job:
    """A job as the plugin keeps it, across reloads."""

    job_id: str
    params: Json
    tool: str = "run_tests"
    state: str = "queued"
    progress: Json | None = None
    result: Json | None = None

    @property
    def ended(self) -> bool:
        return self.state not in ("queued", "running")

    def finish(self, state: str = "succeeded", result: Json | None = None) -> None:
        if self.state in ("queued", "running"):
            self.state = state
            self.result = RESULTS[self.tool] if state == "succeeded" and result is None else result


@dataclass
class FakeEditor:
    """One Editor. What survives a reload is kept here, what doesn't is the connection's."""

    url: str
    headers: dict[str, str] = field(default_factory=dict)
    hello: Json = field(default_factory=dict)
    held: bool = False
    """Requests are not answered by themselves: the test takes them with :meth:`received`."""
    frozen: bool = False
    """Nothing is answered at all, pings included."""
    state: str = "ready"
    seq: int = 0
    playing: bool = False
    unsaved: list[str] | None = None
    """Open scenes with unsaved changes; ``None``: it doesn't tell."""
    paused: bool = False
    console: list[Json] = field(default_factory=list)
    jobs: dict[str, Job] = field(default_factory=dict)
    executed: list[str] = field(default_factory=list)
    """The request ids of everything that this Editor executed, in order."""
    got: list[Json] = field(default_factory=list)
    """Every frame it received, in order."""
    memory_id: str | None = None
    """Names its memory of ``client_request_id``s; ``None``: it remembers none."""
    memory: dict[str, Json] = field(default_factory=dict)
    """What it answered to each of them, but for the ``request_id``."""
    on_execute: Callable[[Json], Awaitable[None]] | None = None
    """Replaces what it does with ``execute`` frames."""
    muted: bool = False
    """What it says gets lost on its way."""
    close_code: int | None = None

    def __post_init__(self) -> None:
        self._socket: ClientConnection | None = None
        self.reader: asyncio.Task[None] | None = None
        self._arrived = asyncio.Condition()
        self._taken = 0
        self.closed = asyncio.Event()

    # -- life ------------------------------------------------------------------------------

    async def connect(self, state: str = "ready", **hello: Any) -> FakeEditor:
        """Connect, introduce itself, and wait for the server's answer.

        As the plugin does, it tries again while it is turned away: the server may not have seen yet
        that the connection before this one is gone.
        """
        async with asyncio.timeout(PATIENCE_S):
            while True:
                await self.open()
                await self.introduce(state, **hello)
                if await self._is_accepted():
                    await self.received("capability")
                    return self

    async def _is_accepted(self) -> bool:
        """Whether the server answers with its ``hello``; else it has turned this Editor away."""
        accepted = asyncio.create_task(self.received("hello"))
        gone = asyncio.create_task(self.closed.wait())
        await asyncio.wait({accepted, gone}, return_when=asyncio.FIRST_COMPLETED)
        gone.cancel()
        if accepted.done():
            await accepted
            return True
        accepted.cancel()
        if self.close_code != TURNED_AWAY:
            raise ConnectionError(f"the server closed the connection with {self.close_code}")
        return False

    async def open(self) -> None:
        """Connect, and say nothing."""
        # 'origin' is None by default: an Editor sends none.
        self._socket = await connect(
            self.url,
            additional_headers=self.headers,
            max_size=None,
            ping_interval=None,
            close_timeout=1,
            compression=None,
        )
        self.closed.clear()
        self.close_code = None
        self.reader = asyncio.create_task(self._read(self._socket))

    async def introduce(self, state: str = "ready", **hello: Any) -> None:
        self.state, self.seq = state, 0
        memory = {} if self.memory_id is None else {"request_memory_id": self.memory_id}
        fields = {"plugin_version": "1.0.0", "state": state, **memory, **self.hello, **hello}
        await self.say("hello", **fields)

    async def enter(self, state: str) -> None:
        """Change the Editor's state, and say so."""
        self.state = state
        self.seq += 1
        await self.say("editor_status", state=state, seq=self.seq)

    async def abort(self) -> None:
        """The socket is gone without a close frame: a crash, or a domain reload."""
        assert self._socket is not None
        self._socket.transport.abort()
        await self.closed.wait()

    async def close(self, code: int = 1000) -> None:
        """Close with a close frame."""
        if self._socket is not None:
            await self._socket.close(code)
            await self.closed.wait()

    async def reload(self) -> None:
        """A domain reload, up to the moment when the new domain would connect."""
        await self.enter("reloading")
        await self.abort()

    async def compile_and_reload(self) -> None:
        """Compile, reload, and come back."""
        await self.enter("compiling")
        await self.reload()
        await self.connect()

    # -- frames ----------------------------------------------------------------------------

    async def say(self, kind: str, **fields: Any) -> None:
        """Send a frame that satisfies the contract."""
        frame = {"type": kind, "protocol_version": 1, **fields}
        hold_to_schema(frame, FROM_PLUGIN[kind])
        await self.say_raw(json.dumps(frame))

    async def say_raw(self, message: str | bytes) -> None:
        """Send whatever."""
        assert self._socket is not None
        if not self.muted:
            await self._socket.send(message)

    async def received(self, kind: str) -> Json:
        """The next frame of that kind that the test has not seen; others before it are passed."""
        async with asyncio.timeout(PATIENCE_S), self._arrived:
            while True:
                while self._taken < len(self.got):
                    self._taken += 1
                    if self.got[self._taken - 1]["type"] == kind:
                        return self.got[self._taken - 1]
                await self._arrived.wait()

    def count(self, kind: str) -> int:
        """How many frames of a kind it has received."""
        return sum(frame["type"] == kind for frame in self.got)

    async def answer(self, frame: Json, result: Json | None = None) -> None:
        """Answer an ``execute`` frame: with ``result``, or with what the tool would say."""
        self.executed.append(frame["request_id"])
        try:
            body = self.run(frame["tool_name"], frame["params"]) if result is None else result
            status = "ok"
        except PluginError as error:
            body, status = {"code": error.code, "message": error.message}, "error"
        if status == "ok":
            self._remember(frame, {"type": "result", "status": status, "result": body})
        await self.say("result", request_id=frame["request_id"], status=status, result=body)

    def _remember(self, frame: Json, answer: Json) -> None:
        if self.memory_id is not None and "client_request_id" in frame:
            self.memory[frame["client_request_id"]] = answer

    async def replay(self, frame: Json) -> bool:
        """Answer as before to a ``client_request_id`` that is remembered; whether it is."""
        known = self.memory.get(frame.get("client_request_id", ""))
        if known is None:
            return False
        await self.say(known["type"], request_id=frame["request_id"], **_without_type(known))
        return True

    async def refuse(self, frame: Json, code: str, message: str = "no") -> None:
        """Answer with an ``error`` frame."""
        error = {"code": code, "message": message}
        await self.say("error", request_id=frame["request_id"], error=error)

    def run(self, tool: str, params: Json) -> Json:
        """What the tools do."""
        if tool == "read_console":
            entries = self.console[-params["max_entries"] :]
            return {
                "entries": entries,
                "count": len(entries),
                "truncated": len(entries) < len(self.console),
            }
        if tool == "control_play_mode":
            if params["action"] == "pause" and not self.playing:
                raise PluginError("ERR_INVALID_STATE", "not in play mode")
            self.paused = params["action"] == "pause"
            self.playing = params["action"] != "stop"
            return {"action": params["action"], "accepted": True, **self._flags()}
        if tool == "get_play_mode_state":
            playing = "paused" if self.paused else "playing"
            unsaved = {} if self.unsaved is None else {"unsaved": self.unsaved}
            return {"state": playing if self.playing else "stopped", **self._flags(), **unsaved}
        raise PluginError("ERR_UNKNOWN_COMMAND", tool)

    def _flags(self) -> Json:
        return {
            "is_playing": self.playing,
            "is_paused": self.paused,
            "is_playing_or_will_change_playmode": self.playing,
        }

    # -- what it does by itself --------------------------------------------------------------

    async def _read(self, socket: ClientConnection) -> None:
        try:
            async for message in socket:
                frame = json.loads(message)
                hold_to_schema(frame, FROM_SERVER[frame["type"]])
                async with self._arrived:
                    self.got.append(frame)
                    self._arrived.notify_all()
                if not self.frozen:
                    await self._react(frame)
        except ConnectionClosed:
            pass
        finally:
            if self._socket is socket:  # the end of an old connection isn't the new one's
                self.close_code = socket.close_code
                self.closed.set()

    async def _react(self, frame: Json) -> None:
        kind = frame["type"]
        if kind == "ping":
            await self.say("pong", editor_state=self.state, seq=self.seq)
        elif self.held or (kind in ("execute", "submit_job") and await self.replay(frame)):
            return
        elif kind == "execute":
            await (self.on_execute or self.answer)(frame)
        elif kind == "submit_job":
            await self.accept(frame)
        elif kind == "get_job_status":
            await self.tell_job(frame)
        elif kind == "cancel":
            await self.cancel(frame)

    async def accept(self, frame: Json) -> Job:
        """Accept a job."""
        self.executed.append(frame["request_id"])
        job = Job(f"job-{uuid4().hex}", frame["params"], frame["tool_name"])
        answer = {"type": "submit_job_result", "status": "accepted", "job_id": job.job_id}
        self._remember(frame, answer)
        request_id = frame["request_id"]
        try:
            await self.say("submit_job_result", request_id=request_id, **_without_type(answer))
        finally:
            # Whoever looks for it finds it accepted, also where nobody heard of that.
            self.jobs[job.job_id] = job
        return job

    async def announce(self, job: Job) -> None:
        """Tell how a job is, unasked."""
        await self.say("job_status", **_job_fields(job))

    async def tell_job(self, frame: Json) -> None:
        """Say how a job is."""
        job = self.jobs.get(frame["job_id"])
        if job is None:
            await self.refuse(frame, "ERR_JOB_NOT_FOUND")
            return
        await self.say("job_status", request_id=frame["request_id"], **_job_fields(job))

    async def cancel(self, frame: Json) -> None:
        """Cancel a job, as far as it has come."""
        job = self.jobs.get(frame["target_job_id"])
        if job is None:
            await self.refuse(frame, "ERR_JOB_NOT_FOUND")
            return
        answers = {"queued": "cancelled", "running": "cancel_requested"}
        status = answers.get(job.state, "rejected")
        if job.state == "queued":
            job.finish("cancelled")
        await self.say("cancel_result", request_id=frame["request_id"], status=status)


def _job_fields(job: Job) -> Json:
    return {
        "job_id": job.job_id,
        "tool_name": job.tool,
        "state": job.state,
        "progress": job.progress,
        "result": job.result,
    }


def _without_type(frame: Json) -> Json:
    return {name: value for name, value in frame.items() if name != "type"}
