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
    """One error in the text, at a view offset and its LSP position.

    If ``path`` names another file, project-relative, the error is there, and the offset is 0.
    ``id`` is Roslyn's (``CS1002``) if the meaning is the same, else tree-sitter's word for the node
    (``ERROR``, ``MISSING``). ``cause`` is the end of the message that names another place of the
    text, if it names one.
    """

    offset: int
    position: Position
    id: str
    message: str
    path: str = ""
    cause: str = ""

    def to_json(self, instruction: int | None = None) -> dict[str, Any]:
        """Return ``{line, column, id, message, path?, instruction?}``, one-based as compilers
        print.
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
    """A validator's answer about an edited text.

    ``diagnostics`` are the errors of the edited text that the original doesn't have: the edit is
    refused if there are any. ``preexisting_errors`` counts those in both. ``coverage`` names what
    was checked: ``brackets``, ``syntax``, ``semantics``; ``not_checked`` says in words what was
    not. ``knows_project``: the validator judged by the project's own language version and by every
    relevant symbol set. ``semantic_not_checked`` says in a sentence why no compiler checked names;
    ``compiler`` is its version. ``is_partial``: the compiler would tell more, given more time.
    """

    validator: str
    coverage: tuple[str, ...]
    language_version: str
    symbol_sets: int
    duration_ms: float
    diagnostics: tuple[Diagnostic, ...] = ()
    preexisting_errors: int = 0
    not_checked: tuple[str, ...] = ()
    knows_project: bool = True
    semantic_not_checked: str = ""
    compiler: str = ""
    is_partial: bool = False

    def with_notes(self, notes: Iterable[str]) -> Verdict:
        """Return a copy with more things that were not checked."""
        more = tuple(notes)
        return replace(self, not_checked=(*self.not_checked, *more)) if more else self


@dataclass(frozen=True, slots=True)
class ChangesVerdict:
    """A server's answer about several files that change together.

    ``errors`` are new ones, in any file of the project: each has its ``path``, and the offset 0.
    Of ``not_checked``, ``blocked`` can be checked once errors elsewhere are repaired, ``unheard``
    is the same for every change of an assembly, and ``left`` is the rest. The rest is as in
    :class:`Verdict`.
    """

    validator: str
    coverage: tuple[str, ...]
    errors: tuple[Diagnostic, ...]
    not_checked: tuple[str, ...]
    duration_ms: float
    is_partial: bool = False
    left: tuple[str, ...] = ()
    blocked: tuple[str, ...] = ()
    unheard: tuple[str, ...] = ()


class Validator(Protocol):
    """Judges an edited text against its original."""

    def validate(
        self, path: str, before: Document, after: Document, edits: EditSet
    ) -> Verdict | SnippetError:
        """Return the new errors of ``after``; ``validator_unavailable`` without a verdict."""
        ...

    def diagnose(self, path: str, document: Document) -> Verdict | SnippetError:
        """Return all errors of ``document`` as it is, compared with no earlier text."""
        ...
