"""A line of documentation that has its marker twice: both are a part of what was sent."""

from __future__ import annotations

import pytest
from unity_project import UnityProject, replace

TEXT = """\
class Choices
{
    /// <summary>Adds some.</summary>
    /// <param name="options">Those to add.</param>
    {} <remarks>
    /// See the manual for examples.
    /// </remarks>
    public void Add(List<string> options) { }
}
"""


@pytest.mark.parametrize("markers", ["/// ///", "/// //", "/// /// ///"])
def test_what_is_offered_replaces_both(project: UnityProject, markers: str) -> None:
    text = TEXT.replace("{}", markers, 1)
    project.write(text)
    error = project.refused(
        replace(
            f"{markers} <remarks>",
            "/// <remarks>\n\t    /// <![CDATA[",
            before='<param name="options">Those to add.</param>\n\t    ',
            after="\n\t    /// See the manual for examples.\n\t    /// </remarks>",
            **{"in": "comment"},
        )
    )
    (offer,) = error.offers
    project.engine.edit_snippet({**offer.arguments, "mode": "apply"})
    assert project.read().decode() == text.replace(
        f"{markers} <remarks>", "/// <remarks>\n    /// <![CDATA["
    )


def test_a_target_that_ends_in_a_marker_takes_no_second_one_after_an_edit(
    project: UnityProject,
) -> None:
    text = TEXT.replace("{}", "/// THIS IS A STUB!\n    ///\n    ///", 1).replace(" <rem", " <rem")
    project.write(text)
    project.done(replace("/// See the manual", "/// Look at the manual", **{"in": "comment"}))
    project.done(replace("<remarks>", "<remarksOf>", **{"in": "comment"}))
    error = project.refused(
        replace(
            "    /// THIS IS A STUB!\n    ///",
            "    /// A stub.",
            after="\n    /// <remarks>\n    /// See the manual",
            **{"in": "comment"},
        )
    )
    (offer,) = error.offers
    project.engine.edit_snippet({**offer.arguments, "mode": "apply"})
    assert "/// A stub.\n    /// <remarksOf>\n" in project.read().decode()


def test_a_place_may_end_within_a_sign_that_was_sent_beside_it(project: UnityProject) -> None:
    body = "        page?.Start();\n        shown?.Invoke();\n"
    text = f"class Page\n{{\n    void Show()\n    {{\n{body}    }}\n}}\n"
    project.write(text)
    before = "        page?.Start();\n        "
    error = project.refused(
        replace("shown?", "Shown?", before=before, after=".Invoke();\n    }\n    void Hide()")
    )
    (offer,) = error.offers
    project.engine.edit_snippet({**offer.arguments, "mode": "apply"})
    assert project.read().decode() == text.replace("shown?", "Shown?")
