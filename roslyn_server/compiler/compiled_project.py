"""Ask the loaded Roslyn about a project: all of its assemblies, and texts that can only be
parsed."""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from roslyn_server.compiler import hosting
from roslyn_server.compiler.answers import (
    ProjectError,
    ProjectFindings,
    TextSemantics,
    finding,
    newer_flow,
    project_error,
    three_columns,
)
from roslyn_server.compiler.calls import Cancellation, asked, rows, utf16
from roslyn_server.projects.build import Composition
from roslyn_server.projects.files import ScriptStamps, modified_ns
from roslyn_server.projects.judged_symbols import judged_symbols
from roslyn_server.projects.project_builds import Compositions


class Project:
    """All assemblies of a project, brought in step with the disk by :meth:`update`. Not
    thread-safe.
    """

    def __init__(self, model: Any) -> None:
        self._model = model
        self._scripts = ScriptStamps()
        self._libraries = ScriptStamps(is_time_enough=True)
        self._given = ScriptStamps()
        self._inputs: tuple[list[str], list[str]] = [], []
        """The paths of referenced libraries; and of the keys, configurations, additional files,
        generators, analyzers and their folders."""
        self._compositions: Compositions = {}
        """The compositions that the model was last given."""

    def update(self, known: Compositions) -> None:
        """Set the project's assemblies, and note which files may have changed."""
        composed = [each for each in known.values() if isinstance(each, Composition)]
        if known is not self._compositions:
            self._consist(composed)
            self._compositions = known
            self._inputs = self._read_inputs()
            self._given.possibly_changed(self._inputs[1])
        scripts = {f"{each.build.folder}/{path}" for each in composed for path in each.sources}
        libraries, given = self._inputs
        changed = (
            self._scripts.possibly_changed(scripts),
            self._libraries.possibly_changed(libraries),
            self._given.possibly_changed(given),
        )
        if any(changed):
            self._model.Doubt(*map(hosting.dotnet_strings, changed))
        if changed[2]:
            self._inputs = self._read_inputs()

    def _consist(self, assemblies: Sequence[Composition]) -> None:
        self._model.Consist(
            hosting.dotnet_strings([each.build.assembly for each in assemblies]),
            hosting.dotnet_string_lists([each.build.arguments for each in assemblies]),
            hosting.dotnet_strings(list(map(_stamp, assemblies))),
            hosting.dotnet_strings([str(each.build.folder) for each in assemblies]),
            hosting.dotnet_string_lists([each.sources for each in assemblies]),
            hosting.dotnet_booleans([each.is_as_listed for each in assemblies]),
            hosting.dotnet_string_lists([list(map(str, each.generators)) for each in assemblies]),
            hosting.dotnet_string_lists([list(map(str, each.analyzers)) for each in assemblies]),
        )

    def _read_inputs(self) -> tuple[list[str], list[str]]:
        libraries, given = self._model.Inputs()
        return rows(libraries), rows(given)

    def keep_in(self, folder: Path | None, secret: str) -> None:
        """Set the folder for kept checks, signed with the user's secret; ``None`` keeps nothing."""
        self._model.KeepIn(str(folder) if folder is not None else None, secret)

    def check(
        self,
        assemblies: Sequence[str],
        warnings: bool,
        progress: Callable[[int, int], None] | None,
        cancellation: Cancellation,
        *,
        for_older: bool = False,
    ) -> ProjectFindings:
        """Return the errors of the named assemblies, with warnings if wanted.

        ``progress`` is called with the number of finished assemblies, and of all. ``for_older``
        adds what a compiler before Roslyn 4 may refuse.
        """
        system: Any = importlib.import_module("System")
        report = (
            system.Action[system.Int32, system.Int32](progress) if progress is not None else None
        )
        wanted = hosting.dotnet_strings(list(assemblies))
        answer = asked(self._model.Check, wanted, warnings, report, cancellation.token)
        return replace(
            _findings(answer),
            halted=tuple(map(project_error, rows(answer.HaltedBy()))),
            unread=tuple(three_columns(row) for row in str(answer.UnreadCode()).split("\n") if row),
            newer_flow=tuple(map(newer_flow, rows(answer.NewerFlow()))) if for_older else (),
        )

    def references(
        self, path: Path, line: int, character: int, cancellation: Cancellation
    ) -> dict[str, Any]:
        """Return the references of the symbol at a place, or an ``error``."""
        asked_of = (str(path), line, character, _dotnet_symbol_sets(), cancellation.token)
        return self._json(self._model.FindReferences, *asked_of)

    def rename(
        self,
        path: Path,
        line: int,
        character: int,
        new_name: str,
        *,
        attributes: bool,
        force: bool,
        cancellation: Cancellation,
    ) -> dict[str, Any]:
        """Return the edits that rename the symbol at a place, or an ``error``."""
        wanted = (utf16(new_name), attributes, force, _dotnet_symbol_sets(), cancellation.token)
        return self._json(self._model.Rename, str(path), line, character, *wanted)

    def _json(self, ask: Any, *arguments: Any) -> dict[str, Any]:
        answer: dict[str, Any] = json.loads(str(asked(ask, *arguments)))
        return answer

    def size(self) -> tuple[int, int]:
        """Return how many assemblies, and sources, are in memory. May run during other calls."""
        assemblies, files = self._model.Size()
        return int(assemblies), int(files)

    def confirm(self, cancellation: Cancellation) -> list[str]:
        """Bind again everything that was judged incrementally, and correct differing results.

        Returns the differences as sentences. May run during other calls. Raises
        :class:`CancelledError`.
        """
        return rows(asked(self._model.Prove, cancellation.token))

    def judge(
        self,
        changes: Sequence[tuple[Path, str | None, str]],
        cancellation: Cancellation,
        *,
        are_earlier: bool = False,
    ) -> ProjectFindings:
        """Return the errors that changes cause. A change is a path, its text or ``None``, and its
        assembly.

        With ``are_earlier``, the texts are earlier ones. Return the errors that came since.
        """
        texts = [utf16(text) if text is not None else None for _, text, _ in changes]
        answer = asked(
            self._model.Since if are_earlier else self._model.Judge,
            hosting.dotnet_strings([str(path) for path, _, _ in changes]),
            hosting.dotnet_strings(texts),
            hosting.dotnet_strings([owner for _, _, owner in changes]),
            cancellation.token,
        )
        return _findings(answer)

    def fixes(
        self,
        path: Path,
        changes: Sequence[tuple[Path, str | None, str]],
        cancellation: Cancellation,
    ) -> list[Any]:
        """Return fixes for new errors of the changed text at ``path``.

        ``changes`` are those of :meth:`judge`.
        """
        texts = [utf16(text) if text is not None else None for _, text, _ in changes]
        answer = self._json(
            self._model.Fixes,
            str(path),
            hosting.dotnet_strings([str(each) for each, _, _ in changes]),
            hosting.dotnet_strings(texts),
            hosting.dotnet_strings([owner for _, _, owner in changes]),
            cancellation.token,
        )
        return list(answer["fixes"])

    def semantics(
        self,
        path: Path,
        text: str,
        assembly: str,
        open_texts: Mapping[Path, str],
        cancellation: Cancellation,
        *,
        warnings: bool,
    ) -> TextSemantics:
        """Return the semantic errors of ``text`` as the source of ``assembly`` at ``path``.

        ``open_texts`` replace the sources at their paths. Faster without ``warnings``.
        """
        paths = hosting.dotnet_strings([str(each) for each in open_texts])
        texts = hosting.dotnet_strings([utf16(each) for each in open_texts.values()])
        arguments = (str(path), utf16(text), assembly, paths, texts, warnings, cancellation.token)
        semantics = asked(self._model.Judge, *arguments)
        return TextSemantics(
            list(map(finding, rows(semantics.Rows()))),
            {
                Path(other): list(map(finding, rows(semantics.OtherRows(other))))
                for other in rows(semantics.OtherPaths())
            },
            list(map(three_columns, rows(semantics.NotChecked()))),
            tuple(rows(semantics.ChangedNames())),
            bool(semantics.ConcernsAll),
            int(semantics.NotJudged),
            tuple(map(Path, rows(semantics.InactiveMentions()))),
            str(semantics.InactiveLines),
            bool(semantics.ChangesInactiveCodeOnly),
            bool(semantics.LeavesUnused),
            bool(semantics.IsNotLowered),
            bool(semantics.AreAnalyzersUnheard),
        )


def symbol_sets(text: str, defined: str) -> list[str]:
    """Return the symbol sets that reach the branches of ``text``, apart from the ``defined``
    one. The symbols of a set are separated by blanks.
    """
    base = frozenset(defined.split())
    return [" ".join(sorted(each)) for each in judged_symbols(text, base) if each != base]


def _dotnet_symbol_sets() -> Any:
    system: Any = importlib.import_module("System")
    strings = system.Array[system.String]
    return system.Func[system.String, system.String, strings](
        lambda text, defined: hosting.dotnet_strings(symbol_sets(str(text), str(defined)))
    )


def _stamp(composed: Composition) -> str:
    """Return a text that changes when a file that configures the compilation changes."""
    extensions = (*composed.generators, *composed.analyzers)
    return str((*composed.build.stamp, *map(modified_ns, extensions)))


def _findings(answer: Any) -> ProjectFindings:
    return ProjectFindings(
        list(map(project_error, rows(answer.Rows()))),
        list(map(three_columns, rows(answer.NotChecked()))),
        rows(answer.Assemblies()),
        int(answer.Files),
        int(answer.BoundTrees),
        int(answer.BoundAssemblies),
        bool(answer.IsConfirmed),
    )


class TextsAlone:
    """Judges texts without knowing their references. Not thread-safe; Roslyn must be loaded."""

    def __init__(self) -> None:
        model: Any = importlib.import_module("RoslynServer").TextsAlone
        self._model = model()

    def errors(
        self, composed: Composition, cancellation: Cancellation, *, knows_symbols: bool
    ) -> list[ProjectError]:
        """Return the errors of an assembly's scripts that don't depend on the meaning of names.

        ``knows_symbols`` says that the symbols come from a build.
        """
        answer = asked(
            self._model.Check,
            composed.build.assembly,
            hosting.dotnet_strings(composed.build.arguments),
            _stamp(composed),
            str(composed.build.folder),
            hosting.dotnet_strings(composed.sources),
            knows_symbols,
            cancellation.token,
        )
        return list(map(project_error, rows(answer.Rows())))
