"""Compare the errors reported without a build with those that the compiler reports with one.

Both get the same scripts and symbols: the compiler with all libraries, the check with none. An
error that the compiler does not report is false, and none may be. The rest is a share of the
compiler's errors.
"""

from __future__ import annotations

import importlib
import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from tree_sitter import Node

from benchmarks.project_check.compilers import Compiler
from benchmarks.project_check.edits import KINDS, Kinds, Replacements, edits
from benchmarks.project_check.layout import DEFINES, LaidOutAssembly, LaidOutProject
from benchmarks.project_check.reference_compiler import CACHE, ReferenceCompiler
from roslyn_server.compiler import hosting
from roslyn_server.compiler.answers import ProjectError
from roslyn_server.compiler.calls import Cancellation
from roslyn_server.compiler.compiled_project import TextsAlone
from roslyn_server.compiler.host_assembly import load_compiled
from roslyn_server.projects.build import Composition
from roslyn_server.projects.options.command_lines import build_of


def _members(nodes: Mapping[str, Sequence[Node]]) -> Replacements:
    for node in nodes.get("member_access_expression", ()):
        name = node.child_by_field_name("name")
        if name is not None and name.text is not None:
            yield name, name.text + b"Zq"


def _arguments(nodes: Mapping[str, Sequence[Node]]) -> Replacements:
    for node in nodes.get("argument_list", ()):
        if node.named_child_count == 1:
            yield node, b"()"


def _returns(nodes: Mapping[str, Sequence[Node]]) -> Replacements:
    for node in nodes.get("return_statement", ()):
        if node.named_child_count:
            yield node, b'return "zq";'


def _locals(nodes: Mapping[str, Sequence[Node]]) -> Replacements:
    for node in nodes.get("local_declaration_statement", ()):
        text = node.text or b""
        if b"=" in text and b"var " not in text and b"const " not in text and b"\n" not in text:
            yield node, text.partition(b"=")[0].rstrip() + b";"


SLIPS: Kinds = {
    "member misspelt": _members,
    "argument left out": _arguments,
    "other value returned": _returns,
    "local unassigned": _locals,
}
"""What a person, or an agent, gets wrong every day."""


@dataclass
class Told:
    """The results of several states."""

    states: int = 0
    broken: Counter[str] = field(default_factory=Counter)
    found: Counter[str] = field(default_factory=Counter)
    """Of the states that the compiler found broken, and that of which it was told; by kinds."""
    ids: Counter[str] = field(default_factory=Counter)
    missed: Counter[str] = field(default_factory=Counter)
    elsewhere: Counter[str] = field(default_factory=Counter)
    """Errors in broken assemblies where the compiler says nothing: it may have stopped before."""
    false: list[str] = field(default_factory=list)
    """Errors in assemblies that the compiler finds nothing wrong with."""


class WithoutBuild:
    """The compiler with all libraries, and the check without any, on one project."""

    def __init__(self, compiler: Compiler, project: LaidOutProject) -> None:
        self._project = project
        self._truth = ReferenceCompiler(
            compiler, project.root, project.response_files, keeps_results=True
        )
        roslyn = compiler.toolchain.roslyn_dir
        load_compiled("RoslynServerHost", hosting.SOURCES, roslyn, keep_in=CACHE)
        importlib.import_module("RoslynServer")
        self._alone = TextsAlone()
        self.told = Told()

    def compare(self, count: int, seed: int) -> None:
        """Compare the project as it is, and after each of so many edits and as many slips."""
        root, sources = self._project.root, self._project.sources
        self._state("as it is", "")
        for kinds in (SLIPS, KINDS):
            for number, edit in enumerate(islice(edits(root, sources, seed, kinds), count)):
                file = root / edit.path
                kept = file.read_bytes()
                try:
                    file.write_bytes(edit.applied(kept))
                    os.utime(file)
                    what = f"{number} ({edit.kind}, {edit.path}:{edit.start})"
                    self._state(what, edit.kind)
                finally:
                    file.write_bytes(kept)

    def _state(self, what: str, kind: str) -> None:
        truth = self._truth.compiled()
        told = self._errors(self._project.assemblies)
        self.told.states += 1
        broken = {*truth.blocked, *(each.assembly for each in truth.errors)}
        true = {(each.path, each.line) for each in truth.errors}
        for each in told:
            path = Path(os.path.normpath(self._project.root / each.path))
            at = path.relative_to(self._project.root).as_posix(), each.line
            self.told.ids[each.id] += 1
            if at in true:
                continue
            if each.assembly in broken:
                self.told.elsewhere[each.id] += 1
            else:
                self.told.false.append(f"{what}: {at} {each.id} {each.message}")
        if truth.errors:
            self.told.broken[kind] += 1
            self.told.found[kind] += bool(told)
            if not told:
                self.told.missed[truth.errors[0].id] += 1

    def _errors(self, assemblies: Sequence[LaidOutAssembly]) -> list[ProjectError]:
        never = Cancellation()
        return [
            error
            for each in assemblies
            for error in self._alone.errors(
                _by_its_definition(self._project.root, each), never, knows_symbols=True
            )
        ]


_ARGUMENTS = ("-target:library", "-langversion:9.0", "-unsafe+", f"-define:{';'.join(DEFINES)}")


def _by_its_definition(root: Path, of: LaidOutAssembly) -> Composition:
    build = build_of(of.name, root, (), root, (*_ARGUMENTS, *of.sources), given=_ARGUMENTS)
    return Composition(build, of.sources)


def rows(told: Told) -> Iterator[tuple[str, int, int]]:
    """Yield kinds, how many were broken, and how many of these were reported."""
    for kind, broken in sorted(told.broken.items()):
        yield kind, broken, told.found[kind]
