"""Renames that are proved, asked of a real server process."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from laid_out import Layout
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from server_session import ServerOn, Session
from test_references import CORE, GAME, place, project

from roslyn_server.protocol import RENAME_REQUEST

pytestmark = [pytest.mark.anyio, pytest.mark.shares_server]


async def rename(
    session: Session, script: str, mark: str, new_name: str, nth: int = 0, **more: bool
) -> Any:
    """The rename of what stands at the nth ``mark`` of a script."""
    params = {**place(session, script, mark, nth), "newName": new_name, **more}
    return await session.client.protocol.send_request_async(RENAME_REQUEST, params)


def applied(root: Path, answer: Any) -> dict[str, str]:
    """The texts after a rename, by script."""
    texts = {}
    for file in answer.edits:
        lines = (root / file.path).read_text("utf-8").splitlines(keepends=True)
        starts = [0]
        for line in lines:
            starts.append(starts[-1] + len(line))
        text = "".join(lines)
        for edit in reversed(file.edits):
            start = starts[edit.line] + edit.character
            end = starts[edit.endLine] + edit.endCharacter
            text = text[:start] + edit.newText + text[end:]
        texts[file.path] = text
    return texts


def codes(answer: Any) -> list[str]:
    return [each.code for each in answer.conflicts]


async def test_a_method_is_renamed_in_two_assemblies(
    new_root: Path, machine: Layout, references: Path, server_on: ServerOn
) -> None:
    core = "public class Clock {\n  public int Tick() => 1;\n  int Twice() => Tick();\n}\n"
    game = "class Game {\n  int Of(Clock clock) => clock.Tick();\n  int Tick() => 2; // Tick\n}\n"
    root = project(new_root, machine, references, core, game)
    async with server_on(machine, root) as session:
        answer = await rename(session, CORE, "Tick", "Beat")
        assert (codes(answer), answer.complete) == ([], True)
        assert answer.proved.assemblies == ["Core", "Game"]
        assert applied(root, answer) == {
            CORE: core.replace("Tick", "Beat"),
            GAME: game.replace("clock.Tick", "clock.Beat"),
        }


async def test_a_native_function_with_its_own_name(
    new_root: Path, machine: Layout, references: Path, server_on: ServerOn
) -> None:
    core = (
        "using System.Runtime.InteropServices;\nclass A {\n"
        '  [DllImport("fast", EntryPoint = "Add")] static extern int Add(int a);\n}\n'
    )
    root = project(new_root, machine, references, core, "class Game { }\n")
    async with server_on(machine, root) as session:
        answer = await rename(session, CORE, "Add(int", "Sum")
        assert (codes(answer), answer.complete) == ([], True)
        assert applied(root, answer) == {CORE: core.replace("Add(int", "Sum(int")}


async def test_a_local_is_told_from_what_has_its_name(
    new_root: Path, machine: Layout, references: Path, server_on: ServerOn
) -> None:
    core = "class A { int F(string player) { int other = 1; return other + player.Length; } }\n"
    root = project(new_root, machine, references, core, "class Game { }\n")
    async with server_on(machine, root) as session:
        answer = await rename(session, CORE, "other =", "player")
    said = [each.message for each in answer.conflicts]
    assert "'player' would mean the local 'player' instead of 'string player'" in said


CONFLICTS = {
    "name exists": ("class A { int a, b; int S() => a + b; }", "a,", "b", "name_exists"),
    "method exists": ("class A { void F(int a) { } void G(int b) { } }", "F", "G", "name_exists"),
    "nested type exists": ("class A { class B { } int a; }", "a;", "B", "name_exists"),
    "not a name": ("class A { int a; }", "a;", "1a", "not_an_identifier"),
    "the same": ("class A { int a; }", "a;", "a", "same_name"),
    "a library's": (
        'class A { public override string ToString() => ""; }',
        "ToString",
        "Text",
        "library_member",
    ),
    "overloads": (
        'class A { void F(object o) { } void G(string s) { } void H() => F(""); }',
        "G",
        "F",
        "meaning_changed",
    ),
    "captured": (
        "class A { int a; int F(int b) => ((System.Func<int, int>)(c => b + c))(a); }",
        "c =>",
        "b",
        "meaning_changed",
    ),
    "an extension loses": (
        "static class E { public static int F(this A a) => 1; }"
        " class A { public int G() => 2; int H() => this.F(); }",
        "G",
        "F",
        "meaning_changed",
    ),
    "a native function": (
        'class A { [System.Runtime.InteropServices.DllImport("fast")]'
        " static extern int Add(int a); }",
        "Add",
        "Sum",
        "native_name",
    ),
    "hides": ("class B { public int b; } class A : B { int a; }", "a;", "b", "hides"),
    "is hidden": ("class B { public int b; } class A : B { int a; }", "b;", "a", "hides"),
    "type exists": ("class A { } class B { }", "A", "B", "name_exists"),
    "foreach": (
        "class A { public System.Collections.Generic.List<int>.Enumerator GetEnumerator()"
        " => default; void F() { foreach (var each in this) { } } }",
        "GetEnumerator",
        "Each",
        "meaning_changed",
    ),
    "foreach by another": (
        "using System.Collections; using System.Collections.Generic;"
        " class A : IEnumerable<int> { IEnumerator IEnumerable.GetEnumerator() => null;"
        " IEnumerator<int> IEnumerable<int>.GetEnumerator() => null;"
        " public List<int>.Enumerator Each() => default;"
        " void F() { foreach (var each in this) { } } }",
        "Each",
        "GetEnumerator",
        "meaning_changed",
    ),
    "a list's elements": (
        "using System.Collections; class A : IEnumerable {"
        " IEnumerator IEnumerable.GetEnumerator() => null;"
        " public void Add(object o) { } public void Put(string s) { }"
        ' A F() => new A { "a" }; }',
        "Put",
        "Add",
        "meaning_changed",
    ),
    "deconstructed": (
        "static class E { public static void Deconstruct(this A a, out int b, out int c)"
        " => b = c = 1; } class A { public void Split(out int b, out int c) => b = c = 2;"
        " int F() { var (b, c) = this; return b + c; } }",
        "Split",
        "Deconstruct",
        "meaning_changed",
    ),
    "a query": (
        "using System.Linq; using System.Collections.Generic;"
        " class A : List<int> { public IEnumerable<int> Each(System.Func<int, int> f) => null;"
        " object F() => from each in this select each + 1; }",
        "Each",
        "Select",
        "meaning_changed",
    ),
    "counted from the end": (
        "class A { int Length => 3; int this[int at] => at; int F() => this[^1]; }",
        "Length",
        "Size",
        "new_error",
    ),
    "under other symbols": (
        "class A { void F(int a) { }\n#if PLAYER\nvoid G(int b) { }\n#endif\n}",
        "F",
        "G",
        "new_error",
    ),
    "a local under other symbols": (
        "class A { void F() { int a = 1;\n#if PLAYER\n{ int b = 2; }\n#endif\n} }",
        "a =",
        "b",
        "new_error",
    ),
    "implements instead of the default": (
        "interface I { void G() { } } class A : I { public void F() { } }",
        "F()",
        "G",
        "implements",
    ),
    "implements instead of the base": (
        "interface I { void G(); } class B : I { void I.G() { } }"
        " class A : B, I { public void F() { } }",
        "F()",
        "G",
        "implements",
    ),
    "an heir implements": (
        "interface I { void G() { } } class A { public void F() { } } class B : A, I { }",
        "F()",
        "G",
        "implements",
    ),
    "awaited": (
        "using System.Runtime.CompilerServices; static class E {"
        " public static TaskAwaiter GetAwaiter(this A a) => default; }"
        " class A { public TaskAwaiter Wait() => default;"
        " async void F() => await this; }",
        "Wait",
        "GetAwaiter",
        "meaning_changed",
    ),
}

RENAMED = {
    "keyword": (
        "class A { int a; int F() => a; }",
        "a;",
        "class",
        "class A { int @class; int F() => @class; }",
    ),
    "this": (
        "class A { int a; A(int b) { a = b; } }",
        "a;",
        "b",
        "class A { int b; A(int b) { this.b = b; } }",
    ),
    "this of another": (
        "class A { int b; A(int a) { b = a; } }",
        "a)",
        "b",
        "class A { int b; A(int b) { this.b = b; } }",
    ),
    "static": (
        "class A { static int a; static int F(int b) => a + b; }",
        "a;",
        "b",
        "class A { static int b; static int F(int b) => A.b + b; }",
    ),
    "attribute": (
        "[Old] class A { } [OldAttribute] class OldAttribute : System.Attribute { }",
        "OldAttribute :",
        "NewAttribute",
        "[New] class A { } [NewAttribute] class NewAttribute : System.Attribute { }",
    ),
    "attribute's suffix": (
        "[Old] class A { } class OldAttribute : System.Attribute { }",
        "OldAttribute",
        "Fresh",
        "[Fresh] class A { } class Fresh : System.Attribute { }",
    ),
    "constructor": (
        "class A { public A() { } ~A() { } A F() => new A(); }",
        "A()",
        "B",
        "class B { public B() { } ~B() { } B F() => new B(); }",
    ),
    "anonymous": (
        "class A { int a; int F() { var t = new { this.a }; return t.a; } }",
        "a;",
        "b",
        "class A { int b; int F() { var t = new { a = this.b }; return t.a; } }",
    ),
    "tuple": (
        "class A { int a; int F() { var t = (a, 1); return t.a; } }",
        "a;",
        "b",
        "class A { int b; int F() { var t = (a: b, 1); return t.a; } }",
    ),
    "documentation": (
        '/// <see cref="A.F(int)"/> and <see cref="F"/>\nclass A { void F(int a) { } }',
        "F(int a)",
        "G",
        '/// <see cref="A.G(int)"/> and <see cref="G"/>\nclass A { void G(int a) { } }',
    ),
    "parameter": (
        'class A { /// <param name="a"/>\nvoid F(int a) { } void G() => F(a: 1); }',
        "a) {",
        "b",
        'class A { /// <param name="b"/>\nvoid F(int b) { } void G() => F(b: 1); }',
    ),
    "branches": (
        "class A {\n#if UNITY_EDITOR\nvoid F() { }\n#else\nvoid F() { }\n#endif\n"
        "void G() => F(); }",
        "F()",
        "H",
        "class A {\n#if UNITY_EDITOR\nvoid H() { }\n#else\nvoid H() { }\n#endif\n"
        "void G() => H(); }",
    ),
    "one of two branches": (
        "#if UNITY_EDITOR\nclass A { }\n#else\nclass B { }\n#endif",
        "A {",
        "B",
        "#if UNITY_EDITOR\nclass B { }\n#else\nclass B { }\n#endif",
    ),
    "query": (
        "class A { int[] F(int[] a) => System.Linq.Enumerable.ToArray("
        "System.Linq.Enumerable.Select(a, b => b)); }",
        "b =>",
        "c",
        "class A { int[] F(int[] a) => System.Linq.Enumerable.ToArray("
        "System.Linq.Enumerable.Select(a, c => c)); }",
    ),
    "interface": (
        "interface I { void F(); } class A : I { void I.F() { } }"
        " class B : C, I { } class C { public void F() { } }",
        "F()",
        "G",
        "interface I { void G(); } class A : I { void I.G() { } }"
        " class B : C, I { } class C { public void G() { } }",
    ),
    "partial": (
        "partial class A { partial void F(); } partial class A { partial void F() { } }",
        "F()",
        "G",
        "partial class A { partial void G(); } partial class A { partial void G() { } }",
    ),
    "alias": (
        "using L = Of.A; class U { L l; } namespace Of { class A { } }",
        "A { }",
        "B",
        "using L = Of.B; class U { L l; } namespace Of { class B { } }",
    ),
    "nameof": (
        "class A { void F() { } string G() => nameof(F); }",
        "F()",
        "H",
        "class A { void H() { } string G() => nameof(H); }",
    ),
    "nameof of another's group": (
        "class A { public void F(float f) { } } class B : A { public void G(int i) { }"
        " string H() => nameof(G); }",
        "F(",
        "G",
        "class A { public void G(float f) { } } class B : A { public void G(int i) { }"
        " string H() => nameof(G); }",
    ),
    "broken call": (
        'class A { void F(int a) { } void F(string a) { } void H() { F(gone); F(""); } }',
        "F(int",
        "G",
        'class A { void G(int a) { } void F(string a) { } void H() { G(gone); F(""); } }',
    ),
    "namespace": (
        "namespace Of.Old { class A { } } class U { Of.Old.A a; }",
        "Old",
        "New",
        "namespace Of.New { class A { } } class U { Of.New.A a; }",
    ),
    "record's": (
        "record R(int A) { int F() => A + new R(A: 1).A; }",
        "A)",
        "B",
        "record R(int B) { int F() => B + new R(B: 1).B; }",
    ),
    "beside an explicit implementation": (
        "interface I { void G(); } class A : I { void I.G() { } public void F() { } }",
        "F()",
        "G",
        "interface I { void G(); } class A : I { void I.G() { } public void G() { } }",
    ),
    "beside one that an heir inherits": (
        "interface I { void G(); } class A : I { void I.G() { } public void F() { } }"
        " class B : A { } class C : A, I { }",
        "F()",
        "G",
        "interface I { void G(); } class A : I { void I.G() { } public void G() { } }"
        " class B : A { } class C : A, I { }",
    ),
    "below a base that implements": (
        "interface I { void G(); } class B : I { void I.G() { } }"
        " class A : B { public void F() { } }",
        "F()",
        "G",
        "interface I { void G(); } class B : I { void I.G() { } }"
        " class A : B { public void G() { } }",
    ),
    "parameter that an attribute names": (
        "using System.Runtime.CompilerServices; class A { void F(int a,"
        ' [CallerArgumentExpression("a")] string b = "a") { }'
        ' void G(int a, [CallerArgumentExpression("a")] string b = null) { } }',
        "a,",
        "c",
        "using System.Runtime.CompilerServices; class A { void F(int c,"
        ' [CallerArgumentExpression("c")] string b = "a") { }'
        ' void G(int a, [CallerArgumentExpression("a")] string b = null) { } }',
    ),
    "event": (
        "class A { event System.Action E; void F() => E?.Invoke(); }",
        "E;",
        "X",
        "class A { event System.Action X; void F() => X?.Invoke(); }",
    ),
}
STAND_IN = "namespace System.Runtime.CompilerServices { class IsExternalInit { } }"


async def test_what_a_rename_changes_and_what_refuses_it(
    new_root: Path, machine: Layout, references: Path, server_on: ServerOn
) -> None:
    root = project(new_root, machine, references, STAND_IN, "class Game { }")
    wrong = {}
    async with server_on(machine, root) as session:
        for name, (core, mark, new_name, expected) in {**CONFLICTS, **RENAMED}.items():
            (root / CORE).write_text(core + "\n", "utf-8")
            answer = await rename(session, CORE, mark, new_name)
            found: Any = codes(answer)[:1]
            if name in RENAMED and not found and answer.complete:
                found = [applied(root, answer)[CORE].rstrip("\n")]
            if found != [expected]:
                wrong[name] = found, answer.conflicts[:2], answer.reasons
    assert wrong == {}


async def test_where_a_new_error_stands(
    new_root: Path, machine: Layout, references: Path, server_on: ServerOn
) -> None:
    core = "class Clock { int a; int F() => a + a; int G() => b + b; int b; }\n"
    root = project(new_root, machine, references, core, "class Game { }\n")
    async with server_on(machine, root) as session:
        answer = await rename(session, CORE, "b;", "Clock")
        (place,) = [(each.code, each.line, each.column) for each in answer.conflicts]
        assert place == ("new_error", 1, core.index("int b;") + 5)


async def test_a_using_that_gives_another_body_two_meanings(
    tmp_path: Path, machine: Layout, references: Path, server_on: ServerOn
) -> None:
    core = (
        "using Other;\npublic class Player : UnityEngine.MonoBehaviour\n{\n    public int speed;\n"
        "    public object Made() => new Both();\n}\nnamespace Other { public class Both { } }\n"
        "namespace UnityEngine\n{\n    public class Object { }\n"
        "    public class MonoBehaviour : Object { }\n}\n"
        "namespace UnityEngine.Serialization\n{\n    public class Both { }\n"
        "    public class FormerlySerializedAsAttribute : System.Attribute\n    {\n"
        "        public FormerlySerializedAsAttribute(string name) { }\n    }\n}\n"
    )
    root = project(tmp_path / "project", machine, references, core, "class Game { }\n")
    async with server_on(machine, root) as session:
        answer = await rename(session, CORE, "speed", "pace", attributes=True)
        assert codes(answer) == ["new_error"]
        assert answer.conflicts[0].message.startswith("CS0104")
        answer = await rename(session, CORE, "speed", "pace")
        assert codes(answer) == []


async def test_lsps_own_requests(
    new_root: Path, machine: Layout, references: Path, server_on: ServerOn
) -> None:
    core = "public class Clock { public int Tick() => 1; int Twice() => Tick(); }\n"
    root = project(new_root, machine, references, core, "class Game { }\n")
    async with server_on(machine, root) as session:
        document = types.TextDocumentIdentifier(session.uri(CORE))
        at = types.Position(0, core.index("Tick"))
        asked = types.ReferenceParams(types.ReferenceContext(False), document, at)
        (found,) = await session.client.text_document_references_async(asked) or []
        assert found.range.start.character == core.rindex("Tick")
        prepared = await session.client.text_document_prepare_rename_async(
            types.PrepareRenameParams(document, at)
        )
        assert isinstance(prepared, types.PrepareRenamePlaceholder)
        assert prepared.placeholder == "Tick"
        renaming = types.RenameParams(document, at, "Beat")
        edit = await session.client.text_document_rename_async(renaming)
        assert edit is not None
        (changed,) = edit.document_changes or []
        assert isinstance(changed, types.TextDocumentEdit)
        assert [each.new_text for each in changed.edits] == ["Beat", "Beat"]
        with pytest.raises(JsonRpcException, match="already has"):
            await session.client.text_document_rename_async(
                types.RenameParams(document, at, "Twice")
            )
        session.open(CORE, core + "// unsaved")
        with pytest.raises(JsonRpcException, match=r"Core\.cs is open with unsaved changes"):
            await session.client.text_document_rename_async(renaming)
