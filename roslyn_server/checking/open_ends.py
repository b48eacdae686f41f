"""Name what a project check can't decide though the compiler reported nothing.

These are errors in scripts of another encoding, errors that hide others, code that the build's
symbols exclude, and code that an older compiler may refuse.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from roslyn_server import protocol
from roslyn_server.checking.project_scope import Scope
from roslyn_server.compiler.answers import ProjectError, ProjectFindings
from roslyn_server.projects.build import EDITOR, EDITORS_SYMBOLS, Build, Composition, Unknown
from roslyn_server.projects.project_builds import Compositions
from roslyn_server.reasons import unchecked
from roslyn_server.toolchains.judging_compiler import JudgingCompiler
from snippet_engine.csharp.lexical.preprocessor import parse_directive

MISREAD = "misread"
"""The severity of an error in a script that isn't UTF-8."""


@dataclass(frozen=True, slots=True)
class OpenEnds:
    """The undecided parts of an answer."""

    scope: Scope
    known: Compositions | Unknown
    project_path: Callable[[str], str]
    """Makes a path project-relative."""

    def shows(self, error: ProjectError) -> bool:
        """Return whether the error was asked for, by its script or its ``#line`` path.

        An error without a file belongs to each script of its assembly.
        """
        paths = {error.file, error.path} - {""}
        return not paths or any(self.scope.shows(self.project_path(each)) for each in paths)

    def left(
        self,
        found: Sequence[ProjectError],
        findings: ProjectFindings,
        compiler: JudgingCompiler,
        editor: str,
    ) -> Iterator[protocol.NotCheckedAssembly]:
        """Yield the undecided parts of ``found``, which was asked for; ``editor`` is the project's
        Editor version."""
        yield from self._misread(found)
        yield from self._halted(found, findings.halted)
        yield from self._of_editor(findings.unread)
        yield from self._of_newer_flow(findings.newer_flow, compiler, editor)

    def _misread(self, found: Iterable[ProjectError]) -> Iterator[protocol.NotCheckedAssembly]:
        counts = Counter((each.assembly, each.file) for each in found if each.severity == MISREAD)
        for (assembly, file), count in counts.items():
            errors = "error" if count == 1 else f"{count} errors"
            why = (
                f"{self.project_path(file)} is not valid UTF-8; csc reads it in the code page of "
                f"the machine, and may not find the {errors} found here. Save it as UTF-8."
            )
            yield unchecked(assembly, Unknown("unreadable", why))

    def _halted(
        self, found: Iterable[ProjectError], halted: Iterable[ProjectError]
    ) -> Iterator[protocol.NotCheckedAssembly]:
        shown = {each.assembly for each in found if each.severity != "warning"}
        for each in halted:
            if each.assembly not in shown:
                at = (
                    f"{self.project_path(each.path)}:{each.line}:{each.column} "
                    if each.path
                    else ""
                )
                why = f"the compiler stopped at {at}{each.id} in {each.assembly}"
                yield unchecked(
                    each.assembly, Unknown("halted", f"Not everything was checked: {why}.")
                )

    def _of_editor(
        self, unread: Iterable[tuple[str, str, str]]
    ) -> Iterator[protocol.NotCheckedAssembly]:
        """Yield Editor code that was not checked because the last build was a player's."""
        found_in: dict[str, tuple[str, str]] = {}
        for assembly, path, condition in unread:
            build = self._build(assembly)
            if assembly in found_in or build is None or not build.is_players:
                continue
            is_asked = self.scope.shows(self.project_path(path))
            if is_asked and _holds_in_editor(condition, build.symbols):
                found_in[assembly] = self.project_path(path), condition
        for assembly, (path, condition) in found_in.items():
            why = f"the last build excluded it: #if {condition} in {path}"
            yield unchecked(
                assembly,
                Unknown("inactive_code", f"{EDITOR} code was not checked, as {why}."),
            )

    def _of_newer_flow(
        self,
        flow: Iterable[tuple[str, str, int, str]],
        compiler: JudgingCompiler,
        editor: str,
    ) -> Iterator[protocol.NotCheckedAssembly]:
        found_in: set[str] = set()
        for assembly, path, line, name in flow:
            shown = self.project_path(path)
            if assembly in found_in or not self.scope.shows(shown):
                continue
            found_in.add(assembly)
            why = (
                f"{shown}:{line}: Roslyn {compiler.version} finds that {name} has a value; "
                f"the older compiler of Unity {editor} may refuse it (CS0165)."
            )
            yield unchecked(assembly, Unknown("newer_compiler", why))

    def not_read(self, unread: Iterable[tuple[str, str, str]]) -> list[protocol.NotReadCode]:
        """Return the conditions of excluded code, those of most scripts first."""
        counts: Counter[str] = Counter()
        for path, condition in {(path, condition) for _, path, condition in unread}:
            if not self.scope.paths or self.scope.shows(self.project_path(path)):
                counts[condition] += 1
        ordered = sorted(counts.items(), key=lambda each: (-each[1], each[0]))
        return [{"condition": condition, "files": files} for condition, files in ordered]

    def is_of_editor(self, assemblies: Iterable[str]) -> bool:
        """Return whether all builds are the Editor's."""
        builds = map(self._build, assemblies)
        return all(each is not None and EDITOR in each.symbols for each in builds)

    def _build(self, assembly: str) -> Build | None:
        composed = self.known.get(assembly) if not isinstance(self.known, Unknown) else None
        return composed.build if isinstance(composed, Composition) else None


def _holds_in_editor(condition: str, symbols: Collection[str]) -> bool:
    parsed = parse_directive(f"#if {condition}").condition
    named = set(parsed.symbols())
    held = {*symbols, *EDITORS_SYMBOLS, *(each for each in named if each.startswith(EDITOR))}
    return parsed.value({each: each in held for each in named}) is not False
