"""A check of the project, for ``github`` and ``sarif``.

Implements docs/design/command-line.md ``check``. The result is that of the tool ``check_project``;
``shown`` turns a path in the project into the path to report.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from mcp_server.calls.project_check import judge, not_checked
from mcp_server.lint.report import workflow_command

Shown = Callable[[str], str]

_KINDS = ("error", "warning")


def github_lines(result: Mapping[str, Any], shown: Shown) -> Iterator[str]:
    """Yield a workflow command for each error and warning, and for what could not be checked."""
    for kind in _KINDS:
        for each in result[f"{kind}s"]:
            place = {}
            if each["path"]:
                place = {"file": shown(each["path"]), "line": each["line"], "col": each["column"]}
            yield workflow_command(kind, {**place, "title": each["code"]}, each["message"])
    kind = "error" if result["status"] == "unknown" else "warning"
    for each in result["notChecked"]:
        yield workflow_command(kind, {"title": "not checked"}, not_checked(each))
    for each in _remarks(result):
        kind = "warning" if "unitysOlder" in result["checked"]["compiler"] else "notice"
        yield workflow_command(kind, {"title": "compiler"}, each)


def _remarks(result: Mapping[str, Any]) -> list[str]:
    compiler = result["checked"].get("compiler")
    return [f"Checked by {judge(compiler)}."] if compiler else []


def sarif_log(result: Mapping[str, Any], shown: Shown) -> dict[str, Any]:
    """Return the SARIF log, as a JSON object. Loads pydantic."""
    from sarif_pydantic.sarif import (  # noqa: PLC0415 - slow to import
        Level,
        Location,
        Message,
        PhysicalLocation,
        Region,
        ReportingDescriptor,
        Result,
    )

    from mcp_server.lint.sarif import artifact, fingerprint, sarif_document  # noqa: PLC0415

    found = [(kind, each) for kind in _KINDS for each in result[f"{kind}s"]]
    codes = sorted({each["code"] for _, each in found})
    rules = [
        ReportingDescriptor(id=code, short_description=Message(text=f"Compiler diagnostic {code}"))
        for code in codes
    ]

    def location(each: Mapping[str, Any]) -> Location:
        region = Region(start_line=max(1, each["line"]), start_column=max(1, each["column"]))
        where = artifact(shown(each["path"]))
        return Location(physical_location=PhysicalLocation(artifact_location=where, region=region))

    results = [
        Result(
            rule_id=each["code"],
            rule_index=codes.index(each["code"]),
            level=Level(kind),
            message=Message(text=each["message"]),
            locations=[location(each)] if each["path"] else None,
            partial_fingerprints={
                "diagnostic/v1": fingerprint(each["path"], each["code"], each["message"])
            },
        )
        for kind, each in found
    ]
    return sarif_document(
        "unity-cli check",
        run_id="unity-cli-check/",
        rules=rules,
        results=results,
        notes=[not_checked(each) for each in result["notChecked"]],
        remarks=_remarks(result),
    )
