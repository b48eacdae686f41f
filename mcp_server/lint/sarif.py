"""A lint report as SARIF 2.1.0, as GitHub code scanning takes it.

Implements docs/design/command-line.md ``lint``. Paths are relative to the repository's root, which
``%SRCROOT%`` stands for; a folder of this machine is named only for a bundle outside of it.
"""

from __future__ import annotations

import hashlib
from pathlib import PurePath
from typing import Any
from urllib.parse import quote

from sarif_pydantic.sarif import (
    ArtifactLocation,
    Invocation,
    Location,
    LogicalLocation,
    Message,
    PhysicalLocation,
    ReportingConfiguration,
    ReportingDescriptor,
    Result,
    Run,
    RunAutomationDetails,
    Sarif,
    Tool,
    ToolDriver,
)
from sarif_pydantic.sarif import Level as SarifLevel
from sarif_pydantic.sarif import Region as SarifRegion

from mcp_server.bundles.findings import Finding
from mcp_server.bundles.rules import RULES
from mcp_server.lint.report import LintReport
from mcp_server.version import package_version

SCHEMA_URI = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
_RULE_INDEX = {code: index for index, code in enumerate(RULES)}


class _Run(Run):
    """The library's run has no place for what columns count."""

    column_kind: str = "utf16CodeUnits"


def sarif_log(report: LintReport) -> dict[str, Any]:
    """The SARIF log of one run, as a JSON object."""
    driver = ToolDriver(
        name="unity-cli lint",
        version=package_version(),
        rules=[
            ReportingDescriptor(
                id=code,
                short_description=Message(text=meaning),
                full_description=Message(text=meaning),
                help=Message(text=meaning),
                default_configuration=ReportingConfiguration(level="error"),
            )
            for code, meaning in RULES.items()
        ],
    )
    part = f"shard-{report.shard.index}-of-{report.shard.count}/" if report.shard else ""
    run = _Run(
        tool=Tool(driver=driver),
        invocations=[Invocation(execution_successful=True)],
        automation_details=RunAutomationDetails(id=f"unity-cli-lint/{part}"),
        results=[_result(finding) for finding in report.findings],
    )
    log = Sarif.model_validate({"$schema": SCHEMA_URI, "runs": [run]})
    return log.model_dump(mode="json", by_alias=True, exclude_none=True, serialize_as_any=True)


def _result(finding: Finding) -> Result:
    region = finding.region
    place = PhysicalLocation(
        artifact_location=_artifact(finding.file),
        region=SarifRegion(
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
        level=SarifLevel(finding.level.value),
        message=Message(text=f"{finding.path}: {finding.message}"),
        locations=[Location(physical_location=place, logical_locations=[named])],
        partial_fingerprints={"bundlePath/v1": _fingerprint(finding)},
    )


def _artifact(file: str) -> ArtifactLocation:
    if PurePath(file).is_absolute():  # a bundle outside the repository, named that way
        return ArtifactLocation(uri=PurePath(file).as_uri())
    return ArtifactLocation(uri=quote(file, safe="/"), uri_base_id="%SRCROOT%")


def _fingerprint(finding: Finding) -> str:
    """Equal for the same fault of the same part of a bundle, wherever its lines move to."""
    text = "\n".join((finding.file, finding.path, finding.code))
    return hashlib.sha256(text.encode()).hexdigest()[:32]
