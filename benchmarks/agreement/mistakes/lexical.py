"""Broken directives, comments and strings."""

from __future__ import annotations

import re
from random import Random

from benchmarks.agreement.generators import (
    CODE_LINE,
    STATEMENT_LINE,
    Generator,
    after_token,
    cut,
    new_line,
)
from benchmarks.agreement.tokens import Tokens
from snippet_engine.edits import TextEdit


def directive_lost(tokens: Tokens, rng: Random) -> TextEdit | None:
    """Delete a directive's line."""
    token = tokens.pick(rng, "directive")
    return token and TextEdit(token.start, min(token.end + 1, len(tokens.view)), "")


def directive_doubled(tokens: Tokens, rng: Random) -> TextEdit | None:
    """Write a directive twice."""
    token = tokens.pick(rng, "directive")
    return token and TextEdit(token.end, token.end, "\n" + token.text)


def directive_spoilt(tokens: Tokens, rng: Random) -> TextEdit | None:
    """Misspell a directive, or cut its condition."""
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


LEXICAL: dict[str, Generator] = {
    "directive lost": directive_lost,
    "directive doubled": directive_doubled,
    "directive spoilt": directive_spoilt,
    "directive added": new_line(
        CODE_LINE,
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
    "comment not ended": new_line(CODE_LINE, "/* NAME", "/** NAME", "/*/", "/* a\n * b", "NAME /*"),
    "comment begun": after_token("mark", " /*", " /* NAME"),
    "comment end stray": new_line(CODE_LINE, "*/", "NAME */", "// */ */\n*/", "-->", "*/"),
    "comment slash lost": cut("comment", 1, 0),
    "comment marks lost": cut("comment", 2, 0),
    "comment end lost": cut("comment", 0, 2),
    "comment of another language": new_line(
        CODE_LINE, "# note", "-- note", "<!-- note -->", "; note", "' note", "% note", "REM note"
    ),
    "verbatim string": new_line(
        STATEMENT_LINE,
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
}
"""Mistakes by kind."""
