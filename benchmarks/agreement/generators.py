"""The parts of edit generators: delete or replace a token, write or rewrite a line.

A generator aims one kind of change at a random place of a file; ``None`` where it fits nowhere.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from random import Random

from benchmarks.agreement.tokens import Tokens
from snippet_engine.edits import TextEdit

Generator = Callable[[Tokens, Random], TextEdit | None]

CODE_LINE = re.compile(r"[ \t]*[^\s/#]")
STATEMENT_LINE = re.compile(r"[ \t]+[^\s/#{}][^\n]*;[ \t]*$")
MEMBER_LINE = re.compile(r"[ \t]+(?:public|private|protected|internal)\b[^\n]*")


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
