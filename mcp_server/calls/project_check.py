"""``check_project``: compile the whole project, and report the errors.

Implements docs/design/roslyn.md §7. The compiler's answer comes from a language server. This module
bounds the answer and writes its text, which claims nothing beyond the answer.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from mcp_server.contract.errors import ToolError, ToolErrorCode, tool_error
from mcp_server.contract.outcome import Outcome, ToolResult
from snippet_engine.budget import StoppedError
from snippet_engine.errors import SnippetError, counted
from snippet_engine.schemas.schema_findings import quoted

if TYPE_CHECKING:
    from lsp_client.project.project_requests import ProjectCheck, ProjectDiagnostic, Unchecked
    from lsp_client.protocol.answering_client import OnProgress
    from lsp_client.validator import LanguageServerValidator

MAX_LISTED = 100
"""Most errors, and most warnings, that an answer lists. It counts all of them."""

MAX_NOT_CHECKED = 50
_IN_TEXT = 20
_MAX_LINE = 300
_MAX_MESSAGE = 1_000
_SHARE_OF_TIMEOUT = 0.95
"""The share of a call's time that the check may take. The rest is for sending the answer."""

AS_COMPILED = "as the Editor compiles it"
"""Which code a result covers, by the preprocessor symbols of the compile."""

_AS_BUILT = "as the last build compiled it, without UNITY_EDITOR"
_MAX_NOT_READ = 50
_SHOWN_NOT_READ = 3
_MAX_CONDITION = 200

_UNCONFIRMED = "a full check is under way to confirm it: ask again"

NO_SERVER = "No compiler was asked: --lsp is off. Start with --lsp auto."
_NOTHING = (
    "No script was checked: the requested names and paths are in no known assembly. "
    "Give names of assembly definitions, or project-relative paths."
)


def check_project(
    server: LanguageServerValidator | None,
    root: Path,
    arguments: Mapping[str, Any],
    timeout_ms: int,
    on_progress: OnProgress | None = None,
) -> Outcome:
    """Check the project within ``timeout_ms``, and return the outcome.

    Without a compiler the result is *unknown*. Error: ``ERR_INVALID_PARAMS`` for a path or an
    assembly that is not in the project.
    """
    paths = _in_project(root, arguments.get("paths"))
    if isinstance(paths, ToolError):
        return paths
    assemblies = arguments.get("assemblies")
    if server is None:
        return result(unknown(NO_SERVER))
    warnings = arguments.get("include_warnings") is True
    try:
        found = server.check_project(
            assemblies,
            paths,
            warnings=warnings,
            within_s=timeout_ms * _SHARE_OF_TIMEOUT / 1000,
            on_progress=on_progress,
        )
    except StoppedError:  # the caller has gone
        return result(unknown("The check was stopped."))
    if isinstance(found, SnippetError):
        return result(unknown(_sentence(str(found.details["reason"]))))
    missing = [each for each in found.not_checked if each.is_missing]
    if missing and assemblies:
        return _no_such_assembly(assemblies, missing)
    return result(_document(found, paths))


def result(document: dict[str, Any]) -> ToolResult:
    """Return the answer's document as a result, with its text."""
    return ToolResult(document, text(document))


def unknown(reason: str) -> dict[str, Any]:
    """Return the document of a check without any verdict."""
    return {
        "status": "unknown",
        "errors": [],
        "warnings": [],
        "counts": {"errors": 0, "warnings": 0},
        "checked": {"assemblies": 0, "files": 0},
        "notChecked": [{"assembly": None, "reason": reason}],
        "confirmed": False,
        "duration_ms": 0,
    }


def _document(found: ProjectCheck, paths: Sequence[str] | None) -> dict[str, Any]:
    status, not_checked = found.status, [each.to_json() for each in found.not_checked]
    if status == "clean" and found.files == 0:
        status, not_checked = "unknown", [{"assembly": None, "reason": _NOTHING}]
    not_read = [each[:_MAX_CONDITION] for each, _ in found.not_read[:_MAX_NOT_READ]]
    lists = (found.errors, found.warnings)
    errors, warnings = ([_listed(each) for each in many[:MAX_LISTED]] for many in lists)
    return {
        "status": status,
        "errors": errors,
        "warnings": warnings,
        "counts": {"errors": len(found.errors), "warnings": len(found.warnings)},
        "checked": {
            "assemblies": found.assemblies,
            "files": found.files,
            **({"paths": [*paths]} if paths else {}),
            **({"syntaxOnly": found.syntax_only} if found.syntax_only else {}),
            **({"notRead": not_read} if not_read else {}),
            **({"compiler": found.compiler.to_json()} if found.compiler is not None else {}),
        },
        "checkedAs": _checked_as(found),
        "notChecked": _bounded(not_checked),
        "confirmed": found.confirmed and found.files > 0,
        "duration_ms": round(found.duration_ms, 1),
    }


def _checked_as(found: ProjectCheck) -> str:
    as_ = AS_COMPILED if found.of_editor else _AS_BUILT
    if not found.not_read:
        return as_
    shown = ", ".join(each[:_MAX_CONDITION] for each, _ in found.not_read[:_SHOWN_NOT_READ])
    more = len(found.not_read) - _SHOWN_NOT_READ
    others = f" and {counted(more, 'more condition')}" if more > 0 else ""
    return f"{as_}; code under #if {shown}{others} was not checked"


def _listed(diagnostic: ProjectDiagnostic) -> dict[str, Any]:
    return {**diagnostic.to_json(), "message": diagnostic.message[:_MAX_MESSAGE]}


def _bounded(not_checked: list[dict[str, Any]]) -> list[dict[str, Any]]:
    left = len(not_checked) - MAX_NOT_CHECKED
    if left <= 0:
        return not_checked
    more = {"assembly": None, "reason": f"{left:,} more were not checked."}
    return [*not_checked[:MAX_NOT_CHECKED], more]


# -- which paths -----------------------------------------------------------------------------------


def _in_project(root: Path, paths: Sequence[str] | None) -> list[str] | ToolError | None:
    if paths is None:
        return None
    found = [_clean(path) for path in paths]
    wrong = [
        (index, why)
        for index, path in enumerate(found)
        if (why := _why_not(root, path)) is not None
    ]
    if not wrong:
        return found
    index, why = wrong[0]
    return tool_error(
        ToolErrorCode.INVALID_PARAMS,
        f"$.paths[{index}] {quoted(paths[index])} {why}.",
        details={"problems": [{"path": f"$.paths[{at}]", "message": each} for at, each in wrong]},
    )


def _no_such_assembly(assemblies: Sequence[str], missing: Sequence[Unchecked]) -> ToolError:
    said = {each.assembly: each.reason for each in missing}
    problems = [
        {"path": f"$.assemblies[{index}]", "message": said[name]}
        for index, name in enumerate(assemblies)
        if name in said
    ]
    return tool_error(
        ToolErrorCode.INVALID_PARAMS,
        " ".join(dict.fromkeys(each["message"] for each in problems)),
        details={"problems": problems},
    )


def _clean(path: str) -> str:
    cleaned = PurePosixPath(path.replace("\\", "/")).as_posix()
    return cleaned.removeprefix("./")


def _why_not(root: Path, path: str) -> str | None:
    if PurePosixPath(path).is_absolute() or ":" in path.partition("/")[0] or "\0" in path:
        return "must be project-relative, such as Assets/Scripts"
    if ".." in PurePosixPath(path).parts:
        return 'must not contain ".."; give the path from the project\'s folder'
    if not os.path.lexists(root / path):
        return "does not exist in the project"
    return None


# -- as text --------------------------------------------------------------------------------------


def text(document: Mapping[str, Any]) -> str:
    """Return the result as text: a line of summary, then the first entries of each list."""
    return "\n".join(_lines(document))


def summary(document: Mapping[str, Any]) -> str:
    """Return one line: the findings, and the numbers of assemblies and files.

    A check of some paths is silent about errors elsewhere, and the line says so.
    """
    checked = document["checked"]
    among = f"{counted(checked['assemblies'], 'assembly', 'assemblies')}, "
    among += f"{counted(checked['files'], 'file')} checked"
    parsed = checked.get("syntaxOnly", 0)
    if parsed and checked["files"]:
        among += f", {parsed:,} more for syntax only"
    elif parsed:
        among = f"{counted(parsed, 'file')} checked for syntax only"
    if (checked["files"] or parsed) and "compiler" in checked:
        among += f" by {judge(checked['compiler'])},"
    found = {
        "clean": "no errors",
        "errors": counted(document["counts"]["errors"], "error"),
        "unknown": "can't tell whether the project compiles",
    }[document["status"]]
    paths = checked.get("paths", ())
    if paths and document["status"] == "clean":
        found += f" in {paths[0] if len(paths) == 1 else 'these paths'}; elsewhere not reported"
    if document["counts"]["warnings"]:
        found += f", {counted(document['counts']['warnings'], 'warning')}"
    if document["status"] == "clean":
        # Name the limits of the check: "clean" must not claim that the code is right.
        among += f" {document['checkedAs']}"
        if not document["confirmed"]:
            among += f"; {_UNCONFIRMED}"
    return f"{found} ({among.removesuffix(',')})"


def judge(compiler: Mapping[str, Any]) -> str:
    """Return the compiler's name, with a caveat if it is not the project's own."""
    version, origin = f"Roslyn {compiler['version']}", compiler["from"]
    name = origin if version in origin else f"{version} of {origin}" if origin else version
    if compiler["isProjects"]:
        return name
    if "unitysOlder" in compiler:
        older = f"Unity's Roslyn {compiler['unitysOlder']} is older and may report more errors"
        return f"{name}, not the project's own: {older}"
    return f"{name}, not the project's own"


def _lines(document: Mapping[str, Any]) -> Iterator[str]:
    yield f"{document['status']}: {summary(document)}"
    for kind in ("error", "warning"):
        listed = document[f"{kind}s"]
        for each in listed[:_IN_TEXT]:
            yield line(each, kind)[:_MAX_LINE]
        left = document["counts"][f"{kind}s"] - len(listed[:_IN_TEXT])
        if left:
            yield f"… {counted(left, f'more {kind}')}"
    left_out = document["notChecked"]
    for each in left_out[:_IN_TEXT]:
        yield f"not checked: {not_checked(each)}"[:_MAX_LINE]
    if len(left_out) > _IN_TEXT:
        yield f"… {len(left_out) - _IN_TEXT} more not checked"
    yield from advice(document)


def line(diagnostic: Mapping[str, Any], kind: str, path: str | None = None) -> str:
    """Return a diagnostic as the compiler prints it, with ``path`` instead of its own path."""
    shown = diagnostic["path"] if path is None else path
    at = f"{shown}:{diagnostic['line']}:{diagnostic['column']}: " if shown else ""
    return f"{at}{kind} {diagnostic['code']}: {diagnostic['message']}"


def not_checked(entry: Mapping[str, Any]) -> str:
    """Return an unchecked part and the reason, as a phrase."""
    assembly = entry["assembly"]
    return entry["reason"] if assembly is None else f"{assembly}: {entry['reason']}"


def advice(document: Mapping[str, Any]) -> Iterator[str]:
    """Yield advice, if the last build is outdated."""
    if any(" last build" in each["reason"] for each in document["notChecked"]):
        yield "Let Unity compile the project, and check again: it changed since its last build."


def _sentence(reason: str) -> str:
    """Return ``reason`` as a sentence. A name at its beginning keeps its case."""
    first = reason.partition(" ")[0]
    begins = reason[:1].upper() + reason[1:] if first in _NO_NAMES else reason
    return begins.removesuffix(".") + "."


_NO_NAMES = frozenset({"a", "an", "it", "its", "no", "nothing", "the", "this"})
