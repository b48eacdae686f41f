"""The cases of a run: files drawn from the corpus, and edits drawn for each.

Everything is drawn from one seed and the file's label, so that a case can be made again alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from benchmarks.agreement.changes import CHANGES
from benchmarks.agreement.generators import Generator
from benchmarks.agreement.mistakes import MISTAKES
from benchmarks.agreement.packages import CorpusFile
from benchmarks.agreement.tokens import Tokens
from snippet_engine.edits import EditSet, TextEdit
from snippet_engine.limits import MAX_CHANGED_CODE_POINTS

_TRIES = 6
"""Kinds tried for one case before the file is given up on: not every kind fits every file."""


@dataclass(frozen=True, slots=True)
class Case:
    """One edit of one file, and the kind of change that it was meant to be."""

    kind: str
    edit: TextEdit
    edited: str
    """The view after the edit."""

    @property
    def edits(self) -> EditSet:
        """Return the edit in the engine's form."""
        return EditSet((self.edit,))


def draw(
    files: Sequence[CorpusFile], seed: int, mistakes: int, changes: int
) -> Iterator[tuple[CorpusFile, list[Case]]]:
    """Yield ``mistakes`` mutations and ``changes`` valid edits, spread evenly over the files."""
    order = Random(seed).sample(files, len(files))
    for number, file in enumerate(order):
        rng = Random(f"{seed}:{file.label}")
        tokens = Tokens(file.source.view)
        cases = [
            *_some(MISTAKES, tokens, rng, _share(mistakes, number, len(order))),
            *_some(CHANGES, tokens, rng, _share(changes, number, len(order))),
        ]
        if cases:
            yield file, cases


def _share(total: int, number: int, of: int) -> int:
    """Return how many of ``total`` fall on part ``number`` of equal parts."""
    return (number + 1) * total // of - number * total // of


def _some(
    generators: Mapping[str, Generator], tokens: Tokens, rng: Random, count: int
) -> Iterator[Case]:
    kinds = list(generators)
    for _ in range(count):
        for kind in rng.choices(kinds, k=_TRIES):
            case = make_case(kind, generators[kind], tokens, rng)
            if case is not None:
                yield case
                break


def make_case(kind: str, generator: Generator, tokens: Tokens, rng: Random) -> Case | None:
    """Return a case of that kind; ``None`` if it doesn't fit, or changes nothing or too much."""
    view = tokens.view
    edit = generator(tokens, rng)
    if edit is None or not 0 < edit.changed_code_points(view) <= MAX_CHANGED_CODE_POINTS:
        return None
    return Case(kind, edit, view[: edit.start] + edit.new_text + view[edit.end :])
