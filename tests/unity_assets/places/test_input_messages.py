"""Row 15: a ``PlayerInput`` that sends messages calls ``On`` and the action's name."""

from __future__ import annotations

import pytest
from assets_project import HEADER, SmallProject, guid, target

PLAYER_INPUT = "62899f850307741f2a39c98a8b639597"
ACTIONS = '{"maps": [{"name": "Play", "actions": [{"name": "Fire"}, {"name": "look around"}]}]}'


def player_input(behaviour: int) -> str:
    return (
        f"{HEADER}--- !u!114 &1\nMonoBehaviour:\n"
        f"  m_Script: {{fileID: 11500000, guid: {PLAYER_INPUT}, type: 3}}\n  m_Name: \n"
        f"  m_Actions: {{fileID: -944628639613478452, guid: {guid(50)}, type: 3}}\n"
        f"  m_NotificationBehavior: {behaviour}\n"
    )


@pytest.mark.parametrize(
    ("behaviour", "name", "conflicts"),
    [
        (0, "OnFire", 1),
        (1, "OnLookaround", 1),
        (0, "OnDeviceLost", 1),
        (2, "OnFire", 0),
        (3, "OnFire", 0),
        (0, "OnJump", 0),
        (0, "Fire", 0),
    ],
)
def test_a_message_that_a_player_input_sends(
    project: SmallProject, behaviour: int, name: str, conflicts: int
) -> None:
    project.script("Assets/Player.cs", 1)
    project.write("Assets/a.unity", player_input(behaviour))
    project.write("Assets/play.inputactions", ACTIONS)
    project.write("Assets/play.inputactions.meta", f"fileFormatVersion: 2\nguid: {guid(50)}\n")
    facts = project.method(name, target("Player"))
    renamed = project.rename(facts, "OnOther")
    assert len(renamed.conflicts) == conflicts
    assert [each.kind for each in project.find(facts).unnamed] == ["input message"] * conflicts
    assert all(each.path == "Assets/a.unity" for each in renamed.conflicts)
