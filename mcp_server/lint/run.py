"""Check many bundles, in this process or in several, with the same result.

Implements docs/design/command-line.md ``lint`` (``--jobs``). Workers get bundles in small parts;
reports come back in the bundles' order.
"""

from __future__ import annotations

import multiprocessing
import os
import re
import signal
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from multiprocessing import util
from pathlib import Path
from threading import Thread

from mcp_server.bundles.apply import check_bundle
from mcp_server.bundles.bundle import BundleFile
from mcp_server.bundles.findings import BundleReport
from mcp_server.bundles.item import Engines, opened, unusable
from mcp_server.contract.errors import ToolError, ToolErrorCode, tool_error
from mcp_server.interrupt_signals import ignore_interrupts, interrupts_noted
from snippet_engine.storage.os_failure import reason_of
from snippet_engine.storage.system.plain_file import read_plain

_WORTH_A_WORKER = 50
"""Checking this many bundles takes about as long as starting a process."""

_MAX_PART = 50
_PARTS_PER_WORKER = 4
"""Fewest parts per worker, so that no worker waits long for the slowest."""

_PATH = re.compile(rb'"path"\s*:\s*"([^"\\]*)"')
_PEEK_BYTES = 4096

OnDone = Callable[[int], None]
"""Gets the number of bundles checked since the last call."""


@dataclass(frozen=True, slots=True)
class Target:
    """The project that bundles are checked against, and how."""

    project: Path
    lsp: str | None = None
    """The given ``--lsp``, if any."""
    in_order: bool = False
    """Whether each request of a bundle is checked on the result of the earlier ones."""


def lint_each(
    work: Mapping[Target, Sequence[BundleFile]], jobs: int | None, on_done: OnDone
) -> dict[BundleFile, BundleReport] | ToolError:
    """Check each bundle against its target. The errors are those of :func:`lint`."""
    found: dict[BundleFile, BundleReport] = {}
    for target, bundles in work.items():
        reports = lint(target, bundles, jobs, on_done)
        if isinstance(reports, ToolError):
            return reports
        found.update(zip(bundles, reports, strict=True))
    return found


def lint(
    target: Target, bundles: Sequence[BundleFile], jobs: int | None, on_done: OnDone
) -> list[BundleReport] | ToolError:
    """Return a report for each bundle, in order. ``jobs`` is as for :func:`processes_for`.

    Errors: ``ERR_CONFIG_VALIDATION`` if the project or ``--lsp`` can't be used,
    ``ERR_UNITY_EXECUTION`` if a worker process was lost.
    """
    refused = unusable(target.project, target.lsp)
    if refused is not None:
        return refused
    workers = processes_for(jobs, len(bundles))
    if workers > 1:
        return _in_workers(target, bundles, workers, on_done)
    reports: list[BundleReport] = []
    with opened(target.project, target.lsp, of_locked=True) as engines:
        for bundle in bundles:
            reports.append(check_bundle(engines, bundle, in_order=target.in_order))
            on_done(1)
    return reports


def processes_for(jobs: int | None, bundles: int) -> int:
    """Return the number of processes for the bundles: ``jobs``, or as many as save time."""
    if jobs is None:
        has_affinity = hasattr(os, "sched_getaffinity")
        processors = len(os.sched_getaffinity(0)) if has_affinity else os.cpu_count() or 1
        return max(1, min(processors, bundles // _WORTH_A_WORKER))
    return max(1, min(jobs, bundles))


def parts_of(bundles: Sequence[BundleFile], workers: int) -> list[list[int]]:
    """Divide the bundles' indexes into parts, so that bundles for one script are neighbours.

    Each worker parses the scripts of its bundles, and parsing is most of a first edit's cost.
    """
    size = min(_MAX_PART, max(1, len(bundles) // (workers * _PARTS_PER_WORKER)))
    by_script = sorted(range(len(bundles)), key=lambda index: _first_script(bundles[index]))
    return [by_script[start : start + size] for start in range(0, len(by_script), size)]


def _first_script(bundle: BundleFile) -> bytes:
    """Return the first path in the bundle; empty if the file's beginning has none."""
    try:
        seen = _PATH.search(read_plain(bundle.path, _PEEK_BYTES))
    except OSError:
        return b""
    return seen[1] if seen is not None else b""


def _in_workers(
    target: Target, bundles: Sequence[BundleFile], count: int, on_done: OnDone
) -> list[BundleReport] | ToolError:
    reports: dict[int, BundleReport] = {}
    method = "fork" if can_fork() else "spawn"
    pool = ProcessPoolExecutor(
        count, multiprocessing.get_context(method), initializer=_begin, initargs=(target,)
    )
    try:
        with pool:
            try:
                with _interrupts_held_back():
                    parts = {
                        pool.submit(_check, [bundles[index] for index in part]): part
                        for part in parts_of(bundles, count)
                    }
                for done in as_completed(parts):
                    part = parts[done]
                    reports.update(zip(part, done.result(), strict=True))
                    on_done(len(part))
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise
    except BrokenProcessPool as error:
        return _lost(str(error))
    except OSError as error:
        return _lost(f"it could not be started: {reason_of(error)}")
    return [reports[index] for index in range(len(bundles))]


@contextmanager
def _interrupts_held_back() -> Iterator[None]:
    """Start processes that Ctrl-C doesn't reach, because they inherit the signal mask.

    This process ends them instead. A Ctrl-C takes effect at the end of the block, because it must
    not interrupt the start of a process. The mask only applies to this thread, so the signal is
    also noted.
    """
    with interrupts_noted() as came:
        # On Windows, processes ignore Ctrl-C only once they have begun.
        masks = sys.platform != "win32"
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT}) if masks else ()
        try:
            yield
        finally:
            if masks:
                signal.pthread_sigmask(signal.SIG_SETMASK, before)
    if came():
        raise KeyboardInterrupt


def _lost(why: str) -> ToolError:
    return tool_error(
        ToolErrorCode.UNITY_EXECUTION,
        f"A worker process was lost ({why.rstrip('.')}). "
        "Try fewer with --jobs, or smaller parts with --shard.",
    )


def can_fork() -> bool:
    """Return whether a worker can be a copy of this process. Then it need not load the modules.

    Not with several threads, because their locks would stay locked in the copy. On macOS, its own
    libraries start threads.
    """
    return sys.platform == "linux" and len(os.listdir("/proc/self/task")) == 1  # noqa: PTH208


# -- in a worker --------------------------------------------------------------------------

_worker: tuple[Target, Engines] | None = None


def _begin(target: Target) -> None:
    """Prepare this worker process: open the engines for all its parts, to be closed at its end."""
    global _worker  # noqa: PLW0603 - a pool has no other place for a worker's state
    ignore_interrupts()
    Thread(target=_end_with_parent, daemon=True).start()
    closing = ExitStack()
    util.Finalize(None, closing.close, exitpriority=1)
    _worker = target, closing.enter_context(opened(target.project, target.lsp, of_locked=True))


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _check(bundles: Sequence[BundleFile]) -> list[BundleReport]:
    assert _worker is not None, "a worker begins before it gets a part"
    target, engines = _worker
    return [check_bundle(engines, bundle, in_order=target.in_order) for bundle in bundles]
