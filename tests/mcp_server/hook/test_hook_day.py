"""A session of an agent whose own writes the guard accompanies."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hook_calls import PATIENT, Agent, told, wait_until
from running_server import SCRIPT, SOURCE, RunningServer, make_project

from mcp_server.guard import fired

BROKEN = SOURCE.replace(b"speed = 0;", b"speed = (0;")


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    root = make_project(tmp_path_factory.mktemp("day") / "project")
    (root / "Library").mkdir()
    with RunningServer(cwd=root, **PATIENT) as running:
        yield running


@pytest.fixture
def agent(guarded: RunningServer, request: pytest.FixtureRequest) -> Agent:
    (guarded.cwd / SCRIPT).write_bytes(SOURCE)
    return Agent(guarded.cwd, request.node.name)


def test_a_clean_change_is_silent(agent: Agent) -> None:
    assert agent.write(SCRIPT, SOURCE.replace(b"= 0", b"= 1")) == ""
    assert agent.fire("Stop", stop_hook_active=False) == {}


def test_an_error_is_told_once_and_holds_up_the_end_once(agent: Agent) -> None:
    assert "(CS1026)" in agent.refused(SCRIPT, BROKEN)
    said = agent.write(SCRIPT, BROKEN)
    assert said.startswith("1 new error since this change:\nAssets/Scripts/Player.cs:12 CS1026")
    assert agent.write(SCRIPT, BROKEN.replace(b"= 10", b"= 11")) == ""
    blocked = agent.fire("Stop", stop_hook_active=False)
    assert blocked["decision"] == "block"
    assert "Assets/Scripts/Player.cs:12 CS1026" in blocked["reason"]
    assert agent.fire("Stop", stop_hook_active=True) == {}
    assert agent.fire("Stop", stop_hook_active=False) == {}


def test_a_change_is_taken_back_byte_for_byte(agent: Agent) -> None:
    agent.refused(SCRIPT, BROKEN)
    said = agent.write(SCRIPT, BROKEN)
    assert agent.requested(said)["status"] == "undone"
    assert (agent.project / SCRIPT).read_bytes() == SOURCE
    assert agent.fire("Stop", stop_hook_active=False) == {}


def test_each_change_is_in_the_history(agent: Agent) -> None:
    texts = [SOURCE.replace(b"= 0", b"= %d" % number) for number in range(1, 4)]
    for each in texts:
        assert agent.write(SCRIPT, each) == ""
    assert agent.write("Assets/Made.cs", b"class Made { }\n") == ""
    history = agent.tool("get_history", limit=4)["changes"]
    assert [each["source"] for each in history] == ["claude-code/Write"] * 4
    for each, before in zip(history[1:], [texts[1], texts[0], SOURCE], strict=True):
        assert agent.tool("undo_snippet", **each["undo"])["status"] == "undone"
        assert (agent.project / SCRIPT).read_bytes() == before
    assert agent.tool("undo_snippet", **history[0]["undo"])["status"] == "undone"
    assert not (agent.project / "Assets/Made.cs").exists()


def test_line_endings_and_the_byte_order_mark(agent: Agent) -> None:
    mixed = SOURCE.replace(b"= 10;\r\n", b"= 10;\n")
    said = agent.write(SCRIPT, mixed)
    assert "its line endings changed from CRLF to LF in 1 of 14 lines." in said
    assert agent.requested(said)["status"] == "undone"
    assert (agent.project / SCRIPT).read_bytes() == SOURCE
    (agent.project / SCRIPT).write_bytes(b"\xef\xbb\xbf" + SOURCE)
    assert "its byte order mark is gone." in agent.write(SCRIPT, SOURCE)


def test_a_session_begins_with_two_lines(agent: Agent) -> None:
    said = told(agent.fire("SessionStart", source="startup"))
    assert said.count("\n") == 1
    assert said.startswith("Unity project project: ")


def test_when_each_client_fired_is_known(guarded: RunningServer, agent: Agent) -> None:
    agent.fire("Stop")
    agent.fire("Nonsense")
    # It is written after the answer, in the order of the events.
    wait_until(lambda: "unread" in fired.read(guarded.cwd).get("claude-code", {}))
    assert fired.read(guarded.cwd)["claude-code"]["stop"]["count"] >= 1
