"""What runs now, and who has called lately."""

from __future__ import annotations

from mcp_server.review.asking import CLIENT
from mcp_server.review.review import AGENT_S, MAX_AGENTS, RunningCalls
from snippet_engine.call_context import as_client


class Clock:
    def __init__(self) -> None:
        self.now_s = 1000.0

    def __call__(self) -> float:
        return self.now_s


def test_a_call_runs_from_its_beginning_to_its_end() -> None:
    clock, told = Clock(), []
    calls = RunningCalls(clock)
    calls.on_change = lambda: told.append(len(calls.running))
    with as_client("agent"):
        first = calls.begin("edit_snippet", {"path": "A.cs"})
        second = calls.begin("compile", {})
    assert [(e.tool, e.client, e.path) for e in calls.running] == [
        ("edit_snippet", "agent", "A.cs"),
        ("compile", "agent", None),
    ]
    calls.end(first)
    assert [each.tool for each in calls.running] == ["compile"]
    calls.end(second)
    assert told == [1, 2, 1, 0]


def test_only_a_call_that_waits_for_nobody_may_have_written() -> None:
    clock, waits = Clock(), [True]
    calls = RunningCalls(clock)
    number = calls.begin("edit_snippet", {}, lambda: waits[0])
    assert not calls.has({"edit_snippet"}, clock.now_s), "it waits for a person"
    waits[0] = False
    assert calls.has({"edit_snippet"}, clock.now_s)
    assert not calls.has({"edit_snippet"}, clock.now_s - 1), "it came later"
    assert not calls.has({"compile"}, clock.now_s)
    calls.end(number)
    assert not calls.has({"edit_snippet"}, clock.now_s)


def test_agents_are_named_for_half_an_hour_the_last_one_first() -> None:
    clock = Clock()
    calls = RunningCalls(clock)
    for name in ("one", "two", "one"):
        with as_client(name):
            calls.end(calls.begin("edit_snippet", {}))
        clock.now_s += 1
    assert [(each.name, each.calls) for each in calls.agents] == [("one", 2), ("two", 1)]
    clock.now_s += AGENT_S - 1
    assert [each.name for each in calls.agents] == ["one"]


def test_the_person_on_the_page_is_no_agent() -> None:
    calls = RunningCalls()
    with as_client(CLIENT):
        calls.end(calls.begin("put_texts", {}))
    assert calls.agents == []


def test_what_is_remembered_is_bounded() -> None:
    calls = RunningCalls()
    for number in range(MAX_AGENTS + 3):
        with as_client(f"agent {number}"):
            calls.end(calls.begin("edit_snippet", {"path": "x" * 100_000}))
    assert len(calls.agents) == MAX_AGENTS
    number = calls.begin("edit_snippet", {"path": "x" * 100_000})
    assert len(calls.running[0].path or "") < 300
    calls.end(number)
