"""Which of the places that are like an anchor is meant, where little tells them apart."""

from __future__ import annotations

from typing import Any

import pytest
from planning import on_symbol
from unity_project import UnityProject, delete, replace

SCRIPT = """\
class Views
{
    class First : Base<T>
    {
        readonly View<T> parent;
        bool isShown;
    }

    class FirstSpecial : Base<T>
    {
        readonly View<T> parent;
    }

    void Show()
    {
        // Check(new[] { 100, 100, 131 });
        Check(new[] { 100, 100, 131 });
        size.y = manager.SelectedHeight;
        if (Count < arr.Length)
            arr[Count++] = value;
        a.Should().BeEquivalentTo(b);
        Draw(prefab, resultType, 1);
    }

    void Move(AxisEventData eventData)
    {
        Set(onMove, eventData);
    }
}
"""


@pytest.mark.parametrize(
    ("instruction", "old", "new"),
    [
        # What was made up is wrong at both places, and at one the context as well.
        # The only word is misspelled, with all of the context beside it.
        (
            replace(
                "manage",
                "view",
                before="131 });\n        size.y = ",
                after=".SelectedHeight;\n        if (Count",
            ),
            "manager",
            "view",
        ),
        # A sign between two words was forgotten, and one of them is replaced.
        (replace("Draw(prefabresultType, 1);", "Draw(prefabresultType, 2);"), "Type, 1", "Type, 2"),
        # A name was forgotten before a bracket.
    ],
)
def test_the_one_that_is_meant_is_offered(
    project: UnityProject, instruction: dict[str, Any], old: str, new: str
) -> None:
    project.write(SCRIPT)
    (offer,) = project.refused(instruction).offers
    project.engine.edit_snippet(offer.arguments)
    assert project.read().decode() == SCRIPT.replace(old, new)


FIELDS = """\
class Inspector
{
    void Draw()
    {
        Property(commandHistorySize);
        Property(clearAfterExecution);
        Property(showSuggestions);
    }
}
"""


def test_a_deletion_takes_no_line_of_which_two_words_are_others(project: UnityProject) -> None:
    project.write(
        'class C\n{\n    void M()\n    {\n        Debug.Log("After:" + switchedId);\n    }\n}\n'
    )
    assert project.refused(delete('Debug.Log("Before:" + currentId);')).offers == ()


MOVED = """\
class Source
{
    void Create()
    {
        result.handle = handle;
        result.token = token;
        result.completed = false;

        Track(result, 3);
    }
}
"""


def test_a_known_place_may_be_the_statement_of_a_guard(project: UnityProject) -> None:
    text = (
        "class C\n{\n    void M(bool on)\n    {\n        if (on)\n            Go();\n        else\n"
        "            pos = new Vector3(x, y, 0f);\n    }\n}\n"
    )
    project.write(text)
    project.done(replace("new Vector3(x, y, 0f)", "new Point(x, y, 0f)"))
    old = "pos = new Vector3(x, y, 0f);"
    more = "\n\n        pos.x = Clamp(pos.x, 0f);"
    (offer,) = project.refused(replace(old, old + more)).offers
    project.engine.edit_snippet(offer.arguments)
    assert f"new Point(x, y, 0f);{more}" in project.read().decode()


def test_a_slip_in_a_short_line_is_told_from_another_name(project: UnityProject) -> None:
    text = (
        "class C\n{\n    readonly Callback onKillDelegate;\n    readonly Callback whenStarted;\n}\n"
    )
    project.write(text)
    more = "\n    readonly Callback onUpdateDelegate;"
    asked = replace("readonly Callback onKillDlegate;", f"readonly Callback onKillDlegate;{more}")
    (offer,) = project.refused(asked).offers
    project.engine.edit_snippet(offer.arguments)
    assert project.read().decode() == text.replace("KillDelegate;", f"KillDelegate;{more}")


def test_letters_that_are_nowhere_a_word_are_meant_everywhere(project: UnityProject) -> None:
    project.write("namespace Game.Tests.TestPool { }\n")
    asked = replace("Test", "Case") | {"metadata": {"why": "all occurrences"}}
    first = project.refused(asked).offers[0]
    assert first.basis == "metadata says so"
    project.engine.edit_snippet(first.arguments)
    assert project.read().decode() == "namespace Game.Cases.CasePool { }\n"


def test_a_whole_line_of_which_nothing_beside_it_is_right(project: UnityProject) -> None:
    text = (
        "class C\n{\n    void M()\n    {\n        Go(first);\n    }\n\n"
        "    private bool hasChanged = true;\n}\n"
    )
    project.write(text)
    line = "    private bool hasChanged = true;"
    before = "    }\nEnsureInitialized();\n\n"
    (offer,) = project.refused(replace(line, f"{line}\n    float width;", before=before)).offers
    project.engine.edit_snippet(offer.arguments)
    assert project.read().decode() == text.replace(line, f"{line}\n    float width;")


def test_the_only_word_of_a_target_may_be_misspelled_with_little_behind_it(
    project: UnityProject,
) -> None:
    text = "// sandbox\npublic class Sandbox : ObservableMonoBehaviour\n{\n}\n"
    project.write(text)
    asked = replace(
        " ObservablMonoBehaviour",
        " MonoBehaviour",
        before="// sandbox\npublic class Sandbox :",
        after="\n{",
    )
    (offer,) = project.refused(asked).offers
    project.engine.edit_snippet(offer.arguments)
    assert project.read().decode() == text.replace("Observable", "")


def test_a_text_of_which_the_new_one_is_a_part_is_not_done_where_it_stands(
    project: UnityProject,
) -> None:
    text = (
        "class C\n{\n    void M()\n    {\n"
        "        root.Add(new Field(source.Find(target.first)));\n\n"
        "        tools.Update();\n    }\n}\n"
    )
    project.write(text)
    line = "        root.Add(new Field(source.Find(target.first)));"
    (offer,) = project.refused(replace(f"{line}\n    \n            tools.Update();", line)).offers
    project.done(*offer.arguments["instructions"])
    assert project.read().decode() == text.replace("\n\n        tools.Update();", "")


def test_a_symbol_that_is_named_makes_a_longer_name_known_again(project: UnityProject) -> None:
    text = "class C\n{\n    public BodyNow body;\n\n    public Body other;\n}\n"
    project.write(text)
    asked = on_symbol(
        "C.body", "insert", "int a;", target="public Body body;", position="line_after"
    )
    (offer,) = project.refused(asked).offers
    project.done(*offer.arguments["instructions"])
    assert project.read().decode() == text.replace("body;\n", "body;\n    int a;\n", 1)


NUMBERED = """\
class Input
{
    void Press()
    {
        if (down)
        {
            Begin();
        }
        if (dragged != null && dragging)
            Drop();

        if (held)
        {
            if (down)
            {
                Begin();
            }
            if (dragged != null && dragging)
                Drop();
        }
    }
}
"""
