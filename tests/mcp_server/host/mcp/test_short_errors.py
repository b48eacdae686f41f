"""Refusals in their short form: each message once, and nothing that an offer has."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from mcp import Client
from mcp_talk import talk, text
from running_server import RunningServer, edit

from mcp_server.contract.errors import ToolErrorCode, tool_error
from mcp_server.host.mcp.short_errors import MAX_DETAILS, MAX_DIAGNOSTICS, short_error


def refused(details: dict[str, Any], **more: Any) -> dict[str, Any]:
    """The short form's engine error."""
    engine = {"code": "x", "message": "It is wrong.", "details": details, "offers": [], **more}
    short = short_error({}, tool_error(ToolErrorCode.SNIPPET, "It is wrong.", details=engine))
    assert short.message == "It is wrong."
    return dict(short.details)


def diagnostic(line: int, length: int = 30) -> dict[str, Any]:
    return {"line": line, "column": 1, "id": "CS0103", "message": "m" * length, "instruction": 0}


def test_diagnostics_are_few_and_counted() -> None:
    found = [diagnostic(line) for line in range(1, 21)]
    short = refused({"diagnostics": found, "validation": {"diagnostics": found}}, instruction=0)
    assert "message" not in short
    assert "offers" not in short
    assert short["details"].keys() == {"diagnostics", "moreDiagnostics"}
    assert [each["line"] for each in short["details"]["diagnostics"]] == [1, 2, 3, 4, 5]
    assert short["details"]["moreDiagnostics"] == 20 - MAX_DIAGNOSTICS
    assert "instruction" not in short["details"]["diagnostics"][0]


def test_long_details_lose_their_last_entries_and_count_them() -> None:
    short = refused({"diagnostics": [diagnostic(line, 900) for line in range(1, 21)]})
    assert len(json.dumps(short["details"])) <= MAX_DETAILS
    shown = len(short["details"]["diagnostics"])
    assert short["details"]["moreDiagnostics"] == 20 - shown
    short = refused({"nearest": [{"line": line, "text": "t" * 300} for line in range(10)]})
    assert short["details"]["leftOut"] == 10 - len(short["details"]["nearest"])


def test_what_an_offer_has_is_not_given_twice() -> None:
    anchor, other = {"target": "a"}, {"target": "b"}
    offer = {"what": "line 1", "arguments": {"instructions": [{"anchor": anchor}]}}
    places = [{"line": 1, "anchor": anchor}, {"line": 2, "anchor": other}]
    short = refused({"nearest": places, "candidates": places, "matches": 2}, offers=[offer])
    assert short["details"] == {"candidates": places[1:], "matches": 2}
    assert short["offers"] == [offer]
    again = {"code": "y", "message": "Also.", "details": {"candidates": places[:1]}}
    short = refused({"otherErrors": [again]}, offers=[offer])
    assert short["details"]["otherErrors"][0]["details"] == {}


def test_a_larger_edit_is_offered_by_its_id_alone(server: RunningServer, script: Path) -> None:
    old = "    int speed = 10;\n\n    void Update()\n    {\n        if (speed > 10)"
    new = old.replace("10;", "1; // slower than it was").replace("> 10", "> 1 /* and lower */")
    request = edit("apply")
    request["instructions"][0]["anchor"]["target"] = old
    request["instructions"][0]["newText"] = new.replace(
        "Update()", "Update(/* each frame, it is */)"
    )

    async def scenario(client: Client) -> None:
        result = await client.call_tool("edit_snippet", request)
        assert result.is_error
        assert result.structured_content is not None
        details = result.structured_content["error"]["details"]
        assert details["code"] == "diff_too_large", text(result)
        arguments = details["offers"][0]["arguments"]
        assert arguments.keys() == {"retry", "instructions"}
        assert json.dumps(arguments) in text(result)
        assert len(json.dumps(result.structured_content)) < 1_000
        done = await client.call_tool("edit_snippet", arguments)
        assert not done.is_error, text(done)

    talk(server.url, "legacy", scenario)
    assert b"if (speed > 1 /* and lower */)" in script.read_bytes()


def test_a_timeout_above_the_longest_is_offered_as_the_longest(
    server: RunningServer, script: Path
) -> None:
    before = script.read_bytes()

    async def scenario(client: Client) -> None:
        result = await client.call_tool("edit_snippet", edit(timeout_ms=60_000))
        assert result.structured_content is not None
        (offer,) = result.structured_content["error"]["details"]["offers"]
        assert "tool" not in offer
        assert offer["arguments"]["timeout_ms"] == 30_000
        listed = {tool.name: tool for tool in (await client.list_tools()).tools}
        timeout = listed["edit_snippet"].input_schema["properties"]["timeout_ms"]
        assert timeout["description"] == "At most 30000"

    talk(server.url, "auto", scenario)
    assert script.read_bytes() == before
