"""Whoever waits has a turn between an Editor's messages, unless there was time for one already."""

from __future__ import annotations

import asyncio

import pytest

from unity_bridge.plugin import websocket_link
from unity_bridge.plugin.websocket_link import WORTH_WAITING_S, _Turns

pytestmark = pytest.mark.anyio


class Seconds:
    """The clock, and the processor's time."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 0.0
        for name in ("perf_counter", "thread_time"):
            monkeypatch.setattr(websocket_link, name, lambda: self.now)


async def others_had_a_turn(turns: _Turns) -> bool:
    """Whether somebody who waits goes on before the next message."""
    had: list[bool] = []
    asyncio.get_running_loop().call_soon(had.append, True)
    await turns.yield_()
    return bool(had)


async def test_a_message_that_comes_alone_waits_for_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    seconds = Seconds(monkeypatch)
    turns = _Turns()
    assert not await others_had_a_turn(turns)
    with turns.work():
        seconds.now += WORTH_WAITING_S / 10
    seconds.now += WORTH_WAITING_S / 10
    assert not await others_had_a_turn(turns)


async def test_one_right_behind_another_lets_others_go_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seconds = Seconds(monkeypatch)
    turns = _Turns()
    with turns.work():
        seconds.now += WORTH_WAITING_S / 10
    assert await others_had_a_turn(turns)
    seconds.now += WORTH_WAITING_S / 20
    assert await others_had_a_turn(turns)
