"""A call that nobody waits for ends at its next step, and has written nothing or everything."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest
from unity_project import SCRIPT, UnityProject, replace

from snippet_engine import budget
from snippet_engine.budget import Steps, Stop, StoppedError
from snippet_engine.csharp.tree import syntax_tree
from snippet_engine.engine import SnippetEngine
from snippet_engine.errors import ErrorCode, SnippetError
from snippet_engine.source_text import content_hash

CODE = "class C {\nint first;\n" + "int a = b + f(c);\n" * 5_000 + "}\n"
EDIT = replace("int first;", "int other;")


def stopped_after(checks: int) -> Stop:
    """A stop that comes from outside at the so-many-th look at it."""

    class Counting(Stop):
        left = checks

        def check(self) -> None:
            self.left -= 1
            if self.left < 0:
                self.stop()
            super().check()

    return Counting()


def checks_of(call: Callable[[], Any]) -> int:
    """How often a call that nobody stops looks whether it is."""
    stop = stopped_after(1_000_000)
    stop.run(call)
    return 1_000_000 - stop.left  # type: ignore[attr-defined, no-any-return]


def test_steps_are_counted_and_then_refused() -> None:
    steps = Steps(10)
    assert all(steps.take() for _ in range(10))
    assert not steps.take()


def test_who_counts_steps_can_be_stopped() -> None:
    stop = Stop()
    steps = Steps(1_000_000)
    assert stop.stop()
    with pytest.raises(StoppedError):
        stop.run(lambda: [steps.take(100) for _ in range(100)])
    assert all(steps.take() for _ in range(1_000)), "nobody stops what runs outside of the call"


def test_a_write_that_has_begun_is_not_stopped() -> None:
    stop = Stop()
    stop.begin_writing()
    assert not stop.stop()
    stop.check()
    stop.give_up_writing()
    with pytest.raises(StoppedError):
        stop.check()


def test_what_was_stopped_does_not_begin_to_write() -> None:
    stop = Stop()
    assert stop.stop()
    with pytest.raises(StoppedError):
        stop.begin_writing()


def test_an_apply_is_stopped_wherever_it_stands_or_lands(project: UnityProject) -> None:
    """At each look it is stopped once; what the stop then says of the file is so."""
    project.write(CODE)
    looks = checks_of(lambda: project.edit(EDIT, mode="preview"))
    assert looks > 20
    landed = 0
    for count in (0, 1, 2, looks // 2, *range(looks - 8, looks + 8)):
        project.write(CODE)
        fresh = SnippetEngine.open(project.root)
        assert not isinstance(fresh, SnippetError)
        stop = stopped_after(count)
        request = {"path": SCRIPT, "mode": "apply", "instructions": [EDIT]}
        outcome = stop.run(fresh.edit_snippet, request)
        may_have_written = not stop.stop()
        assert may_have_written == isinstance(outcome, dict)
        assert may_have_written == (project.read() != CODE.encode())
        landed += may_have_written
        if isinstance(outcome, SnippetError):
            assert outcome.code is ErrorCode.VALIDATOR_UNAVAILABLE
    assert 0 < landed < 20


def test_a_stop_leaves_the_verdict_as_it_was(project: UnityProject) -> None:
    project.write(CODE)
    undisturbed = project.done(EDIT, mode="preview")
    other = SnippetEngine.open(project.root)
    assert not isinstance(other, SnippetError)
    request = {"path": SCRIPT, "mode": "preview", "instructions": [EDIT]}
    for count in range(1, 60, 7):
        assert isinstance(stopped_after(count).run(other.edit_snippet, request), SnippetError)
    again = other.edit_snippet(request)
    assert isinstance(again, dict)
    for each in (undisturbed, again):
        each["validation"].pop("durationMs")
    assert again == undisturbed


def test_a_stopped_parse_takes_nothing_off_its_allowance() -> None:
    allowed = syntax_tree.Allowance()
    with pytest.raises(StoppedError):
        stopped_after(30).run(syntax_tree.parse, CODE.encode(), None, allowed)
    assert allowed.left == syntax_tree.MAX_WORK


def test_timeout_ms_reaches_verdicts(
    project: UnityProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.write(CODE)
    now = iter(range(1_000_000))
    monkeypatch.setattr(budget, "monotonic", lambda: next(now))
    error = project.refused(EDIT, timeout_ms=5_000, validation="embedded")
    assert error.code is ErrorCode.VALIDATOR_UNAVAILABLE
    assert error.retryable
    assert "nothing was written" in error.message
    assert "timeout_ms" in error.message


def test_a_repeated_request_that_was_stopped_is_made_then(project: UnityProject) -> None:
    project.write(CODE)
    request = {"path": SCRIPT, "mode": "apply", "instructions": [EDIT], "client_request_id": "one"}
    assert isinstance(stopped_after(5).run(project.engine.edit_snippet, request), SnippetError)
    result = project.engine.edit_snippet(request)
    assert isinstance(result, dict)
    assert "replayed" not in result
    assert result["hashAfter"] == content_hash(project.read())


def test_two_threads_make_a_tree_once(
    project: UnityProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else each would take off the same allowance, and the second find it spent."""
    project.write(CODE)
    made: list[bytes] = []
    both = threading.Barrier(2)
    whole = syntax_tree._counted

    def counting(parser: Any, text: bytes, old: Any, allowed: Any) -> Any:
        if len(text) > 50_000:
            made.append(text)
        return whole(parser, text, old, allowed)

    monkeypatch.setattr(syntax_tree, "_counted", counting)
    outcomes: list[Any] = []

    def preview() -> None:
        both.wait(60)
        outcomes.append(project.edit(EDIT, mode="preview"))

    threads = [threading.Thread(target=preview) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(outcomes) == 2
    assert all(isinstance(each, dict) for each in outcomes)
    assert len(made) == len(set(made)) >= 1
