"""Kinds of changes that break a file which uses the changed one.

Each kind has a library and its user, in C# 9. ``old`` becomes ``new`` in the library, and the user
no longer compiles; with ``valid`` in its place, the user does.
"""

from __future__ import annotations

from dataclasses import dataclass

LIBRARY, FRIEND, USER = "Lib", "Friend", "App"
"""Assemblies; the last refers to the others."""


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind. ``owner`` and ``used_in`` are the assemblies of the two files.

    ``usings`` are the user's, ``above`` stands before the library's namespace.
    """

    name: str
    library: str
    user: str
    old: str
    new: str
    valid: str = ""
    owner: str = LIBRARY
    used_in: str = USER
    usings: str = ""
    above: str = ""

    @property
    def space(self) -> str:
        """The namespace of the library; that of the user is below it."""
        return "K_" + "".join(each if each.isalnum() else "_" for each in self.name)

    @property
    def library_text(self) -> str:
        """The library as a script."""
        above = f"{self.above}\n" if self.above else ""
        return f"{above}namespace {self.space}\n{{\n    {self.library}\n}}\n"

    @property
    def user_text(self) -> str:
        """The user as a script."""
        below = self.space if self.owner == self.used_in else f"{self.space}.Uses"
        usings = f"    {self.usings.replace('NS', self.space)}\n" if self.usings else ""
        return f"namespace {below}\n{{\n{usings}    {self.user}\n}}\n"

    @property
    def valid_new(self) -> str:
        """What may stand in the place of ``old``."""
        return self.valid or f"/* as before */ {self.old}"


def _method(
    name: str, declaration: str, use: str, new: str, valid: str = "", *, static: bool = False
) -> Kind:
    """A method of ``A`` whose head becomes another one; the user calls it on ``a``."""
    body = "{ throw null; }"
    library = f"public class A {{ public {'static ' if static else ''}{declaration} {body} }}"
    return Kind(name, library, f"class U {{ void F(A a) {{ {use} }} }}", declaration, new, valid)


def _same(name: str, library: str, user: str, old: str, new: str, valid: str = "") -> Kind:
    return Kind(name, library, user, old, new, valid, used_in=LIBRARY)


METHODS = (
    _method("renamed method", "int P()", "a.P();", "int Q()"),
    _method("return type", "int P()", "int x = a.P();", "string P()", "short P()"),
    _method("return type to void", "int P()", "var x = a.P();", "void P()"),
    _method(
        "added parameter",
        "int P(int x)",
        "a.P(1);",
        "int P(int x, int y)",
        "int P(int x, int y = 0)",
    ),
    _method("removed parameter", "int P(int x)", "a.P(1);", "int P()", "int P(long x)"),
    _method("parameter type", "int P(int x)", "a.P(1);", "int P(string x)", "int P(long x)"),
    _method("no longer ref", "int P(ref int x)", "int y = 1; a.P(ref y);", "int P(int x)"),
    _method("ref for out", "int P(out int x)", "a.P(out int y);", "int P(ref int x)"),
    _method("ref for value", "int P(int x)", "a.P(1);", "int P(ref int x)", "int P(in int x)"),
    _method(
        "no longer params",
        "int P(params int[] x)",
        "a.P(1, 2);",
        "int P(int[] x)",
        "int P(params long[] x)",
    ),
    _method(
        "default argument gone", "int P(int x = 1)", "a.P();", "int P(int x)", "int P(int x = 2)"
    ),
    _method(
        "named argument",
        "int P(int size)",
        "a.P(size: 1);",
        "int P(int length)",
        "int P(long size)",
    ),
    _method(
        "order of named arguments",
        "int P(int x, string y)",
        'a.P(x: 1, y: "");',
        "int P(int x, string z)",
        "int P(int x, object y)",
    ),
    _method(
        "parameters swapped", "int P(int x, string y)", 'a.P(1, "");', "int P(string y, int x)"
    ),
    _method("type parameter more", "int P<T>()", "a.P<int>();", "int P<T, S>()"),
    _method("inference", "T P<T>(T x)", "int x = a.P(1);", "T P<T>(object x)"),
    _method(
        "method constraint",
        "int P<T>()",
        "a.P<int>();",
        "int P<T>() where T : class",
        "int P<T>() where T : struct",
    ),
    _method(
        "constraint on a parameter",
        "int P<T>(T x)",
        'a.P("");',
        "int P<T>(T x) where T : struct",
        "int P<T>(T x) where T : class",
    ),
    _method("instance becomes static", "int P()", "a.P();", "static int P()"),
    _method(
        "function's result",
        "int P(System.Func<int, int> f)",
        "a.P(x => x);",
        "int P(System.Func<int, string> f)",
        "int P(System.Func<int, long> f)",
    ),
    _method(
        "function's parameters",
        "int P(System.Action<int> f)",
        "a.P(x => { });",
        "int P(System.Action f)",
    ),
    _method("method group", "int P(int x)", "System.Func<int, int> f = a.P;", "int P(string x)"),
    _method("nameof", "int P()", "string x = nameof(a.P);", "int Q()", "long P()"),
    _method(
        "tuple's names",
        "(int a, int b) P()",
        "int x = a.P().a;",
        "(int c, int b) P()",
        "(int a, int c) P()",
    ),
    _method(
        "tuple's size",
        "(int, int) P()",
        "var (x, y) = a.P();",
        "(int, int, int) P()",
        "(int, long) P()",
    ),
    _method(
        "awaited result",
        "System.Threading.Tasks.Task<int> P()",
        "async void G() { int x = await a.P(); }",
        "System.Threading.Tasks.Task P()",
    ),
    _method(
        "awaitable at all",
        "System.Threading.Tasks.Task P()",
        "async void G() { await a.P(); }",
        "void P()",
    ),
    _method(
        "enumerable result",
        "int[] P()",
        "foreach (int x in a.P()) { }",
        "int P()",
        "System.Collections.Generic.List<int> P()",
    ),
    _method(
        "element of a result",
        "int[] P()",
        "foreach (int x in a.P()) { }",
        "string[] P()",
        "short[] P()",
    ),
    _method("nullable value", "int P()", "int x = a.P();", "int? P()"),
    _method(
        "switch on a result",
        "int P()",
        "switch (a.P()) { case 1: break; }",
        "string P()",
        "long P()",
    ),
    _method("condition", "bool P()", "if (a.P()) { }", "object P()"),
    _method(
        "dynamic arguments' number",
        "void P(int x)",
        "System.Action<int> f = x => a.P(x);",
        "void P()",
    ),
    Kind(
        "overload added",
        "public class A { public void P(string x) { } }",
        "class U { void F(A a) { a.P(null); } }",
        "public void P(string x) { }",
        "public void P(string x) { } public void P(System.Type x) { }",
        "public void P(string x) { } public void P(int x) { }",
    ),
    Kind(
        "better overload",
        "public class A { public long P(long x) => x; }",
        "class U { long F(A a) => a.P(1); }",
        "public long P(long x) => x;",
        'public long P(long x) => x; public string P(int x) => "";',
        "public long P(long x) => x; public int P(int x) => x;",
    ),
    Kind(
        "static becomes instance",
        "public class A { public static int P() => 1; }",
        "class U { int F() => A.P(); }",
        "public static int P()",
        "public int P()",
        "public static short P()",
    ),
    Kind(
        "reference return",
        "public class A { int f; public ref int P() => ref f; }",
        "class U { void F(A a) { ref int x = ref a.P(); } }",
        "ref int P() => ref f",
        "int P() => f",
    ),
    Kind(
        "reference to a result",
        "public class A { int f; public ref int P() => ref f; }",
        "class U { void F(A a) { a.P() = 1; } }",
        "ref int P()",
        "ref readonly int P()",
    ),
)

MEMBERS = (
    Kind(
        "private method",
        "public class A { public int P() => 1; }",
        "class U { int F(A a) => a.P(); }",
        "public int P",
        "private int P",
    ),
    Kind(
        "internal method",
        "public class A { public int P() => 1; }",
        "class U { int F(A a) => a.P(); }",
        "public int P",
        "internal int P",
    ),
    Kind(
        "protected becomes private",
        "public class A { protected int P() => 1; }",
        "class U : A { int F() => P(); }",
        "protected int P",
        "private int P",
        "public int P",
    ),
    Kind(
        "readonly field",
        "public class A { public int F; }",
        "class U { void G(A a) { a.F = 1; } }",
        "public int F",
        "public readonly int F",
        "public long F",
    ),
    Kind(
        "field's type",
        "public class A { public int F; }",
        "class U { int G(A a) => a.F; }",
        "public int F",
        "public string F",
        "public short F",
    ),
    Kind(
        "field becomes property",
        "public class A { public int F; }",
        "class U { void G(ref int x) { } void H(A a) { G(ref a.F); } }",
        "public int F;",
        "public int F { get; set; }",
    ),
    Kind(
        "setter gone",
        "public class A { public int P { get; set; } }",
        "class U { void F(A a) { a.P = 1; } }",
        "get; set;",
        "get;",
    ),
    Kind(
        "setter private",
        "public class A { public int P { get; set; } }",
        "class U { void F(A a) { a.P++; } }",
        "get; set;",
        "get; private set;",
    ),
    Kind(
        "setter for initialization alone",
        "public class A { public int P { get; set; } }",
        "class U { void F(A a) { a.P = 1; } }",
        "get; set;",
        "get; init;",
    ),
    Kind(
        "getter gone",
        "public class A { public int P { get => 1; set { } } }",
        "class U { int F(A a) => a.P; }",
        "get => 1; set { }",
        "set { }",
    ),
    Kind(
        "object initializer",
        "public class A { public int P { get; set; } }",
        "class U { A F() => new A { P = 1 }; }",
        "get; set;",
        "get;",
        "get; init;",
    ),
    Kind(
        "property's type",
        "public class A { public int P { get; set; } }",
        "class U { void F(A a) { a.P += 1; } }",
        "public int P",
        "public object P",
        "public long P",
    ),
    Kind(
        "indexer's parameter",
        "public class A { public int this[int i] => i; }",
        "class U { int F(A a) => a[1]; }",
        "this[int i] => i",
        "this[string i] => 1",
        "this[long i] => 1",
    ),
    Kind(
        "indexer's setter",
        "public class A { public int this[int i] { get => i; set { } } }",
        "class U { void F(A a) { a[1] = 1; } }",
        "get => i; set { }",
        "get => i;",
    ),
    Kind(
        "index from the end",
        "public class A { public int Length => 1; public int this[int i] => i; }",
        "class U { int F(A a) => a[^1]; }",
        "int Length",
        "int Size",
    ),
    Kind(
        "event renamed",
        "public class A { public event System.Action E; void R() => E(); }",
        "class U { void F(A a) { a.E += () => { }; } }",
        "public event",
        "internal event",
    ),
    Kind(
        "event's type",
        "public class A { public event System.Action E { add { } remove { } } }",
        "class U { void F(A a) { a.E += () => { }; } }",
        "System.Action E",
        "System.Action<int> E",
    ),
    Kind(
        "event becomes field",
        "public class A { public System.Action E; }",
        "class U { void F(A a) { a.E = null; } }",
        "public System",
        "public event System",
    ),
    Kind(
        "constant in a case",
        "public class A { public const int N = 1; }",
        "class U { void F(int x) { switch (x) { case A.N: break; } } }",
        "const int",
        "static readonly int",
    ),
    Kind(
        "constant twice in a switch",
        "public class A { public const int N = 1; }",
        "class U { void F(int x) { switch (x) { case A.N: break; case 2: break; } } }",
        "N = 1",
        "N = 2",
        "N = 3",
    ),
    Kind(
        "constant overflows",
        "public class A { public const int N = 1; }",
        "class U { const int M = A.N + 1; }",
        "N = 1",
        "N = int.MaxValue",
        "N = 2",
    ),
    Kind(
        "constant of a default argument",
        "public class A { public const int N = 1; }",
        "class U { void F(int x = A.N) { } }",
        "const int",
        "static readonly int",
    ),
    Kind(
        "constant of an attribute",
        'public class A { public const string N = ""; }',
        "class U { [System.Obsolete(A.N)] void F() { } }",
        "const string",
        "static readonly string",
    ),
    Kind(
        "constant out of range",
        "public class A { public const int N = 1; }",
        "class U { byte x = A.N; }",
        "N = 1",
        "N = 300",
        "N = 255",
    ),
    Kind(
        "division by a constant",
        "public class A { public const int N = 1; }",
        "class U { int x = 1 / A.N; }",
        "N = 1",
        "N = 0",
        "N = 2",
    ),
    Kind(
        "enum member", "public enum E { A, B }", "class U { E x = E.B; }", "A, B", "A, C", "A, B, C"
    ),
    Kind(
        "enum member in a case twice",
        "public enum E { A, B }",
        "class U { void F(E x) { switch (x) { case E.A: break; case E.B: break; } } }",
        "A, B",
        "A, B = A",
        "B, A",
    ),
    Kind(
        "enum's base",
        "public enum E : int { A = 1 }",
        "class U { const int x = (int)E.A; byte y = (byte)E.A; }",
        "A = 1",
        "A = 1000",
        "A = 2",
    ),
    Kind(
        "constructor's parameter",
        "public class A { public A() { } }",
        "class U { A x = new A(); }",
        "public A()",
        "public A(int x)",
        "public A(int x = 1)",
    ),
    Kind(
        "private constructor",
        "public class A { public A() { } }",
        "class U { A x = new A(); }",
        "public A()",
        "private A()",
    ),
    Kind(
        "base constructor",
        "public class A { public A() { } }",
        "class U : A { }",
        "public A()",
        "public A(int x)",
        "protected A()",
    ),
    Kind(
        "base constructor's arguments",
        "public class A { public A(int x) { } }",
        "class U : A { U() : base(1) { } }",
        "A(int x)",
        "A(string x)",
        "A(long x)",
    ),
    Kind(
        "obsolete as an error",
        "public class A { public int P() => 1; }",
        "class U { int F(A a) => a.P(); }",
        "public int P()",
        '[System.Obsolete("x", true)] public int P()',
        '[System.Obsolete("x")] public int P()',
    ),
)

TYPES = (
    Kind("renamed type", "public class A { }", "class U { A x; }", "class A", "class B"),
    Kind(
        "internal type",
        "public class A { }",
        "class U { A x; }",
        "public class",
        "internal class",
        "public sealed class",
    ),
    Kind(
        "sealed type",
        "public class A { }",
        "class U : A { }",
        "public class",
        "public sealed class",
        "public abstract class",
    ),
    Kind(
        "static type",
        "public class A { }",
        "class U { A x = new A(); }",
        "public class",
        "public static class",
        "public sealed class",
    ),
    Kind(
        "abstract type",
        "public class A { }",
        "class U { A x = new A(); }",
        "public class",
        "public abstract class",
    ),
    Kind(
        "class becomes struct: null",
        "public class A { }",
        "class U { A x = null; }",
        "class A",
        "struct A",
    ),
    Kind(
        "class becomes struct: as",
        "public class A { }",
        "class U { A F(object x) => x as A; }",
        "class A",
        "struct A",
    ),
    Kind(
        "class becomes struct: lock",
        "public class A { }",
        "class U { void F(A a) { lock (a) { } } }",
        "class A",
        "struct A",
    ),
    Kind(
        "class becomes struct: base", "public class A { }", "class U : A { }", "class A", "struct A"
    ),
    Kind(
        "struct becomes class: constraint",
        "public struct A { }",
        "class U { System.Nullable<A> x; }",
        "struct A",
        "class A",
        "enum A",
    ),
    Kind(
        "struct on the stack alone",
        "public struct A { }",
        "class U { A x; }",
        "public struct",
        "public ref struct",
        "public readonly struct",
    ),
    Kind(
        "definite assignment",
        "public struct A { public int X; }",
        "class U { A F() { A a; a.X = 1; return a; } }",
        "public int X",
        "public int X, Y",
    ),
    Kind("type parameter", "public class A<T> { }", "class U { A<int> x; }", "A<T>", "A<T, S>"),
    Kind(
        "type constraint",
        "public class A<T> { }",
        "class U { A<int> x; }",
        "A<T>",
        "A<T> where T : class",
        "A<T> where T : struct",
    ),
    Kind(
        "constructor constraint",
        "public class A<T> { }",
        "class U { A<string> x; }",
        "A<T>",
        "A<T> where T : new()",
        "A<T> where T : class",
    ),
    Kind(
        "interface constraint",
        "public class A<T> { }",
        "class U { A<object> x; }",
        "A<T>",
        "A<T> where T : System.IDisposable",
    ),
    Kind(
        "constraint of a derived one",
        "public class A<T> { }",
        "class U<T> : A<T> { }",
        "A<T>",
        "A<T> where T : class",
    ),
    Kind(
        "covariance",
        "public interface I<out T> { }",
        "class U { I<object> F(I<string> x) => x; }",
        "out T",
        "T",
    ),
    Kind(
        "contravariance",
        "public interface I<in T> { }",
        "class U { I<string> F(I<object> x) => x; }",
        "in T",
        "T",
    ),
    Kind(
        "base class",
        "public class B { } public class A : B { }",
        "class U { B x = new A(); }",
        "A : B",
        "A",
    ),
    Kind(
        "interface no more",
        "public interface I { } public class A : I { }",
        "class U { I x = new A(); }",
        "A : I",
        "A",
    ),
    Kind(
        "interface of an argument",
        "public interface I { } public class A : I { }",
        "class U { void F(I x) { } void G(A a) { F(a); } }",
        "A : I",
        "A",
    ),
    Kind(
        "interface's member more",
        "public interface I { }",
        "class U : I { }",
        "I { }",
        "I { int P(); }",
        "I { int P() => 1; }",
    ),
    Kind(
        "interface's member other",
        "public interface I { int P(); }",
        "class U : I { public int P() => 1; }",
        "int P()",
        "string P()",
    ),
    Kind(
        "interface's member renamed",
        "public interface I { void P(); }",
        "class U : I { void I.P() { } }",
        "void P()",
        "void Q()",
    ),
    Kind(
        "interface's default gone",
        "public interface I { int P() => 1; }",
        "class U : I { }",
        "int P() => 1;",
        "int P();",
    ),
    Kind(
        "interface's event",
        "public interface I { event System.Action E; }",
        "class U : I { public event System.Action E; }",
        "System.Action E",
        "System.Action<int> E",
    ),
    Kind(
        "interface's setter",
        "public interface I { int P { get; } }",
        "class U : I { public int P => 1; }",
        "get;",
        "get; set;",
    ),
    Kind(
        "interface below interface",
        "public interface J { int P(); } public interface I { }",
        "class U : I { }",
        "interface I",
        "interface I : J",
    ),
    Kind(
        "abstract member more",
        "public abstract class A { }",
        "class U : A { }",
        "A { }",
        "A { public abstract int P(); }",
        "A { public virtual int P() => 1; }",
    ),
    Kind(
        "virtual no more",
        "public class A { public virtual int P() => 1; }",
        "class U : A { public override int P() => 2; }",
        "virtual ",
        "",
    ),
    Kind(
        "override's parameter",
        "public class A { public virtual int P(int x) => 1; }",
        "class U : A { public override int P(int x) => 2; }",
        "int x",
        "long x",
        "int y",
    ),
    Kind(
        "override's result",
        "public class A { public virtual int P() => 1; }",
        "class U : A { public override int P() => 2; }",
        "int P",
        "long P",
    ),
    Kind(
        "override's accessibility",
        "public class A { public virtual int P() => 1; }",
        "class U : A { public override int P() => 2; }",
        "public virtual",
        "protected virtual",
    ),
    Kind(
        "sealed override",
        'public class A { public override string ToString() => ""; }',
        'class U : A { public override string ToString() => "u"; }',
        "public override",
        "public sealed override",
    ),
    Kind(
        "abstract base call",
        "public abstract class A { public virtual int P() => 1; }",
        "class U : A { public override int P() => base.P(); }",
        "virtual int P() => 1;",
        "abstract int P();",
    ),
    Kind(
        "exception no more: throw",
        "public class A : System.Exception { }",
        "class U { void F() { throw new A(); } }",
        " : System.Exception",
        "",
    ),
    Kind(
        "exception no more: catch",
        "public class A : System.Exception { }",
        "class U { void F() { try { } catch (A) { } } }",
        " : System.Exception",
        "",
    ),
    Kind(
        "catch that comes too late",
        "public class B : System.Exception { } public class A : System.Exception { }",
        "class U { void F() { try { } catch (B) { } catch (A) { } } }",
        "A : System.Exception",
        "A : B",
    ),
    Kind(
        "nested type",
        "public class A { public class B { } }",
        "class U { A.B x; }",
        "class B",
        "class C",
    ),
    Kind(
        "nested type private",
        "public class A { public class B { } }",
        "class U { A.B x; }",
        "public class B",
        "private class B",
    ),
    Kind(
        "namespace",
        "namespace Deep { public class A { } }",
        "class U { Deep.A x; }",
        "namespace Deep",
        "namespace Deeper",
    ),
    Kind(
        "namespace that is used",
        "namespace Deep { public class A { } }",
        "class U { A x; }",
        "namespace Deep",
        "namespace Deeper",
        usings="using NS.Deep;",
    ),
    Kind(
        "alias",
        "public class A { }",
        "class U { X x; }",
        "class A",
        "class B",
        usings="using X = NS.A;",
    ),
    Kind(
        "static import",
        "public class A { public static int P() => 1; }",
        "class U { int F() => P(); }",
        "int P",
        "int Q",
        usings="using static NS.A;",
    ),
    Kind(
        "name of two namespaces",
        "namespace One { public class X { } } namespace Two { public class Y { } }",
        "class U { X x; }",
        "class Y",
        "class X",
        "class Z",
        usings="using NS.One; using NS.Two;",
    ),
    Kind(
        "delegate's parameter",
        "public delegate void D();",
        "class U { D d = () => { }; }",
        "D()",
        "D(int x)",
    ),
    Kind(
        "delegate's result",
        "public delegate int D();",
        "class U { D d = () => 1; }",
        "int D",
        "string D",
        "long D",
    ),
    Kind(
        "delegate's out",
        "public delegate void D(out int x);",
        "class U { D d = (out int x) => x = 1; }",
        "out int",
        "ref int",
    ),
    Kind(
        "delegate's call",
        "public delegate void D(int x);",
        "class U { void F(D d) { d(1); } }",
        "int x",
        "string x",
        "long x",
    ),
    Kind(
        "record's parameter",
        "public record A(int X);",
        "class U { int F(A a) => a.X; }",
        "int X",
        "int Y",
        "short X",
    ),
    Kind(
        "record's constructor",
        "public record A(int X);",
        "class U { A F() => new A(1); }",
        "int X",
        "int X, int Y",
        "long X",
    ),
    Kind(
        "record no more: with",
        "public record A { public int X { get; init; } }",
        "class U { A F(A a) => a with { X = 1 }; }",
        "record A",
        "class A",
    ),
    Kind("record no more: base", "public record A;", "record U : A;", "record A;", "class A { }"),
    Kind(
        "record's deconstruction",
        "public record A(int X, int Y);",
        "class U { void F(A a) { var (x, y) = a; } }",
        "int X, int Y",
        "int X",
        "int Y, int X",
    ),
    Kind(
        "visible internals",
        "class A { }",
        "class U { A x; }",
        '"App"',
        '"Other"',
        owner=FRIEND,
        above='[assembly: System.Runtime.CompilerServices.InternalsVisibleTo("App")]',
    ),
)

SHAPES = (
    Kind(
        "extension no more",
        "public static class A { public static int P(this int x) => 1; }",
        "class U { int F(int x) => x.P(); }",
        "this int",
        "int",
        "this object",
    ),
    Kind(
        "extension's type",
        "public static class A { public static int P(this int x) => 1; }",
        "class U { int F(int x) => x.P(); }",
        "this int",
        "this string",
        "this object",
    ),
    Kind(
        "extension's class",
        "public static class A { public static int P(this int x) => x; }",
        "class U { int F(int x) => x.P(); }",
        "public static class",
        "internal static class",
    ),
    Kind(
        "operator",
        "public class A { public static A operator +(A a, A b) => a; }",
        "class U { A F(A a) => a + a; }",
        "operator +",
        "operator -",
    ),
    Kind(
        "operator's operand",
        "public class A { public static A operator +(A a, int b) => a; }",
        "class U { A F(A a) => a + 1; }",
        "int b",
        "string b",
        "long b",
    ),
    Kind(
        "operator's result",
        "public class A { public static A operator +(A a, A b) => a; }",
        "class U { A F(A a) => a + a; }",
        "A operator +(A a, A b) => a",
        "int operator +(A a, A b) => 1",
    ),
    Kind(
        "unary operator",
        "public class A { public static A operator -(A a) => a; }",
        "class U { A F(A a) => -a; }",
        "operator -",
        "operator +",
    ),
    Kind(
        "implicit conversion",
        "public class A { public static implicit operator int(A a) => 1; }",
        "class U { int F(A a) => a; }",
        "static implicit",
        "static explicit",
    ),
    Kind(
        "conversion's target",
        "public class A { public static implicit operator int(A a) => 1; }",
        "class U { int F(A a) => a; }",
        "operator int",
        "operator long",
        "operator short",
    ),
    Kind(
        "conversion to a condition",
        "public class A { public static implicit operator bool(A a) => true; }",
        "class U { void F(A a) { if (a) { } } }",
        "implicit",
        "explicit",
    ),
    Kind(
        "explicit conversion",
        "public class A { public static explicit operator A(int a) => null; }",
        "class U { A F() => (A)1; }",
        "A(int a)",
        "A(string a)",
        "A(long a)",
    ),
    Kind(
        "deconstruction",
        "public class A { public void Deconstruct(out int x, out int y) => x = y = 1; }",
        "class U { void F(A a) { var (x, y) = a; } }",
        "Deconstruct",
        "Split",
    ),
    Kind(
        "deconstruction's type",
        "public class A { public void Deconstruct(out int x, out int y) => x = y = 1; }",
        "class U { void F(A a) { (int x, int y) = a; } }",
        "out int x, out int y) => x = y = 1",
        "out int x) => x = 1",
    ),
    Kind(
        "enumeration",
        "public class A { public System.Collections.Generic.IEnumerator<int> "
        "GetEnumerator() => null; }",
        "class U { void F(A a) { foreach (var x in a) { } } }",
        "GetEnumerator",
        "GetElements",
    ),
    Kind(
        "enumeration's element",
        "public class A { public System.Collections.Generic.IEnumerator<int> "
        "GetEnumerator() => null; }",
        "class U { void F(A a) { foreach (int x in a) { } } }",
        "<int>",
        "<string>",
        "<short>",
    ),
    Kind(
        "enumerator's members",
        "public class A { public A GetEnumerator() => this; public bool MoveNext() "
        "=> false; public int Current => 1; }",
        "class U { void F(A a) { foreach (var x in a) { } } }",
        "MoveNext",
        "Next",
    ),
    Kind(
        "collection initializer",
        "public class A : System.Collections.ArrayList { public void Add(int x, int y) { } }",
        "class U { A F() => new A { { 1, 2 } }; }",
        "Add(int x, int y)",
        "Put(int x, int y)",
        "Add(long x, int y)",
    ),
    Kind(
        "collection at all",
        "public class A : System.Collections.ArrayList { public void Add(int x) { } }",
        "class U { A F() => new A { 1 }; }",
        " : System.Collections.ArrayList",
        "",
    ),
    Kind(
        "disposal",
        "public class A : System.IDisposable { public void Dispose() { } }",
        "class U { void F() { using (new A()) { } } }",
        " : System.IDisposable",
        "",
    ),
    Kind(
        "disposal by pattern",
        "public ref struct A { public void Dispose() { } }",
        "class U { void F() { using (new A()) { } } }",
        "Dispose",
        "End",
    ),
    Kind(
        "awaiter",
        "public class A { public System.Runtime.CompilerServices.TaskAwaiter "
        "GetAwaiter() => default; }",
        "class U { async void F(A a) { await a; } }",
        "GetAwaiter",
        "GetWaiter",
    ),
    Kind(
        "awaiter's result",
        "public class A { public System.Runtime.CompilerServices.TaskAwaiter<int> "
        "GetAwaiter() => default; }",
        "class U { async void F(A a) { int x = await a; } }",
        "<int>",
        "<string>",
        "<short>",
    ),
    Kind(
        "query's select",
        "public class A { public A Select(System.Func<int, int> f) => this; }",
        "class U { A F(A a) => from x in a select x; }",
        "Select",
        "Choose",
    ),
    Kind(
        "query's where",
        "public class A { public A Where(System.Func<int, bool> f) => this; public A "
        "Select(System.Func<int, int> f) => this; }",
        "class U { A F(A a) => from x in a where x > 1 select x + 1; }",
        "Where",
        "When",
    ),
    Kind(
        "query's element",
        "public class A { public A Select(System.Func<int, int> f) => this; }",
        "class U { A F(A a) => from x in a select x * 2; }",
        "int, int",
        "object, int",
        "short, int",
    ),
    Kind(
        "query's order",
        "public class A { public A OrderBy(System.Func<int, int> f) => this; }",
        "class U { A F(A a) => from x in a orderby x select x; }",
        "OrderBy",
        "Sort",
    ),
    Kind(
        "pattern's type",
        "public class B { } public sealed class A : B { }",
        "class U { bool F(B x) => x is A; bool G(B x) => x is A a; }",
        "A : B",
        "A",
    ),
    Kind(
        "property pattern",
        "public class A { public int P => 1; }",
        "class U { bool F(A a) => a is { P: 1 }; }",
        "int P",
        "int Q",
        "long P",
    ),
    Kind(
        "property pattern's type",
        "public class A { public int P => 1; }",
        "class U { bool F(A a) => a is { P: 1 }; }",
        "int P => 1",
        'string P => ""',
    ),
    Kind(
        "positional pattern",
        "public class A { public void Deconstruct(out int x, out int y) => x = y = 1; }",
        "class U { bool F(A a) => a is (1, 2); }",
        "Deconstruct",
        "Split",
    ),
    Kind(
        "switch expression",
        "public enum E { A, B }",
        "class U { int F(E x) => x switch { E.A => 1, E.B => 2, _ => 3 }; }",
        "A, B",
        "A, C",
        "B, A",
    ),
    Kind(
        "relational pattern",
        "public class A { public int P => 1; }",
        "class U { bool F(A a) => a.P is > 1 and < 5; }",
        "int P => 1",
        'string P => ""',
        "long P => 1",
    ),
    Kind(
        "attribute no more",
        "public class MarkAttribute : System.Attribute { }",
        "[Mark] class U { }",
        " : System.Attribute",
        "",
    ),
    Kind(
        "attribute's name",
        "public class MarkAttribute : System.Attribute { }",
        "[Mark] class U { }",
        "MarkAttribute",
        "MarksAttribute",
    ),
    Kind(
        "attribute's argument",
        "public class MarkAttribute : System.Attribute { public MarkAttribute(int x) { } }",
        "[Mark(1)] class U { }",
        "int x",
        "string x",
        "long x",
    ),
    Kind(
        "attribute's targets",
        "[System.AttributeUsage(System.AttributeTargets.Class)] public class "
        "MarkAttribute : System.Attribute { }",
        "[Mark] class U { }",
        "AttributeTargets.Class",
        "AttributeTargets.Method",
        "AttributeTargets.All",
    ),
    Kind(
        "attribute twice",
        "[System.AttributeUsage(System.AttributeTargets.All, AllowMultiple = true)] "
        "public class MarkAttribute : System.Attribute { }",
        "[Mark, Mark] class U { }",
        "AllowMultiple = true",
        "AllowMultiple = false",
    ),
    Kind(
        "attribute's property",
        "public class MarkAttribute : System.Attribute { public int P { get; set; } }",
        "[Mark(P = 1)] class U { }",
        "int P",
        "int Q",
        "long P",
    ),
    Kind(
        "abstract attribute",
        "public class MarkAttribute : System.Attribute { }",
        "[Mark] class U { }",
        "public class",
        "public abstract class",
    ),
    _same(
        "partial method",
        "partial class A { partial void P(int x); }",
        "partial class A { partial void P(int x) { } }",
        "int x",
        "long x",
    ),
    _same(
        "partial base",
        "partial class A { }",
        "partial class A : System.Attribute { }",
        "class A",
        "class A : System.Exception",
        "class A : System.Attribute",
    ),
    _same(
        "partial member twice",
        "partial class A { }",
        "partial class A { int P; }",
        "{ }",
        "{ int P; }",
        "{ int Q; }",
    ),
    _same(
        "partial accessibility",
        "public partial class A { }",
        "public partial class A { }",
        "public partial",
        "internal partial",
    ),
    _same(
        "partial no more", "partial class A { }", "partial class A { }", "partial class", "class"
    ),
    _same("partial kind", "partial class A { }", "partial class A { }", "class A", "struct A"),
    _same(
        "partial type parameters",
        "partial class A<T> { }",
        "partial class A<T> { T x; }",
        "A<T>",
        "A<S>",
    ),
    _same("declared twice", "class B { }", "class A { }", "class B", "class A", "class C"),
)

KINDS: tuple[Kind, ...] = (*METHODS, *MEMBERS, *TYPES, *SHAPES)
"""All kinds."""
