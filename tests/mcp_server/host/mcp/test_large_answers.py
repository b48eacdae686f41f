"""A large answer is what the tool said, though MCP's SDK has not seen it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from live_server import LiveServer
from mcp import Client
from mcp.server import runner
from mcp_talk import Mode

from mcp_server.calls.local_tools import LocalTools
from mcp_server.contract.catalog import CATALOG
from mcp_server.contract.outcome import ToolResult
from mcp_server.host.answer_size import LARGE_BYTES
from snippet_engine.schemas.checked_params import CheckedParams

pytestmark = pytest.mark.anyio

BIG = "Assets/Big.cs"


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What the SDK was given to walk through."""
    walked: list[Any] = []
    dump = runner._dump_result

    def watched(result: Any) -> dict[str, Any]:
        walked.append(getattr(result, "structured_content", None))
        return dump(result)

    monkeypatch.setattr(runner, "_dump_result", watched)
    return walked


@pytest.mark.parametrize("mode", ["auto", "legacy"])
@pytest.mark.parametrize("count", [3, 3_000])
async def test_it_arrives_as_it_was_said(
    project: Path, seen: list[Any], mode: Mode, count: int
) -> None:
    members = "".join(f'    string Größe{number} = "𝄞 apart";\n' for number in range(count))
    (project / BIG).write_text(f"class Big\n{{\n{members}}}\n", encoding="utf-8")
    said = LocalTools(project, "off").call(
        CATALOG["get_symbols"], CheckedParams("get_symbols", {"path": BIG})
    )
    assert isinstance(said, ToolResult)
    async with LiveServer(project=project) as live, Client(live.url, mode=mode) as client:
        for _ in range(2):
            asked = {"path": BIG, "include": ["full"]}
            answer = await client.call_tool("get_symbols", asked)
            assert answer.structured_content == said.structured
        # The next one on the same connection begins where this one ends.
        state = await client.call_tool("get_editor_state")
        assert state.structured_content is not None
        assert state.structured_content["connected"] is False
    walked = [each for each in seen if each is not None]
    assert max(len(str(each)) for each in walked) < LARGE_BYTES
