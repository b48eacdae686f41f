"""A new text that isn't C#, in each of the ways in which it may have been meant.

Part of the offers of docs/design/engine.md §8: without what a paste or a client brought along, as
targets are offered without it. Never within a literal, or a comment, but for the escapes of a text
that is escaped as a whole. Whether it is C# then, is for a validator to say.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import combinations

from snippet_engine.explain.tolerant import (
    ESCAPES,
    MARKS,
    WRAPPINGS,
    plain_double_quotes,
    plain_signs,
    plain_single_quotes,
)
from snippet_engine.offers.carrying.literals import outside_literals
from snippet_engine.offers.escapes import LONGEST, without_escapes

_MOST_TOGETHER = 3
"""Ways of spoiling a text that are looked for in one."""
_MOST_WAYS = 6

_Cleaner = Callable[[str], Iterable[str]]


def cleaned(text: str) -> Iterator[tuple[str, str]]:
    """``(what is left out or put right, the text then)``, least of it first.

    Nothing where there is nothing to be left out. At most :data:`_MOST_WAYS`.
    """
    found: dict[str, str] = {}
    if len(text) > LONGEST:
        return
    for count in range(1, _MOST_TOGETHER + 1):
        for cleaners in combinations(_CLEANERS, count):
            told = " and ".join(dict.fromkeys(name for name, _ in cleaners))
            for each in _by_all(text, [clean for _, clean in cleaners]):
                found.setdefault(each, f"newText without {told}")
                if len(found) == _MOST_WAYS:
                    break
    yield from ((told, each) for each, told in list(found.items())[:_MOST_WAYS])


def _by_all(text: str, cleaners: list[_Cleaner]) -> Iterator[str]:
    """``text`` cleaned by each of them in turn, as far as each changes it."""
    if not cleaners:
        yield text
        return
    for once in cleaners[0](text):
        if once != text and once.strip():
            yield from _by_all(once, cleaners[1:])


def _after_diff(text: str) -> Iterator[str]:
    """The lines that a difference leaves: neither those that it takes away, nor its signs."""
    lines = text.split("\n")
    signs = {line[0] for line in lines if line.strip()}
    if "+" in signs and signs <= {"+", "-", " "}:
        kept = [line for line in lines if not line.startswith("-")]
        yield "\n".join(line[1:] for line in kept)


def _plainly_quoted(text: str) -> Iterator[str]:
    """With plain quotes for those that a word processor makes, but for those within a literal."""
    double = outside_literals(text, plain_double_quotes)
    yield outside_literals(double, plain_single_quotes)


def _plainly_signed(text: str) -> Iterator[str]:
    yield outside_literals(text, plain_signs)


def _by(take_off: Callable[[str], str]) -> _Cleaner:
    return lambda text: (take_off(text),)


def _unquoted(take_off: Callable[[str], str]) -> _Cleaner:
    """The sign of a quotation taken off. Lines that all have a minus are those to go: who knows."""
    return lambda text: () if text.lstrip("\n").startswith("-") else (take_off(text),)


_CLEANERS: tuple[tuple[str, _Cleaner], ...] = (
    *(
        (name, _unquoted(take_off) if name == MARKS else _by(take_off))
        for name, take_off in WRAPPINGS
        if name != ESCAPES
    ),
    (MARKS, _after_diff),
    ("look-alikes of quotes", _plainly_quoted),
    ("look-alikes of signs", _plainly_signed),
    (ESCAPES, without_escapes),
)
