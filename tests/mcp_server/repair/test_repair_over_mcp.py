"""Requests of other shapes, sent by a real MCP client to a real server over HTTP."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from mcp import Client, types
from mcp_talk import text
from running_server import SCRIPT, SOURCE, RunningServer, edit

from mcp_server.contract.catalog import CATALOG

pytestmark = pytest.mark.anyio

EDITED = SOURCE.replace(b"speed > 10", b"speed > 20")
OTHER_SHAPE = {"file_path": SCRIPT, "old_string": "speed > 10", "new_string": "speed > 20"}


def structured(result: types.CallToolResult) -> dict[str, Any]:
    assert not result.is_error, text(result)
    assert isinstance(result.structured_content, dict)
    return result.structured_content


async def test_an_edit_in_another_tools_words_is_applied_and_says_so(
    server: RunningServer, script: Path
) -> None:
    async with Client(server.url, mode="auto") as client:
        sent = {**OTHER_SHAPE, "file_path": str(script), "replace_all": False, "mode": "apply"}
        result = await client.call_tool("edit_snippet", sent)
        answer = structured(result)
        short = CATALOG["edit_snippet"].short_schema
        assert short is not None
        jsonschema.validate(answer, short)
        assert answer["status"] == "applied"
        assert "$.old_string → instructions[0].anchor.target" in answer["repaired"]
        assert "\nrepaired: $.file_path → path; " in text(result)
        assert len(text(result)) <= 1000
        # No answer names a folder outside of the project.
        assert str(script.parents[2]) not in json.dumps(answer) + text(result)
    assert script.read_bytes() == EDITED


async def test_a_valid_request_says_nothing_of_repairs(server: RunningServer, script: Path) -> None:
    async with Client(server.url, mode="auto") as client:
        assert "repaired" not in structured(await client.call_tool("edit_snippet", edit()))


async def test_one_call_in_two_shapes_is_one_call(server: RunningServer, script: Path) -> None:
    async with Client(server.url, mode="auto") as client:
        first = edit("apply", client_request_id="once")
        done = structured(await client.call_tool("edit_snippet", first))
        again = {**OTHER_SHAPE, "mode": "apply", "requestId": "once"}
        replayed = structured(await client.call_tool("edit_snippet", {"request": again}))
        assert replayed.pop("repaired")
        assert replayed == {**done, "replayed": True}
        other = await client.call_tool("edit_snippet", {**again, "new_string": "speed > 30"})
        assert "ERR_DUPLICATE_REQUEST" in json.dumps(other.structured_content)
    assert script.read_bytes() == EDITED


async def test_the_text_of_a_refusal_has_requests_that_can_be_sent(
    server: RunningServer, script: Path
) -> None:
    async with Client(server.url, mode="auto") as client:
        refused = await client.call_tool("edit_snippet", OTHER_SHAPE)
        assert refused.is_error
        first, *offers = text(refused).split("\n")
        assert "$.mode is required" in first
        requests = [json.loads(line.partition("): ")[2]) for line in offers]
        assert [request["mode"] for request in requests] == ["preview", "apply"]
        for request in requests:
            assert "repaired" not in structured(await client.call_tool("edit_snippet", request))
    assert script.read_bytes() == EDITED


async def test_a_refusal_by_the_engine_says_what_was_read_too(
    server: RunningServer, script: Path
) -> None:
    async with Client(server.url, mode="auto") as client:
        sent = {**OTHER_SHAPE, "old_string": "no such text", "mode": "preview"}
        result = await client.call_tool("edit_snippet", sent)
        assert result.is_error
        assert isinstance(result.structured_content, dict)
        details = result.structured_content["error"]["details"]
        assert details["code"] == "anchor_not_found"
        assert "$.old_string → instructions[0].anchor.target" in details["repaired"]


async def test_other_tools_are_read_as_well(server: RunningServer) -> None:
    async with Client(server.url, mode="auto") as client:
        for tool in ("get_symbols", "validate_script"):
            answer = structured(await client.call_tool(tool, {"filePath": f"./{SCRIPT}"}))
            assert answer["path"] == SCRIPT
            assert len(answer["repaired"]) == 2


SIXTEEN = "".join(f"        Go{number}(StopX);\n" for number in range(16))
LEFT = f"class A\n{{\n    void M()\n    {{\n{SIXTEEN}        Last(Stop);\n    }}\n}}\n".encode()
NAMES = b"class A\n{\n    int hp = 1;\n    int chp = 1;\n    int Get() => hp + chp;\n}\n"
SIXTY = LEFT.replace(SIXTEEN.encode(), SIXTEEN.encode() * 4)
OFFERED = {
    "all places": (
        *(SOURCE, "speed", "pace"),
        ["offer 1 (replace_all true as metadata; all 3 places; "],
        SOURCE.replace(b"speed", b"pace"),
    ),
    "only one place": (
        *(SOURCE, "speed > 10", "speed > 20"),
        ["offer 1 (replace_all true as metadata)"],
        EDITED,
    ),
    # Whether these letters are meant once more nobody can say.
    "one has the new text around it": (
        *(SOURCE.replace(b"int speed", b"int topspeed"), "speed", "topspeed"),
        ["; not 1 that has the newText already; unless places that already have"],
        SOURCE.replace(b"speed", b"topspeed"),
    ),
    "one that is left": (
        *(LEFT, "Stop", "StopX"),
        ["; not 16 that have the newText already"],
        LEFT.replace(b"Last(Stop)", b"Last(StopX)"),
    ),
    "a whole word, or letters of longer ones": (
        *(NAMES, "hp", "health"),
        ["all 2 places where it is a whole word; not in ", "all 4 places"],
        NAMES.replace(b" hp", b" health"),
    ),
    "more than one request takes": (*(SIXTY, "StopX", "Halt"), [], None),
    "none together": (
        b"class A\n{\n    int a = 1; int b = 1; int c = 1;\n}\n",
        " = 1; int",
        " (",
        [],
        None,
    ),
    "a deletion": (
        *(SOURCE, " > 10", ""),
        ['offer 1 (operation "delete", as newText is empty'],
        SOURCE.replace(b" > 10", b""),
    ),
    "a deletion that breaks the syntax": (SOURCE, "speed > 10", "", [], None),
}
"""A script, an edit of all places, what each offer says, and the script after the first offer."""


@pytest.mark.parametrize(("source", "old", "new", "offers", "after"), OFFERED.values(), ids=OFFERED)
async def test_what_is_offered_for_every_place(
    server: RunningServer,
    script: Path,
    source: bytes,
    old: str,
    new: str,
    offers: list[str],
    after: bytes | None,
) -> None:
    script.write_bytes(source)

    async with Client(server.url, mode="auto") as client:
        edit = {"old_string": old, "new_string": new, "replace_all": new != ""}
        refused = await client.call_tool("edit_snippet", {"path": SCRIPT, "mode": "apply", **edit})
        assert refused.is_error
        why, *lines = text(refused).split("\n")
        assert len(lines) == len(offers), lines
        assert all(said in line for said, line in zip(offers, lines, strict=True)), lines
        assert script.read_bytes() == source  # what was tried was a preview
        if lines:
            offered = json.loads(lines[0][lines[0].index("): {") + 3 :])
            assert (
                structured(await client.call_tool("edit_snippet", offered))["status"] == "applied"
            )
        elif source == SIXTY:
            assert "for all, send edit_scripts sets of at most 50 instructions" in why
        else:
            assert "would still be refused" in why
    assert script.read_bytes() == (after or source)


@pytest.mark.parametrize(
    ("target", "new_text", "line"),
    [
        ("Stop", "StopX", "        Stop(); // {}"),
        ("Behaviour", "Behaviour.Foo", "        Get<Behaviour>({});"),
        ("sourceDisposable", "qsourceDisposable", "        Add{}(sourceDisposable);"),
        ("Dispose", "DisposeX", "        GetSomeLongNameThatTellsIt{}(first, second).Dispose();"),
    ],
)
@pytest.mark.parametrize("count", [4, 17])
async def test_sending_again_comes_to_an_end_and_does_nothing_twice(
    server: RunningServer, script: Path, target: str, new_text: str, line: str, count: int
) -> None:
    lines = [line.format(number) for number in range(count + 1)]
    lines[2] = lines[2].replace(target, new_text)
    source = "class A\n{\n    void M()\n    {\n" + "\n".join(lines) + "\n    }\n}\n"
    script.write_text(source, newline="")
    done = source.replace(new_text, target).replace(target, new_text)

    async with Client(server.url, mode="auto") as client:
        edit = {"old_string": target, "new_string": new_text, "replace_all": True}
        for _ in range(count):
            if script.read_text() == done:
                break
            sent = {"path": SCRIPT, "mode": "apply", "edits": [edit]}
            refused = await client.call_tool("edit_snippet", sent)
            told = text(refused).split("\n")[1]
            assert told.startswith("choice 1 (")
            tool = "edit_scripts" if "send to edit_scripts" in told else "edit_snippet"
            offered = json.loads(told[told.index("): {") + 3 :])
            answer = structured(await client.call_tool(tool, offered))
            assert answer["status"] == "applied"
        assert script.read_text() == done
        refused = await client.call_tool("edit_snippet", sent)
        assert refused.is_error
        assert "the newText is at all of them" in text(refused)
        assert "\n" not in text(refused)


async def test_every_place_and_the_one_that_is_named_are_a_choice(
    server: RunningServer, script: Path
) -> None:
    line_of_one = SOURCE[: SOURCE.index(b"speed")].count(b"\n") + 1

    async with Client(server.url, mode="auto") as client:
        anchor = {"type": "text", "target": "speed"}
        edit = {"operation": "replace", "anchor": anchor, "newText": "pace"}
        edit["metadata"] = {"location": f"L{line_of_one}"}
        sent = {"path": SCRIPT, "mode": "apply", "instructions": [edit], "replace_all": True}
        refused = await client.call_tool("edit_snippet", sent)
        assert refused.is_error
        _, every, one = text(refused).split("\n")
        assert every.startswith("choice 1 (")
        assert one.startswith("choice 2 (")
        assert f"line {line_of_one}" in one
        offered = json.loads(one.partition("): ")[2])
        assert structured(await client.call_tool("edit_snippet", offered))["status"] == "applied"
    assert script.read_bytes() == SOURCE.replace(b"speed", b"pace", 1)


async def test_no_instructions_are_told_as_what_they_are(
    server: RunningServer, script: Path
) -> None:
    async with Client(server.url, mode="auto") as client:
        sent: dict[str, Any] = {"path": SCRIPT, "mode": "preview", "instructions": []}
        refused = await client.call_tool("edit_snippet", sent)
        assert refused.is_error
        told = text(refused)
        assert "$.instructions" in told
        assert "is required" not in told
        # Beside an edit that stands by itself they say nothing.
        answer = structured(await client.call_tool("edit_snippet", {**OTHER_SHAPE, **sent}))
        assert "$.instructions: left out: it is empty" in answer["repaired"]
        moved = {"path": SCRIPT, "moveTo": "Assets/Moved.cs", "instructions": []}
        sent = {"mode": "preview", "changes": [moved]}
        answer = structured(await client.call_tool("edit_scripts", sent))
        assert "$.changes[0].instructions: left out: it is empty" in answer["repaired"]


async def test_an_empty_hash_is_no_hash(server: RunningServer, script: Path) -> None:
    async with Client(server.url, mode="auto") as client:
        refused = await client.call_tool("edit_snippet", edit("apply", expectedHash=""))
        first, line = text(refused).split("\n")
        assert "$.expectedHash is empty" in first
        assert line.startswith("offer 1 (without expectedHash; as a preview): ")
        offered = json.loads(line.partition("): ")[2])
        assert structured(await client.call_tool("edit_snippet", offered))["status"] == "previewed"
    assert script.read_bytes() == SOURCE
