"""Ask the loaded Roslyn about a project: all of its assemblies, and texts that can only be parsed.

Implements docs/design/roslyn.md §3 "The whole project".
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from roslyn_server.compiler import hosting
from roslyn_server.compiler.answers import (
    Meaning,
    ProjectError,
    ProjectFindings,
    finding,
    newer_flow,
    not_checked,
    project_error,
    unread,
)
from roslyn_server.compiler.calls import Cancellation, CancelledError, answered, utf16


@dataclass(frozen=True, slots=True)
class CompiledFrom:
    """What an assembly is compiled from.

    ``arguments`` are as ``csc`` takes them; ``stamp`` changes when the files do that they name.
    Paths, those of ``sources`` too, are relative to ``folder``. ``is_as_listed`` tells that its
    build lists just these sources. ``generators`` are the libraries with generators, ``analyzers``
    those with analyzers.
    """

    assembly: str
    arguments: tuple[str, ...]
    stamp: tuple[int, ...]
    folder: Path
    sources: tuple[str, ...]
    is_as_listed: bool
    generators: tuple[str, ...] = ()
    analyzers: tuple[str, ...] = ()


class Project:
    """All assemblies of a project, kept in step with the disk; made by :meth:`Roslyn.project`.

    Not for two threads at a time.
    """

    def __init__(self, model: Any, cancelled: Any) -> None:
        self._model = model
        self._cancelled = cancelled

    def consist(self, assemblies: Sequence[CompiledFrom]) -> None:
        """Say what the project is made of now."""
        self._model.Consist(
            hosting.dotnet_strings([each.assembly for each in assemblies]),
            hosting.dotnet_string_lists([list(each.arguments) for each in assemblies]),
            hosting.dotnet_strings([str(each.stamp) for each in assemblies]),
            hosting.dotnet_strings([str(each.folder) for each in assemblies]),
            hosting.dotnet_string_lists([list(each.sources) for each in assemblies]),
            hosting.dotnet_booleans([each.is_as_listed for each in assemblies]),
            hosting.dotnet_string_lists([list(each.generators) for each in assemblies]),
            hosting.dotnet_string_lists([list(each.analyzers) for each in assemblies]),
        )

    def doubt(self, scripts: Sequence[str], libraries: Sequence[str]) -> None:
        """Say that files may have changed since they were read."""
        if scripts or libraries:
            self._model.Doubt(
                hosting.dotnet_strings(list(scripts)), hosting.dotnet_strings(list(libraries))
            )

    def check(
        self,
        assemblies: Sequence[str],
        warnings: bool,
        progress: Callable[[int, int], None] | None,
        cancellation: Cancellation,
        *,
        for_older: bool = False,
    ) -> ProjectFindings:
        """Every error of the named assemblies, or of all; warnings too if they are wanted.

        ``progress`` is called with the number of assemblies that are done, and of all. With
        ``for_older``, what a compiler before Roslyn 4 may refuse comes as well. Raises
        :class:`CancelledError`.
        """
        system: Any = importlib.import_module("System")
        told = system.Action[system.Int32, system.Int32](progress) if progress is not None else None
        wanted = hosting.dotnet_strings(list(assemblies))
        answer = self._answer(self._model.Check, wanted, warnings, told, cancellation.token)
        return replace(
            _findings(answer),
            halted=tuple(project_error(str(row)) for row in answer.HaltedBy()),
            unread=tuple(unread(row) for row in str(answer.UnreadCode()).split("\n") if row),
            newer_flow=tuple(newer_flow(str(row)) for row in answer.NewerFlow())
            if for_older
            else (),
        )

    def size(self) -> tuple[int, int]:
        """How many assemblies, and sources, are held in memory. May run beside other calls."""
        assemblies, files = self._model.Size()
        return int(assemblies), int(files)

    def prove(self, cancellation: Cancellation) -> list[str]:
        """Bind all that was judged by what changes concern, and correct what is known of it.

        The differences come back, each a sentence. May run beside other calls. Raises
        :class:`CancelledError`.
        """
        return answered(self._model.Prove, self._cancelled, cancellation.token)

    def judge(
        self, changes: Sequence[tuple[Path, str | None, str]], cancellation: Cancellation
    ) -> ProjectFindings:
        """The errors that changes bring, each a path, the text then, and its assembly's name then.

        A file that is gone has no text. Raises :class:`CancelledError`.
        """
        texts = [utf16(text) if text is not None else None for _, text, _ in changes]
        answer = self._answer(
            self._model.Judge,
            hosting.dotnet_strings([str(path) for path, _, _ in changes]),
            hosting.dotnet_strings(texts),
            hosting.dotnet_strings([owner for _, _, owner in changes]),
            cancellation.token,
        )
        return _findings(answer)

    def meaning(
        self,
        path: Path,
        text: str,
        assembly: str,
        open_texts: Mapping[Path, str],
        cancellation: Cancellation,
        *,
        warnings: bool,
    ) -> Meaning:
        """What is wrong with ``text`` as the source of ``assembly`` at ``path``, syntax aside.

        ``open_texts`` stand for the sources at their paths. Errors come faster without
        ``warnings``. Raises :class:`CancelledError`.
        """
        paths = hosting.dotnet_strings([str(each) for each in open_texts])
        texts = hosting.dotnet_strings([utf16(each) for each in open_texts.values()])
        arguments = (str(path), utf16(text), assembly, paths, texts, warnings, cancellation.token)
        try:
            meaning = self._model.Judge(*arguments)
        except self._cancelled as error:
            raise CancelledError from error
        return Meaning(
            [finding(str(row)) for row in meaning.Rows()],
            {
                Path(str(other)): [finding(str(row)) for row in meaning.OtherRows(other)]
                for other in meaning.OtherPaths()
            },
            [not_checked(str(row)) for row in meaning.NotChecked()],
            tuple(map(str, meaning.ChangedNames())),
            bool(meaning.ConcernsAll),
            int(meaning.NotJudged),
            int(meaning.InactiveMentions),
            str(meaning.InactiveLines),
            bool(meaning.ChangesInactiveCodeOnly),
            bool(meaning.LeavesUnused),
            bool(meaning.IsNotLowered),
            bool(meaning.AreAnalyzersUnheard),
        )

    def _answer(self, ask: Any, *arguments: Any) -> Any:
        try:
            return ask(*arguments)
        except self._cancelled as error:
            raise CancelledError from error


def _findings(answer: Any) -> ProjectFindings:
    return ProjectFindings(
        [project_error(str(row)) for row in answer.Rows()],
        [not_checked(str(row)) for row in answer.NotChecked()],
        [str(each) for each in answer.Assemblies()],
        int(answer.Files),
        int(answer.BoundTrees),
        int(answer.BoundAssemblies),
        bool(answer.IsConfirmed),
    )


class TextsAlone:
    """What is known of such scripts, kept between questions. Not for two threads at a time.

    Roslyn must be loaded.
    """

    def __init__(self) -> None:
        model: Any = importlib.import_module("RoslynServer").TextsAlone
        self._model = model()
        self._cancelled: Any = importlib.import_module("System").OperationCanceledException

    def errors(
        self, compiled: CompiledFrom, cancellation: Cancellation, *, knows_symbols: bool
    ) -> list[ProjectError]:
        """The errors of an assembly's scripts on disk that hold whatever their names mean.

        ``knows_symbols`` tells that the symbols come from a build. Raises :class:`CancelledError`.
        """
        try:
            answer = self._model.Check(
                compiled.assembly,
                hosting.dotnet_strings(list(compiled.arguments)),
                str(compiled.stamp),
                str(compiled.folder),
                hosting.dotnet_strings(list(compiled.sources)),
                knows_symbols,
                cancellation.token,
            )
        except self._cancelled as error:
            raise CancelledError from error
        return [project_error(str(row)) for row in answer.Rows()]
