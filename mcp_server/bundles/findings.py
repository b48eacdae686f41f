"""A finding: a fault, and its place inside a bundle.

Implements docs/design/command-line.md ``lint``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


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
"""The place of a finding about a whole file."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One fault."""

    file: str
    """The bundle as it is shown."""
    path: str
    """A JSON path (``$[0].path``)."""
    region: Region
    code: str
    """The engine's, or one of the linter's own (:mod:`mcp_server.bundles.rules`)."""
    message: str
    level: Level = Level.ERROR
    details: Mapping[str, Any] = field(default_factory=dict)
    """The engine's, with anchors to send instead if it knows some."""

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
    """The number of requests in one bundle, and what is wrong with them."""

    file: str
    requests: int
    findings: tuple[Finding, ...]

    @property
    def errors(self) -> int:
        """How many findings fail the gate."""
        return sum(finding.level is Level.ERROR for finding in self.findings)
