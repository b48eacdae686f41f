"""What ``roslyn_server`` and its clients agree on beyond LSP itself.

Names and values only, without imports of this package, so that a client can read them cheaply.
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
"""Diagnostics of the file in its assembly's compilation; none without references."""

DIAGNOSTIC_IDENTIFIERS = (SYNTAX_IDENTIFIER, SEMANTICS_IDENTIFIER)
"""Each is registered for ``textDocument/diagnostic``."""

DIAGNOSTIC_SOURCE = "roslyn"
"""``Diagnostic.source`` of every diagnostic."""

CHECK_PROJECT_REQUEST = "unity/checkProject"
"""Custom request :class:`CheckProjectParams`: does the project on disk compile?"""

NO_SUCH_ASSEMBLY = "no_such_assembly"
"""``NotCheckedAssembly.reason`` of a requested assembly that doesn't exist."""

JUDGE_CHANGES_REQUEST = "unity/judgeChanges"
"""Custom request :class:`JudgeChangesParams`: which errors would changes cause?"""

JUDGE_SINCE_REQUEST = "unity/judgeSince"
"""Custom request ``{changes: [{path, text}]}`` of texts from before: which errors came since?

It may take long, and judges all files that the difference affects. Answered as
:data:`JUDGE_CHANGES_REQUEST`."""

JUDGE_TEXT_REQUEST = "unity/judgeText"
"""Custom request :class:`JudgeTextParams`: which errors does a text have, without opening it?"""

CODE_FIXES_REQUEST = "unity/codeFixes"
"""Custom request ``{changes: [{path, text}], path}``: which fixes have the errors of the changed
text at ``path``?

Answered by ``{fixes: [{code, choices: [{what, edit: RenameEdit}]}]}``. A fix has several choices
if the text doesn't decide, for example between namespaces that have the name."""

FIND_REFERENCES_REQUEST = "unity/findReferences"
"""Custom request with LSP's ``TextDocumentPositionParams``, answered by
:class:`FoundReferences`."""

RENAME_REQUEST = "unity/rename"
"""Custom request with LSP's ``RenameParams``, answered by :class:`Renamed`.

``attributes`` says whether to add attributes that keep values which Unity serialized, ``force``
whether to rename messages that Unity calls, too."""

STATUS_REQUEST = "unity/status"
"""Custom request without parameters, answered by :class:`Status`."""

MEMORY_VARIABLE = "UNITY_SNIPPET_ROSLYN_MEMORY_MB"
"""Environment variable: the compiler's memory limit in megabytes; 75 % of the machine's by
default."""

KEEPING_VARIABLE = "UNITY_SNIPPET_CHECK_INDEX"
"""Environment variable: with ``off``, results of checks are neither kept nor reused."""

OUT_OF_MEMORY_ERROR = -32020
"""Error code of the last answers before the server ends because it ran out of memory."""

EXIT_OUT_OF_MEMORY = 4
"""Exit code if the compiler ran out of memory; stderr has a line."""

EXIT_NO_TOOLCHAIN = 3
"""Exit code if Roslyn can't be hosted; stderr has one line that says why."""

NO_TOOLCHAIN_ERROR = -32803
"""Error code (LSP's ``RequestFailed``) of ``initialize`` if Roslyn can't be hosted."""

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
    "more_files",
    "other_assemblies",
    "late",
    "halted",
    "newer_compiler",
]
"""Why something was not checked.

These leave names unchecked: no build and no project files (``no_references``); an assembly
definition, response file or script changed since the build (``references_stale``); the file isn't
in the build; Unity doesn't compile files there; a reference is missing; a referenced assembly has
errors (``blocked``) or is part of a cycle; its generated sources are unknown; its command line or a
script can't be read; the request didn't ask. Of a project check: other errors come first
(``halted``), or Unity's older compiler may refuse it.

The others leave the text's own names checked, but not: excluded code that it changes, unused
members, errors of code generation (``lowering``), the project's analyzers, other files and
assemblies that it affects; ``more_files`` were too many for one question. ``late``: it took longer
than the caller waits.
"""


class NotChecked(TypedDict):
    """One thing that was not checked, and a sentence about it."""

    reason: NotCheckedReason
    message: str
    detail: str
    """Details about the reason, in a few words; may be empty."""


class Coverage(TypedDict):
    """The coverage of a verdict on a text."""

    languageVersion: str
    """For example ``9.0`` or ``latest``."""
    symbolSets: list[list[str]]
    """The symbols of each set that the text was judged under."""
    covers: list[str]
    """``brackets``, ``syntax``, ``semantics``."""
    notChecked: list[NotChecked]
    compiler: str
    """Roslyn's version (``4.8.0``)."""
    runtime: str
    """.NET's version (``.NET 8.0.19``)."""


class JudgeTextParams(TypedDict):
    """A text to judge as the text of the document ``uri``."""

    uri: str
    text: str
    namesMs: int
    """The time limit for semantics in milliseconds; 0 to leave them out."""
    patient: bool
    """Whether to wait for an assembly that is known to take longer."""


class TextError(TypedDict):
    """One error in a document: line and character zero-based, in UTF-16 code units."""

    uri: str
    line: int
    character: int
    code: str
    message: str


class JudgedText(TypedDict):
    """The answer to :data:`JUDGE_TEXT_REQUEST`."""

    errors: list[TextError]
    """The text's own errors."""
    elsewhere: list[TextError]
    """Errors that the text causes in other documents."""
    namesLate: bool
    """Whether semantics were asked for and took too long."""
    coverage: Coverage


class CheckProjectParams(TypedDict, total=False):
    """Which assemblies to check, and at or below which project-relative paths; by default all.

    With a ``workDoneToken`` progress is reported.
    """

    assemblies: list[str]
    paths: list[str]
    includeWarnings: bool


class ErrorInProject(TypedDict):
    """One error or warning as the compiler prints it; lines and columns count from 1."""

    path: str
    """Project-relative. Empty if the error is in no file; line and column are then 0."""
    line: int
    column: int
    code: str
    message: str
    assembly: str


class NotCheckedAssembly(TypedDict):
    """An assembly that could not be judged, and the reason."""

    assembly: str
    """``""`` for several."""
    reason: str
    message: str


class Checked(TypedDict):
    """The judged part of the project."""

    assemblies: list[str]
    """The names of the assemblies."""
    files: int
    """The number of compiled files."""
    syntaxOnly: int
    """The number of files whose syntax alone was checked."""


class NotReadCode(TypedDict):
    """A condition of ``#if`` that excludes code."""

    condition: str
    files: int
    """The number of files in which it excludes code."""


class ProjectCompiler(TypedDict):
    """The version of Roslyn that judged, and its origin."""

    version: str
    origin: str
    isProjects: bool
    """Whether it belongs to the project's own Editor."""
    unitysOlder: str
    """The version of Unity's compiler, if it is known to be older."""


ProjectStatus = Literal["clean", "errors", "unknown"]
"""``unknown``: no error was found, but not everything could be judged."""

BoundAgain = Literal["nothing", "files", "assemblies"]
"""What was judged anew for an answer; the rest was known."""


class CheckedProject(TypedDict):
    """The answer to :data:`CHECK_PROJECT_REQUEST`."""

    status: ProjectStatus
    errors: list[ErrorInProject]
    warnings: list[ErrorInProject]
    checked: Checked
    notChecked: list[NotCheckedAssembly]
    notRead: list[NotReadCode]
    isOfEditor: bool
    compiler: ProjectCompiler
    confirmed: bool
    """Whether whole assemblies were bound, not only what changes affect."""
    boundAgain: BoundAgain
    corrected: list[str]
    """What was wrong with earlier, unconfirmed answers."""
    durationMs: float


class JudgeChangesParams(TypedDict):
    """New texts by project-relative path, ``None`` for a removed file; a moved file has both.

    On the wire a list of ``{path, text}``.
    """

    changes: dict[str, str | None]
    withinMs: int
    """The time limit in milliseconds, 0 for none. With a limit, assemblies that are known to take
    longer are not waited for; the answer is then ``late``.
    """


class JudgedChanges(TypedDict):
    """The answer to :data:`JUDGE_CHANGES_REQUEST`: the new errors."""

    errors: list[ErrorInProject]
    notChecked: list[NotCheckedAssembly]
    coverage: list[str]


class Reference(TypedDict):
    """One place that refers to a symbol: zero-based, in UTF-16 code units."""

    path: str
    """Project-relative."""
    line: int
    character: int
    length: int
    kind: str
    lineText: str
    """The line without the blanks around it."""


class FoundReferences(TypedDict):
    """The answer to :data:`FIND_REFERENCES_REQUEST`."""

    symbol: dict[str, object]
    references: list[Reference]
    complete: bool
    """Whether everything was searched."""
    reasons: list[str]
    """What was left out."""


class RenameEdit(TypedDict):
    """One replacement in a file: zero-based, in UTF-16 code units."""

    line: int
    character: int
    endLine: int
    endCharacter: int
    newText: str
    kind: str


class EditedFile(TypedDict):
    """The edits of a file, in order."""

    path: str
    edits: list[RenameEdit]


class RenameConflict(TypedDict):
    """Why a rename is refused."""

    code: str
    path: str
    line: int
    """From 1; 0 without a place."""
    column: int
    """From 1; 0 without a place."""
    message: str


class Renamed(TypedDict):
    """The answer to :data:`RENAME_REQUEST`; with ``conflicts`` its edits must not be applied."""

    symbol: dict[str, object]
    edits: list[EditedFile]
    moves: list[dict[str, str]]
    """Objects with ``from`` and ``to``."""
    strings: list[dict[str, object]]
    """Strings that hold the name and are left as they are."""
    conflicts: list[RenameConflict]
    proved: dict[str, object]
    """What was bound again with the new text."""
    complete: bool
    reasons: list[str]


class Status(TypedDict):
    """The answer to :data:`STATUS_REQUEST`: memory in bytes.

    Above three quarters of ``memoryLimitBytes`` the server drops data that it can compute again; at
    the limit it ends.
    """

    memoryBytes: int
    memoryLimitBytes: int
    assemblies: int
    files: int
