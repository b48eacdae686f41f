"""What Roslyn answers: values, and how the rows become them that come out of .NET.

Implements docs/design/roslyn.md §3.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from snippet_engine.csharp.lexical.symbol_sets import SymbolSet

Span = tuple[int, int, int, int]
"""First line and character, last line and character: zero-based, UTF-16, as LSP has them."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One of Roslyn's diagnostics. ``severity`` is Roslyn's: 2 a warning, 3 an error."""

    id: str
    severity: int
    span: Span
    message: str


@dataclass(frozen=True, slots=True)
class Declaration:
    """One declaration of an outline. ``kind`` is the name of an LSP ``SymbolKind``.

    ``depth`` counts the declarations around it; ``name_span`` lies within ``span``.
    """

    kind: str
    depth: int
    span: Span
    name_span: Span
    name: str


@dataclass(frozen=True, slots=True)
class Meaning:
    """What names and types in one text of an assembly come to, and what was looked at for it.

    ``elsewhere`` are the errors that the text brings to other sources; ``not_checked`` are
    assemblies that were not judged, each with reason and detail. ``changed_names`` are
    those whose declarations are others than in the file; of the sources that these concern,
    ``not_judged`` were too many, and ``inactive_mentions`` mention them where no symbol compiles
    them. ``inactive_lines`` are the lines in words that changed where no symbol compiles them.
    ``concerns_all`` tells that something changed which is used without being named,
    ``changes_inactive_code_only`` that the text differs from the file only where no symbol compiles
    it, ``leaves_unused`` that members that nothing uses were not sought, which are errors,
    ``is_not_lowered`` that no code was made of its bodies, though that may bring further errors,
    ``are_analyzers_unheard`` that the project has analyzers that may, and that were not asked.
    """

    findings: list[Finding]
    elsewhere: dict[Path, list[Finding]]
    not_checked: list[tuple[str, str, str]]
    changed_names: tuple[str, ...]
    concerns_all: bool
    not_judged: int
    inactive_mentions: int
    inactive_lines: str
    changes_inactive_code_only: bool
    leaves_unused: bool
    is_not_lowered: bool
    are_analyzers_unheard: bool


@dataclass(frozen=True, slots=True)
class CommandLine:
    """What a compiler's command line says of a language: its version, and symbols."""

    language_version: str
    symbols: SymbolSet


@dataclass(frozen=True, slots=True)
class ProjectError:
    """One error or warning with its place as the compiler prints it: lines and columns from 1.

    ``file`` is the source that it is in, whatever ``#line`` says of its ``path``. ``severity`` is
    ``error``, ``warning``, or ``misread``: an error in a source that isn't in UTF-8.
    """

    id: str
    severity: str
    path: str
    line: int
    column: int
    file: str
    assembly: str
    message: str


@dataclass(frozen=True, slots=True)
class ProjectFindings:
    """What was found about a project. ``not_checked`` are assembly, reason and detail.

    ``bound_trees`` counts what was bound for it, ``bound_assemblies`` how often an assembly was
    bound as a whole; ``is_confirmed`` tells whether all that is known comes from that. ``halted``
    has the first error of each assembly that keeps the compiler from looking further.
    ``unread`` are assembly, path and condition of what symbols leave out, ``newer_flow`` assembly,
    path, line and name of variables whose value an older compiler may not find.
    """

    errors: list[ProjectError]
    not_checked: list[tuple[str, str, str]]
    assemblies: list[str]
    files: int
    bound_trees: int
    bound_assemblies: int
    is_confirmed: bool
    halted: tuple[ProjectError, ...] = ()
    unread: tuple[tuple[str, str, str], ...] = ()
    newer_flow: tuple[tuple[str, str, int, str], ...] = ()


def finding(row: str) -> Finding:
    """One of Roslyn's diagnostics as a row of .NET's says it."""
    id_, severity, *at, message = row.split(" ", 6)
    return Finding(id_, int(severity), _span(at), message)


def project_error(row: str) -> ProjectError:
    """An error as a row of .NET's says it."""
    id_, severity, line, column, path, file, assembly, message = row.split("\t", 7)
    return ProjectError(id_, severity, path, int(line), int(column), file, assembly, message)


def not_checked(row: str) -> tuple[str, str, str]:
    """An assembly that was not judged, the reason and its detail, as a row of .NET's says it."""
    assembly, reason, detail = row.split("\t", 2)
    return assembly, reason, detail


def unread(row: str) -> tuple[str, str, str]:
    """Assembly, path and condition of code that symbols leave out, as a line of .NET's says it."""
    assembly, path, condition = row.split("\t", 2)
    return assembly, path, condition


def newer_flow(row: str) -> tuple[str, str, int, str]:
    """Where an older compiler may not find a value, as a row of .NET's says it."""
    assembly, path, line, name = row.split("\t", 3)
    return assembly, path, int(line), name


def declaration(row: str) -> Declaration:
    """A declaration as a row of .NET's says it."""
    kind, depth, *rest = row.split(" ", 10)
    return Declaration(kind, int(depth), _span(rest[:4]), _span(rest[4:8]), rest[8])


def _span(numbers: Sequence[str]) -> Span:
    first_line, first_character, last_line, last_character = map(int, numbers)
    return first_line, first_character, last_line, last_character
