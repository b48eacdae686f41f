"""Choose the preprocessor symbol sets that a text is judged under.

Implements docs/design/roslyn.md §3 "Preprocessor symbols": code under an inactive ``#if`` isn't
parsed, so each condition is satisfied both ways, within a limit.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from snippet_engine.csharp.lexical.preprocessor import (
    WHITESPACE,
    Branch,
    Definitions,
    Directive,
    parse_directive,
    take,
)
from snippet_engine.csharp.lexical.reachability import sets_reaching
from snippet_engine.csharp.lexical.symbol_sets import SymbolSet

MAX_SYMBOL_SETS = 12
"""Maximum number of symbol sets for one text."""

_MAX_CANDIDATES = 4
"""Maximum number of solutions to try for one branch; ``#define`` may undo the first."""

_MAX_FLIPS = 12
"""Maximum number of single symbols to flip for a branch that depends on ``#define``."""

_DIRECTIVE = re.compile(rf"^[{WHITESPACE}]*(#.*)$", re.MULTILINE)


class _Place(NamedTuple):
    """A branch with its state under one symbol set. ``number`` is its index in the text."""

    number: int
    branch: Branch
    definitions: Definitions


def judged_symbols(text: str, base: SymbolSet) -> list[SymbolSet]:
    """Return ``base``, then sets near it, until each branch is active in one and inactive in one.

    Skips a branch that no set activates (``#if false``). Directives in comments or strings count as
    real ones, which can only add sets.
    """
    if "#" not in text:
        return [base]
    directives = [parse_directive(match[1].rstrip("\r")) for match in _DIRECTIVE.finditer(text)]
    named = {name for each in directives for name in each.condition.symbols()}
    if not named:
        return [base]
    places = list(_places(directives, base))
    chosen = [base, base ^ named]
    compiled = _compiled(directives, chosen[0]) | _compiled(directives, chosen[1])
    for place in places:
        if place.number in compiled or len(chosen) == MAX_SYMBOL_SETS:
            continue
        for candidate in _candidates(place, directives, base, named):
            reached = _compiled(directives, candidate)
            if place.number in reached:
                chosen.append(candidate)
                compiled |= reached
                break
    return chosen


def _candidates(
    place: _Place, directives: list[Directive], base: SymbolSet, named: set[str]
) -> Iterator[SymbolSet]:
    """Yield sets that may activate the branch at ``place``."""
    solved = sets_reaching(place.branch, place.definitions, base)
    yield from islice(solved, _MAX_CANDIDATES)
    if any(directive.keyword in {"define", "undef"} for directive in directives):
        yield from (base ^ {name} for name in sorted(named)[:_MAX_FLIPS])


def _compiled(directives: list[Directive], symbols: SymbolSet) -> frozenset[int]:
    """Return the numbers of the active branches."""
    return frozenset(place.number for place in _places(directives, symbols) if place.branch.active)


def _places(directives: list[Directive], symbols: SymbolSet) -> Iterator[_Place]:
    """Yield each branch of each chain, including an ``#else`` that isn't written."""
    branch = Branch()
    definitions: Definitions = frozenset()
    number = 0
    for directive in directives:
        if directive.keyword == "endif" and branch.kind == "if" and branch.parent is not None:
            outer = branch.parent
            active = outer.active and not branch.taken
            unwritten = outer.open("else", branch.conditions, active, branch.taken or active)
            yield _Place(number, unwritten, definitions)
            number += 1
        branch, definitions, _ = take(directive, branch, definitions, symbols, False)
        if directive.keyword in {"if", "elif", "else"}:
            yield _Place(number, branch, definitions)
            number += 1
