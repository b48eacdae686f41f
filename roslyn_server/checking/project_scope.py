"""Decide what a question about a project covers, and name the undecided parts.

A part that can't be judged is undecided. So are some parts without a reported error: errors in
scripts of another encoding, errors that hide others, code that the build's symbols exclude, and
code that an older compiler may refuse.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import PurePosixPath

from roslyn_server import protocol
from roslyn_server.compiler.answers import ProjectError, ProjectFindings
from roslyn_server.projects.build import EDITOR, EDITORS_SYMBOLS, Build, Composition, Unknown
from roslyn_server.projects.project_builds import Compositions
from roslyn_server.reasons import unchecked
from roslyn_server.toolchains.judging_compiler import JudgingCompiler
from snippet_engine.csharp.lexical.preprocessor import parse_directive

_NEAREST = 3
"""Number of similar names to suggest."""


@dataclass(frozen=True, slots=True)
class Scope:
    """The scope of a question."""

    judged: list[str]
    """Assemblies to judge."""
    alone: list[str]
    """Assemblies whose texts can be judged, but not their names."""
    paths: tuple[PurePosixPath, ...]
    """Paths whose errors are shown."""
    left: list[protocol.NotCheckedAssembly]
    """The parts that can't be judged."""

    @classmethod
    def of(
        cls,
        asked: protocol.CheckProjectParams,
        known: Compositions | Unknown,
        texts_of: Callable[[str], tuple[Composition, bool] | None],
    ) -> Scope:
        """Return the scope of a question."""
        paths = tuple(PurePosixPath(each) for each in asked.get("paths") or ())
        if isinstance(known, Unknown):
            return cls([], [], paths, [unchecked("", known)])
        names = asked.get("assemblies") or sorted(known)
        left = [_missing(name, known) for name in names if name not in known]
        chosen = [name for name in names if name in known]
        if paths:
            sources = {name: _sources(name, known[name], texts_of) for name in known}
            inside = {path: _assemblies_with(path, sources) for path in paths}
            left += [_no_scripts(str(path)) for path, found in inside.items() if not found]
            chosen = [name for name in chosen if any(name in found for found in inside.values())]
        judged, alone = [], []
        for name in chosen:
            composed = known[name]
            if isinstance(composed, Unknown):
                left.append(unchecked(name, composed))
                alone.append(name)
            else:
                judged.append(name)
        return cls(judged, alone, paths, left)

    def shows(self, path: str) -> bool:
        """Return whether errors at the project-relative path were asked for."""
        return not self.paths or any(_lies_in(path, each) for each in self.paths)


def _sources(
    name: str,
    composed: Composition | Unknown,
    texts_of: Callable[[str], tuple[Composition, bool] | None],
) -> tuple[str, ...]:
    if isinstance(composed, Composition):
        return composed.sources
    texts = texts_of(name)
    return texts[0].sources if texts is not None else ()


def _assemblies_with(path: PurePosixPath, sources: Mapping[str, Sequence[str]]) -> set[str]:
    return {name for name, own in sources.items() if any(_lies_in(source, path) for source in own)}


def _lies_in(path: str, folder: PurePosixPath) -> bool:
    return PurePosixPath(path).is_relative_to(folder)


def _missing(name: str, known: Iterable[str]) -> protocol.NotCheckedAssembly:
    message = f"There is no assembly {name} in the project"
    return {
        "assembly": name,
        "reason": protocol.NO_SUCH_ASSEMBLY,
        "message": f"{message}{_nearest(name, list(known))}.",
    }


def _nearest(name: str, known: Sequence[str]) -> str:
    """Return the known names nearest to ``name``, as the end of a sentence."""
    spelt = {each.lower(): each for each in sorted(known)}
    found = get_close_matches(name.lower(), spelt, _NEAREST, 0.5)
    found += [each for each in spelt if name.lower() in each and each not in found]
    if found:
        return f"; the nearest are {', '.join(spelt[each] for each in found[:_NEAREST])}"
    listed = sorted(known)[:_NEAREST]
    more = ", …" if len(known) > _NEAREST else ""
    return f"; it has {', '.join(listed)}{more}" if listed else ""


def _no_scripts(path: str) -> protocol.NotCheckedAssembly:
    message = f"No script that Unity compiles, and that can be checked, is at {path} or below it."
    return {"assembly": "", "reason": "no_such_script", "message": message}


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
        """Yield what could not be decided in the scope. ``editor`` is the project's version."""
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
        """Return the conditions of excluded code, the most frequent first."""
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
