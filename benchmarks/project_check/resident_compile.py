"""One resident ``Compilation`` for each assembly: the first time, the next, and what it holds.

In a process of its own, as the check is: a compiler that has worked before is fast at once.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from benchmarks.measuring import session_processor_s
from benchmarks.project_check.compilers import newest_compiler
from benchmarks.project_check.layout import LaidOutProject
from benchmarks.project_check.reference_compiler import ReferenceCompiler

_STATUS = Path("/proc/self/status")


@dataclass(frozen=True, slots=True)
class ResidentCompile:
    """Milliseconds from nothing to the first errors, and of binding all of it anew; MB that the
    process takes then, 0 where that isn't known. ``cold_processor_s`` is the processor's time of
    the first, in seconds."""

    cold_ms: float
    cold_processor_s: float | None
    again_ms: float
    mb: float


def measured(project: LaidOutProject) -> ResidentCompile:
    """Compile the project in a new process. Raises ``CalledProcessError`` where that ends badly."""
    arguments = [str(project.root), *map(str, project.response_files)]
    command = [sys.executable, "-m", __name__, *arguments]
    begun = perf_counter()
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        cold_ms = (perf_counter() - begun) * 1000
        processor_s = session_processor_s(process.pid)
        told = process.stdout.read()
    if process.returncode != 0:
        raise subprocess.CalledProcessError(process.returncode, command)
    return ResidentCompile(cold_ms, processor_s, **json.loads(told))


def _told(root: Path, response_files: list[Path]) -> Iterator[str]:
    compiler = ReferenceCompiler(newest_compiler(), root, response_files, keeps_trees=True)
    compiler.compiled()
    yield "compiled"
    begun = perf_counter()
    compiler.compiled()
    again_ms = (perf_counter() - begun) * 1000
    compiler.bytes_bound()
    yield json.dumps({"again_ms": again_ms, "mb": _own_mb()})


def _own_mb() -> float:
    """What this process takes, as a server's is told: with its Python, .NET and compiler."""
    try:
        lines = _STATUS.read_text().splitlines()
    except OSError:
        return 0.0
    return next((int(each.split()[1]) / 1024 for each in lines if each.startswith("VmRSS:")), 0.0)


if __name__ == "__main__":
    for line in _told(Path(sys.argv[1]), [Path(each) for each in sys.argv[2:]]):
        print(line, flush=True)
