"""The check with what earlier checks kept, against the compiler.

Each state is asked of a new model, which knows nothing but the files that earlier ones left;
now and then of a new process. Edits are made and taken back, one or two at a time. Half of them
leave the file's time as it was.
"""

from __future__ import annotations

import os
import threading
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

from benchmarks.project_check.compilers import Compiler
from benchmarks.project_check.edits import Edit, edits
from benchmarks.project_check.layout import LaidOutProject
from benchmarks.project_check.reference_compiler import ReferenceCompiler
from benchmarks.verdict import STARTING_S, running_validator
from lsp_client.project.project_requests import ProjectCheck as Answer
from roslyn_server.checking.project_check import ProjectCheck
from roslyn_server.compiler import hosting
from roslyn_server.compiler.calls import Cancellation
from roslyn_server.compiler.host_assembly import load_compiled
from roslyn_server.compiler.roslyn import Roslyn

_TWO_AT_ONCE = 0.3
_STACK_BYTES = 64 * 1024 * 1024

Place = tuple[str, int, int, str]


@dataclass
class KeptAgreement:
    """What was compared: states, those with errors, and those that a new process answered."""

    states: int = 0
    broken: int = 0
    processes: int = 0
    with_old_time: int = 0
    compiled: Counter[str] = field(default_factory=Counter)
    differences: list[str] = field(default_factory=list)


class KeptIndex:
    """Compares the check of a project with the compiler; ``say`` hears of differences."""

    def __init__(
        self, compiler: Compiler, project: LaidOutProject, say: Callable[[str], None]
    ) -> None:
        self._compiler = compiler
        self._project = project
        self._say = say
        self._truth = ReferenceCompiler(
            compiler, project.root, project.response_files, keeps_results=True
        )
        roslyn_dir = compiler.toolchain.roslyn_dir
        load_compiled("RoslynServerHost", hosting.SOURCES, roslyn_dir)
        import RoslynServer  # type: ignore[import-not-found]

        self._roslyn = Roslyn(RoslynServer.Host)
        self._old_times: dict[Path, int] = {}
        """When files were written that are to keep their time."""
        self.result = KeptAgreement()

    def compare(self, count: int, seed: int, process_every: int) -> None:
        """Compare after so many states; each so-manieth is asked of a new process as well."""
        root = self._project.root
        drawn = edits(root, self._project.sources, seed)
        random = Random(seed)
        self._compare("unchanged", in_process=False)
        while self.result.states < count:
            several = list(islice(drawn, 2 if random.random() < _TWO_AT_ONCE else 1))
            with ExitStack() as put_back:
                for each in several:
                    put_back.callback(self._edit(each, keeps_time=random.random() < 1 / 2))
                name = ", ".join(f"{each.kind} {each.path}:{each.start}" for each in several)
                number = self.result.states
                self._compare(f"state {number} ({name})", in_process=True)
                if process_every and number % process_every == 0:
                    self._compare(f"state {number}, a new process", in_process=False)
            if random.random() < 1 / 4:
                self._compare(f"state {number} put back", in_process=True)

    def _edit(self, edit: Edit, *, keeps_time: bool) -> Callable[[], object]:
        file = self._project.root / edit.path
        kept, status = file.read_bytes(), file.stat()
        changed = edit.applied(kept)
        file.write_bytes(changed)
        if keeps_time:
            self._old_times.setdefault(file, status.st_mtime_ns)
            self.result.with_old_time += 1

        def put_back() -> None:
            self._old_times.pop(file, None)
            file.write_bytes(kept)

        return put_back

    def _compare(self, state: str, *, in_process: bool) -> None:
        for file in self._old_times:
            os.utime(file)  # the compiler that is the truth goes by times
        truth = self._truth.compiled()
        for file, time_ns in self._old_times.items():
            os.utime(file, ns=(time_ns, time_ns))
        told, left, again = self._asked_here() if in_process else self._asked_of_process()
        true = {place for place in truth.places if place[0]}
        self.result.states += 1
        self.result.broken += bool(truth.errors)
        self.result.compiled[again] += 1
        if told != true or left != set(truth.blocked):
            missed, made_up = sorted(true - told)[:3], sorted(told - true)[:3]
            self.result.differences.append(state)
            self._say(f"{state}: missed {missed}, made up {made_up}, left {sorted(left)}")

    def _asked_here(self) -> tuple[set[Place], set[str], str]:
        answers: list[Any] = []

        def ask() -> None:
            model = ProjectCheck(self._roslyn, self._project.root)
            answers.append(model.check({}, None, Cancellation()))

        threading.stack_size(_STACK_BYTES)
        asking = threading.Thread(target=ask)
        asking.start()
        asking.join()
        (answer,) = answers
        told = {
            (each["path"], each["line"], each["column"], each["code"])
            for each in answer["errors"]
            if each["path"]
        }
        return told, {each["assembly"] for each in answer["notChecked"]}, answer["boundAgain"]

    def _asked_of_process(self) -> tuple[set[Place], set[str], str]:
        self.result.processes += 1
        with running_validator(self._project.root, self._compiler.toolchain) as server:
            found = server.check_project(within_s=STARTING_S)
        if not isinstance(found, Answer):
            raise RuntimeError(found.message)
        told = {
            (each.path, each.line, each.column, each.code) for each in found.errors if each.path
        }
        return told, {each.assembly or "" for each in found.not_checked}, found.bound_again
