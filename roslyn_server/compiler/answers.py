"""Roslyn's answers as values, and the rows from .NET that they are read from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from snippet_engine.csharp.lexical.symbol_sets import SymbolSet

Span = tuple[int, int, int, int]
"""First line and character, last line and character: zero-based, UTF-16."""


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
class TextSemantics:
    """What the names and types in one text of an assembly mean.

    ``elsewhere`` are the errors that the text causes in other sources; ``not_checked`` are
    assemblies with reason and detail. ``changed_names`` have other declarations than in the file;
    of the affected sources, ``not_judged`` were too many, and ``inactive_mentions`` mention them in
    excluded code. ``inactive_lines`` are the changed lines in excluded code, in words.
    ``concerns_all``: something changed that is used without being named.
    ``changes_inactive_code_only``: only excluded code changed. ``leaves_unused``: unused members,
    which are errors here, were not looked for. ``is_not_lowered``: no code was generated, which may
    find more errors. ``are_analyzers_unheard``: analyzers that may report errors did not run.
    """

    findings: list[Finding]
    elsewhere: dict[Path, list[Finding]]
    not_checked: list[tuple[str, str, str]]
    changed_names: tuple[str, ...]
    concerns_all: bool
    not_judged: int
    inactive_mentions: tuple[Path, ...]
    inactive_lines: str
    changes_inactive_code_only: bool
    leaves_unused: bool
    is_not_lowered: bool
    are_analyzers_unheard: bool


@dataclass(frozen=True, slots=True)
class CommandLine:
    """The language version and symbols of a compiler's command line."""

    language_version: str
    symbols: SymbolSet


@dataclass(frozen=True, slots=True)
class ProjectError:
    """One error or warning as the compiler prints it: lines and columns from 1.

    ``file`` is the source that it is in, whatever ``#line`` says of its ``path``. ``severity`` is
    ``error``, ``warning``, or ``misread``: an error in a source that isn't UTF-8.
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

    ``bound_trees`` counts the sources bound, ``bound_assemblies`` the assemblies bound as a whole;
    ``is_confirmed``: everything known comes from those. ``halted`` has the first error of each
    assembly that stops the compiler. ``unread`` are assembly, path and condition of excluded code,
    ``newer_flow`` assembly, path, line and name of variables that an older compiler may find
    unassigned.
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
