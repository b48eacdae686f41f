"""A real MCP client over real HTTP against a real ``unity-cli serve``, in both dialects."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from mcp import Client, MCPError, types
from mcp_talk import Mode, talk, text
from running_server import SCRIPT, SOURCE, TERMINATED, TIMEOUT_S, RunningServer, edit

from mcp_server.contract.catalog import CATALOG
from snippet_engine.source_text import content_hash

pytestmark = pytest.mark.anyio

modes = pytest.mark.parametrize("mode", ["auto", "legacy"])
EDITED = SOURCE.replace(b"speed > 10", b"speed > 20")


def error(result: types.CallToolResult) -> dict[str, Any]:
    """The error object of a failed call, held against the contract."""
    assert result.is_error
    document = result.structured_content
    assert isinstance(document, dict)
    contract = Path(__file__).parents[4] / "contracts" / "error.schema.json"
    jsonschema.validate(document, json.loads(contract.read_bytes()))
    problem, *offers = text(result).split("\n")
    assert problem
    for number, line in enumerate(offers, 1):
        assert line.startswith((f"offer {number} (", f"choice {number} ("))
    assert len(text(result)) <= 2000
    found: dict[str, Any] = document["error"]
    return found


@modes
async def test_the_tool_list_is_the_catalog(server: RunningServer, mode: Mode) -> None:
    async with Client(server.url, mode=mode) as client:
        listed = (await client.list_tools()).tools
        assert [
            tool.model_dump(by_alias=True, exclude_none=True, mode="json") for tool in listed
        ] == [spec.to_mcp() for spec in CATALOG.values()]
        assert client.server_info.name == "unity-snippet"


@modes
async def test_preview_apply_undo(server: RunningServer, script: Path, mode: Mode) -> None:
    async with Client(server.url, mode=mode) as client:
        metadata = {"why": None, "deep": [None, {"x": "é"}]}
        request = edit("preview", include=["workspaceEdit", "full"])
        request["instructions"][0]["metadata"] = metadata
        previewed = await client.call_tool("edit_snippet", request)
        assert not previewed.is_error, text(previewed)
        assert text(previewed).startswith(f"previewed {SCRIPT}")
        assert len(text(previewed)) <= 1000
        preview = previewed.structured_content
        assert preview is not None
        assert preview["results"][0]["metadata"] == metadata
        jsonschema.validate(preview, dict(CATALOG["edit_snippet"].output_schema))
        assert script.read_bytes() == SOURCE

        applied = await client.call_tool("edit_snippet", {**request, "mode": "apply"})
        result = applied.structured_content
        assert result is not None
        assert result["applied"] is True
        assert result["hashAfter"] == preview["hashAfter"]
        assert script.read_bytes() == EDITED

        undo = {"path": SCRIPT, "hashAfter": result["hashAfter"]}
        undone = await client.call_tool("undo_snippet", undo)
        assert not undone.is_error, text(undone)
        assert script.read_bytes() == SOURCE


@modes
async def test_wrong_arguments(server: RunningServer, script: Path, mode: Mode) -> None:
    async with Client(server.url, mode=mode) as client:
        request = {**edit("apply"), "mode": "now", "extra": 1}
        request["instructions"][0]["anchor"]["position"] = 5
        result = await client.call_tool("edit_snippet", request)
        found = error(result)
        assert found["code"] == "ERR_INVALID_PARAMS"
        assert found["retryable"] is False
        assert found["details"]["execution_guarantee"] == "not_executed"
        assert found["details"]["code"] == "invalid_request"
        paths = [each["path"] for each in found["details"]["details"]["problems"]]
        assert paths == ["$.mode", "$.instructions[0].anchor.position", "$.extra"]
        assert text(result).startswith("Invalid parameters for tool `edit_snippet`: $.mode must be")
        assert all(path in text(result) for path in paths)
        nothing = await client.call_tool("edit_snippet")
        assert error(nothing)["code"] == "ERR_INVALID_PARAMS"
        late = error(await client.call_tool("edit_snippet", edit(timeout_ms=30_001)))
        assert late["code"] == "ERR_INVALID_PARAMS"
    assert script.read_bytes() == SOURCE


@modes
async def test_an_engine_refusal_offers_anchors_that_can_be_sent(
    server: RunningServer, script: Path, mode: Mode
) -> None:
    async with Client(server.url, mode=mode) as client:
        request = edit()
        request["instructions"][0]["anchor"]["target"] = "speed"
        request["instructions"][0]["newText"] = "pace"
        result = await client.call_tool("edit_snippet", {**request, "include": ["full"]})
        found = error(result)
        assert found["code"] == "ERR_SNIPPET"
        details = found["details"]
        assert details["code"] == "ambiguous_anchor"
        assert details["instruction"] == 0
        assert details["execution_guarantee"] == "not_executed"
        short = error(await client.call_tool("edit_snippet", request))["details"]
        assert "candidates" not in short["details"]
        assert len(short["offers"]) == len(details["offers"])
        for candidate in details["details"]["candidates"]:
            request["instructions"][0]["anchor"] = candidate["anchor"]
            accepted = await client.call_tool("edit_snippet", request)
            assert not accepted.is_error, text(accepted)


@modes
async def test_an_undo_of_a_path_alone_is_offered_with_its_last_change(
    server: RunningServer, script: Path, mode: Mode
) -> None:
    async with Client(server.url, mode=mode) as client:
        await only_what_somebody_else_did(client)
        applied = (await client.call_tool("edit_snippet", edit("apply"))).structured_content
        assert applied is not None
        for path in (SCRIPT, str(script)):
            refused = await client.call_tool("undo_snippet", {"path": path})
            assert "$.hashAfter is required" in text(refused)
            (offer,) = error(refused)["details"]["offers"]
            undo = offer["arguments"]
            assert undo["path"] == SCRIPT
            assert undo["hashAfter"].startswith(f"sha256:{applied['hashAfter']}")
            assert offer["what"].startswith("undo its last change, made 2")
            assert f"): {json.dumps(undo)}" in text(refused)
        assert script.read_bytes() == EDITED
        more = error(await client.call_tool("undo_snippet", {"path": SCRIPT, "steps": 2}))
        assert more["details"].get("offers", []) == []

        changes = [{"path": SCRIPT, "instructions": edit("apply")["instructions"]}]
        changes[0]["instructions"][0]["anchor"]["target"] = "speed > 20"
        changes[0]["instructions"][0]["newText"] = "speed > 30"
        new = {"path": "Assets/Scripts/New.cs", "create": "class New { }\n"}
        request = {"mode": "apply", "changes": [*changes, new]}
        applied = (await client.call_tool("edit_scripts", request)).structured_content
        assert applied is not None
        refused = await client.call_tool("undo_snippet", {"path": SCRIPT, "timeout_ms": 9_000})
        (offer,) = error(refused)["details"]["offers"]
        assert offer["arguments"] == {**applied["undo"], "timeout_ms": 9_000}
        assert "with all 2 files of it" in offer["what"]
        undone = await client.call_tool("undo_snippet", offer["arguments"])
        assert not undone.is_error, text(undone)
        assert script.read_bytes() == EDITED

        script.write_bytes(SOURCE)
        await only_what_somebody_else_did(client)


async def only_what_somebody_else_did(client: Client) -> None:
    """Where the script was written by hand, at most that can be undone, once it was seen."""
    refused = error(await client.call_tool("undo_snippet", {"path": SCRIPT}))
    for each in refused["details"].get("offers", []):
        assert each["arguments"] == {"path": SCRIPT, "hashAfter": content_hash(SOURCE)}


@modes
async def test_an_unknown_tool(server: RunningServer, mode: Mode) -> None:
    async with Client(server.url, mode=mode) as client:
        with pytest.raises(MCPError) as raised:
            await client.call_tool("edit_snipet", {})
        assert raised.value.error.code == types.INVALID_PARAMS
        assert "edit_snippet" in raised.value.error.message
        assert raised.value.error.data["error"]["code"] == "ERR_UNKNOWN_COMMAND"


def test_without_a_project_the_script_tools_say_so(no_project: Path) -> None:
    async def scenario(client: Client) -> None:
        assert len((await client.list_tools()).tools) == len(CATALOG)
        found = error(await client.call_tool("get_symbols", {"path": SCRIPT}))
        assert found["code"] == "ERR_CONFIG_VALIDATION"
        assert found["details"]["execution_guarantee"] == "not_executed"
        assert "--project" in found["message"]

    with RunningServer(cwd=no_project) as server:
        talk(server.url, "auto", scenario)
        talk(server.url, "legacy", scenario)


@modes
def test_a_client_outlives_a_restart_of_the_server(project: Path, mode: Mode) -> None:
    async def run() -> None:
        first = RunningServer(cwd=project)
        with first:
            async with Client(first.url, mode=mode) as client:
                before = await client.call_tool("get_symbols", {"path": SCRIPT})
                assert await asyncio.to_thread(first.stop) == TERMINATED
                second = RunningServer(cwd=project, port=first.port)
                with second:
                    after = await client.call_tool("get_symbols", {"path": SCRIPT})
                    assert after.structured_content == before.structured_content
                    applied = await client.call_tool("edit_snippet", edit("apply"))
                    assert not applied.is_error, text(applied)

    asyncio.run(asyncio.wait_for(run(), TIMEOUT_S))


def test_many_clients_at_once(server: RunningServer, script: Path) -> None:
    async def one(number: int) -> None:
        async with Client(server.url, mode="legacy" if number % 2 else "auto") as client:
            result = await client.call_tool("edit_snippet", edit())
            assert not result.is_error, text(result)

    async def run() -> None:
        await asyncio.gather(*map(one, range(8)))

    asyncio.run(asyncio.wait_for(run(), TIMEOUT_S))
    assert script.read_bytes() == SOURCE


def test_requests_are_logged_without_source_text(project: Path) -> None:
    async def scenario(client: Client) -> None:
        await client.call_tool("edit_snippet", edit("apply", client_request_id="mine"))
        await client.call_tool("edit_snippet", edit("apply", validation="embedded"))

    with RunningServer("--log-format", "json", cwd=project) as server:
        talk(server.url, "auto", scenario)
        assert server.stop() == TERMINATED
    calls = [event for event in server.events if event["event"].startswith("request")]
    assert [event["event"] for event in calls] == [
        "request",
        "request_done",
        "request",
        "request_failed",
    ]
    assert calls[0]["client_request_id"] == "mine"
    assert calls[0]["request_id"] == calls[1]["request_id"] != calls[2]["request_id"]
    assert calls[3]["error"] == "ERR_SNIPPET"
    assert calls[3]["engine_code"] == "anchor_not_found"
    assert calls[3]["guarantee"] == "not_executed"
    assert "speed >" not in server.log


@modes
@pytest.mark.usefixtures("script")
def test_the_history_says_who_asked(server: RunningServer, mode: Mode) -> None:
    """Newer clients say their name with each request, older ones once, at the beginning."""

    async def scenario(client: Client) -> None:
        applied = await client.call_tool("edit_snippet", edit("apply"))
        assert not applied.is_error, text(applied)
        listed = await client.call_tool("get_history", {"path": SCRIPT})
        assert listed.structured_content is not None
        # Other tests write with this server, too.
        entry = listed.structured_content["changes"][0]
        assert entry["client"] == "a test: éà"
        undone = await client.call_tool("undo_snippet", entry["undo"])
        assert not undone.is_error, text(undone)

    talk(server.url, mode, scenario, name="a test: éà")


EMPTY_CLASS = b"public class A\r\n{\r\n}\r\n"


async def test_every_example_works_as_it_is_listed(server: RunningServer, script: Path) -> None:
    (script.parents[1] / "A.cs").write_bytes(EMPTY_CLASS)
    done: list[str] = []

    async with Client(server.url, mode="auto") as client:
        for tool in (await client.list_tools()).tools:
            for line in (tool.description or "").splitlines():
                if line.startswith("{"):
                    result = await client.call_tool(tool.name, json.loads(line))
                    assert not result.is_error, text(result)
                    done.append(tool.name)
    assert done == ["edit_snippet", "edit_scripts"]
    assert b"if (speed > 20)" in script.read_bytes()
    assert b"C.D();" in (script.parents[1] / "A.cs").read_bytes()
    assert b"void D() { }" in (script.parents[1] / "C.cs").read_bytes()
