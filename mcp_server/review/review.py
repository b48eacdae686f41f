"""Join the parts of the review, except the page, for one server; list its calls and callers.

Implements docs/design/review.md.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

from mcp_server.review.asking import CLIENT
from mcp_server.review.hold.held_calls import HeldCalls
from mcp_server.review.hold.notes import NoteBox
from mcp_server.review.record.event_store import EventStore
from mcp_server.review.record.history_events import history_events
from mcp_server.review.record.other_events import OtherEvents
from mcp_server.review.record.recorder import WRITES, Recorder
from mcp_server.review.take_back.take_back import TakeBack
from snippet_engine import call_context
from snippet_engine.errors import shortened

MAX_AGENTS = 32
"""Most agents that are remembered. The agent whose last call is oldest is forgotten first."""

AGENT_S = 1_800.0
"""Seconds after its last call for which an agent is listed."""

_MAX_PATH = 200


@dataclass(frozen=True, slots=True)
class RunningCall:
    """A call that runs now."""

    number: int
    tool: str
    client: str | None
    path: str | None
    since_s: float
    """A time of ``time.time``."""


@dataclass(frozen=True, slots=True)
class Agent:
    """A client, known by its name, and its last call."""

    name: str
    tool: str
    seen_s: float
    calls: int


class RunningCalls:
    """The calls that run now, and the clients that called lately."""

    def __init__(self, now_s: Callable[[], float] = time.time) -> None:
        self._now_s = now_s
        self._numbers = count(1)
        self._running: dict[int, RunningCall] = {}
        self._waits: dict[int, Callable[[], bool]] = {}
        self._agents: OrderedDict[str, Agent] = OrderedDict()
        self.on_change: Callable[[], None] = lambda: None

    def begin(
        self, tool: str, arguments: Mapping[str, Any], waits: Callable[[], bool] = lambda: False
    ) -> int:
        """Note that a call of the present client runs. Return the call's number.

        ``waits`` returns whether the call is held now, waiting for a person.
        """
        path, client = _path_in(arguments), call_context.client()
        call = RunningCall(next(self._numbers), tool, client, path, self._now_s())
        self._running[call.number], self._waits[call.number] = call, waits
        self._note_agent(call)
        self.on_change()
        return call.number

    def end(self, number: int) -> None:
        """Note that the call ``number`` has ended."""
        del self._running[number], self._waits[number]
        self.on_change()

    def has(self, tools: Container[str], begun_by_s: float) -> bool:
        """Return whether a call of one of ``tools``, begun by ``begun_by_s``, runs and isn't held.

        May be called on any thread.
        """
        running = list(self._running.values())
        begun = [each for each in running if each.tool in tools and each.since_s <= begun_by_s]
        return any(not self._waits.get(each.number, lambda: True)() for each in begun)

    @property
    def running(self) -> list[RunningCall]:
        """Return the calls that run, oldest first."""
        return list(self._running.values())

    @property
    def agents(self) -> list[Agent]:
        """Return the clients that called within :data:`AGENT_S`, the latest first."""
        since = self._now_s() - AGENT_S
        return [each for each in reversed(self._agents.values()) if each.seen_s >= since]

    def _note_agent(self, call: RunningCall) -> None:
        name = call.client or ""
        if name == CLIENT:
            return
        known = self._agents.pop(name, None)
        calls = 1 if known is None else known.calls + 1
        self._agents[name] = Agent(name, call.tool, call.since_s, calls)
        if len(self._agents) > MAX_AGENTS:
            self._agents.popitem(last=False)


def _path_in(arguments: Mapping[str, Any]) -> str | None:
    path = arguments.get("path")
    return shortened(path, _MAX_PATH) if isinstance(path, str) else None


class Review:
    """One project's recorded events, held calls and notes, and what takes events back."""

    def __init__(self, folder: Path, page_url: str) -> None:
        """``folder`` stores everything, for this server only. ``page_url`` is the page's root."""
        self.held = HeldCalls(folder, f"{page_url}holds")
        self.notes = NoteBox(folder)
        self.store = EventStore(folder / "review")
        self.calls = RunningCalls()
        self.recorder = Recorder(self.store)
        self.others = OtherEvents(self.store, may_write=partial(self.calls.has, WRITES))
        self.take_back = TakeBack(self.store)

    def start(self, project: Path | None = None) -> None:
        """Start to read and add events. Returns at once.

        If nothing was recorded yet, the events of the ``project``'s undo history are added.
        """
        self.store.start()
        if project is not None:
            self.store.begin_with(lambda: history_events(project))

    def stop(self, within_s: float) -> None:
        """Write the queued events, and wait for that up to ``within_s`` seconds."""
        self.store.stop(within_s)
