"""An edit that seems to be done is said to, with its line, and nothing else is offered for it."""

from __future__ import annotations

from typing import Any

import pytest
from unity_project import UnityProject, delete, replace

from snippet_engine.answer.text_form import text_form
from snippet_engine.errors import ALREADY_APPLIED

DONE = """\
class Console
{
    void Awake()
    {
        foreach (Assembly each in AppDomain.CurrentDomain.GetAssemblies())
        {
            foreach (var type in each.GetExportedTypes())
                Add(type, Kind.Exported);
        }
        Log.Info("ready");
        File.Write(path, GetAllLogs(), Encoding.Utf8);
    }

    void Close()
    {
        Debug.Log("closed");
        Remove(handler);
        Flush(path, last);
    }
}
"""


@pytest.mark.parametrize(
    "instruction",
    [
        replace("Remove(handlers);", "Flush(path, last);"),  # a slip of what stands there
        replace("nothing.Like(that);", "};"),  # it tells nothing
        replace("Write(path, logs);", "Flush(pat"),  # the beginning of another word
    ],
)
def test_it_does_not_seem_so(project: UnityProject, instruction: dict[str, Any]) -> None:
    project.write(DONE)
    assert "seems_applied" not in project.refused(instruction).details


def test_a_short_text_in_its_whole_context_is_done(project: UnityProject) -> None:
    project.write(DONE)
    asked = replace(
        "last, true)", "last)", before="handler);\n        Flush(path,", after=";\n    }\n}"
    )
    error = project.refused(asked)
    assert error.details["already_applied"] is True
    assert error.offers == ()


@pytest.mark.parametrize(
    "asked",
    [
        delete("Log.Debug(type);", before='Log("closed");'),  # one side tells too little
        delete("remove(handler);", before='Debug.Log("closed");', after="Flush(path, last);"),
    ],
)
def test_what_may_stand_there_still_is_not(project: UnityProject, asked: dict[str, Any]) -> None:
    project.write(DONE)
    assert "already_applied" not in project.refused(asked).details


def test_what_is_indented_otherwise_and_loses_its_first_line_is_not(project: UnityProject) -> None:
    project.write(DONE)
    head = "        foreach (var type in each.GetExportedTypes())\n"
    line = "Add(type, Kind.Exported);"
    error = project.refused(replace(f"    {head}\t\t\t\t{line}", f"            {line}"))
    assert "done" not in error.message
    (offer,) = error.offers
    project.engine.edit_snippet(offer.arguments)
    assert head not in project.read().decode()
    assert line in project.read().decode()


def test_history_knows_better(project: UnityProject) -> None:
    """The target stood elsewhere before an edit since: it is chance that its new text stands."""
    text = DONE.replace("Remove(handler);", "Forget(handler, 1, 2);")
    project.write(text)
    project.done(replace("Forget(handler, 1, 2);", "Forget(handler, 1, 3);"))
    error = project.refused(replace("Forget(handler, 1, 2);", "Add(type, Kind.Exported);"))
    assert "seems_applied" not in error.details
    assert all("Add(type" in str(each.arguments) for each in error.offers)


DOOR = """\
class Door
{
    bool isOpen;
    float t;

    void Open()
    {
        isOpen = true;
        t = 0f;
    }

    void Close()
    {
        Shut();
        t = 0f;
    }
}
"""
SHUT, OPENED = "isOpen = false;\n        t = 0f;", "isOpen = true;\n        t = 0f;"


def test_the_context_proves_it(project: UnityProject) -> None:
    project.write(DOOR)
    error = project.refused(replace(SHUT, OPENED, before="void Open()\n    {\n        "))
    assert error.details["already_applied"] is True
    assert "where it belongs" in error.message


def test_history_proves_it(project: UnityProject) -> None:
    project.write(DOOR.replace("true", "false"))
    asked = replace(SHUT, OPENED)
    project.done(asked)
    assert project.read().decode() == DOOR
    other = replace("bool isOpen;", "bool isOpen = true;")
    error = project.refused(other, asked)
    assert error.details["already_applied"] is True
    assert "at line 8, where it belongs. This edit is already done" in error.message
    (offer,) = error.offers
    assert offer.arguments["instructions"] == [other]


def test_a_deletion_that_history_knows_has_no_new_text(project: UnityProject) -> None:
    project.write(DOOR)
    project.done(delete(OPENED))
    error = project.refused(delete(OPENED))
    assert error.details["already_applied"] is True
    assert "newText" not in error.message
    assert "deleted already" in error.message


def test_the_line_that_is_quoted_comes_last(project: UnityProject) -> None:
    project.write(
        "class C\n{\n    void M()\n    {\n        int hp = 11; // start\n    }\n\n"
        "    void N()\n    {\n        int mana = 30;\n    }\n}\n"
    )
    error = project.refused(replace("int hp = 10; // begin", "int mana = 30;"))
    assert error.message.endswith(": int hp = 11; // start")
    assert "Is it done? Line 10 has the newText." in error.message


def test_history_proves_it_of_the_second_fault_too(project: UnityProject) -> None:
    project.write(DOOR.replace("true", "false"))
    asked = replace(SHUT, OPENED)
    project.done(asked)
    error = project.refused(replace("nothing.Like(that);", "x"), asked)
    (other,) = error.details["otherErrors"]
    assert other["details"]["already_applied"] is True
    assert "where it belongs" in other["message"]


HANDSHAKE = """\
class Client
{
    void Connect()
    {
        if (!isOpen)
        {
            Log.Warn("no stream at {0}", address);
            conn.Dispose();
            return;
        }
        if (!isGreeted)
        {
            Log.Warn("no greeting of {0}", address);
            return;
        }
    }
}
"""


@pytest.mark.parametrize(
    "asked",
    [
        replace(
            "conn.Dispose();\n            return;",
            "return;",
            before='Log.Warn("no greeting of {0}", address);\n            ',
        )
    ],
)
def test_what_goes_may_have_gone(project: UnityProject, asked: dict[str, Any]) -> None:
    project.write(HANDSHAKE)
    error = project.refused(asked)
    assert all("what was sent beside it is line 13" in each.unless for each in error.offers)
    assert "\noffer" not in text_form("edit_snippet", error)


def test_a_context_of_which_another_line_is_wrong_leaves_no_doubt(project: UnityProject) -> None:
    project.write(HANDSHAKE)
    before = '        if (isShut)\n        {\n            Log.Warn("no stream at {0}", address);\n'
    (offer,) = project.refused(delete("            conn.Dispose();", before=before)).offers
    assert not offer.unless


def test_a_line_that_still_ends_like_the_target_is_not_done(project: UnityProject) -> None:
    project.write("class A { void M() { var q = Foo(x).Bar(); } }\n")
    error = project.refused(replace("Foo(x, y).Bar()", "Foo(x)", before="var q = "))
    assert ALREADY_APPLIED not in error.details
