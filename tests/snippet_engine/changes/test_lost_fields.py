"""Fields whose values scenes lose by an edit: docs/design/engine.md §2.7."""

from __future__ import annotations

from typing import Any

import pytest
from script_changes import create, edit, move, previewed
from unity_project import UnityProject, delete, insert, replace
from unity_warned import PLAYER, SOURCE, codes, warned, warned_alone

from snippet_engine.answer import unity_warnings


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (
            "health = 100, ",
            "",
            "Scenes lose the value of Game.Player.health, unless another script declares it: "
            '[FormerlySerializedAs("health")]',
        ),
        ("= 100, armour", "= 1", "Scenes lose the value of Game.Player.armour,"),
        ("100, armour", "1; public int shield", "Scenes lose the value of Game.Player.armour,"),
        ("100, armour;", "1; // armour;", "Scenes lose the value of Game.Player.armour,"),
        ("= 100, armour", "= Sum(1), shield", "Scenes lose the value of Game.Player.armour,"),
        ("armour;", "shield;", "Scenes lose the value of Game.Player.armour,"),
        ("Transform target", "Transform aim", "Scenes lose the value of Game.Player.target,"),
        (
            "UnityEngine.Transform target",
            "Vector3 target",
            "Game.Player.target was Transform and becomes Vector3",
        ),
        ("public string name", "public string title", "Scenes lose the value of Game.Loot.name,"),
        *(
            ("public int health", f"{other} int health", "Game.Player.health is no longer serial")
            for other in ("private", "public static", "[NonSerialized] public", "public readonly")
        ),
        ("[SerializeField] private Unity", "private Unity", "Game.Player.target is no longer seri"),
        ("[System.Serializable]", "", "Game.Loot.name is no longer serialized: scenes lose its"),
        ("int health", "System.Action<int> health", "Game.Player.health is no longer serialized"),
        ("class Player : MonoBehaviour", "class Player", "Game.Player.health is no longer seri"),
    ],
)
def test_a_field_whose_value_scenes_keep_is_not_lost_unsaid(
    player: UnityProject, old: str, new: str, told: str
) -> None:
    instruction = replace(old, new) if new else delete(old)
    found = warned(player, edit(PLAYER, instruction))
    assert [code for code, _, _ in found][:1] == ["serialized_field"]
    assert found[0][2].startswith(told)
    alone = warned_alone(player, instruction)
    assert [each["message"] for each in alone] == [
        message for code, _, message in found if code == "serialized_field"
    ]
    assert all(each["index"] == 0 for each in alone)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("int hidden", "int secret"),
        ("int combo", "long combo"),
        ("Max = 3", "Max = 4"),
        ("health = 100", "health = 100 + 20"),
        ("public int health = 100, armour;", "public int health = 10, armour;"),
        ("static int Count", "static int Total"),
        ("public int value", "public long value"),
        ("public int health", "public long health"),
        ("public int health", "public System.Int32 health"),
        ("Player : MonoBehaviour", "Player : Actor"),
        ("Player : MonoBehaviour", "Player : Photon.Actor, IDamageable"),
        ("string kind", "string sort"),
        ("UnityEngine.Transform target", "Transform target"),
        ("[SerializeField] private", "[SerializeField] public"),
        (
            "[SerializeField] private UnityEngine.Transform target",
            '[SerializeField, FormerlySerializedAs("target")] private Transform aim',
        ),
    ],
)
def test_other_fields_may_change(player: UnityProject, old: str, new: str) -> None:
    assert "serialized_field" not in codes(player, edit(PLAYER, replace(old, new)))
    assert not warned_alone(player, replace(old, new))


ENEMIES = """using UnityEngine;
[System.Serializable] public class Enemy { public int lives; }
public class Plain { [SerializeField] int secret; }
public class Player : MonoBehaviour
{
    public List<int> points;
    public Enemy[] enemies;
    public Plain plain;
    [FormerlySerializedAs("hp")] public int health;
}
"""


@pytest.mark.parametrize(
    "edits",
    [
        [replace("List<int> points", "int[] points")],
        [replace("List<int> points", "long[] points")],
        [replace("Enemy[] enemies", "List<Enemy> enemies")],
        [replace("class Enemy", "class Foe"), replace("Enemy[]", "Foe[]")],
        [replace("Plain plain", "Other plain")],
        [replace("int secret", "string secret")],
        [replace('FormerlySerializedAs("hp")', 'Min(0), FormerlySerializedAs("hp")')],
    ],
)
def test_a_value_that_unity_reads_as_before_is_not_told(
    project: UnityProject, edits: list[dict[str, Any]]
) -> None:
    project.write(ENEMIES, PLAYER)
    assert not warned_alone(project, *edits)
    assert "serialized_field" not in codes(project, edit(PLAYER, *edits))


@pytest.mark.parametrize(
    ("edit_of_it", "told"),
    [
        (replace("List<int> points", "short[] points"), "Player.points was List<int> and becomes"),
        (replace("List<int> points", "int points"), "Player.points was List<int> and becomes int"),
        (replace("Enemy[] enemies", "Foe[] enemies"), "Player.enemies was Enemy[] and becomes"),
        (
            delete('[FormerlySerializedAs("hp")]'),
            "Player.health no longer has FormerlySerializedAs(hp)",
        ),
        (replace('"hp"', '"hq"'), "Player.health no longer has FormerlySerializedAs(hp)"),
    ],
)
def test_a_value_that_unity_reads_otherwise_is_told(
    project: UnityProject, edit_of_it: dict[str, Any], told: str
) -> None:
    project.write(ENEMIES, PLAYER)
    (warning,) = warned_alone(project, edit_of_it)
    assert warning["message"].startswith(told)
    assert "on the new name" not in warning["message"]


def test_a_type_that_the_set_renames_is_the_same_one(project: UnityProject) -> None:
    project.write("[System.Serializable] public class Enemy { public int lives; }", "Assets/E.cs")
    project.write(ENEMIES.replace("[System.Serializable] public class Enemy", "class X"), PLAYER)
    moved = move("Assets/E.cs", "Assets/Foe.cs", replace("class Enemy", "class Foe"))
    used = edit(PLAYER, replace("Enemy[]", "Foe[]"))
    assert "serialized_field" not in codes(project, moved, used)
    assert "serialized_field" in codes(project, used)


def test_a_base_that_the_set_makes_keeps_the_fields(player: UnityProject) -> None:
    base = create("Assets/Actor.cs", "public abstract class Actor : MonoBehaviour { }")
    derived = edit(PLAYER, replace("Player : MonoBehaviour", "Player : Actor"))
    assert codes(player, derived, base) == []


def test_a_field_that_moves_within_the_script_is_kept(player: UnityProject) -> None:
    gone, there = delete(", armour"), replace("public int value;", "public int value, armour;")
    assert len(warned_alone(player, gone, there)) == 1
    base = replace(
        "public class Plain {", "public class Plain : MonoBehaviour { public int armour;"
    )
    assert not warned_alone(player, gone, base)


def test_a_field_that_one_of_two_edits_loses_is_told_without_the_edit(player: UnityProject) -> None:
    (lost,) = warned_alone(player, delete(", armour"), replace("string kind", "string sort"))
    assert "index" not in lost


def test_a_field_that_another_file_of_the_set_takes_over_is_kept(player: UnityProject) -> None:
    base = create("Assets/Base.cs", "public class Base : MonoBehaviour { public int armour; }")
    gone = edit(PLAYER, delete(", armour"))
    assert "serialized_field" not in codes(player, gone, base)
    assert "serialized_field" in codes(player, gone)


def test_warnings_name_their_file(player: UnityProject) -> None:
    result = previewed(
        player,
        create("Assets/A.cs", "class A { }"),
        edit(PLAYER, insert("armour", "2"), replace("int hidden", "int h")),
    )
    (warning,) = (each for each in result["warnings"] if each["code"] == "serialized_field")
    assert (warning["file"], warning["path"]) == (1, PLAYER)


def test_a_field_that_an_edit_takes_away_is_seen_beside_one_in_a_body(player: UnityProject) -> None:
    player.write(SOURCE.replace("set; }", "set; } void M() { int a = 1; }"), PLAYER)
    found = codes(
        player, edit(PLAYER, replace("a = 1", "a = 2"), replace(" = 100, armour", " = 100"))
    )
    assert found == ["serialized_field"]


def test_nothing_is_read_for_values_and_bodies(
    player: UnityProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Most edits are of these, and a preview would have to read all of both texts."""
    read: list[object] = []
    monkeypatch.setattr(unity_warnings, "serialized_fields", lambda found: read.append(found) or [])
    player.write(SOURCE.replace("set; }", 'set; } void M() { Log("a"); }'), PLAYER)
    changed = [replace("health = 100", "health = 90"), replace('Log("a")', 'Log("b")')]
    assert codes(player, edit(PLAYER, *changed)) == []
    assert not warned_alone(player, *changed)
    assert not read
    codes(player, edit(PLAYER, *changed, replace("int hidden", "int h")))
    assert read


BEHIND = """using UnityEngine;
public class Player : MonoBehaviour
{
    [field: SerializeField]
    public int Speed
    {
        get;
        set;
    }
}
"""


@pytest.mark.parametrize(
    ("old", "new"),
    [("int Speed", "int Pace"), ("        set;\n", "        set { }\n"), ("set;", "init;")],
)
def test_a_property_whose_field_is_kept_is_told_as_lost(
    project: UnityProject, old: str, new: str
) -> None:
    project.write(BEHIND, PLAYER)
    (warning,) = warned_alone(project, replace(old, new))
    assert '[field: FormerlySerializedAs("<Speed>k__BackingField")]' in warning["message"]
    assert "Player.Speed" in warning["message"]


def test_a_property_may_change_who_may_set_it(project: UnityProject) -> None:
    project.write(BEHIND, PLAYER)
    assert not warned_alone(project, replace("set;", "private set;"))


def test_a_long_name_is_told_whole_or_not_at_all(project: UnityProject) -> None:
    name = "Speed" * 12
    project.write(BEHIND.replace("Speed", name), PLAYER)
    (warning,) = warned_alone(project, replace(f"int {name}", "int Pace"))
    assert "[field: FormerlySerializedAs] on the new name" in warning["message"]
    assert len(warning["message"]) <= 200


WITH_SPEED = """using UnityEngine;
public class Player : MonoBehaviour
{
    public int speed;
}
"""


@pytest.mark.parametrize(
    ("before", "after", "advice"),
    [
        (
            "public int speed;",
            "[field: SerializeField] public int Speed { get; private set; }",
            '[field: FormerlySerializedAs("speed")] on the new name',
        ),
        (
            "public int speed;",
            "public int other;\n    public int Speed { get; set; }",
            '[field: SerializeField, FormerlySerializedAs("speed")] on the new name',
        ),
        (
            "[field: SerializeField] public int Speed { get; set; }",
            "[SerializeField] int _speed;",
            ': [FormerlySerializedAs("<Speed>k__BackingField")] on the new name',
        ),
        (
            "public int speed;",
            "public int pace;\n    public string Speed { get; set; }",
            ': [FormerlySerializedAs("speed")] on the new name',
        ),
    ],
)
def test_the_attribute_is_told_as_it_stands_at_what_the_field_becomes(
    project: UnityProject, before: str, after: str, advice: str
) -> None:
    project.write(WITH_SPEED.replace("public int speed;", before), PLAYER)
    (warning,) = warned_alone(project, replace(before, after))
    assert advice in warning["message"]
