"""Run all checks of ``doctor`` in parallel, each with a time limit.

Implements docs/design/command-line.md ``doctor``: a server or a network folder that hangs must not
hold up the other checks.
"""

from __future__ import annotations

import sysconfig
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from typing import TypeAlias

from mcp_server.calls.server.project_server import SilentServer
from mcp_server.contract.errors import ToolError
from mcp_server.doctor import guard, installation, running_server, unity_project
from mcp_server.doctor.check import Check

Probe: TypeAlias = Callable[[], list[Check]]

REQUIRED = frozenset({"Python", "packages", "Unity project", "embedded validator"})
"""The checks without which almost nothing works."""


@dataclass(frozen=True, slots=True)
class Subject:
    """What ``doctor`` examines."""

    project: Path | None
    url: str | ToolError | SilentServer
    """The server's address, what is wrong with the address, or the project's silent server."""
    token: str | None
    lsp: str | ToolError
    """The value of ``--lsp``."""
    limit_s: float = 5.0
    """How long each check may take, in seconds."""
    url_named: bool = True
    """Whether an option or environment variable gave the address."""


def examine(subject: Subject) -> list[Check]:
    """Return all checks, in the order of printing."""
    found = run_probes(
        {
            "Python": installation.check_python,
            "packages": installation.check_packages,
            "Unity project": lambda: unity_project.check_project(subject.project),
            "undo": lambda: unity_project.check_history(subject.project),
            "embedded validator": installation.check_embedded,
            "C# language server": lambda: installation.check_servers(subject.lsp, subject.project),
            "Roslyn": lambda: installation.check_toolchains(subject.project),
            "server": lambda: running_server.check_server(
                subject.url,
                subject.token,
                subject.project,
                subject.limit_s,
                named=subject.url_named,
            ),
            "Unity package": lambda: unity_project.check_package(subject.project),
            guard.NAME: lambda: guard.check_guard(subject.project, subject.limit_s),
            running_server.PIPELINE: lambda: running_server.check_pipeline(subject.project),
        },
        subject.limit_s,
    )
    return unity_project.connected_from_elsewhere(found)


def run_probes(probes: Mapping[str, Probe], limit_s: float) -> list[Check]:
    """Run the probes in parallel, and return their checks.

    A failure or timeout becomes a check, too.
    """
    found: dict[str, list[Check]] = {}

    def run(name: str, probe: Probe) -> None:
        try:
            found[name] = probe()
        except Exception as error:  # a bug in one probe must not hide the others' results
            why = f"could not be checked ({type(error).__name__}: {error})"
            is_required = name in REQUIRED
            found[name] = [Check(name, False, why, "Please report this.", required=is_required)]

    sysconfig.get_config_vars()  # loaded here, as it isn't safe on several threads
    deadline = time.monotonic() + limit_s
    threads = [
        Thread(target=run, args=(name, probe), name=f"doctor {name}", daemon=True)
        for name, probe in probes.items()
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(max(0.0, deadline - time.monotonic()))
    return [check for name in probes for check in found.get(name, [_late(name, limit_s)])]


def _late(name: str, limit_s: float) -> Check:
    late = f"no answer within {limit_s:g} s"
    return Check(name, False, late, "Try again with --timeout 30.", required=name in REQUIRED)
