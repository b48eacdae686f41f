"""The results of ``lint`` and ``check``, as ``json``, ``github`` and ``sarif``.

Implements docs/design/command-line.md ``lint`` and ``check``. GitHub shows workflow commands as
annotations, and its code scanning reads SARIF 2.1.0. In both, paths are relative to the
repository's root, ``%SRCROOT%``. A file outside the repository has its whole path.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any
from urllib.parse import quote

from mcp_server.bundles.discovery import Shard
from mcp_server.bundles.findings import RULES, BundleReport, Finding
from mcp_server.calls.project_check import judge, not_checked
from mcp_server.version import package_version
from snippet_engine.errors import counted


@dataclass(frozen=True, slots=True)
class LintReport:
    """The reports on all bundles, in their order."""

    bundles: Sequence[BundleReport]
    shard: Shard | None = None
    """The part of the bundles that was checked; ``None`` for all."""
    others: Sequence[BundleReport] = ()
    """Reports on folders, on files that aren't bundles, and on bundles without a project."""

    @property
    def findings(self) -> list[Finding]:
        """All findings, by bundle and then by position."""
        reports = (*self.others, *self.bundles)
        return [finding for report in reports for finding in report.findings]

    @property
    def errors(self) -> int:
        """The number of findings that fail the gate."""
        return sum(report.errors for report in (*self.others, *self.bundles))

    @property
    def ok(self) -> bool:
        """Whether the gate passes."""
        return self.errors == 0

    def summary(self) -> str:
        """Return one line: what was checked, and how many errors were found."""
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
    """Yield a workflow command for each finding, at its position in the bundle."""
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
        yield _workflow_command(finding.level.value, properties, message)


Shown = Callable[[str], str]
"""Maps a path in the project to the path to report."""

KINDS = ("error", "warning")


def project_github_lines(result: Mapping[str, Any], shown: Shown) -> Iterator[str]:
    """Yield the workflow commands for a result of ``check_project``."""
    for kind in KINDS:
        for each in result[f"{kind}s"]:
            place = {}
            if each["path"]:
                place = {"file": shown(each["path"]), "line": each["line"], "col": each["column"]}
            yield _workflow_command(kind, {**place, "title": each["code"]}, each["message"])
    kind = "error" if result["status"] == "unknown" else "warning"
    for each in result["notChecked"]:
        yield _workflow_command(kind, {"title": "not checked"}, not_checked(each))
    for remark in remarks(result):
        kind = "warning" if "unitysOlder" in result["checked"]["compiler"] else "notice"
        yield _workflow_command(kind, {"title": "compiler"}, remark)


def remarks(result: Mapping[str, Any]) -> list[str]:
    """Return a sentence that names the compiler; empty if none judged."""
    compiler = result["checked"].get("compiler")
    return [f"Checked by {judge(compiler)}."] if compiler else []


def _workflow_command(command: str, properties: Mapping[str, Any], message: str) -> str:
    listed = ",".join(f"{key}={_property(str(value))}" for key, value in properties.items())
    return f"::{command}{' ' if listed else ''}{listed}::{_data(message)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


Json = dict[str, Any]

SCHEMA_URI = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)

_RULE_INDEX = {code: index for index, code in enumerate(RULES)}


def sarif_log(report: LintReport) -> Json:
    """Return the SARIF log of a lint run."""
    part = f"shard-{report.shard.index}-of-{report.shard.count}/" if report.shard else ""
    rules = [
        {
            "id": code,
            "shortDescription": {"text": meaning},
            "fullDescription": {"text": meaning},
            "defaultConfiguration": {"enabled": True, "level": "error"},
            "help": {"text": meaning},
        }
        for code, meaning in RULES.items()
    ]
    results = [_result(finding) for finding in report.findings]
    return _log("unity-cli lint", f"unity-cli-lint/{part}", rules, results)


def _result(finding: Finding) -> Json:
    region = finding.region
    place = {
        "artifactLocation": _artifact(finding.file),
        "region": {
            "startLine": region.line,
            "startColumn": region.column,
            "endLine": region.end_line,
            "endColumn": region.end_column,
        },
    }
    named = [{"fullyQualifiedName": finding.path}]
    print_of = _fingerprint(finding.file, finding.path, finding.code)
    return {
        "ruleId": finding.code,
        "ruleIndex": _RULE_INDEX[finding.code],
        "level": finding.level.value,
        "message": {"text": f"{finding.path}: {finding.message}"},
        "locations": [{"physicalLocation": place, "logicalLocations": named}],
        "partialFingerprints": {"bundlePath/v1": print_of},
    }


def project_sarif_log(result: Mapping[str, Any], shown: Shown) -> Json:
    """Return the SARIF log for a ``result`` of ``check_project``."""
    found = [(kind, each) for kind in KINDS for each in result[f"{kind}s"]]
    codes = sorted({each["code"] for _, each in found})
    rules = [
        {"id": code, "shortDescription": {"text": f"Compiler diagnostic {code}"}} for code in codes
    ]

    def locations(each: Mapping[str, Any]) -> Json:
        if not each["path"]:
            return {}
        region = {"startLine": max(1, each["line"]), "startColumn": max(1, each["column"])}
        place = {"artifactLocation": _artifact(shown(each["path"])), "region": region}
        return {"locations": [{"physicalLocation": place}]}

    results = [
        {
            "ruleId": each["code"],
            "ruleIndex": codes.index(each["code"]),
            "level": kind,
            "message": {"text": each["message"]},
            **locations(each),
            "partialFingerprints": {
                "diagnostic/v1": _fingerprint(each["path"], each["code"], each["message"])
            },
        }
        for kind, each in found
    ]
    notes = [("error", not_checked(each)) for each in result["notChecked"]]
    notes += [("note", each) for each in remarks(result)]
    return _log("unity-cli check", "unity-cli-check/", rules, results, notes)


def _log(
    tool: str,
    run_id: str,
    rules: Sequence[Json],
    results: Sequence[Json],
    notes: Sequence[tuple[str, str]] = (),
) -> Json:
    """Return the log of one run. A note of level ``error`` marks the run as not successful."""
    invocation: Json = {"executionSuccessful": all(level != "error" for level, _ in notes)}
    if notes:
        told = [{"level": level, "message": {"text": text}} for level, text in notes]
        invocation["toolExecutionNotifications"] = told
    run = {
        "tool": {"driver": {"name": tool, "version": package_version(), "rules": rules}},
        "invocations": [invocation],
        "results": results,
        "automationDetails": {"id": run_id},
        "columnKind": "utf16CodeUnits",
    }
    return {"version": "2.1.0", "$schema": SCHEMA_URI, "runs": [run]}


def _artifact(file: str) -> Json:
    if PurePath(file).is_absolute():  # outside of the repository
        return {"uri": PurePath(file).as_uri()}
    return {"uri": quote(file, safe="/"), "uriBaseId": "%SRCROOT%"}


def _fingerprint(*parts: str) -> str:
    """Return a hash of ``parts``. It has no line number, so it stays the same if lines move."""
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:32]
