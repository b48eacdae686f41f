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
