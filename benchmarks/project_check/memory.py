"""What a day of edits leaves in the compiler's memory, under settings of .NET's garbage collector.

One server for each setting gives verdicts on the same edits of the same project, and checks them:
bodies and declarations, made and taken back. Memory is the server's afterwards. Time is its
processor's for the edits, as a ratio to no setting.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random

from benchmarks.measuring import session_processor_s
from benchmarks.project_check.compilers import Compiler
from benchmarks.project_check.edits import body_edit, declaration_edit
from benchmarks.project_check.layout import LaidOutProject, lay_out
from benchmarks.verdict import STARTING_S, running_validator
from lsp_client.process.server_process import resident_mb
from lsp_client.project.project_requests import ProjectCheck
from lsp_client.validator import LanguageServerValidator
from snippet_engine.csharp.document import Document
from snippet_engine.source_text import SourceText, decode

SETTINGS: Mapping[str, Mapping[str, str]] = {
    "none": {"DOTNET_GCConserveMemory": "0"},
    "conserve 5": {"DOTNET_GCConserveMemory": "5"},
    "conserve 7": {"DOTNET_GCConserveMemory": "7"},
    "conserve 9": {"DOTNET_GCConserveMemory": "9"},
}
"""What is set in the server's environment, the reference first."""


@dataclass(frozen=True)
class MemoryRow:
    """One setting: MB after the first check and after the edits, processor seconds of both."""

    setting: str
    first_mb: float
    edited_mb: float
    first_s: float
    edits_s: float


def measure_memory(
    compiler: Compiler,
    files: int,
    assemblies: int,
    edits: int,
    settings: Mapping[str, Mapping[str, str]],
) -> Iterator[MemoryRow]:
    """Yield each setting's row, over one project that is gone afterwards."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve() / "project"
        root.mkdir()
        project = lay_out(root, compiler, files=files, assemblies=assemblies)
        for name, environment in settings.items():
            with _environment({"UNITY_SNIPPET_CHECK_INDEX": "off", **environment}):
                yield _measured(compiler, project, name, edits)


def _measured(compiler: Compiler, project: LaidOutProject, name: str, edits: int) -> MemoryRow:
    with running_validator(project.root, compiler.toolchain) as server:
        _check(server)
        pid = server.server_pid or 0
        first_mb, first_s = resident_mb(pid) or 0, session_processor_s(pid) or 0
        for number in range(edits):
            change = declaration_edit if number % 3 == 0 else body_edit
            for path in Random(number).sample(project.sources, len(project.sources)):
                file = project.root / path
                kept = file.read_bytes()
                changed = change(kept, number)
                if changed is None:
                    continue
                for content in (changed, kept, changed):
                    _verdict(server, path, content)
                try:
                    file.write_bytes(changed)
                    _check(server)
                finally:
                    file.write_bytes(kept)
                _check(server)
                break
        edits_s = (session_processor_s(pid) or 0) - first_s
        return MemoryRow(name, first_mb, resident_mb(pid) or 0, first_s, edits_s)


def _verdict(server: LanguageServerValidator, path: str, content: bytes) -> None:
    source = decode(content)
    if isinstance(source, SourceText):
        server.diagnose(path, Document(source), within_s=STARTING_S, patient=True)


def _check(server: LanguageServerValidator) -> None:
    found = server.check_project(within_s=10 * STARTING_S)
    if not isinstance(found, ProjectCheck):
        raise RuntimeError(found.message)


@contextmanager
def _environment(values: Mapping[str, str]) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
