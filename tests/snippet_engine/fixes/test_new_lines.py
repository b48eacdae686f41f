"""New lines that may be indented in two ways are not offered; what is clear is."""

from __future__ import annotations

from textwrap import indent
from typing import Any

import pytest
from unity_project import UnityProject, insert, replace

from snippet_engine.errors import ErrorCode, SnippetError

TABS = """\
class Brush
{
\tvoid Apply(float[] weights)
\t{
\t\tfor (int at = 0; at < Count; at++)
\t\t{
\t\t\tif (weights[at] < Least)
\t\t\t\tcontinue;
\t\t}
\t\tFinish();
\t}
}
"""
MIXED = TABS.replace("\tvoid", "    int Count => 8;\n\n\tvoid")
QUOTED = "            if (weights[at] < Least)"
ADDED = "            float weight = weights[at];"
ASKED = replace(QUOTED, f"{ADDED}\n            if (weight < Least)")
KEPT = "\t\t\tif (weights[at] < Least)\n"
RUN = "class C\n{\n    void Run()\n    {\n        A(one);\n        B(two);\n    }\n}\n"


def _written(project: UnityProject, text: str, offer: Any) -> str:
    project.write(text)
    outcome = project.engine.edit_snippet({**offer.arguments, "mode": "apply"})
    assert not isinstance(outcome, SnippetError), outcome
    return project.read().decode()


def _offers(project: UnityProject, text: str, asked: dict[str, Any]) -> list[str]:
    """What each offer writes; of several, none is called the likelier."""
    project.write(text)
    error = project.refused(asked)
    assert error.code is ErrorCode.ANCHOR_NOT_FOUND
    assert len(error.offers) == 1 or not any(each.basis for each in error.offers)
    return [_written(project, text, each) for each in error.offers]


def test_in_a_file_of_one_kind_they_are_as_the_file_is(project: UnityProject) -> None:
    new = "\t\t\tfloat weight = weights[at];\n\t\t\tif (weight < Least)\n"
    assert _offers(project, TABS, ASKED) == [TABS.replace(KEPT, new)]


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        (MIXED, insert("continue;", f"\n{ADDED}", before=f"{QUOTED}\n                ")),
        (
            MIXED,
            replace(
                "\t\tFinish();",
                "        yield return null;",
                before="        }\n",
                after="\n    }",
            ),
        ),
        (
            MIXED.replace("\t\tFinish();", "\t    Finish();"),
            replace("        Finish();", "        Stop();\n        Finish();"),
        ),
        (
            RUN.replace("A(one);\n        B(two);", "{\n\n            Go();\n        }"),
            replace("\n                Go();\n            }", "        } "),
        ),
    ],
)
def test_lines_with_two_possible_indentations_are_not_offered(
    project: UnityProject, text: str, asked: dict[str, Any]
) -> None:
    assert _offers(project, text, asked) == []


def test_a_line_that_stands_for_one_of_the_file_s_is_as_that_is(project: UnityProject) -> None:
    changed = replace(QUOTED, QUOTED.replace("Least", "Most"))
    assert _offers(project, MIXED, changed) == [MIXED.replace("] < Least", "] < Most")]


def test_a_place_that_is_indented_as_sent_is_as_good_as_one_with_more_context(
    project: UnityProject,
) -> None:
    text = """\
class Mesh
{
    void Apply()
    {
        if (UsesStreams)
        {
            if (m_Mesh.Filter)
                Undo.Record(m_Mesh.Filter, "Assign mesh to filter");
            if (m_Mesh)
                m_Mesh.SynchronizeWithRenderer();
        }
        Recalculate();

        if (m_Mesh.Filter)
            Undo.Record(m_Mesh.Filter, "Assign mesh to filter");

        m_Mesh.SynchronizeWithRenderer();
    }
}
"""
    asked = insert(
        "m_Mesh.SynchronizeWithRenderer();",
        "\n        Changed = Channels.None;",
        before=(
            "        if (m_Mesh.Filter)\n"
            '            Undo.Record(m_Mesh.Filter, "Assign mesh to filter");\n'
            "        if (streams)\n        "
        ),
        after="\n    }",
    )
    found = _offers(project, text, asked)
    assert len(found) != 1


def test_line_numbers_take_no_tab_of_the_line_along(project: UnityProject) -> None:
    """The new line has blanks of its own: they are no deeper than they were sent."""
    asked = replace("9|\t\tFinish();", "9|        yield return null;")
    text = TABS.replace("\t\tFinish();", "\t\tFinish();\n    // done")
    assert _offers(project, text, asked) == [
        text.replace("\t\tFinish();", "        yield return null;")
    ]


def test_of_lines_within_a_literal_there_is_one_reading(project: UnityProject) -> None:
    project.write("class A\n{\n\tvoid F()\n\t{\n\t\tGo(a, b);\n\t\tStay();\n\t}\n}\n")
    error = project.refused(
        replace(
            "\t\tGo(a,b);\n\t\tStay();",
            '\t\tGo(a,b);\n\t\tSay(@"r\n    ts  t");\n\t\tStay();',
        )
    )
    assert error.offers
    for offer in error.offers:
        assert '@"r\n    ts  t"' in str(offer.arguments["instructions"][0]["newText"])


def test_lines_before_one_that_is_not_indented_are_not_for_a_context_that_is(
    project: UnityProject,
) -> None:
    anchor = {
        "type": "text",
        "target": "namespace Game",
        "after": "\n{\nstatic class Packages",
        "position": "before",
    }
    asked = {"operation": "insert", "anchor": anchor, "newText": "using A;\nusing B;\n\n"}
    text = "namespace Game\n{\n    static class Packages\n    {\n    }\n}\n"
    found = _offers(project, text, asked)
    assert all(each.startswith("using A;\nusing B;\n\nnamespace") for each in found)


def test_what_stood_there_before_an_edit_was_quoted_with_its_indentation(
    project: UnityProject,
) -> None:
    text = "class A\n{\n    bool F()\n    {\n        return t;\n    }\n\n    int H = 0;\n}\n"
    project.write(indent(text, "    "))
    project.done(replace("return t;", "return t || u;"))
    standing = project.read().decode()
    asked = replace(
        "}",
        "}\n    \n            int K = 1;",
        before="            return t;\n            ",
        after="\n    \n            int H = 0;\n    ",
    )
    for each in project.refused(asked).offers:
        assert "\n            int K" not in _written(project, standing, each)


def test_how_deep_a_last_line_of_blanks_is_where_the_quoted_lines_do_not_agree(
    project: UnityProject,
) -> None:
    text = (
        "class C\n{\n    Events e = new Events\n    {\n        enable = a => a,\n"
        '        begin = a =>\n        {\n            Register("Move");\n        },\n    };\n}\n'
    )
    project.write(text)
    asked = replace(
        '            Register("Move");',
        "            moved = false;\n        ",
        before="        enable = a => a,\n    begin = a =>\n    {\n",
        after="\n    },",
    )
    for each in project.refused(asked).offers:
        assert "moved = false;\n        \n" not in _written(project, text, each)
