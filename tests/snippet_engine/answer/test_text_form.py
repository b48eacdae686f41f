from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from unity_project import SCRIPT, UnityProject, replace

from snippet_engine.answer.error_text import MAX_ERROR_LENGTH
from snippet_engine.answer.text_form import MAX_OUTLINE_LENGTH, MAX_TEXT_LENGTH, text_form
from snippet_engine.errors import MOST_LIKE, ErrorCode, Offer, SnippetError
from snippet_engine.source_text import content_hash

PLAYER = "class Player\n{\n    int a = 1;\n    int b = 1;\n}\n"


def text_of(project: UnityProject, *instructions: dict[str, Any], **more: Any) -> str:
    return text_form("edit_snippet", project.edit(*instructions, **more))


def test_a_result_says_what_happened_and_shows_the_diff(project: UnityProject) -> None:
    project.write(PLAYER)
    applied = text_of(project, replace("a = 1", "a = 2"))
    first, before, after, validated, *diff = applied.split("\n")
    assert first == f"applied {SCRIPT}"
    assert before.startswith("hashBefore sha256:")
    assert after.startswith("hashAfter  sha256:")
    assert validated.startswith("validated by ")
    assert "-    int a = 1;" in diff
    assert "+    int a = 2;" in diff


def test_a_tool_without_a_text_of_its_own_has_json() -> None:
    assert json.loads(text_form("another", {"lines": 3})) == {"lines": 3}
    assert len(text_form("another", {"lines": ["a"] * 1000})) <= MAX_TEXT_LENGTH


def test_what_is_not_read_as_code_is_not_said_to_be_validated(project: UnityProject) -> None:
    project.write(PLAYER)
    gone = {"path": SCRIPT, "delete": True, "expectedHash": content_hash(project.read())}
    result = project.engine.edit_scripts({"mode": "preview", "changes": [gone]})
    assert not isinstance(result, SnippetError)
    assert "\nnot validated: semantics" in text_form("edit_scripts", result)


def test_skipped_instructions_and_warnings_are_told(project: UnityProject) -> None:
    project.write(PLAYER.replace("\n", "\r\n", 2))
    text = text_of(project, replace("a = 1", "a = 1"))
    assert text.startswith(f"unchanged {SCRIPT}\nhash sha256:")
    assert "instruction 0: no_change\n" in text
    assert "warning mixed_line_endings: " in text


def test_a_replayed_result_says_so(project: UnityProject) -> None:
    project.write(PLAYER)
    text_of(project, replace("a = 1", "a = 2"), client_request_id="one")
    text = text_of(project, replace("a = 1", "a = 2"), client_request_id="one")
    assert text.startswith(f"applied {SCRIPT} (replayed")


def requests_in(text: str, word: str) -> list[dict[str, Any]]:
    """The requests that an error's text has to send, each on a line of its own."""
    _, *lines = text.split("\n")
    assert all(line.startswith(f"{word} {number} (") for number, line in enumerate(lines, 1))
    return [json.loads(line[line.index("): {") + 3 :]) for line in lines]


def test_an_error_has_a_line_for_each_request_to_send(project: UnityProject) -> None:
    project.write(PLAYER)
    text = text_of(project, replace("b = 1", "b = 2"), replace("int  a = 1", "int  a = 2"))
    first, _ = text.split("\n")
    assert first.startswith("anchor_not_found [instruction 1]: ")
    (offered,) = requests_in(text, "offer")
    assert not isinstance(project.engine.edit_snippet(offered), SnippetError)
    assert project.read() == PLAYER.replace("= 1", "= 2").encode()


def test_a_choice_is_not_called_an_offer(project: UnityProject) -> None:
    project.write(PLAYER)
    text = text_of(project, replace("= 1", "= 2"))
    first, second, both = requests_in(text, "choice")
    for offered, edited in ((first, "a = 2"), (second, "b = 2")):
        project.write(PLAYER)
        assert not isinstance(project.engine.edit_snippet(offered), SnippetError)
        assert project.read() == PLAYER.replace(edited.replace("2", "1"), edited).encode()
    project.write(PLAYER)
    assert not isinstance(project.engine.edit_snippet(both), SnippetError)
    assert project.read() == PLAYER.replace("= 1", "= 2").encode()


def test_of_a_long_request_the_instruction_that_changes_is_offered(project: UnityProject) -> None:
    lines = "".join(f'    string text{n} = "{"x" * 300}";\n' for n in range(6))
    project.write(f"class C\n{{\n{lines}    int a = 1;\n}}\n")
    others = [replace(f'text{n} = "{"x" * 300}"', f'text{n} = "{"x" * 299}"') for n in range(6)]
    text = text_of(project, *others, replace("int  a = 1;", "int  a = 2;"))
    line = text.split("\n")[1]
    head, _, changed = line.partition(": ")
    assert head == "offer 1 (line 9, white space differs)"
    assert json.loads(changed).keys() == {"instructions"}
    project.done(*others, json.loads(changed)["instructions"]["6"])
    assert b"int a = 2;" in project.read()


def test_every_problem_of_a_request_is_told(project: UnityProject) -> None:
    text = text_of(project, {"operation": "move"}, mode="try")
    for path in ("$.mode", "$.instructions[0].operation", "$.instructions[0].anchor"):
        assert path in text


def test_other_instructions_at_fault_are_told(project: UnityProject) -> None:
    project.write(PLAYER)
    text = text_of(project, replace("= 1", "= 2"), replace("nothing like it", "x"))
    assert "also instruction 1: anchor_not_found: " in text


def test_a_place_without_an_anchor_is_still_told(project: UnityProject) -> None:
    project.write(PLAYER)
    text = text_of(project, replace("  ", " "))
    assert "line 3: int a = 1;" in text


def outline_of(project: UnityProject, **more: str) -> list[str]:
    return text_form("get_symbols", project.engine.get_symbols({"path": SCRIPT, **more})).split(
        "\n"
    )


def test_symbols_are_listed_below_what_they_stand_in(project: UnityProject) -> None:
    project.write(
        "namespace Game.Core\n{\n    class Player\n    {\n        int speed;\n"
        "        void Go(int by)\n        {\n            void Local() { }\n        }\n"
        "        class Inner { int a; }\n    }\n    enum Mode { On }\n}\n"
    )
    first, *lines = outline_of(project)
    assert first.startswith(f"9 symbols in {SCRIPT} (sha256:")
    assert lines == [
        "Game.Core namespace 1-13",
        "  Player class 3-11",
        "    speed field 5",
        "    Go(int) method 6-9",
        "      Local() localFunction 8",
        "    Inner class 10",
        "      a field 10",
        "  Mode enum 12",
        "    On enumMember 12",
    ]


def test_symbols_that_are_not_compiled_have_their_condition(project: UnityProject) -> None:
    project.write(
        "#if MINE && !OTHER\nclass A { int f; }\nclass Next { }\n#endif\n"
        "#if false\nclass B { }\n#endif\nclass C { }\n#if true\n#else\nclass Old { }\n#endif\n"
    )
    assert outline_of(project)[1:] == [
        "A class 2 #if MINE && !OTHER",
        "  f field 2",
        "Next class 3 #if MINE && !OTHER",
        "B class 6 #if false",
        "C class 8",
        "Old class 11 #if !true",
    ]
    project.write("class A { void M( { } int f; }\n")
    assert "could not be read as C#" in outline_of(project)[1]


def test_symbols_can_be_asked_for_by_a_part_of_their_path(project: UnityProject) -> None:
    project.write("class Player { int speed; void Go() { } class Inner { int SpeedCap; } }\n")
    first, *lines = outline_of(project, filter="SPEED")
    assert first.startswith("2 symbols in ")
    assert lines == ["Player.speed field 1", "Player.Inner.SpeedCap field 1"]
    assert outline_of(project, filter="SpeedCap")[0].startswith("1 symbol in ")
    (nothing,) = outline_of(project, filter="nothing")
    assert re.fullmatch(rf"0 symbols in {SCRIPT} \(sha256:\w+\)", nothing)
    refused = project.engine.get_symbols({"path": SCRIPT, "filter": ""})
    assert isinstance(refused, SnippetError)


@pytest.mark.parametrize(("count", "all_of_them"), [(200, True), (2000, False)])
def test_a_long_outline_says_so(project: UnityProject, count: int, all_of_them: bool) -> None:
    fields = "".join(f"    int field{n};\n" for n in range(count))
    project.write(f"class Player\n{{\n{fields}}}\n")
    lines = outline_of(project)
    assert len("\n".join(lines)) <= MAX_OUTLINE_LENGTH
    if all_of_them:
        assert len(lines) == count + 2
    else:
        assert lines[-1].startswith(f"… {count + 1 - (len(lines) - 2)} more: ")
        assert '"filter"' in lines[-1]


def test_the_errors_of_others_come_before_further_offers(project: UnityProject) -> None:
    project.write("class C\n{\n" + "    int aaaaaaaaaaaaaaa = 1;\n" * 30 + "}\n")
    text = text_of(project, replace("= 1", "= 2"), replace("nothing like it", "y" * 90))
    assert "also instruction 1: anchor_not_found: " in text
    assert "also instruction 1: diff_too_large: " in text


def test_a_file_that_moved_says_where_to(project: UnityProject) -> None:
    project.write(PLAYER)
    moved = {"path": SCRIPT, "moveTo": "Assets/Moved.cs"}
    result = project.engine.edit_scripts({"mode": "preview", "changes": [moved]})
    assert not isinstance(result, SnippetError)
    assert f"moved {SCRIPT} to Assets/Moved.cs" in text_form("edit_scripts", result)


def test_undo_and_validation_have_a_text_too(project: UnityProject) -> None:
    project.write(PLAYER)
    done = project.done(replace("a = 1", "a = 2"))
    undone = project.engine.undo_snippet({"path": SCRIPT, "hashAfter": done["hashAfter"]})
    assert text_form("undo_snippet", undone).startswith(f"undone {SCRIPT}")
    valid = project.engine.validate_script({"path": SCRIPT})
    assert text_form("validate_script", valid).startswith(f"{SCRIPT}: no errors\nvalidated by ")
    project.write(PLAYER + "}")
    broken = project.engine.validate_script({"path": SCRIPT})
    assert "1 error(s)" in text_form("validate_script", broken)
    assert ":6:1: CS1022: " in text_form("validate_script", broken)
    project.write(PLAYER.replace("int b", "int a;\n    " * 40 + "int b"))
    broken = project.engine.validate_script({"path": SCRIPT})
    text = text_form("validate_script", broken)
    assert text.startswith(f"{SCRIPT}: at least 20 error(s)\n")


EXTRAS = st.lists(st.integers(0, 1200).map(lambda length: "x" * length), max_size=6)


@given(EXTRAS, EXTRAS, EXTRAS, st.sampled_from(["", "a\nb", "a\r\u2028b"]))
def test_an_error_has_a_line_for_each_offer_and_a_limited_length(
    texts: list[str], more: list[str], offered: list[str], odd: str
) -> None:
    error = SnippetError(
        ErrorCode.AMBIGUOUS_ANCHOR,
        f"symbol {odd} is not one",
        3,
        {
            "candidates": [{"line": 1, "anchor": {"target": text}} for text in texts],
            "nearest": [f"{odd}{text}" for text in more],
        },
        tuple(Offer(f"what {odd}", {"path": odd + text}) for text in offered[:3]),
    )
    text = text_form("edit_snippet", error)
    assert len(text) <= MAX_ERROR_LENGTH
    first, *lines = text.splitlines()
    assert first.startswith("ambiguous_anchor [instruction 3]: symbol ")
    for line in lines:
        assert json.loads(line[line.index("): {") + 3 :]) in [
            {"path": odd + text} for text in offered
        ]


@pytest.mark.parametrize("count", range(1990, 2003))
def test_the_limit_is_exact(count: int) -> None:
    error = SnippetError(ErrorCode.BUSY, "m", details={"nearest": ["x" * (count - 10), "yyy"]})
    assert len(text_form("edit_snippet", error)) <= MAX_ERROR_LENGTH
    offered = SnippetError(ErrorCode.BUSY, "m", offers=(Offer("w", {"a": "x" * (count - 30)}),))
    assert len(text_form("edit_snippet", offered)) <= MAX_ERROR_LENGTH


def test_the_line_that_a_message_has_is_not_said_twice(project: UnityProject) -> None:
    project.write(
        "class C\n{\n    void M()\n    {\n        Debug.LogFormat(one, two, 3);\n    }\n}\n"
    )
    text = text_form(
        "edit_snippet", project.refused(replace("Debug.LogError(first, b, 7);", "x();"))
    )
    assert "Most similar is line 5: Debug.LogFormat(one, two, 3);" in text
    assert text.count("Debug.LogFormat") == 1


def test_an_error_that_the_message_has_whole_is_not_said_twice(project: UnityProject) -> None:
    project.write("class A { int a; int b; }\n")
    text = text_form("edit_snippet", project.refused(replace("int a;", "int a = ;")))
    assert text.count("syntax error near '='") == 1
    assert "line 1: ERROR" in text
    assert " | " not in text
    several = project.refused(replace("int a;", "int a = ;"), replace("int b;", "int b = (1;"))
    for each in several.details["diagnostics"]:
        assert text_form("edit_snippet", several).count(each["message"]) == 1


def test_a_line_that_a_message_has_cut_is_said_whole() -> None:
    near = {"line": 5, "text": "Debug.LogFormat(first, second);", "differs": [MOST_LIKE]}
    message = "The anchor was not found. Most similar is line 5: Debug.LogFormat(fir…"
    error = SnippetError(ErrorCode.ANCHOR_NOT_FOUND, message, details={"nearest": [near]})
    assert "line 5 has Debug.LogFormat(first, second);" in text_form("edit_snippet", error)


def test_where_one_file_is_at_fault_none_is_to_be_sent_alone() -> None:
    near = {"line": 5, "text": "x" * 1900, "differs": [MOST_LIKE]}
    error = SnippetError(
        ErrorCode.ANCHOR_NOT_FOUND, "Not found.", file=0, details={"nearest": [near]}
    )
    text = text_form("edit_scripts", error)
    assert "one file at a time" not in text
    assert len(text) <= MAX_ERROR_LENGTH
