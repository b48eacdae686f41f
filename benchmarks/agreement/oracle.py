"""Roslyn's verdicts: the new errors of an edited text, under every symbol set that matters.

Roslyn runs in this process, through pythonnet. :file:`roslyn_oracle.cs` does the work; it is
compiled in memory by the Roslyn that it asks.

Three answers are possible, for language version 9:

* *broken*: under some symbol set, parsing reports an error that the original had not; or the
  compiler, asked without references, says that the syntax needs a newer language version.
* *form*: the parser takes it, but the binder refuses it whatever is referenced (a name as a
  statement, a method without a body, statements outside types in a library): it has a new error
  of :mod:`.sure_errors`. Or a newer feature in it shows only in what names mean. Such an edit is
  neither a valid one that must pass nor a syntax error that must be found; it is counted by
  itself.
* *valid*: neither.

What ``#error`` says is *form*, too: some symbol set reaches it, and nobody may compile with that.
"""

from __future__ import annotations

import importlib
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import product
from pathlib import Path
from typing import Any

from benchmarks.agreement.sure_errors import SURE
from roslyn_server.compiler import hosting
from roslyn_server.compiler.host_assembly import load_compiled
from roslyn_server.toolchains.install import (
    ROSLYN_4_1,
    install,
    installed_toolchain,
    is_installed,
    parts,
)
from roslyn_server.toolchains.machine import this_machine
from roslyn_server.toolchains.pairing import Toolchain
from snippet_engine.csharp.lexical.preprocessor import parse_directive
from snippet_engine.csharp.lexical.symbol_sets import UNITY_EDITOR_SYMBOLS, SymbolSet


def toolchain() -> Toolchain:
    """Return the pinned toolchain, fetched if it isn't in the cache. Raises ``FetchError``."""
    machine = this_machine()
    install([part for part in parts(machine, [ROSLYN_4_1]) if not is_installed(part)])
    return installed_toolchain(machine, ROSLYN_4_1)


LANGUAGE_VERSION = "9"
MAX_SYMBOL_SETS = 16
"""Symbol sets that one file is judged under, at most."""

_BOUND_SETS = 6
"""Symbol sets that an edit is also bound under, which takes ten times as long."""

_ALL_COMBINATIONS_OF = 4
_SOURCE = Path(__file__).with_name("roslyn_oracle.cs")
_VERSION_ERRORS = frozenset(("CS8773", "CS8652", "CS8703", "CS8967", "CS8706", "CS8400", "CS8370"))
"""What the compiler says of syntax that its language version lacks."""

_STATED = "CS1029 "
"""How what an ``#error`` says begins."""

_NOT_OF_SYNTAX = (
    "inferred delegate type",
    "interpolated string handlers",
    "parameterless struct constructors",
    "struct field initializers",
    "constant interpolated strings",
    "variance safety",
)
"""Newer features that show in what names mean, or far from the edit; these count as *form*."""


class Truth(Enum):
    """What an edit does to a file, as Roslyn sees it."""

    VALID = "valid"
    FORM = "form"
    BROKEN = "broken"


@dataclass(frozen=True, slots=True)
class RoslynVerdict:
    """The truth about one edited text, and the new errors: ``id position message`` each."""

    truth: Truth
    errors: tuple[str, ...] = ()


class Oracle:
    """A loaded Roslyn. A process can load one. Raises ``FetchError`` without network."""

    def __init__(self) -> None:
        self._roslyn, self._strings, self._string_lists = _load()

    def judge(
        self, original: str, edited: Sequence[str], further: Sequence[SymbolSet] = ()
    ) -> list[RoslynVerdict]:
        """Return the truth about each edited text. Line endings are ``\\n``.

        ``further``: symbol sets to judge under besides those that the texts' symbols suggest.
        """
        union = symbol_sets([original, *edited], further)
        parsed = self._new_errors(original, edited, union)
        accepted = [index for index, errors in enumerate(parsed) if not errors]
        bound = self._new_errors(original, [edited[i] for i in accepted], union[:_BOUND_SETS], SURE)
        verdicts = [RoslynVerdict(_truth_of_parsed(errors), errors) for errors in parsed]
        for index, errors in zip(accepted, bound, strict=True):
            if not errors:
                truth = Truth.VALID
            elif any(_needs_newer_language(error) for error in errors):
                truth = Truth.BROKEN
            else:
                truth = Truth.FORM
            verdicts[index] = RoslynVerdict(truth, errors)
        return verdicts

    def errors(self, text: str) -> tuple[str, ...]:
        """Return the parse errors of ``text`` under the first symbol set that has some."""
        return self._new_errors("", [text], symbol_sets([text]))[0]

    def parse_times_ms(self, text: str, repetitions: int) -> list[float]:
        """Return how long full parses of ``text`` take inside Roslyn, each in milliseconds."""
        symbols = self._strings(sorted(UNITY_EDITOR_SYMBOLS))
        return list(self._roslyn.ParseTimes(text, symbols, LANGUAGE_VERSION, repetitions))

    def _new_errors(
        self,
        original: str,
        edited: Sequence[str],
        sets: Sequence[SymbolSet],
        bound_for: Collection[str] | None = None,
    ) -> list[tuple[str, ...]]:
        symbols = self._string_lists([self._strings(sorted(each)) for each in sets])
        texts = self._strings(list(edited))
        ids = None if bound_for is None else self._strings(sorted(bound_for))
        found = self._roslyn.NewErrors(original, texts, symbols, LANGUAGE_VERSION, ids)
        return [tuple(str(errors).split("\n")) if str(errors) else () for errors in found]


def _truth_of_parsed(errors: Sequence[str]) -> Truth:
    """Return the truth about a text that doesn't parse."""
    return Truth.FORM if all(each.startswith(_STATED) for each in errors) else Truth.BROKEN


def _needs_newer_language(error: str) -> bool:
    id_ = error.split(" ", 1)[0]
    return id_ in _VERSION_ERRORS and not any(feature in error for feature in _NOT_OF_SYNTAX)


def symbol_sets(texts: Sequence[str], further: Sequence[SymbolSet] = ()) -> list[SymbolSet]:
    """Return the base set, all its symbols flipped, ``further``, and sets with both values of each.

    With up to four symbols, every combination of them; with more, all off, all on, all
    flipped, and each one alone or flipped in turn, within :data:`MAX_SYMBOL_SETS`.
    """
    named = sorted({name for text in texts for name in _symbols(text)})
    base = UNITY_EDITOR_SYMBOLS
    others = base - set(named)
    if len(named) <= _ALL_COMBINATIONS_OF:
        choices = product((False, True), repeat=len(named))
        sets = [
            others | {name for name, on in zip(named, chosen, strict=True) if on}
            for chosen in choices
        ]
    else:
        sets = [others, base | set(named)]
        # Alone, each reaches its own branch of `#if A` … `#elif B` … `#elif C`.
        sets += [each for name in named for each in (others | {name}, base ^ {name})]
    flipped = base ^ frozenset(named)
    return list(dict.fromkeys([base, flipped, *further, *sets]))[:MAX_SYMBOL_SETS]


def _symbols(text: str) -> Iterator[str]:
    if "#" not in text:
        return
    for line in text.split("\n"):
        stripped = line.strip()
        if stripped.startswith("#"):
            yield from parse_directive(stripped).condition.symbols()


def _load() -> tuple[Any, Any, Any]:
    """Start the runtime, compile the oracle; its class and the two .NET array types."""
    found = toolchain()
    hosting.start(found)
    load_compiled("RoslynOracle", [_SOURCE, hosting.MESSAGES_SOURCE], found.roslyn_dir)
    system: Any = importlib.import_module("System")
    oracle = importlib.import_module("Agreement").RoslynOracle
    return oracle, system.Array[system.String], system.Array[system.Array[system.String]]
