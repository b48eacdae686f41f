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

PARSING_IDENTIFIER = "parsing"
"""Syntax without what semantics tell, too, for clients that ask for both. It isn't registered: who
asks under every identifier would ask twice.
Where the coverage has no semantics it is too little."""

DIAGNOSTIC_IDENTIFIERS = (SYNTAX_IDENTIFIER, SEMANTICS_IDENTIFIER)
"""What ``textDocument/diagnostic`` is registered with, one registration for each."""

DIAGNOSTIC_SOURCE = "roslyn"
"""``Diagnostic.source`` of every diagnostic."""

COVERAGE_REQUEST = "roslynServer/coverage"
"""Custom request ``{textDocument: {uri}}``: what the verdicts on an open document stand for."""

CHECK_PROJECT_REQUEST = "unity/checkProject"
"""Custom request :class:`CheckProjectParams`: does the project compile, as it is on disk?"""

NO_SUCH_ASSEMBLY = "no_such_assembly"
"""``NotCheckedAssembly.reason`` of an assembly that was asked for, and that there isn't."""

JUDGE_CHANGES_REQUEST = "unity/judgeChanges"
"""Custom request ``{changes: [Change]}``: which errors would these bring to the project?"""

JUDGE_TEXT_REQUEST = "unity/judgeText"
"""Custom request :class:`JudgeTextParams`: what is wrong with a text that a document might have?
Nobody opens it for that; one message says what takes seven of LSP's."""

STATUS_REQUEST = "unity/status"
"""Custom request without parameters, answered by :class:`Status`."""

MEMORY_VARIABLE = "UNITY_SNIPPET_ROSLYN_MEMORY_MB"
"""Environment: how many megabytes the compiler may take; three quarters of all there are."""

OUT_OF_MEMORY_ERROR = -32020
"""The code that requests are answered with then; it is the last answer that there is."""

EXIT_OUT_OF_MEMORY = 4
"""Exit code when the compiler needed more memory than it may take; stderr holds a line."""

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
    "not_compiled",
    "references_missing",
    "blocked",
    "circular",
    "source_generators",
    "response_file",
    "unreadable",
    "lowering",
    "analyzers",
    "not_asked",
    "inactive_code",
    "unused_members",
    "other_files",
    "other_assemblies",
    "halted",
    "newer_compiler",
]
"""Why semantics were not checked: the project was never built and has no project files; an
``.asmdef``, a response file or a script that is depended on changed since; the file isn't in that
build; it is where Unity compiles nothing; what it references is gone; an assembly that it refers to
has errors, so that only older ones of it can be referred to; assemblies refer to one another in a
circle; part of its sources is generated as it is built; its command line, or a script, can't be
read; they were not asked for; of a check, other errors come first, or Unity's compiler is an older
one that may refuse it. The others leave the document's own semantics checked: the text changes code
that the project's symbols leave out (where it changes nothing else, none are covered); unused
members were not sought, though they are errors; no code was made of its bodies, as there is too
much of the assembly; analyzers that the project brings along were not asked; it changes
declarations that other files mention, or other assemblies, and these were not judged with it."""


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


class JudgeTextParams(TypedDict):
    """``text`` as that of the document ``uri``; ``namesMs`` is how long what its names mean may
    take to be found out, in milliseconds, 0 to leave that out."""

    uri: str
    text: str
    namesMs: int


class TextError(TypedDict):
    """One error of a document's, its place zero-based, the character in UTF-16 code units."""

    uri: str
    line: int
    character: int
    code: str
    message: str


class JudgedText(TypedDict):
    """The answer to :data:`JUDGE_TEXT_REQUEST`.

    ``errors`` are the text's own, ``elsewhere`` those that it brings to other documents.
    ``namesLate`` tells that what names mean was asked for and took too long.
    """

    errors: list[TextError]
    elsewhere: list[TextError]
    namesLate: bool
    coverage: Coverage


class CheckProjectParams(TypedDict, total=False):
    """What to check: of these assemblies, what lies at these project-relative paths or below.

    Without either, all of it. With a ``workDoneToken`` the progress is told.
    """

    assemblies: list[str]
    paths: list[str]
    includeWarnings: bool


class ErrorInProject(TypedDict):
    """One error or warning as the compiler prints it; lines and columns count from 1.

    ``path`` is project-relative; it is empty, and both numbers 0, where the error is in no file.
    """

    path: str
    line: int
    column: int
    code: str
    message: str
    assembly: str


class NotCheckedAssembly(TypedDict):
    """One assembly that could not be judged, or ``""`` for more than one; ``message`` says why."""

    assembly: str
    reason: str
    message: str


class Checked(TypedDict):
    """What was judged: the assemblies' names, and how many files."""

    assemblies: list[str]
    files: int


class NotReadCode(TypedDict):
    """A condition of ``#if``, in how many files the project's symbols leave code out for it."""

    condition: str
    files: int


class ProjectCompiler(TypedDict):
    """Who judged: Roslyn's version, and where it is from. ``isProjects``: it is that of the Editor
    that the project names; ``unitysOlder`` names Unity's own where that is known to be older."""

    version: str
    origin: str
    isProjects: bool
    unitysOlder: str


ProjectStatus = Literal["clean", "errors", "unknown"]
"""``unknown``: no error was found, and not all that was asked for could be judged."""

BoundAgain = Literal["nothing", "files", "assemblies"]
"""What was judged anew for an answer, the rest being known from earlier ones."""


class CheckedProject(TypedDict):
    """The answer to :data:`CHECK_PROJECT_REQUEST`.

    ``confirmed`` tells that all of it comes from binding whole assemblies, not only what changes
    concern. ``corrected`` says what was wrong with earlier answers that were not confirmed then.
    """

    status: ProjectStatus
    errors: list[ErrorInProject]
    warnings: list[ErrorInProject]
    checked: Checked
    notChecked: list[NotCheckedAssembly]
    notRead: list[NotReadCode]
    isOfEditor: bool
    compiler: ProjectCompiler
    confirmed: bool
    boundAgain: BoundAgain
    corrected: list[str]
    durationMs: float


class Change(TypedDict):
    """A text that a file would have, by its project-relative path; ``None`` where it is gone.

    A move is a file that is gone and one that has come.
    """

    path: str
    text: str | None


class JudgedChanges(TypedDict):
    """The answer to :data:`JUDGE_CHANGES_REQUEST`: the errors that weren't there before."""

    errors: list[ErrorInProject]
    notChecked: list[NotCheckedAssembly]
    coverage: list[str]
    judged: Checked
    durationMs: float


class Status(TypedDict):
    """The answer to :data:`STATUS_REQUEST`: what the server holds in memory, in bytes.

    Past three quarters of ``memoryLimitBytes`` it forgets what it can find out again, and at the
    limit it ends.
    """

    memoryBytes: int
    memoryLimitBytes: int
    assemblies: int
    files: int
    compiler: str
    runtime: str
