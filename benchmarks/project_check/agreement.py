"""Compare the check's errors after each of many edits with the compiler's.

Three ways to a difference: a package as it is, a single edit of it that is taken back, and many
edits one after another with the server kept warm throughout. The last state of each series, and as
many others as wanted, are also asked of a server that was just started.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from random import Random

from benchmarks.project_check.compilers import Compiler
from benchmarks.project_check.edits import Edit, edits
from benchmarks.project_check.layout import LaidOutProject
from benchmarks.project_check.plain_compiler import compiled_by_csc
from benchmarks.project_check.reference_compiler import Compiled, ReferenceCompiler
from benchmarks.verdict import STARTING_S, running_validator
from lsp_client.project.project_requests import ProjectCheck
from lsp_client.validator import LanguageServerValidator
from snippet_engine.csharp.document import Document
from snippet_engine.source_text import SourceText, decode

Place = tuple[str, int, int, str]
"""Path, line, column and id of an error."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One state of a project in which the check and the compiler disagree."""

    state: str
    missed: tuple[Place, ...]
    made_up: tuple[Place, ...]
    blocked: tuple[str, ...] = ()
    """Assemblies that one calls blocked and the other doesn't."""

    def __str__(self) -> str:
        parts = [("missed", self.missed), ("made up", self.made_up), ("blocked", self.blocked)]
        told = "; ".join(f"{name}: {', '.join(map(str, each[:3]))}" for name, each in parts if each)
        return f"{self.state}: {told}"


@dataclass
class Agreement:
    """What was compared, and every difference."""

    states: int = 0
    broken: int = 0
    held_against_csc: int = 0
    cold: int = 0
    """States that a new server was asked about."""
    kinds: Counter[str] = field(default_factory=Counter)
    bound_again: Counter[str] = field(default_factory=Counter)
    differences: list[Difference] = field(default_factory=list)


_OF_DECLARATIONS = frozenset(
    {"declaration renamed", "member removed", "other modifier", "other type", "parameter more"}
)

Say = Callable[[str], None]


class Comparison:
    """The check and the compiler, side by side on one project."""

    def __init__(self, compiler: Compiler, project: LaidOutProject, say: Say) -> None:
        self._compiler = compiler
        self._project = project
        self._say = say
        self._truth = ReferenceCompiler(
            compiler, project.root, project.response_files, keeps_results=True
        )
        self.result = Agreement()

    def unchanged(self) -> None:
        """Compare the project as it is."""
        with self._server() as server:
            self._compare(server, "unchanged")

    def single_edits(self, count: int, seed: int, *, csc_every: int = 0) -> None:
        """Compare after each of so many edits, each of the project as it was laid out.

        ``csc_every``: each so-manieth state is asked of ``csc`` itself as well, as truth's truth.
        """
        with self._server() as server:
            drawn = edits(self._project.root, self._project.sources, seed)
            for number, edit in enumerate(islice(drawn, count)):
                with self._edited(edit):
                    self._note(edit)
                    self._compare(server, f"edit {number} ({edit.kind}, {edit.path}:{edit.start})")
                    if csc_every and number % csc_every == 0:
                        self._hold_truth_against_csc(number)

    def series(self, length: int, seed: int, *, cold_every: int = 0) -> None:
        """Compare after each of so many edits in a row; then cold, and put everything back.

        An edit that breaks the project is taken back, else the next ones would show nothing; the
        others stay. Some stay broken meanwhile: up to three more edits of other scripts are made
        before all of them are taken back, the first one first, and of some script there is a
        verdict in between. So it shows what is remembered of assemblies above one with errors.
        ``cold_every``: each so-manieth state is asked of a new server as well.
        """
        root = self._project.root
        random = Random(seed)
        broken: dict[Path, bytes] = {}
        may_stay = 0
        kept = {path: (root / path).read_bytes() for path in self._project.sources}
        try:
            with self._server() as server:
                for number, edit in enumerate(islice(edits(root, list(kept), seed), length)):
                    if root / edit.path in broken:
                        continue  # what it was is known of the whole file only
                    before = _write(root / edit.path, edit.applied)
                    self._note(edit)
                    state = f"series {seed}, edit {number} ({edit.kind}, {edit.path}:{edit.start})"
                    is_broken = self._compare(server, state)
                    if cold_every and number % cold_every == 0:
                        self._compare_cold(state)
                    if not is_broken or number == length - 1:
                        continue
                    if not broken:
                        may_stay = random.choice((0, 0, 1, 2, 3))
                    broken[root / edit.path] = before
                    if len(broken) > may_stay:
                        for file, content in broken.items():
                            self._ask_about(server, random.choice(list(kept)))
                            file.write_bytes(content)
                            os.utime(file)
                            self._compare(server, f"{state}, {file.name} taken back")
                        broken.clear()
            self._compare_cold(f"series {seed}")
        finally:
            for path, content in kept.items():
                (root / path).write_bytes(content)

    def hidden(self, count: int, seed: int) -> None:
        """Compare after so many edits of declarations that errors beside them hide at first.

        While another script of the assembly has an error, nothing above it is judged, and scripts
        there get verdicts; then that script is mended, and what the edit means above shows.
        """
        random = Random(seed)
        above = {
            each.name: [
                source
                for other in self._project.assemblies
                if each.name in other.references
                for source in other.sources
            ]
            for each in self._project.assemblies
        }
        lower = [each for each in self._project.assemblies if above[each.name] and each.sources[1:]]
        root = self._project.root
        with self._server() as server:
            for number in range(count):
                assembly = random.choice(lower)
                drawn = edits(root, assembly.sources, random.randrange(2**32))
                edit = next(each for each in drawn if each.kind in _OF_DECLARATIONS)
                beside = random.choice([each for each in assembly.sources if each != edit.path])
                end = (root / beside).stat().st_size
                error = Edit("error beside it", beside, end, end, b"\nclass ZqBad : ZqNone { }\n")
                state = f"hidden {seed}, edit {number} ({edit.kind}, {edit.path}:{edit.start})"
                with self._edited(edit):
                    self._note(edit)
                    with self._edited(error):
                        self._compare(server, state)
                        for _ in range(3):
                            self._ask_about(server, random.choice(above[assembly.name]))
                    self._compare(server, f"{state}, mended beside it")

    def _ask_about(self, server: LanguageServerValidator, path: str) -> None:
        """Have a verdict on a script as it is; what it says is compared by others."""
        source = decode((self._project.root / path).read_bytes())
        if isinstance(source, SourceText):
            server.diagnose(path, Document(source), within_s=STARTING_S, patient=False)

    def _compare_cold(self, state: str) -> None:
        with self._server() as server:
            self._compare(server, f"{state}, cold")
        self.result.cold += 1

    def _note(self, edit: Edit) -> None:
        self.result.kinds[edit.kind] += 1

    def _compare(self, server: LanguageServerValidator, state: str) -> bool:
        """Return whether the compiler found errors; note differences."""
        truth = self._truth.compiled()
        found = server.check_project(within_s=STARTING_S)
        self.result.states += 1
        self.result.broken += bool(truth.errors)
        if not isinstance(found, ProjectCheck):
            difference: Difference | None = Difference(f"{state}: {found.message}", (), ())
        else:
            self.result.bound_again[found.bound_again] += 1
            difference = _difference(state, truth, found)
        if difference is not None:
            self.result.differences.append(difference)
            self._say(str(difference))
        return bool(truth.errors)

    def _hold_truth_against_csc(self, number: int) -> None:
        plain = compiled_by_csc(self._compiler, self._project)
        self.result.held_against_csc += 1
        truth = self._truth.compiled()
        if plain.places != truth.places or set(plain.blocked) != set(truth.blocked):
            missed = tuple(sorted(plain.places - truth.places))
            made_up = tuple(sorted(truth.places - plain.places))
            difference = Difference(f"edit {number}: csc and the reference", missed, made_up)
            self.result.differences.append(difference)
            self._say(str(difference))

    @contextmanager
    def _server(self) -> Iterator[LanguageServerValidator]:
        with running_validator(self._project.root, self._compiler.toolchain) as server:
            server.wait_until_ready(STARTING_S)
            yield server

    @contextmanager
    def _edited(self, edit: Edit) -> Iterator[None]:
        file = self._project.root / edit.path
        kept = _write(file, edit.applied)
        try:
            yield
        finally:
            file.write_bytes(kept)


def _difference(state: str, truth: Compiled, found: ProjectCheck) -> Difference | None:
    told = {(each.path, each.line, each.column, each.code) for each in found.errors}
    # What is in no file has no place, and each side its own way to say so.
    told = {place for place in told if place[0]}
    true = {place for place in truth.places if place[0]}
    left = {each.assembly or "" for each in found.not_checked}
    blocked = left ^ set(truth.blocked)
    if told == true and not blocked:
        return None
    return Difference(
        state, tuple(sorted(true - told)), tuple(sorted(told - true)), tuple(sorted(blocked))
    )


def _write(file: Path, change: Callable[[bytes], bytes]) -> bytes:
    """Change a file, with a newer time than it had; its content before."""
    kept = file.read_bytes()
    file.write_bytes(change(kept))
    os.utime(file)
    return kept
