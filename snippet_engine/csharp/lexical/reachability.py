"""Find symbol sets that reach a given preprocessor branch, if there are any.

Part of docs/design/roslyn.md §1.3. A place that neither the base set nor its opposite compiles may
still be compiled under another set, or under none (``#if false``).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from snippet_engine.csharp.lexical.preprocessor import Branch, Condition, Definitions, skipping
from snippet_engine.csharp.lexical.symbol_sets import EVERY_IF, SymbolSet
from snippet_engine.errors import shortened

_MAX_STEPS = 2_000
"""Most assignments that are tried before a branch counts as unreachable."""

_MAX_SHOWN = 200
"""Most characters of a condition that are shown."""

_MAX_SYMBOLS = 64
"""A branch whose conditions mention more symbols is not tried."""


def sets_reaching(branch: Branch, definitions: Definitions, base: SymbolSet) -> Iterator[SymbolSet]:
    """Yield symbol sets, near ``base``, that compile ``branch`` and all branches around it.

    ``definitions``, the symbols that the file itself defines or undefines above, are fixed.
    """
    wanted = list(_requirements(branch))
    fixed = dict(definitions)
    names = dict.fromkeys(name for condition, _ in wanted for name in condition.symbols())
    free = [name for name in names if name not in fixed]
    if len(free) > _MAX_SYMBOLS:
        return
    steps = 0

    def search(known: dict[str, bool], rest: list[str]) -> Iterator[dict[str, bool]]:
        nonlocal steps
        steps += 1
        values = [(condition.value(known), value) for condition, value in wanted]
        if steps > _MAX_STEPS or any(value is not None and value != want for value, want in values):
            return
        if all(value is not None for value, _ in values):
            yield known
            return
        name, *others = rest
        for value in (name in base, name not in base):
            yield from search({**known, name: value}, others)

    for known in search(fixed, free):
        on = {name for name in free if known.get(name) is True}
        off = {name for name in free if known.get(name) is False}
        yield (base | on) - off


def set_of_unreached(branch: Branch, base: SymbolSet) -> SymbolSet:
    """Return a set under which to read ``branch``, which no set of symbols compiles.

    It doesn't reach the branch if that needs one condition both true and false.
    """
    skipped = (condition for condition, value in _requirements(branch) if not value)
    return base | {EVERY_IF, *map(skipping, skipped)}


def required(branch: Branch) -> str:
    """Return the condition for ``branch`` to be compiled, in C# syntax; a long one is cut."""
    wanted = [
        condition if value else Condition("!", (condition,))
        for condition, value in islice(_requirements(branch), _MAX_SHOWN)
    ]
    text = " && ".join(each.text(is_inner=len(wanted) > 1) for each in wanted)
    return shortened(text, _MAX_SHOWN)


def _requirements(branch: Branch) -> Iterator[tuple[Condition, bool]]:
    """Yield each condition on the way to ``branch``, and its required value."""
    for each in branch.outermost_first():
        *earlier, last = each.conditions or (None,)
        for condition in earlier:
            if condition is not None:
                yield condition, False
        if last is not None:
            yield last, each.kind == "if"
