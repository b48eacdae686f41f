"""Quick questions and long ones: the long one gives way, and is asked again."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import Any

import pytest

from roslyn_server.compiler.calls import CancelledError
from roslyn_server.turns import MAX_INTERRUPTIONS, Turns


class Cancelling:
    """As a ``Cancellation`` is, without a runtime."""

    def __init__(self, of: Cancelling | None = None) -> None:
        self._event, self._of = Event(), of

    @property
    def is_cancelled(self) -> bool:
        return self._event.is_set() or (self._of is not None and self._of.is_cancelled)

    def cancel(self) -> None:
        self._event.set()

    def linked(self) -> Cancelling:
        return Cancelling(self)

    def wait(self) -> None:
        self._event.wait()
        raise CancelledError


def test_a_long_question_gives_way_and_is_asked_again() -> None:
    turns, asked, done = Turns(), Event(), Event()
    order: list[str] = []

    def ask(interrupt: Any) -> str:
        order.append("long")
        if len(order) == 1:
            asked.set()
            interrupt.wait()
        done.set()
        return "answer"

    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(turns.long, ask, Cancelling())  # type: ignore[arg-type]
        asked.wait()
        with turns.quick():
            order.append("quick")
            assert not done.is_set()
        assert answer.result() == "answer"
    assert order == ["long", "quick", "long"]


def test_it_gives_way_a_few_times_at_most() -> None:
    turns = Turns()
    cancellation = Cancelling()
    asked: list[bool] = []

    def ask(interrupt: Any) -> str:
        asked.append(turns._interrupt is interrupt)
        if asked[-1]:
            raise CancelledError
        return "answer"

    assert turns.long(ask, cancellation) == "answer"  # type: ignore[arg-type]
    assert asked == [True] * MAX_INTERRUPTIONS + [False]


def test_who_is_cancelled_does_not_ask_again() -> None:
    cancellation = Cancelling()

    def ask(_interrupt: Any) -> str:
        cancellation.cancel()
        raise CancelledError

    turns = Turns()
    with pytest.raises(CancelledError):
        turns.long(ask, cancellation)  # type: ignore[arg-type]
    with turns.quick():
        pass
