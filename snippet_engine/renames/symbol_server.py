"""The questions to a language server about names in the project, and its answers."""

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
    """The line of the place, without indentation."""


@dataclass(frozen=True, slots=True)
class FoundReferences:
    """All references in C#."""

    symbol: Mapping[str, Any]
    """The facts about the symbol, see docs/design/rename.md §2."""
    references: tuple[Reference, ...]
    complete: bool
    """Whether everything was searched."""
    reasons: tuple[str, ...]
    """Reasons why the search is incomplete."""
    is_provable: bool = True
    """Whether the server can prove a rename of this symbol."""


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
    """A string that contains the name and isn't changed."""

    path: str
    line: int
    text: str
    kind: str
    offer: str | None
    """A text that may replace the string."""


@dataclass(frozen=True, slots=True)
class NameConflict:
    """A reason why a rename is refused."""

    code: str
    path: str
    line: int
    """One-based; 0 if there is no place."""
    column: int
    """One-based; 0 if there is no place."""
    message: str

    def to_json(self) -> dict[str, Any]:
        """Return the conflict as it is in an error's details."""
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
    """The assemblies that the compiler bound again to prove the rename."""
    files: int = 0
    """How many files the compiler bound again to prove the rename."""
    complete: bool = True
    reasons: tuple[str, ...] = ()


@runtime_checkable
class SymbolServer(Protocol):
    """A language server that answers questions about names in the text on disk.

    Errors: ``symbol_not_found`` if no symbol is at the position, ``validator_unavailable``.
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
