from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from planning import document_of, on_symbol, place_of, plan_of, unresolved
from sent_back import check_offers

from snippet_engine.csharp.declarations.symbols import declarations
from snippet_engine.errors import ErrorCode, SnippetError

GAME = """namespace Game.Core
{
    /// <summary>A player.</summary>
    [Serializable]
    public partial class Player : Base, IDamage
    {
        public const int Max = 10, Min = 1;
        private int health = 5;
        public event Action Died, Left;
        public event Action Moved { add { } remove { } }
        public Player() { }
        public Player(int health) { this.health = health; }
        static Player() { }
        ~Player() { }
        public int Health { get => health; private set => health = value; }
        public int this[int index] => index;
        public static Player operator +(Player a, Player b) => a;
        public static implicit operator int(Player p) => p.health;
        void IDamage.Take(int amount) { }

        /// <summary>Hurts.</summary>
        [Obsolete]
        public void Take(int amount)
        {
            int Half(int value) { return value / 2; }
            health -= Half(amount);
        }

        public void Take(int amount, string why) { health -= amount; }

        public T Get<T>(T seed) { return seed; }
        public T Get<T, U>(T seed) { return seed; }
        class Inner { class Deep { int x; } }
    }

    public partial class Player
    {
        int more = 1;
    }

    enum State { Idle, Running = 2 }
    delegate void Hurt(int amount);
    record Point(int X, int Y);
    struct Box<T> { T value; }
    struct Box { int value; }
    interface IDamage { void Take(int amount); }
}
"""


def text_at(path: str, text: str = GAME, **anchor: Any) -> str:
    place = place_of(text, on_symbol(path, "delete", **anchor))
    return text[place.start : place.end]


@pytest.mark.parametrize(
    ("path", "standing"),
    [
        ("Game.Core.Player.health", "private int health = 5;"),
        ("Player.Max", "Max = 10"),
        ("Player.Min", "Min = 1"),
        ("Player.Left", "Left"),
        ("Player.Moved", "public event Action Moved { add { } remove { } }"),
        ("Player.Moved.add", "add { }"),
        ("Player.Player()", "public Player() { }"),
        ("Player.Player(int)", "public Player(int health) { this.health = health; }"),
        ("Player..ctor(int)", "public Player(int health) { this.health = health; }"),
        ("Player..cctor()", "static Player() { }"),
        ("Player.~Player", "~Player() { }"),
        ("Health", "public int Health { get => health; private set => health = value; }"),
        ("Player.Health.set", "private set => health = value;"),
        ("Player.this[int]", "public int this[int index] => index;"),
        ("Player.Item", "public int this[int index] => index;"),
        ("Player.operator +", "public static Player operator +(Player a, Player b) => a;"),
        (
            "Player.implicit operator int(Player)",
            "public static implicit operator int(Player p) => p.health;",
        ),
        ("Player.IDamage.Take(int)", "void IDamage.Take(int amount) { }"),
        (
            "Player.Take(int, string)",
            "public void Take(int amount, string why) { health -= amount; }",
        ),
        ("Player.Take(int).Half", "int Half(int value) { return value / 2; }"),
        ("Player.Get<T>", "public T Get<T>(T seed) { return seed; }"),
        ("Player.Get`2", "public T Get<T, U>(T seed) { return seed; }"),
        ("Player.Inner.Deep.x", "int x;"),
        ("Inner.Deep", "class Deep { int x; }"),
        ("more", "int more = 1;"),
        ("State.Running", "Running = 2"),
        ("Game.Core.State", "enum State { Idle, Running = 2 }"),
        ("Hurt", "delegate void Hurt(int amount);"),
        ("Point", "record Point(int X, int Y);"),
        ("Box<T>", "struct Box<T> { T value; }"),
        ("Box`1", "struct Box<T> { T value; }"),
        ("Box", "struct Box { int value; }"),
        ("Box<T>.value", "T value;"),
        ("IDamage.Take", "void Take(int amount);"),
    ],
)
def test_every_kind_of_symbol_can_be_named(path: str, standing: str) -> None:
    assert text_at(path) == standing


def test_attributes_and_documentation_belong_to_a_symbol() -> None:
    standing = text_at("Player.Take(int)")
    assert standing.startswith("/// <summary>Hurts.</summary>\n        [Obsolete]\n")
    assert standing.endswith("health -= Half(amount);\n        }")


def test_with_a_target_the_search_is_limited_to_the_symbol() -> None:
    place = place_of(GAME, on_symbol("Player.Take(int)", "delete", target="amount)", before="("))
    assert GAME[: place.start].endswith("health -= Half(")
    assert text_at("Inner.Deep", target="x") == "x"
    assert text_at("State", target="Idle") == "Idle"


def test_a_target_may_stand_in_any_part_of_a_partial_type() -> None:
    assert text_at("Player", target="more = 1") == "more = 1"
    assert text_at("Player", target="~Player()") == "~Player()"


def test_a_file_scoped_namespace_holds_what_follows() -> None:
    text = "namespace Game;\n\nclass A { int x; }\n"
    assert text_at("Game", text, target="int x;") == "int x;"
    assert text_at("Game.A.x", text) == "int x;"
    assert text_at("Game", text) == "namespace Game;"


def test_an_overloaded_name_is_ambiguous() -> None:
    instruction = on_symbol("Player.Take", "insert", "x();", position="body_start")
    error = unresolved(GAME, instruction)
    assert error.code is ErrorCode.AMBIGUOUS_ANCHOR
    assert [each["symbol"] for each in error.details["candidates"]] == [
        "Game.Core.Player.Take(int)",
        "Game.Core.Player.Take(int,string)",
    ]
    assert all(each["anchor"]["position"] == "body_start" for each in error.details["candidates"])
    assert check_offers(GAME, instruction, error) == 2


def test_a_target_in_an_overloaded_name_is_offered_where_it_stands() -> None:
    instruction = on_symbol("Player.Take", "replace", "hp", target="health -= ")
    error = unresolved(GAME, instruction)
    assert error.code is ErrorCode.AMBIGUOUS_ANCHOR
    assert [each["line"] for each in error.details["candidates"]] == [26, 29]
    assert check_offers(GAME, instruction, error) == 2

    instruction = on_symbol("Player.Take", "replace", "reason", target="why")
    error = unresolved(GAME, instruction)
    assert [each["line"] for each in error.details["candidates"]] == [29]
    assert check_offers(GAME, instruction, error) == 1

    instruction = on_symbol("Player.Take", "replace", "n", target="amount")
    error = unresolved(GAME, instruction)
    assert [each["line"] for each in error.details["candidates"]] == [23, 26, 29, 29]
    assert check_offers(GAME, instruction, error) == 4


def test_a_target_in_none_of_the_overloads_is_not_found() -> None:
    instruction = on_symbol("Player.Take", "replace", "x", target="healt -= ")
    error = unresolved(GAME, instruction)
    assert error.code is ErrorCode.ANCHOR_NOT_FOUND
    assert check_offers(GAME, instruction, error)


def test_parts_of_a_partial_type_are_told_apart_by_context() -> None:
    instruction = on_symbol("Player", "delete")
    error = unresolved(GAME, instruction)
    assert error.code is ErrorCode.AMBIGUOUS_ANCHOR
    assert "is declared in 2 places" in error.message
    assert check_offers(GAME, instruction, error) == 2
    anchor = error.details["candidates"][1]["anchor"]
    place = place_of(GAME, {**instruction, "anchor": anchor})
    assert GAME[place.start :].startswith("public partial class Player\n")


def test_context_that_does_not_fit_the_symbol() -> None:
    instruction = on_symbol("Player.health", "delete", before="int Max = 10;")
    error = unresolved(GAME, instruction)
    assert error.code is ErrorCode.ANCHOR_NOT_FOUND
    assert "is declared at line 8" in error.message
    assert error.details["nearest"][0]["differs"] == ["the before or after context"]
    assert check_offers(GAME, instruction, error) == 1
    assert text_at("Player.health", before="Min = 1;", after="public event Action Died")


@pytest.mark.parametrize(
    ("path", "meant"),
    [
        ("Player.Tke(int)", "Game.Core.Player.Take(int)"),
        ("Game.Core.Player.health2", "Game.Core.Player.health"),
        ("Playr", "Game.Core.Player"),
        ("player.HEALTH", "Game.Core.Player.Health"),
    ],
)
def test_a_symbol_that_is_not_there(path: str, meant: str) -> None:
    instruction = on_symbol(path, "delete")
    error = unresolved(GAME, instruction)
    assert error.code is ErrorCode.SYMBOL_NOT_FOUND
    assert meant in [each["symbolPath"] for each in error.details["nearest"]]
    assert meant in error.message
    check_offers(GAME, instruction, error)


def test_only_anchors_that_resolve_are_offered_for_a_missing_symbol() -> None:
    instruction = on_symbol("Player.Tke(int)", "replace", "hp", target="Half(amount)")
    error = unresolved(GAME, instruction)
    nearest = {each["symbolPath"]: each for each in error.details["nearest"]}
    assert "anchor" in nearest["Game.Core.Player.Take(int)"]
    assert "anchor" not in nearest["Game.Core.Player.Take(int,string)"]
    assert check_offers(GAME, instruction, error) >= 1


@pytest.mark.parametrize("path", ["Mixed.C", "Outer.Mixed.C", "Mixed.C(int)", "Mixed.IOther.C"])
def test_what_holds_a_symbol_is_not_offered_to_go_in_its_place(path: str) -> None:
    text = "class Outer { class Mixed { int A; int B; } }"
    for instruction in (on_symbol(path, "delete"), on_symbol(path, "replace", "int D;")):
        error = unresolved(text, instruction)
        ready = [each["symbolPath"] for each in error.details["nearest"] if "anchor" in each]
        assert not {"Outer", "Outer.Mixed"} & set(ready)
        assert {"Outer.Mixed.A", "Outer.Mixed.B"} <= set(ready)
        assert "Nearest: Outer.Mixed.A" in error.message
    beside = on_symbol(path, "insert", "int D;", position="line_after")
    nearest = unresolved(text, beside).details["nearest"]
    assert "Outer.Mixed" in [each["symbolPath"] for each in nearest if "anchor" in each]


@pytest.mark.parametrize(
    "path", ["", " ", "Player.", "Player.Take(", "Box<", "a b", "Player..", "(", "\n", "x" * 500]
)
def test_text_that_is_no_symbol_path(path: str) -> None:
    if not path:
        return
    error = unresolved(GAME, on_symbol(path, "delete"))
    assert error.code is ErrorCode.SYMBOL_NOT_FOUND
    assert len(error.message) <= 200


def test_long_paths_leave_room_for_the_advice() -> None:
    error = unresolved(GAME, on_symbol("Game.Core.Player." + "Tak" * 200, "delete"))
    assert "Game.Core.Player" in error.message
    name = "LongName" * 30
    text = f"class {name} {{ void M(int a) {{ }} void M() {{ }} }}"
    error = unresolved(text, on_symbol(f"{name}.M", "delete"))
    assert "Send the whole path" in error.message


DECLARATIONS = st.lists(
    st.sampled_from(
        [
            "class A { void M() { } void M(int a) { } }",
            "partial class A { int f; }",
            "class A<T> { T f; }",
            "namespace N { class A { int f, g; } }",
            "enum E { X, Y }",
            "struct S { int this[int i] => i; public static S operator -(S s) => s; }",
            "class A { class A2 { void M() { void L() { } } } }",
            "#if X\nclass B { void M() { } }\n#else\nclass B { void M() { } }\n#endif",
            "void M() { }",
            "class {",
        ]
    ),
    max_size=5,
).map("\n".join)
PATHS = st.sampled_from(
    ["A", "A.M", "M", "A.f", "f", "N.A", "E.X", "S.this", "A.A2.M.L", "L", "B.M", "B", "N", "A.Q"]
)


@given(DECLARATIONS, PATHS, st.sampled_from([None, "int", "f", "M()", "{ }", "q"]))
def test_every_offered_symbol_anchor_resolves(text: str, path: str, target: str | None) -> None:
    anchor = {} if target is None else {"target": target}
    instruction = on_symbol(path, "delete", **anchor)
    plan = plan_of(text, instruction)
    if isinstance(plan, SnippetError):
        check_offers(text, instruction, plan)


@given(DECLARATIONS)
def test_every_canonical_path_means_its_own_declarations(text: str) -> None:
    every = declarations(document_of(text))
    for one in every:
        twins = [other.full for other in every if other.path == one.path]
        instruction = on_symbol(one.path, "delete")
        if len(twins) == 1:
            assert place_of(text, instruction) == one.full
        else:
            error = unresolved(text, instruction)
            assert error.code is ErrorCode.AMBIGUOUS_ANCHOR
            assert len(error.details["candidates"]) == len(twins)
            check_offers(text, instruction, error)
