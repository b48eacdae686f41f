"""Roslyn's answers as values, read from .NET's rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

Span = tuple[int, int, int, int]
"""First line and character, last line and character: zero-based, UTF-16."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One of Roslyn's diagnostics."""

    id: str
    severity: int
    """Roslyn's: 2 a warning, 3 an error."""
    span: Span
    message: str


@dataclass(frozen=True, slots=True)
class Declaration:
    """One declaration of an outline."""

    kind: str
    """The name of an LSP ``SymbolKind``."""
    depth: int
    """How many declarations are around it."""
    span: Span
    name_span: Span
    """Lies within ``span``."""
    name: str


@dataclass(frozen=True, slots=True)
class TextSemantics:
    """The semantic errors of one text in its assembly."""

    findings: list[Finding]
    elsewhere: dict[Path, list[Finding]]
    """Errors that the text causes in other sources."""
    not_checked: list[tuple[str, str, str]]
    """Assemblies, each with reason and detail."""
    changed_names: tuple[str, ...]
    """Names with other declarations than in the file."""
    concerns_all: bool
    """Whether something changed that is used without being named."""
    not_judged: int
    """How many affected sources were too many to judge."""
    inactive_mentions: tuple[Path, ...]
    """Affected sources that mention ``changed_names`` in excluded code."""
    inactive_lines: str
    """The changed lines in excluded code, in words."""
    changes_inactive_code_only: bool
    """Whether only excluded code changed."""
    leaves_unused: bool
    """Whether unused members, which are errors here, were not looked for."""
    is_not_lowered: bool
    """Whether no code was generated, which may find more errors."""
    are_analyzers_unheard: bool
    """Whether analyzers that may report errors did not run."""


@dataclass(frozen=True, slots=True)
class ProjectError:
    """One error or warning as the compiler prints it: lines and columns from 1."""

    id: str
    severity: str
    """``error``, ``warning``, or ``misread``: an error in a source that isn't UTF-8."""
    path: str
    line: int
    column: int
    file: str
    """The source with the error; ``path`` may be another, set by ``#line``."""
    assembly: str
    message: str


@dataclass(frozen=True, slots=True)
class ProjectFindings:
    """The compiler's findings about a project."""

    errors: list[ProjectError]
    not_checked: list[tuple[str, str, str]]
    """Assembly, reason and detail."""
    assemblies: list[str]
    files: int
    bound_trees: int
    """How many sources were bound."""
    bound_assemblies: int
    """How many assemblies were bound as a whole."""
    is_confirmed: bool
    """Whether everything known comes from assemblies bound as a whole."""
    halted: tuple[ProjectError, ...] = ()
    """The first error of each assembly that stops the compiler."""
    unread: tuple[tuple[str, str, str], ...] = ()
    """Assembly, path and condition of excluded code."""
    newer_flow: tuple[tuple[str, str, int, str], ...] = ()
    """Assembly, path, line and name of variables that an older compiler may find unassigned."""


def finding(row: str) -> Finding:
    """Read a finding from a row of .NET's."""
    id_, severity, *at, message = row.split(" ", 6)
    return Finding(id_, int(severity), _span(at), message)


def project_error(row: str) -> ProjectError:
    """Read an error from a row of .NET's."""
    id_, severity, line, column, path, file, assembly, message = row.split("\t", 7)
    return ProjectError(id_, severity, path, int(line), int(column), file, assembly, message)


def three_columns(row: str) -> tuple[str, str, str]:
    """Read assembly, reason and detail, or assembly, path and condition, from a row of .NET's."""
    first, second, third = row.split("\t", 2)
    return first, second, third


def newer_flow(row: str) -> tuple[str, str, int, str]:
    """Read assembly, path, line and variable from a row of .NET's."""
    assembly, path, line, name = row.split("\t", 3)
    return assembly, path, int(line), name


def declaration(row: str) -> Declaration:
    """Read a declaration from a row of .NET's."""
    kind, depth, *rest = row.split(" ", 10)
    return Declaration(kind, int(depth), _span(rest[:4]), _span(rest[4:8]), rest[8])


def _span(numbers: Sequence[str]) -> Span:
    first_line, first_character, last_line, last_character = map(int, numbers)
    return first_line, first_character, last_line, last_character
