"""When files are at rest, and when many changed at once."""

from __future__ import annotations

from mcp_server.watcher.settling import (
    LONGEST_S,
    MANY,
    MANY_LONGEST_S,
    MANY_QUIET_S,
    QUIET_S,
    Settling,
)

A, B = "Assets/A.cs", "Assets/B.cs"


def test_saves_close_together_are_one() -> None:
    settling = Settling()
    settling.touch(A, 0.0)
    settling.touch(A, QUIET_S * 0.9)
    assert settling.settled(QUIET_S * 1.8) is None
    settled = settling.settled(QUIET_S * 1.9)
    assert settled is not None
    assert (settled.paths, settled.are_many, settled.since_s) == ((A,), False, 0.0)
    assert settling.settled(100.0) is None


def test_each_file_rests_by_itself() -> None:
    settling = Settling()
    settling.touch(A, 0.0)
    settling.touch(B, 0.3)
    settled = settling.settled(QUIET_S)
    assert settled is not None
    assert settled.paths == (A,)
    assert settling.next_s() == 0.3 + QUIET_S


def test_a_file_that_never_rests_is_looked_at() -> None:
    settling = Settling()
    for step in range(int(LONGEST_S / 0.25)):
        settling.touch(A, step * 0.25)
        assert settling.settled(step * 0.25) is None
    settled = settling.settled(LONGEST_S)
    assert settled is not None


def test_more_than_twenty_files_in_two_seconds_are_many() -> None:
    settling = Settling()
    for number in range(MANY + 1):
        settling.touch(f"Assets/{number}.cs", number * 0.01)
    last = MANY * 0.01
    assert settling.settled(last + QUIET_S) is None
    settled = settling.settled(last + MANY_QUIET_S)
    assert settled is not None
    assert settled.are_many
    assert len(settled.paths) == MANY + 1


def test_twenty_files_are_not_many_nor_one_file_that_is_saved_often() -> None:
    settling = Settling()
    for number in range(MANY):
        settling.touch(f"Assets/{number}.cs", 0.0)
    for step in range(50):
        settling.touch("Assets/0.cs", step * 0.01)
    settled = settling.settled(0.5 + QUIET_S)
    assert settled is not None
    assert not settled.are_many


def test_nothing_rests_while_git_is_at_work_but_for_a_minute() -> None:
    settling = Settling()
    settling.touch(A, 0.0)
    assert settling.settled(MANY_LONGEST_S - 1, is_git_busy=True) is None
    assert settling.settled(MANY_LONGEST_S, is_git_busy=True) is not None


def test_a_file_that_is_held_waits_longer_and_a_new_change_counts() -> None:
    settling = Settling()
    settling.hold(A, 0.0, 1.0)
    assert settling.settled(0.9) is None
    assert settling.settled(1.0) is not None
