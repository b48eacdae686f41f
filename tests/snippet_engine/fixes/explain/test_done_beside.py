"""An edit that is asked for again is told to be done where what was sent beside it says so."""

from __future__ import annotations

from typing import Any

import pytest
from unity_project import UnityProject, delete, insert, replace

SCRIPT = """\
using System;
using System.Collections.Generic;
using System.Linq;

class Search
{
    const string On = "_ANGLE_ON";
    const string Angle = "_Angle";
    const string Cap = "_MatCap";

    void Open(Query query)
    {
        var window = Window.Open(query.text);
        window.SetState(query.state);
        AddToRecent(query);
        return window;
    }

    Texture2D Copy(Texture2D texture)
    {
        return SpriteUtility.Duplicate(texture, 1, 2);
    }
}
"""


@pytest.mark.parametrize(
    "sent",
    [
        # Of several lines one is gone, and what follows it was sent.
        replace(
            '    const string On = "_ANGLE_ON";\n    const string Off = "_ANGLE_OFF";',
            '    const string On = "_ANGLE_ON";',
            before="class Search\n{\n",
            after='\n    const string Angle = "_Angle";\n    const string Cap = "_MatCap";',
        )
    ],
)
def test_its_neighbours_say_that_it_is_done(project: UnityProject, sent: dict[str, Any]) -> None:
    project.write(SCRIPT)
    error = project.refused(sent)
    assert error.details["already_applied"] is True
    assert "This edit is already done" in error.message or "this edit is done" in error.message


@pytest.mark.parametrize(
    "sent",
    [
        # The lines stand there, beside another one.
        insert(
            "window.SetStates(query.state);",
            "AddToRecent(query);",
            after="\n        return window;\n    }",
            position="line_after",
        ),
        # What is to go is what stands there, remembered wrongly.
        replace(
            '    const string On = "_ANGLE_ON";\n    const string Angel = "_Angle";',
            '    const string On = "_ANGLE_ON";',
            before="class Search\n{\n",
            after='\n    const string Cap = "_MatCap";',
        ),
        # Too little of a line.
        delete("left", before="        return ", after=";\n    }"),
    ],
)
def test_else_it_is_not_said(project: UnityProject, sent: dict[str, Any]) -> None:
    project.write(SCRIPT)
    assert "already_applied" not in project.refused(sent).details
