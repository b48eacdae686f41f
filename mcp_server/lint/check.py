"""What is wrong with a bundle's requests, by asking the engine for their previews.

Implements docs/design/command-line.md ``lint``: valid JSON, then the contract, then every anchor,
the validation against the working tree, and the hashes. Each request is checked by itself against
the files as they are. Nothing is written: the engine is only asked for previews.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from typing import Any

from mcp_server.lint.bundle import Bundle, BundleFile, read_bundle
from mcp_server.lint.engines import Engines
from mcp_server.lint.findings import FILE_START, BundleReport, Finding, Level
from mcp_server.lint.rules import INTERNAL_ERROR
from snippet_engine.checked_params import CheckedParams, checked
from snippet_engine.errors import ErrorCode, SnippetError
from snippet_engine.schema import EDIT_SNIPPET_INPUT
from snippet_engine.schema_check import render_path
from snippet_engine.schema_findings import JsonPath

_OF_THE_FILE = frozenset(
    {
        ErrorCode.PATH_NOT_ALLOWED,
        ErrorCode.FILE_NOT_FOUND,
        ErrorCode.READ_ONLY,
        ErrorCode.FILE_TOO_LARGE,
        ErrorCode.UNSUPPORTED_ENCODING,
    }
)
_OF_THE_ANCHOR = frozenset(
    {ErrorCode.ANCHOR_NOT_FOUND, ErrorCode.AMBIGUOUS_ANCHOR, ErrorCode.ANCHOR_IN_COMMENT}
)

_OF_THE_NEW_TEXT = frozenset({ErrorCode.DIFF_TOO_LARGE, ErrorCode.SYNTAX_ERROR})


def check_bundle(engines: Engines, file: BundleFile) -> BundleReport:
    """Everything wrong with one bundle, in the order of its text. Raises nothing."""
    requests, findings = 0, []
    try:
        bundle = read_bundle(file)
        if isinstance(bundle, Finding):
            findings.append(bundle)
        else:
            requests = len(bundle.requests)
            findings += bundle.faults
            for steps, request in bundle.requests:
                findings += _check_request(engines, bundle, steps, request)
    except Exception as error:
        # One bundle that meets a bug must not keep the others from being checked.
        logging.getLogger(__name__).error("checking %s failed", file.shown, exc_info=error)
        message = f"could not be checked ({type(error).__name__}); the log has the traceback"
        findings.append(Finding(file.shown, "$", FILE_START, INTERNAL_ERROR, message))
    findings.sort(key=lambda finding: finding.region)
    return BundleReport(file.shown, requests, tuple(findings))


def _check_request(
    engines: Engines, bundle: Bundle, steps: JsonPath, request: Any
) -> Iterator[Finding]:
    params = checked("edit_snippet", EDIT_SNIPPET_INPUT, request)
    if not isinstance(params, CheckedParams):
        for problem in params:
            at = (*steps, *problem.steps)
            yield Finding(
                bundle.file.shown,
                render_path(at),
                bundle.text.region(at, key=problem.about_key),
                ErrorCode.INVALID_REQUEST,
                problem.message,
            )
        return
    answer = engines.preview(params)
    if isinstance(answer, SnippetError) and answer.code is ErrorCode.STALE_FILE:
        yield _refused(bundle, steps, request, answer)
        # A file that has changed may still hold every anchor: whoever mends the hash wants to know.
        answer = engines.preview(params.with_known(expectedHash=answer.details["currentHash"]))
    if isinstance(answer, SnippetError):
        for error in _each(answer):
            yield _refused(bundle, steps, request, error)
        return
    for warning in answer["warnings"]:
        if "index" in warning:
            at = (*steps, "instructions", warning["index"])
            yield Finding(
                bundle.file.shown,
                render_path(at),
                bundle.text.region(at),
                warning["code"],
                warning["message"],
                Level.WARNING,
                {"scriptLine": warning["line"]} if "line" in warning else {},
            )


def _each(error: SnippetError) -> Iterator[SnippetError]:
    """The error, then those that came with it: of other instructions, each at its own place."""
    details = dict(error.details)
    others = details.pop("otherErrors", ())
    yield SnippetError(error.code, error.message, error.instruction, details)
    for other in others:
        yield SnippetError(
            ErrorCode(other["code"]), other["message"], other.get("instruction"), other["details"]
        )
    told = {error.instruction}
    for diagnostic in details.get("diagnostics", ()):
        instruction = diagnostic.get("instruction")
        if instruction not in told:
            told.add(instruction)
            message = "The edited file would not compile: line {line}: {id} {message}.".format_map(
                diagnostic
            )
            yield SnippetError(error.code, message, instruction, {"diagnostics": [diagnostic]})


def _refused(
    bundle: Bundle, steps: JsonPath, request: Mapping[str, Any], error: SnippetError
) -> Finding:
    at = (*steps, *_cause(request, error))
    return Finding(
        bundle.file.shown,
        render_path(at),
        bundle.text.region(at),
        error.code,
        error.message,
        details=error.details,
    )


def _cause(request: Mapping[str, Any], error: SnippetError) -> JsonPath:
    """The part of the request that the error is about."""
    if error.code is ErrorCode.STALE_FILE:
        return ("expectedHash",)
    if error.code is ErrorCode.VALIDATOR_UNAVAILABLE:
        return ("validation",)
    if error.code in _OF_THE_FILE:
        return ("path",)
    if error.instruction is None:
        return ("instructions",) if error.code is ErrorCode.SYNTAX_ERROR else ()
    here: JsonPath = ("instructions", error.instruction)
    instruction = request["instructions"][error.instruction]
    if error.code is ErrorCode.SYMBOL_NOT_FOUND:
        return (*here, "anchor", "symbolPath")
    if error.code in _OF_THE_ANCHOR:
        part = "target" if "target" in instruction["anchor"] else "symbolPath"
        return (*here, "anchor", part)
    if (
        error.code in (ErrorCode.DIFF_TOO_LARGE, ErrorCode.SYNTAX_ERROR)
        and "newText" in instruction
    ):
        return (*here, "newText")
    return here
