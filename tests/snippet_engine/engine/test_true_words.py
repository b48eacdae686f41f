"""Refusals and answers claim no more than was seen, and say what to do next."""

from __future__ import annotations

from typing import Any

import pytest
from answered import refusal, success
from script_changes import change, changed, edit, refused
from unity_project import SCRIPT, UnityProject, replace

from snippet_engine.answer.text_form import text_form
from snippet_engine.engine import SnippetEngine
from snippet_engine.errors import ErrorCode, SnippetError
from snippet_engine.source_text import Position, content_hash
from snippet_engine.validation.validator import Diagnostic, Verdict

PLAYER = "class Player\n{\n    int a = 1;\n}\n"


def test_another_hash_is_told(project: UnityProject) -> None:
    project.write(PLAYER)
    error = project.refused(replace("a = 1", "a = 2"), expectedHash="sha256:" + "0" * 64)
    assert error.code is ErrorCode.STALE_FILE
    assert content_hash(PLAYER.encode()) in error.message


def test_what_is_in_no_unicode_tells_its_hash(project: UnityProject) -> None:
    project.write("class Player { } // プレイヤー\n".encode("cp932"))
    error = project.refused(replace("Player", "Hero"))
    assert error.code is ErrorCode.UNSUPPORTED_ENCODING
    told = content_hash(project.read())
    assert error.details["hash"] == told
    text = text_form("edit_snippet", error)
    assert f"its hash, as a delete needs it: {told}" in text
    gone = {"path": SCRIPT, "delete": True, "expectedHash": told}
    assert not isinstance(change(project, gone), SnippetError)


def test_in_a_set_it_tells_its_hash_as_well(project: UnityProject) -> None:
    project.write("class Player { } // プレイヤー\n".encode("cp932"))
    error = refused(project, edit(SCRIPT, replace("Player", "Hero")))
    assert content_hash(project.read()) in text_form("edit_scripts", error)


def undone(project: UnityProject, **params: Any) -> dict[str, Any]:
    return success(project.engine.undo_snippet(params))


def test_an_undo_says_that_nothing_was_judged(project: UnityProject) -> None:
    project.write(PLAYER)
    done = project.done(replace("a = 1", "a = 2"))
    single = undone(project, path=SCRIPT, hashAfter=done["hashAfter"])
    done = changed(project, edit(SCRIPT, replace("a = 1", "a = 2")))
    whole = undone(project, changeId=done["changeId"])
    for result in (single, whole):
        (told,) = result["notChecked"]
        assert "run check_project" in told
        assert f"not checked: {told}" in text_form("undo_snippet", result)


def test_what_somebody_else_changed_is_taken_back_by_an_edit(project: UnityProject) -> None:
    project.write(PLAYER)
    done = project.done(replace("a = 1", "a = 2"))
    project.write(PLAYER.replace("a = 1", "a = 3"))
    error = refusal(project.engine.undo_snippet({"path": SCRIPT, "hashAfter": done["hashAfter"]}))
    assert "by hand" not in error.message
    assert error.message.endswith("with edit_snippet.")


class Server:
    """A language server that finds an error in one script, whichever is edited."""

    def __init__(self, path: str) -> None:
        self._path = path

    def start(self) -> None: ...

    def validate(self, *_: Any, **how: Any) -> Verdict:
        gone = Diagnostic(0, Position(6, 2), "CS1061", "no Go there", self._path)
        coverage = ("syntax", "semantics")
        return Verdict("server", coverage, "9.0", 1, 1.0, (gone,), knows_project=True)

    def diagnose(self, *_: Any, **how: Any) -> Verdict:
        return self.validate()

    def saved(self, path: str, text: str) -> None: ...


@pytest.mark.parametrize(
    ("broken", "is_said"), [("Assets/Scripts/Caller.cs", True), (SCRIPT, False)]
)
def test_what_breaks_another_file_is_to_be_sent_with_that(
    project: UnityProject, broken: str, is_said: bool
) -> None:
    project.write(PLAYER)
    engine = success(SnippetEngine.open(project.root, Server(broken)))
    request = {**edit(SCRIPT, replace("a = 1", "a = 2")), "mode": "preview"}
    error = refusal(engine.edit_snippet(request))
    assert ("Send both files in one edit_scripts." in error.message) == is_said


def test_text_with_pasted_line_numbers_never_stood_there(project: UnityProject) -> None:
    text = "class C\n{\n    int Get(int a) { return 0; }\n    int Put(int b) { return 1; }\n}\n"
    project.write(text)
    project.done(replace("int Put(int b) {", "int Take(int b, int n) {"))
    sent = replace("4\t    int Put(int b) { return 1; }", "4\t    int Put(int b) { return 2; }")
    for offer in project.refused(sent).offers:
        assert not offer.basis.startswith("what you sent stood there")
