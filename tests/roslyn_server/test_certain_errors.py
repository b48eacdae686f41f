"""What no reference can cure is refused without any, and what one might cure is not.

docs/design/roslyn.md §3: on every toolchain that can be had here.
"""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import laid_out
import pytest
from laid_out import Layout
from lanes import is_drawn
from server_session import ServerOn, Session

from roslyn_server.compiler import hosting

pytestmark = pytest.mark.anyio

_SCRIPT = "Assets/A.cs"
_ERRORS = Path(hosting.__file__).with_name("csharp") / "texts" / "certain_errors.cs"
_FIXTURES = Path(__file__).parents[1] / "fixtures" / "agreement"

_ROW = re.compile(r'^\s*\["(CS\d{4})"\] = "(.+)",$', re.MULTILINE)
_CERTAIN = {id_ for id_, _ in _ROW.findall(_ERRORS.read_text(encoding="utf-8"))}
"""What the server refuses though it knows no references."""

_NEVER = {
    "a modifier twice": "class C { public public int a; }",
    "a method that lost void": "class C { private Awake() { } }",
    "var as a field": "class C { var a = 5; }",
    "an empty statement after a using": "using System;;\nclass C { }",
    "an expression that is no statement": "class C { void F() { - M(); } }",
    "a method after the last brace": "class C { }\nvoid M() { }",
    "a property without accessors": "class C { int a { } }",
    "a method without a body": "class C { void M(); }",
    "break outside a loop": "class C { void F() { break; } }",
    "break in a lambda": "class C { void F() { while (a) G(() => { break; }); } }",
    "a lambda that says what it returns": "class C { void F() { G(() => H(int () => 1)); } }",
    "a pointer sign in safe code": "class C { void F() { a->B(); } }",
    "two protection modifiers": "class C { public private int a; }",
    "a member of the name of its type": "class C { int C() { return 1; } }",
    "two locals of one name": "class C { void F() { var a = 1; var a = 2; } }",
    "a local of an outer name": "class C { void F() { var a = 1; if (b) { var a = 2; } } }",
    "await in what isn't async": "class C { void F() { await G(); } }",
    "this in a static method": "class C { int a; static int F() { return this.a; } }",
    "a missing return": "class C { int F(int a) { if (a > 1) return 2; } }",
    "return without a value": "class C { Foo F() { return; } }",
    "a value from void": "class C { void F() { return 1; } }",
    "a static class with a base": "static class C : Base { }",
    "a private virtual method": "class C { virtual void F() { } }",
    "an extension method in a class that isn't static": "class C { static void F(this int a) { } }",
    "a type twice": "class C { } class C { }",
    "an unknown alias": "class C { object F() { return core::Reset(); } }",
    "an assignment to a cast": "class C { void F() { (int)a = 1; } }",
    "a range where a number is": "class C { int a; void F() { a = 0..; } }",
    "nameof of an unbound type": "class C { object F() { return nameof(List<>); } }",
    "an index from the end of a list": (
        "using System.Collections.Generic;\nclass C { object a = new List<int> { [^1] = 3 }; }"
    ),
    "the suppression operator twice": "class C { void F() { G()!!; } }",
    "a text for a number": 'class C : Base { int a = "a"; }',
    "a number for a text": "class C { string F(Foo a) => 5; }",
    "a literal without its suffix": "class C { float speed = 1.5; }",
    "a number that is too large": "class C { void F() { byte a = 300; } }",
    "null for a number": "class C { int a { get { return null; } } }",
    "a number for a condition": "class C { void F(int a) { if (a) G(); } }",
    "a text less another": 'class C { void F(string a) { var b = a - "b"; } }',
    "a minus before a text": "class C { void F(string a) { G(-a); } }",
    "a cast of a text": "class C { void F(string a) { G((int)a); } }",
    "a half for a whole": "class C { void F(float a) { int b; b = a * 2; } }",
    "an interpolated text for a number": 'class C { void F(int b) { int c = $"{b}"; } }',
    "a local without a value": "class C { void F() { int a; int b = a + 1; } }",
    "a local that one branch assigns": (
        "class C { int F(Foo b) { int a; if (b.C()) a = 1; return a; } }"
    ),
    "an array without a value, passed on": "class C { void F() { int[] a; int b = G(a); } }",
    "an out parameter left out": "class C { void F(out int a, Foo b) { b.G(); } }",
    "a falling section": "class C { void F(int a) { switch (a) { case 1: G(); case 2: break; } } }",
    "a switch that returns in some cases": (
        "class C { int F(Foo a) { switch (a) { case Foo.A: return 1; case Foo.B: return 2; } } }"
    ),
    "a struct's field left out": "struct S { int a; int b; S(Foo c) { a = c.D; } }",
    "an assignment to a loop's variable": (
        "class C { void F(int[] a) { foreach (var b in a) b = 1; } }"
    ),
    "a local before its declaration": "class C { void F() { a = 5; int a = 1; } }",
    "an initializer from a field": "class C { int a; int b = a; }",
    "a constructor that calls itself": "class C { C() : this() { } }",
    "a static local function with a local": "class C { void F(int a) { static int G() => a; } }",
    "a static local function with this": "class C { int a; void F() { static int G() => a; } }",
    "this of a struct in a lambda": (
        "struct S { int a; void F() { System.Action b = () => a = 1; } }"
    ),
    "a pointer in safe code": "class C { int* a; void F() { int b; G(&b); } }",
    "a change of a struct's copy": (
        "struct S { public int A; } class C { S B { get; set; } void F() { B.A = 1; } }"
    ),
    "a lambda for var": "class C { void F() { var a = () => 1; } }",
    "an error directive": "#error Never\nclass C { }",
    # Newer C# that shows in what a text means.
    "fields left to be defaulted": "struct S { int a; public S(int b) { } }",
    "the field keyword": "class C { public int P { get => field; set { } } }",
    "an unsigned shift of what isn't known": "class C { object F() => Go() >>> 1; }",
}

_IN_F = (
    "using System.Collections.Generic;\n"
    "class C { Dictionary<string, string> e; void G(object a) { } void F(string a, Foo b) { "
)
_PERHAPS = {
    "an unknown name": "class C { int a = plyer.Health; }",
    "an error directive that a symbol excludes": "#if GAME_SDK\n#error No\n#endif\nclass C { }",
    "one that only the Editor has": "#if UNITY_EDITOR\n#error No\n#endif\nclass C { }",
    "a field of an unknown type": "struct S { Vector3 a; public S(float b) { a.x = b; } }",
    "a field that may be inherited": "class C : Base { public int P { get => field; } }",
    "a field in another part": "partial class C { public int P { get => field; } }",
    "a shift": "class C { object F() => Go() >> 1; }",
    "an unknown task": "class C { async Task F() { if (a) return; await G(); } }",
    "a constant that may be true": "class C { int F() { while (Forever) { } } }",
    "a constant of another type": "class C { int F() { if (Config.On) return 1; } }",
    "the static of another part": "partial class C { static void F(this int a) { } }",
    "a lambda that may return nothing": "class C { void F() { G(() => { return; }); } }",
    "an index from the end of what may have one": "class C { object a = new Foo { [^1] = 3 }; }",
    "break in a loop in a lambda": "class C { void F() { G(() => { while (a) break; }); } }",
    "a switch's break": "class C { void F() { switch (a) { case 1: break; } } }",
    "overloads of unknown types": "class C { void F(Foo a) { } void F(Bar a) { } }",
    "a member of an unknown base": "class C : Base { int F() { return Length; } }",
    "a conditional call": "class C { void F() { a?.b(); a?.b?.c(); } }",
    "a reference that is assigned to": "class C { void F() { (a ? ref b : ref c) = 1; } }",
    "a pointer sign in unsafe code": "unsafe class C { void F() { a->B(); } }",
    "a local of an unknown type": "class C { void F() { var a = B.C; int d = a; a = 5; } }",
    "a number for an unknown type": "class C { Foo a = 5; void F(Foo b) { b = 5; b = -b; } }",
    "a constant that fits": "class C { byte a = 200; long b = 5; double c = 1; object d = 5; }",
    "what a lambda returns": 'class C { int F() => G(() => { return "a"; }); }',
    "an async number": "class C { async Foo F() { return 5; } }",
    "a field of an outer name": "class C { int a; void F() { a = B; string c = B + a; } }",
    "operators of an unknown type": "class C { bool F(Foo a) => a == 5 && a - 1 > 2; }",
    "typeof an unbound type": "class C { object F() { return typeof(List<>); } }",
    "out of a call with an unknown argument": _IN_F
    + ("if (b.C(a) && e.TryGetValue(b.D(a), out var d)) G(d); } }"),
    "out behind unknown operands": _IN_F
    + (
        "if (!e.TryGetValue(a, out Foo? d) || d == null || !e.TryGetValue(a, out Foo? c)) return; "
        "G(c); } }"
    ),
    "a pattern of an unknown type": _IN_F + "if (b.Count > 0 && b[0] is Foo d) G(d); } }",
    "out of an unknown call": "class C { int F(Foo b) { int a; b.G(out a); return a; } }",
    "out behind what may be no condition": (
        "class C { int F(Foo b) { int c; if (b && G(out c)) return c; return 1; } "
        "bool G(out int a) { a = 1; return true; } }"
    ),
    "a constant that decides for a call": (
        "class C { int F() { int a; if (Foo.Never && G()) return a; return 1; } bool G() => true; }"
    ),
    "an unknown struct, piece by piece": (
        "class C { Foo F() { Foo a; a.x = 1; a.y = 2; return a; } }"
    ),
    "a struct without fields": "class C { int F() { Foo a; return a.B(); } }",
    "an out parameter without fields": "class C { string F(out Foo a) { return null; } }",
    "a call that symbols leave out": "class C { void F() { int a; Foo.Check(a); } }",
    "an address that is passed": "unsafe class C { int F() { int a; Foo.Set(&a); return a; } }",
    "what symbols leave out": "class C { int F() { int a;\n#if A\na = 1;\n#endif\nreturn a; } }",
    "a switch over truth": (
        "class C { int F(Foo a) { switch (a.b) { case true: return 1; case false: return 2; } } }"
    ),
    "a switch over types": "class C { int F(Foo a) { switch (a) { case Foo b: return 1; } } }",
    "a struct's field by out": "struct S { int a; S(Foo b) { b.C(out a); } }",
    "a struct's field of an unknown type": "struct S { Foo a; S(Foo b) { a.b = 1; } }",
    "this of a struct before its fields have values": (
        "struct S { Foo a; int b; bool D => a.E; S(Foo c) { a = c; b = F(D); } "
        "static int F(bool a) => 1; }"
    ),
    "a struct's constructor by way of another": (
        "struct S { int a; S(Foo b) { a = 1; } S(string b) : this(Foo.Get(b)) { } }"
    ),
    "a property of the name of a method of .NET's": (
        "using System;\nclass C { void F(Foo a) { a.Count++; } }"
    ),
    "a value of the name of a method of .NET's": (
        "using System;\nclass C { void F(Foo a) { var b = a.Count; } }"
    ),
    "a constructor of other parameters": (
        "class C { C(Foo a) { } C(Bar a, int b = 1) : this(new Bar()) { } }"
    ),
    "a constructor of a base of the same name": "class C<T> : C { C(int a) : base(a) { } }",
    "a struct of the name of a class of .NET's": (
        "using System;\nclass C { uint F() { Random a; a.state = 1; return a.Next(); } }"
    ),
    "a class of the name of a struct of .NET's": (
        "using System.Numerics;\nclass C { Vector3 A { get; } void F() { A.X = 1; } }"
    ),
    "a method of the name of one of .NET's with pointers": (
        "using System;\nclass C { void F() { Buffer.MemoryCopy(null, null, 1, 2); } }"
    ),
    "a value of the name of a method of .NET's, in a text": (
        'using System;\nclass C { string F(Foo a) { return $"{a.Count} x"; } }'
    ),
    "an overload that is nearer": (
        "struct S { void F() { System.Action b = () => G(1); } int G(int a, Foo b = null) => 1; "
        "static int G(long a) => 1; }"
    ),
    "a static method of the outer type": (
        "class B { }\nclass C { static bool D(Foo a) => true; class E : B { "
        "bool F(Foo a) { return G(a); static bool G(Foo a) { "
        "if (!D(a)) return false; return G(a.C(1)); } } } }"
    ),
    "a name that is its type's": (
        "class C { Foo Foo; int a = Foo.Bar; void F() { Bar Bar = Bar.None; "
        "static int G() => Foo.B; } }"
    ),
}
"""What is right if the names in it mean what they may."""


@pytest.mark.parametrize(
    "layout", ["Unity 2022 (4.1)", "Unity 6.5 (4.8)", "Unity 6.7 (5.9)"], indirect=True
)
async def test_without_references_all_is_judged_that_the_text_alone_tells(
    layout: Layout, server_on: ServerOn, tmp_path: Path, one_in: Callable[[int], int]
) -> None:
    root = laid_out.project(tmp_path / "project", layout.editor)
    examples = [each for each in _recorded() if is_drawn(f"{layout.name} {each}", one_in(4))]
    async with server_on(layout, root) as session:
        taken = [name for name, text in _NEVER.items() if not await session.ids(_SCRIPT, text)]
        refused = {
            name: ids
            for name, text in _PERHAPS.items()
            if (ids := await session.ids(_SCRIPT, text))
        }
        coverage = await session.coverage(_SCRIPT)
        wrongly_judged = [each async for each in _wrongly_judged(session, examples)]

    assert (taken, refused, wrongly_judged) == ([], {}, [])
    assert coverage.covers == ["brackets", "syntax"]
    assert [each.reason for each in coverage.notChecked] == ["no_references"]
    assert coverage.compiler == layout.compiler
    assert coverage.runtime.startswith(layout.runtime)


def _recorded() -> list[dict[str, Any]]:
    """The recorded edits: newer syntax above all."""
    return [
        example
        for name in ("newer_syntax", "structural", "regressions")
        for example in json.loads((_FIXTURES / f"{name}.json").read_text(encoding="utf-8"))
    ]


async def _wrongly_judged(
    session: Session, examples: list[dict[str, Any]]
) -> AsyncIterator[dict[str, Any]]:
    """Those whose verdict isn't the recorded one."""
    for example in examples:
        before = await session.ids(_SCRIPT, example["before"])
        after = await session.ids(_SCRIPT, example["after"])
        new = {each for each in after if after.count(each) > before.count(each)}
        is_refused = bool(new)
        # What the oracle took without having been asked about it.
        if example["roslyn"] == "valid" and new and new <= _CERTAIN:
            continue
        # "form": the oracle leaves open whether such an edit is to be refused.
        if example["roslyn"] != "form" and is_refused != (example["roslyn"] == "broken"):
            yield example


_OF_NAMES = {
    *("CS0103", "CS0115", "CS0117", "CS0118", "CS0119", "CS0120", "CS0122", "CS0234", "CS0246"),
    *("CS0305", "CS0308", "CS0311", "CS0314", "CS0411", "CS0426", "CS0428", "CS0534", "CS0535"),
    *("CS0538", "CS0540", "CS0641", "CS0738", "CS1061", "CS1501", "CS1503", "CS1579", "CS1662"),
    *("CS1729", "CS1929", "CS1955", "CS1983", "CS7036", "CS8130", "CS8183", "CS8338", "CS8716"),
}
"""What files that compile show when they are bound without their references."""


def test_every_certain_id_is_there_once_and_has_its_reason() -> None:
    source = _ERRORS.read_text(encoding="utf-8")
    rows = _ROW.findall(source)
    ids = [id_ for id_, _ in rows]
    assert len(ids) == source.count('["CS') == len(set(ids))
    assert _OF_NAMES.isdisjoint(ids)
    assert all(len(reason) > len("a b") for _, reason in rows)
