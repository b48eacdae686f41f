"""Changed methods."""

from __future__ import annotations

from cross_file_breaks.kind import Kind


def _method(
    name: str, declaration: str, use: str, new: str, valid: str = "", *, static: bool = False
) -> Kind:
    """A method of ``A`` whose head becomes another one; the user calls it on ``a``."""
    body = "{ throw null; }"
    library = f"public class A {{ public {'static ' if static else ''}{declaration} {body} }}"
    return Kind(name, library, f"class U {{ void F(A a) {{ {use} }} }}", declaration, new, valid)


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
