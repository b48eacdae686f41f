"""Changes that are fine, as small edits of real files.

Each generator makes one kind of change where it looks as if it fits. Roslyn says whether it
does: what it calls broken counts as broken, whatever it was meant to be.
"""

from __future__ import annotations

import re
from random import Random

from benchmarks.agreement.mutations import (
    Generator,
    after_token,
    exchanged,
    inside,
    new_line,
    rewritten,
)
from benchmarks.agreement.tokens import Token, Tokens
from snippet_engine.edits import TextEdit

_STATEMENT_LINE = re.compile(
    r"[ \t]{4,}(?:var |return|this\.|[\w.]+ [-+]?= |[\w.]+\()[^\n]*;[ \t]*$"
)
_BODY_OPENING = re.compile(r"[ \t]{4,}\{[ \t]*$")
_MEMBER_LINE = re.compile(r"[ \t]+(?:public|private|protected|internal)[^\n({]*;[ \t]*$")
_HEADER_LINE = re.compile(r"[ \t]+(?:public|private|protected|internal)\b[^\n]*\)[ \t]*$")
_USING_LINE = re.compile(r"using [\w.]+;")
_DOC_LINE = re.compile(r"[ \t]*///")
_ANY_LINE = re.compile(r"[ \t]*[^\s#]")
_CODE_LINE = re.compile(r"[ \t]*[^\s/#]")
_CONDITION_LINE = re.compile(r"[ \t]*(?:else )?(?:if|while) \([^\n]*\)[ \t]*$")
_CALL_LINE = re.compile(r"[ \t]+[\w.]+\([^\n]*\);[ \t]*$")
_CLASS_LINE = re.compile(r"[ \t]*(?:[a-z]+ )*(?:class|struct|interface|enum) \w+")


def renamed(tokens: Tokens, rng: Random) -> TextEdit | None:
    """One occurrence of a name becomes another name."""
    token = tokens.pick(rng, "name")
    if token is None or token.text in _CONTEXTUAL:
        return None
    new = rng.choice(
        (token.text + "2", "new" + token.text, "_" + token.text, "@" + token.text, "値", "onReady")
    )
    return TextEdit(token.start, token.end, new.replace("@@", "@"))


_CONTEXTUAL_WORDS = (
    "get set add remove where select from join let orderby group into by on equals async await "
    "partial yield var dynamic value when nameof unmanaged init record with and or not global "
    "ascending descending assembly return field"
)
_CONTEXTUAL = frozenset(_CONTEXTUAL_WORDS.split())


def statement_deleted(tokens: Tokens, rng: Random) -> TextEdit | None:
    """A statement's line is gone."""
    line = tokens.line(rng, _STATEMENT_LINE)
    return line and TextEdit(line[0], min(line[1] + 1, len(tokens.view)), "")


def statement_doubled(tokens: Tokens, rng: Random) -> TextEdit | None:
    """A call stands there twice."""
    line = tokens.line(rng, _CALL_LINE)
    return line and TextEdit(line[1], line[1], "\n" + tokens.view[line[0] : line[1]])


def statements_swapped(tokens: Tokens, rng: Random) -> TextEdit | None:
    """Two statements that follow each other change places."""
    line = tokens.line(rng, _CALL_LINE)
    if line is None or line[1] + 1 >= len(tokens.view):
        return None
    end = tokens.view.find("\n", line[1] + 1)
    if end < 0 or not _STATEMENT_LINE.match(tokens.view, line[1] + 1, end):
        return None
    first, second = tokens.view[line[0] : line[1]], tokens.view[line[1] + 1 : end]
    return TextEdit(line[0], end, f"{second}\n{first}")


def inactive_changed(tokens: Tokens, rng: Random) -> TextEdit | None:
    """Something is written between two directives, active or not."""
    directive = tokens.pick(rng, "directive")
    if directive is None:
        return None
    text = rng.choice(
        ("\n// not here", "\n", "\n    // TODO: (", "\n/* } */", "\n#region A\n#endregion", "\n\n")
    )
    return TextEdit(directive.end, directive.end, text)


def comment_changed(tokens: Tokens, rng: Random) -> TextEdit | None:
    """Some words are written into a comment."""
    token = tokens.pick(rng, "comment")
    if token is None:
        return None
    at = token.start + 2
    text = rng.choice((" note: ", " isn't \"this (", " {", " } ", " TODO ", " ''' ", " #if "))
    return TextEdit(at, at, text)


def guarded(tokens: Tokens, rng: Random) -> TextEdit | None:
    """A statement's line goes between ``#if`` and ``#endif``."""
    line = tokens.line(rng, _CALL_LINE)
    if line is None or line[1] - line[0] > 50:
        return None
    old = tokens.view[line[0] : line[1]]
    return TextEdit(line[0], line[1], f"#if DEBUG\n{old}\n#endif")


def line_added(tokens: Tokens, rng: Random) -> TextEdit | None:
    """An empty line, or one with spaces only."""
    line = tokens.line(rng, _ANY_LINE)
    return line and TextEdit(line[1], line[1], rng.choice(("\n", "\n    ", " ", "\t", "\n\n")))


def name_qualified(tokens: Tokens, rng: Random) -> TextEdit | None:
    """A call gets a receiver."""
    token = _called(tokens, rng)
    return token and TextEdit(token.start, token.start, rng.choice(("this.", "Helper.", "a.b.")))


def argument_added(tokens: Tokens, rng: Random) -> TextEdit | None:
    """A call gets one more argument in front."""
    token = _called(tokens, rng)
    opening = token and tokens.after(token)
    following = opening and tokens.after(opening)
    if opening is None or following is None:
        return None
    argument = rng.choice(
        (
            "3",
            '"a"',
            "x => x",
            "ref value",
            "out var found",
            "name: 3",
            "new[] { 1 }",
            "(1, 2)",
            "nameof(value)",
            "default",
            '$"{a:0.0} b"',
            "async () => await x",
            "a ?? b",
            "a[^1]",
            "typeof(List<>)",
            "x is int n ? n : 0",
            "(int)a",
            "() => { }",
            "delegate { }",
            "-1",
            "'c'",
            "static (a, b) => a + b",
            "stackalloc int[3]",
            "new() { A = 1 }",
            "a[1..^2]",
            "!a",
            "(a, b) => { return a; }",
            "x switch { 1 => 2, _ => 3 }",
            '@"C:\\"',
            "checked(a + b)",
        )
    )
    comma = "" if following.text == ")" else ", "
    return TextEdit(opening.end, opening.end, argument + comma)


def _called(tokens: Tokens, rng: Random) -> Token | None:
    for _ in range(20):
        token = tokens.pick(rng, "name")
        following = token and tokens.after(token)
        before = token and tokens.before(token)
        if token is None or following is None or before is None:
            return None
        if following.text == "(" and before.text in {";", "{", "}", "=", "(", "return"}:
            return token
    return None


def number_changed(tokens: Tokens, rng: Random) -> TextEdit | None:
    """A number becomes another."""
    token = tokens.pick(rng, "number")
    new = rng.choice(("0", "42", "1.5f", "0x1F", "1e3", "7L", "1_000", "2.5m", "0b11", ".5f", "3u"))
    return token and TextEdit(token.start, token.end, new)


VALID_EDITS: dict[str, Generator] = {
    "name changed": renamed,
    "number changed": number_changed,
    "string changed": inside(
        "string", " more", "é", "{0}", "'", "//", "/*", "\\n", "#if", "}", "("
    ),
    "word in place of a word": exchanged(
        "keyword",
        {
            "true": "false",
            "false": "true",
            "public": "internal",
            "private": "public",
            "protected": "private protected",
            "int": ("long", "float", "int?"),
            "float": "double",
            "null": "default",
            "string": ("object", "string?"),
            "class": "struct",
            "this": "other",
            "bool": "int",
            "as": "is",
            "virtual": "abstract",
            "override": "new",
            "sealed": "static",
            "ref": "out",
            "while": "if",
            "readonly": "static",
            "break": "return",
        },
    ),
    "operator changed": exchanged(
        "operator",
        {
            "+": ("-", "*", "%", "<<"),
            "-": "+",
            "*": "/",
            "/": "*",
            "==": ("!=", "<=", ">"),
            "!=": "==",
            "<=": ">=",
            ">=": "<",
            "&&": ("||", "&", "^"),
            "||": ("&&", "??"),
            "+=": ("-=", "*=", "??=", ">>="),
            "-=": "+=",
            "++": "--",
            "--": "++",
            "??": "||",
        },
    ),
    "statement inserted": new_line(
        _STATEMENT_LINE,
        "NAME = NAME + 1;",
        "Debug.Log(NAME);",
        "var next = NAME;",
        "if (NAME == null) return;",
        "if (NAME is Foo foo && foo.Ready) { foo.Go(); }",
        "foreach (var item in NAME) { item.Stop(); }",
        "for (var i = 0; i < 10; i++) NAME(i);",
        "int Local(int a) => a * 2;",
        "using var stream = Open();",
        "var (a, b) = NAME;",
        "Func<int, int> twice = x => x * 2;",
        "NAME?.Invoke(this, EventArgs.Empty);",
        'var text = $"{NAME,10:0.00} {{}}";',
        'string path = @"C:\\temp\\";',
        'var kind = NAME switch { 1 => "a", _ => "b" };',
        "lock (NAME) { count++; }",
        "try { NAME(); } catch (Exception e) when (e.HResult != 0) { throw; } finally { }",
        "await NAME.ConfigureAwait(false);",
        "yield return new WaitForSeconds(1f);",
        "static int Add(int a, int b) { return a + b; }",
        'var list = new List<(string name, int age)> { ("a", 1) };',
        'var map = new Dictionary<string, int> { ["a"] = 1, ["b"] = 2 };',
        "var q = from x in NAME where x > 3 orderby x descending select x;",
        "switch (NAME) { case int n when n > 3: break; case null: break; default: return; }",
        "do { NAME--; } while (NAME > 0);",
        "const int Max = 3;",
        "unsafe { int* p = &x; *p = 3; }",
        "fixed (byte* p = data) { p[0] = 1; }",
        "goto done;\ndone: ;",
        "checked { NAME += 1; }",
        "char c = '\\'', d = '\"', e = '\\\\';",
        "Span<int> s = stackalloc int[4] { 1, 2, 3, 4 };",
        '_ = NAME is not null and not "";',
        "if (NAME is { Length: > 3 } or { Length: 0 }) { }",
        "NAME ??= new();",
        "var last = NAME[^1]; var part = NAME[1..^1];",
        "void Nested<T>() where T : class, new() { }",
        "ref var r = ref NAME[0];",
        "throw new InvalidOperationException(nameof(NAME));",
        "{ var scoped = 1; }",
        ";",
        "var big = 1_000_000UL; var hex = 0xFF_FF; var bin = 0b1010; var f = 1e-3f; var m = 1.5m;",
        "NAME.ForEach(static x => { x.Go(); x.Stop(); });",
        "var cast = (List<int>)NAME; var neg = (int)-1; var par = (a) + b;",
        "event1 += delegate (object s, EventArgs e) { Go(); };",
        "while (true) { if (a < b && c > d) break; else continue; }",
        "F(a < b, c > d);",
        "var x = a ? b : c ? d : e;",
        "var n = typeof(Dictionary<,>).Name;",
        "int[] a = { 1, 2 }, b = new[] { 1 }; int[,] m = new int[2, 3]; int[][] j = new int[3][];",
        "var anon = new { NAME, Age = 3 };",
        '(int a, string b) t = (1, "x");',
        "for (int i = 0, j = 9; i < j; i++, j--) { }",
        "for (;;) { break; }",
        "#pragma warning disable 0618\nNAME();\n#pragma warning restore 0618",
        "#if UNITY_EDITOR\nNAME();\n#else\nNAME(1);\n#endif",
        "#region Temp\nNAME();\n#endregion",
    ),
    "statement at the start of a body": new_line(
        _BODY_OPENING,
        "    if (NAME == null) { return; }",
        "    var started = NAME;",
        "    // starts here",
        "    NAME();",
        "    NAME.Changed += OnChanged;",
    ),
    "statement deleted": statement_deleted,
    "statement doubled": statement_doubled,
    "statements swapped": statements_swapped,
    "member inserted": new_line(
        _MEMBER_LINE,
        "private int count = 3;",
        "public int Count { get; private set; }",
        "[SerializeField, Range(0f, 1f)] private float speed = 1f;",
        "public event Action<int> Changed;",
        "private static readonly Dictionary<string, List<int>> Map = new();",
        "public bool Ready => NAME != null;",
        "private void OnChanged() { NAME(); }",
        "private T Get<T>(string key) where T : class => null;",
        "public int this[int index] => index;",
        "public static implicit operator bool(NAME value) => true;",
        "private async Task RunAsync() { await Task.Delay(1); }",
        "public enum Kind : byte { None = 0, A = 1 << 0, B, }",
        "private class Inner { public int X; }",
        "public struct Cell { public int X; public readonly int Y => X; }",
        "public interface IReady { bool Ready { get; } void Go(); }",
        "public delegate void Handler(object sender, int value);",
        'public string Name { get; init; } = "a";',
        "private record Person(string Name, int Age);",
        '[Obsolete("no")] [Tooltip("a (b")] public int old;',
        'public const string Key = "a" + "b";',
        "~NAME() { }",
        "extern static int Native(int a);",
        "protected virtual int Width { get { return 1; } set { count = value; } }",
        "public event Action Done { add { } remove { } }",
        "private (int a, string b) pair;",
        "private int?[] maybe; private int* pointer;",
        "public NAME(int a, params string[] rest) : this(a) { }",
        "public static bool operator ==(A a, A b) => true;",
        "partial void OnReady();",
        "/// <summary>Text</summary>\npublic int documented;",
        "#if UNITY_EDITOR\nprivate int editorOnly;\n#endif",
        "void IDisposable.Dispose() { }",
        "private readonly object gate = new object();",
        "public int X, Y = 3, Z;",
        "unsafe fixed int buffer[16];",
        "private delegate*<int, void> callback;",
    ),
    "condition changed": rewritten(
        _CONDITION_LINE,
        (r"\((.*)\)(\s*)$", r"(!(\1))\2"),
        (r"\((.*)\)(\s*)$", r"(\1 && ready)\2"),
        (r"\((.*)\)(\s*)$", r"(\1 || count > 3)\2"),
        (r"\((.*)\)(\s*)$", r"(ready)\2"),
        (r"\((.*)\)(\s*)$", r"((\1) == true)\2"),
        (r"\((.*)\)(\s*)$", r"(x is int n)\2"),
        (r"\((.*)\)(\s*)$", r"(a < b)\2"),
        (r"\((.*)\)(\s*)$", r"(TryGet(out var v) && v is { })\2"),
    ),
    "between directives": inactive_changed,
    "statement guarded": guarded,
    "comment changed": comment_changed,
    "comment inserted": new_line(
        _ANY_LINE, "// a note", "/* a note */", "/* two\n * lines */", "// isn't \"closed (", "//"
    ),
    "documentation changed": new_line(
        _DOC_LINE, "/// <remarks>More</remarks>", '/// <param name="x">A & b</param>', "///"
    ),
    "empty line": line_added,
    "attribute added": new_line(
        _MEMBER_LINE,
        "[SerializeField] private int a;",
        "[field: SerializeField] public int B { get; set; }",
        '[Header("x"), Range(0, 1)] public float c;',
        "[System.Serializable] public class D { }",
        "[return: NotNull] public object E() => 1;",
        '[Conditional("DEBUG")] static void F([CallerMemberName] string a = "") { }',
    ),
    "using added": new_line(
        _USING_LINE,
        "using System.Linq;",
        "using Map = System.Collections.Hashtable;",
        "using static System.Math;",
        indented=False,
    ),
    "header changed": rewritten(
        _HEADER_LINE,
        (r"\(\)", "(int added)"),
        (r"\((\w[^()]*)\)", r"(\1, int added = 3)"),
        (r"\((\w[^()]*)\)", r"(\1, params object[] rest)"),
        (r"(public|private) ", r"\1 static "),
        (r"(public|private) ", r"\1 unsafe "),
        (r"(\w+)\(", r"\1More("),
        (r"(\w+)\(", r"\1<T>("),
        (r"\bvoid\b", "async Task"),
        (r"\bvoid\b", "IEnumerator<int>"),
        (r"\bint\b", "List<int>"),
    ),
    "type changed": rewritten(
        _CODE_LINE,
        (r"\bvar (\w+) =", r"int \1 ="),
        (r"\bvar (\w+) =", r"List<Dictionary<string, int[]>> \1 ="),
        (r"\b(int|float|string) (\w+) =", r"var \2 ="),
        (r"\b(int|float|string|bool) (\w+)", r"System.Object \2"),
        (r"\b(int|float|bool) (\w+)", r"\1? \2"),
        (r"\b(int|float|bool) (\w+)", r"\1[] \2"),
        (r"<(\w+)>", r"<\1, int>"),
        (r"<(\w+)>", r"<List<\1>>"),
        (r"<(\w+)>", r"<(int, \1)>"),
        (r"List<(\w+)>", r"IReadOnlyList<\1>"),
    ),
    "class line changed": rewritten(
        _CLASS_LINE,
        (r"(class|struct) (\w+)", r"partial \1 \2"),
        (r"class (\w+)", r"class \1Base"),
        (r"class (\w+)$", r"class \1 : Base, IDisposable"),
        (r"class (\w+)$", r"class \1<T> where T : struct"),
        (r"class (\w+) : (\w+)", r"class \1 : Other<int>"),
        (r"(class|struct|enum|interface) ", r"[Serializable] \1 "),
    ),
    "expression changed": rewritten(
        _STATEMENT_LINE,
        (r"= ([^;=]*);", r"= (\1);"),
        (r"= ([^;=]*);", r"= \1 ?? other;"),
        (r"= ([^;=]*);", r"= ready ? \1 : other;"),
        (r"= ([^;=]*);", r"= (object)(\1);"),
        (r"= ([^;=]*);", r"= x => \1;"),
        (r"= ([^;=]*);", r"= new Foo { Bar = \1 };"),
        (r"= ([^;=]*);", r"= new() { Bar = { 1, 2 } };"),
        (r"= ([^;=]*);", r"= $\"{other} and {1 + 2:N0}\";"),
        (r"= ([^;=]*);", r"= items.Where(x => x > 3).Select(x => new { x }).ToList();"),
        (r"= ([^;=]*);", r"= from x in items select x;"),
        (r"= ([^;=]*);", r"= default(int);"),
        (r"= ([^;=]*);", r"= items[^1];"),
        (r"= ([^;=]*);", r"= value is not null;"),
        (r"return ([^;]*);", r"return (\1);"),
        (r"return ([^;]+);", r"return await \1;"),
        (r"return ([^;]+);", r"return (\1, 3);"),
        (r"return ([^;]+);", r"return \1 switch { null => 1, _ => 2 };"),
        (r"(\w+)\.(\w+)\(", r"\1?.\2("),
        (r"(\w+)\.(\w+)\(", r"\1.First().\2("),
        (r"(\w+)\(\)", r"\1<int>()"),
        (r"(\w+)\(\)", r"\1(out _)"),
        (r"(\w+)\(\)", r"\1(() => { Go(); })"),
        (r"(\w+)\(\)", r"\1(async x => await x)"),
        (r"(\w+)\(\)", r"\1(a: 1, b: 2)"),
        (r"new (\w+)\(", r"new \1<int>("),
        (r"\$\"", '$"{a} '),
        (r'"([^"]*)"', r"nameof(Foo)"),
    ),
    "interpolation changed": inside(
        "interpolated", "{x}", "{{", "}}", "{a.b}", "{x:0.0}", "{f(1)}"
    ),
    "argument added": argument_added,
    "call qualified": name_qualified,
    "member at the end": after_token("bracket", " ", "\n", " /* here */ ", " // here\n"),
}
"""Changes by kind."""
