"""Checks of Python, and of the packages that this one needs."""

from __future__ import annotations

import platform
import sys
from importlib.metadata import PackageNotFoundError, requires, version

from packaging.requirements import Requirement

from mcp_server.doctor.check import Check
from mcp_server.this_installation import DISTRIBUTION, pip_install
from mcp_server.version import package_version

OLDEST_PYTHON = (3, 11, 5)
"""Older ones have a bug in possessive patterns, so that valid scripts look broken."""


def check_python() -> list[Check]:
    """Check the version of the running interpreter."""
    return [
        Check(
            "Python",
            sys.version_info >= OLDEST_PYTHON,
            f"{platform.python_version()} ({sys.executable})",
            f"Install Python {'.'.join(map(str, OLDEST_PYTHON))} or newer.",
            required=True,
        )
    ]


def check_packages() -> list[Check]:
    """Check that the packages which this one needs are installed, in the right versions."""
    try:
        needed = [Requirement(line) for line in requires(DISTRIBUTION) or ()]
    except PackageNotFoundError:
        why = f"{DISTRIBUTION} is not installed in this Python"
        advice = f"In its folder: {pip_install('.')}"
        return [Check("packages", False, why, advice, required=True)]
    needed = [each for each in needed if each.marker is None or each.marker.evaluate({"extra": ""})]
    looked_at = [(f"{each.name}{each.specifier}", _problem(each)) for each in needed]
    problems = {name: problem for name, problem in looked_at if problem is not None}
    summary = f"unity-snippet {package_version()}, {len(needed)} packages"
    return [
        Check(
            "packages",
            not problems,
            f"{summary}; {len(problems)} missing or of a wrong version" if problems else summary,
            pip_install(*problems),
            command=pip_install(*problems),
            required=True,
            details=tuple(problems.values()),
        )
    ]


def _problem(needed: Requirement) -> str | None:
    try:
        found = version(needed.name)
    except PackageNotFoundError:
        return f"{needed.name}: not installed, {needed.specifier} is needed"
    if needed.specifier.contains(found, prereleases=True):
        return None
    return f"{needed.name}: {found} is installed, {needed.specifier} is needed"
