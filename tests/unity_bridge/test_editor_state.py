"""What is known of the Editor, and how long that justifies waiting for it."""

from __future__ import annotations

import pytest

from unity_bridge.editor_state import (
    EditorState,
    EditorView,
    Window,
    after_disconnect,
    after_hello,
    after_status,
    answer_window,
    wait_window,
)
from unity_bridge.timing import Timing

READY, COMPILING, RELOADING = EditorState.READY, EditorState.COMPILING, EditorState.RELOADING
TIMING = Timing()


def connected(state: EditorState = READY, now: float = 0, **more: str) -> EditorView:
    return after_hello(EditorView(), EditorView(state, plugin_version="1.0.0", **more), now)


def gone(view: EditorView, now: float, *, seen_leaving: bool = True) -> EditorView:
    return after_disconnect(view, now, TIMING, seen_leaving=seen_leaving)


def test_sequence_numbers_count_within_a_connection() -> None:
    view = after_status(connected(), COMPILING, 5, 10)
    assert view is not None
    assert after_status(view, READY, 4, 20) is None
    again = after_status(view, READY, 5, 20)
    assert again is not None
    assert again.state is READY


def test_a_new_connection_starts_over_and_is_the_truth() -> None:
    view = after_status(connected(), COMPILING, 41, 10)
    assert view is not None
    back = after_hello(gone(view, 20), EditorView(READY, plugin_version="1.0.0"), 30)
    assert (back.seq, back.state, back.epoch) == (0, READY, 2)
    assert after_status(back, COMPILING, 1, 40) is not None


def test_a_lock_on_reloads_is_known_while_the_editor_compiles_and_is_there() -> None:
    view = after_status(connected(COMPILING), COMPILING, 1, 0, reload_locked=True)
    assert view is not None
    assert view.reload_locked
    assert not gone(view, 10).reload_locked
    for state, locked in ((READY, True), (COMPILING, False)):
        after = after_status(view, state, 2, 10, reload_locked=locked)
        assert after is not None
        assert not after.reload_locked


def test_nothing_is_known_of_an_editor_that_left_while_ready() -> None:
    view = gone(connected(), 10_000)
    assert (view.state, view.connected, view.busy_seen_ms) == (EditorState.UNKNOWN, False, None)
    assert wait_window(view, 10_000, TIMING) == Window(12_500, compiling=False)


@pytest.mark.parametrize("state", [COMPILING, RELOADING])
def test_an_editor_that_left_while_busy_is_taken_to_reload(state: EditorState) -> None:
    view = gone(connected(state), 10_000)
    assert (view.was_busy, view.busy_seen_ms) == (state, 10_000)
    assert wait_window(view, 10_500, TIMING) == Window(70_000, compiling=True)


def test_ready_between_compile_and_reload_counts_as_reload() -> None:
    view = after_status(connected(COMPILING), READY, 1, 10_000)
    assert view is not None
    assert gone(view, 12_499).was_busy is RELOADING
    assert gone(view, 12_500).was_busy is None


def test_a_compile_of_long_ago_explains_nothing() -> None:
    view = after_status(connected(COMPILING), READY, 1, 10_000)
    assert view is not None
    later = gone(view, 500_000)
    assert later.busy_seen_ms is None
    assert not wait_window(later, 500_000, TIMING).compiling


def test_a_return_does_not_renew_what_explained_a_long_absence() -> None:
    away = gone(connected(RELOADING), 0)
    back = after_hello(away, EditorView(READY, plugin_version="1.0.0"), 60_000)
    assert gone(back, 60_500).busy_seen_ms is None
    soon = after_hello(away, EditorView(READY, plugin_version="1.0.0"), 30_000)
    assert gone(soon, 30_500).busy_seen_ms == 30_500


def test_a_silent_editor_was_last_seen_when_it_last_spoke() -> None:
    view = gone(connected(RELOADING, now=1_000), 8_500, seen_leaving=False)
    assert view.busy_seen_ms == 1_000


def test_the_grace_runs_out_but_never_undercuts_the_plain_window() -> None:
    view = gone(connected(RELOADING), 0)
    assert wait_window(view, 59_000, TIMING) == Window(61_500, compiling=False)
    assert wait_window(view, 57_000, TIMING) == Window(60_000, compiling=True)


def test_while_connected_and_busy_each_wait_has_the_whole_grace() -> None:
    view = connected(COMPILING, now=0)
    assert wait_window(view, 500_000, TIMING) == Window(560_000, compiling=True)


def answer_until(view: EditorView, *, same_plugin: bool = False) -> float | None:
    return answer_window(view, sent_epoch=1, same_plugin=same_plugin, lost_ms=10_000, timing=TIMING)


def test_a_request_in_flight_has_its_own_time_while_its_plugin_is_there() -> None:
    view = connected()
    assert answer_until(view) is None
    back = after_hello(gone(view, 10_000), EditorView(READY, plugin_version="1.0.0"), 11_000)
    assert answer_until(back, same_plugin=True) is None


def test_a_request_in_flight_waits_for_the_return_and_then_for_the_answer() -> None:
    away = gone(connected(), 10_000)
    assert answer_until(away) == 12_500
    reloading = gone(connected(RELOADING), 10_000)
    assert answer_until(reloading) == 70_000
    back = after_hello(reloading, EditorView(READY, plugin_version="1.0.0"), 30_000)
    assert answer_until(back) == 32_500
    still_busy = after_hello(reloading, EditorView(COMPILING, plugin_version="1.0.0"), 30_000)
    assert answer_until(still_busy) == 70_000
