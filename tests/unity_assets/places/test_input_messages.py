"""Row 15: a ``PlayerInput`` that sends messages calls ``On`` and the action's name."""

from __future__ import annotations

import pytest
from assets_project import HEADER, SmallProject, guid, instance, override, target, type_name

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


@pytest.mark.parametrize(
    ("overrides", "name", "conflicts"),
    [
        ((("m_NotificationBehavior", "0", ""),), "OnFire", 1),
        ((("m_NotificationBehavior", "3", ""),), "OnFire", 0),
        ((("m_NotificationBehavior", "1", ""), ("m_Actions", "", "{fileID: 0}")), "OnFire", 0),
        ((("speed", "0", ""),), "OnFire", 0),
    ],
)
def test_a_player_input_that_sends_messages_by_an_override(
    project: SmallProject, overrides: tuple[tuple[str, str, str], ...], name: str, conflicts: int
) -> None:
    project.write("Assets/a.prefab", player_input(2))
    project.write("Assets/a.prefab.meta", f"fileFormatVersion: 2\nguid: {guid(40)}\n")
    project.write("Assets/play.inputactions", ACTIONS)
    project.write("Assets/play.inputactions.meta", f"fileFormatVersion: 2\nguid: {guid(50)}\n")
    project.asset(
        "Assets/b.unity", instance(2, 40, *(override(1, 40, *each) for each in overrides))
    )
    found = project.rename(project.method(name, target("Player")), "OnOther").conflicts
    assert [each.path for each in found] == ["Assets/b.unity"] * conflicts


def test_a_message_that_a_player_input_manager_sends(project: SmallProject) -> None:
    manager = player_input(0).replace(PLAYER_INPUT, "621567455fd1c4ceb811cc8a00b6a1a5")
    project.write("Assets/a.unity", manager)
    for name, conflicts in (("OnPlayerJoined", 1), ("OnPlayerLeft", 1), ("OnDeviceLost", 0)):
        found = project.rename(project.method(name, target("Player")), "OnOther").conflicts
        assert len(found) == conflicts, name


PROCESSED = """{"maps": [{"actions": [
  {"processors": "Boost(factor=2,other=1),Invert", "interactions": "Tap;Twice(gap=1)"}],
  "bindings": [{"path": "Both(which=1)"}, {"path": "<Keyboard>/twice"}]}]}
"""


@pytest.mark.parametrize(
    ("kind", "of", "name", "line"),
    [
        ("type", "", "BoostProcessor", 2),
        ("type", "", "TwiceInteraction", 2),
        ("type", "", "BothComposite", 3),
        ("type", "", "TwicesInteraction", 0),
        ("field", "BoostProcessor", "factor", 2),
        ("field", "BoostProcessor", "which", 0),
        ("field", "BothComposite", "which", 3),
    ],
)
def test_what_actions_name(project: SmallProject, kind: str, of: str, name: str, line: int) -> None:
    project.write("Assets/play.inputactions", PROCESSED)
    facts = project.type_named(type_name(name), type_name("New"))
    if kind == "field":
        facts = project.facts(name, kind, type=type_name(of))
    left = project.rename(facts, "New").left
    assert [(each.line, each.kind) for each in left] == [(line, "input action")] * (line > 0)
    assert all(each.lost for each in left)
