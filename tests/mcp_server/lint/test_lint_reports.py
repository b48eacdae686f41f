"""A lint report in its forms; SARIF is held against the published schema."""

from __future__ import annotations

import json
import tarfile
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import jsonschema
import pytest
from bundle_files import part, request, with_target, write_bundle
from this_system import ON_WINE

from benchmarks.unity_packages import archive
from mcp_server.bundles.apply import check_bundle
from mcp_server.bundles.bundle import BundleFile
from mcp_server.bundles.discovery import Shard
from mcp_server.bundles.findings import RULES, BundleReport, Finding, Level, Region
from mcp_server.bundles.item import opened
from mcp_server.lint.report import LintReport, github_lines, sarif_log
from roslyn_server.toolchains.packages import NpmPackage, npm_command

SARIF_TOOLS = NpmPackage(
    "@microsoft/sarif-multitool-ts",
    "5.7.0",
    "sha512-RcsfukhNsU2fQPM2FxBYyJI9D2Flekt0SBKlAg1TjiWVqUrK3I+luL6KTLbvqLNx0Ep2Mtl5CO+wp7cikI1I1w==",
)
"""The package in which SARIF's editors publish its JSON Schema."""


@pytest.fixture(scope="module")
def sarif_schema() -> Any:
    if ON_WINE and npm_command() is None:
        pytest.skip("the Windows here has no npm")
    with tarfile.open(archive(SARIF_TOOLS)) as tar:
        schema = tar.extractfile("package/assets/sarif-2.1.0.schema.json")
        assert schema is not None
        return json.load(schema)


@pytest.fixture
def report(project: Path) -> LintReport:
    """Four bundles, among them clean ones and ones whose names and texts need care."""
    contents = {
        "clean": request(),
        "é 100%, a:b": [request(), {"mode": "é\r\n😀"}, with_target("nowhere")],
        "sub/broken": '{"é": "😀", x'.encode(),
        "emptying": {
            **request(),
            "instructions": [
                {"operation": "delete", "anchor": {"type": "text", "target": "speed = 0;"}}
            ],
        },
    }
    files = [
        BundleFile(write_bundle(project, name, content), f"{name}.snippet.json")
        for name, content in contents.items()
    ]
    with opened(project, "off") as engines:
        return LintReport([check_bundle(engines, file) for file in files])


def test_sarif_satisfies_the_published_schema(report: LintReport, sarif_schema: Any) -> None:
    assert sarif_schema["title"].startswith("Static Analysis Results Format (SARIF) Version 2.1.0")
    validator = jsonschema.Draft202012Validator(
        sarif_schema, format_checker=jsonschema.Draft202012Validator.FORMAT_CHECKER
    )
    for each in (report, LintReport(()), LintReport(report.bundles, Shard(2, 8))):
        assert list(validator.iter_errors(sarif_log(each))) == []
    broken = sarif_log(report)
    broken["runs"][0]["results"][0]["level"] = "fatal"
    assert list(validator.iter_errors(broken)) != []


def test_sarif_regions_hold_what_they_are_about(report: LintReport, project: Path) -> None:
    (run,) = sarif_log(report)["runs"]
    assert run["columnKind"] == "utf16CodeUnits"
    shown = {}
    for result in run["results"]:
        (location,) = result["locations"]
        place = location["physicalLocation"]
        file = project / unquote(place["artifactLocation"]["uri"])
        keys = ("startLine", "startColumn", "endLine", "endColumn")
        region = Region(*(place["region"][key] for key in keys))
        (logical,) = location["logicalLocations"]
        text = part(file.read_text(encoding="utf-8"), region)
        shown[file.name, logical["fullyQualifiedName"]] = text
        assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
    name = "é 100%, a:b.snippet.json"
    assert shown[name, "$[1].mode"] == r'"\u00e9\r\n\ud83d\ude00"'
    assert shown[name, "$[2].instructions[0].anchor.target"] == '"nowhere"'
    assert shown["broken.snippet.json", "$"] == "x"
    assert len(shown) == len(run["results"]) == len(report.findings) == 6


def test_sarif_has_what_github_asks_for(report: LintReport) -> None:
    log = sarif_log(LintReport(report.bundles, Shard(2, 8)))
    (run,) = log["runs"]
    assert log["version"] == "2.1.0"
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == list(RULES)
    # Uploads of several parts for one commit must differ in this.
    assert run["automationDetails"]["id"] == "unity-cli-lint/shard-2-of-8/"
    for result in run["results"]:
        uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        assert uri.isascii()
        assert not uri.startswith("/")
        assert result["level"] in ("error", "warning")
        assert result["partialFingerprints"]
    fingerprints = [tuple(result["partialFingerprints"].values()) for result in run["results"]]
    assert len(set(fingerprints)) == len(fingerprints)


def test_sarif_names_a_bundle_outside_the_repository_by_its_uri(sarif_schema: Any) -> None:
    finding = Finding("/else where/a.snippet.json", "$", Region(1, 1, 1, 2), "invalid_json", "x")
    log = sarif_log(LintReport([BundleReport(finding.file, 0, (finding,))]))
    jsonschema.validate(log, sarif_schema)
    place = log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]
    assert place["artifactLocation"] == {"uri": "file:///else%20where/a.snippet.json"}


def test_github_commands_are_one_line_each_and_escaped(report: LintReport) -> None:
    lines = list(github_lines(report.findings))
    assert len(lines) == len(report.findings)
    assert all("\n" not in line and "\r" not in line for line in lines)
    mode = next(line for line in lines if "$[1].mode" in line)
    assert mode.startswith("::error file=é 100%25%2C a%3Ab.snippet.json,line=")
    assert ",title=invalid_request,col=" in mode
    (warning,) = [line for line in lines if line.startswith("::warning ")]
    assert "title=empty_block" in warning


def test_github_columns_are_left_out_over_several_lines() -> None:
    finding = Finding("a", "$", Region(2, 3, 4, 5), "invalid_request", "is\r\nwrong")
    assert list(github_lines([finding])) == [
        "::error file=a,line=2,endLine=4,title=invalid_request::$: is%0D%0Awrong"
    ]


def test_the_json_form_and_the_summary(report: LintReport) -> None:
    document = report.to_json()
    assert {key: document[key] for key in list(document)[:5]} == {
        "ok": False,
        "bundles": 4,
        "requests": 5,
        "errors": 5,
        "warnings": 1,
    }
    assert document["findings"][-1]["code"] == "empty_block"
    assert report.summary() == "4 bundles, 5 requests: 5 errors, 1 warning"
    one = LintReport([BundleReport("a", 1, ())], Shard(1, 2))
    assert one.to_json() == {
        "ok": True,
        "bundles": 1,
        "requests": 1,
        "errors": 0,
        "warnings": 0,
        "shard": "1/2",
        "findings": [],
    }
    assert one.summary() == "1 bundle, 1 request: no errors (shard 1/2)"


def test_a_warning_alone_passes_the_gate() -> None:
    warning = Finding("a", "$", Region(1, 1, 1, 2), "empty_block", "x", Level.WARNING)
    assert LintReport([BundleReport("a", 1, (warning,))]).ok
