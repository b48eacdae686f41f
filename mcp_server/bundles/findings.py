"""Findings: the faults in a bundle, with their places. Made of the engine's errors and warnings.

Implements docs/design/command-line.md ``lint``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from mcp_server.bundles.item import cause
from snippet_engine.errors import ErrorCode, SnippetError, show
from snippet_engine.schemas.checked_params import Problem, render_path
from snippet_engine.schemas.schema_findings import JsonPath

if TYPE_CHECKING:
    from mcp_server.bundles.bundle import Bundle


class Level(StrEnum):
    """How bad a finding is. Only errors fail the gate."""

    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, slots=True, order=True)
class Region:
    """A part of a bundle's text: lines and columns from one, columns in UTF-16 code units.

    The end is exclusive. (SARIF's regions are the same.)
    """

    line: int
    column: int
    end_line: int
    end_column: int


FILE_START = Region(1, 1, 1, 1)
"""The region of a finding about a whole file."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One fault in a bundle."""

    file: str
    """The bundle's path, as messages show it."""
    path: str
    """The JSON path of the faulty value, such as ``$[0].path``."""
    region: Region
    code: str
    """The error code: the engine's, or a code of the linter from this module."""
    message: str
    level: Level = Level.ERROR
    details: Mapping[str, Any] = field(default_factory=dict)
    """The engine's details, which may have anchors to send instead."""

    def to_json(self) -> dict[str, Any]:
        """Return the finding for ``--format json``."""
        return {
            "file": self.file,
            "path": self.path,
            "line": self.region.line,
            "column": self.region.column,
            "endLine": self.region.end_line,
            "endColumn": self.region.end_column,
            "level": self.level.value,
            "code": self.code,
            "message": self.message,
            "details": dict(self.details),
        }


@dataclass(frozen=True, slots=True)
class BundleReport:
    """The number of requests in one bundle, and the findings on them."""

    file: str
    requests: int
    findings: tuple[Finding, ...]

    @property
    def errors(self) -> int:
        """How many findings fail the gate."""
        return sum(finding.level is Level.ERROR for finding in self.findings)


UNREADABLE = "unreadable_bundle"
INVALID_JSON = "invalid_json"
REPEATED_KEY = "repeated_key"
MISSPELT_NAME = "misspelt_name"
NO_BUNDLES = "no_bundles"
NO_PROJECT = "no_project"
TOO_MANY = "too_many_requests"
INTERNAL_ERROR = "internal_error"

RULES: Mapping[str, str] = {
    UNREADABLE: "The bundle can't be read as a text file.",
    INVALID_JSON: "The bundle is not valid JSON.",
    REPEATED_KEY: "An object of the bundle gives one key more than once.",
    MISSPELT_NAME: "A file name looks like a misspelt bundle name, so the file isn't checked.",
    NO_BUNDLES: "A folder holds no bundle.",
    NO_PROJECT: "The bundle lies in no Unity project, so it isn't checked.",
    TOO_MANY: "The bundle has more requests than can be applied together.",
    INTERNAL_ERROR: "The check itself failed: a bug in unity-cli.",
    ErrorCode.INVALID_REQUEST: "The request violates its tool's schema.",
    ErrorCode.PATH_NOT_ALLOWED: "The path is not that of a C# script in Assets/ or Packages/.",
    ErrorCode.FILE_NOT_FOUND: "The file that the request edits doesn't exist.",
    ErrorCode.READ_ONLY: "The file that the request edits is read-only.",
    ErrorCode.FILE_TOO_LARGE: "The file that the request edits is too large.",
    ErrorCode.UNSUPPORTED_ENCODING: "The file is neither UTF-8 nor UTF-16 with a BOM.",
    ErrorCode.STALE_FILE: "The file no longer has the expectedHash.",
    ErrorCode.ANCHOR_NOT_FOUND: "The anchor matches no place in the file.",
    ErrorCode.AMBIGUOUS_ANCHOR: "The anchor matches more than one place in the file.",
    ErrorCode.ANCHOR_IN_COMMENT: "The anchor matches only inside comments.",
    ErrorCode.SYMBOL_NOT_FOUND: "The file declares no such symbol.",
    ErrorCode.OVERLAPPING_EDITS: "Two instructions change the same place.",
    ErrorCode.DIFF_TOO_LARGE: "The edit changes more than the limit of one edit.",
    ErrorCode.SYNTAX_ERROR: "The edited file would have a syntax error.",
    ErrorCode.COMPILE_ERROR: "The edited project would not compile.",
    ErrorCode.VALIDATOR_UNAVAILABLE: "The validator that the request asks for is not available.",
    "anchor_in_string": "The anchor matches inside a string literal.",
    "within_a_name": "The edit changes a part of a name, and text next to it.",
    "commented_out": "The new code lands in a comment.",
    "inactive_region": "The edit is in code that #if always excludes.",
    "empty_block": "The edit leaves an empty block.",
    "name_still_used": "The edit removes a declaration whose name is still used.",
    "documentation_removed": "The edit removes the documentation of a declaration.",
    "attributes_removed": "The edit removes the attributes of a declaration.",
    "braces_left_out": "The new body has braces of its own, which are removed.",
    "same_line": "The new code is on the same line as other code.",
    "script_name": "Unity won't find a class in a file with another name.",
    "meta_missing": "A script moves without its .meta, so its GUID is lost.",
    "meta_orphan": "A new script takes over an existing .meta.",
    "assembly_changed": "A script moves to another assembly.",
    "serialized_field": "Scenes and prefabs lose the value of a field.",
    "not_imported": "A script moves to a folder that Unity doesn't compile.",
    "left_behind": "An interrupted write left a temporary file with a text of the script.",
    "encoding_kept": "A blank file keeps its byte order mark with the new text.",
    "new_file_format": "A new script gets the line endings and BOM of the scripts around it.",
    "empty_folder": "A folder is left without scripts.",
    "guid_lost": "A class that Unity finds by its file's GUID is removed.",
    "duplicate_insert": "The place already has what the edit adds, so nothing is added.",
    "guard_scope_changed": "An unbraced if or loop would now govern the next statement.",
    "invisible_character": "The new code has an invisible character.",
}
"""What each code means. A preview, the only mode that lint uses, gives no other codes."""


def problem_finding(bundle: Bundle, steps: JsonPath, problem: Problem) -> Finding:
    """Return the finding for a contract violation by the item at ``steps``."""
    at = (*steps, *problem.steps)
    region = bundle.text.region(at, key=problem.about_key)
    code, message = ErrorCode.INVALID_REQUEST, problem.message
    return Finding(bundle.file.shown, render_path(at), region, code, message)


def refusal_findings(
    bundle: Bundle, steps: JsonPath, item: Mapping[str, Any], error: SnippetError
) -> Iterator[Finding]:
    """Yield one finding for each faulty instruction of the refused item at ``steps``."""
    for each in _each(item, error):
        yield _refused(bundle, steps, item, each)


def warning_findings(
    bundle: Bundle, steps: JsonPath, result: Mapping[str, Any]
) -> Iterator[Finding]:
    """Yield a finding for each warning of the item at ``steps``."""
    for warning in result["warnings"]:
        at = steps
        if "file" in warning:
            at = (*at, "changes", warning["file"])
        if "index" in warning:
            at = (*at, "instructions", warning["index"])
        if at != steps:
            yield Finding(
                bundle.file.shown,
                render_path(at),
                bundle.text.region(at),
                warning["code"],
                warning["message"],
                Level.WARNING,
                {"scriptLine": warning["line"]} if "line" in warning else {},
            )


def _each(item: Mapping[str, Any], error: SnippetError) -> Iterator[SnippetError]:
    """Yield the error, then the errors of other instructions in its details."""
    details = dict(error.details)
    others = details.pop("otherErrors", ())
    yield from _by_place(item, replace(error, details=details))
    for other in others:
        of_other = SnippetError(
            ErrorCode(other["code"]),
            other["message"],
            other.get("instruction"),
            other["details"],
            file=other.get("file"),
        )
        yield from _by_place(item, of_other)


def _by_place(item: Mapping[str, Any], error: SnippetError) -> Iterator[SnippetError]:
    """Yield the error, then an error for each other instruction that caused a diagnostic."""
    yield error
    known = {(error.file, error.instruction)}
    for diagnostic in error.details.get("diagnostics", ()):
        instruction = diagnostic.get("instruction")
        file = _file_at(item, diagnostic.get("path"), error.file)
        if (file, instruction) not in known:
            known.add((file, instruction))
            where = diagnostic.get("path", "The edited file")
            message = f"{where} would not compile: " + "line {line}: {id} {message}.".format_map(
                diagnostic
            )
            alone = {"diagnostics": [diagnostic]}
            yield SnippetError(error.code, message, instruction, alone, file=file)


def _file_at(item: Mapping[str, Any], path: str | None, default: int | None) -> int | None:
    """Return the index of the change to the script at ``path``."""
    if path is None:
        return default
    paths = [change.get("moveTo", change["path"]) for change in item.get("changes", ())]
    return paths.index(path) if path in paths else None


def _refused(
    bundle: Bundle, steps: JsonPath, item: Mapping[str, Any], error: SnippetError
) -> Finding:
    at = (*steps, *cause(item, error))
    return Finding(
        bundle.file.shown,
        render_path(at),
        bundle.text.region(at),
        error.code,
        _overtaken(item, error) or error.message,
        details=error.details,
    )


def _overtaken(item: Mapping[str, Any], error: SnippetError) -> str | None:
    """Return the message for a file that changed after the rehearsal of an item without hashes."""
    edit = item if error.file is None else item["changes"][error.file]
    is_other_text = error.code is ErrorCode.STALE_FILE and error.details.get("currentHash")
    if not is_other_text or "expectedHash" in edit or "path" not in edit:
        return None
    return (
        f"{show(edit['path'])} was changed by someone else during the apply, and not overwritten. "
        "Run the same command again."
    )
