"""What a request says of a place in two ways is held against both: the white space of its context
and of its new text, its context on each side, and what stood where before an edit."""

from __future__ import annotations

import pytest
from unity_project import UnityProject, replace

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


def test_a_place_that_was_nearer_before_an_edit_is_not_given_up_for_another(
    project: UnityProject,
) -> None:
    """The edit changed the lines around it, and not the target itself."""
    case = (
        "        if (times == null)\n        {\n            times = Rent();\n"
        "            Fill(gradient, times);\n        }\n\n        if (mayModify)\n        {\n"
        "            Split(times, gradient);\n"
    )
    methods = (
        f"    void {name}()\n    {{\n{case}            Draw({name});\n        }}\n    }}\n"
        for name in ("Across", "Down")
    )
    project.write(f"class Gradients\n{{\n{''.join(methods)}}}\n")
    lines = "            times = Rent();\n            Fill(gradient, times);\n"
    turned = "            Fill(gradient, times);\n            times = Rent();\n"
    above = "    void Across()\n    {\n        if (times == null)\n        {\n"
    project.done(replace(lines, turned, before=above))
    error = project.refused(
        replace(
            "        if (mayModify)",
            "        if (canModify)",
            before=f"{lines}        }}\n\n",
            after="\n        {\n            Split(times, gradient);\n            Draw(, Across);",
        )
    )
    lines_offered = [each.what.partition(",")[0] for each in error.offers]
    assert lines_offered in ([], ["line 11"])


def test_a_brace_that_is_deeper_than_sent_is_not_the_one(project: UnityProject) -> None:
    """A line was forgotten: of two braces in a row one was sent."""
    project.write(
        "class Reader\n{\n    void Read()\n    {\n        while (more)\n        {\n"
        "            if (name)\n            {\n                Next();\n"
        "                Add(name);\n            }\n        }\n    }\n}\n"
    )
    before = "                Next();\n                Add(name);\n        "
    error = project.refused(replace("}", "}\n        Close();", before=before, after="\n    }\n}"))
    assert not any("Close" in str(each.arguments) for each in error.offers)


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
