"""Statements deleted, doubled, swapped or guarded; comments and space."""

from __future__ import annotations

import re
from random import Random

from benchmarks.agreement.generators import Generator, new_line
from benchmarks.agreement.tokens import Tokens
from snippet_engine.edits import TextEdit

_STATEMENT_LINE = re.compile(
    r"[ \t]{4,}(?:var |return|this\.|[\w.]+ [-+]?= |[\w.]+\()[^\n]*;[ \t]*$"
)
_DOC_LINE = re.compile(r"[ \t]*///")
_ANY_LINE = re.compile(r"[ \t]*[^\s#]")
_CALL_LINE = re.compile(r"[ \t]+[\w.]+\([^\n]*\);[ \t]*$")


def statement_deleted(tokens: Tokens, rng: Random) -> TextEdit | None:
    """Delete a statement's line."""
    line = tokens.line(rng, _STATEMENT_LINE)
    return line and TextEdit(line[0], min(line[1] + 1, len(tokens.view)), "")


def statement_doubled(tokens: Tokens, rng: Random) -> TextEdit | None:
    """Write a call twice."""
    line = tokens.line(rng, _CALL_LINE)
    return line and TextEdit(line[1], line[1], "\n" + tokens.view[line[0] : line[1]])


def statements_swapped(tokens: Tokens, rng: Random) -> TextEdit | None:
    """Swap two neighbouring statements."""
    line = tokens.line(rng, _CALL_LINE)
    if line is None or line[1] + 1 >= len(tokens.view):
        return None
    end = tokens.view.find("\n", line[1] + 1)
    if end < 0 or not _STATEMENT_LINE.match(tokens.view, line[1] + 1, end):
        return None
    first, second = tokens.view[line[0] : line[1]], tokens.view[line[1] + 1 : end]
    return TextEdit(line[0], end, f"{second}\n{first}")


def inactive_changed(tokens: Tokens, rng: Random) -> TextEdit | None:
    """Write something between two directives, in active or inactive code."""
    directive = tokens.pick(rng, "directive")
    if directive is None:
        return None
    text = rng.choice(
        ("\n// not here", "\n", "\n    // TODO: (", "\n/* } */", "\n#region A\n#endregion", "\n\n")
    )
    return TextEdit(directive.end, directive.end, text)


def comment_changed(tokens: Tokens, rng: Random) -> TextEdit | None:
    """Write some words into a comment."""
    token = tokens.pick(rng, "comment")
    if token is None:
        return None
    at = token.start + 2
    text = rng.choice((" note: ", " isn't \"this (", " {", " } ", " TODO ", " ''' ", " #if "))
    return TextEdit(at, at, text)


def guarded(tokens: Tokens, rng: Random) -> TextEdit | None:
    """Put a statement's line between ``#if`` and ``#endif``."""
    line = tokens.line(rng, _CALL_LINE)
    if line is None or line[1] - line[0] > 50:
        return None
    old = tokens.view[line[0] : line[1]]
    return TextEdit(line[0], line[1], f"#if DEBUG\n{old}\n#endif")


def line_added(tokens: Tokens, rng: Random) -> TextEdit | None:
    """Insert an empty line, or one with spaces only."""
    line = tokens.line(rng, _ANY_LINE)
    return line and TextEdit(line[1], line[1], rng.choice(("\n", "\n    ", " ", "\t", "\n\n")))


def between_tokens(tokens: Tokens, rng: Random) -> TextEdit | None:
    """Insert a space, a new line or a comment between any two tokens."""
    kind = rng.choice(("angle", "bracket", "keyword", "mark", "name", "number", "operator"))
    token = tokens.pick(rng, kind)
    if token is None:
        return None
    text = rng.choice(
        (" ", "\n", "\n\n", "\t", "/* here */", " /* two\n * lines */ ", " // here\n")
    )
    return TextEdit(token.end, token.end, text)


MOVES: dict[str, Generator] = {
    "statement deleted": statement_deleted,
    "statement doubled": statement_doubled,
    "statements swapped": statements_swapped,
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
    "between tokens": between_tokens,
}
"""Changes by kind."""
