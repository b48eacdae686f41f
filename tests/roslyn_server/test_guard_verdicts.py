"""The guard with a real compiler: each new error is told once, in time or later.

docs/design/guard.md, with a real server, real hook processes and a real MCP client.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import laid_out
import late_verdicts
import pytest
from hook_calls import PATIENT, Agent, told
from late_verdicts import LIBRARY, LIBRARY_TEXT, MANY, caller, client, run
from running_server import RunningServer

from roslyn_server.toolchains.pairing import Toolchain

BROKEN = LIBRARY_TEXT.replace("int Points()", "long Points()").encode()
FAR = caller(MANY - 1)
NEAR = caller(0)


@pytest.fixture(scope="module")
def server(
    tmp_path_factory: pytest.TempPathFactory, roslyn_4_8: Toolchain, references: Path
) -> Iterator[RunningServer]:
    layout = laid_out.unity_6_5(tmp_path_factory.mktemp("machine"), roslyn_4_8)
    folder = tmp_path_factory.mktemp("module")
    with pytest.MonkeyPatch.context() as patch:
        for name, value in PATIENT.items():
            patch.setenv(name, value)
        with late_verdicts.serving(layout, folder, references, late_verdicts.callers()) as serving:
            late_verdicts.start_compiler(serving)
            yield serving


@pytest.fixture
def agent(server: RunningServer, request: pytest.FixtureRequest) -> Agent:
    for path, text in late_verdicts.callers().items():
        (server.cwd / path).write_text(text, encoding="utf-8")
    return Agent(server.cwd, request.node.name)


def test_an_error_in_another_file_is_told_once(server: RunningServer, agent: Agent) -> None:
    async def scenario() -> None:
        async with client(server, "somebody else") as other:
            await other.look()
            said = agent.write(LIBRARY, BROKEN)
            await other.until_judged()
            # What came too late for the first answer is in the next one.
            later = [agent.write(NEAR, (server.cwd / NEAR).read_bytes() + b"\n") for _ in range(2)]
            assert [each.count(f"{FAR}:3 CS0266") for each in (said + later[0], later[1])] == [1, 0]
            assert [each["file"] for each in other.news] == [FAR]
            blocked = agent.fire("Stop", stop_hook_active=False)
            assert f"{FAR}:3 CS0266" in blocked["reason"]
            assert agent.write(LIBRARY, LIBRARY_TEXT.encode()) == ""

    run(scenario)


def test_an_agent_with_tools_and_hooks_is_told_by_one_of_them(
    server: RunningServer, agent: Agent
) -> None:
    async def scenario() -> None:
        async with client(server, "codex-mcp-client") as tools:
            await tools.look()
            own = Agent(server.cwd, "only one", client="codex")
            said = own.patch(LIBRARY, "int Points()", "long Points()")
            await tools.until_judged()
            await tools.look()
            later = own.patch(NEAR, "class Caller0", "sealed class Caller0")
            assert (said + later).count("CS0266") + len(tools.news) == 1

    run(scenario)


def test_many_scripts_of_a_command_are_judged_at_the_end(agent: Agent) -> None:
    call = {"tool_name": "Bash", "tool_input": {"command": "sed"}, "tool_use_id": "shell"}
    assert agent.fire("PreToolUse", **call) == {}
    for path, text in late_verdicts.callers().items():
        (agent.project / path).write_text(text.replace(" Of(", " Of2("), encoding="utf-8")
    (agent.project / NEAR).write_text("class Caller0 { int x = nothing; }\n", encoding="utf-8")
    said = told(agent.fire("PostToolUse", **call))
    assert said.startswith(f"{MANY} scripts changed")
    blocked = agent.fire("Stop", stop_hook_active=False)["reason"]
    assert f"{NEAR}:1 CS0103" in blocked
    assert "Not judged" not in blocked
    assert agent.fire("Stop", stop_hook_active=False) == {}


def test_a_syntax_error_is_refused_beside_a_compiler(agent: Agent) -> None:
    assert "CS1513" in agent.refused(LIBRARY, LIBRARY_TEXT.encode()[:-3])


def test_what_only_the_compiler_understands_passes(agent: Agent) -> None:
    """The far file has old errors; they are nobody's new ones."""
    (agent.project / FAR).write_text("class {", encoding="utf-8")
    assert agent.write(NEAR, (agent.project / NEAR).read_bytes() + b"// more\n") == ""
    assert agent.fire("Stop", stop_hook_active=False) == {}
