"""The validator that asks a C# language server.

Implements docs/design/roslyn.md §2: synchronous, bounded, and never "valid" without an answer. The
server runs on a thread of its own, started by the first call that needs it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Coroutine
from html import unescape
from pathlib import Path
from time import monotonic, perf_counter
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from lsp_client.diagnostics.report import diagnostics, new_errors
from lsp_client.outcomes import ServerLost, Unavailable
from lsp_client.project.project_requests import CHECKED_LATER
from lsp_client.project.symbol_requests import SymbolQuestions
from lsp_client.protocol.uris import canonical
from lsp_client.running.background_server import FIX_FIRST, unavailable
from lsp_client.servers.selection import Selection
from lsp_client.timing import Timing
from snippet_engine.csharp.document import Document
from snippet_engine.csharp.lexical.language_version import LanguageVersion
from snippet_engine.edits import EditSet
from snippet_engine.errors import SnippetError
from snippet_engine.source_text import Position
from snippet_engine.storage.system.plain_file import read_plain
from snippet_engine.validation.validator import MOST_DIAGNOSTICS, Diagnostic, Verdict

if TYPE_CHECKING:
    from lsp_client.diagnostics.report import NotChecked, Report, ServerDiagnostic
    from lsp_client.running.supervisor import Supervisor

_UNKNOWN_VERSION = "language version: {} doesn't tell which it uses"
_UNKNOWN_SYMBOLS = "other #if branches: {} judges one symbol set"
_OTHER_FILES = "semantics of other files: {} is asked about the edited one"
_NOT_LISTED = "No .csproj file lists this script; let Unity generate the project files."
_NOT_ASKED = "not_asked"
"""The reason that a server gives if it left semantics out to answer in time."""
_LATE = "{} did not answer in time; a larger timeout_ms gives it longer."


class LanguageServerValidator(SymbolQuestions):
    """Judges by a language server. Thread-safe."""

    def __init__(
        self,
        root: Path,
        select: Callable[[], Selection],
        language_of: Callable[[str], LanguageVersion],
        timing: Timing | None = None,
    ) -> None:
        """``select`` chooses a server once needed; ``language_of`` returns a script's language
        version if the server can't tell."""
        super().__init__(select, timing or Timing(), root)
        self._language_of = language_of
        self._project_files = ProjectFiles(root)

    def warm_up(self, path: str, text: str, within_s: float) -> None:
        """Start the server and wait until it has judged ``text`` as the script at ``path``.

        A server's first verdict takes much longer than later ones; its result is ignored. A server
        that hangs is ended; later verdicts don't wait for the next server.
        """
        deadline = monotonic() + within_s
        self.wait_until_ready(within_s)
        left = deadline - monotonic()
        if left <= 0:
            return
        uri, timing = self._uri(path), self._timing
        asked = monotonic()

        def ask(
            supervisor: Supervisor, within_s: float
        ) -> Coroutine[Any, Any, tuple[object, str] | Unavailable]:
            from lsp_client.diagnostics.text_reports import first_report  # noqa: PLC0415 - loads pygls

            return first_report(supervisor, uri, text, timing, within_s)

        self.ask_supervisor(ask, left)
        if self.server_pid is None and monotonic() - asked >= timing.silent_s * 0.9:
            self._not_waited_until = monotonic() + timing.verdict_s

    # -- verdicts --------------------------------------------------------------------------

    def validate(
        self,
        path: str,
        before: Document,
        after: Document,
        edits: EditSet,
        *,
        within_s: float,
        patient: bool,
    ) -> Verdict | SnippetError:
        """Return the errors that ``after`` has and ``before`` doesn't have.

        Takes ``within_s`` seconds at most. If not ``patient``, it doesn't wait for a server that
        starts slowly or has just failed. Error: ``validator_unavailable``.
        """

        def verdict(reports: list[Report], name: str, started: float) -> Verdict:
            was, now = reports
            own = new_errors(before.source, was.errors, after.source, now.errors, edits)
            known = len(now.errors) - len(own)
            known_elsewhere = set(was.elsewhere)
            new = [each for each in now.elsewhere if each not in known_elsewhere]
            found = own + [self._elsewhere(*each) for each in new]
            return self._verdict(path, after, now, found, known, name, started)

        texts = [before.source.view, after.source.view]
        return self._judge(path, texts, verdict, within_s=within_s, patient=patient)

    def diagnose(
        self, path: str, document: Document, *, within_s: float, patient: bool
    ) -> Verdict | SnippetError:
        """Return all errors of ``document``. Arguments and errors are those of :meth:`validate`."""
        source = document.source

        def verdict(reports: list[Report], name: str, started: float) -> Verdict:
            found = diagnostics(source, reports[0].errors)
            return self._verdict(path, document, reports[0], found, 0, name, started)

        return self._judge(path, [source.view], verdict, within_s=within_s, patient=patient)

    def saved(self, path: str, text: str) -> None:
        """Tell a running server that ``text`` was written to ``path``."""
        self.notify(lambda supervisor: _saved(supervisor, self._uri(path), text))

    def _judge(
        self,
        path: str,
        texts: list[str],
        verdict: Callable[[list[Report], str, float], Verdict],
        *,
        within_s: float,
        patient: bool,
    ) -> Verdict | SnippetError:
        started, waits = perf_counter(), self._waits(patient=patient)
        uri, timing = self._uri(path), self._timing

        def ask(
            supervisor: Supervisor, within_s: float
        ) -> Coroutine[Any, Any, tuple[list[Report], str] | Unavailable]:
            from lsp_client.diagnostics.text_reports import reports  # noqa: PLC0415 - loads pygls

            return reports(supervisor, uri, texts, timing, within_s, patient=waits)

        answer = self.ask_supervisor(ask, within_s)
        if isinstance(answer, SnippetError):
            return answer
        reports, name = answer
        judged = verdict(reports, name, started)
        blocked = _blocked(reports[-1])
        if blocked and patient and not judged.diagnostics:
            return unavailable(blocked, first=FIX_FIRST)
        return judged

    def _elsewhere(self, uri: str, error: ServerDiagnostic) -> Diagnostic:
        """Return an error in another file than the edited one."""
        root = canonical(self._root.as_uri()) + "/"
        path = unquote(uri.removeprefix(root)) if uri.startswith(root) else uri
        position = Position(error.line, error.character)
        return Diagnostic(0, position, error.id, error.message, path)

    def _verdict(
        self,
        path: str,
        document: Document,
        report: Report,
        found: list[Diagnostic],
        known: int,
        name: str,
        started: float,
    ) -> Verdict:
        coverage = report.coverage
        not_checked: list[str] = []
        why = ""
        is_partial = False
        if report.semantics_late:
            why = _LATE.format(name)
            not_checked.append("semantics (late)")
        if coverage is not None:
            covers = coverage.covers
            if not report.semantics:
                covers = tuple(each for each in covers if each != "semantics")
            is_partial = report.semantics_late or any(
                each.reason in CHECKED_LATER for each in coverage.not_checked
            )
            left = [
                each
                for each in coverage.not_checked
                if not (report.semantics_late and each.reason == _NOT_ASKED)
            ]
            not_checked += map(_describe, left)
            why = why or next((each.message for each in left), "")
            version, sets = coverage.language_version, coverage.symbol_sets
        else:
            semantics = report.semantics and self._project_files.list(path)
            covers = ("brackets", "syntax", *(["semantics"] if semantics else []))
            if report.semantics and not semantics:
                why = _NOT_LISTED
            version, sets = str(self._language_of(path)), 1
            not_checked.append(_UNKNOWN_VERSION.format(name))
            if semantics:
                not_checked.append(_OTHER_FILES.format(name))
            if len(document.symbol_sets) > 1:
                not_checked.append(_UNKNOWN_SYMBOLS.format(name))
        if "semantics" not in covers and not any(e.startswith("semantics") for e in not_checked):
            not_checked.insert(0, "semantics")
        return Verdict(
            validator=name,
            coverage=covers,
            language_version=version,
            symbol_sets=sets,
            duration_ms=(perf_counter() - started) * 1000,
            diagnostics=tuple(found[:MOST_DIAGNOSTICS]),
            preexisting_errors=known,
            not_checked=tuple(not_checked),
            knows_project=coverage is not None,
            semantic_not_checked="" if "semantics" in covers else why,
            compiler=coverage.compiler if coverage is not None else "",
            is_partial=is_partial,
        )

    def _uri(self, path: str) -> str:
        return canonical((self._root / path).as_uri())


def _blocked(report: Report) -> str:
    """Return the errors elsewhere that keep names from being judged; empty if there are none."""
    left = report.coverage.not_checked if report.coverage is not None else ()
    return next((each.message for each in left if each.reason == "blocked"), "")


def _describe(left: NotChecked) -> str:
    return f"semantics ({left.reason}{': ' if left.detail else ''}{left.detail})"


async def _saved(supervisor: Supervisor, uri: str, text: str) -> None:
    connection = supervisor.connection
    if connection is not None and not connection.ended.done():
        async with connection.turn:
            try:
                connection.saved(uri, text)
            except ServerLost:
                return  # the next server reads the file


_COMPILED = re.compile(r"<Compile\s+Include=\"([^\"]+)\"")


class ProjectFiles:
    """The ``.csproj`` files at a project's root, read again when they change.

    A server that loads such a file judges names only in the scripts listed there.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._known: dict[Path, tuple[tuple[int, int], frozenset[str]]] = {}

    def list(self, script: str) -> bool:
        """Return whether a project file lists the script at a project-relative path."""
        return any(script in self._scripts(file) for file in self._root.glob("*.csproj"))

    def _scripts(self, file: Path) -> frozenset[str]:
        known = self._known.get(file)
        try:
            status = file.stat()
            changed = status.st_mtime_ns, status.st_size
            if known is None or known[0] != changed:
                text = read_plain(file).decode("utf-8-sig", "replace")
                names = map(unescape, _COMPILED.findall(text))
                known = changed, frozenset(each.replace("\\", "/") for each in names)
                self._known[file] = known
        except OSError:
            return frozenset()
        return known[1]
