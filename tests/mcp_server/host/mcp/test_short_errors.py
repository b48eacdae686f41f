"""Refusals in their short form: each message once, and offers that name an earlier request."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from held_to_schema import hold_to_schema
from mcp import Client
from mcp_talk import talk, text
from running_server import SCRIPT, SOURCE, RunningServer, edit

from mcp_server.contract.catalog import CATALOG
from mcp_server.contract.errors import ToolError, ToolErrorCode, tool_error
from mcp_server.contract.short_schemas import SHORT_ERROR_SCHEMA
from mcp_server.host.mcp.short_errors import (
    KEPT_S,
    MAX_DETAILS,
    MAX_DIAGNOSTICS,
    MAX_REQUESTS,
    SentRequests,
    changes_of,
    short_error,
    with_changes,
)

pytestmark = pytest.mark.anyio


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
    hold_to_schema({**short, "code": "compile_error"}, SHORT_ERROR_SCHEMA)
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


async def test_a_larger_edit_is_offered_by_its_id_alone(
    server: RunningServer, script: Path
) -> None:
    old = "    int speed = 10;\n\n    void Update()\n    {\n        if (speed > 10)"
    new = old.replace("10;", "1; // slower than it was").replace("> 10", "> 1 /* and lower */")
    request = edit("apply")
    request["instructions"][0]["anchor"]["target"] = old
    request["instructions"][0]["newText"] = new.replace(
        "Update()", "Update(/* each frame, it is */)"
    )

    async with Client(server.url, mode="legacy") as client:
        result = await client.call_tool("edit_snippet", request)
        assert result.is_error
        assert result.structured_content is not None
        details = result.structured_content["error"]["details"]
        hold_to_schema(details, SHORT_ERROR_SCHEMA)
        assert details["code"] == "diff_too_large", text(result)
        arguments = details["offers"][0]["arguments"]
        assert arguments.keys() == {"retry", "instructions"}
        assert json.dumps(arguments) in text(result)
        assert len(json.dumps(result.structured_content)) < 1_000
        done = await client.call_tool("edit_snippet", arguments)
        assert not done.is_error, text(done)
    assert b"if (speed > 1 /* and lower */)" in script.read_bytes()


async def test_a_timeout_above_the_longest_is_offered_as_the_longest(
    server: RunningServer, script: Path
) -> None:
    before = script.read_bytes()

    async with Client(server.url, mode="auto") as client:
        result = await client.call_tool("edit_snippet", edit(timeout_ms=60_000))
        assert result.structured_content is not None
        (offer,) = result.structured_content["error"]["details"]["offers"]
        assert "tool" not in offer
        assert offer["arguments"]["timeout_ms"] == 30_000
        listed = {tool.name: tool for tool in (await client.list_tools()).tools}
        timeout = listed["edit_snippet"].input_schema["properties"]["timeout_ms"]
        assert timeout["description"] == "At most 30000"
    assert script.read_bytes() == before


EDIT = CATALOG["edit_snippet"]


def replacement(target: str, new_text: str, **more: str) -> dict[str, Any]:
    anchor = {"type": "text", "target": target, **more}
    return {"operation": "replace", "anchor": anchor, "newText": new_text}


REQUEST = {
    "path": SCRIPT,
    "mode": "apply",
    "instructions": [
        replacement("int speed = 10;", "int speed = 11; // a first edit of some length"),
        replacement("if (sped > 10)", "if (speed > 20)"),
        replacement("speed = 0;", "speed = 1; // a third edit, which is as long as the first"),
    ],
}


async def test_an_offer_names_only_what_it_changes_and_can_be_sent(
    server: RunningServer, script: Path
) -> None:
    async with Client(server.url, mode="legacy") as client:
        refused = await client.call_tool("edit_snippet", REQUEST)
        assert refused.is_error
        (line,) = [each for each in text(refused).splitlines() if each.startswith("offer 1 ")]
        offer = json.loads(line.partition("): ")[2])
        assert offer.keys() == {"retry", "instructions"}
        assert offer["instructions"].keys() == {"1"}
        assert script.read_bytes() == SOURCE
        applied = await client.call_tool("edit_snippet", offer)
        assert not applied.is_error, text(applied)
    assert b"int speed = 11;" in script.read_bytes()
    assert b"if (speed > 20)" in script.read_bytes()


@pytest.mark.parametrize("length", range(620, 700, 10))
async def test_every_choice_can_be_sent_however_little_room_there_is(
    server: RunningServer, script: Path, length: int
) -> None:
    """Changed instructions may fit where the whole request doesn't, but need the request's id."""
    name = "a" * length
    methods = (f"    void M{n}(int {name})\n    {{\n        Go(5);\n    }}\n" for n in range(6))
    script.write_text("class A\n{\n" + "".join(methods) + "}\n")
    sent = {"path": SCRIPT, "mode": "preview", "instructions": [replacement("Go(5);", "Go(6);")]}
    async with Client(server.url, mode="legacy") as client:
        refused = text(await client.call_tool("edit_snippet", sent))
        lines = [each for each in refused.splitlines() if each.startswith("choice ")]
        assert lines, refused
        for line in lines:
            offer = json.loads(line.partition("): ")[2])
            previewed = await client.call_tool("edit_snippet", offer)
            assert not previewed.is_error, text(previewed)


def test_without_a_session_another_connection_can_send_it(
    server: RunningServer, script: Path
) -> None:
    offers: list[dict[str, Any]] = []

    async def refused(client: Client) -> None:
        (line,) = text(await client.call_tool("edit_snippet", REQUEST)).splitlines()[1:2]
        offers.append(json.loads(line.partition("): ")[2]))

    async def another(client: Client) -> None:
        applied = await client.call_tool("edit_snippet", offers[0])
        assert not applied.is_error, text(applied)

    talk(server.url, "auto", refused)
    assert len(offers[0]["retry"]) == 16
    talk(server.url, "auto", another)
    assert b"if (speed > 20)" in script.read_bytes()


def test_nobody_else_can_send_it(server: RunningServer, script: Path) -> None:
    lines: list[str] = []

    async def refused(client: Client) -> None:
        lines.extend(text(await client.call_tool("edit_snippet", REQUEST)).splitlines())

    async def another(client: Client) -> None:
        offer = json.loads(lines[1].partition("): ")[2])
        result = await client.call_tool("edit_snippet", offer)
        assert result.is_error
        assert "Send the whole request" in text(result)

    talk(server.url, "legacy", refused)
    talk(server.url, "legacy", another)
    assert script.read_bytes() == SOURCE


def test_what_is_kept_is_bounded_in_number_size_and_time() -> None:
    now = 0.0
    requests = SentRequests(lambda: now)
    first = requests.keep("me", EDIT, {"path": "A.cs"})
    assert requests.whole("me", EDIT, {"retry": first}) == {"path": "A.cs"}
    assert isinstance(requests.whole("you", EDIT, {"retry": first}), ToolError)
    assert isinstance(requests.whole("me", CATALOG["edit_scripts"], {"retry": first}), ToolError)
    for _ in range(MAX_REQUESTS):
        last = requests.keep("me", EDIT, {})
    assert isinstance(requests.whole("me", EDIT, {"retry": first}), ToolError)
    large = requests.keep("me", EDIT, {"path": "x" * 3_000_000})
    assert isinstance(requests.whole("me", EDIT, {"retry": large}), dict)
    requests.keep("me", EDIT, {"path": "x" * 3_000_000})
    assert isinstance(requests.whole("me", EDIT, {"retry": large}), ToolError)
    now = KEPT_S + 1
    assert isinstance(requests.whole("me", EDIT, {"retry": last}), ToolError)


def test_what_changes_is_given_by_index() -> None:
    wanted = json.loads(json.dumps(REQUEST))
    wanted["instructions"][1]["anchor"]["target"] = "if (speed > 10)"
    changes = changes_of(REQUEST, wanted)
    assert changes == {"instructions": {"1": wanted["instructions"][1]}}
    assert with_changes(REQUEST, changes) == wanted


def test_one_instruction_becomes_several() -> None:
    first, second, third = REQUEST["instructions"]
    several = [{**second, "newText": new} for new in ("a", "b")]
    wanted = {**REQUEST, "instructions": [first, *several, third]}
    found = changes_of(REQUEST, wanted)
    assert found == {"instructions": {"1": several}}
    assert with_changes(REQUEST, found) == wanted
    both = {"instructions": {"0": [], "1": several, "2": first}}
    assert with_changes(REQUEST, both) == {**REQUEST, "instructions": [*several, first]}


def test_a_set_is_changed_in_its_files() -> None:
    file = {key: each for key, each in REQUEST.items() if key != "mode"}
    sent = {"mode": "apply", "changes": [{"path": "B.cs", "create": "class B { }" * 9}, file]}
    wanted = json.loads(json.dumps(sent))
    wanted["changes"][1]["instructions"][2]["newText"] = "speed = 2;"
    changes = changes_of(sent, wanted)
    last = wanted["changes"][1]["instructions"][2]
    assert changes == {"changes": {"1": {"instructions": {"2": last}}}}
    assert with_changes(sent, changes) == wanted


def test_what_saves_little_or_can_not_be_said_is_sent_whole() -> None:
    small = {"path": "A.cs", "mode": "apply", "instructions": [replacement("a", "b")]}
    assert changes_of(small, {**small, "instructions": [replacement("aa", "b")]}) is None
    without_hash = {key: each for key, each in REQUEST.items() if key != "path"}
    assert changes_of(REQUEST, without_hash) is None


@pytest.mark.parametrize("index", ["3", "-1", "x", ""])
def test_an_index_that_is_not_there_is_refused(index: str) -> None:
    found = with_changes(REQUEST, {"instructions": {index: {}}})
    assert isinstance(found, str)
    assert "has 3" in found
