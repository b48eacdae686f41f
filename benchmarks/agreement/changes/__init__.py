"""Valid changes, as small edits of real files.

Each generator makes one kind of change where it looks as if it fits. Roslyn says whether it
does: what it calls broken counts as broken, whatever it was meant to be.
"""

from __future__ import annotations

from benchmarks.agreement.changes.composed import COMPOSED
from benchmarks.agreement.changes.insertions import INSERTIONS
from benchmarks.agreement.changes.moves import MOVES
from benchmarks.agreement.changes.rewriting import REWRITING
from benchmarks.agreement.changes.words import WORDS
from benchmarks.agreement.generators import Generator

CHANGES: dict[str, Generator] = {
    **WORDS,
    **INSERTIONS,
    **REWRITING,
    **MOVES,
    **COMPOSED,
}
"""Changes by kind."""
