"""What Unity makes of a change set besides compiling it: docs/design/change-sets.md §2."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import jsonschema
import pytest
from script_changes import create, edit, move, previewed
from unity_project import UnityProject, delete, insert, replace

from snippet_engine.answer import lost_fields
from snippet_engine.answer.text_form import text_form
from snippet_engine.errors import SnippetError
from snippet_engine.schemas.result_schema import EDIT_SNIPPET_OUTPUT

PLAYER = "Assets/Player.cs"
SOURCE = """\
using UnityEngine;

namespace Game
{
    public class Player : MonoBehaviour
    {
        public int health = 100, armour;
        [SerializeField] private UnityEngine.Transform target;
        [System.NonSerialized] public int combo;
        private int hidden;
        public const int Max = 3;
        public static int Count;
        public readonly int Seed;
        public int Lives { get; set; }
    }

    [System.Serializable]
    public struct Loot { public string name; string kind; }
    public class Plain { public int value; }
}
"""


def warned(project: UnityProject, *changes: Mapping[str, Any]) -> list[tuple[str, int, str]]:
    result = previewed(project, *changes)
    assert all(len(each["message"]) <= 200 for each in result["warnings"])
    return [
        (each["code"], each.get("line", 0), each["message"])
        for each in result["warnings"]
        if each["code"] not in {"name_still_used", "empty_block"}
    ]


def codes(project: UnityProject, *changes: Mapping[str, Any]) -> list[str]:
    return [code for code, _, _ in warned(project, *changes)]


def warned_alone(project: UnityProject, *instructions: dict[str, Any]) -> list[dict[str, Any]]:
    """What ``edit_snippet`` says of lost fields."""
    result = project.edit(*instructions, path=PLAYER, mode="preview")
    assert not isinstance(result, SnippetError), result
    jsonschema.validate(result, EDIT_SNIPPET_OUTPUT)
    return [each for each in result["warnings"] if each["code"] == "serialized_field"]


@pytest.fixture
def player(project: UnityProject) -> UnityProject:
    project.write(SOURCE, PLAYER)
    project.write("guid: 1", f"{PLAYER}.meta")
    return project


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("class Hero : MonoBehaviour { }", "Hero is a MonoBehaviour, but its file is Other.cs"),
        ("namespace A { class Hero : UnityEngine.ScriptableObject, I { } }", "Hero is a Scr"),
        ("class Hero : global::UnityEditor.EditorWindow { }", "Hero is a EditorWindow"),
    ],
)
def test_a_class_that_unity_looks_for_stands_in_a_file_of_its_name(
    player: UnityProject, text: str, told: str
) -> None:
    ((code, line, message),) = warned(player, create("Assets/Other.cs", text))
    assert (code, line) == ("script_name", 1)
    assert message.startswith(told)
    assert codes(player, create("Assets/Hero.cs", text)) == []


@pytest.mark.parametrize(
    "text",
    [
        "abstract class Hero : MonoBehaviour { }",
        "class Hero<T> : MonoBehaviour { }",
        "class Hero : Character { }",
        "class Outer { class Hero : MonoBehaviour { } }",
        "class Hero<T> where T : MonoBehaviour { }",
    ],
)
def test_other_classes_may_stand_anywhere(player: UnityProject, text: str) -> None:
    assert codes(player, create("Assets/Other.cs", text)) == []


def test_a_part_of_a_class_names_the_class_first(player: UnityProject) -> None:
    text = "partial class Hero : MonoBehaviour { }"
    assert codes(player, create("Assets/Hero.Input.cs", text)) == []
    assert codes(player, create("Assets/Input.cs", text)) == ["script_name"]


def test_a_renamed_class_leaves_its_file_and_a_moved_file_its_class(player: UnityProject) -> None:
    assert codes(player, edit(PLAYER, replace("class Player", "class Hero"))) == ["script_name"]
    assert codes(player, move(PLAYER, "Assets/Hero.cs")) == ["script_name"]
    renamed = replace("class Player", "class Hero")
    assert codes(player, move(PLAYER, "Assets/Hero.cs", renamed)) == []


def test_what_was_so_before_is_not_told_again(player: UnityProject) -> None:
    player.write("class Hero : MonoBehaviour { int x; }", "Assets/Other.cs")
    assert codes(player, edit("Assets/Other.cs", replace("int x", "int y"))) == []


def test_of_a_script_that_moves_without_a_meta_no_loss_is_claimed(player: UnityProject) -> None:
    player.write("class A { }", "Assets/A.cs")
    ((_, _, message),) = warned(player, move("Assets/A.cs", "Assets/B.cs"))
    assert "if anything" in message
    assert codes(player, move("Assets/A.cs", "Assets/B.cs")) == ["meta_missing"]
    assert codes(player, move(PLAYER, "Assets/Sub/Player.cs")) == []


def test_a_new_script_takes_over_the_meta_that_is_there(player: UnityProject) -> None:
    player.write("guid: 2", "Assets/A.cs.meta")
    assert codes(player, create("Assets/A.cs", "class A { }")) == ["meta_orphan"]


def test_a_move_into_another_assembly_is_told(player: UnityProject) -> None:
    player.write('{"name": "Game.Core"}', "Assets/Core/Core.asmdef")
    player.write('{"reference": "Game.Core"}', "Assets/More/More.asmref")
    ((code, _, message),) = warned(player, move(PLAYER, "Assets/Core/Deep/Player.cs"))
    assert code == "assembly_changed"
    assert "from Assembly-CSharp to Game.Core" in message
    assert "to Game.Core" in warned(player, move(PLAYER, "Assets/More/Player.cs"))[0][2]
    assert (
        "to Assembly-CSharp-Editor" in warned(player, move(PLAYER, "Assets/Editor/Player.cs"))[0][2]
    )
    assert codes(player, move(PLAYER, "Assets/Sub/Player.cs")) == []


def test_a_new_file_away_from_those_it_is_made_with_is_told(player: UnityProject) -> None:
    player.write('{"name": "Game.Core"}', "Assets/Core/Core.asmdef")
    edited = edit(PLAYER, replace("Max = 3", "Max = 4"))
    new = create("Assets/Core/New.cs", "class New { }")
    assert codes(player, edited, new) == ["assembly_changed"]
    assert codes(player, edited, create("Assets/New.cs", "class New { }")) == []
    assert codes(player, new) == []


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
        ("public int health", "private int health", "Scenes lose the value of Game.Player.health,"),
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


def test_a_field_that_moves_within_the_script_is_kept(player: UnityProject) -> None:
    gone, there = delete(", armour"), replace("public int value;", "public int value, armour;")
    assert len(warned_alone(player, gone, there)) == 1
    base = replace(
        "public class Plain {", "public class Plain : MonoBehaviour { public int armour;"
    )
    assert not warned_alone(player, gone, base)


def test_a_field_that_one_of_two_edits_loses_is_told_without_the_edit(
    player: UnityProject,
) -> None:
    (lost,) = warned_alone(player, delete(", armour"), replace("string kind", "string sort"))
    assert "index" not in lost


def test_a_lost_field_stands_in_the_text_of_the_answer(player: UnityProject) -> None:
    answer = player.edit(delete(", armour"), path=PLAYER, mode="preview")
    assert not isinstance(answer, SnippetError)
    assert "Scenes lose the value of Game.Player.armour" in text_form("edit_snippet", answer)


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


IN_A_STRING = (
    'class Player : MonoBehaviour { void M() { Log("a } } '
    'class Hero : MonoBehaviour { void N() { Log(b"); } }\n'
)


@pytest.mark.parametrize(
    ("text", "edits"),
    [
        # What stands in a string becomes code, and no edit has a brace.
        (IN_A_STRING, [replace("a ", 'a"); '), replace('b"', "b")]),
        # A body ends, and another class begins in it.
        (
            "class Player : MonoBehaviour { void M() { Log(); } }\n",
            [replace("Log();", "} } class Hero : MonoBehaviour { void N() {")],
        ),
        (
            "class Player : MonoBehaviour { }\nclass Plain { }\n",
            [replace("Plain", "Hero : MonoBehaviour")],
        ),
    ],
)
def test_a_class_that_an_edit_within_another_makes_is_seen(
    project: UnityProject, text: str, edits: list[dict[str, Any]]
) -> None:
    project.write(text, PLAYER)
    assert "script_name" in codes(project, edit(PLAYER, *edits))


def test_a_field_that_an_edit_takes_away_is_seen_beside_one_in_a_body(
    player: UnityProject,
) -> None:
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
    monkeypatch.setattr(lost_fields, "serialized_fields", lambda found: read.append(found) or [])
    player.write(SOURCE.replace("set; }", 'set; } void M() { Log("a"); }'), PLAYER)
    changed = [replace("health = 100", "health = 90"), replace('Log("a")', 'Log("b")')]
    assert codes(player, edit(PLAYER, *changed)) == []
    assert not warned_alone(player, *changed)
    assert not read
    codes(player, edit(PLAYER, *changed, replace("int hidden", "int h")))
    assert read


@pytest.mark.parametrize(
    "place", ["Assets/.hidden", "Assets/Old~", "Assets/cvs", "Assets/CVS/Deep"]
)
def test_a_script_that_gets_where_unity_imports_nothing_is_told(
    player: UnityProject, place: str
) -> None:
    moved, made = move(PLAYER, f"{place}/Player.cs"), create(f"{place}/New.cs", "class New { }\n")
    assert codes(player, moved) == ["not_imported"]
    assert codes(player, made) == ["not_imported"]
    # Where it is already, nothing changes.
    player.write(SOURCE, f"{place}/Player.cs")
    player.write("guid: 2", f"{place}/Player.cs.meta")
    assert codes(player, move(f"{place}/Player.cs", f"{place}/Deeper/Player.cs")) == []
    assert codes(player, edit(f"{place}/Player.cs", replace("= 100", "= 99"))) == []
    assert codes(player, move(f"{place}/Player.cs", "Assets/Core/Player.cs")) == []


def test_nor_is_a_script_imported_whose_own_name_is_hidden(player: UnityProject) -> None:
    (warning,) = warned(player, create("Assets/.New.cs", "class New { }\n"))
    assert warning[0] == "not_imported"
    assert "files of such a name (.New.cs)" in warning[2]


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
