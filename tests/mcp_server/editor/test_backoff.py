"""How long an Editor that doesn't answer is left alone, on a clock that stands still."""

from __future__ import annotations

import asyncio

import pytest
from live_server import HeldClock

from mcp_server.editor.backoff import FIRST_PAUSE_MS, LONGEST_PAUSE_MS, Backoff

pytestmark = pytest.mark.anyio


async def settled() -> None:
    """Let whoever can go on do so."""
    for _ in range(10):
        await asyncio.sleep(0)


async def test_each_pause_is_longer_up_to_a_bound(clock: HeldClock) -> None:
    backoff = Backoff(clock)
    await backoff.wait()
    pauses = []
    for _ in range(6):
        backoff.note(False)
        waiting = asyncio.create_task(backoff.wait())
        began = clock.now_ms()
        await settled()
        while not waiting.done():
            clock.advance(1_000)
            await settled()
        pauses.append(clock.now_ms() - began)
    assert pauses == [FIRST_PAUSE_MS, 10_000, 20_000, 40_000, LONGEST_PAUSE_MS, LONGEST_PAUSE_MS]


async def test_a_pause_that_becomes_longer_is_waited_for_to_its_end(clock: HeldClock) -> None:
    backoff = Backoff(clock)
    backoff.note(False)
    waiting = [asyncio.create_task(backoff.wait()) for _ in range(3)]
    await settled()
    clock.advance(1_000)
    backoff.note(False)
    clock.advance(FIRST_PAUSE_MS)
    await settled()
    assert not any(each.done() for each in waiting)
    clock.advance(10_000)
    await settled()
    assert all(each.done() for each in waiting)


async def test_a_word_ends_it_for_everybody(clock: HeldClock) -> None:
    backoff = Backoff(clock)
    for _ in range(4):
        backoff.note(False)
    waiting = [asyncio.create_task(backoff.wait()) for _ in range(3)]
    await settled()
    backoff.reset()
    await settled()
    assert all(each.done() for each in waiting)
    await backoff.wait()
    backoff.note(False)
    waiting = [asyncio.create_task(backoff.wait())]
    clock.advance(FIRST_PAUSE_MS)
    await settled()
    assert waiting[0].done(), "and the next pause is a short one again"
