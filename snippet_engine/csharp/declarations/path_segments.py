"""Parse symbol paths into segments.

Implements the notation of docs/design/engine.md §1 "Symbol anchor". The same parser reads an
agent's path and a declaration's canonical path.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache

from snippet_engine.csharp.declarations.declaration_header import UNREADABLE
from snippet_engine.csharp.declarations.signatures import parameter_types, without_passing

MAX_LENGTH = 4000
"""Longest symbol path that is parsed, in code points."""


@dataclass(frozen=True, slots=True)
class SymbolPathProblem:
    """Why a text isn't a symbol path: a sentence, and the offset of the error in code points."""

    message: str
    offset: int


@dataclass(frozen=True, slots=True)
class Segment:
    """One part of a path."""

    name: str
    type_arguments: tuple[str, ...] | None = None
    """``None`` if the path omits them; empty strings if it has only their number (``List`1``)."""
    parameters: tuple[str, ...] | None = None
    """``None`` if the path omits them."""


_IDENTIFIER = re.compile("@?([^\\W\\d][\\w\u0300-\u036f\u3099\u309a]*)")
"""Also matches letters whose accents are separate code points."""
_SPECIAL = re.compile(r"[.#](c?ctor)\b|~\s*@?([^\W\d]\w*)")
_OPERATOR = re.compile(
    r"operator\s*(?P<checked>\bchecked\b)?\s*"
    r"(?P<symbol>>>>=?|>>=?|<<=?|[-+*/%&|^=!<>]=|\+\+|--|[-+*/%&|^!~<>]|\b(?:true|false)\b)"
)
_CONVERSION = re.compile(r"(?P<how>implicit|explicit)\s+operator\b\s*(?P<checked>checked\b)?\s*")
_ARITY = re.compile(r"`{1,2}(\d{1,3})")
_SPACE = re.compile(r"\s*")
_BRACKETS = {"(": ")", "[": "]", "<": ">", "{": "}"}
_LITERAL = re.compile(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])+\'')


@lru_cache(maxsize=4096)
def parse_symbol_path(text: str) -> tuple[Segment, ...] | SymbolPathProblem:
    """Return the segments of a symbol path, or why ``text`` isn't one."""
    if len(text) > MAX_LENGTH:
        return SymbolPathProblem(
            f"symbolPath has {len(text):,} code points; {MAX_LENGTH:,} are allowed.", MAX_LENGTH
        )
    at = _skip_space(text, 0)
    if text.startswith("global::", at):
        at += len("global::")
    if not text.strip():
        return SymbolPathProblem(
            "symbolPath is empty: send a path such as Game.Player.TakeDamage(int).", 0
        )
    segments: list[Segment] = []
    while True:
        read = _segment(text, at)
        if isinstance(read, SymbolPathProblem):
            return read
        segment, at = read
        segments.append(segment)
        at = _skip_space(text, at)
        if at == len(text):
            return tuple(segments)
        if text[at] != ".":
            return SymbolPathProblem(
                f"symbolPath has {text[at]!r} at offset {at} where it should end or have a dot.",
                at,
            )
        at = _skip_space(text, at + 1)


def _segment(text: str, at: int) -> tuple[Segment, int] | SymbolPathProblem:
    """Return the segment at ``at``, and where it ends."""
    if conversion := _CONVERSION.match(text, at):
        end = _target_type_end(text, conversion.end())
        target = parameter_types(text[conversion.end() : end])
        if not target or len(target) != 1:
            return SymbolPathProblem(
                f"symbolPath has no target type for the conversion at offset {at}, "
                "as in Vec.implicit operator float(Vec).",
                at,
            )
        checked = "checked " if conversion["checked"] else ""
        return _with_parameters(
            text, end, Segment(f"{conversion['how']} operator {checked}{target[0]}")
        )
    if operator := _OPERATOR.match(text, at):
        checked = "checked " if operator["checked"] else ""
        name = f"operator {checked}{operator['symbol']}"
        return _with_parameters(text, operator.end(), Segment(name))
    if special := _SPECIAL.match(text, at):
        name = f".{special[1]}" if special[1] else f"~{special[2]}"
        return _with_parameters(text, special.end(), Segment(name))
    identifier = _IDENTIFIER.match(text, at)
    if identifier is None:
        what = repr(text[at]) if at < len(text) else "nothing"
        return SymbolPathProblem(
            f"symbolPath has {what} at offset {at} where a name should be.", at
        )
    segment, end = Segment(identifier[1]), _skip_space(text, identifier.end())
    if arity := _ARITY.match(text, end):
        segment = replace(segment, type_arguments=("",) * int(arity[1]))
        end = arity.end()
    elif text.startswith("<", end):
        close = _group_end(text, end)
        if close is None:
            return _unclosed(text, end)
        inside = text[end + 1 : close - 1]
        arguments = _type_arguments(inside)
        if arguments is None:
            return SymbolPathProblem(
                f"symbolPath has <{inside}> at offset {end}, which is not a list of types.", end
            )
        segment, end = replace(segment, type_arguments=arguments), close
    return _with_parameters(text, end, segment)


def _with_parameters(
    text: str, at: int, segment: Segment
) -> tuple[Segment, int] | SymbolPathProblem:
    """Return ``segment`` with the parameter list at ``at``, if there is one."""
    at = _skip_space(text, at)
    if at == len(text) or text[at] not in "([":
        return segment, at
    close = _group_end(text, at)
    if close is None:
        return _unclosed(text, at)
    inside = text[at + 1 : close - 1]
    if inside.strip() == UNREADABLE:
        return segment, close
    types = parameter_types(inside)
    if types is None:
        return SymbolPathProblem(
            f"symbolPath has {text[at:close]} at offset {at}, which is not a list of parameter "
            "types such as (int, string).",
            at,
        )
    return replace(segment, parameters=types), close


def _type_arguments(inside: str) -> tuple[str, ...] | None:
    """Parse ``T, U``; ``,`` (two, unnamed); and nothing (one, unnamed)."""
    if not inside.replace(",", "").strip():
        return ("",) * (inside.count(",") + 1)
    types = parameter_types(inside)
    return None if types is None else tuple(map(without_passing, types))


def _target_type_end(text: str, at: int) -> int:
    """Return where the target type of a conversion ends: at its parameters, if it has some."""
    end = at
    while end < len(text) and (text[end] != "(" or end == at):
        close = _group_end(text, end) if text[end] in _BRACKETS else end + 1
        if close is None:
            break
        end = close
    return end


def _group_end(text: str, at: int) -> int | None:
    """Return the offset after the bracket that closes the one at ``at``."""
    closers: list[str] = []
    while at < len(text):
        literal = _LITERAL.match(text, at)
        if literal is not None:
            at = literal.end()
            continue
        char = text[at]
        at += 1
        if char in _BRACKETS:
            closers.append(_BRACKETS[char])
        elif char in ")]>}":
            if closers.pop() != char:
                return None
            if not closers:
                return at
    return None


def _unclosed(text: str, at: int) -> SymbolPathProblem:
    return SymbolPathProblem(
        f"symbolPath has {text[at]!r} at offset {at} that is not closed properly.", at
    )


def _skip_space(text: str, at: int) -> int:
    space = _SPACE.match(text, at)
    return space.end() if space is not None else at
