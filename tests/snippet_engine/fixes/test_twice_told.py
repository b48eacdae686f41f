"""What a request says of a place in two ways is held against both: the white space of its context
and of its new text, its context on each side, and what stood where before an edit."""

from __future__ import annotations

import pytest
from unity_project import UnityProject, insert, replace

VARIABLES = """\
class Tests
{
    void Arrays()
    {
        server.Dispose();
        server.Value = changed;
        IsFalse(Of<NativeArray<T>>(server));
    }

    void Lists()
    {
        server.Dispose();
        server.Value = changed;
        IsFalse(Of<NativeList<T>>(server));
    }
}
"""
MOVED = "        server.Value = changed;\n        IsFalse(Of<NativeArray<T>>(server));"


def test_a_place_that_was_liker_elsewhere_is_not_offered(project: UnityProject) -> None:
    project.write(VARIABLES)
    one, other = MOVED.split("\n")
    asked = replace(
        f"        GetServer.Dispose();\n{MOVED}", f"        GetServer.ResetDirty();\n{MOVED}"
    )
    project.done(replace(MOVED, f"{other}\n{one}"))
    error = project.refused(asked)
    assert not any("NativeList" in str(each.arguments) for each in error.offers)


SEE_ALSO = """\
/// <summary>
/// When updates run.
/// </summary>
/// <seealso cref="InputUpdateType"/>
/// <seealso cref="FixedUpdate"/>
/// <seealso cref="Update"/>
public enum UpdateMode
{
    /// <summary>
    /// Both.
    /// </summary>
    /// <seealso cref="FixedUpdate"/>
    /// <seealso cref="Update"/>
    Both,
}
"""


@pytest.mark.parametrize("above", ["", "\n"])
def test_documentation_below_other_lines_is_as_near(project: UnityProject, above: str) -> None:
    project.write(SEE_ALSO)
    asked = replace(
        f'{above}/// <seealso static cref="FixedUpdate"/>\n/// <seealso cref="Update"/>',
        f'{above}/// <seealso static cref="Mono.FixedUpdate"/>\n/// <seealso cref="Mono.Update"/>',
        **{"in": "comment"},
    )
    error = project.refused(asked)
    assert len(error.offers) == 2
    assert not any("/summary" in str(each.arguments) for each in error.offers)


def test_an_attribute_is_not_written_twice(project: UnityProject) -> None:
    text = "[Serializable]\nclass A\n{\n    [SerializeField]\n    int a;\n}\n"
    project.write(text)
    again = project.done(insert("[Serializable]", "\n[Serializable]"))
    assert again["results"][0]["reason"] == "duplicate_insert"
    project.done(insert("    [SerializeField]", "\n    [HideInInspector]"))
    again = project.done(insert("    [SerializeField]", "\n    [HideInInspector]"))
    assert again["results"][0]["reason"] == "duplicate_insert"
    assert project.read().decode() == text.replace("Field]\n", "Field]\n    [HideInInspector]\n")


def test_a_line_that_is_there_in_other_blanks_is_not_written_again(project: UnityProject) -> None:
    text = "class A\n{\n    void B()\n    {\n        if (!shown.active)\n            Show(true);\n"
    text += "    }\n}\n"
    project.write(text)
    asked = replace("        Show(true);", "\n        if (!shown.active)\n            Show(true);")
    again = project.done(asked)
    assert again["results"][0]["reason"] == "duplicate_insert"
    assert project.read().decode() == text
    other = replace("        Show(true);", "\n        if (!shown.ready)\n            Show(true);")
    assert project.done(other)["status"] == "applied"


def test_a_line_may_be_wanted_again_beyond_a_blank_one(project: UnityProject) -> None:
    text = (
        "class A\n{\n    void B()\n    {\n        x.Is(1);\n\n        subject.Done();\n    }\n}\n"
    )
    project.write(text)
    project.done(insert("x.Is(1);", "\n        subject.Done();"))
    assert project.read().decode() == text.replace("(1);", "(1);\n        subject.Done();")
    again = project.done(insert("x.Is(1);", "\n      subject.Done();"))
    assert again["results"][0]["reason"] == "duplicate_insert"
