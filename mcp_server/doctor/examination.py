"""All checks, side by side, each with a limit on its time.

Implements docs/design/command-line.md ``doctor``: a server that hangs, or a folder on a share that
has gone, must not keep the rest from being told.
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
from mcp_server.doctor import installation, pipeline, running_server, unity_project, validators
from mcp_server.doctor.check import Check

Probe: TypeAlias = Callable[[], list[Check]]

REQUIRED = frozenset({"Python", "packages", "Unity project", "embedded validator"})
"""The probes of that without which nothing much works."""


@dataclass(frozen=True, slots=True)
class Subject:
    """What is examined. ``limit_s`` is how long any one probe may take, in seconds.

    ``lsp`` is the value of ``--lsp``, ``url`` the server's address, or what is wrong with it, or
    the project's own server that gave no answer; it is ``url_named`` where somebody said it.
    """

    project: Path | None
    url: str | ToolError | SilentServer
    token: str | None
    lsp: str | ToolError
    limit_s: float = 5.0
    url_named: bool = True


def examine(subject: Subject) -> list[Check]:
    """Every check, in the order in which they are told."""
    found = run_probes(
        {
            "Python": installation.check_python,
            "packages": installation.check_packages,
            "Unity project": lambda: unity_project.check_project(subject.project),
            "undo": lambda: unity_project.check_history(subject.project),
            "embedded validator": validators.check_embedded,
            "C# language server": lambda: validators.check_servers(subject.lsp, subject.project),
            "Roslyn": lambda: validators.check_toolchains(subject.project),
            "server": lambda: running_server.check_server(
                subject.url,
                subject.token,
                subject.project,
                subject.limit_s,
                named=subject.url_named,
            ),
            "Unity package": lambda: unity_project.check_package(subject.project),
            pipeline.NAME: lambda: pipeline.check_pipeline(subject.project),
        },
        subject.limit_s,
    )
    return unity_project.connected_from_elsewhere(found)


def run_probes(probes: Mapping[str, Probe], limit_s: float) -> list[Check]:
    """What the probes found; of one that fails or takes too long, that."""
    found: dict[str, list[Check]] = {}

    def run(name: str, probe: Probe) -> None:
        try:
            found[name] = probe()
        except Exception as error:  # a probe must not hide what the others found
            why = f"could not be checked ({type(error).__name__}: {error})"
            is_required = name in REQUIRED
            found[name] = [Check(name, False, why, "Please report this.", required=is_required)]

    sysconfig.get_config_vars()  # made here: a second thread would find it half made
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
    """A probe without an answer: what nothing works without isn't known to be there."""
    late = f"no answer within {limit_s:g} s"
    return Check(name, False, late, "Try again with --timeout 30.", required=name in REQUIRED)
