"""Mistakes that language models make in C#, as small edits of real files.

Each generator aims one kind of mistake at a random place. It need not break the file: Roslyn
says whether it did. Kinds are grouped by what goes wrong; the report counts them one by one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from random import Random

from benchmarks.agreement.tokens import Tokens
from snippet_engine.edits import TextEdit

Generator = Callable[[Tokens, Random], TextEdit | None]

_CODE_LINE = re.compile(r"[ \t]*[^\s/#]")
_STATEMENT_LINE = re.compile(r"[ \t]+[^\s/#{}][^\n]*;[ \t]*$")
_MEMBER_LINE = re.compile(r"[ \t]+(?:public|private|protected|internal)\b[^\n]*")
_USING_LINE = re.compile(r"using [\w.]+;")
_IF_LINE = re.compile(r"[ \t]*(?:else )?(?:if|while|foreach) \((?P<condition>[^\n]*)\)[ \t]*$")
_OPENING = re.compile(r"[^\n]*\{[ \t]*$")


# -- what the generators are made of -------------------------------------------------------


def lost(kind: str, *texts: str) -> Generator:
    """Take a token away."""

    def edit(tokens: Tokens, rng: Random) -> TextEdit | None:
        token = tokens.pick(rng, kind, *texts)
        return token and TextEdit(token.start, token.end, "")

    return edit


def doubled(kind: str, *texts: str) -> Generator:
    """Write a token twice."""

    def edit(tokens: Tokens, rng: Random) -> TextEdit | None:
        token = tokens.pick(rng, kind, *texts)
        gap = " " if kind in {"keyword", "name"} else ""
        return token and TextEdit(token.end, token.end, gap + token.text)

    return edit


def exchanged(kind: str, pairs: Mapping[str, str | tuple[str, ...]]) -> Generator:
    """Write one token in place of another."""

    def edit(tokens: Tokens, rng: Random) -> TextEdit | None:
        token = tokens.pick(rng, kind, *pairs)
        if token is None:
            return None
        new = pairs[token.text]
        return TextEdit(token.start, token.end, new if isinstance(new, str) else rng.choice(new))

    return edit


def after_token(kind: str, *stray: str) -> Generator:
    """Write something stray behind a token; ``NAME`` stands for a name of the file."""

    def edit(tokens: Tokens, rng: Random) -> TextEdit | None:
        token = tokens.pick(rng, kind)
        text = rng.choice(stray).replace("NAME", tokens.name(rng))
        return token and TextEdit(token.end, token.end, text)

    return edit


def new_line(where: re.Pattern[str], *texts: str, indented: bool = True) -> Generator:
    """Write a line of its own below a line that ``where`` matches."""

    def edit(tokens: Tokens, rng: Random) -> TextEdit | None:
        line = tokens.line(rng, where)
        if line is None:
            return None
        indentation = tokens.indentation(line[0]) if indented else ""
        text = rng.choice(texts).replace("NAME", tokens.name(rng))
        body = "\n".join(indentation + each for each in text.split("\n"))
        return TextEdit(line[1], line[1], "\n" + body)

    return edit


def in_place_of_line(where: re.Pattern[str], *texts: str) -> Generator:
    """Write something in place of a whole line."""

    def edit(tokens: Tokens, rng: Random) -> TextEdit | None:
        line = tokens.line(rng, where)
        if line is None:
            return None
        start = line[0] + len(tokens.indentation(line[0]))
        return TextEdit(start, line[1], rng.choice(texts).replace("NAME", tokens.name(rng)))

    return edit


def before_line(where: re.Pattern[str], *texts: str) -> Generator:
    """Put something in front of a line's text, or of its indentation."""

    def edit(tokens: Tokens, rng: Random) -> TextEdit | None:
        line = tokens.line(rng, where)
        if line is None:
            return None
        start = line[0] + (len(tokens.indentation(line[0])) if rng.random() < 0.5 else 0)
        number = str(tokens.view.count("\n", 0, start) + 1)
        return TextEdit(start, start, rng.choice(texts).replace("LINE", number))

    return edit


def rewritten(where: re.Pattern[str], *changes: tuple[str, str]) -> Generator:
    """Rewrite a line with one of ``changes``: a pattern, and what stands for its first match."""

    def edit(tokens: Tokens, rng: Random) -> TextEdit | None:
        for pattern, replacement in rng.sample(changes, len(changes)):
            for _ in range(8):
                line = tokens.line(rng, where)
                if line is None:
                    break
                old = tokens.view[line[0] : line[1]]
                new = re.sub(pattern, replacement, old, count=1)
                if new != old:
                    return TextEdit(line[0], line[1], new).trimmed(tokens.view)
        return None

    return edit


def cut(kind: str, first: int, last: int) -> Generator:
    """Take ``first`` characters off a token's front and ``last`` off its end."""

    def edit(tokens: Tokens, rng: Random) -> TextEdit | None:
        token = tokens.pick(rng, kind)
        if token is None or len(token.text) <= first + last:
            return None
        kept = token.text[first : len(token.text) - last]
        return TextEdit(token.start, token.end, kept).trimmed(tokens.view)

    return edit


def inside(kind: str, *texts: str) -> Generator:
    """Write something at a random place inside a token."""

    def edit(tokens: Tokens, rng: Random) -> TextEdit | None:
        token = tokens.pick(rng, kind)
        if token is None or len(token.text) < 3:
            return None
        at = rng.randrange(token.start + 1, token.end - 1) + (token.text[0] in "$@")
        return TextEdit(at, at, rng.choice(texts))

    return edit


# -- generators of their own kind ----------------------------------------------------------


def line_deleted(tokens: Tokens, rng: Random) -> TextEdit | None:
    """A line of code is gone."""
    line = tokens.line(rng, _CODE_LINE)
    return line and TextEdit(line[0], min(line[1] + 1, len(tokens.view)), "")


def line_doubled(tokens: Tokens, rng: Random) -> TextEdit | None:
    """A line of code stands there twice."""
    line = tokens.line(rng, _CODE_LINE)
    return line and TextEdit(line[1], line[1], "\n" + tokens.view[line[0] : line[1]])


def lines_swapped(tokens: Tokens, rng: Random) -> TextEdit | None:
    """Two lines that follow each other change places."""
    if len(tokens.lines) < 2:
        return None
    number = rng.randrange(len(tokens.lines) - 1)
    (start, middle), (second, end) = tokens.lines[number : number + 2]
    first, other = tokens.view[start:middle], tokens.view[second:end]
    if not first.strip() or not other.strip() or first == other:
        return None
    return TextEdit(start, end, f"{other}\n{first}")


def line_cut_short(tokens: Tokens, rng: Random) -> TextEdit | None:
    """A line ends in the middle."""
    line = tokens.line(rng, _CODE_LINE)
    if line is None:
        return None
    start = line[0] + len(tokens.indentation(line[0]))
    return TextEdit(rng.randrange(start, line[1]), line[1], "") if start < line[1] else None


def end_of_file_cut(tokens: Tokens, rng: Random) -> TextEdit | None:
    """The file ends too early."""
    length = len(tokens.view)
    return TextEdit(max(0, length - rng.randrange(1, 60)), length, "") if length else None


def tokens_swapped(tokens: Tokens, rng: Random) -> TextEdit | None:
    """Two neighbouring tokens change places."""
    kind = rng.choice(("name", "keyword", "bracket", "mark", "operator"))
    first = tokens.pick(rng, kind)
    second = first and tokens.after(first)
    if first is None or second is None or second.kind in {"comment", "directive"}:
        return None
    between = tokens.view[first.end : second.start]
    if "\n" in between or first.text == second.text:
        return None
    return TextEdit(first.start, second.end, f"{second.text}{between}{first.text}")


def keyword_misspelt(tokens: Tokens, rng: Random) -> TextEdit | None:
    """A keyword loses a letter, or two of its letters change places."""
    token = tokens.pick(rng, "keyword")
    if token is None or len(token.text) < 3:
        return None
    at = rng.randrange(len(token.text) - 1)
    text = token.text
    if rng.random() < 0.5:
        new = text[:at] + text[at + 1 :]
    else:
        new = text[:at] + text[at + 1] + text[at] + text[at + 2 :]
    return TextEdit(token.start, token.end, new)


def directive_lost(tokens: Tokens, rng: Random) -> TextEdit | None:
    """A directive's line is gone."""
    token = tokens.pick(rng, "directive")
    return token and TextEdit(token.start, min(token.end + 1, len(tokens.view)), "")


def directive_doubled(tokens: Tokens, rng: Random) -> TextEdit | None:
    """A directive stands there twice."""
    token = tokens.pick(rng, "directive")
    return token and TextEdit(token.end, token.end, "\n" + token.text)


def directive_spoilt(tokens: Tokens, rng: Random) -> TextEdit | None:
    """A directive is misspelt, or its condition cut."""
    token = tokens.pick(rng, "directive")
    if token is None:
        return None
    changes: tuple[tuple[str, str], ...] = (
        (r"#(\w)\w", r"#\1"),
        (r"#\w+", "#ifdef"),
        (r"#\w+", "#elseif"),
        (r"#\w+", "#end"),
        (r"#", ""),
        (r"&&|\|\|", ""),
        (r"(\w+)[ \t]*$", r"(\1"),
        (r"(\w+)[ \t]*$", r"\1)"),
        (r"$", " &&"),
        (r"(#\w+).*", r"\1"),
    )
    pattern, replacement = rng.choice(changes)
    new = re.sub(pattern, replacement, token.text, count=1)
    return TextEdit(token.start, token.end, new) if new != token.text else None


def using_moved_down(tokens: Tokens, rng: Random) -> TextEdit | None:
    """A using directive below a declaration."""
    line = tokens.line(rng, re.compile(r"[ \t]*\}[ \t]*$"))
    return line and TextEdit(line[1], line[1], "\nusing System.Linq;")


def single_quoted(tokens: Tokens, rng: Random) -> TextEdit | None:
    """A string in single quotes."""
    token = tokens.pick(rng, "string")
    if token is None or token.text.startswith("@") or len(token.text) > 40:
        return None
    new = f"'{token.text[1:-1]}'"
    return TextEdit(token.start, token.end, new).trimmed(tokens.view)


def quotes_escaped(tokens: Tokens, rng: Random) -> TextEdit | None:
    """A string whose quotes are escaped, as if it were sent inside another."""
    token = tokens.pick(rng, "string")
    if token is None or token.text.startswith("@") or len(token.text) > 40:
        return None
    return TextEdit(token.start, token.end, f'\\"{token.text[1:-1]}\\"')


def keyword_for_name(tokens: Tokens, rng: Random) -> TextEdit | None:
    """A reserved word where a name was."""
    token = tokens.pick(rng, "name")
    words = ("class", "event", "object", "in", "is", "params", "default", "lock", "return", "new")
    return token and TextEdit(token.start, token.end, rng.choice(words))


MUTATIONS: dict[str, Generator] = {
    "bracket lost": lost("bracket"),
    "bracket doubled": doubled("bracket"),
    "bracket of another kind": exchanged(
        "bracket",
        {"(": ("[", "{"), ")": ("]", "}"), "[": "(", "]": ")", "{": "(", "}": ")"},
    ),
    "angle bracket lost": lost("angle"),
    "angle bracket doubled": doubled("angle"),
    "quote lost": cut("string", 0, 1),
    "opening quote lost": cut("string", 1, 0),
    "quote doubled": after_token("string", '"', '""'),
    "quote inside a string": inside("string", '"', "\n"),
    "quotes of a character": cut("char", 0, 1),
    "single quotes for a string": single_quoted,
    "bad escape": inside("string", "\\d", "\\", "\\q", "\\U12", "\\xg", "\\u12"),
    "interpolation brace": inside("interpolated", "{", "}", "{}", "{NAME", '"', "{a b}", "{(}"),
    "interpolation cut": cut("interpolated", 0, 1),
    "semicolon lost": lost("mark", ";"),
    "semicolon doubled": doubled("mark", ";"),
    "comma lost": lost("mark", ","),
    "comma doubled": doubled("mark", ","),
    "dot lost": lost("mark", "."),
    "dot doubled": doubled("mark", "."),
    "mark exchanged": exchanged(
        "mark", {";": (",", ":", "."), ",": (";", "."), ".": (",", "->", "::", ";")}
    ),
    "operator lost": lost("operator"),
    "operator doubled": doubled("operator"),
    "keyword lost": lost("keyword"),
    "keyword doubled": doubled("keyword"),
    "keyword misspelt": keyword_misspelt,
    "name lost": lost("name"),
    "name doubled": doubled("name"),
    "name turned keyword": keyword_for_name,
    "number spoilt": after_token("number", "x", ".", "..", "_", "99999999999999999999", "e", "px"),
    "tokens swapped": tokens_swapped,
    "line deleted": line_deleted,
    "line doubled": line_doubled,
    "lines swapped": lines_swapped,
    "line cut short": line_cut_short,
    "end of file cut": end_of_file_cut,
    "member in a method": new_line(
        _STATEMENT_LINE,
        "public void Helper() { }",
        "private int count;",
        "public int Count { get; set; }",
        "[SerializeField] private float speed = 1f;",
        "private static readonly string Key = NAME;",
        "protected override void OnEnable() { NAME(); }",
        "private IEnumerator Wait()\n{\n    yield return null;\n}",
        "public event Action Changed;",
        "internal class Inner { }",
        "void Helper(int a);\npublic int b;",
        "public const int Max = 3;",
        "private static int Sum(int a, int b) => a + b;",
        "enum Kind { A, B }",
        "public Helper() { }",
        "static int count = 0;",
        "readonly int count = 0;",
    ),
    "statement in a class": new_line(
        _MEMBER_LINE,
        "NAME = 5;",
        "return NAME;",
        "if (NAME != null) { NAME(); }",
        "NAME.NAME();",
        "for (int i = 0; i < 3; i++) { }",
        "foreach (var x in NAME) { }",
        "Debug.Log(NAME);",
        "count++;",
        "yield return null;",
        "break;",
        "NAME.x += 3;",
        "throw new Exception();",
        "try { NAME(); } catch { }",
        "var x = NAME;",
        "switch (NAME) { }",
        "lock (NAME) { }",
        "await NAME;",
        "transform.position = Vector3.zero;",
        "base.Awake();",
    ),
    "statement in a namespace": new_line(
        re.compile(r"using [\w.]+;|namespace [\w.]+|\}$"),
        "return;",
        "Debug.Log(1);",
        "if (NAME) { }",
        "int x;",
        "x = 3;",
        "foreach (var x in NAME) { }",
        "public void Foo() { }",
        "private int count;",
        indented=False,
    ),
    "using below declarations": using_moved_down,
    "stray name": after_token("name", " NAME", " foo", " TODO", " undefined"),
    "stray name behind a bracket": after_token("bracket", " NAME", "NAME", " async", " null"),
    "stray name line": new_line(_CODE_LINE, "NAME", "foo", "NAME NAME NAME", "a b;", "here"),
    "stray mark": after_token(
        "name", ";", ",", ".", ")", "}", "(", "{", "\\", "`", "$", "@", "#", "?", "!", ":", "~"
    ),
    "stray mark behind a bracket": after_token(
        "bracket", ",", ".", "\\", "`", "$", "@", "=", "?", ":", "=>", "<", "*"
    ),
    "placeholder": in_place_of_line(
        _CODE_LINE, "...", "…", "// ...", "/* ... */", "<...>", "[...]", "{...}", "(...)", "....;"
    ),
    "placeholder line": new_line(
        _CODE_LINE,
        "...",
        "…",
        "... existing code ...",
        "<existing code>",
        "{{ code }}",
        "[omitted]",
    ),
    "placeholder argument": after_token("bracket", "...", "/* ... */ ...", "…", " ..., "),
    "markdown fence": before_line(_CODE_LINE, "```\n", "```csharp\n", "```cs\n", "`", "~~~\n"),
    "markdown fence below": new_line(
        _CODE_LINE, "```", "````", "**Note:** done", "`", indented=False
    ),
    "diff marker": before_line(
        _CODE_LINE, "+ ", "- ", "+", "-", "> ", "<<<<<<< HEAD\n", "=======\n", ">>>>>>> main\n"
    ),
    "diff hunk": new_line(
        _CODE_LINE,
        "@@ -1,3 +1,4 @@",
        "--- a/File.cs",
        "+++ b/File.cs",
        "diff --git",
        indented=False,
    ),
    "line number": before_line(_CODE_LINE, "LINE ", "LINE: ", "LINE| ", "LINE\t", "L LINE "),
    "escapes sent as text": after_token("mark", "\\n", "\\t", "\\r\\n", '\\"'),
    "escaped quotes": quotes_escaped,
    "HTML entities": exchanged(
        "operator",
        {"&&": "&amp;&amp;", "<=": "&lt;=", ">=": "&gt;=", "=>": "=&gt;"},
    ),
    "HTML angle": exchanged("angle", {"<": "&lt;", ">": "&gt;"}),
    "look-alikes": exchanged("mark", {";": ("；", ";"), ",": ("，", "‚"), ".": ("。", "…")}),
    "look-alike brackets": exchanged("bracket", {"(": "（", ")": "）", "{": "｛", "}": "｝"}),
    "Python": rewritten(
        _CODE_LINE,
        (r"if \((.*)\)", r"if \1:"),
        (r"else if", "elif"),
        (r"&&", "and"),
        (r"\|\|", "or"),
        (r"!(\w)", r"not \1"),
        (r"//", "#"),
        (r"foreach \(var (\w+) in (\w+)\)", r"for \1 in \2:"),
        (r"for \(.*\)", "for i in range(10):"),
        (r"\bnull\b", "None if"),
        (r"(?:public|private) .*\(.*\)", "def run(self):"),
        (r"\{$", ":"),
        (r'\$"', 'f"'),
        (r"\+\+;", " += 1"),
        (r"catch.*", "except:"),
        (r"new (\w+)\(", r"\1.__init__(self, "),
        (r";$", ""),
        (r"(\w+) \? (\w+) : (\w+)", r"\2 if \1 else \3"),
    ),
    "JavaScript": rewritten(
        _CODE_LINE,
        (r"==", "==="),
        (r"!=", "!=="),
        (r"(?:public|private) \w+ (\w+)\(", r"function \1("),
        (r"\bvar (\w+) =", r"let \1 :int ="),
        (r'"([^"]*)"', r"`\1`"),
        (r"=>", "= function() =>"),
        (r"\bint (\w+)\b", r"\1: number"),
        (r"\bin\b", "of"),
        (r"foreach \(var", "for (const"),
        (r"new List<\w+>\(\)", "[]"),
        (r"\bnull\b", "undefined ??= {}"),
        (r"(\w+)\.(\w+);", r"...\1;"),
        (r"const (\w+) (\w+)", r"const \2: \1"),
    ),
    "Java": rewritten(
        _CODE_LINE,
        (r"readonly", "final"),
        (r"class (\w+) : (\w+)", r"class \1 extends \2"),
        (r"class (\w+) : (\w+)", r"class \1 implements \2"),
        (r"override", "@Override"),
        (r"\bforeach \(var (\w+) in", r"for (var \1 :"),
        (r"\bis\b", "instanceof"),
        (r"\)$", ") throws Exception"),
        (r"=> ", "-> "),
        (r"\[(\w+)\]", r"@\1"),
        (r"typeof\((\w+)\)", r"\1.class"),
        (r"base\.", "super."),
        (r"base\(", "super("),
        (r"namespace", "package"),
    ),
    "Go, Rust, Kotlin": rewritten(
        _CODE_LINE,
        (r"\bvar (\w+) =", r"\1 :="),
        (r" = ", " := "),
        (r"if \((.*)\)", r"if \1"),
        (r"while \((.*)\)", r"for \1"),
        (r"(?:public|private) \w+ (\w+)\(", r"func \1("),
        (r"(?:public|private) \w+ (\w+)\(", r"fn \1("),
        (r"\bvar (\w+)", r"val \1"),
        (r"\bvar (\w+) =", r"let mut \1 ="),
        (r"(\w+)\(\);", r"\1()!!;"),
        (r"\breturn (.*);", r"\1?"),
        (r"\bnull\b", "nil nil"),
        (r"foreach \(var (\w+) in (\w+)\)", r"for \1 in \2"),
        (r"\((\w+) (\w+)\)", r"(\2: \1)"),
    ),
    "C++": rewritten(
        _CODE_LINE,
        (r"(\w+)\.(\w+)\(", r"\1->\2("),
        (r"(\w+)\.(\w+)\(", r"\1::\2("),
        (r"using ([\w.]+);", r"#include <\1>"),
        (r"(public|private) ", r"\1: "),
        (r"(\w+)\[\] (\w+)", r"\1 \2[]"),
        (r"\bstring (\w+)", r"const string& \1"),
        (r"class (\w+) : (\w+)", r"class \1 : public \2"),
        (r"new (\w+)\(\)", r"\1{}"),
        (r"\bnull\b", "NULL nullptr"),
        (r"\bout (\w+)", r"&\1&"),
        (r'"([^"]*)"', r'L"\1"'),
    ),
    "VB, Lua, shell": rewritten(
        _CODE_LINE,
        (r"if \((.*)\)", r"if \1 then"),
        (r"!=", "<>"),
        (r"!=", "~="),
        (r"^(\s*)\}", r"\1end"),
        (r"^(\s*)\}", r"\1End Sub"),
        (r"else if", "elseif"),
        (r'" \+', '" ..'),
        (r"\+=", ":+="),
        (r"(\w+) = ", r"set \1 = "),
        (r"//", "--"),
        (r"//", "'"),
    ),
    "parentheses lost": rewritten(
        _CODE_LINE,
        (r"(if|while|foreach|for|switch|using|lock) \((.*)\)", r"\1 \2"),
        (r"(if|while|foreach|for|switch|using|lock) \((.*)\)", r"\1 (\2"),
        (r"(if|while|foreach|for|switch|using|lock) \((.*)\)", r"\1 ()"),
        (r"catch \((.*)\)", r"catch \1"),
        (r"typeof\((.*?)\)", r"typeof \1"),
        (r"(\w+)\(\);", r"\1;"),
        (r"new (\w+)\(\)", r"new \1"),
        (r"\((\w+)\)(\w)", r"\1 \2"),
    ),
    "declaration spoilt": rewritten(
        _CODE_LINE,
        (r"\((\w+) (\w+)\)", r"(\2)"),
        (r"(\w+) (\w+)\)", r"\1)"),
        (r"(public|private) (\w+) (\w+)\(", r"\1 \3("),
        (r"(public|private) (\w+) (\w+)", r"\1 \2"),
        (r"class (\w+)", "class"),
        (r"(\w+) = [^;]*;", r"\1 = ;"),
        (r"= ([^;]*);", r"= \1 \1;"),
        (r"foreach \(var (\w+) in", r"foreach (\1 in"),
        (r"foreach \(var (\w+) in", r"foreach (var in"),
        (r"for \(([^;]*);", r"for (\1,"),
        (r"get;", "get"),
        (r"\{ get", "{ got"),
        (r"const (\w+) (\w+) = [^;]*;", r"const \1 \2;"),
        (r"case ([^:]*):", r"case \1"),
        (r"case ([^:]*):", r"\1:"),
        (r"return ([^;]*);", r"return return \1;"),
        (r"\belse\b", "else else"),
        (r"\btry\b", "try {} try"),
        (r"\bcatch\b.*", ""),
        (r"\bwhere (\w+)", "where"),
        (r"<(\w+)>", "<>"),
        (r"<(\w+)>", r"<\1,>"),
        (r"<(\w+)>", r"<\1"),
        (r" : (\w+)", " :"),
        (r", (\w+)\)", r", )"),
        (r"\.(\w+)\(", r".("),
        (r"\bin\b", ""),
        (r"=> (.*);", "=> ;"),
        (r"\bnew (\w+)", "new"),
        (r"\bvoid\b", "void void"),
        (r"\bvoid\b", "int void"),
        (r"\bstatic\b", "static public const"),
        (r"(\w+)\[(\w+)\]", r"\1[]"),
    ),
    "directive lost": directive_lost,
    "directive doubled": directive_doubled,
    "directive spoilt": directive_spoilt,
    "directive added": new_line(
        _CODE_LINE,
        "#if UNITY_EDITOR",
        "#endif",
        "#else",
        "#elif DEBUG",
        "#region Fields",
        "#endregion",
        "#if",
        "#if UNITY_EDITOR\n#else",
        "#define FOO",
        "#include <x>",
        "#foo",
        "#import System",
        "#if (A && B\n#endif",
        "#error no",
        "#line x",
        "#nullable on",
        "#pragma warning disable\n#end if",
    ),
    "comment not ended": new_line(
        _CODE_LINE, "/* NAME", "/** NAME", "/*/", "/* a\n * b", "NAME /*"
    ),
    "comment begun": after_token("mark", " /*", " /* NAME"),
    "comment end stray": new_line(_CODE_LINE, "*/", "NAME */", "// */ */\n*/", "-->", "*/"),
    "comment slash lost": cut("comment", 1, 0),
    "comment marks lost": cut("comment", 2, 0),
    "comment end lost": cut("comment", 0, 2),
    "comment of another language": new_line(
        _CODE_LINE, "# note", "-- note", "<!-- note -->", "; note", "' note", "% note", "REM note"
    ),
    "verbatim string": new_line(
        _STATEMENT_LINE,
        'var path = @"C:\\dir\\";\nvar other = @"a" b";',
        'var path = @"C:\\dir;',
        'var text = $@"{NAME";',
        'var text = @$"{NAME}}";',
        'var text = $"{NAME:0.0";',
        'var text = $"{NAME ? 1 : 2}";',
        'var text = $"{(NAME}";',
        'var text = "C:\\dir";',
        'var text = "line\nbreak";',
        "var text = ''a'';",
        'var text = $"{{NAME}";',
        'var text = $"{}";',
    ),
    "newer syntax": new_line(
        _STATEMENT_LINE,
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
        "(a, var b) = NAME;",
    ),
    "newer declaration": new_line(
        _MEMBER_LINE,
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
