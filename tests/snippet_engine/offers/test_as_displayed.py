"""A text that was sent as it is displayed, with line numbers or escapes."""

from __future__ import annotations

import pytest
from unity_project import UnityProject, replace

from snippet_engine.errors import SnippetError

CALLS = """\
class Driver
{
    void Update()
    {
        Clear();
        Get(
            OnReceived,
            _ => OnChanged?.Invoke()
        );
    }
}
"""


@pytest.mark.parametrize("number", ["8: ", "8:", "8\t", "  8| ", "8|"])
def test_the_blank_behind_a_line_number_is_none_of_a_line_that_was_moved(
    project: UnityProject, number: str
) -> None:
    project.write(CALLS)
    project.done(replace("        Clear();", "        // Checked before.\n        Clear();"))
    standing = project.read().decode()
    sent = replace(
        f"{number}            _ => OnChanged?.Invoke()", f"{number}            Debug.LogException"
    )
    offer = project.refused(sent).offers[0]
    outcome = project.engine.edit_snippet({**offer.arguments, "mode": "apply"})
    assert not isinstance(outcome, SnippetError), outcome
    assert project.read().decode() == standing.replace(
        "_ => OnChanged?.Invoke()", "Debug.LogException"
    )


def test_of_equal_places_the_one_that_is_as_sent_but_for_its_escapes_is_meant(
    project: UnityProject,
) -> None:
    check = "if (bundle != null && bundle.Contains(path))"
    standing = (
        f"class A\n{{\n    void M()\n    {{\n        Read();\n\n        {check}\n        {{\n"
        f"            Go();\n\n            {check}\n                Stop();\n        }}\n    }}\n"
        "}\n"
    )
    project.write(standing)
    new_text = f"        {check.replace('bundle', 'Bundle')}"
    (offer,) = project.refused(replace(f"\\n        {check}", new_text)).offers
    project.engine.edit_snippet({**offer.arguments, "mode": "apply"})
    assert project.read().decode() == standing.replace(f"\n\n        {check}", f"\n{new_text}")
