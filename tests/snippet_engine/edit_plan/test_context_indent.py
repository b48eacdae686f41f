"""A context that was sent indented otherwise than the file, and new lines with it."""

from __future__ import annotations

from typing import Any

import pytest
from unity_project import UnityProject, insert, replace

from snippet_engine.errors import ErrorCode

PLANE = """\
using System.Runtime;
using Unity.Mathematics;

namespace Physics
{
    class Plane
    {
        Ribbon ribbon;

        Summary summary;
        Issues issues;

        void Draw()
        {
            ribbon.Draw();
        }
    }
}
"""


@pytest.mark.parametrize(
    "sent",
    [
        replace(
            "using System.Runtime;",
            "using System.Runtime;\n    using System.Diagnostics;",
            after="\n    using Unity.Mathematics;\n    ",
        ),
        replace(
            "Summary summary;",
            "Summary summary;\n\t        VisualElement root;",
            before="        Ribbon ribbon;\n\t\n\t        ",
            after="\n\t        Issues issues;\n\t",
        ),
        insert("ribbon.Draw();", "\nsummary.Draw();", before="        {\n"),
        insert(
            "Issues issues;",
            "VisualElement root;\n    ",
            before="summary;\n    ",
            position="before",
        ),
    ],
)
def test_ambiguous_indentation_is_refused(project: UnityProject, sent: dict[str, Any]) -> None:
    project.write(PLANE)
    error = project.refused(sent)
    assert error.code is ErrorCode.ANCHOR_NOT_FOUND
    assert "has another indentation than the file" in error.message
    assert len(error.message) <= 200
    assert error.offers == ()
    assert project.read().decode() == PLANE


@pytest.mark.parametrize(
    "sent",
    [
        # One line has no indentation of its own.
        replace("Summary summary;", "Summary all;", after="\n    Issues issues;"),
        # The new line is indented as the file is, whatever the context is.
        replace(
            "Summary summary;",
            "Summary summary;\n        Summary all;",
            before="Ribbon ribbon;\n",
            after="\nIssues issues;",
        ),
        # A directive is indented as it pleases.
        replace(
            "Summary summary;",
            "Summary summary;\n#if DEBUG\n        Summary all;\n#endif",
            after="\nIssues issues;",
        ),
        # As the line below is, one level deeper than the target.
        replace("void Draw()", "// Twice\n        void Draw()", after="\n        {"),
        # It was asked for as it is.
        replace(
            "Summary summary;", "Summary summary;\n    Summary all;", after="\n    Issues issues;"
        )
        | {"indent": "asGiven"},
    ],
)
def test_fitting_text_is_written_as_sent(project: UnityProject, sent: dict[str, Any]) -> None:
    project.write(PLANE)
    target, new_text = sent["anchor"]["target"], sent["newText"]
    project.done(sent)
    assert project.read().decode() == PLANE.replace(target, new_text)
