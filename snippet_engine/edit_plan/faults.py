"""The fault of an instruction: the reason and its data, without an explanation."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from snippet_engine.anchors.resolution import Unresolved
from snippet_engine.errors import SnippetError
from snippet_engine.source_text import TextRange


class DeclinedBecause(StrEnum):
    """Why an anchor that matches one place is refused."""

    CONTEXT_INDENTED_OTHERWISE = "context_indented_otherwise"
    INDENTATION_CUT = "indentation_cut"


@dataclass(frozen=True, slots=True)
class Declined:
    """An anchor that matches one place, the first of ``places``, but is refused."""

    because: DeclinedBecause
    places: tuple[TextRange, ...]


@dataclass(frozen=True, slots=True)
class Fault:
    """The fault of the instruction at ``index``."""

    index: int
    why: Unresolved | Declined | SnippetError
