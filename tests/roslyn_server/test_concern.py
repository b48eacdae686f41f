"""Whom a changed declaration concerns, though they don't mention it.

docs/design/roslyn.md §3 "Other files". One server, kept warm; each case is two files that know each
other by way of a third, and a change of one that the other doesn't name.
"""

from __future__ import annotations

from pathlib import Path

import laid_out
import pytest
from server_session import ServerOn
from test_project_check import check, told

from roslyn_server.toolchains.pairing import Toolchain

pytestmark = pytest.mark.anyio

# Name: the changed file, before and after; the file between; the file that is concerned; its error.
CASES = {
    "a type that is a value now": (
        "class K1 { public int F; }",
        "struct K1 { public int F; }",
        "class M1 { public K1 P { get; set; } }",
        "class U1 { void A(M1 m) { m.P.F = 3; } }",
        "CS1612",
    ),
    "a base that is none any more": (
        "class B2 { public void Act() { } } class K2 : B2 { }",
        "class B2 { public void Act() { } } class K2 { }",
        "class M2 { public K2 P; }",
        "class U2 { void A(M2 m) { m.P.Act(); } }",
        "CS1061",
    ),
    "a constant of a constant": (
        "class K3 { public const int A = 100; }",
        "class K3 { public const int A = 1000; }",
        "class M3 { public const int B = K3.A; }",
        "class U3 { byte b = M3.B; }",
        "CS0031",
    ),
    "a delegate with another parameter": (
        "delegate void K4(int a);",
        "delegate void K4(int a, int b);",
        "class M4 { public event K4 E; public void R() => E(1); }".replace("E(1)", "E.ToString()"),
        "class U4 { void A(M4 m) { m.E += a => { }; } }",
        "CS1593",
    ),
    "an inherited member that an interface wants": (
        "class K5 { public void Act() { } }",
        "class K5 { public void Perform() { } }",
        "class M5 : K5 { } interface I5 { void Act(); }",
        "class U5 : M5, I5 { }",
        "CS0535",
    ),
    "a constructor": (
        "class K6 { }",
        "class K6 { public K6(int a) { } }",
        "class M6 { public K6 P; }",
        "class U6 { void A(M6 m) { m.P = new(); } }",
        "CS7036",
    ),
    "a using that gave a base its meaning": (
        "using System; interface K7 : IDisposable { }",
        "interface K7 : N7.IDisposable { } namespace N7 { interface IDisposable { void No(); } }",
        "interface M7 : K7 { }",
        "class U7 : M7 { public void Dispose() { } }",
        "CS0535",
    ),
    "only a using": (
        "using A8; class K8 { public T8 F; }",
        "using B8; class K8 { public T8 F; }",
        "namespace A8 { public class T8 { public int X; } } namespace B8 { public class T8 { } }",
        "class U8 { int A(K8 k) => k.F.X; }",
        "CS1061",
    ),
    "another name for a type": (
        "using T9 = System.String; class K9 { public T9 F; }",
        "using T9 = System.Object; class K9 { public T9 F; }",
        "class M9 { public K9 P; }",
        "class U9 { int A(M9 m) => m.P.F.Length; }",
        "CS1061",
    ),
}


async def test_whoever_is_concerned_is_judged_again(
    tmp_path: Path, roslyn_4_8: Toolchain, references: Path, server_on: ServerOn
) -> None:
    machine = laid_out.unity_6_5(tmp_path / "home", roslyn_4_8)
    root = laid_out.project(tmp_path / "project", machine.editor)
    # Of many files, few are bound again.
    scripts = {f"Assets/Other{number}.cs": f"class O{number} {{ }}\n" for number in range(40)}
    for number, (before, _, between, concerned, _) in enumerate(CASES.values(), 1):
        scripts[f"Assets/K{number}.cs"] = before + "\n"
        scripts[f"Assets/M{number}.cs"] = between + "\n"
        scripts[f"Assets/U{number}.cs"] = concerned + "\n"
    laid_out.built(root, references, scripts)
    async with server_on(machine, root) as session:
        assert told(await check(session)) == []
        for number, (name, (before, after, *_, id_)) in enumerate(CASES.items(), 1):
            file = root / f"Assets/K{number}.cs"
            file.write_text(after + "\n", "utf-8")
            changed = await check(session)
            found = {each[:2] for each in told(changed)}
            assert (name, found) == (name, {(id_, f"Assets/U{number}.cs")})
            assert (name, changed.boundAgain) == (name, "files")
            file.write_text(before + "\n", "utf-8")
            assert (name, told(await check(session))) == (name, [])

        # What the compiler calls by name concerns all.
        attribute = "namespace System.Runtime { class MineAttribute : Attribute { } }\n"
        (root / "Assets/Attribute.cs").write_text(attribute, "utf-8")
        assert (await check(session)).boundAgain == "assemblies"
