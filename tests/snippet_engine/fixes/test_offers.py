"""Offers of refused requests, sent back: what is written is what was meant, byte for byte."""

from __future__ import annotations

import json
from typing import Any

import pytest
from test_offered import PLAYER
from unity_project import SCRIPT, UnityProject, insert, replace

from snippet_engine.answer.error_text import error_text
from snippet_engine.answer.text_form import text_form
from snippet_engine.errors import ErrorCode, SnippetError


def offered(project: UnityProject, *instructions: dict[str, Any], **more: Any) -> SnippetError:
    """The error of a request that must be refused with offers, or a choice."""
    error = project.refused(*instructions, **more)
    assert error.offers, error
    return error


def lands(project: UnityProject, error: SnippetError, old: str, new: str) -> None:
    """The first offer is the only one, or says why it is the first; sent, it makes that edit."""
    before = project.read().decode()
    assert before.count(old) == 1
    assert len(error.offers) == 1 or error.offers[0].basis
    outcome = project.engine.edit_snippet(error.offers[0].arguments)
    assert not isinstance(outcome, SnippetError), outcome
    assert project.read().decode() == before.replace(old, new)


def test_of_equal_places_none_is_first(project: UnityProject) -> None:
    project.write(PLAYER)
    error = offered(project, replace("speed = 1;", "speed = 2;"))
    assert [offer.basis for offer in error.offers] == ["", "", ""]
    assert error.offers[-1].what == "all 2 places"


def test_the_place_that_is_named_is_found_among_many(project: UnityProject) -> None:
    fields = "".join(f"\tint F{n}() {{ return 1; }}\n" for n in range(50))
    project.write(f"class C\n{{\n{fields}}}\n")
    named = replace("return 1;", "return 2;") | {"metadata": {"why": "F37"}}
    lands(project, offered(project, named), "F37() { return 1", "F37() { return 2")


def test_all_that_can_be_corrected_is_corrected_at_once(project: UnityProject) -> None:
    project.write(PLAYER)
    error = offered(
        project,
        replace("private flaot speed", "private flaot pace"),
        replace("private int health", "private int life"),
        replace("Move(speed,  2)", "Move(pace,  2)"),
    )
    outcome = project.engine.edit_snippet(error.offers[0].arguments)
    assert not isinstance(outcome, SnippetError)
    edited = PLAYER.replace("float speed", "float pace").replace("int health", "int life")
    assert project.read().decode() == edited.replace("Move(speed,", "Move(pace,")


def test_what_can_not_be_corrected_is_told(project: UnityProject) -> None:
    project.write(PLAYER)
    error = offered(project, replace("flaot speed", "flaot pace"), replace("no such thing", "x"))
    assert error.offers[0].lacks == "instruction 1"
    assert "\ndraft 1 (" in error_text(error)
    assert "; before you send it, also fix instruction 1): {" in error_text(error)


def test_of_look_alikes_none_is_taken_for_what_was_moved(project: UnityProject) -> None:
    lines = "        A(1);\n        B(2);\n        C(3);\n"
    methods = "\n".join(f"    void {name}()\n    {{\n{lines}    }}\n" for name in "MN")
    project.write(f"class C\n{{\n{methods}}}\n")
    moved = {"before": "void M()\n    {\n        A(1);\n"}
    project.done(
        replace("A(1);\n        B(2);", "B(2);\n        A(1);", before="void M()\n    {\n")
    )
    error = project.refused(
        replace("B(2);", "B(9);", after="C(3);\n    }\n\n    void N()", **moved)
    )
    for offer in error.offers[:1]:
        project.engine.edit_snippet(offer.arguments)
        assert project.read().decode().count("B(9);\n        A(1);") == 1


def test_an_old_hash_is_renewed_where_anchors_still_fit(project: UnityProject) -> None:
    project.write(PLAYER)
    first = project.done(replace("10f", "11f"))
    stale = {"expectedHash": first["hashBefore"]}
    error = offered(project, replace("health = 5", "health = 6"), **stale)
    assert error.code is ErrorCode.STALE_FILE
    assert error.offers[0].arguments["expectedHash"] == first["hashAfter"]
    lands(project, error, "health = 5", "health = 6")


def test_an_old_hash_is_not_renewed_for_another_place(project: UnityProject) -> None:
    project.write("class C\n{\n    int a = 1;\n    int b = 2;\n}\n")
    first = project.done(replace("a = 1;", "a = 3;"), replace("b = 2;", "b = 1;"))
    error = project.refused(replace("= 1;", "= 4;"), expectedHash=first["hashBefore"])
    assert error.offers == ()


def test_what_is_done_is_left_out(project: UnityProject) -> None:
    project.write(PLAYER)
    done = replace("health = 4;", "health = 5;", before="private int")
    error = offered(project, done, replace("10f", "11f"))
    lands(project, error, "10f", "11f")


def test_lines_that_stand_there_already_are_not_inserted_again(project: UnityProject) -> None:
    project.write(PLAYER)
    for again in (
        insert("private float speed = 10f;", "\n\t\tprivate int health = 5;"),
        replace("speed = 10f;", "speed = 10f;\n\t\tprivate int health = 5;"),
        replace("private int health", "private float speed = 10f;\n\t\tprivate int health"),
    ):
        result = project.done(again)
        assert result["results"][0]["reason"] == "duplicate_insert"
    assert project.read() == PLAYER.encode()


def test_an_offer_keeps_all_else_of_the_request(project: UnityProject) -> None:
    project.write(PLAYER)
    error = offered(
        project,
        replace("private flaot speed", "private flaot pace") | {"metadata": {"why": "w"}},
        mode="preview",
        validation="embedded",
        include=["workspaceEdit"],
        client_request_id="one",
        timeout_ms=9000,
    )
    arguments = dict(error.offers[0].arguments)
    (instruction,) = arguments.pop("instructions")
    assert instruction["metadata"] == {"why": "w"}
    assert arguments == {
        "path": SCRIPT,
        "mode": "preview",
        "validation": "embedded",
        "include": ["workspaceEdit"],
        "client_request_id": "one",
        "timeout_ms": 9000,
    }


BLOCK = """        if (isReady)
        {
            Log("value changed");
            health -= amount;
        }
"""


@pytest.mark.parametrize(
    ("line", "count"),
    [('        Log("value changed");\n', 3), ('        Log("value changed");\n', 6), (BLOCK, 3)],
    ids=["lines", "more lines", "blocks"],
)
def test_all_close_places_have_room(project: UnityProject, line: str, count: int) -> None:
    """What tells one of equal places from the next grows with their number."""
    text = f"class Player\n{{\n    void Start()\n    {{\n{line * count}    }}\n}}\n"
    project.write(text)
    everywhere = replace('Log("value changed");', 'Warn("value changed");')
    error = project.engine.edit_scripts(
        {"mode": "apply", "changes": [{"path": SCRIPT, "instructions": [everywhere]}]}
    )
    assert isinstance(error, SnippetError)
    told = text_form("edit_scripts", error)
    assert len(told) <= 2000
    (shown,) = (line for line in told.splitlines() if f"(all {count} places)" in line)
    assert shown.startswith("choice ")
    sent = json.loads(shown.partition("): ")[2])
    assert not isinstance(project.engine.edit_scripts(sent), SnippetError)
    assert project.read().decode() == text.replace("Log(", "Warn(")
