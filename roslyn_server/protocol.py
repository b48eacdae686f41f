"""What ``roslyn_server`` and its clients agree on beyond LSP itself.

Part of docs/design/roslyn.md §3. Names and values only, and no imports of this package, so that a
client can read them without a runtime being loaded.
"""

from __future__ import annotations

from typing import Literal, TypedDict

SERVER_NAME = "roslyn_server"
"""``serverInfo.name`` in the answer to ``initialize``."""

MODULE = "roslyn_server"
"""What ``python -m`` starts."""

SYNTAX_IDENTIFIER = "syntax"
"""Diagnostics that need no references: of parsing, and of the language version."""

SEMANTICS_IDENTIFIER = "semantics"
"""Diagnostics of the edited file in its assembly's compilation; none without references."""

DIAGNOSTIC_IDENTIFIERS = (SYNTAX_IDENTIFIER, SEMANTICS_IDENTIFIER)
"""What ``textDocument/diagnostic`` is registered with, one registration for each."""

DIAGNOSTIC_SOURCE = "roslyn"
"""``Diagnostic.source`` of every diagnostic."""

COVERAGE_REQUEST = "roslynServer/coverage"
"""Custom request ``{textDocument: {uri}}``: what the verdicts on an open document stand for."""

EXIT_NO_TOOLCHAIN = 3
"""Exit code when Roslyn can't be hosted; stderr holds one line that says why."""

NO_TOOLCHAIN_ERROR = -32803
"""The code (LSP's ``RequestFailed``) that ``initialize`` is answered with in that case."""

SEMANTIC_NOT_CHECKED = "semantic_not_checked"
"""``NotChecked.code`` where names and types were not looked at."""

NotCheckedReason = Literal[
    "no_references",
    "references_stale",
    "not_in_last_build",
    "references_missing",
    "source_generators",
    "not_asked",
    "inactive_code",
    "other_files",
    "other_assemblies",
]
"""Why semantics were not checked: the project was never built and has no project files; an
``.asmdef``, a response file or a script that is depended on changed since; the file isn't in that
build; what it references is gone; part of its sources is generated as it is built; they were not
asked for; the text changes code that the project's symbols leave out. The last two leave the
document's own semantics checked: it changes declarations that other files mention, or other
assemblies, and these were not judged with it."""


class NotChecked(TypedDict):
    """One thing that was not checked, and a sentence for people.

    ``detail`` says in a few words what of several it is; else it is empty.
    """

    code: str
    reason: NotCheckedReason
    message: str
    detail: str


class Coverage(TypedDict):
    """The answer to :data:`COVERAGE_REQUEST`.

    ``languageVersion`` is as ``9.0`` or ``latest``. ``symbolSets`` lists, for each symbol set
    that the document was judged under, the symbols that are defined. ``covers`` is of
    ``brackets``, ``syntax``, ``semantics``. ``compiler`` is Roslyn's version (``4.8.0``),
    ``runtime`` .NET's (``.NET 8.0.19``).
    """

    languageVersion: str
    symbolSets: list[list[str]]
    covers: list[str]
    notChecked: list[NotChecked]
    compiler: str
    runtime: str
