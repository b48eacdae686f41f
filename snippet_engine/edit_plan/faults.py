"""What is wrong with an instruction: the reason and its data, without an explanation."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from snippet_engine.anchors.resolution import Unresolved
from snippet_engine.errors import SnippetError
from snippet_engine.source_text import TextRange


class DeclinedBecause(StrEnum):
    """Why an anchor that fits one place is not taken for it."""

    CONTEXT_INDENTED_OTHERWISE = "context_indented_otherwise"
    INDENTATION_CUT = "indentation_cut"
    MORE_IN_COMMENTS = "more_in_comments"
    """Every place was asked for, and comments have more."""


@dataclass(frozen=True, slots=True)
class Declined:
    """An anchor that fits one place, the first of ``places``, and is not taken for it."""

    because: DeclinedBecause
    places: tuple[TextRange, ...]


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with the instruction at ``index``."""

    index: int
    why: Unresolved | Declined | SnippetError
