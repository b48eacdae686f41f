"""The result of a lint run, for ``json`` and ``github``.

Implements docs/design/command-line.md ``lint``. GitHub shows workflow commands as annotations.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mcp_server.bundles.discovery import Shard
from mcp_server.bundles.findings import BundleReport, Finding
from snippet_engine.errors import counted


@dataclass(frozen=True, slots=True)
class LintReport:
    """The reports on all bundles, in their order."""

    bundles: Sequence[BundleReport]
    shard: Shard | None = None
    """``None`` for all bundles."""
    others: Sequence[BundleReport] = ()
    """Reports on folders, on files that are no bundles, and on bundles of no project."""

    @property
    def findings(self) -> list[Finding]:
        """All findings, by bundle and then by place."""
        reports = (*self.others, *self.bundles)
        return [finding for report in reports for finding in report.findings]

    @property
    def errors(self) -> int:
        """The number of findings that fail the gate."""
        return sum(report.errors for report in (*self.others, *self.bundles))

    @property
    def ok(self) -> bool:
        """Whether the gate is passed."""
        return self.errors == 0

    def summary(self) -> str:
        """Return one line: what was checked, and what was found."""
        bundles, requests = len(self.bundles), sum(bundle.requests for bundle in self.bundles)
        warnings = len(self.findings) - self.errors
        found = counted(self.errors, "error") if self.errors else "no errors"
        if warnings:
            found += f", {counted(warnings, 'warning')}"
        part = f" (shard {self.shard})" if self.shard else ""
        return f"{counted(bundles, 'bundle')}, {counted(requests, 'request')}: {found}{part}"

    def to_json(self) -> dict[str, Any]:
        """Return the document of ``--format json``."""
        findings = self.findings
        return {
            "ok": self.ok,
            "bundles": len(self.bundles),
            "requests": sum(bundle.requests for bundle in self.bundles),
            "errors": self.errors,
            "warnings": len(findings) - self.errors,
            **({"shard": str(self.shard)} if self.shard else {}),
            "findings": [finding.to_json() for finding in findings],
        }


def github_lines(findings: Sequence[Finding]) -> Iterator[str]:
    """Yield a workflow command for each finding, at its place in the bundle."""
    for finding in findings:
        region = finding.region
        properties = {
            "file": finding.file,
            "line": region.line,
            "endLine": region.end_line,
            "title": finding.code,
        }
        if region.line == region.end_line:  # GitHub takes columns within one line only
            properties["col"] = region.column
            properties["endColumn"] = region.end_column
        message = f"{finding.path}: {finding.message}"
        yield workflow_command(finding.level.value, properties, message)


def workflow_command(command: str, properties: Mapping[str, Any], message: str) -> str:
    """Return the line by which GitHub shows ``message``; ``command`` is its level."""
    listed = ",".join(f"{key}={_property(str(value))}" for key, value in properties.items())
    return f"::{command}{' ' if listed else ''}{listed}::{_data(message)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
