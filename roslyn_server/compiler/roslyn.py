"""A loaded Roslyn as the server sees it: texts in, diagnostics and outlines out.

Implements docs/design/roslyn.md §3. Calls block, release Python's lock while .NET works, and may
come from any thread; a :class:`Cancellation` given to one ends it early.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from roslyn_server.compiler import hosting
from snippet_engine.csharp.lexical.symbol_sets import SymbolSet

Span = tuple[int, int, int, int]
"""First line and character, last line and character: zero-based, UTF-16, as LSP has them."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One of Roslyn's diagnostics. ``severity`` is Roslyn's: 2 a warning, 3 an error."""

    id: str
    severity: int
    span: Span
    message: str


@dataclass(frozen=True, slots=True)
class Declaration:
    """One declaration of an outline. ``kind`` is the name of an LSP ``SymbolKind``.

    ``depth`` counts the declarations around it; ``name_span`` lies within ``span``.
    """

    kind: str
    depth: int
    span: Span
    name_span: Span
    name: str


@dataclass(frozen=True, slots=True)
class Meaning:
    """What names and types in one text of an assembly come to, and what was looked at for it.

    ``elsewhere`` are the errors that the text brings to other sources; ``not_checked`` are
    assemblies that were not judged, each with reason and detail. ``changed_names`` are
    those whose declarations are others than in the file; of the sources that these concern,
    ``not_judged`` were too many, and ``inactive_mentions`` mention them where no symbol compiles
    them.
    ``concerns_all`` tells that something changed which is used without being named,
    ``changes_inactive_code`` that the text differs from the file where no symbol compiles it,
    ``is_not_lowered`` that no code was made of its bodies, though that may bring further errors,
    ``are_analyzers_unheard`` that the project has analyzers that may, and that were not asked.
    """

    findings: list[Finding]
    elsewhere: dict[Path, list[Finding]]
    not_checked: list[tuple[str, str, str]]
    changed_names: tuple[str, ...]
    concerns_all: bool
    not_judged: int
    inactive_mentions: int
    changes_inactive_code: bool
    is_not_lowered: bool
    are_analyzers_unheard: bool


class CancelledError(Exception):
    """The call was cancelled before it had an answer."""


def is_out_of_memory(error: BaseException) -> bool:
    """Whether a call failed for want of memory, after which nothing can be relied on."""
    return _is_one_of(error, frozenset(("OutOfMemoryException",)))


def is_unreadable(error: BaseException) -> bool:
    """Whether a call failed as a file can't be read."""
    return _is_one_of(error, frozenset(("UnauthorizedAccessException", "IOException")))


def _is_one_of(error: BaseException, names: frozenset[str]) -> bool:
    if type(error).__name__ in names:
        return True
    # Of work on several threads, .NET tells all that failed together.
    inner = list(getattr(error, "InnerExceptions", None) or ())
    only = getattr(error, "InnerException", None)
    if not inner and only is not None:
        inner = [only]
    return any(_is_one_of(each, names) for each in inner)


class Cancellation:
    """Ends a running call when :meth:`cancel` is called, from whatever thread."""

    def __init__(self, source: Any = None) -> None:
        self._sources: Any = importlib.import_module("System.Threading").CancellationTokenSource
        self._source = source if source is not None else self._sources()

    @property
    def token(self) -> Any:
        """The .NET ``CancellationToken``."""
        return self._source.Token

    @property
    def is_cancelled(self) -> bool:
        """Whether it was asked to end."""
        return bool(self._source.IsCancellationRequested)

    def cancel(self) -> None:
        """Ask the call to end; nothing happens if it has."""
        self._source.Cancel()

    def linked(self) -> Cancellation:
        """One that ends with this one, or before."""
        return Cancellation(self._sources.CreateLinkedTokenSource(self.token))


@dataclass(frozen=True, slots=True)
class CommandLine:
    """What a compiler's command line says of a language: its version, and symbols."""

    language_version: str
    symbols: SymbolSet


@dataclass(frozen=True, slots=True)
class CompiledFrom:
    """What an assembly is compiled from.

    ``arguments`` are as ``csc`` takes them; ``stamp`` changes when the files do that they name.
    Paths, those of ``sources`` too, are relative to ``folder``. ``built_ns`` is when a library of
    just these sources was built, 0 if none was. ``generators`` are the libraries with generators,
    ``analyzers`` those with analyzers.
    """

    assembly: str
    arguments: tuple[str, ...]
    stamp: tuple[int, ...]
    folder: Path
    sources: tuple[str, ...]
    built_ns: int
    generators: tuple[str, ...] = ()
    analyzers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ProjectError:
    """One error or warning with its place as the compiler prints it: lines and columns from 1."""

    id: str
    severity: str
    path: str
    line: int
    column: int
    assembly: str
    message: str


@dataclass(frozen=True, slots=True)
class ProjectFindings:
    """What was found about a project. ``not_checked`` are assembly, reason and detail.

    ``bound_trees`` counts what was bound for it, ``bound_assemblies`` how often an assembly was
    bound as a whole; ``is_confirmed`` tells whether all that is known comes from that.
    """

    errors: list[ProjectError]
    not_checked: list[tuple[str, str, str]]
    assemblies: list[str]
    files: int
    bound_trees: int
    bound_assemblies: int
    is_confirmed: bool


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
            hosting.dotnet_longs([_ticks(each.built_ns) for each in assemblies]),
            hosting.dotnet_string_lists([list(each.generators) for each in assemblies]),
            hosting.dotnet_string_lists([list(each.analyzers) for each in assemblies]),
        )

    def check(
        self,
        assemblies: Sequence[str],
        warnings: bool,
        progress: Callable[[int, int], None] | None,
        cancellation: Cancellation,
    ) -> ProjectFindings:
        """Every error of the named assemblies, or of all; warnings too if they are wanted.

        ``progress`` is called with the number of assemblies that are done, and of all. Raises
        :class:`CancelledError`.
        """
        system: Any = importlib.import_module("System")
        told = system.Action[system.Int32, system.Int32](progress) if progress is not None else None
        wanted = hosting.dotnet_strings(list(assemblies))
        return self._findings(self._model.Check, wanted, warnings, told, cancellation.token)

    def size(self) -> tuple[int, int]:
        """How many assemblies, and sources, are held in memory. May run beside other calls."""
        assemblies, files = self._model.Size()
        return int(assemblies), int(files)

    def prove(self, cancellation: Cancellation) -> list[str]:
        """Bind all that was judged by what changes concern, and correct what is known of it.

        The differences come back, each a sentence. May run beside other calls. Raises
        :class:`CancelledError`.
        """
        return _answer(self._model.Prove, self._cancelled, cancellation.token)

    def judge(
        self, changes: Sequence[tuple[Path, str | None, str]], cancellation: Cancellation
    ) -> ProjectFindings:
        """The errors that changes bring, each a path, the text then, and its assembly's name then.

        A file that is gone has no text. Raises :class:`CancelledError`.
        """
        texts = [_utf16(text) if text is not None else None for _, text, _ in changes]
        return self._findings(
            self._model.Judge,
            hosting.dotnet_strings([str(path) for path, _, _ in changes]),
            hosting.dotnet_strings(texts),
            hosting.dotnet_strings([owner for _, _, owner in changes]),
            cancellation.token,
        )

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
        texts = hosting.dotnet_strings([_utf16(each) for each in open_texts.values()])
        arguments = (str(path), _utf16(text), assembly, paths, texts, warnings, cancellation.token)
        try:
            meaning = self._model.Judge(*arguments)
        except self._cancelled as error:
            raise CancelledError from error
        return Meaning(
            [_finding(str(row)) for row in meaning.Rows()],
            {
                Path(str(other)): [_finding(str(row)) for row in meaning.OtherRows(other)]
                for other in meaning.OtherPaths()
            },
            [_not_checked(str(row)) for row in meaning.NotChecked()],
            tuple(map(str, meaning.ChangedNames())),
            bool(meaning.ConcernsAll),
            int(meaning.NotJudged),
            int(meaning.InactiveMentions),
            bool(meaning.ChangesInactiveCode),
            bool(meaning.IsNotLowered),
            bool(meaning.AreAnalyzersUnheard),
        )

    def _findings(self, ask: Any, *arguments: Any) -> ProjectFindings:
        try:
            answer = ask(*arguments)
        except self._cancelled as error:
            raise CancelledError from error
        return ProjectFindings(
            [project_error(str(row)) for row in answer.Rows()],
            [_not_checked(str(row)) for row in answer.NotChecked()],
            [str(each) for each in answer.Assemblies()],
            int(answer.Files),
            int(answer.BoundTrees),
            int(answer.BoundAssemblies),
            bool(answer.IsConfirmed),
        )


class Roslyn:
    """The compiler behind ``host``, as :func:`hosting.load` returns it."""

    def __init__(self, host: Any) -> None:
        self._host = host
        self._cancelled: Any = importlib.import_module("System").OperationCanceledException
        self.compiler = str(self._host.CompilerVersion())
        """Roslyn's version, as ``4.8.0``."""
        self.runtime = str(self._host.RuntimeVersion())
        """The runtime's, as ``.NET 8.0.19``."""

    def is_warm(self) -> bool:
        """Wait until it has warmed up. False where that had not begun, or failed."""
        return bool(importlib.import_module("RoslynServer").WarmUp.Ended())

    def memory(self) -> tuple[int, int]:
        """The bytes that the compiler holds, and may hold."""
        held, limit = self._host.Memory()
        return int(held), int(limit)

    def knows(self, language_version: str) -> bool:
        """Whether this Roslyn has the language version."""
        return bool(self._host.KnowsLanguageVersion(language_version))

    def syntax_diagnostics(
        self,
        text: str,
        symbol_sets: Sequence[SymbolSet],
        language_version: str,
        cancellation: Cancellation,
        *,
        only_parsed: bool = False,
    ) -> list[Finding]:
        """What is wrong with ``text`` in itself under any of the symbol sets, each finding once.

        Under the first one it is ``only_parsed`` where what names mean is asked, too. Raises
        :class:`CancelledError`.
        """
        sets = hosting.dotnet_string_lists([sorted(each) for each in symbol_sets])
        ask = self._host.SyntaxDiagnostics
        arguments = (_utf16(text), sets, language_version, only_parsed, cancellation.token)
        rows = _answer(ask, self._cancelled, *arguments)
        return [_finding(row) for row in rows]

    def outline(
        self, text: str, symbols: SymbolSet, language_version: str, cancellation: Cancellation
    ) -> list[Declaration]:
        """The declarations of ``text``, each before those inside it, in text order.

        Raises :class:`CancelledError`.
        """
        defined = hosting.dotnet_strings(sorted(symbols))
        ask = self._host.Outline
        arguments = (_utf16(text), defined, language_version, cancellation.token)
        rows = _answer(ask, self._cancelled, *arguments)
        return [_declaration(row) for row in rows]

    def project(self) -> Project:
        """A project's model, of which nothing is known yet."""
        model: Any = importlib.import_module("RoslynServer").ProjectModel
        return Project(model(), self._cancelled)

    def command_line(self, arguments: Sequence[str], folder: Path) -> CommandLine:
        """What ``csc`` would take ``arguments`` for, in ``folder``."""
        listed = hosting.dotnet_strings(list(arguments))
        version, *symbols = map(str, self._host.CommandLine(listed, str(folder)))
        return CommandLine(version, frozenset(symbols))


def _answer(ask: Any, cancelled: Any, *arguments: Any) -> list[str]:
    try:
        return [str(row) for row in ask(*arguments)]
    except cancelled as error:
        raise CancelledError from error


def _utf16(text: str) -> str:
    """``text`` without lone surrogates, which can't cross into .NET; of the same length."""
    return text.encode("utf-16-le", "replace").decode("utf-16-le") if not _is_clean(text) else text


def _is_clean(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _finding(row: str) -> Finding:
    id_, severity, *at, message = row.split(" ", 6)
    return Finding(id_, int(severity), _span(at), message)


def project_error(row: str) -> ProjectError:
    """An error as a row of .NET's says it."""
    id_, severity, line, column, path, assembly, message = row.split("\t", 6)
    return ProjectError(id_, severity, path, int(line), int(column), assembly, message)


def _not_checked(row: str) -> tuple[str, str, str]:
    assembly, reason, detail = row.split("\t", 2)
    return assembly, reason, detail


def _declaration(row: str) -> Declaration:
    kind, depth, *rest = row.split(" ", 10)
    return Declaration(kind, int(depth), _span(rest[:4]), _span(rest[4:8]), rest[8])


def _ticks(nanoseconds: int) -> int:
    """A time since 1970 as .NET counts it; 0 stays 0."""
    return nanoseconds // 100 + _TICKS_1970 if nanoseconds else 0


_TICKS_1970 = 621_355_968_000_000_000


def _span(numbers: Sequence[str]) -> Span:
    first_line, first_character, last_line, last_character = map(int, numbers)
    return first_line, first_character, last_line, last_character
