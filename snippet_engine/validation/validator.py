"""The interface of a validator, and its answer.

Implements docs/design/engine.md §4: the rule is *no new errors*. The embedded validator is in
``embedded/``; other packages (a language-server client) provide more by implementing
:class:`Validator`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, Protocol

from snippet_engine.errors import SnippetError
from snippet_engine.source_text import Position

if TYPE_CHECKING:  # printing a verdict needs no parser
    from snippet_engine.csharp.document import Document
    from snippet_engine.edits import EditSet

MOST_DIAGNOSTICS = 20
"""Most errors that a verdict lists. With so many, the text may have more."""

NOT_GATED_ON_TREE: Final = "syntax beyond brackets and structure: the file was broken before"
NOT_PARSED: Final = (
    "syntax beyond brackets: the file is too large or too broken to be parsed in time"
)
NOT_PARSED_IN_SET: Final = (
    "syntax beyond brackets: the files of the set are too large together, or too broken, to be "
    "parsed in time; alone, a file may take longer"
)
NOT_ALL_ERRORS: Final = "brackets and quotes after the first errors of the file: it has too many"
NOT_CURED: Final = (
    "whether syntax errors are valid C# that the parser can't read: the file is too large or broken"
)
NOT_ALL_BRANCHES: Final = "further #if branches: the file has too many"
NOT_STRUCTURE: Final = (
    "structure around the edit: it is nested too deeply, or among too many others"
)
"""Notes in :attr:`Verdict.not_checked`."""


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One error in the text, at a view offset and its LSP position."""

    offset: int
    """0 if ``path`` names another file."""
    position: Position
    id: str
    """Roslyn's (``CS1002``) if the meaning is the same, else ``ERROR`` or ``MISSING``.

    The latter are tree-sitter's words for the node.
    """
    message: str
    path: str = ""
    """The project-relative path of another file, if the error is there."""
    cause: str = ""
    """The end of the message that names another place of the text, if it names one."""

    def to_json(self, instruction: int | None = None) -> dict[str, Any]:
        """Return ``{line, column, id, message, path?, instruction?}``.

        Line and column are one-based, as compilers print them.
        """
        body: dict[str, Any] = {
            "line": self.position.line + 1,
            "column": self.position.character + 1,
            "id": self.id,
            "message": self.message,
        }
        if self.path:
            body["path"] = self.path
        if instruction is not None:
            body["instruction"] = instruction
        return body


@dataclass(frozen=True, slots=True)
class Verdict:
    """A validator's answer about an edited text."""

    validator: str
    coverage: tuple[str, ...]
    """What was checked: ``brackets``, ``syntax``, ``semantics``."""
    language_version: str
    symbol_sets: int
    duration_ms: float
    diagnostics: tuple[Diagnostic, ...] = ()
    """The errors that the original doesn't have; if there are any, the edit is refused."""
    preexisting_errors: int = 0
    """The number of errors that both texts have."""
    not_checked: tuple[str, ...] = ()
    """What was not checked, in words."""
    knows_project: bool = True
    """Whether it judged by the project's language version and every relevant symbol set."""
    semantic_not_checked: str = ""
    """Why no compiler checked names, in a sentence."""
    compiler: str = ""
    """The compiler's version."""
    is_partial: bool = False
    """Whether the compiler would report more, given more time."""

    def with_notes(self, notes: Iterable[str]) -> Verdict:
        """Return a copy with more things that were not checked."""
        more = tuple(notes)
        return replace(self, not_checked=(*self.not_checked, *more)) if more else self


@dataclass(frozen=True, slots=True)
class ChangesVerdict:
    """A server's answer about several files that change together; for more see :class:`Verdict`."""

    validator: str
    coverage: tuple[str, ...]
    errors: tuple[Diagnostic, ...]
    """New errors in any file of the project, each with its ``path`` and the offset 0."""
    not_checked: tuple[str, ...]
    duration_ms: float
    is_partial: bool = False
    left: tuple[str, ...] = ()
    """What else was not checked, in words."""
    blocked: tuple[str, ...] = ()
    """What can be checked only after errors elsewhere are repaired, in words."""
    unheard: tuple[str, ...] = ()
    """What only a check of the whole project covers, in words."""


class Validator(Protocol):
    """Judges an edited text against its original."""

    def validate(
        self, path: str, before: Document, after: Document, edits: EditSet
    ) -> Verdict | SnippetError:
        """Return the new errors of ``after``; ``validator_unavailable`` without a verdict."""

    def diagnose(self, path: str, document: Document) -> Verdict | SnippetError:
        """Return all errors of ``document`` as it is, compared with no earlier text."""
