"""What Unity makes of a change set besides compiling it: docs/design/change-sets.md §2."""

from __future__ import annotations

from typing import Any

import pytest
from answered import success
from script_changes import create, delete_file, edit, move
from unity_project import UnityProject, delete, replace
from unity_warned import PLAYER, SOURCE, codes, warned, warned_alone

from snippet_engine.answer.text_form import text_form


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


PARTIAL = "partial class Hero : MonoBehaviour { }"
BOSS, ENEMY = "public class Boss : Enemy { }", "public abstract class Enemy : MonoBehaviour { }"
RENAMED = replace("class Player", "class Hero")
EDITED = edit(PLAYER, replace("Max = 3", "Max = 4"))
OTHER, CORE = "Assets/Other.cs", "Assets/Core/New.cs"


@pytest.mark.parametrize(
    ("changes", "found"),
    [
        # A part of a class names the class first.
        ([create("Assets/Hero.Input.cs", PARTIAL)], []),
        ([create("Assets/Input.cs", PARTIAL)], ["script_name"]),
        # A renamed class leaves its file, and a moved file its class.
        ([edit(PLAYER, RENAMED)], ["script_name"]),
        ([move(PLAYER, "Assets/Hero.cs")], ["script_name"]),
        ([move(PLAYER, "Assets/Hero.cs", RENAMED)], []),
        # A base that the set declares tells what a class is.
        ([create("Assets/Enemy.cs", ENEMY), create(OTHER, BOSS)], ["script_name"]),
        ([create("Assets/Enemy.cs", ENEMY), create("Assets/Boss.cs", BOSS)], []),
        ([create(OTHER, BOSS)], []),
        # Other classes may stand anywhere.
        ([create(OTHER, "abstract class Hero : MonoBehaviour { }")], []),
        ([create(OTHER, "class Hero<T> : MonoBehaviour { }")], []),
        ([create(OTHER, "class Hero : Character { }")], []),
        ([create(OTHER, "class Outer { class Hero : MonoBehaviour { } }")], []),
        ([create(OTHER, "class Hero<T> where T : MonoBehaviour { }")], []),
        # So was it before.
        ([edit("Assets/Was.cs", replace("int x", "int y"))], []),
        # A new script takes over the .meta that is there.
        ([create("Assets/A.cs", "class A { }")], ["meta_orphan"]),
        # A new file stands away from those that it is made with.
        ([EDITED, create(CORE, "class New { }")], ["assembly_changed"]),
        ([EDITED, create("Assets/New.cs", "class New { }")], []),
        ([create(CORE, "class New { }")], []),
    ],
)
def test_what_is_told_of_a_set(
    player: UnityProject, changes: list[dict[str, Any]], found: list[str]
) -> None:
    player.write("class Hero : MonoBehaviour { int x; }", "Assets/Was.cs")
    player.write("guid: 2", "Assets/A.cs.meta")
    player.write('{"name": "Game.Core"}', "Assets/Core/Core.asmdef")
    assert codes(player, *changes) == found


def test_of_a_script_that_moves_without_a_meta_no_loss_is_claimed(player: UnityProject) -> None:
    player.write("class A { }", "Assets/A.cs")
    ((_, _, message),) = warned(player, move("Assets/A.cs", "Assets/B.cs"))
    assert "if any" in message
    assert codes(player, move("Assets/A.cs", "Assets/B.cs")) == ["meta_missing"]
    assert codes(player, move(PLAYER, "Assets/Sub/Player.cs")) == []


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


@pytest.mark.parametrize(
    ("place", "assembly"),
    [
        ("Assets/Tools/editor", "Assembly-CSharp-Editor"),
        ("Assets/plugins", "Assembly-CSharp-firstpass"),
        ("Assets/iPhone Standard Assets/EDITOR", "Assembly-CSharp-Editor-firstpass"),
    ],
)
def test_unity_knows_special_folders_in_whatever_case(
    player: UnityProject, place: str, assembly: str
) -> None:
    ((code, _, message),) = warned(player, move(PLAYER, f"{place}/Player.cs"))
    assert code == "assembly_changed"
    assert f"from Assembly-CSharp to {assembly}" in message


@pytest.mark.parametrize(
    ("kind", "bases", "found"),
    [
        ("Player", "MonoBehaviour", True),
        ("Player", "ScriptableObject", True),
        ("Player", "Enemy", True),
        ("Player", "Other", False),
    ],
)
def test_a_class_that_one_edit_renames_away_from_its_file_is_told(
    project: UnityProject, kind: str, bases: str, found: bool
) -> None:
    enemy = "public abstract class Enemy : MonoBehaviour { }"
    project.write(f"public class {kind} : {bases} {{ }}\n{enemy}\n", PLAYER)
    renamed = replace(f"class {kind}", "class Hero")
    told = warned_alone(project, renamed, code="script_name")
    assert [each["index"] for each in told] == [0] * found
    assert ("script_name" in codes(project, edit(PLAYER, renamed))) is found
    # What was so before isn't told again.
    project.write(f"public class Hero : {bases} {{ int x; }}\n{enemy}\n", PLAYER)
    more = replace("{ int x; }", "{ } class A { }")
    assert not warned_alone(project, more, code="script_name")


def test_a_script_that_is_made_anew_elsewhere_loses_its_guid(player: UnityProject) -> None:
    gone = delete_file(player, PLAYER)
    made = create("Assets/Core/Player.cs", SOURCE)
    ((code, _, message),) = warned(player, gone, made)
    assert code == "meta_missing"
    assert "moveTo" in message
    other = create("Assets/Core/Other.cs", "class Other { }")
    assert codes(player, gone, other) == ["guid_lost"]
    (player.root / f"{PLAYER}.meta").unlink()
    assert codes(player, gone, made) == []


def test_a_lost_field_stands_in_the_text_of_the_answer(player: UnityProject) -> None:
    answer = success(player.edit(delete(", armour"), path=PLAYER, mode="preview"))
    assert "Scenes lose the value of Game.Player.armour" in text_form("edit_snippet", answer)


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


@pytest.mark.parametrize(
    "place",
    [
        "Assets/.hidden",
        "Assets/Old~",
        "Assets/cvs",
        "Assets/CVS/Deep",
        "Assets/StreamingAssets/Mods",
        "Assets/webgltemplates",
    ],
)
def test_a_script_that_gets_where_unity_compiles_nothing_is_told(
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
    assert "scripts with this name (.New.cs)" in warning[2]


def test_a_component_that_goes_loses_what_refers_to_it(player: UnityProject) -> None:
    gone = delete_file(player, PLAYER)
    ((_, _, message),) = [each for each in warned(player, gone) if each[0] == "guid_lost"]
    assert message.startswith("Player is deleted with its .meta")
    assert "To rewrite a script, edit it" in message
    again = create("Assets/Hero.cs", SOURCE)
    assert "guid_lost" not in codes(player, gone, again)


def test_a_script_that_nothing_refers_to_goes_without_a_word(player: UnityProject) -> None:
    player.write("class Plain { }", "Assets/Plain.cs")
    player.write("guid: 9", "Assets/Plain.cs.meta")
    player.write("class Lone : MonoBehaviour { }", "Assets/Lone.cs")
    for path in ("Assets/Plain.cs", "Assets/Lone.cs"):
        assert "guid_lost" not in codes(player, delete_file(player, path))
