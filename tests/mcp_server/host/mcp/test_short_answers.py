"""Short answers, as a real MCP client gets them from a real server."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from mcp import Client, types
from mcp_talk import Mode, talk, text
from running_server import SCRIPT, SOURCE, RunningServer, edit, new_script_and_edit

from mcp_server.contract.catalog import CATALOG
from mcp_server.contract.outcome import ToolResult
from mcp_server.contract.short_schemas import SHORT_OUTPUTS
from mcp_server.host.mcp.mcp_endpoint import Callers
from mcp_server.host.mcp.short_answers import short_answer

pytestmark = pytest.mark.anyio

modes = pytest.mark.parametrize("mode", ["auto", "legacy"])
MIXED = SOURCE.replace(b"\r\n", b"\n", 1)


def short(result: types.CallToolResult, tool: str) -> dict[str, Any]:
    """The structured half of a result, which is in the short form."""
    assert not result.is_error, text(result)
    answer = result.structured_content
    assert isinstance(answer, dict)
    schema = CATALOG[tool].short_schema
    assert schema is not None
    jsonschema.validate(answer, schema)
    return answer


def insertion(new_text: str, position: str) -> dict[str, Any]:
    anchor = {"type": "symbol", "symbolPath": "Player", "position": position}
    change = {"operation": "insert", "anchor": anchor, "newText": new_text}
    return {"path": SCRIPT, "mode": "apply", "instructions": [change]}


@modes
async def test_an_apply_says_where_it_stands_and_how_to_undo_it(
    server: RunningServer, script: Path, mode: Mode
) -> None:
    async with Client(server.url, mode=mode) as client:
        result = await client.call_tool("edit_snippet", edit("apply"))
        answer = short(result, "edit_snippet")
        assert len(json.dumps(answer, separators=(",", ":"))) + len(text(result)) <= 400
        assert answer["status"] == "applied"
        assert answer["lines"] == "9"
        assert answer["checked"] == "syntax"
        assert answer["notChecked"][0].startswith("names and types")
        assert "diff" not in answer
        assert "speed > 20" not in json.dumps(answer) + text(result)
        undone = await client.call_tool("undo_snippet", answer["undo"])
        assert short(undone, "undo_snippet")["hashAfter"] == answer["hashBefore"]
        assert script.read_bytes() == SOURCE


async def test_a_preview_shows_its_diff(server: RunningServer, script: Path) -> None:
    async with Client(server.url, mode="auto") as client:
        answer = short(await client.call_tool("edit_snippet", edit()), "edit_snippet")
        assert "+        if (speed > 20)" in answer["diff"]
        assert "undo" not in answer
        asked = edit("apply", include=["diff"])
        applied = short(await client.call_tool("edit_snippet", asked), "edit_snippet")
        assert applied["diff"] == answer["diff"]
    assert script.read_bytes() != SOURCE


@pytest.mark.parametrize(
    ("new_text", "position", "is_shown"),
    [
        ("void B()\n{\n    speed = 1;\n}", "body_end", False),
        ("    void B()\n    {\n        speed = 1;\n    }", "body_end", False),
        ("void B()\n{\n\tspeed = 1;\n}", "body_end", True),
    ],
)
async def test_the_diff_is_there_where_the_result_is_not_what_was_sent(
    server: RunningServer, script: Path, new_text: str, position: str, *, is_shown: bool
) -> None:
    async with Client(server.url, mode="auto") as client:
        sent = insertion(new_text, position)
        answer = short(await client.call_tool("edit_snippet", sent), "edit_snippet")
        assert ("diff" in answer) is is_shown
        assert answer["lines"] == "14-17"
    assert b"speed = 1;" in script.read_bytes()


async def test_a_skipped_addition_is_reported(server: RunningServer, script: Path) -> None:
    async with Client(server.url, mode="auto") as client:
        anchor = {"type": "text", "target": "int speed = 10;", "position": "line_after"}
        again = {"operation": "insert", "anchor": anchor, "newText": "int other;"}
        sent = {"path": SCRIPT, "mode": "apply", "instructions": [again]}
        await client.call_tool("edit_snippet", sent)
        answer = short(await client.call_tool("edit_snippet", sent), "edit_snippet")
        assert answer["status"] == "unchanged"
        assert answer["skipped"] == [{"index": 0, "reason": "duplicate_insert"}]
        assert "undo" not in answer
    assert script.read_bytes().count(b"int other;") == 1


@pytest.mark.parametrize("tool", ["edit_snippet", "edit_scripts"])
def test_a_warning_that_still_holds_is_given_once_in_a_connection(
    server: RunningServer, script: Path, tool: str
) -> None:
    async def codes(client: Client, mode: str = "preview") -> list[str]:
        sent = edit(mode)
        if tool == "edit_scripts":
            change = {"path": sent["path"], "instructions": sent["instructions"]}
            sent = {"mode": mode, "changes": [change]}
        answer = short(await client.call_tool(tool, sent), tool)
        return [each["code"] for each in answer.get("warnings", ())]

    async def scenario(client: Client) -> None:
        script.write_bytes(MIXED)
        assert await codes(client) == ["mixed_line_endings"]
        assert await codes(client, "apply") == []
        script.write_bytes(SOURCE)
        assert await codes(client) == []
        script.write_bytes(MIXED)
        assert await codes(client) == ["mixed_line_endings"]

    talk(server.url, "legacy", scenario)
    talk(server.url, "legacy", scenario)  # another connection


async def test_a_set_is_undone_by_its_change(server: RunningServer, script: Path) -> None:
    new = script.parent / "Made.cs"

    async with Client(server.url, mode="auto") as client:
        sent = new_script_and_edit("Assets/Scripts/Made.cs")
        result = await client.call_tool("edit_scripts", sent)
        answer = short(result, "edit_scripts")
        assert [each["status"] for each in answer["files"]] == ["created", "edited"]
        assert "class Made" not in json.dumps(answer) + text(result)
        assert new.exists()
        undone = await client.call_tool("undo_snippet", answer["undo"])
        short(undone, "undo_snippet")
    assert not new.exists()
    assert script.read_bytes() == SOURCE


async def test_what_reads_answers_in_short_and_in_full(server: RunningServer, script: Path) -> None:
    async with Client(server.url, mode="auto") as client:
        await client.call_tool("edit_snippet", edit("apply"))
        for tool in ("get_symbols", "validate_script", "get_history"):
            asked = {} if tool == "get_history" else {"path": SCRIPT}
            result = await client.call_tool(tool, asked)
            answer = short(result, tool)
            assert "sha256:" not in json.dumps(answer) + text(result)
            full = (await client.call_tool(tool, {**asked, "include": ["full"]})).structured_content
            assert full is not None
            jsonschema.validate(full, CATALOG[tool].answer_schema)
            assert len(json.dumps(full)) > len(json.dumps(answer))
    assert script.read_bytes() != SOURCE


async def test_a_hash_may_be_given_by_its_first_digits(server: RunningServer, script: Path) -> None:
    async with Client(server.url, mode="auto") as client:
        outline = short(await client.call_tool("get_symbols", {"path": SCRIPT}), "get_symbols")
        stale = await client.call_tool("edit_snippet", edit("apply", expectedHash="01234567"))
        assert stale.is_error
        assert "stale_file" in text(stale)
        digits = outline["hash"][:8]
        for given in (digits, f"sha256:{outline['hash']}"):
            sent = edit(expectedHash=given)
            short(await client.call_tool("edit_snippet", sent), "edit_snippet")
        too_short = await client.call_tool("edit_snippet", edit(expectedHash=digits[:7]))
        assert too_short.is_error
    assert script.read_bytes() == SOURCE


def test_callers_are_bounded_and_nobody_is_somebody_new() -> None:
    callers = Callers()
    warning = {"code": "hard_links", "message": "2 names"}
    assert callers.of("a").not_given("A.cs", [warning]) == [warning]
    assert callers.of("a").not_given("A.cs", [warning]) == []
    assert callers.of("b").not_given("A.cs", [warning]) == [warning]
    assert callers.of(None).not_given("A.cs", [warning]) == [warning]
    for number in range(100):
        callers.of(str(number))
    assert callers.of("a").not_given("A.cs", [warning]) == [warning]


_LINE_118 = "Names and types were not checked in code that #if excludes: line 118."


@pytest.mark.parametrize(
    ("coverage", "noted", "why", "checked", "left"),
    [
        ((), ("semantics",), "", "syntax", ["names and types"]),
        ((), ("semantics",), "No server.", "syntax", ["names and types: No server"]),
        (
            (),
            ("semantics (inactive_code: line 118)",),
            _LINE_118,
            "syntax",
            ["names and types in code that #if excludes: line 118"],
        ),
        (
            (),
            ("semantics (late)", "semantics (analyzers)"),
            "Names and types were not checked in time.",
            "syntax",
            [
                "names and types: the compiler did not answer in time",
                "what the project's analyzers report; check_project runs them",
            ],
        ),
        (
            ("semantics",),
            ("semantics (other_files: inactive #if code of B.cs, which mentions C)",),
            "",
            "names",
            ["what the change affects elsewhere: inactive #if code of B.cs, which mentions C"],
        ),
        (
            ("semantics",),
            ("In Game, names in code that #if excludes were not checked: line 7 of A.cs.",),
            "",
            "names",
            ["In Game, names in code that #if excludes: line 7 of A.cs"],
        ),
    ],
)
def test_checked_and_not_checked_agree(
    coverage: tuple[str, ...], noted: tuple[str, ...], why: str, checked: str, left: list[str]
) -> None:
    validation = {"coverage": ["brackets", "syntax", *coverage], "notChecked": list(noted)}
    about = [{"code": "semantic_not_checked", "message": why}] if why else []
    full = {"status": "applied", "path": "A.cs", "applied": True, "results": [], "warnings": about}
    full |= {"hashBefore": "sha256:" + "a" * 64, "hashAfter": "sha256:" + "b" * 64, "diff": ""}
    caller = Callers().of("somebody")
    for _ in range(2):  # A reason is given with every edit that it is about.
        answer = short_answer(
            "edit_snippet", {}, ToolResult({**full, "validation": validation}, ""), caller.not_given
        )
        assert answer.structured["checked"] == checked
        assert answer.structured["notChecked"] == left
        assert f"not checked: {'; '.join(left)}" in answer.text


def test_an_undo_tells_which_files_of_others_it_removed() -> None:
    """Such as a new script's ``.meta``, which Unity made: the text has the place of its copy."""
    files = [{"path": "Assets/New.cs", "status": "deleted", "hashBefore": "sha256:" + "0" * 64}]
    removed = [{"path": "Assets/New.cs.meta", "kept": "Library/SnippetEngine/history/*-0.1.meta"}]
    full = {"status": "undone", "changeId": "0" * 16, "files": files, "removed": removed}
    answer = short_answer("undo_snippet", {}, ToolResult(full, ""))
    assert answer.text.split("\n")[1:] == [
        "deleted Assets/New.cs",
        "removed Assets/New.cs.meta, which others had made; "
        "a copy is Library/SnippetEngine/history/*-0.1.meta",
    ]


def test_of_many_files_an_undo_names_some_and_counts_all() -> None:
    files = [{"path": f"Assets/{number}.cs", "status": "edited"} for number in range(61)]
    full = {"status": "undone", "changeId": "0" * 16, "files": files, "warnings": []}
    answer = short_answer("undo_snippet", {}, ToolResult(full, ""))
    jsonschema.validate(answer.structured, dict(SHORT_OUTPUTS["undo_snippet"]))
    assert (len(answer.structured["files"]), answer.structured["fileCount"]) == (60, 61)
    lines = answer.text.split("\n")
    assert (lines[0], lines[60:]) == (
        "undone 61 files",
        ["edited Assets/59.cs", "… 1 more file"],
    )
    few = short_answer("undo_snippet", {}, ToolResult({**full, "files": files[:60]}, ""))
    assert "fileCount" not in few.structured
    assert few.text.split("\n")[0] == "undone 60 files"
