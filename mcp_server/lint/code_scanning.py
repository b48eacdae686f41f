"""What was found, by whatever command, as SARIF 2.1.0, which GitHub code scanning takes.

Implements docs/design/command-line.md ``lint`` and ``check``. Paths are relative to the
repository's root, which ``%SRCROOT%`` stands for; a folder of this machine is named only for a file
outside of it.
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
    Message,
    Notification,
    ReportingDescriptor,
    Result,
    Run,
    RunAutomationDetails,
    Sarif,
    Tool,
    ToolDriver,
)

from mcp_server.version import package_version

SCHEMA_URI = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)


class _Run(Run):
    """The library's run has no place for what columns count."""

    column_kind: str = "utf16CodeUnits"


class _Invocation(Invocation):
    """The library's invocation has no place for what went wrong."""

    tool_execution_notifications: list[Notification] | None = None


def sarif_document(
    tool: str,
    *,
    run_id: str,
    rules: Sequence[ReportingDescriptor],
    results: Sequence[Result],
    notes: Sequence[str] = (),
    remarks: Sequence[str] = (),
) -> dict[str, Any]:
    """The SARIF log of one run of ``tool``, as a JSON object.

    ``notes`` say what the run could not do; with any, it was not successful. ``remarks`` say more
    of it.
    """
    told = [Notification(message=Message(text=note), level=Level.ERROR) for note in notes]
    more = [Notification(message=Message(text=each), level=Level.NOTE) for each in remarks]
    run = _Run(
        tool=Tool(driver=ToolDriver(name=tool, version=package_version(), rules=list(rules))),
        invocations=[
            _Invocation(
                execution_successful=not told,
                tool_execution_notifications=[*told, *more] or None,
            )
        ],
        automation_details=RunAutomationDetails(id=run_id),
        results=list(results),
    )
    log = Sarif.model_validate({"$schema": SCHEMA_URI, "runs": [run]})
    return log.model_dump(mode="json", by_alias=True, exclude_none=True, serialize_as_any=True)


def artifact(file: str) -> ArtifactLocation:
    """Where a file is."""
    if PurePath(file).is_absolute():  # outside the repository, and named that way
        return ArtifactLocation(uri=PurePath(file).as_uri())
    return ArtifactLocation(uri=quote(file, safe="/"), uri_base_id="%SRCROOT%")


def fingerprint(*parts: str) -> str:
    """Equal for what has the same parts, wherever its lines move to."""
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:32]
