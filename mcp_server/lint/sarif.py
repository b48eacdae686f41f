"""A lint report as SARIF 2.1.0, as GitHub code scanning takes it.

Implements docs/design/command-line.md ``lint``.
"""

from __future__ import annotations

from typing import Any

from sarif_pydantic.sarif import Level as SarifLevel
from sarif_pydantic.sarif import (
    Location,
    LogicalLocation,
    Message,
    PhysicalLocation,
    ReportingConfiguration,
    ReportingDescriptor,
    Result,
)
from sarif_pydantic.sarif import Region as SarifRegion

from mcp_server.bundles.findings import Finding
from mcp_server.bundles.rules import RULES
from mcp_server.lint.code_scanning import artifact, fingerprint, sarif_document
from mcp_server.lint.report import LintReport

_RULE_INDEX = {code: index for index, code in enumerate(RULES)}


def sarif_log(report: LintReport) -> dict[str, Any]:
    """The SARIF log of one run, as a JSON object."""
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
    same = fingerprint(finding.file, finding.path, finding.code)
    place = PhysicalLocation(
        artifact_location=artifact(finding.file),
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
        partial_fingerprints={"bundlePath/v1": same},
    )
