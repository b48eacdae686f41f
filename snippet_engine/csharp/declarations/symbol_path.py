"""Match an agent's symbol path with the declarations of a file.

Implements docs/design/engine.md §1 "Symbol anchor" and §8. A path is matched from its end, so the
namespace and outer types may be omitted. The best matches win: first the whole path, then one
without its namespace, then one without its outer types. Among equals, the exact spelling comes
before a looser one. So every canonical path (:mod:`snippet_engine.csharp.declarations.symbols`)
matches only its own declarations.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from snippet_engine.csharp.declarations.declaration_header import TYPE_KINDS, SymbolKind
from snippet_engine.csharp.declarations.path_segments import (
    MAX_LENGTH,
    Segment,
    SymbolPathProblem,
    parse_symbol_path,
)
from snippet_engine.csharp.declarations.signatures import (
    loose_type,
    parameter_types,
    without_passing,
)
from snippet_engine.csharp.declarations.symbols import Declaration, declarations
from snippet_engine.csharp.document import Document

__all__ = ["SymbolPathProblem", "nearest", "resolve"]


_UNARY = (
    "UnaryPlus +, UnaryNegation -, LogicalNot !, OnesComplement ~, Increment ++, Decrement "
    "--, True true, False false"
)
_BINARY = (
    "Addition +, Subtraction -, Multiply *, Division /, Modulus %, BitwiseAnd &, BitwiseOr |, "
    "ExclusiveOr ^, LeftShift <<, RightShift >>, UnsignedRightShift >>>, Equality ==, "
    "Inequality !=, LessThan <, GreaterThan >, LessThanOrEqual <=, GreaterThanOrEqual >="
)
_OPERATOR_METHODS = {
    (f"op_{name}", f"operator {sign}", operands)
    for operands, listed in ((1, _UNARY), (2, _BINARY))
    for name, sign in (each.split() for each in listed.split(", "))
}
"""Metadata name, name in a path, and number of operands of each operator."""

_KINDS_WITH_SEVERAL_NAMES = {
    SymbolKind.CONSTRUCTOR,
    SymbolKind.INDEXER,
    SymbolKind.OPERATOR,
    SymbolKind.CONVERSION_OPERATOR,
}
_OVERLOADED = {SymbolKind.METHOD, SymbolKind.LOCAL_FUNCTION}

_ACCESSORS = {"get", "set", "init", "add", "remove"}

_WORD = re.compile(r"[^\W\d]\w*")
_LIKE_ENOUGH = 0.6
"""Least ``difflib`` ratio at which two names count as similar."""


def resolve(document: Document, symbol_path: str) -> list[Declaration] | SymbolPathProblem:
    """Return the declarations that ``symbol_path`` names, in document order.

    The list is empty if nothing matches. It has several entries for overloads, for types with
    the same name, and for a symbol that is declared in several places. Return a problem if
    ``symbol_path`` isn't a path.
    """
    every = declarations(document)
    text = symbol_path.strip()
    if exact := [one for one in every if one.path == text]:
        return exact
    path = parse_symbol_path(text)
    if isinstance(path, SymbolPathProblem):
        return path
    best: tuple[int, int] | None = None
    found: list[Declaration] = []
    for one in every:
        rank = _rank(every, one, path)
        if rank is None or (best is not None and rank > best):
            continue
        if rank != best:
            best, found = rank, []
        found.append(one)
    # If two #if branches have a type's header, its members are listed under both of its names.
    return list({one.full: one for one in reversed(found)}.values())[::-1]


@dataclass(frozen=True, slots=True)
class _Link:
    """A segment of a canonical path, and its kind; ``None`` for an explicit interface."""

    segment: Segment
    kind: SymbolKind | None


def _rank(
    every: Sequence[Declaration], one: Declaration, path: tuple[Segment, ...]
) -> tuple[int, int] | None:
    """Return how well ``path`` matches ``one``, 0 being best; ``None`` if it doesn't match.

    Compares first what the path omits (nothing, namespaces, types), then how loosely it matches.
    """
    last = path[-1]
    if one.name != last.name and one.kind not in _KINDS_WITH_SEVERAL_NAMES:
        return None
    if (
        one.kind is SymbolKind.CONSTRUCTOR
        and not one.name.startswith(".")
        and path == (Segment(one.name),)
    ):
        return None  # a type's bare name means the type
    chain = _chain(every, one)
    position = len(chain) - 1
    looseness = 0
    for segment in reversed(path):
        while True:
            if position < 0:
                return None
            link = chain[position]
            owner = chain[position - 1].segment.name if position else ""
            misfit = _misfit(segment, link, owner)
            position -= 1
            if misfit is not None:
                looseness += misfit
                break
            if link.kind is not None:
                return None
            looseness += 1
    left_out = chain[: position + 1]
    looseness += sum(link.kind is None for link in left_out)
    if not left_out:
        return 0, looseness
    return 1 + any(link.kind is not SymbolKind.NAMESPACE for link in left_out), looseness


def _chain(every: Sequence[Declaration], one: Declaration) -> list[_Link]:
    """Return the links of a declaration's canonical path."""
    links: list[_Link] = []
    while True:
        parent = None if one.parent is None else every[one.parent]
        own = one.path if parent is None else one.path[len(parent.path) + 1 :]
        segments = parse_symbol_path(own)
        if isinstance(segments, SymbolPathProblem):
            segments = (Segment(one.name),)
        qualifier = SymbolKind.NAMESPACE if one.kind is SymbolKind.NAMESPACE else None
        links.append(_Link(segments[-1], one.kind))
        links.extend(_Link(segment, qualifier) for segment in reversed(segments[:-1]))
        if parent is None:
            return links[::-1]
        one = parent


def _misfit(asked: Segment, link: _Link, owner: str) -> int | None:
    """Return how loosely a segment matches a link: 0 exactly, ``None`` if it doesn't.

    ``owner`` is the name of the link before.
    """
    total = 0
    for misfit in (
        _name_misfit(asked.name, link, owner),
        _type_argument_misfit(asked, link),
        _parameter_misfit(asked.parameters, link),
    ):
        if misfit is None:
            return None
        total += misfit
    return total


def _name_misfit(name: str, link: _Link, owner: str) -> int | None:
    declared = link.segment.name
    if name == declared:
        return 0
    if link.kind is SymbolKind.CONSTRUCTOR:
        if declared == ".cctor":
            return 1 if name == owner else None
        return 0 if name == ".ctor" else None
    if link.kind is SymbolKind.INDEXER:
        return 0 if name == "Item" else None
    if link.kind is SymbolKind.OPERATOR:
        operands = len(link.segment.parameters or ())
        return 0 if (name, declared, operands) in _OPERATOR_METHODS else None
    if link.kind is SymbolKind.CONVERSION_OPERATOR:
        how, _, target = declared.partition(" operator ")
        if name == f"op_{how.capitalize()}":
            return 0
        asked_how, _, asked_target = name.partition(" operator ")
        return 1 if asked_how == how and loose_type(asked_target) == loose_type(target) else None
    return None


def _type_argument_misfit(asked: Segment, link: _Link) -> int | None:
    declared = link.segment.type_arguments or ()
    if asked.type_arguments is None:
        every_overload = link.kind in _OVERLOADED and asked.parameters is None
        return 1 if declared and not every_overload else 0
    if len(asked.type_arguments) != len(declared):
        return None
    if asked.type_arguments == declared:
        return 0
    if link.kind is None:  # the arguments of an interface are types, not names to choose freely
        for ask, has in zip(asked.type_arguments, declared, strict=True):
            if ask and loose_type(ask) != loose_type(has):
                return None
    return 1


def _parameter_misfit(asked: tuple[str, ...] | None, link: _Link) -> int | None:
    declared = link.segment.parameters
    if asked is None:
        return 0
    if declared is None:
        return 1 if link.kind is SymbolKind.DELEGATE else None
    if len(asked) != len(declared):
        return None
    misfit = 0
    for ask, has in zip(asked, declared, strict=True):
        plain_ask, plain_has = without_passing(ask), without_passing(has)
        if ask.removesuffix(plain_ask) != has.removesuffix(plain_has):
            if plain_ask != ask:
                return None
            misfit += 1
        if plain_ask != plain_has:
            if loose_type(plain_ask) != loose_type(plain_has):
                return None
            misfit += 1
    return misfit


def nearest(document: Document, symbol_path: str, limit: int = 5) -> list[str]:
    """Return the canonical paths most similar to ``symbol_path`` (any text), best first.

    Similar names come first, and among them those in the same container. Then come that container
    and its content. If nothing is similar, return the file's types.
    """
    from difflib import SequenceMatcher  # noqa: PLC0415 - only for errors

    every = declarations(document)
    # A letter and its accent look the same as one code point or two.
    path = unicodedata.normalize("NFC", symbol_path[:MAX_LENGTH])
    head, _, parameters = path.partition("(")
    words = [word.casefold() for word in _WORD.findall(head)] or [""]
    wanted, containers = words[-1], set(words[:-1])
    asked = parameter_types(parameters.rpartition(")")[0])
    matcher = SequenceMatcher(autojunk=False)
    matcher.set_seq2(wanted)
    likeness: dict[str, float] = {}
    scores: dict[str, float] = {}
    for one in every:
        if one.kind is SymbolKind.ACCESSOR and wanted not in _ACCESSORS:
            continue
        name = unicodedata.normalize("NFC", one.name).casefold()
        if name not in likeness:
            matcher.set_seq1(name)
            like = matcher.ratio() if matcher.quick_ratio() >= _LIKE_ENOUGH else 0.0
            likeness[name] = like if like >= _LIKE_ENOUGH else 0.0
        score = 4 * likeness[name]
        if name in containers and name != wanted and one.kind is not SymbolKind.CONSTRUCTOR:
            score += 1
        if one.parent is not None and containers:
            around = {word.casefold() for word in _WORD.findall(every[one.parent].path)}
            score += len(containers & around) / len(containers)
        if score == 0.0 and one.kind not in TYPE_KINDS:
            continue
        if asked and one.path.endswith(f"({','.join(asked)})"):
            score += 0.5
        scores.setdefault(one.path, score)
    return sorted(scores, key=lambda path: -scores[path])[:limit]
