"""Mistakes that language models make in C#, as small edits of real files.

Each generator aims one kind of mistake at a random place. It need not break the file: Roslyn
says whether it did. Kinds are grouped by what goes wrong; the report counts them one by one.
"""

from __future__ import annotations

from benchmarks.agreement.generators import Generator
from benchmarks.agreement.mistakes.habits import HABITS
from benchmarks.agreement.mistakes.lexical import LEXICAL
from benchmarks.agreement.mistakes.newer import NEWER
from benchmarks.agreement.mistakes.pasted import PASTED
from benchmarks.agreement.mistakes.slips import SLIPS

MISTAKES: dict[str, Generator] = {**SLIPS, **PASTED, **HABITS, **LEXICAL, **NEWER}
"""Mistakes by kind."""
