"""Measure the check and two other ways to find the errors, in the same run.

*Cold*: from nothing to the first answer of a server process. *Warm*: the next answers, after
nothing changed, after a change in a body, after one of a declaration (a method's name, which breaks
its callers, and its taking back). The references: ``csc``, started once for each assembly, as a
replay of the last build does; and one resident ``Compilation`` for each in a process of its own:
from nothing, and all of it bound anew.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random
from time import perf_counter

from benchmarks.measuring import Samples, session_processor_s
from benchmarks.project_check.compilers import Compiler, newest_compiler
from benchmarks.project_check.edits import body_edit, declaration_edit
from benchmarks.project_check.layout import LaidOutProject, lay_out
from benchmarks.project_check.plain_compiler import compiled_by_csc
from benchmarks.project_check.reference_compiler import ReferenceCompiler
from benchmarks.verdict import STARTING_S, running_validator
from lsp_client.process.server_process import resident_mb
from lsp_client.project.project_requests import ProjectCheck
from lsp_client.validator import LanguageServerValidator

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
    """Return this process's memory as a server counts it: Python, .NET and compiler."""
    try:
        lines = _STATUS.read_text().splitlines()
    except OSError:
        return 0.0
    return next((int(each.split()[1]) / 1024 for each in lines if each.startswith("VmRSS:")), 0.0)


if __name__ == "__main__":
    for line in _told(Path(sys.argv[1]), [Path(each) for each in sys.argv[2:]]):
        print(line, flush=True)


SIZES = ((100, 4), (400, 10), (1_500, 16), (5_000, 40))
"""Files and assemblies of the projects that are laid out."""


@dataclass(frozen=True)
class Row:
    """One project: milliseconds, medians and 90th percentiles; memory in MB, 0 where not known."""

    files: int
    assemblies: int
    rounds: int
    cold_ms: float
    nothing_ms: float
    nothing_p90_ms: float
    body_ms: float
    body_p90_ms: float
    declaration_ms: float
    declaration_p90_ms: float
    memory_mb: float
    csc_ms: float | None
    resident_cold_ms: float
    resident_ms: float
    resident_mb: float
    cold_processor_to_resident: float | None
    """The first answer over the same compile, by the processor's time, where it is known."""

    @property
    def cold_to_resident(self) -> float:
        """Return the first answer over the same compile, both from nothing."""
        return self.cold_ms / self.resident_cold_ms


def measure(compiler: Compiler, files: int, assemblies: int, rounds: int) -> Row:
    """Measure one temporary project. Raises ``RuntimeError`` on a wrong answer."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve() / "project"
        root.mkdir()
        project = lay_out(root, compiler, files=files, assemblies=assemblies)
        samples = Samples()
        with running_validator(root, compiler.toolchain) as server:
            first = samples.timed("cold", _checked, server)
            processor_s = session_processor_s(server.server_pid or 0)
            if first.status != "clean":
                raise RuntimeError(f"{files} files: {first.status}, {first.errors[:3]}")
            for number in range(rounds):
                samples.timed("nothing", _checked, server)
                _after(samples, "body", server, project, body_edit, number)
                _after(samples, "declaration", server, project, declaration_edit, number)
            memory = resident_mb(server.server_pid or 0) or 0
        if compiler.csc is not None:
            samples.timed("csc", compiled_by_csc, compiler, project)
        resident = measured(project)
    return Row(
        files=len(project.sources),
        assemblies=len(project.assemblies),
        rounds=rounds,
        cold_ms=samples.median_ms("cold"),
        nothing_ms=samples.median_ms("nothing"),
        nothing_p90_ms=samples.p90_ms("nothing"),
        body_ms=samples.median_ms("body"),
        body_p90_ms=samples.p90_ms("body"),
        declaration_ms=samples.median_ms("declaration"),
        declaration_p90_ms=samples.p90_ms("declaration"),
        memory_mb=memory,
        csc_ms=samples.median_ms("csc") if samples.count("csc") else None,
        resident_cold_ms=resident.cold_ms,
        resident_ms=resident.again_ms,
        resident_mb=resident.mb,
        cold_processor_to_resident=(
            processor_s / resident.cold_processor_s
            if processor_s is not None and resident.cold_processor_s
            else None
        ),
    )


def _after(
    samples: Samples,
    name: str,
    server: LanguageServerValidator,
    project: LaidOutProject,
    change: Callable[[bytes, int], bytes | None],
    number: int,
) -> None:
    """Change a script and ask; put it back and ask again, which is a change as well."""
    for path in Random(number).sample(project.sources, len(project.sources)):
        changed = change((project.root / path).read_bytes(), number)
        if changed is not None:
            with _holding(project.root / path, changed):
                samples.timed(name, _checked, server)
            last = samples.timed(name, _checked, server)
            if last.status != "clean":
                raise RuntimeError(f"after {path} was put back: {last.errors[:3]}")
            return


@contextmanager
def _holding(file: Path, content: bytes) -> Iterator[None]:
    kept = file.read_bytes()
    file.write_bytes(content)
    try:
        yield
    finally:
        file.write_bytes(kept)
        os.utime(file)


def _checked(server: LanguageServerValidator) -> ProjectCheck:
    found = server.check_project(within_s=10 * STARTING_S)
    if not isinstance(found, ProjectCheck):
        raise RuntimeError(found.message)
    return found
