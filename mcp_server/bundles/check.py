"""Find the faults of a bundle's items with the engine's previews and drafts.

Implements docs/design/command-line.md ``lint``: valid JSON, then the contract, then every anchor,
the validation against the working tree, and the hashes. Each item is checked against the files as
they are, or, in order, on the results of the items before it. Nothing is written.
"""

from __future__ import annotations

import logging
from typing import Any

from mcp_server.bundles.bundle import Bundle, BundleFile, read_bundle
from mcp_server.bundles.engines import Engines
from mcp_server.bundles.findings import FILE_START, BundleReport, Finding
from mcp_server.bundles.item import draft, pinned_to, preview, read_item
from mcp_server.bundles.refusals import problem_finding, refusal_findings, warning_findings
from mcp_server.bundles.rules import INTERNAL_ERROR
from snippet_engine.errors import ErrorCode, SnippetError
from snippet_engine.schemas.checked_params import CheckedParams
from snippet_engine.schemas.schema_findings import JsonPath
from snippet_engine.single_edit.versions import Drafts


def check_bundle(engines: Engines, file: BundleFile, *, in_order: bool = False) -> BundleReport:
    """Return everything wrong with one bundle, in the order of its text. Raises nothing."""
    requests, findings = 0, []
    try:
        bundle = read_bundle(file)
        if isinstance(bundle, Finding):
            findings.append(bundle)
        else:
            requests = len(bundle.requests)
            findings += bundle.faults
            drafts = Drafts() if in_order else None
            for steps, request in bundle.requests:
                found, drafts = _check_request(engines, bundle, steps, request, drafts)
                findings += found
    except Exception as error:
        # A bug must not stop the check of the other bundles.
        logging.getLogger(__name__).error("checking %s failed", file.shown, exc_info=error)
        message = f"could not be checked ({type(error).__name__}); the log has the traceback"
        findings.append(Finding(file.shown, "$", FILE_START, INTERNAL_ERROR, message))
    findings.sort(key=lambda finding: finding.region)
    return BundleReport(file.shown, requests, tuple(findings))


def _check_request(
    engines: Engines, bundle: Bundle, steps: JsonPath, request: Any, drafts: Drafts | None
) -> tuple[list[Finding], Drafts | None]:
    """Return the findings, and the drafts for the next item.

    The drafts are ``None`` if each item is checked alone.
    """
    item = read_item(request)
    if not isinstance(item, CheckedParams):
        return [problem_finding(bundle, steps, problem) for problem in item], drafts
    findings: list[Finding] = []
    answer = _judged(engines, item, drafts)
    if isinstance(answer, SnippetError) and answer.code is ErrorCode.STALE_FILE:
        findings += refusal_findings(bundle, steps, item, answer)
        # After the hash is corrected, the anchors must fit, too.
        item = pinned_to(item, _present_hashes(answer))
        answer = _judged(engines, item, drafts)
    if isinstance(answer, SnippetError):
        return [*findings, *refusal_findings(bundle, steps, item, answer)], drafts
    result, drafts = answer
    return [*findings, *warning_findings(bundle, steps, result)], drafts


def _present_hashes(stale: SnippetError) -> dict[int | None, str]:
    """Return the present hashes of the files of a ``stale_file``, by their change."""
    found = {stale.file: stale.details["currentHash"]}
    for other in stale.details.get("otherErrors", ()):
        if other["code"] == ErrorCode.STALE_FILE:
            found[other["file"]] = other["details"]["currentHash"]
    return found


def _judged(
    engines: Engines, item: CheckedParams, drafts: Drafts | None
) -> tuple[dict[str, Any], Drafts | None] | SnippetError:
    engine = engines.for_request(item)
    if drafts is not None:
        drafted = draft(engine, item, drafts)
        if not isinstance(drafted, SnippetError):
            engines.take_note(item, drafted[0])
        return drafted
    result = preview(engine, item)
    if isinstance(result, SnippetError):
        return result
    engines.take_note(item, result)
    return result, None
