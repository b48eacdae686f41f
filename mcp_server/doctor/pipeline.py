"""Check of Unity's own Pipeline package, the other way to reach the Editor."""

from __future__ import annotations

from pathlib import Path

from mcp_server.calls.project import problem_of
from mcp_server.doctor.check import Check

NAME = "Unity Pipeline"


def check_pipeline(project: Path | None) -> list[Check]:
    """Check whether the project's Editor answers over ``com.unity.pipeline``."""
    import asyncio  # noqa: PLC0415 - loaded only here

    from unity_bridge.pipeline.probe import probe  # noqa: PLC0415
    from unity_bridge.pipeline.project_files import package_version  # noqa: PLC0415

    if problem_of(project) is not None:
        return [Check(NAME, False, "no Unity project", "Give --project PATH.", optional=True)]
    assert project is not None
    version = package_version(project)
    found = asyncio.run(probe(project))
    named = f"com.unity.pipeline {version}" if version else "com.unity.pipeline"
    if found.live:
        return [Check(NAME, True, f"{named}: {found.what}")]
    if version is None:
        advice = "Not needed with our package. For Unity 6, the package manager has it."
        return [Check(NAME, False, f"{named} is not in the project", advice, optional=True)]
    return [Check(NAME, False, f"{named}: {found.what}", found.advice, optional=True)]
