"""Under which preprocessor symbol sets a text is judged.

Implements spec 04-roslyn §3 "Preprocessor symbols": code under an inactive ``#if`` isn't parsed,
so each condition of the text is satisfied both ways, within a bound.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from snippet_engine.csharp.preprocessor import (
    WHITESPACE,
    Branch,
    Definitions,
    parse_directive,
    take,
)
from snippet_engine.csharp.reachability import sets_reaching
from snippet_engine.csharp.symbol_sets import SymbolSet

MAX_SYMBOL_SETS = 12
"""Symbol sets that one text is judged under, at most."""

_MAX_CANDIDATES = 4
_DIRECTIVE = re.compile(rf"^[{WHITESPACE}]*(#.*)$", re.MULTILINE)


class _Wanted(NamedTuple):
    """A branch that some set should compile, and what the text itself has defined above it."""

    branch: Branch
    definitions: Definitions


def judged_symbols(text: str, base: SymbolSet) -> list[SymbolSet]:
    """``base`` first, then sets near to it, until some set compiles each branch and one leaves it.

    A branch that no set compiles (``#if false``) is passed over. Directives inside comments or
    strings are taken for real ones: that can only make for more sets.
    """
    if "#" not in text:
        return [base]
    wanted = list(_branches(text, base))
    named = {
        name
        for each in wanted
        for condition in each.branch.conditions
        for name in condition.symbols()
    }
    if not named:
        return [base]
    chosen = [base, base ^ named]
    for each in wanted:
        if len(chosen) == MAX_SYMBOL_SETS:
            break
        if not any(_compiles(each, symbols) for symbols in chosen):
            candidates = islice(sets_reaching(each.branch, each.definitions, base), _MAX_CANDIDATES)
            chosen += islice((s for s in candidates if _compiles(each, s)), 1)
    return chosen


def _branches(text: str, symbols: SymbolSet) -> Iterator[_Wanted]:
    """Each branch of each chain, an ``#else`` that isn't written included."""
    branch = Branch()
    definitions: Definitions = frozenset()
    for match in _DIRECTIVE.finditer(text):
        directive = parse_directive(match[1].rstrip("\r"))
        if directive.keyword == "endif" and branch.kind == "if" and branch.parent is not None:
            outer = branch.parent
            yield _Wanted(outer.open("else", branch.conditions, True, True), definitions)
        branch, definitions, _ = take(directive, branch, definitions, symbols, False)
        if directive.keyword in {"if", "elif", "else"}:
            yield _Wanted(branch, definitions)


def _compiles(wanted: _Wanted, symbols: SymbolSet) -> bool:
    def holds_all(chain: Sequence[Branch]) -> bool:
        for each in chain:
            *earlier, last = (_holds(each, index, wanted, symbols) for index in _indexes(each))
            if any(earlier) or last != (each.kind == "if"):
                return False
        return True

    return holds_all([each for each in wanted.branch.outermost_first() if each.conditions])


def _indexes(branch: Branch) -> range:
    return range(len(branch.conditions))


def _holds(branch: Branch, index: int, wanted: _Wanted, symbols: SymbolSet) -> bool:
    condition = branch.conditions[index]
    known = {name: name in symbols for name in condition.symbols()}
    known.update(wanted.definitions)
    return condition.value(known) is True
