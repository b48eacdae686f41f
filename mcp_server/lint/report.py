"""The whole result of a lint run, and its forms that need no library.

Implements docs/design/command-line.md ``lint``: ``text`` for people, ``json``, and ``github``, the
workflow commands that GitHub shows as annotations. SARIF has a module of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from mcp_server.bundles.discovery import Shard
from mcp_server.bundles.findings import BundleReport, Finding, Level
from mcp_server.lint.annotations import workflow_command


@dataclass(frozen=True, slots=True)
class LintReport:
    """What came of all bundles, in their order. ``shard`` is ``None`` for all of them.

    ``others`` are reports on folders, on files that are no bundles, and on bundles of no project.
    """

    bundles: Sequence[BundleReport]
    shard: Shard | None = None
    others: Sequence[BundleReport] = ()

    @property
    def findings(self) -> list[Finding]:
        """Every finding, by bundle and then by place."""
        reports = (*self.others, *self.bundles)
        return [finding for report in reports for finding in report.findings]

    @property
    def errors(self) -> int:
        """How many findings fail the gate."""
        return sum(report.errors for report in (*self.others, *self.bundles))

    @property
    def ok(self) -> bool:
        """Whether the gate is passed."""
        return self.errors == 0

    def summary(self) -> str:
        """One line: what was checked, and what was found."""
        bundles, requests = len(self.bundles), sum(bundle.requests for bundle in self.bundles)
        warnings = len(self.findings) - self.errors
        found = _count(self.errors, "error") if self.errors else "no errors"
        if warnings:
            found += f", {_count(warnings, 'warning')}"
        part = f" (shard {self.shard})" if self.shard else ""
        return f"{_count(bundles, 'bundle')}, {_count(requests, 'request')}: {found}{part}"

    def to_json(self) -> dict[str, Any]:
        """The document of ``--format json``."""
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
    """A workflow command for each finding, which GitHub shows at its place in the bundle."""
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
        yield workflow_command(_COMMANDS[finding.level], properties, message)


_COMMANDS = {Level.ERROR: "error", Level.WARNING: "warning"}


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"
