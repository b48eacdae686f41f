"""Text pasted into a wrong place: members, statements, remains of an answer."""

from __future__ import annotations

import re
from random import Random

from benchmarks.agreement.generators import (
    CODE_LINE,
    MEMBER_LINE,
    STATEMENT_LINE,
    Generator,
    after_token,
    before_line,
    exchanged,
    in_place_of_line,
    new_line,
)
from benchmarks.agreement.tokens import Tokens
from snippet_engine.edits import TextEdit


def using_moved_down(tokens: Tokens, rng: Random) -> TextEdit | None:
    """Move a using directive below a declaration."""
    line = tokens.line(rng, re.compile(r"[ \t]*\}[ \t]*$"))
    return line and TextEdit(line[1], line[1], "\nusing System.Linq;")


def quotes_escaped(tokens: Tokens, rng: Random) -> TextEdit | None:
    """Escape a string's quotes, as if it were sent inside another."""
    token = tokens.pick(rng, "string")
    if token is None or token.text.startswith("@") or len(token.text) > 40:
        return None
    return TextEdit(token.start, token.end, f'\\"{token.text[1:-1]}\\"')


PASTED: dict[str, Generator] = {
    "member in a method": new_line(
        STATEMENT_LINE,
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
        MEMBER_LINE,
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
    "stray name line": new_line(CODE_LINE, "NAME", "foo", "NAME NAME NAME", "a b;", "here"),
    "stray mark": after_token(
        "name", ";", ",", ".", ")", "}", "(", "{", "\\", "`", "$", "@", "#", "?", "!", ":", "~"
    ),
    "stray mark behind a bracket": after_token(
        "bracket", ",", ".", "\\", "`", "$", "@", "=", "?", ":", "=>", "<", "*"
    ),
    "placeholder": in_place_of_line(
        CODE_LINE, "...", "…", "// ...", "/* ... */", "<...>", "[...]", "{...}", "(...)", "....;"
    ),
    "placeholder line": new_line(
        CODE_LINE,
        "...",
        "…",
        "... existing code ...",
        "<existing code>",
        "{{ code }}",
        "[omitted]",
    ),
    "placeholder argument": after_token("bracket", "...", "/* ... */ ...", "…", " ..., "),
    "markdown fence": before_line(CODE_LINE, "```\n", "```csharp\n", "```cs\n", "`", "~~~\n"),
    "markdown fence below": new_line(
        CODE_LINE, "```", "````", "**Note:** done", "`", indented=False
    ),
    "diff marker": before_line(
        CODE_LINE, "+ ", "- ", "+", "-", "> ", "<<<<<<< HEAD\n", "=======\n", ">>>>>>> main\n"
    ),
    "diff hunk": new_line(
        CODE_LINE,
        "@@ -1,3 +1,4 @@",
        "--- a/File.cs",
        "+++ b/File.cs",
        "diff --git",
        indented=False,
    ),
    "line number": before_line(CODE_LINE, "LINE ", "LINE: ", "LINE| ", "LINE\t", "L LINE "),
    "escapes sent as text": after_token("mark", "\\n", "\\t", "\\r\\n", '\\"'),
    "escaped quotes": quotes_escaped,
    "HTML entities": exchanged(
        "operator",
        {"&&": "&amp;&amp;", "<=": "&lt;=", ">=": "&gt;=", "=>": "=&gt;"},
    ),
    "HTML angle": exchanged("angle", {"<": "&lt;", ">": "&gt;"}),
    "look-alikes": exchanged("mark", {";": ("；", ";"), ",": ("，", "‚"), ".": ("。", "…")}),
    "look-alike brackets": exchanged("bracket", {"(": "（", ")": "）", "{": "｛", "}": "｝"}),
}
"""Mistakes by kind."""
