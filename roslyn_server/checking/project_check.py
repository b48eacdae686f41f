"""Check whether a project compiles, as it is on disk or with changes.

Implements docs/design/roslyn.md §3 "The whole project". The compiler's model is kept between
questions and updated from the disk before each answer. Answers name the parts not judged.
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable, Mapping, Sequence, Set
from pathlib import Path
from typing import TypeVar

from roslyn_server import protocol, reasons
from roslyn_server.checking import kept_checks
from roslyn_server.checking.project_scope import OpenEnds, Scope
from roslyn_server.checking.texts_check import Texts, TextsCheck
from roslyn_server.compiler.answers import ProjectError, ProjectFindings, TextSemantics
from roslyn_server.compiler.calls import Cancellation, is_unreadable
from roslyn_server.compiler.compiled_project import Project
from roslyn_server.compiler.roslyn import Roslyn
from roslyn_server.projects.build import Composition, Unknown
from roslyn_server.projects.project_builds import Compositions, ProjectBuilds
from roslyn_server.projects.scripts.unreadable import REASON as UNREADABLE
from roslyn_server.projects.scripts.unreadable import UnreadableScripts, unreadable_project
from roslyn_server.toolchains.judging_compiler import FIRST_OF_NEWER_FLOW, JudgingCompiler
from roslyn_server.turns import Turns
from snippet_engine.project_settings import editor_version

_log = logging.getLogger("roslyn_server")

Progress = Callable[[int, int], None]
"""Called with the number of finished assemblies, and of all."""

_Answer = TypeVar("_Answer")


class ProjectCheck:
    """Checks the project at ``root`` with ``roslyn``, from any thread."""

    def __init__(self, roslyn: Roslyn, root: Path, compiler: JudgingCompiler | None = None) -> None:
        self._compiler = compiler or JudgingCompiler(roslyn.compiler)
        self.root = root.absolute()
        """The project's root."""
        self._builds = ProjectBuilds(self.root)
        self._unreadable = UnreadableScripts(self.root)
        self._new_project = roslyn.project
        self._project = roslyn.project()
        self._texts = TextsCheck(self._builds, self._unreadable)
        self._built: tuple[Project, Compositions, Compositions] | None = None
        """A model of the assemblies as last built, the compositions that it was made from, and
        those that it was given. ``None`` if every assembly can be judged as it is now."""
        self._turns = Turns()
        self._corrected: list[str] = []

    def check(
        self,
        asked: protocol.CheckProjectParams,
        progress: Progress | None,
        cancellation: Cancellation,
    ) -> protocol.CheckedProject:
        """Return the errors of the project, or of the requested assemblies and paths."""
        begun = time.monotonic()
        warnings = asked.get("includeWarnings") is True

        editor = editor_version(self.root)
        unitys_older = self._compiler.unitys_older(editor)

        def ask(interrupt: Cancellation) -> tuple[OpenEnds, ProjectFindings, Texts]:
            known = self._update()
            scope = Scope.of(asked, known, self._texts.of)
            scope.left.extend(reasons.unchecked("", each) for each in self._changes())
            findings = _NOTHING
            if scope.judged:
                self._project.keep_in(*kept_checks.place(self.root))
                for_older = unitys_older is not None and unitys_older < FIRST_OF_NEWER_FLOW
                findings = self._project.check(
                    scope.judged, warnings, progress, interrupt, for_older=for_older
                )
            scope.left.extend(self._unread(scope.alone, scope.left))
            left = {name for name, why, _ in findings.not_checked if why in _TEXTS_JUDGED}
            texts = self._texts.check([*scope.alone, *sorted(left)], interrupt)
            return OpenEnds(scope, known, self.project_path), findings, texts

        ends, findings, texts = self._turns.long(
            lambda interrupt: self._reading(lambda: ask(interrupt)), cancellation
        )
        found = [each for each in (*findings.errors, *texts.errors) if ends.shows(each)]
        errors = [self._error(each) for each in found if each.severity == "error"]
        left = [*ends.scope.left, *(reasons.of_assembly(*each) for each in findings.not_checked)]
        left += ends.left(found, findings, self._compiler, editor)
        return {
            "status": _status(bool(errors), bool(left)),
            "errors": errors,
            "warnings": [self._error(each) for each in found if each.severity == "warning"],
            "checked": {
                "assemblies": findings.assemblies,
                "files": findings.files,
                "syntaxOnly": texts.files,
            },
            "notChecked": reasons.list_once(left),
            "notRead": ends.not_read(findings.unread),
            "isOfEditor": ends.is_of_editor(findings.assemblies),
            "compiler": {
                "version": self._compiler.version,
                "origin": self._compiler.origin,
                "isProjects": bool(editor) and editor == self._compiler.editor,
                "unitysOlder": "" if unitys_older is None else f"{unitys_older} (Unity {editor})",
            },
            "confirmed": findings.is_confirmed,
            "boundAgain": _bound_again(findings),
            "corrected": self._take_corrected(),
            "durationMs": _since(begun),
        }

    def _reading(self, ask: Callable[[], _Answer]) -> _Answer:
        """Return the answer of ``ask``; if scripts turn out to be unreadable, ask without them."""
        try:
            return ask()
        except Exception as error:  # .NET raises many kinds
            if not is_unreadable(error):
                raise
            known = self._builds.compositions()
            names = () if isinstance(known, Unknown) else known
            texts = [each for name in names if (each := self._builds.texts_of(name)) is not None]
            if not self._unreadable.search(each for text, _ in texts for each in text.sources):
                raise
        return ask()

    def _unread(
        self, assemblies: Sequence[str], left: Sequence[protocol.NotCheckedAssembly]
    ) -> list[protocol.NotCheckedAssembly]:
        """Return the unreadable scripts of these assemblies that ``left`` doesn't name yet."""
        shown = {each["assembly"] for each in left if each["reason"] == UNREADABLE}
        found = []
        for name in assemblies:
            texts = self._builds.texts_of(name)
            if texts is None or name in shown:
                continue
            unread = self._unreadable.reason_for(texts[0].sources)
            if unread is not None:
                found.append(reasons.unchecked(name, unread))
        return found

    def _changes(self) -> tuple[Unknown, ...]:
        try:
            return self._builds.changes()
        except OSError as error:
            return (unreadable_project(self.root, error),)

    def judge(
        self, changes: Mapping[str, str | None], cancellation: Cancellation
    ) -> protocol.JudgedChanges:
        """Return the errors that changes cause: texts by project-relative path, ``None`` if
        removed.
        """
        with self._turns.quick():
            return self._judged(changes, cancellation)

    def judge_since(
        self, earlier: Mapping[str, str | None], cancellation: Cancellation
    ) -> protocol.JudgedChanges:
        """Return the errors on disk that are new since the ``earlier`` texts.

        Judges all files that the difference affects. Quicker questions interrupt it.
        """
        return self._turns.long(
            lambda interrupt: self._judged(earlier, interrupt, are_earlier=True), cancellation
        )

    def _judged(
        self,
        changes: Mapping[str, str | None],
        cancellation: Cancellation,
        *,
        are_earlier: bool = False,
    ) -> protocol.JudgedChanges:
        known = self._update()
        left: list[protocol.NotCheckedAssembly] = []
        uncompiled: list[protocol.NotCheckedAssembly] = []
        judged: list[tuple[Path, str | None, str]] = []
        for script, text in changes.items():
            if (not_compiled := reasons.not_compiled(script)) is not None:
                if text is not None:
                    uncompiled.append(reasons.unchecked("", not_compiled))
                continue
            owner = self._builds.owner(script)
            composed = known if isinstance(known, Unknown) else known.get(owner)
            if isinstance(composed, Composition):
                judged.append((self.root / script, text, owner))
                continue
            if not isinstance(composed, Unknown):
                composed = self._not_in_a_build(script)
            left.append(reasons.unchecked(owner, composed))
        findings = _NOTHING
        if judged:
            findings = self._project.judge(judged, cancellation, are_earlier=are_earlier)
        covers = ["brackets", "syntax"]
        owners = {owner for _, _, owner in judged}
        if judged and reasons.are_names_checked(owners, findings.not_checked):
            covers.append("semantics")
        left += uncompiled
        left += reasons.left_of_changes(findings.not_checked, self.project_path)
        return {
            "errors": [self._error(each) for each in findings.errors],
            "notChecked": reasons.list_once(left),
            "coverage": covers,
        }

    def _not_in_a_build(self, script: str) -> Unknown:
        found = self._builds.build_of(script)
        if isinstance(found, Unknown) and found.reason == "no_references":
            return found
        message = f"{script} was not checked: its assembly isn't in Unity's last build."
        return Unknown("not_in_last_build", message)

    def ask(
        self,
        question: Callable[[Project, Compositions | Unknown, Cancellation], _Answer],
        cancellation: Cancellation,
        *,
        is_quick: bool = False,
        as_built: bool = False,
    ) -> _Answer:
        """Return the answer of ``question`` about the updated project.

        Quicker questions interrupt it, unless it ``is_quick`` itself. With ``as_built``, assemblies
        that can no longer be judged count as they were last built.
        """

        def asked(interrupt: Cancellation) -> _Answer:
            known = self._update()
            project = self._as_last_built(known) if as_built else self._project
            return question(project, known, interrupt)

        if is_quick:
            with self._turns.quick():
                return asked(cancellation)
        return self._turns.long(
            lambda interrupt: self._reading(lambda: asked(interrupt)), cancellation
        )

    def _as_last_built(self, known: Compositions | Unknown) -> Project:
        if isinstance(known, Unknown) or not any(map(_built_before, known.values())):
            self._built = None
            return self._project
        if self._built is None or self._built[1] is not known:
            model = self._built[0] if self._built else self._new_project()
            given = {name: _built_before(each) or each for name, each in known.items()}
            self._built = model, known, given
        self._built[0].update(self._built[2])
        return self._built[0]

    def excluded(self, scripts: Set[str], words: Set[str]) -> list[tuple[str, str]]:
        """Return scripts that contain one of ``words`` and that Unity doesn't compile here.

        Each comes with its assembly.
        """
        return list(self._builds.excluded(scripts, words))

    def size(self) -> tuple[int, int]:
        """Return how many assemblies, and scripts, are held in memory."""
        return self._project.size()

    def cheapest_script(self) -> str | None:
        """Return a script of the smallest assembly that can be judged."""
        with self._turns.quick():
            known = self._update()
        if isinstance(known, Unknown):
            return None
        judged = [each for each in known.values() if isinstance(each, Composition) and each.sources]
        return min(judged, key=lambda each: len(each.sources)).sources[0] if judged else None

    def confirm(self, cancellation: Cancellation) -> None:
        """Bind everything again to confirm earlier, incremental answers.

        A difference is a bug: it is logged, corrected, and reported with the next answer.
        """
        for each in self._project.confirm(cancellation):
            _log.error("an answer was wrong, and is corrected: %s", each)
            self._corrected.append(each)

    def _take_corrected(self) -> list[str]:
        corrected, self._corrected = self._corrected, []
        return corrected

    def semantics(
        self,
        script: str,
        text: str,
        open_texts: Mapping[Path, str],
        cancellation: Cancellation,
        *,
        warnings: bool,
    ) -> tuple[TextSemantics, tuple[str, ...]] | Unknown:
        """Judge the names in ``text`` as the text of ``script``; ``open_texts`` replace others.

        Also returns dependent assemblies that can't be judged.
        """
        if (not_compiled := reasons.not_compiled(script)) is not None:
            return not_compiled
        with self._turns.quick():
            known = self._update()
            if isinstance(known, Unknown):
                return known
            build = self._builds.build_of(script)
            if isinstance(build, Unknown):
                return build
            composed = self._builds.composition(script, build)
            if isinstance(composed, Unknown):
                return composed
            path = self.root / script
            found = self._project.semantics(
                path, text, build.assembly, open_texts, cancellation, warnings=warnings
            )
            own = [each for each in found.not_checked if each[0] == build.assembly]
            if own:
                return reasons.of_text(*own[0])
            left = [each[0] for each in found.not_checked]
            if found.changed_names or found.concerns_all:
                names = () if found.concerns_all else found.changed_names
                dependents = self._builds.dependents(build, names)
                left += [
                    name for name in dependents if not isinstance(known.get(name), Composition)
                ]
            return found, tuple(left)

    # -- the project now -----------------------------------------------------------------------

    def _update(self) -> Compositions | Unknown:
        """Update the compiler's model from the disk; return every assembly's composition."""
        try:
            known = self._builds.compositions()
        except OSError as error:
            return unreadable_project(self.root, error)
        if isinstance(known, Unknown):
            return known
        known = self._unreadable.mark_unknown(known)
        self._project.update(known)
        return known

    def _error(self, error: ProjectError) -> protocol.ErrorInProject:
        return {
            "path": self.project_path(error.path),
            "line": error.line,
            "column": error.column,
            "code": error.id,
            "message": error.message,
            "assembly": error.assembly,
        }

    def project_path(self, path: str) -> str:
        """Return ``path`` relative to the project; unchanged if it is outside."""
        if not path:
            return path
        normal = Path(os.path.normpath(self.root / path))
        if not normal.is_relative_to(self.root):
            return path
        return normal.relative_to(self.root).as_posix()


_NOTHING = ProjectFindings([], [], [], 0, 0, 0, True)


def _built_before(each: Composition | Unknown) -> Composition | None:
    return each.as_built if isinstance(each, Unknown) else None


_TEXTS_JUDGED = frozenset(("references_missing", "circular", "source_generators"))
"""Reasons why names can't be judged, but texts can. Not ``blocked``: Unity doesn't compile
those assemblies."""


def _status(has_errors: bool, is_left: bool) -> protocol.ProjectStatus:
    if has_errors:
        return "errors"
    return "unknown" if is_left else "clean"


def _bound_again(findings: ProjectFindings) -> protocol.BoundAgain:
    if findings.bound_assemblies:
        return "assemblies"
    return "files" if findings.bound_trees else "nothing"


def _since(begun: float) -> float:
    return round((time.monotonic() - begun) * 1000, 1)
