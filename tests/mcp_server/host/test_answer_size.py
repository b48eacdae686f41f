"""Large answers reach the official client over HTTP as they were said, cut if they must be."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from call_results import result
from live_server import NO_HEARTBEAT, LiveServer
from mcp import Client
from mcp.server import runner
from mcp_talk import Mode
from raw_http import RawConnection, request
from running_server import edit

from mcp_server.calls.local_tools import LocalTools
from mcp_server.contract.catalog import CATALOG
from mcp_server.contract.errors import ToolErrorCode, tool_error
from mcp_server.contract.outcome import ToolResult
from mcp_server.host.answer_size import LARGE_BYTES, MAX_ANSWER_BYTES, within_bounds
from snippet_engine.schemas.checked_params import CheckedParams

pytestmark = pytest.mark.anyio


@pytest.fixture
async def live(project: Path) -> AsyncIterator[LiveServer]:
    async with LiveServer(timing=NO_HEARTBEAT, project=project) as server:
        yield server


def entries(count: int, message: str) -> list[dict[str, Any]]:
    return [
        {"type": "error", "message": message, "stack_trace": "", "id": number}
        for number in range(1, count + 1)
    ]


@pytest.mark.parametrize(
    ("count", "message"),
    [
        (1_850, "x" * 490),
        (170, "\u0001" * 1_000),
        (1, "x" * 1_000_000),
        (1, '"' * 500_000),
    ],
)
@pytest.mark.parametrize("since", [None, "run-0"])
async def test_a_console_that_the_editor_may_send_reaches_the_client(
    live: LiveServer, count: int, message: str, since: str | None
) -> None:
    """What other plugins send too: up to the largest message that /unity takes."""
    editor = await live.editor(held=True).connect()
    sent = {
        "entries": entries(count, message),
        "count": count,
        "truncated": False,
        "next_cursor": f"run-{count}",
    }
    arguments = {"max_entries": 2_000, **({"since": since} if since else {})}
    async with RawConnection(live.port) as raw, live.client() as client:
        await raw.post(request("tools/call", 1, name="read_console", arguments=arguments))
        await editor.answer(await editor.received("execute"), sent)
        _, _, body = await raw.answer()
        assert len(body) < MAX_ANSWER_BYTES
        editor.held = False
        editor.on_execute = lambda frame: editor.answer(frame, sent)
        got = result(await client.call_tool("read_console", arguments), "read_console")
    assert got["truncated"] is True
    assert got["count"] == len(got["entries"]) > 0
    first, last = got["entries"][0]["id"], got["entries"][-1]["id"]
    if since:
        assert (first, got["next_cursor"]) == (1, f"run-{last}")
    else:
        assert (last, got["next_cursor"]) == (count, f"run-{count}")


async def test_what_fits_is_not_touched(live: LiveServer) -> None:
    editor = await live.editor().connect()
    editor.console = entries(900, "x" * 900)
    async with live.client() as client:
        arguments = {"max_entries": 2_000}
        got = result(await client.call_tool("read_console", arguments), "read_console")
    assert got["entries"] == editor.console
    assert got["truncated"] is False


async def test_an_outline_of_a_large_file(live: LiveServer, project: Path) -> None:
    methods = "".join(f"    void Method_{n}_with_a_long_name() {{ }}\n" for n in range(8_000))
    (project / "Assets" / "Large.cs").write_text("class Large\n{\n" + methods + "}\n")
    arguments = {"path": "Assets/Large.cs", "timeout_ms": 30_000}
    async with live.client() as client:
        short = await client.call_tool("get_symbols", arguments)
        assert short.structured_content is not None
        assert len(short.structured_content["symbols"]) == 8_001
        arguments |= {"include": ["full"]}
        got = result(await client.call_tool("get_symbols", arguments), "get_symbols")
    assert got["truncated"] is True
    assert 1_000 < len(got["symbols"]) < 8_000


@pytest.mark.parametrize(
    ("tool", "key"),
    [
        ("get_symbols", "symbols"),
        ("find_references", "references"),
        ("get_history", "changes"),
        ("edit_scripts", "files"),
        ("rename_symbol", "files"),
    ],
)
def test_a_short_answer_that_is_too_large_keeps_its_text(tool: str, key: str) -> None:
    """Only the full form has what the text would be made of again."""
    listed = [{"path": f"Assets/{number}.cs", "text": "x" * 1_000} for number in range(2_000)]
    cut = within_bounds(tool, {}, ToolResult({key: listed}, "2000 found"))
    document = cut.to_json()
    assert len(json.dumps(document)) < MAX_ANSWER_BYTES
    assert (cut.text, document["truncated"]) == ("2000 found", True)
    assert document[key] == listed[: len(document[key])]


@pytest.mark.parametrize("more", [{}, {"colour": "red"}])
async def test_metadata_that_no_answer_has_room_for(
    live: LiveServer, project: Path, more: dict[str, Any]
) -> None:
    arguments = edit("preview")
    arguments["instructions"][0] |= {"metadata": {"log": "x" * 3_000_000}, **more}
    async with RawConnection(live.port) as raw:
        sent = request("tools/call", 1, name="edit_snippet", arguments=arguments)
        await raw.post(sent)
        _, _, body = await raw.answer()
    assert len(body) < 5_000
    assert b"ERR_INVALID_PARAMS" in body
    assert (b"$.instructions[0].metadata" if not more else b"$.instructions[0].colour") in body


def test_a_job_with_many_failures() -> None:
    tests = [{"name": f"T{n}", "message": "m" * 4_000, "stack_trace": ""} for n in range(300)]
    summary = {"total": 300, "passed": 0, "failed": 300, "skipped": 0, "duration_ms": 1}
    structured = {
        "job_id": "j",
        "state": "succeeded",
        "progress": None,
        "result": {"summary": summary, "failed_tests": tests},
    }
    cut = within_bounds("get_job_status", {"job_id": "j"}, ToolResult(structured, "text"))
    document = cut.to_json()
    assert len(json.dumps(document)) < MAX_ANSWER_BYTES
    assert document["result"]["truncated"] is True
    assert document["result"]["failed_tests"] == tests[: len(document["result"]["failed_tests"])]
    assert "300 failed" in cut.text
    assert "truncated" not in structured["result"]


def test_an_error_with_large_details_stays_an_error() -> None:
    error = tool_error(
        ToolErrorCode.UNITY_EXECUTION, "It failed.", details={"log": "x" * 2_000_000}
    )
    cut = within_bounds("read_console", {}, error)
    assert len(json.dumps(cut.to_json())) < MAX_ANSWER_BYTES
    assert cut.to_json()["error"]["code"] == "ERR_UNITY_EXECUTION"


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
