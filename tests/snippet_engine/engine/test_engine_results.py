"""What the tools answer: docs/design/engine.md §7 and §8."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import jsonschema
import pytest
from lsp_edits import workspace_edit_applied
from planning import on_symbol
from unity_project import SCRIPT, UnityProject, delete, insert, replace

from snippet_engine.answer.error_text import MAX_ERROR_LENGTH
from snippet_engine.answer.text_form import MAX_TEXT_LENGTH, text_form
from snippet_engine.answer.unified_diff import MAX_DIFF_LENGTH
from snippet_engine.errors import MAX_MESSAGE_LENGTH, ErrorCode, SnippetError
from snippet_engine.schemas.result_schema import ERROR_SCHEMA
from snippet_engine.schemas.tool_schemas import OUTPUT_SCHEMAS
from snippet_engine.source_text import content_hash

PLAYER = """class Player
{
    int speed = 10; // 😀 speed
    // int health = 1;
    int health = 3;
    string name = "speed";

    void Hurt(int by)
    {
        if (by > 0)
            health -= by;
        Log("😀", health); Log("x", by);
    }

    void Hurt() { }
}
"""

SUCCEED: list[list[dict[str, Any]]] = [
    [replace("speed = 10", "speed = 20")],
    [replace("speed = 10", "speed = 10")],
    [replace("int health", "long health")],
    [replace("speed", "armor", before='"', after='"')],
    [replace("speed", "armor", before="😀", **{"in": "comment"})],
    [insert("int health = 3;", "int armor;\nint shield;", position="line_after")],
    [insert("int health = 3;", 'string name = "speed";', position="line_after")],
    [delete("health -= by;")],
    [delete("void Hurt() { }"), replace("by > 0", "by > 1")],
    [on_symbol("Hurt(int)", "insert", "Log();", position="body_start")],
    [on_symbol("Player.name", "delete")],
    [replace('Log("x", by)', 'Log("y", by)'), insert("😀", "😁", before='Log("')],
]

REFUSED: list[tuple[ErrorCode, list[dict[str, Any]], dict[str, Any]]] = [
    (ErrorCode.INVALID_REQUEST, [], {}),
    (ErrorCode.PATH_NOT_ALLOWED, [SUCCEED[0][0]], {"path": "Assets/../x.cs"}),
    (ErrorCode.FILE_NOT_FOUND, [SUCCEED[0][0]], {"path": "Assets/Scripts/Playr.cs"}),
    (ErrorCode.UNSUPPORTED_ENCODING, [SUCCEED[0][0]], {"path": "Assets/Sjis.cs"}),
    (ErrorCode.STALE_FILE, [SUCCEED[0][0]], {"expectedHash": content_hash(b"")}),
    (ErrorCode.ANCHOR_NOT_FOUND, [replace("sped = 10", "x")], {}),
    (ErrorCode.AMBIGUOUS_ANCHOR, [replace("speed", "x")], {}),
    (ErrorCode.AMBIGUOUS_ANCHOR, [replace("  ", "x")], {}),
    (ErrorCode.AMBIGUOUS_ANCHOR, [on_symbol("Hurt", "delete")], {}),
    (ErrorCode.ANCHOR_IN_COMMENT, [replace("int health = 1", "x")], {}),
    (ErrorCode.SYMBOL_NOT_FOUND, [on_symbol("Player.Hrt", "delete")], {}),
    (ErrorCode.OVERLAPPING_EDITS, [insert("by > 0", "x"), insert("by > 0", "y")], {}),
    (ErrorCode.DIFF_TOO_LARGE, [replace("by > 0", "x" * 99)], {}),
    (ErrorCode.SYNTAX_ERROR, [replace("by > 0", "by >")], {}),
    (ErrorCode.VALIDATOR_UNAVAILABLE, [SUCCEED[0][0]], {"validation": "lsp"}),
    (ErrorCode.READ_ONLY, [SUCCEED[0][0]], {"path": "Assets/ReadOnly.cs"}),
]


@pytest.fixture
def player(project: UnityProject) -> UnityProject:
    project.write(PLAYER)
    project.write("class 日本 { }".encode("shift_jis"), "Assets/Sjis.cs")
    project.write(PLAYER, "Assets/ReadOnly.cs").chmod(0o444)
    return project


def strings_in(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, each in value.items():
            if key != "workspaceEdit":
                yield from strings_in(each)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from strings_in(each)


@pytest.mark.parametrize("instructions", SUCCEED)
def test_preview_and_apply_agree_and_fit_the_schema(
    player: UnityProject, instructions: list[dict[str, Any]]
) -> None:
    before = player.tree()
    preview = player.done(*instructions, mode="preview", include=["workspaceEdit"])
    assert player.tree() == before
    applied = player.done(*instructions, include=["workspaceEdit"])
    assert applied["hashAfter"] == content_hash(player.read())
    for result in (preview, applied):
        jsonschema.validate(result, OUTPUT_SCHEMAS["edit_snippet"])
        assert not any(str(player.root) in text for text in strings_in(result))
        text = text_form("edit_snippet", result)
        assert len(text) <= MAX_TEXT_LENGTH
        assert str(player.root) not in text
        result["validation"].pop("durationMs")
        for each in result["results"]:
            each["status"] = each["status"].replace("applied", "previewed")
    applied["status"] = applied["status"].replace("applied", "previewed")
    applied["applied"] = False
    assert applied == preview


@pytest.mark.parametrize(("code", "instructions", "more"), REFUSED)
def test_every_error_fits_its_schema(
    player: UnityProject, code: ErrorCode, instructions: list[Any], more: dict[str, Any]
) -> None:
    error = player.refused(*instructions, **more)
    assert error.code is code
    jsonschema.validate(error.to_json(), ERROR_SCHEMA)
    assert len(error.message) <= MAX_MESSAGE_LENGTH
    assert not error.message.endswith("…")
    assert not any(str(player.root) in text for text in strings_in(error.to_json()))
    text = text_form("edit_snippet", error)
    assert text.startswith(code.value)
    assert len(text) <= MAX_ERROR_LENGTH
    assert len(text.splitlines()) == 1 + len(error.offers)


def test_the_other_tools_fit_their_schemas(player: UnityProject) -> None:
    engine = player.engine
    done = player.done(*SUCCEED[0])
    answers = {
        "get_symbols": engine.get_symbols({"path": SCRIPT}),
        "validate_script": engine.validate_script({"path": SCRIPT}),
        "undo_snippet": engine.undo_snippet({"path": SCRIPT, "hashAfter": done["hashAfter"]}),
    }
    for tool, answer in answers.items():
        jsonschema.validate(answer, OUTPUT_SCHEMAS[tool])


@pytest.mark.parametrize("instructions", SUCCEED)
@pytest.mark.parametrize(("ending", "bom"), [("\n", b""), ("\r\n", b"\xef\xbb\xbf"), ("\r", b"")])
def test_the_workspace_edit_gives_the_same_file(
    player: UnityProject, instructions: list[Any], ending: str, bom: bytes
) -> None:
    data = bom + PLAYER.replace("\n", ending).encode()
    file = player.write(data)
    result = player.done(*instructions, include=["workspaceEdit"], mode="preview")
    workspace_edit = result["workspaceEdit"]
    assert workspace_edit["documentChanges"][0]["textDocument"] == {
        "uri": file.resolve().as_uri(),
        "version": None,
    }
    assert content_hash(workspace_edit_applied(data, workspace_edit)) == result["hashAfter"]
    assert "workspaceEdit" not in player.done(*instructions, mode="preview", include=[])


def test_ranges_are_utf16_and_size_is_code_points(player: UnityProject) -> None:
    result = player.done(
        replace("health", '"😁😁😁😁😁"', before='Log("😀", '), replace("by", "h", before='"x", ')
    )
    first, second = result["results"]
    assert first["range"] == {
        "start": {"line": 11, "character": 18},
        "end": {"line": 11, "character": 24},
    }
    assert first["charactersChanged"] == 7
    assert second["range"]["start"] == {"line": 11, "character": 36}


def test_the_result_of_an_insertion_shows_what_went_in(player: UnityProject) -> None:
    (each,) = player.done(insert("int health = 3;", "int a;", position="line_after"))["results"]
    assert each["beforeSnippet"] == ""
    assert each["afterSnippet"] == "    int a;\n"
    assert each["range"]["start"] == each["range"]["end"] == {"line": 5, "character": 0}
    assert each["charactersChanged"] == 6


def test_a_long_diff_is_cut_with_a_note(project: UnityProject) -> None:
    line = f"// {'x' * 300}\n"
    project.write("class C\n{\n" + "".join(f"{line * 8}int a{n};\n" for n in range(10)) + "}\n")
    result = project.done(*(replace(f"int a{n}", f"long a{n}") for n in range(10)))
    assert len(result["diff"]) <= MAX_DIFF_LENGTH
    assert result["diff"].endswith(" more lines cut)")
    assert len(text_form("edit_snippet", result)) <= MAX_TEXT_LENGTH


def test_text_in_messages_is_shortened(project: UnityProject) -> None:
    name = "Name" * 200
    project.write(f"class {name} {{ int {name}1, {name}2; void {name}3() {{ }} }}\n" * 2)
    for instruction in (
        on_symbol(f"{name}.{name}4", "delete"),
        on_symbol(f"{name}.{name}1", "delete"),
        on_symbol(name, "replace", "x", target="nothing"),
        on_symbol(name, "replace", "x", target=name),
        on_symbol(f"{name}.{name}3", "insert", "x", position="body_start"),
        replace(name, "x"),
        replace(name + "5", "x"),
        replace("x" * 5000, "y", before="z" * 5000),
    ):
        error = project.refused(instruction)
        assert len(error.message) <= MAX_MESSAGE_LENGTH
        assert isinstance(error, SnippetError)
        assert len(text_form("edit_snippet", error)) <= MAX_ERROR_LENGTH
