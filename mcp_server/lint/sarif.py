"""Findings as SARIF 2.1.0, which GitHub code scanning reads.

Implements docs/design/command-line.md ``lint`` and ``check``. Paths are relative to the
repository's root, ``%SRCROOT%``; only a file outside of it has its whole path.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import PurePath
from typing import Any
from urllib.parse import quote

from sarif_pydantic.sarif import (
    ArtifactLocation,
    Invocation,
    Level,
    Location,
    LogicalLocation,
    Message,
    Notification,
    PhysicalLocation,
    Region,
    ReportingConfiguration,
    ReportingDescriptor,
    Result,
    Run,
    RunAutomationDetails,
    Sarif,
    Tool,
    ToolDriver,
)

from mcp_server.bundles.findings import Finding
from mcp_server.bundles.rules import RULES
from mcp_server.lint.report import LintReport
from mcp_server.version import package_version

SCHEMA_URI = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)

_RULE_INDEX = {code: index for index, code in enumerate(RULES)}


class _Run(Run):
    """Adds the unit of columns, which the library's class has no field for."""

    column_kind: str = "utf16CodeUnits"


class _Invocation(Invocation):
    """Adds notifications, which the library's class has no field for."""

    tool_execution_notifications: list[Notification] | None = None


def sarif_log(report: LintReport) -> dict[str, Any]:
    """Return the SARIF log of a lint run, as a JSON object."""
    part = f"shard-{report.shard.index}-of-{report.shard.count}/" if report.shard else ""
    rules = [
        ReportingDescriptor(
            id=code,
            short_description=Message(text=meaning),
            full_description=Message(text=meaning),
            help=Message(text=meaning),
            default_configuration=ReportingConfiguration(level="error"),
        )
        for code, meaning in RULES.items()
    ]
    return sarif_document(
        "unity-cli lint",
        run_id=f"unity-cli-lint/{part}",
        rules=rules,
        results=[_result(finding) for finding in report.findings],
    )


def _result(finding: Finding) -> Result:
    region = finding.region
    place = PhysicalLocation(
        artifact_location=artifact(finding.file),
        region=Region(
            start_line=region.line,
            start_column=region.column,
            end_line=region.end_line,
            end_column=region.end_column,
        ),
    )
    named = LogicalLocation(fully_qualified_name=finding.path)
    return Result(
        rule_id=finding.code,
        rule_index=_RULE_INDEX[finding.code],
        level=Level(finding.level.value),
        message=Message(text=f"{finding.path}: {finding.message}"),
        locations=[Location(physical_location=place, logical_locations=[named])],
        partial_fingerprints={
            "bundlePath/v1": fingerprint(finding.file, finding.path, finding.code)
        },
    )


def sarif_document(
    tool: str,
    *,
    run_id: str,
    rules: Sequence[ReportingDescriptor],
    results: Sequence[Result],
    notes: Sequence[str] = (),
    remarks: Sequence[str] = (),
) -> dict[str, Any]:
    """Return the SARIF log of one run of ``tool``, as a JSON object.

    ``notes`` say what the run could not do; with any, it was not successful. ``remarks`` say more
    about it.
    """
    errors = [Notification(message=Message(text=note), level=Level.ERROR) for note in notes]
    more = [Notification(message=Message(text=each), level=Level.NOTE) for each in remarks]
    invocation = _Invocation(
        execution_successful=not errors, tool_execution_notifications=[*errors, *more] or None
    )
    run = _Run(
        tool=Tool(driver=ToolDriver(name=tool, version=package_version(), rules=list(rules))),
        invocations=[invocation],
        automation_details=RunAutomationDetails(id=run_id),
        results=list(results),
    )
    log = Sarif.model_validate({"$schema": SCHEMA_URI, "runs": [run]})
    return log.model_dump(mode="json", by_alias=True, exclude_none=True, serialize_as_any=True)


def artifact(file: str) -> ArtifactLocation:
    """Return the location of a file, named as reports name it."""
    if PurePath(file).is_absolute():  # outside of the repository
        return ArtifactLocation(uri=PurePath(file).as_uri())
    return ArtifactLocation(uri=quote(file, safe="/"), uri_base_id="%SRCROOT%")


def fingerprint(*parts: str) -> str:
    """Return a hash of the parts, which stays the same if the lines move."""
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:32]
