"""Many large bodies at once: one is read at a time, and nobody else waits for them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AsyncExitStack
from typing import Any

import pytest
from live_server import LiveServer
from raw_http import RawConnection, head, messages, request

from mcp_server.host.http.body_turns import FREE_BODY_BYTES, MANY_BODIES, BodyTurns, TurnTaking
from mcp_server.host.http.loopback_guard import MAX_BODY_BYTES

pytestmark = pytest.mark.anyio

PING = request("ping", 1)


class Timers:
    """An event loop's timers, which are due when the test says so."""

    def __init__(self) -> None:
        self.due: list[Callable[[], None]] = []

    def call_later(self, _delay_s: float, callback: Callable[[], None]) -> object:
        self.due.append(callback)
        return callback

    def turn(self) -> None:
        due, self.due = self.due, []
        for callback in due:
            callback()


class Transport:
    """A connection's, which is read from unless it is paused."""

    def __init__(self) -> None:
        self.reads = True

    def pause_reading(self) -> None:
        self.reads = False

    def resume_reading(self) -> None:
        self.reads = True


class Crowd:
    """So many connections that send large bodies, each of which wants to go on."""

    def __init__(self, count: int) -> None:
        self.timers: Any = Timers()
        self.turns = BodyTurns(self.timers)
        self.transports = [Transport() for _ in range(count)]
        transports: Any = self.transports
        self.flows = [TurnTaking(each, self.turns) for each in transports]
        for flow in self.flows:
            flow.received(FREE_BODY_BYTES + 1)
        for flow in self.flows:
            flow.resume_reading()

    @property
    def reading(self) -> list[int]:
        return [number for number, each in enumerate(self.transports) if each.reads]


def test_few_bodies_are_read_as_they_come() -> None:
    crowd = Crowd(MANY_BODIES)
    assert crowd.reading == list(range(MANY_BODIES))
    assert crowd.timers.due == []


def test_of_many_bodies_one_is_read_at_a_time_in_order() -> None:
    crowd = Crowd(2 * MANY_BODIES)
    free = list(range(MANY_BODIES))  # they came when there were few
    assert crowd.reading == free
    for number in range(MANY_BODIES, 2 * MANY_BODIES):
        crowd.timers.turn()
        assert crowd.reading == [*free, *range(MANY_BODIES, number + 1)]
    assert crowd.timers.due == []
    for number in (3, 1):
        crowd.flows[number].received(1)
        crowd.flows[number].resume_reading()
        crowd.flows[number].resume_reading()
    crowd.timers.turn()
    assert (crowd.transports[3].reads, crowd.transports[1].reads) == (True, False)
    crowd.timers.turn()
    assert crowd.transports[1].reads
    crowd.timers.turn()
    assert crowd.timers.due == []


def test_who_is_done_or_gone_gets_no_turn() -> None:
    crowd = Crowd(MANY_BODIES + 3)
    crowd.flows[-3].whole()
    crowd.flows[-2].ended()
    crowd.timers.turn()
    assert crowd.reading == [*range(MANY_BODIES), MANY_BODIES + 2]
    crowd.flows[-3].resume_reading()  # its request has been answered
    assert crowd.transports[-3].reads


def test_a_small_body_waits_for_nobody() -> None:
    crowd = Crowd(2 * MANY_BODIES)
    transport: Any = Transport()
    flow = TurnTaking(transport, crowd.turns)
    assert not flow.received(FREE_BODY_BYTES)
    flow.pause_reading()
    flow.resume_reading()
    assert transport.reads
    assert flow.received(1)
    assert not transport.reads
    flow.whole()
    assert not flow.received(FREE_BODY_BYTES)  # the next request's


async def test_calls_and_large_requests_are_served_beside_many_large_bodies(
    live: LiveServer,
) -> None:
    """And what is sent to nobody, or to who doesn't want it, is taken."""
    async with AsyncExitStack() as stack:

        async def opened() -> RawConnection:
            return await stack.enter_async_context(RawConnection(live.port))

        for _ in range(3 * MANY_BODIES):
            await (await opened()).send(head(live.port, MAX_BODY_BYTES) + b" " * 200_000)
        small = await opened()
        await small.send(head(live.port, len(PING)))
        await small.send(PING)
        assert messages((await small.answer())[2])[0]["id"] == 1
        large = await opened()
        await large.post(b" " * 500_000 + PING)
        assert messages((await large.answer())[2])[0]["id"] == 1
        await large.post(PING)
        assert await large.status() == 200
        nowhere = await opened()
        await nowhere.send(head(live.port, 500_000, "/nowhere") + b" " * 500_000)
        assert (await nowhere.answer())[0] == 404
        await nowhere.post(PING)
        assert await asyncio.wait_for(nowhere.status(), 20) == 200
