"""An edit that seems to be done is said to, with its line, and nothing else is offered for it."""

from __future__ import annotations

from typing import Any

import pytest
from unity_project import UnityProject, delete, in_class, in_method, insert, replace

from snippet_engine.answer.text_form import text_form

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


def test_a_short_text_in_its_whole_context_is_done(project: UnityProject) -> None:
    project.write(DONE)
    asked = replace(
        "last, true)", "last)", before="handler);\n        Flush(path,", after=";\n    }\n}"
    )
    error = project.refused(asked)
    assert error.details["already_applied"] is True
    assert error.offers == ()


SEARCH = in_class(
    *(
        'const string On = "_ANGLE_ON";',
        'const string Angle = "_Angle";',
        'const string Cap = "_Cap";',
    ),
    *("", "void Open(Query query)", "{", "    window.SetState(query.state);"),
    *("    AddToRecent(query);", "    return window;", "}"),
)
ON = '    const string On = "_ANGLE_ON";'
STANDS = in_method("body.velocity = direction * speed;")
SHOWN = in_method("if (inv) Debug.Log(hp);", "Foo();", "Bar();")


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        (DONE, replace("Remove(handlers);", "Flush(path, last);")),  # a slip of what stands there
        (DONE, replace("nothing.Like(that);", "};")),  # it tells nothing
        (DONE, replace("Write(path, logs);", "Flush(pat")),  # the beginning of another word
        # One side tells too little, or the target may stand there still.
        (DONE, delete("Log.Debug(type);", before='Log("closed");')),
        (DONE, delete("remove(handler);", before='Log("closed");', after="Flush(path, last);")),
        # The lines stand there, beside another one.
        (
            SEARCH,
            insert(
                "window.SetStates(query.state);",
                "AddToRecent(query);",
                after="\n        return window;\n    }",
                position="line_after",
            ),
        ),
        # What is to go is what stands there, remembered wrongly.
        (
            SEARCH,
            replace(
                f'{ON}\n    const string Angel = "_Angle";',
                ON,
                before="class C\n{\n",
                after='\n    const string Cap = "_Cap";',
            ),
        ),
        (SEARCH, delete("left", before="        return ", after=";\n    }")),
        # A line still ends like the target.
        (
            "class A { void M() { var q = Foo(x).Bar(); } }\n",
            replace("Foo(x, y).Bar()", "Foo(x)", before="var q = "),
        ),
    ],
)
def test_an_edit_is_not_taken_for_done(
    project: UnityProject, text: str, asked: dict[str, Any]
) -> None:
    project.write(text)
    assert project.refused(asked).details.keys().isdisjoint(("already_applied", "seems_applied"))


@pytest.mark.parametrize(
    ("text", "target", "new_text"),
    [
        # The new text stands there as a part of what it is to replace.
        (STANDS, "body.velocity=direction*speed", "body.velocity = direction"),
        (STANDS, "body.velocity=direction*speed;", "body.velocity = direction;"),
        (in_method("var a = b * speed;"), "var a=b*speed", "b * speed"),
        (
            in_method("body.velocity = direction * speed * 2;"),
            "body.velocity=direction*speed",
            "body.velocity = direction",
        ),
        (in_method("if (!a) a = true;"), "if (!a)  a = true;", "a = true;"),
        # A part of the target stands there.
        (SHOWN, "Debug.Log(amount);\n        Foo();\n        Bar();", "Foo();\n        Bar();"),
        (
            in_method("Foo();", "Bar();", "if (inv) Debug.Log(hp);"),
            "Foo();\n        Bar();\n        Debug.Log(amount);",
            "Foo();\n        Bar();",
        ),
        # A line only begins as the new text does.
        (
            in_class("// Waits for it", "float waitX = 0f;", "float waitZ = 0f;"),
            "    // Waits for it\n    float wait = 0f;",
            "    // Waits for it",
        ),
    ],
)
def test_a_part_of_it_is_not_the_edit(
    project: UnityProject, text: str, target: str, new_text: str
) -> None:
    project.write(text)
    error = project.refused(replace(target, new_text))
    assert "is done" not in error.message
    assert "leave it out" not in error.message
    assert error.details.keys().isdisjoint(("already_applied", "seems_applied"))
    assert not any("left out" in each.what for each in error.offers)


def test_its_neighbours_say_that_it_is_done(project: UnityProject) -> None:
    """Of several lines one is gone, and what follows it was sent."""
    project.write(SEARCH)
    sent = replace(
        f'{ON}\n    const string Off = "_ANGLE_OFF";',
        ON,
        before="class C\n{\n",
        after='\n    const string Angle = "_Angle";\n    const string Cap = "_Cap";',
    )
    assert project.refused(sent).details["already_applied"] is True


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
    assert "it is already gone" in error.message


def test_a_deletion_is_done_where_only_white_space_is_left_between_its_contexts(
    project: UnityProject,
) -> None:
    """The same statement at another place is not offered to be deleted, too."""
    project.write(
        "class C\n{\n    void Run(IntPtr data) {\n        try { Call(data); } catch { }\n    }\n\n"
        "    void Run(IntPtr data, bool failed) {\n        if (failed) {\n"
        "            handle = none;\n            try { Call(data); } catch { }\n"
        "        }\n    }\n}\n"
    )
    around = {
        "before": "void Run(IntPtr data) {\n        ",
        "after": "\n        try { Call(data); }",
    }
    error = project.refused(delete("handle = none;", **around))
    assert error.details["already_applied"] is True
    assert "at line 3 it is already gone" in error.message


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
