"""Symbol paths: which declarations a path means, what is no path, and what is near one."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from planning import document_of

from snippet_engine.csharp.declarations.path_segments import MAX_LENGTH, Segment, parse_symbol_path
from snippet_engine.csharp.declarations.symbol_path import SymbolPathProblem, nearest, resolve
from snippet_engine.csharp.declarations.symbols import SymbolKind, declarations
from snippet_engine.csharp.document import Document

PLAYER = """
namespace Game.Ui
{
    partial class Player : Base, IDamage
    {
        public Player() { }
        static Player() { }
        public Player(int x) { }
        ~Player() { }

        void Hit(int amount = 3) { }
        void Hit(ref int amount) { }
        void Hit(UnityEngine.Vector3 at, string? by, params object[] rest) { }
        T Get<T>(int x) => default;
        int Get(int x) => 1;
        void Put((int id, string name) pair, int? count, Nullable<float> f) { }

        void IDamage.Take(int x) { }
        void IList<int>.Add(int x) { }
        void IList<string>.Add(string x) { }
        void System.Collections.IEnumerable.Go() { }
        void Go() { }

        int this[int i] => 1;
        int this[string s] { get => 1; }
        int IList<int>.this[int i] => 1;

        int a, b = 2;
        int Health { get; set; }
        State state;
        event Action Died;
        event Action Born { add { } remove { } }

        public static Player operator +(Player a, Player b) => a;
        public static Player operator +(Player a) => a;
        public static bool operator <(Player a, Player b) => true;
        public static Player operator >>(Player a, int b) => a;
        public static bool operator true(Player a) => true;
        public static Player operator checked -(Player a) => a;
        public static implicit operator float(Player p) => 1;
        public static explicit operator (int, int)(Player p) => (1, 2);

        void Update() { void Local(int x) { } }
        void Update(int x) { void Local(int x) { } }

        enum State { Idle, Run }
        delegate void Handler(int x);
        class Inner { Inner() { } void Deep() { } }
        class @class { int @int; }
    }

    partial class Player { void Other() { } }
    class List { void Add() { } }
    class List<T> { void Add() { } void Remove() { } }
    class Pool<A> { }
    class Pool<A, B> { }
    record Named(int X);
}
class Player { void Jump() { } }
"""


def resolved(document: Document, symbol_path: str) -> list[str]:
    """The canonical paths that ``symbol_path`` means."""
    found = resolve(document, symbol_path)
    assert not isinstance(found, SymbolPathProblem), found
    return [one.path for one in found]


@pytest.fixture(scope="module")
def player() -> Document:
    return document_of(PLAYER)


P = "Game.Ui.Player"
LONG = "UnityEngine.Vector3,string?,object[]"


@pytest.mark.parametrize(
    ("symbol_path", "expected"),
    [
        # namespaces and types
        ("Game.Ui", ["Game.Ui"]),
        ("Ui", ["Game.Ui"]),
        ("Game.Ui.Player", [P, P]),
        ("global::Game.Ui.Player", [P, P]),
        ("Ui.Player", [P, P]),
        ("Player", ["Player"]),
        ("Inner", [f"{P}.Inner"]),
        ("Ui.Player.Inner.Deep", [f"{P}.Inner.Deep()"]),
        ("Named", ["Game.Ui.Named"]),
        ("State", [f"{P}.State"]),
        ("Handler", [f"{P}.Handler"]),
        ("Handler(int)", [f"{P}.Handler"]),
        ("@class", [f"{P}.class"]),
        ("@class.@int", [f"{P}.class.int"]),
        # generic types
        ("List", ["Game.Ui.List"]),
        ("List.Add", ["Game.Ui.List.Add()"]),
        ("List.Remove", ["Game.Ui.List<T>.Remove()"]),
        ("List<T>", ["Game.Ui.List<T>"]),
        ("List<Other>.Add", ["Game.Ui.List<T>.Add()"]),
        ("List<>", ["Game.Ui.List<T>"]),
        ("List`1", ["Game.Ui.List<T>"]),
        ("Pool", ["Game.Ui.Pool<A>", "Game.Ui.Pool<A,B>"]),
        ("Pool < X , Y >", ["Game.Ui.Pool<A,B>"]),
        ("Pool<,>", ["Game.Ui.Pool<A,B>"]),
        ("Pool`2", ["Game.Ui.Pool<A,B>"]),
        # methods
        ("Jump", ["Player.Jump()"]),
        ("Player.Other", [f"{P}.Other()"]),
        ("Hit", [f"{P}.Hit(int)", f"{P}.Hit(ref int)", f"{P}.Hit({LONG})"]),
        ("Hit(int)", [f"{P}.Hit(int)"]),
        ("Hit( int amount )", [f"{P}.Hit(int)"]),
        ("Hit(int amount = 3)", [f"{P}.Hit(int)"]),
        ("Hit(System.Int32)", [f"{P}.Hit(int)"]),
        ("Hit(Int32)", [f"{P}.Hit(int)"]),
        ("Hit(ref int)", [f"{P}.Hit(ref int)"]),
        ("Hit(ref System.Int32 amount)", [f"{P}.Hit(ref int)"]),
        ("Hit(out int)", []),
        ("Hit()", []),
        ("Hit(Vector3, string, object[])", [f"{P}.Hit({LONG})"]),
        (
            "Hit(UnityEngine.Vector3 at, string? by, params System.Object[] rest)",
            [f"{P}.Hit({LONG})"],
        ),
        (
            "Put((int, string), System.Nullable<int>, float?)",
            [f"{P}.Put((int,string),int?,Nullable<float>)"],
        ),
        ("Put((int x, string), int, float)", []),
        ("Get", [f"{P}.Get<T>(int)", f"{P}.Get(int)"]),
        ("Get(int)", [f"{P}.Get(int)"]),
        ("Get<T>", [f"{P}.Get<T>(int)"]),
        ("Get<Other>(int)", [f"{P}.Get<T>(int)"]),
        ("Get``1(System.Int32)", [f"{P}.Get<T>(int)"]),
        # constructors and destructors
        ("Ui.Player.Player", [f"{P}.Player()", f"{P}.Player(int)"]),
        ("Ui.Player.Player()", [f"{P}.Player()"]),
        ("Ui.Player..ctor", [f"{P}.Player()", f"{P}.Player(int)"]),
        ("Ui.Player..ctor(int)", [f"{P}.Player(int)"]),
        ("Ui.Player.#ctor(System.Int32)", [f"{P}.Player(int)"]),
        ("Ui.Player..cctor", [f"{P}..cctor()"]),
        (".cctor", [f"{P}..cctor()"]),
        ("Inner.Inner", [f"{P}.Inner.Inner()"]),
        ("Inner()", [f"{P}.Inner.Inner()"]),
        ("Player.~Player", [f"{P}.~Player()"]),
        ("~ Player()", [f"{P}.~Player()"]),
        # explicit interface implementations
        ("Player.IDamage.Take(int)", [f"{P}.IDamage.Take(int)"]),
        ("IDamage.Take", [f"{P}.IDamage.Take(int)"]),
        ("Player.Take", [f"{P}.IDamage.Take(int)"]),
        ("Take(int)", [f"{P}.IDamage.Take(int)"]),
        ("Player.IList<int>.Add", [f"{P}.IList<int>.Add(int)"]),
        ("Player.IList<System.Int32>.Add", [f"{P}.IList<int>.Add(int)"]),
        ("Player.IList<float>.Add", []),
        ("Player.IList.Add", [f"{P}.IList<int>.Add(int)", f"{P}.IList<string>.Add(string)"]),
        ("IEnumerable.Go", [f"{P}.System.Collections.IEnumerable.Go()"]),
        ("Player.Collections.IEnumerable.Go()", [f"{P}.System.Collections.IEnumerable.Go()"]),
        ("Player.Go", [f"{P}.Go()"]),
        # properties, indexers, fields, events
        ("Player.Health", [f"{P}.Health"]),
        ("Health.set", [f"{P}.Health.set"]),
        ("Born.remove", [f"{P}.Born.remove"]),
        ("Died", [f"{P}.Died"]),
        ("Player.this[int]", [f"{P}.this[int]"]),
        ("Player.this[ System.String key ]", [f"{P}.this[string]"]),
        ("Player.this", [f"{P}.this[int]", f"{P}.this[string]"]),
        ("Player.Item(string)", [f"{P}.this[string]"]),
        ("IList<int>.this", [f"{P}.IList<int>.this[int]"]),
        ("this[string].get", [f"{P}.this[string].get"]),
        ("a", [f"{P}.a"]),
        ("Player.b", [f"{P}.b"]),
        ("state", [f"{P}.state"]),
        ("State.Idle", [f"{P}.State.Idle"]),
        # operators
        ("Player.operator +", [f"{P}.operator +(Player,Player)", f"{P}.operator +(Player)"]),
        ("Player.operator+(Player, Player)", [f"{P}.operator +(Player,Player)"]),
        ("op_Addition", [f"{P}.operator +(Player,Player)"]),
        ("op_UnaryPlus(Player)", [f"{P}.operator +(Player)"]),
        ("operator <", [f"{P}.operator <(Player,Player)"]),
        ("operator >> (Player,int)", [f"{P}.operator >>(Player,int)"]),
        ("operator true", [f"{P}.operator true(Player)"]),
        ("operator  checked-", [f"{P}.operator checked -(Player)"]),
        ("implicit operator float", [f"{P}.implicit operator float(Player)"]),
        ("implicit  operator System.Single (Player)", [f"{P}.implicit operator float(Player)"]),
        ("explicit operator float", []),
        ("explicit operator (int a, int b)(Player)", [f"{P}.explicit operator (int,int)(Player)"]),
        ("op_Implicit", [f"{P}.implicit operator float(Player)"]),
        # local functions
        ("Update.Local", [f"{P}.Update().Local(int)", f"{P}.Update(int).Local(int)"]),
        ("Player.Update().Local", [f"{P}.Update().Local(int)"]),
        ("Update(int).Local(int)", [f"{P}.Update(int).Local(int)"]),
        # not there
        ("Enemy", []),
        ("player", []),
        ("Enemy.Jump", []),
        ("Game.Player.Jump", []),
        ("Health.init", []),
        ("Health()", []),
        ("operator", []),
    ],
)
def test_a_path_means(player: Document, symbol_path: str, expected: list[str]) -> None:
    assert resolved(player, symbol_path) == expected


@pytest.mark.parametrize(
    ("symbol_path", "offset"),
    [
        ("", 0),
        ("  ", 0),
        (".", 0),
        ("..", 0),
        ("A.", 2),
        ("A..B", 2),
        ("Foo(", 3),
        ("Foo(int", 3),
        ("Foo(int))", 8),
        ("Foo(int,,)", 3),
        ("Foo([)]", 3),
        ("A<B", 1),
        ("A<B>>", 4),
        ("A<B(>", 1),
        ("A)", 1),
        ("a b", 2),
        ("void Foo()", 5),
        ("A::B", 1),
        ("A`", 1),
        ("1A", 0),
        ("A.implicit operator", 2),
        ("A.implicit operator (", 2),
        ("A" * (MAX_LENGTH + 1), MAX_LENGTH),
    ],
)
def test_what_is_no_path(player: Document, symbol_path: str, offset: int) -> None:
    problem = resolve(player, symbol_path)
    assert isinstance(problem, SymbolPathProblem)
    assert problem.message.startswith("symbolPath ")
    parsed = parse_symbol_path(symbol_path)
    assert isinstance(parsed, SymbolPathProblem)
    assert parsed.offset == offset


def test_segments() -> None:
    assert parse_symbol_path(" global::A . B<T,U> . this[ int i ].get ") == (
        Segment("A"),
        Segment("B", ("T", "U")),
        Segment("this", None, ("int",)),
        Segment("get"),
    )
    assert parse_symbol_path("M(string s = \")\", char c = ')')") == (
        Segment("M", None, ("string", "char")),
    )


def test_every_canonical_path_means_its_own_declaration(player: Document) -> None:
    for one in declarations(player):
        same = [other for other in declarations(player) if other.path == one.path]
        assert len(same) == (2 if one.path == P else 1)
        for spelling in (one.path, f" {one.path}", one.path.replace(",", " , ")):
            assert resolve(player, spelling) == same
        if one.path.startswith("Game.Ui.") and not one.path.startswith("Game.Ui.Player"):
            assert resolve(player, one.path.removeprefix("Game.Ui.")) == same


def test_alternative_branches_are_places_of_one_path() -> None:
    document = document_of(
        "class C {\n#if UNITY_EDITOR\nvoid M() { }\n#else\nvoid M() { }\n#endif\n}"
    )
    assert resolved(document, "C.M") == ["C.M()", "C.M()"]


def test_a_member_of_a_type_that_two_branches_name_is_one_place() -> None:
    document = document_of(
        "#if UNITY_EDITOR\nclass C\n#else\nclass D\n#endif\n{ void M() { } void N() { } }\n"
    )
    assert resolved(document, "M") == ["C.M()"]
    assert resolved(document, "D.M") == ["D.M()"]


def test_unreadable_parameters_still_give_a_path() -> None:
    document = document_of("class C { void M(int a b, ) { } void N() { } }")
    for one in declarations(document):
        assert resolve(document, one.path) == [one]


@pytest.mark.parametrize(
    ("symbol_path", "first"),
    [
        ("Game.Ui.Player.Hut(int)", f"{P}.Hit(int)"),
        ("Game.Ui.Player.hit(ref int)", f"{P}.Hit(ref int)"),
        ("Enemy.Jump()", "Player.Jump()"),
        ("Player::Jump", "Player.Jump()"),
        ("void Jump(", "Player.Jump()"),
        ("Inner.Missing", f"{P}.Inner"),
        ("Player.Pools", "Game.Ui.Pool<A>"),
    ],
)
def test_nearest_paths(player: Document, symbol_path: str, first: str) -> None:
    found = nearest(player, symbol_path)
    assert found[0] == first
    assert len(found) == len(set(found)) == 5


def test_the_constructors_are_nearer_than_their_class() -> None:
    document = document_of("namespace N { class C { C() { } C(int a) { } void M() { } } }")
    assert sorted(nearest(document, "N.C.C(string)", limit=2)) == ["N.C.C()", "N.C.C(int)"]
    assert nearest(document, "N.C.Missing")[0] == "N.C"


def test_nearest_paths_to_nothing_are_types(player: Document) -> None:
    kinds = {one.path: one.kind for one in declarations(player)}
    found = nearest(player, "%§", limit=3)
    assert [kinds[path] for path in found] == [
        *(SymbolKind.CLASS, SymbolKind.ENUM, SymbolKind.DELEGATE)
    ]
    assert nearest(document_of(""), "Player") == []


PIECES = [
    *("A", "List", "Hit", "Player", "this", "operator", "implicit", "explicit", "checked"),
    "global::",
    *(".", "..", "(", ")", "<", ">", "[", "]", ",", "`1", "int", "ref ", "=", '"', "'", "@", "~"),
    *("+", "<<", "ctor", "#", " ", "/*", "*/", "//", "delegate*", "::", "é", "\n", "{", "}"),
]


@settings(max_examples=150)
@given(st.lists(st.sampled_from(PIECES), max_size=25).map("".join) | st.text(max_size=30))
def test_any_text_is_a_path_or_a_problem(text: str) -> None:
    found = resolve(DOCUMENT, text)
    assert isinstance(found, SymbolPathProblem | list)
    for path in nearest(DOCUMENT, text):
        assert resolved(DOCUMENT, path)


DOCUMENT = document_of(PLAYER)
