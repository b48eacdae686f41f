"""A new text that stands in the file as a part of what it is to replace is not done."""

from __future__ import annotations

import pytest
from unity_project import UnityProject, replace

SCRIPT = """\
class Mover
{{
    void Move()
    {{
        {line}
    }}
}}
"""
STANDS = "body.velocity = direction * speed;"


@pytest.mark.parametrize(
    ("line", "target", "new_text"),
    [
        (STANDS, "body.velocity=direction*speed", "body.velocity = direction"),
        (STANDS, "body.velocity=direction*speed;", "body.velocity = direction;"),
        ("var step = direction * speed;", "var step=direction*speed", "direction * speed"),
        (f"{STANDS[:-1]} * 2;", "body.velocity=direction*speed", "body.velocity = direction"),
    ],
)
def test_what_is_still_to_be_shortened_is_not_called_done(
    project: UnityProject, line: str, target: str, new_text: str
) -> None:
    project.write(SCRIPT.format(line=line))
    error = project.refused(replace(target, new_text))
    assert "done" not in error.message
    assert "newTextLines" not in error.details
