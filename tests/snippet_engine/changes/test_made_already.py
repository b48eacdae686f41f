"""A set that is sent twice, or that is made in part: docs/design/change-sets.md §4."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from answered import refusal, success
from script_changes import change, changed, create, delete_file, edit, move, refused
from unity_project import UnityProject, delete, insert, replace

from snippet_engine.answer.text_form import text_form
from snippet_engine.errors import ErrorCode
from snippet_engine.source_text import content_hash

A = "Assets/Scripts/A.cs"
B = "Assets/Scripts/B.cs"
GONE = "Assets/Scripts/Gone.cs"
NEW = "Assets/Scripts/New.cs"
MOVED = "Assets/Core/Moved.cs"
TO_MOVE = "Assets/Scripts/ToMove.cs"
TEXT = "class {}\n{{\n    int x = 1;\n    int y = 2;\n    void M() {{ Stop(); }}\n}}\n"


@pytest.fixture
def five(project: UnityProject) -> UnityProject:
    for path in (A, B, GONE, TO_MOVE):
        project.write(TEXT.format(path.rpartition("/")[2].removesuffix(".cs")), path)
    return project


def of_every_kind(project: UnityProject) -> list[Mapping[str, Any]]:
    return [
        edit(A, delete("int y = 2;"), replace("Stop();", "Go();")),
        edit(B, replace("x = 1", "x = 7"), insert("void M()", "int z;\n    ", position="before")),
        delete_file(project, GONE),
        move(TO_MOVE, MOVED, replace("x = 1", "x = 8")),
        create(NEW, "class New { }\n"),
    ]


def test_a_set_that_is_sent_twice_is_told_at_once_to_be_made(five: UnityProject) -> None:
    sent = of_every_kind(five)
    changed(five, *sent)
    error = refused(five, *sent)
    assert error.message == (
        "All 5 changes of this set are already applied: nothing is left to send."
    )
    assert error.offers == ()
    assert text_form("edit_scripts", error) == f"{error.code}: {error.message}"


def test_one_with_the_hashes_of_before_is_told_so_too(five: UnityProject) -> None:
    sent = [
        edit(path, replace("x = 1", "x = 5"), expectedHash=content_hash(five.read(path)))
        for path in (A, B)
    ]
    changed(five, *sent)
    assert "are already applied" in refused(five, *sent).message


def test_what_was_made_by_other_requests_is_made(five: UnityProject) -> None:
    for path in (A, B):
        changed(five, edit(path, replace("int x = 1;", "int width = 1;")))
    error = refused(five, *(edit(path, replace("int x = 1;", "int width = 1;")) for path in (A, B)))
    assert "All 2 changes of this set are already applied" in error.message


def test_one_instruction_alone_says_where_it_is_made(five: UnityProject) -> None:
    sent = edit(A, replace("int x = 1;", "int width = 1;"))
    changed(five, sent)
    error = refused(five, sent)
    assert "at line 3, where it belongs. This edit is already done" in error.message


def test_what_is_made_of_a_set_is_left_out_of_what_is_offered(five: UnityProject) -> None:
    sent = of_every_kind(five)
    changed(five, *sent[1:])
    error = refused(five, *sent)
    assert error.code is not ErrorCode.SYNTAX_ERROR
    (offer,) = error.offers
    assert offer.what == "files 1, 2, 3, 4 are already applied, so left out"
    assert offer.arguments["changes"] == [sent[0]]
    success(five.engine.edit_scripts(offer.arguments))


def test_what_else_is_wrong_is_told_first_and_put_right(five: UnityProject) -> None:
    first = edit(A, replace("int x = 1;", "int width = 1;"))
    changed(five, first)
    error = refused(five, first, edit(B, replace("int x=1;", "int width = 1;")))
    assert error.file == 1
    assert error.details["otherErrors"][0]["message"].endswith("is already applied: leave it out.")
    (offer,) = error.offers
    assert "; file 0 is already applied, so left out" in offer.what
    success(five.engine.edit_scripts(offer.arguments))


def test_a_move_whose_edit_is_not_made_is_not_made(five: UnityProject) -> None:
    changed(five, move(TO_MOVE, MOVED))
    error = refused(five, move(TO_MOVE, MOVED, replace("x = 1", "x = 8")))
    assert "already, by change" in error.message
    assert error.code is ErrorCode.FILE_NOT_FOUND


def test_what_somebody_has_changed_since_is_not_made(five: UnityProject) -> None:
    sent = [edit(path, delete("int y = 2;"), replace("Stop();", "Go();")) for path in (A, B)]
    changed(five, *sent)
    five.write(five.read(A).replace(b"Go();", b"Stop();\n        Wait();"), A)
    outcome = refusal(change(five, *sent))
    assert "already applied" not in outcome.message
