"""Questions to a language server about the project's names, and its answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Protocol, runtime_checkable

from snippet_engine.errors import SnippetError
from snippet_engine.source_text import Position


@dataclass(frozen=True, slots=True)
class Reference:
    """A place that refers to the symbol."""

    path: str
    start: Position
    kind: str
    line_text: str
    """Its line, without indentation."""


@dataclass(frozen=True, slots=True)
class FoundReferences:
    """All references in C#."""

    symbol: Mapping[str, Any]
    """The facts of docs/design/rename.md §2."""
    references: tuple[Reference, ...]
    complete: bool
    """Whether everything was searched."""
    reasons: tuple[str, ...]
    """Reasons why the search is incomplete."""
    is_provable: bool = True
    """Whether the server can prove a rename of the symbol."""


@dataclass(frozen=True, slots=True)
class ServerEdit:
    """One replacement in a script."""

    start: Position
    end: Position
    new_text: str
    kind: str
    """The kind of the reference that the edit changes."""


@dataclass(frozen=True, slots=True)
class NameInString:
    """A string with the name, which stays."""

    path: str
    line: int
    text: str
    kind: str
    offer: str | None
    """A text that may replace it."""


@dataclass(frozen=True, slots=True)
class NameConflict:
    """Why a rename is refused."""

    code: str
    path: str
    line: int
    """From 1; 0 without a place."""
    column: int
    """From 1; 0 without a place."""
    message: str

    def to_json(self) -> dict[str, Any]:
        """Return the value as an error's details have it."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class ServerRename:
    """A rename in C#."""

    symbol: Mapping[str, Any]
    edits: Mapping[str, tuple[ServerEdit, ...]]
    """The edits of each script."""
    moves: Mapping[str, str] = field(default_factory=dict)
    """The new paths of the scripts that move."""
    strings: tuple[NameInString, ...] = ()
    conflicts: tuple[NameConflict, ...] = ()
    """The conflicts that forbid the rename."""
    assemblies: tuple[str, ...] = ()
    """The assemblies that were bound again to prove it."""
    files: int = 0
    """How many files were bound again to prove it."""
    complete: bool = True
    reasons: tuple[str, ...] = ()


@runtime_checkable
class SymbolServer(Protocol):
    """A language server that answers questions about names in the text on disk.

    Errors: ``symbol_not_found`` if no symbol is there, ``validator_unavailable``.
    """

    def find_references(
        self, path: str, position: Position, *, within_s: float
    ) -> FoundReferences | SnippetError:
        """Return the references of the symbol at a position of a script."""
        ...

    def rename(
        self,
        path: str,
        position: Position,
        new_name: str,
        *,
        attributes: bool,
        force: bool,
        within_s: float,
    ) -> ServerRename | SnippetError:
        """Return the proved rename of the symbol at a position.

        ``attributes`` adds attributes that let Unity read values under the old name. ``force`` also
        renames a method that Unity calls by the old name.
        """
        ...
