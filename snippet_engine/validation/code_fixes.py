"""A compiler's fixes of errors: the values, and the interfaces through which they are asked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from snippet_engine.source_text import Position

MENDED = frozenset({"CS0103", "CS0246", "CS0534", "CS0535"})
"""Errors that a server can fix: unknown names, and missing members that a type must have."""


@dataclass(frozen=True, slots=True)
class FixChoice:
    """One way to fix an error: a replacement in the edited text, and what it adds."""

    what: str
    start: Position
    end: Position
    new_text: str


@dataclass(frozen=True, slots=True)
class CodeFix:
    """A fix of errors."""

    choices: tuple[FixChoice, ...]
    """Alternatives; with several, the text doesn't show which one is right."""


@runtime_checkable
class CodeFixer(Protocol):
    """A server that returns fixes."""

    def code_fixes(
        self, path: str, texts: Mapping[str, str | None], *, within_s: float
    ) -> tuple[CodeFix, ...]:
        """Return fixes for new errors of the script at ``path``; none if they come too late.

        ``texts`` are the changed texts by project-relative path; ``None`` deletes the file.
        """


@runtime_checkable
class FixingJudge(Protocol):
    """A judge that asks a :class:`CodeFixer` within the time of its request."""

    def code_fixes(self, path: str, texts: Mapping[str, str | None]) -> tuple[CodeFix, ...]:
        """Return what the server answers; see :class:`CodeFixer`."""
