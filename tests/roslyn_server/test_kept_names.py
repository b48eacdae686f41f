"""What a rename adds for Unity: attributes, strings, and the name of a script."""

from __future__ import annotations

from pathlib import Path

import pytest
from laid_out import Layout
from server_session import Session
from test_references import GAME, find, project, shown
from test_renames import applied, codes, rename
from test_symbol_facts import UNITY

pytestmark = [pytest.mark.anyio, pytest.mark.shares_server]

PLAYER = "Assets/Game/Player.cs"
SCRIPT = """using System;
using UnityEngine;

public class Player : MonoBehaviour
{
    public int speed;
    [SerializeField] int a = 1, b, c;

    [field: SerializeField]
    public int Lives { get; set; }
    [SerializeReference] IBrain brain;

    void Start()
    {
        Invoke("Fire", 1f);
        SendMessage("Fire");
        Debug.Log("Fire " + speed + a + b + c + Lives + brain);
    }

    void Fire() { }
}

public interface IBrain { }
[Serializable] public class Chase : IBrain { }
"""
UNITYS = UNITY.replace(
    "public class MonoBehaviour : Component { }",
    "public class MonoBehaviour : Component { public void Invoke(string name, float after) { }"
    " public void SendMessage(string name) { } }"
    " public static class Debug { public static void Log(object o) { } }",
)
USING = "using UnityEngine;\n"


@pytest.fixture
def root(new_root: Path, machine: Layout, references: Path) -> Path:
    root = project(new_root, machine, references, UNITYS, SCRIPT)
    (root / GAME).rename(root / PLAYER)
    (response,) = root.glob("Library/Bee/artifacts/*/Game.rsp")
    response.write_text(response.read_text("utf-8").replace(GAME, PLAYER), "utf-8")
    return root


async def test_attributes_keep_what_was_serialized(root: Path, session: Session) -> None:
    serialization = USING + "using UnityEngine.Serialization;\n"
    updating = USING + "using UnityEngine.Scripting.APIUpdating;\n"
    expected = {
        ("speed", "pace"): SCRIPT.replace(USING, serialization)
        .replace("speed", "pace")
        .replace("public int pace", '[FormerlySerializedAs("speed")]\n    public int pace'),
        ("b,", "d"): SCRIPT.replace(USING, serialization)
        .replace("+ b +", "+ d +")
        .replace(
            "a = 1, b, c;",
            'a = 1;\n    [FormerlySerializedAs("b")]\n    [SerializeField] int d;\n'
            "    [SerializeField] int c;",
        ),
        ("Lives", "Hearts"): SCRIPT.replace(USING, serialization)
        .replace("Lives", "Hearts")
        .replace(
            "    [field: Seri",
            '    [field: FormerlySerializedAs("<Lives>k__BackingField")]\n    [field: Seri',
        ),
        ("Chase", "Hunt"): SCRIPT.replace(USING, updating).replace(
            "[Serializable] public class Chase",
            '[MovedFrom(false, null, null, "Chase")]\n[Serializable] public class Hunt',
        ),
    }
    for (mark, new_name), text in expected.items():
        plain = await rename(session, PLAYER, mark, new_name)
        assert "FormerlySerializedAs" not in applied(root, plain)[PLAYER]
        answer = await rename(session, PLAYER, mark, new_name, attributes=True)
        assert codes(answer) == [], answer.conflicts
        assert applied(root, answer)[PLAYER].split("\n") == text.split("\n"), mark
        if mark == "b,":
            continue  # declarations are split for good
        (root / PLAYER).write_text(text, "utf-8")
        back = await rename(session, PLAYER, new_name, mark, attributes=True)
        assert applied(root, back)[PLAYER] == SCRIPT
        (root / PLAYER).write_text(SCRIPT, "utf-8")


async def test_attributes_that_name_the_field_name_it_in_each_declaration(
    root: Path, session: Session
) -> None:
    named = SCRIPT.replace("[SerializeField] int a", "[Obsolete(nameof(a)), SerializeField] int a")
    (root / PLAYER).write_text(named, "utf-8")
    answer = await rename(session, PLAYER, "a = 1", "first", attributes=True)
    assert codes(answer) == []
    assert (
        '    [FormerlySerializedAs("a")]\n'
        "    [Obsolete(nameof(first)), SerializeField] int first = 1;\n"
        "    [Obsolete(nameof(first)), SerializeField] int b, c;\n"
    ) in applied(root, answer)[PLAYER]


async def test_strings_that_name_a_method_are_references(session: Session) -> None:
    found = shown(await find(session, PLAYER, "Fire()"))
    assert found == [
        "Player.cs:15:16 string",
        "Player.cs:16:21 string",
        "Player.cs:20:10 declaration",
    ]


BY_NAME = """using UnityEngine;
using Other = Player;
[Named("Fire")] public class Player : MonoBehaviour
{
    const string Kept = "Fire";
    void Start(bool b) { SendMessage(b ? ("Fire") : "No"); SendMessage($"Fire"); }
    void Log() => Debug.Log("A Fire");
    void Fire() { }
    string Of() => nameof(Other);
}
class NamedAttribute : System.Attribute { public NamedAttribute(string name) { } }
"""


async def test_strings_that_reach_a_call_or_are_the_name_are_references(
    root: Path, session: Session
) -> None:
    (root / PLAYER).write_text(BY_NAME, "utf-8")
    found = shown(await find(session, PLAYER, "Fire()"))
    assert [each.split(":")[1] for each in found] == ["3", "5", "6", "6", "8"]
    answer = await rename(session, PLAYER, "Fire()", "Shoot")
    assert [each.offer for each in answer.strings] == [
        *('"Shoot"', '"Shoot"', '"Shoot"', "Shoot"),
    ]
    # The alias keeps its name, in nameof too.
    assert (await rename(session, PLAYER, "Player :", "Hero")).strings == []


async def test_every_string_with_the_name_is_listed(root: Path, session: Session) -> None:
    many = 'object[] Of() => new object[] { "Fire", ' + '"Fire", ' * 120 + "};\n"
    (root / PLAYER).write_text(SCRIPT.replace("    void Fire()", many + "    void Fire()"), "utf-8")
    answer = await rename(session, PLAYER, "Fire()", "Shoot")
    assert len(answer.strings) == 122
    assert len((await find(session, PLAYER, "Fire()")).references) == 124


async def test_strings_and_scripts_take_the_name(root: Path, session: Session) -> None:
    answer = await rename(session, PLAYER, "Fire()", "Shoot")
    assert codes(answer) == []
    text = applied(root, answer)[PLAYER]
    assert "Invoke(nameof(Shoot), 1f);" in text
    assert 'SendMessage("Fire");' in text
    (left,) = answer.strings
    assert (left.kind, left.text, left.offer) == ("SendMessage", '"Fire"', '"Shoot"')
    moved = await rename(session, PLAYER, "Player", "Hero")
    (move,) = moved.moves
    assert (move.to, codes(moved)) == ("Assets/Game/Hero.cs", [])
    (root / "Assets/Game/Hero.cs").write_text("", "utf-8")
    assert codes(await rename(session, PLAYER, "Player", "Hero")) == ["file_exists"]
    assert codes(await rename(session, PLAYER, "Start", "Begin")) == ["unity_message"]
    assert codes(await rename(session, PLAYER, "Start", "Begin", force=True)) == []
    taken = SCRIPT.replace(
        "public int speed",
        '[UnityEngine.Serialization.FormerlySerializedAs("d")] public int speed',
    )
    (root / PLAYER).write_text(taken, "utf-8")
    assert codes(await rename(session, PLAYER, "b,", "d")) == ["formerly_serialized"]


READ_IN_WAYS = """using UnityEngine;

/// <summary>See <see cref="Fire"/>.</summary>
public class Player : MonoBehaviour
{
    void Start() { Invoke("Fire", 1f); Invoke(nameof(Fire), 1f); }
    void Fire() { }
#if PLAYER
    void Late() { Invoke("Fire", 1f); }
#endif
}
"""


async def test_strings_in_texts_that_are_read_in_several_ways(root: Path, session: Session) -> None:
    (root / PLAYER).write_text(READ_IN_WAYS, "utf-8")
    answer = await rename(session, PLAYER, "Fire()", "Shoot")
    assert (codes(answer), answer.strings) == ([], [])
    expected = READ_IN_WAYS.replace('"Fire", ', "nameof(Fire), ").replace("Fire", "Shoot")
    assert applied(root, answer)[PLAYER] == expected
    overloaded = READ_IN_WAYS.replace("void Fire() { }", "void Fire() { } void Fire(int a) { }")
    (root / PLAYER).write_text(overloaded, "utf-8")
    answer = await rename(session, PLAYER, "Fire() { }", "Shoot")
    (left,) = answer.strings
    assert (left.kind, left.text, left.offer) == ("nameof", "Fire", "Shoot")


NAMED = """namespace Demo.Game
{
    class Player { object Of() => System.Type.GetType("Demo.Game.Player, Assembly-CSharp"); }
}
"""


async def test_strings_that_name_a_type_of_a_namespace(root: Path, session: Session) -> None:
    (root / PLAYER).write_text(NAMED, "utf-8")
    answer = await rename(session, PLAYER, "Game", "Play")
    (left,) = answer.strings
    assert left.offer == '"Demo.Play.Player, Assembly-CSharp"'


IMPLEMENTED = """using UnityEngine;
public interface IQuick { int Pace { get; } }
public class Player : MonoBehaviour, IQuick
{
    [field: SerializeField]
    public int Pace { get; private set; }
}
public class Enemy : MonoBehaviour, IQuick
{
    [field: SerializeField] public virtual int Pace { get; set; }
}
public class Boss : Enemy { [field: SerializeField] public override int Pace { get; set; } }
"""


async def test_properties_that_implement_the_renamed_one_keep_their_values(
    root: Path, session: Session
) -> None:
    (root / PLAYER).write_text(IMPLEMENTED, "utf-8")
    found = await find(session, PLAYER, "Pace")
    holders = {each.type.name for each in found.symbol.holders}
    assert (found.symbol.key, holders) == ("<Pace>k__BackingField", {"Player", "Enemy", "Boss"})
    for nth in range(3):
        answer = await rename(session, PLAYER, "Pace", "Rate", nth, attributes=True)
        assert (codes(answer), answer.symbol.keepsKey) == ([], True)
        text = applied(root, answer)[PLAYER]
        assert text.count('[field: FormerlySerializedAs("<Pace>k__BackingField")]') == 3
        assert text.count("using UnityEngine.Serialization;") == 1
    (root / PLAYER).write_text(text, "utf-8")
    back = await rename(session, PLAYER, "Rate", "Pace", attributes=True)
    assert (codes(back), back.symbol.keepsKey) == ([], False)
    assert "FormerlySerializedAs" not in applied(root, back)[PLAYER]


FORMERLY = """using UnityEngine;
using UnityEngine.Serialization;
public class Base : MonoBehaviour { [FormerlySerializedAs("hp")] public int health; }
public class Heir : Base { public int extra; }
"""


async def test_what_keeps_a_key_and_what_takes_it(root: Path, session: Session) -> None:
    (root / PLAYER).write_text(FORMERLY, "utf-8")
    for mark, new_name, kept in (
        ("health", "life", True),
        ("extra", "more", True),
        # The attribute goes, and another would be left behind by each way there and back.
        ("health", "hp", False),
    ):
        answer = await rename(session, PLAYER, mark, new_name, attributes=True)
        assert (codes(answer), answer.symbol.keepsKey) == ([], kept), new_name
    answer = await rename(session, PLAYER, "extra", "hp", attributes=True)
    assert codes(answer) == ["formerly_serialized"]


HIDDEN = """using UnityEngine;
public class Base : MonoBehaviour {
  [SerializeField] int secret; int plain; int F() => secret + plain; }
public class Middle : Base { [SerializeField] int middle; int G() => middle; }
public class Heir : Middle { [SerializeField] int heir; int G() => heir; }
"""


async def test_a_name_that_a_base_or_an_heir_serializes(root: Path, session: Session) -> None:
    (root / PLAYER).write_text(HIDDEN, "utf-8")
    for new_name, expected in (
        ("secret", ["name_exists"]),
        ("heir", ["name_exists"]),
        ("plain", []),
    ):
        answer = await rename(session, PLAYER, "middle", new_name)
        assert codes(answer) == expected, (new_name, answer.conflicts)
    refused = await rename(session, PLAYER, "middle", "secret")
    assert refused.conflicts[0].message == "Unity serializes 'secret' of 'Base' already"


async def test_a_script_that_a_tool_makes_is_not_edited(root: Path, session: Session) -> None:
    for mark in ("// <auto-generated>\n// By a tool.\n", "/* <auto-generated /> */\n"):
        (root / PLAYER).write_text(mark + SCRIPT, "utf-8")
        answer = await rename(session, PLAYER, "speed", "pace")
        assert codes(answer) == ["generated"]
        assert "Player.cs" in answer.conflicts[0].message


MANAGED = """using System;
using UnityEngine;
using UnityEngine.Scripting.APIUpdating;

namespace Demo
{
    public interface IBrain { }
    public class Holder : MonoBehaviour { [SerializeReference] IBrain brain; object F() => brain; }
    [Serializable] public class Chase : IBrain { [Serializable] public class Deep : IBrain { } }
    [MovedFrom(false, null, null, "Wander")]
    [Serializable] public class Roam : IBrain { }
    [MovedFrom("Before")]
    [Serializable] public class Rest : IBrain { }
}
"""


async def test_which_types_an_attribute_keeps(root: Path, session: Session) -> None:
    (root / PLAYER).write_text(MANAGED, "utf-8")
    chase = "    [Serializable] public class Chase"
    roam = '[MovedFrom(false, null, null, "Wander")]'
    rest = '[MovedFrom("Before")]'
    renames = {
        ("Chase", "Hunt"): (
            ["Chase"],
            MANAGED.replace(
                chase,
                '    [MovedFrom(false, null, null, "Chase")]\n    [Serializable] public class Hunt',
            ),
        ),
        # Unity reads the attribute of the type itself only: assets are rewritten.
        ("Deep", "Deeper"): ([], MANAGED.replace("Deep", "Deeper")),
        ("Roam", "Stray"): ([], MANAGED.replace("Roam", "Stray")),
        ("Roam", "Wander"): ([], MANAGED.replace(f"    {roam}\n", "").replace("Roam", "Wander")),
        ("Rest", "Sleep"): (
            [],
            MANAGED.replace(rest, '[MovedFrom(true, "Before", null, "Rest")]').replace(
                "class Rest", "class Sleep"
            ),
        ),
        ("Demo", "Game"): (
            ["Chase"],
            MANAGED.replace("Demo", "Game")
            .replace(chase, f'    [MovedFrom(false, "Demo", null, null)]\n{chase}')
            .replace(roam, '[MovedFrom(false, "Demo", null, "Wander")]'),
        ),
    }
    for (mark, new_name), (managed, text) in renames.items():
        answer = await rename(session, PLAYER, mark, new_name, attributes=True)
        assert codes(answer) == [], answer.conflicts
        assert [each.name for each in answer.symbol.managed] == managed, mark
        found = applied(root, answer)[PLAYER]
        assert found.split("\n") == text.split("\n"), mark
    code = await rename(session, PLAYER, "Chase", "Hunt")
    assert code.symbol.managed == []
