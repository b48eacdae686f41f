"""Which assemblies are waited for."""

from __future__ import annotations

from roslyn_server.turns import FIRST_PAUSE_S, LONGEST_PAUSE_S, SlowAssemblies


def test_an_assembly_that_was_late_is_not_waited_for_until_a_pause_is_over() -> None:
    slow = SlowAssemblies()
    assert slow.is_waited_for(["Game"], 0.0)
    slow.came("Game", 0.0, late=True)
    assert not slow.is_waited_for(["Game"], FIRST_PAUSE_S - 0.1)
    assert not slow.is_waited_for(["Other", "Game"], FIRST_PAUSE_S - 0.1)
    assert slow.is_waited_for(["Other"], 0.0)
    assert slow.is_waited_for(["Game"], FIRST_PAUSE_S)


def test_the_pause_doubles_up_to_a_bound_and_ends_with_a_verdict_in_time() -> None:
    slow, now = SlowAssemblies(), 0.0
    for pause in (5, 10, 20, 40, 80, 160, LONGEST_PAUSE_S, LONGEST_PAUSE_S):
        slow.came("Game", now, late=True)
        assert not slow.is_waited_for(["Game"], now + pause - 0.1)
        now += pause
        assert slow.is_waited_for(["Game"], now)
    slow.came("Game", now, late=False)
    assert not slow.are_any
    slow.came("Game", now, late=True)
    assert slow.is_waited_for(["Game"], now + FIRST_PAUSE_S)
