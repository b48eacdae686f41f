"""Judge the scripts of one project.

Implements docs/design/roslyn.md §3. Language version, symbols and references are looked up for each
verdict, since they may change while the server runs.
"""

from __future__ import annotations

import logging
import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from threading import Timer

from roslyn_server import protocol, reasons
from roslyn_server.checking.project_check import ProjectCheck
from roslyn_server.compiler.answers import Declaration, Finding
from roslyn_server.compiler.calls import Cancellation, CancelledError, is_out_of_memory
from roslyn_server.compiler.hosting import WARM_UP_SCRIPT
from roslyn_server.compiler.roslyn import Roslyn
from roslyn_server.projects.build import Unknown
from roslyn_server.projects.judged_symbols import judged_symbols
from roslyn_server.projects.project_builds import ProjectBuilds
from roslyn_server.toolchains.judging_compiler import JudgingCompiler
from snippet_engine.csharp.lexical.language_version import UNITY_LANGUAGE_VERSION
from snippet_engine.csharp.lexical.symbol_sets import UNITY_EDITOR_SYMBOLS, BuildSymbols, SymbolSet
from snippet_engine.project_settings import ProjectLanguage
from snippet_engine.storage.system.plain_file import read_plain

_log = logging.getLogger("roslyn_server")

_LONGEST_WARM_UP_S = 10.0

_NO_PROJECT = Unknown(
    "no_references",
    "Names and types were not checked: the file isn't a script of a Unity project.",
)


@dataclass(frozen=True, slots=True)
class Reading:
    """A text's language version, and the symbol sets to judge it under."""

    language_version: str
    symbol_sets: tuple[SymbolSet, ...]


@dataclass(frozen=True, slots=True)
class SemanticVerdict:
    """The errors of names and types in one text."""

    findings: tuple[Finding, ...] = ()
    elsewhere: Mapping[Path, list[Finding]] = field(default_factory=dict)
    """Errors that the text causes in other files."""
    covers: bool = False
    """Whether all of the text was judged."""
    not_checked: tuple[Unknown, ...] = ()
    """What was not judged."""


_NOT_ASKED = SemanticVerdict(
    not_checked=(
        Unknown("not_asked", "Names and types were not checked: the request did not ask for them."),
    )
)
_ERROR = 3
"""Roslyn's severity of errors."""


class Judge:
    """Judges texts with ``roslyn``, as scripts of the project at ``root``.

    Syntax, semantics and coverage may each be asked for on a thread of their own.
    """

    def __init__(self, roslyn: Roslyn, root: Path, compiler: JudgingCompiler | None = None) -> None:
        self._roslyn = roslyn
        self.root = root.absolute()
        """The project's root."""
        self._builds = ProjectBuilds(self.root)
        self.project = ProjectCheck(roslyn, root, compiler)
        """Checks the whole project."""

    @property
    def compiler(self) -> str:
        """Roslyn's version."""
        return self._roslyn.compiler

    @property
    def runtime(self) -> str:
        """The runtime's version."""
        return self._roslyn.runtime

    def status(self) -> protocol.Status:
        """Return how much the server holds in memory."""
        held, limit = self._roslyn.memory()
        assemblies, files = self.project.size()
        return {
            "memoryBytes": held,
            "memoryLimitBytes": limit,
            "assemblies": assemblies,
            "files": files,
        }

    def warm_up(self) -> None:
        """Make the runtime compile the code that a verdict runs, so that the first one is fast.

        Judges a script of the project's smallest assembly, within ten seconds.
        """
        with ThreadPoolExecutor(1, "warm-up") as beside:
            syntax = beside.submit(self._warm_up_syntax)
            self._warm_up_semantics()
            syntax.result()

    def _warm_up_syntax(self) -> None:
        if not self._roslyn.is_warm():
            text = WARM_UP_SCRIPT.read_text("utf-8")
            self.syntax(self.reading(None, text), text, Cancellation())

    def _warm_up_semantics(self) -> None:
        try:
            script = self.project.cheapest_script()
        except Exception as error:
            if is_out_of_memory(error):
                raise
            # Questions about the project report the error. A single text doesn't need the project.
            _log.exception("the project could not be read to warm up")
            return
        if script is None:
            return
        path = self.root / script
        try:
            text = read_plain(path).decode("utf-8-sig", "replace").replace("\r\n", "\n")
        except OSError:
            return
        cancellation = Cancellation()
        bound = Timer(_LONGEST_WARM_UP_S, cancellation.cancel)
        bound.daemon = True
        bound.start()
        try:
            self.semantics(path, text, {}, cancellation, warnings=False)
        except CancelledError:
            pass
        except Exception as error:
            if is_out_of_memory(error):
                raise
            # A later question about the script reports it.
            _log.exception("%s could not be judged to warm up", script)
        finally:
            bound.cancel()

    def reading(self, path: Path | None, text: str) -> Reading:
        """Return how to read ``text`` as the script at ``path``."""
        version, symbols = self._dialect(path)
        return Reading(version, tuple(judged_symbols(text, symbols)))

    def syntax(
        self,
        reading: Reading,
        text: str,
        cancellation: Cancellation,
        *,
        only_parsed: bool = False,
    ) -> list[Finding]:
        """Return the errors of ``text`` by itself.

        With ``only_parsed``, the text is only parsed under the project's own symbols: semantics
        find the other errors.
        """
        return self._roslyn.syntax_diagnostics(
            text,
            reading.symbol_sets,
            reading.language_version,
            cancellation,
            only_parsed=only_parsed,
        )

    def changes(
        self, changes: Mapping[str, str | None], cancellation: Cancellation
    ) -> protocol.JudgedChanges:
        """Return the errors that changes cause: texts by project-relative path, ``None`` if
        removed.

        Names are judged as the project compiles them, syntax under other symbols too.
        """
        answer = self.project.judge(changes, cancellation)
        told = {(each["path"], each["line"], each["column"]) for each in answer["errors"]}
        for script, text in changes.items():
            for each in self._new_in_syntax(script, text, changes, cancellation):
                place = script, each.span[0] + 1, each.span[1] + 1
                if place not in told:
                    answer["errors"].append(
                        {
                            "path": script,
                            "line": place[1],
                            "column": place[2],
                            "code": each.id,
                            "message": each.message,
                            "assembly": "",
                        }
                    )
        return answer

    def _new_in_syntax(
        self,
        script: str,
        text: str | None,
        changes: Mapping[str, str | None],
        cancellation: Cancellation,
    ) -> Iterator[Finding]:
        """Yield errors of a changed text that the old text didn't have, by id."""
        if text is None:
            return
        path = self.root / script
        found = [each for each in self._read(path, text, cancellation) if each.severity == _ERROR]
        if not found:
            return
        if path.is_file():
            earlier = [path]
        else:
            gone = (self.root / each for each, now in changes.items() if now is None)
            earlier = [each for each in gone if each.is_file()]
        texts = {each: each.read_bytes().decode("utf-8-sig", "replace") for each in earlier}
        before = path if path in texts else _moved_from(path, text, texts)
        old: Counter[str] = Counter()
        if before is not None:
            old.update(each.id for each in self._read(before, texts[before], cancellation))
        for each in found:
            if old[each.id]:
                old[each.id] -= 1
            else:
                yield each

    def semantics(
        self,
        path: Path | None,
        text: str,
        open_texts: Mapping[Path, str],
        cancellation: Cancellation,
        *,
        warnings: bool = True,
    ) -> SemanticVerdict:
        """Return the errors of ``text`` in its assembly, and those it causes in other files.

        ``open_texts`` replace other scripts, by path. Faster without ``warnings``.
        """
        script = self._script(path)
        if script is None:
            return SemanticVerdict(not_checked=(_NO_PROJECT,))
        found = self.project.semantics(script, text, open_texts, cancellation, warnings=warnings)
        if isinstance(found, Unknown):
            return SemanticVerdict(not_checked=(found,))
        semantics, not_judged = found
        return SemanticVerdict(
            tuple(semantics.findings),
            semantics.elsewhere,
            not semantics.changes_inactive_code_only,
            tuple(reasons.of_changes(semantics, not_judged, self.root)),
        )

    def assembly_of(self, path: Path | None) -> str:
        """Return the assembly of a script; empty if there is none."""
        script = self._script(path)
        return self._builds.owner(script) if script else ""

    def assemblies_of(self, scripts: Sequence[str]) -> list[str]:
        """Return the assemblies of scripts at these project-relative paths, each once."""
        return list(dict.fromkeys(map(self._builds.owner, scripts)))

    def outline(
        self, path: Path | None, text: str, cancellation: Cancellation
    ) -> list[Declaration]:
        """Return the declarations of ``text``."""
        version, symbols = self._dialect(path)
        return self._roslyn.outline(text, symbols, version, cancellation)

    def coverage(self, reading: Reading, semantics: SemanticVerdict | None) -> protocol.Coverage:
        """Return the coverage of the verdicts on a text; ``semantics`` is that on its names."""
        judged = semantics or _NOT_ASKED
        return {
            "languageVersion": reading.language_version,
            "symbolSets": [sorted(each) for each in reading.symbol_sets],
            "covers": ["brackets", "syntax", *(["semantics"] if judged.covers else [])],
            "notChecked": [each.to_json() for each in judged.not_checked],
            "compiler": self.compiler,
            "runtime": self.runtime,
        }

    # -- what a script is ----------------------------------------------------------------------

    def _read(self, path: Path, text: str, cancellation: Cancellation) -> list[Finding]:
        return self.syntax(self.reading(path, text), text, cancellation)

    def _dialect(self, path: Path | None) -> tuple[str, SymbolSet]:
        """Return a script's language version, and the symbols that its project defines."""
        script = self._script(path)
        if script is None:
            return self._known(str(UNITY_LANGUAGE_VERSION)), UNITY_EDITOR_SYMBOLS
        language, build = ProjectLanguage(self.root), self._builds.build_of(script)
        if isinstance(build, Unknown) or build.fault is not None:
            return self._known(str(language(script))), UNITY_EDITOR_SYMBOLS
        said, of = language.said(script), self._roslyn.effective_version
        version = self._known(str(said)) if said is not None else of(build.language)
        return version or of("default"), BuildSymbols(build.symbols)

    def _known(self, version: str) -> str:
        """Return ``version``, or ``latest`` if this Roslyn is older."""
        return version if self._roslyn.effective_version(version) else "latest"

    def _script(self, path: Path | None) -> str | None:
        """Return the project-relative path; ``None`` if it is outside the project."""
        if path is None:
            return None
        path = Path(os.path.normpath(path))
        return path.relative_to(self.root).as_posix() if path.is_relative_to(self.root) else None


def _moved_from(path: Path, text: str, gone: Mapping[Path, str]) -> Path | None:
    """Return the removed file with the new one's name, else one with half of its lines."""
    same_name = [each for each in gone if each.name == path.name]
    if same_name:
        return same_name[0]
    lines = _lines(text)
    shared = {each: len(lines & _lines(old)) for each, old in gone.items()}
    likest = max(shared, key=shared.__getitem__, default=None)
    return likest if likest is not None and shared[likest] * 2 >= len(lines) else None


def _lines(text: str) -> set[str]:
    return {line for each in text.splitlines() if len(line := each.strip()) > 1}
