"""A place that has changed since is known again by its lines, and isn't taken for its double."""

from __future__ import annotations

import pytest
from planning import on_symbol
from script_changes import changed, edit, move
from unity_project import SCRIPT, UnityProject, insert, replace

from snippet_engine.errors import ErrorCode, SnippetError

TWINS = """\
class Tests
{
    void ForClient()
    {
        player.side = Side.Client;
        player.value = 12345;

        // initial: should still write for the owner
        player.Write(true, first, second);
        Log("first: " + first);
        Check(first);
    }

    void ForServer()
    {
        player.side = Side.Client;
        player.value = 12345;

        // initial: should write a thing for the owner and observers
        Log("first: " + first);
        player.Write(true, first, second);
        Check(first, second);
    }
}
"""


def test_lines_that_changed_places_do_not_lead_to_the_double(project: UnityProject) -> None:
    project.write(TWINS)
    error = project.refused(
        replace(
            "        player.value = 12345;",
            "        player.Set(11);",
            before="        player.side = Side.Client;\n",
            after="\n\n        // initial: should write a thing for the owner and observers\n"
            '        player.Write(true, first, second);\n        Log("first: " + first);',
        )
    )
    assert error.code is ErrorCode.ANCHOR_NOT_FOUND
    assert len(error.offers) != 1


def test_the_double_that_lacks_a_line_less_is_not_offered(project: UnityProject) -> None:
    project.write(
        "class C\n{\n    void A()\n    {\n"
        "        two.Count.Is(0);\n        one.Is(10, 20, 30);\n"
        "        three.Count.Is(0);\n        four.Is(10, 20, 30);\n    }\n\n"
        "    void B()\n    {\n        one.Is(10);\n        two.Count.Is(0);\n"
        "        three.Count.Is(0);\n        four.Is(10, 20, 30);\n    }\n}\n"
    )
    body = "one.Is(10, 20, 30);\n        two.Count.Is(0);\n        three.Count.Is(0);\n        "
    error = project.refused(
        replace(f"{body}four.Is(10, 20, 30);", f"{body}four.Equals(10, 20, 30);")
    )
    assert error.offers == ()


RENAMED = """\
class Method
{
    readonly string signature;

    Method(object instance, string command, string signatureCached)
    {
        this.instance = instance;
        this.command = command;
        this.signature = signatureCached;
    }
}
"""


def written(project: UnityProject, error: SnippetError) -> str:
    """The script once the only offer has been sent."""
    (offer,) = error.offers
    outcome = project.engine.edit_snippet(offer.arguments)
    assert not isinstance(outcome, SnippetError), outcome
    return project.read().decode()


def test_a_name_may_have_got_a_word_more(project: UnityProject) -> None:
    project.write(RENAMED)
    error = project.refused(
        replace(
            "this.signature = signature;",
            "this.signature = signature;\n        this.parameters = parameters;",
            before="        this.instance = instance;\n        this.command = command;\n        ",
        )
    )
    line = "        this.signature = signatureCached;\n"
    more = "        this.parameters = parameters;\n"
    assert written(project, error) == RENAMED.replace(line, line + more)


@pytest.mark.parametrize(
    ("line", "sent"),
    [
        # Another line is nearly as like what was sent.
        ("this.signatur = signature;\n        ", "this.signature = signature;"),
        # With a number it is another name.
        ("", "this.signature = signature;"),
    ],
)
def test_but_not_where_another_place_is_near(project: UnityProject, line: str, sent: str) -> None:
    text = RENAMED.replace("this.signature = signatureCached", "this.signature = signature1Cached")
    project.write(text.replace("this.signature", line + "this.signature"))
    assert project.refused(replace(sent, "this.signature = 1;")).offers == ()


MOVED = """\
class Extensions
{
    Task Attach(Task task)
    {
        Check(task);

        return new Task(new IgnoreSource(task, token), 0);
    }

    sealed class AttachSource : ISource
    {
        void Use() { IgnoreSource(0); }
    }
}
"""


def test_the_only_place_of_a_target_is_known_by_one_side(project: UnityProject) -> None:
    project.write(MOVED)
    error = project.refused(
        replace(
            "(new IgnoreSource(task",
            "(new AttachSource(task",
            before="        Check(task);\n\n        return new Task",
            after=", token), 0);\n    }\n\n    sealed class IgnoreSource : ISource",
        )
    )
    assert "new Task(new AttachSource(task, token), 0)" in written(project, error)


def test_the_nearest_of_equal_words_are_taken(project: UnityProject) -> None:
    text = "class C\n{\n    public T Machine;\n\n    public void Run()\n    {\n    }\n}\n"
    project.write(text)
    error = project.refused(
        on_symbol("C.Run()", "insert", "[Hidden]\n    ", target="public new void Run()")
        | {
            "anchor": {
                "type": "symbol",
                "symbolPath": "C.Run()",
                "target": "public new void Run()",
                "position": "before",
            }
        }
    )
    assert written(project, error) == text.replace("    public v", "    [Hidden]\n    public v")


@pytest.mark.parametrize(
    ("position", "new_text", "standing"),
    [
        ("after", "\n    return;", "    Fail(e);\n    return;"),
        ("before", "if (e) ", "if (e) Fail(e);"),
    ],
)
def test_an_insertion_that_its_context_shows_is_done(
    project: UnityProject, position: str, new_text: str, standing: str
) -> None:
    project.write(f"class C\n{{\nvoid M(int e)\n{{\n    Begin();\n{standing}\n    End();\n}}\n}}\n")
    before, after = "    Begin();\n", "\n    End();"
    error = project.refused(
        insert("Fail(e);", new_text, before=before, after=after, position=position)
    )
    assert error.details["already_applied"]
    assert "already occurs" in error.message
    assert error.offers == ()


@pytest.mark.parametrize("moves", [False, True])
def test_an_edit_of_a_change_set_is_an_own_edit_too(project: UnityProject, *, moves: bool) -> None:
    text = "class C\n{\n    A Get(B b) { return 0; }\n    A Put(B b) { return 1; }\n}\n"
    project.write(text)
    again = replace("return 1;", "return 2;", before="A Put(B b) { ")
    new, path = "A Take(B b, int count) {", SCRIPT
    edited = replace("A Put(B b) {", new)
    if moves:
        path = "Assets/Scripts/Other.cs"
        changed(project, move(SCRIPT, path, edited))
    else:
        changed(project, edit(SCRIPT, edited))
    (offer,) = project.refused(again, path=path).offers
    assert "was there until an edit changed it" in offer.basis
    project.engine.edit_snippet(offer.arguments)
    assert project.read(path).decode() == text.replace("A Put(B b) { return 1;", f"{new} return 2;")


UNTOUCHED = "        Go(count);\n        Stop(total);"


@pytest.mark.parametrize(
    ("sent", "differs"),
    [
        ("        Go(count);\\n        Stop(total);", "escape sequences sent as text"),
        ("4\t        Go(count);", "pasted line numbers"),
    ],
)
def test_what_no_edit_since_has_touched_is_not_laid_to_one(
    project: UnityProject, sent: str, differs: str
) -> None:
    project.write(f"class C\n{{\n    int count;\n    void A()\n    {{\n{UNTOUCHED}\n    }}\n}}\n")
    project.done(replace("int count;", "float count;"))
    (offer,) = project.refused(replace(sent, "        Go(1);")).offers
    assert offer.basis == ""
    assert differs in offer.what


@pytest.mark.parametrize("text", ["The value to compare with 0", ""])
def test_but_beside_the_one_that_begins_it_is_a_slip(project: UnityProject, text: str) -> None:
    standing = f"    /// <returns>{text}</returns>\n"
    project.write(f"class C\n{{\n{standing}    int Get() => 1;\n}}\n")
    asked = replace(
        f"/// <returns>{text}<returns>", f"/// <returns>{text}.<returns>", **{"in": "comment"}
    )
    (offer,) = project.refused(asked).offers
    project.engine.edit_snippet(dict(offer.arguments))
    assert f"    /// <returns>{text}.</returns>\n" in project.read().decode()


def test_what_goes_on_in_code_is_offered_as_code(project: UnityProject) -> None:
    text = "/// <summary>\n/// What it is.\n/// </summary>\nclass C\n{\n}\n"
    project.write(text)
    target = "/// </summary>\nclass C"
    error = project.refused(replace(target, "/// </summary>\n[A]\nclass C", **{"in": "comment"}))
    assert written(project, error) == text.replace("class C", "[A]\nclass C")


SAVED = """\
class C
{
    void A()
    {
        Save(second);
        Close();
    }

    void B()
    {
        Save(first);
        Close();
    }
}
"""


def test_an_edit_that_is_sent_again_is_done(project: UnityProject) -> None:
    project.write(SAVED)
    again = replace("Save(first);\n        Close();", "Keep(first);\n        Close();")
    project.done(again)
    project.done(replace("class C\n{", "class C\n{\n    int a;"))
    error = project.refused(again)
    assert error.details["already_applied"] is True


CHECKED = """\
class MoveTests
{
    void Moves()
    {
        // Camera moved check
        Assert.That(before, !Is.EqualTo(camera.State.Final).Using(PrecisionCached.Instance));
        Assert.That(after, Is.EqualTo(camera.State.Final).Using(Precision.Instance));
    }

    void MovesAgain()
    {
        Run();
    }
}
"""
_MOVED_CHECK = (
    "        // Camera moved check\n"
    "        Assert.That(before, !Is.EqualTo(camera.State.Final).Using(Precision.Instance));"
)


def test_nor_its_beginning_on_the_one_above(project: UnityProject) -> None:
    text = CHECKED.replace(
        "        // Camera moved check\n",
        "        Assert.That(before, Is.EqualTo(camera.Start));\n        // Camera moved check\n",
    ).replace("(before, !", "(beforeCached, !")
    project.write(text)
    sent = _MOVED_CHECK.replace("Precision", "PrecisionCached")
    error = project.refused(replace(sent, sent.replace("!Is", "Is.Not")))
    assert written(project, error) == text.replace("!Is", "Is.Not")


MOVES = """\
class Moves
{
    void First()
    {
        // The order is the same as in the scene that they were made in, of which this is a copy.
        var data = group.ToArray<TestData>(Allocator.TempJob);
        for (int i = 0; i != data.Length; i++)
            Assert.AreEqual(i, data[i].value);

        data.Dispose();
        entities.Dispose();
        creation.Dispose();
    }

    void Second()
    {
        // The order is the same as in the scene that they were made in, of which this is a copy.
        var data = group.ToArray<TestData>(Allocator.TempJob);
        for (int i = 0; i != data.Length; i++)
            Assert.AreEqual(i, data[i].value);

        data.Dispose();
        targets.Dispose();
        sources.Dispose();
    }
}
"""


SWAPPED = "void M()\n{\n    Draw();\n    Check();\n    Begin();\n    End();\n}\n"


def test_a_line_that_an_edit_added_is_the_one_that_is_to_be_added(project: UnityProject) -> None:
    project.write(SWAPPED.replace("    Begin();\n", ""))
    project.done(replace("Draw();", "Draw();\n    Begin();"))
    stale = replace("Draw();\n    Check();", "Draw();\n\n    Begin();\n    Check();")
    (offer,) = project.refused(stale).offers
    project.engine.edit_snippet({**offer.arguments, "mode": "apply"})
    assert project.read().decode().count("Begin();") == 1


def test_what_is_left_of_two_after_an_edit_since_is_not_offered_for_its_context(
    project: UnityProject,
) -> None:
    line = 'Assert.IsTrue(false, $"Unhandled {nameof(Mode)}={m_Requested}");'
    case = f"            default:\n                {line}\n                return false;\n"
    project.write(
        "class C\n{\n    bool A()\n    {\n        switch (a)\n        {\n            case 1:\n"
        f"            {{\n                Go();\n            }}\n            break;\n{case}"
        "        }\n    }\n\n    bool B()\n    {\n        switch (b)\n        {\n"
        "            case 2:\n"
        f"                mode = Floor;\n                break;\n{case}        }}\n    }}\n}}\n"
    )
    own = f"            break;\n            default:\n                {line}"
    project.done(
        replace(f"            }}\n{own}", f"            }}\n{own.replace('(Mode', '(ModeNow')}")
    )
    asked = replace(
        line,
        line.replace("Assert.IsTrue(false, ", "Debug.LogError("),
        before="            }\n            default:\n                ",
        after="\n                return false;",
    )
    assert project.refused(asked).offers == ()
