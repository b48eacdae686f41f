r"""A text that was sent with its escapes: ``\n``, two characters, where a line break is meant.

Part of the offers of docs/design/engine.md §8. What stands in a literal is C#'s own.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import suppress

from snippet_engine.csharp.lexical.keywords import RESERVED_WORDS

_PIECE = re.compile(
    r"""(?P<kept>"{3}(?:[^"]|"{1,2}(?!"))*"{3}|@\$?"(?:[^"]|"")*"|"(?:\\[^\n]|[^"\\\n])*"|"""
    r"""'(?:\\[^\n][^'\n]*|[^'\\\n])'|//(?:(?!\\[rn])[^\n])*)"""
    r"""|(?P<line_break>(?:\\r)?\\n|\\r)|(?P<tab>\\t)|(?P<other>\\["'\\])|\\"""
)
"""What may hold an escape of its own, and what is one where code stands.

A sign that is escaped in code begins no string: each one then is looked at once.
"""
LONGEST = 200_000
"""Code points of a text that is looked through."""
_QUOTE = r"\""
_NEXT_BREAK = re.compile(r"\\[rn]|\n|$")
_WORD = re.compile(r"\w+")
_PROSE = re.compile(r"[\w\s,.:'’-]*\w[\w\s,.:'’-]*")
"""Words without any of the signs that code has."""


def without_escapes(text: str) -> Iterator[str]:
    """What ``text`` may stand for, the likeliest first; nothing where it has no such escape.

    All of it escaped once more, if its quotes are, or these alone; or the breaks between its lines,
    with prose behind them or without, as a comment may speak of line breaks; or all signs in its
    code.
    """
    if "\\" not in text or len(text) > LONGEST:
        return
    found: dict[str, None] = {}
    if _QUOTE in text:
        line = text.rstrip()
        with suppress(ValueError):  # Quotes may stand in it as they are; half a sign has no bytes.
            whole = json.loads(f'"{line}"', strict=False) + text[len(line) :]
            whole.encode()
            found[whole] = None
        # The escapes within its strings are C#'s then.
        found[_PIECE.sub(_break_or_tab, text.replace(_QUOTE, '"'))] = None
    found[_PIECE.sub(_break_but_in_prose, text)] = None
    found[_PIECE.sub(_break_or_tab, text)] = None
    found[_PIECE.sub(_plainly, text)] = None
    yield from (each for each in found if each != text)


def _break_or_tab(piece: re.Match[str]) -> str:
    if piece.lastgroup == "line_break":
        return "\r\n" if piece[0] == r"\r\n" else "\n"
    return "\t" if piece.lastgroup == "tab" else piece[0]


def _break_but_in_prose(piece: re.Match[str]) -> str:
    if piece.lastgroup != "line_break":
        return _break_or_tab(piece)
    end = _NEXT_BREAK.search(piece.string, piece.end())
    behind = piece.string[piece.end() : end.start() if end else None].replace(r"\t", "\t").strip()
    first = _WORD.match(behind)
    is_prose = _PROSE.fullmatch(behind) and not (first and first[0].encode() in RESERVED_WORDS)
    return piece[0] if is_prose else _break_or_tab(piece)


def _plainly(piece: re.Match[str]) -> str:
    return piece[0][1] if piece.lastgroup == "other" else _break_or_tab(piece)
