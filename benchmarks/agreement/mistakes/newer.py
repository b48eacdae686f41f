"""Syntax that is newer than C# 9."""

from __future__ import annotations

import re

from benchmarks.agreement.generators import (
    MEMBER_LINE,
    STATEMENT_LINE,
    Generator,
    before_line,
    new_line,
)

NEWER: dict[str, Generator] = {
    "newer syntax": new_line(
        STATEMENT_LINE,
        'var raw = """text""";',
        'var raw = """\n    text\n    """;',
        'var raw = $"""{NAME}""";',
        "int[] list = [1, 2, 3];",
        "List<int> list = [];",
        'var utf8 = "text"u8;',
        "var shifted = 8 >>> 1;",
        "var f = [Obsolete] () => 1;",
        "var f = int () => 1;",
        "var f = (int a = 3) => a;",
        "NAME(x is [1, 2]);",
        "NAME(x is { A.B: 3 });",
        "int[] list = [..a, ..b];",
        "record struct Point(int X);",
        "NAME(NAME is [var first, ..]);",
        "var s = a with { b = [1] };",
        "(a, var b) = Pair();",
    ),
    "newer declaration": new_line(
        MEMBER_LINE,
        "public required int Count { get; set; }",
        "public record struct Point(int X, int Y);",
        "public readonly record struct Point(int X);",
        "public class Point(int x) { }",
        "public struct Point(int x);",
        "file class Local { }",
        "public static abstract int Zero { get; }",
        "public int Count { get => field; set => field = value; }",
        "[Attr<int>] private int count;",
        "public class Empty;",
        "public interface IEmpty;",
        "public static Point operator checked +(Point a, Point b) => a;",
        "public struct Cell { public int X = 3; public Cell() { } }",
        "public partial int Size { get; }",
        "public ref int field;",
        "extension(string text) { }",
        "void Run(params List<int> items) { }",
        "public sealed record R { public sealed override string ToString() => null; }",
    ),
    "newer file syntax": before_line(
        re.compile(r"using [\w.]+;|namespace [\w.]+"),
        "namespace Game;\n",
        "global using System;\n",
        "global ",
        "global using static System.Math;\n",
        "using Pair = (int, int);\n",
        "using unsafe P = int*;\n",
        "file class Hidden { }\n",
    ),
}
"""Mistakes by kind."""
