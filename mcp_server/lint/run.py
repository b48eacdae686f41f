"""Checks many bundles, in this process or in several at once, with the same result.

Implements docs/design/command-line.md ``lint`` (``--jobs``). Work is handed out in small parts, by
the scripts that are edited; reports come back in the bundles' order whatever ends first.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from mcp_server.bundles.bundle import BundleFile
from mcp_server.bundles.check import check_bundle
from mcp_server.bundles.engines import opened, unusable
from mcp_server.bundles.findings import BundleReport
from mcp_server.contract.errors import ToolError, ToolErrorCode, tool_error
from mcp_server.lint.parts import parts_of
from mcp_server.lint.workers import LostWorkerError, Workers

_WORTH_A_WORKER = 50
"""Bundles that take about as long as starting a process to check them."""

OnDone = Callable[[int], None]
"""Hears how many more bundles have been checked."""


@dataclass(frozen=True, slots=True)
class Jobs:
    """How many processes may work: as many as asked for, or as are worth their start."""

    asked: int | None = None

    def for_bundles(self, count: int) -> int:
        """The number of processes for ``count`` bundles; 1 is this one alone."""
        if self.asked is not None:
            return max(1, min(self.asked, count))
        return max(1, min(_processors(), count // _WORTH_A_WORKER))


def lint(
    target: Target, bundles: Sequence[BundleFile], jobs: Jobs, on_done: OnDone
) -> list[BundleReport] | ToolError:
    """A report for each bundle, in their order.

    Errors: ``ERR_CONFIG_VALIDATION`` if the project or ``--lsp`` can't be used;
    ``ERR_UNITY_EXECUTION`` if a worker process died.
    """
    refused = unusable(target.project, target.lsp)
    if refused is not None:
        return refused
    workers = jobs.for_bundles(len(bundles))
    if workers == 1:
        return _in_this_process(target, bundles, on_done)
    try:
        return _in_workers(target, bundles, workers, on_done)
    except LostWorkerError as error:
        return tool_error(
            ToolErrorCode.UNITY_EXECUTION,
            f"A worker process was lost before its bundles were checked ({error}). "
            "Try fewer with --jobs, or smaller parts with --shard.",
        )


def lint_each(
    work: Mapping[Target, Sequence[BundleFile]], jobs: Jobs, on_done: OnDone
) -> dict[BundleFile, BundleReport] | ToolError:
    """A report for each bundle, each against its own target. Errors: those of :func:`lint`."""
    found: dict[BundleFile, BundleReport] = {}
    for target, bundles in work.items():
        reports = lint(target, bundles, jobs, on_done)
        if isinstance(reports, ToolError):
            return reports
        found.update(zip(bundles, reports, strict=True))
    return found


@dataclass(frozen=True, slots=True)
class Target:
    """What bundles are checked against: a project, and the ``--lsp`` that was given, if any.

    ``in_order``: each request of a bundle on the result of those before it.
    """

    project: Path
    lsp: str | None = None
    in_order: bool = False

    @contextmanager
    def __call__(self) -> Iterator[Callable[[Sequence[BundleFile]], list[BundleReport]]]:
        """What a worker process does, with engines that serve all the parts that it is given."""
        with opened(self.project, self.lsp, of_locked=True) as engines:
            yield lambda part: [
                check_bundle(engines, bundle, in_order=self.in_order) for bundle in part
            ]


def _in_this_process(
    target: Target, bundles: Sequence[BundleFile], on_done: OnDone
) -> list[BundleReport]:
    reports: list[BundleReport] = []
    with target() as check:
        for bundle in bundles:
            reports += check([bundle])
            on_done(1)
    return reports


def _in_workers(
    target: Target, bundles: Sequence[BundleFile], count: int, on_done: OnDone
) -> list[BundleReport]:
    parts = parts_of(bundles, count)
    work = [tuple(bundles[each] for each in part) for part in parts]
    reports: dict[int, BundleReport] = {}
    with Workers(count, target) as workers:
        for number, done in workers.results(work):
            reports.update(zip(parts[number], done, strict=True))
            on_done(len(done))
    return [reports[index] for index in range(len(bundles))]


def _processors() -> int:
    """Processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
