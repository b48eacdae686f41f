"""The calls that run now, and who has called lately.

Implements docs/design/review.md "Now". Lives on one event loop; noting a call costs microseconds.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass
from itertools import count
from typing import Any

from mcp_server.review.asking import CLIENT
from snippet_engine import client_identity
from snippet_engine.errors import shortened

MAX_AGENTS = 32
"""Most agents that are remembered; the one that called longest ago is forgotten first."""

AGENT_S = 1_800.0
"""How long an agent is named after its last call, in seconds."""

_MAX_PATH = 200


@dataclass(frozen=True, slots=True)
class RunningCall:
    """One call."""

    number: int
    tool: str
    client: str | None
    path: str | None
    since_s: float
    """A time of the epoch."""


@dataclass(frozen=True, slots=True)
class Agent:
    """One client by its name, and its last call."""

    name: str
    tool: str
    seen_s: float
    calls: int


class RunningCalls:
    """Notes calls as they begin and end."""

    def __init__(self, now_s: Callable[[], float] = time.time) -> None:
        self._now_s = now_s
        self._numbers = count(1)
        self._running: dict[int, RunningCall] = {}
        self._waits: dict[int, Callable[[], bool]] = {}
        self._agents: OrderedDict[str, Agent] = OrderedDict()
        self.on_change: Callable[[], None] = lambda: None
        """Called when a call begins or ends."""

    def begin(
        self, tool: str, arguments: Mapping[str, Any], waits: Callable[[], bool] = lambda: False
    ) -> int:
        """Note that the present client's call runs; return its number.

        ``waits`` returns whether it waits for a person.
        """
        path, client = _path_in(arguments), client_identity.client()
        call = RunningCall(next(self._numbers), tool, client, path, self._now_s())
        self._running[call.number], self._waits[call.number] = call, waits
        self._note_agent(call)
        self.on_change()
        return call.number

    def end(self, number: int) -> None:
        """Note that a call has ended."""
        del self._running[number], self._waits[number]
        self.on_change()

    def has(self, tools: Container[str], begun_by_s: float) -> bool:
        """Return whether a call of one of the tools runs that had begun by then, and doesn't wait
        for a person.

        For any thread.
        """
        running = list(self._running.values())
        begun = [each for each in running if each.tool in tools and each.since_s <= begun_by_s]
        return any(not self._waits.get(each.number, lambda: True)() for each in begun)

    @property
    def running(self) -> list[RunningCall]:
        """Return the calls that run, those first that run longest."""
        return list(self._running.values())

    @property
    def agents(self) -> list[Agent]:
        """Return who has called lately, the last one first."""
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
