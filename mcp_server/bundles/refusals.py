"""Turns the engine's refusals and warnings into findings, each at its place in the bundle's text.

Implements docs/design/command-line.md ``lint``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from mcp_server.bundles.bundle import Bundle
from mcp_server.bundles.findings import Finding, Level
from mcp_server.bundles.item import cause
from snippet_engine.errors import ErrorCode, SnippetError, show
from snippet_engine.schemas.schema_check import Problem, render_path
from snippet_engine.schemas.schema_findings import JsonPath


def problem_finding(bundle: Bundle, steps: JsonPath, problem: Problem) -> Finding:
    """Return the finding for a breach of the contract by the item at ``steps``."""
    at = (*steps, *problem.steps)
    region = bundle.text.region(at, key=problem.about_key)
    code, message = ErrorCode.INVALID_REQUEST, problem.message
    return Finding(bundle.file.shown, render_path(at), region, code, message)


def refusal_findings(
    bundle: Bundle, steps: JsonPath, item: Mapping[str, Any], error: SnippetError
) -> Iterator[Finding]:
    """Yield why the item at ``steps`` was refused: one finding for each faulty instruction."""
    for each in _each(item, error):
        yield _refused(bundle, steps, item, each)


def warning_findings(
    bundle: Bundle, steps: JsonPath, result: Mapping[str, Any]
) -> Iterator[Finding]:
    """Yield the warnings of the result of the item at ``steps``."""
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
    """Yield the error, then those of other instructions that came with it."""
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
    """Yield the error, and its diagnostics that other instructions have caused."""
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
    """Return the index of the change that makes the script at ``path``."""
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
