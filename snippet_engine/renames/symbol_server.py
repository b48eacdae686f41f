"""What is asked of a language server that knows the project's names, and its answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from snippet_engine.errors import SnippetError
from snippet_engine.source_text import Position


@dataclass(frozen=True, slots=True)
class Reference:
    """A place that refers to the symbol; ``line_text`` is its line, without indentation."""

    path: str
    start: Position
    kind: str
    line_text: str


@dataclass(frozen=True, slots=True)
class FoundReferences:
    """All references in C#. ``symbol`` are the facts of docs/design/rename.md §2.

    If not ``complete``, ``reasons`` say what was not searched. ``is_provable``: the server can
    prove a rename of the symbol.
    """

    symbol: Mapping[str, Any]
    references: tuple[Reference, ...]
    complete: bool
    reasons: tuple[str, ...]
    is_provable: bool = True


@dataclass(frozen=True, slots=True)
class ServerEdit:
    """One replacement in a script; ``kind`` is that of the reference it changes."""

    start: Position
    end: Position
    new_text: str
    kind: str


@dataclass(frozen=True, slots=True)
class NameInString:
    """A string with the name, which stays; ``offer`` is what may replace it."""

    path: str
    line: int
    text: str
    kind: str
    offer: str | None


@dataclass(frozen=True, slots=True)
class NameConflict:
    """Why a rename is refused: a place, one-based, or none of them."""

    code: str
    path: str
    line: int
    column: int
    message: str

    def to_json(self) -> dict[str, Any]:
        """Return the value as an error's details have it."""
        return {
            "code": self.code,
            "path": self.path,
            "line": self.line,
            "column": self.column,
            "message": self.message,
        }


@dataclass(frozen=True, slots=True)
class ServerRename:
    """A rename in C#: the edits of each script, the scripts that move, and what contradicts it.

    ``assemblies`` and ``files`` say what was bound again to prove it.
    """

    symbol: Mapping[str, Any]
    edits: Mapping[str, tuple[ServerEdit, ...]]
    moves: Mapping[str, str] = field(default_factory=dict)
    strings: tuple[NameInString, ...] = ()
    conflicts: tuple[NameConflict, ...] = ()
    assemblies: tuple[str, ...] = ()
    files: int = 0
    complete: bool = True
    reasons: tuple[str, ...] = ()


@runtime_checkable
class SymbolServer(Protocol):
    """A language server that answers questions about names, by the text on disk.

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

        ``attributes``: with those that let Unity read values under the old name. ``force``: also
        if Unity calls the old name.
        """
        ...
