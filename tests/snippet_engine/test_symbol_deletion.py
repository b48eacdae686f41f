"""Deleting a symbol takes the comma that the rest of its list can't keep."""

from __future__ import annotations

import pytest
from unity_project import UnityProject

SCRIPT = """enum State
{
    Idle,
    /// <summary>On foot.</summary>
    Run = 2, // fast
    Jump
}

class Player
{
    int a = 1, b, c;
    int alone;
}
"""


@pytest.mark.parametrize(
    ("symbol_path", "gone", "left"),
    [
        ("State.Idle", "    Idle,\n", ""),
        (
            "State.Run",
            "    /// <summary>On foot.</summary>\n    Run = 2, // fast\n",
            "    // fast\n",
        ),
        ("State.Jump", "    Jump\n", ""),
        ("Player.a", "int a = 1, b, c;", "int b, c;"),
        ("Player.b", "int a = 1, b, c;", "int a = 1, c;"),
        ("Player.c", "int a = 1, b, c;", "int a = 1, b;"),
        ("Player.alone", "    int alone;\n", ""),
    ],
)
def test_deleting_a_symbol(project: UnityProject, symbol_path: str, gone: str, left: str) -> None:
    project.write(SCRIPT)
    project.done({"operation": "delete", "anchor": {"type": "symbol", "symbolPath": symbol_path}})
    assert project.read().decode() == SCRIPT.replace(gone, left)
