"""The validator that asks a C# language server.

Implements docs/design/roslyn.md §2 for the engine: synchronous, bounded, and never "valid" for want
of an answer. The server runs on a thread of its own and is started by the first call that needs it.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from time import monotonic, perf_counter
from typing import TYPE_CHECKING
from urllib.parse import unquote

from lsp_client.project_files import ProjectFiles
from lsp_client.selection import Selection
from lsp_client.timing import Timing
from lsp_client.uris import canonical
from snippet_engine.csharp.document import Document
from snippet_engine.csharp.lexical.language_version import LanguageVersion
from snippet_engine.edits import EditSet
from snippet_engine.errors import MAX_MESSAGE_LENGTH, ErrorCode, SnippetError
from snippet_engine.schema_messages import shortened
from snippet_engine.source_text import Position
from snippet_engine.validation.validator import ChangesVerdict, Diagnostic, Verdict

if TYPE_CHECKING:
    from lsp_client.client_thread import ClientThread
    from lsp_client.document_diagnostics import NotChecked, Report, ServerDiagnostic
    from lsp_client.supervisor import Supervisor, Unavailable

_MAX_DIAGNOSTICS = 20
_CACHED_VERDICTS = 256
_CACHED_S = 60.0
"""A verdict is known for so long: the project's symbols may change, which no hash tells. Only one
that says of a text that it parses is kept: what names mean depends on other files."""

_NO_EDITS = EditSet(())
_SHARE_OF_SEMANTICS = 0.9
_GRACE_S = 0.25
"""How much longer than the bound the thread is waited for, so that its own reason is told."""

_UNKNOWN_VERSION = "language version: {} doesn't tell which it uses"
_UNKNOWN_SYMBOLS = "other #if branches: {} judges one symbol set"
_OTHER_FILES = "semantics of other files: {} is asked about the edited one"
_NOT_LISTED = "No .csproj file lists this script; let Unity generate the project files."
_LATE = "{} did not answer in time."


_Key = tuple[str, str, str, str]
"""Path, options, and the hashes of the texts before and after."""


class LanguageServerValidator:
    """Judges by a language server. May be shared by threads."""

    def __init__(
        self,
        root: Path,
        select: Callable[[], Selection],
        language_of: Callable[[str], LanguageVersion],
        timing: Timing | None = None,
    ) -> None:
        """``select`` says which server, once one is needed; ``language_of`` which C# a script is,
        where the server can't tell."""
        self._root = root
        self._select = select
        self._language_of = language_of
        self._timing = timing or Timing()
        self._project_files = ProjectFiles(root)
        self._starting = threading.Lock()
        self._begun = threading.Event()
        self._why_none = "it could not be looked for"
        self._running: tuple[ClientThread, Supervisor] | None = None
        self._closed = False
        self._start_asked = False
        self._cache: OrderedDict[_Key, tuple[float, Verdict]] = OrderedDict()
        self._caching = threading.Lock()

    # -- life ------------------------------------------------------------------------------

    def start(self) -> None:
        """Start the server in the background, if that has not been done."""
        with self._starting:
            if self._start_asked or self._closed:
                return
            self._start_asked = True
        threading.Thread(target=self._begin, name="language server", daemon=True).start()

    def wait_until_ready(self, within_s: float) -> None:
        """Start the server and wait until it is ready or can't be had, ``within_s`` at most.

        For callers whom nobody else waits for: a verdict's own bound then starts with the question.
        """
        deadline = monotonic() + within_s
        self.start()
        self._begun.wait(within_s)
        running = self._running
        if running is not None:
            thread, supervisor = running
            left = max(0.0, deadline - monotonic())
            with contextlib.suppress(TimeoutError):
                thread.run(supervisor.wait_until_ready(left), left + _GRACE_S)

    def warm_up(self, path: str, text: str, within_s: float) -> None:
        """Start the server and wait until it has judged ``text`` as the script at ``path``.

        As :meth:`wait_until_ready`. A server's first verdict takes it much longer than any later
        one; what it says does not matter here, nor that it doesn't.
        """
        deadline = monotonic() + within_s
        self.wait_until_ready(within_s)
        running = self._running
        left = deadline - monotonic()
        if running is not None and left > 0:
            thread, supervisor = running
            with contextlib.suppress(TimeoutError):
                work = _reports(
                    supervisor, self._uri(path), [text], self._timing, left, patient=True
                )
                thread.run(work, left + _GRACE_S)

    def _begin(self) -> None:
        """Look for a server and start it. Both may take long: nobody waits for them unbounded."""
        try:
            selection = self._select()
            if selection.launches:
                from lsp_client.client_thread import ClientThread  # noqa: PLC0415 - only if used
                from lsp_client.supervisor import Supervisor  # noqa: PLC0415 - loads pygls

                thread = ClientThread("language client")
                supervisor = Supervisor(selection.launches, self._timing)
                with self._starting:
                    if not self._closed:
                        thread.submit(_call(supervisor.start))
                        self._running = thread, supervisor
            self._why_none = selection.why_none()
        finally:
            self._begun.set()

    def close(self) -> None:
        """End the server. Nothing can be asked any more."""
        with self._starting:
            self._closed = True
            running, self._running = self._running, None
        if running is None:
            return
        thread, supervisor = running
        bound = 2 * self._timing.shutdown_s + self._timing.kill_s + _GRACE_S
        try:
            thread.run(supervisor.close(), bound)
        except TimeoutError:
            pass  # the guardian ends the server once this process is gone
        finally:
            thread.stop()

    @property
    def server_pid(self) -> int | None:
        """The process group of the server that answers now, if there is one."""
        connection = self._running[1].connection if self._running is not None else None
        return connection.pid if connection is not None else None

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
        """The errors that ``after`` has and ``before`` had not, in the server's judgement.

        Takes ``within_s`` seconds at most. One that is not ``patient`` does not wait where a
        server takes long to start, or has just failed. Error: ``validator_unavailable``.
        """
        sources = [before.source, after.source]
        key = (path, self._options(path), before.source.hash, after.source.hash)

        def verdict(reports: list[Report], name: str, started: float) -> Verdict:
            from lsp_client.new_errors import new_errors  # noqa: PLC0415 - loads pygls

            was, now = reports
            own = new_errors(before.source, was.errors, after.source, now.errors, edits)
            known = len(now.errors) - len(own)
            known_elsewhere = set(was.elsewhere)
            new = [each for each in now.elsewhere if each not in known_elsewhere]
            found = own + [self._elsewhere(*each) for each in new]
            return self._verdict(path, after, now, found, known, name, started)

        texts = [source.view for source in sources]
        return self._judged(key, path, texts, verdict, within_s=within_s, patient=patient)

    def diagnose(
        self, path: str, document: Document, *, within_s: float, patient: bool
    ) -> Verdict | SnippetError:
        """All errors of ``document``, in the server's judgement. Else as :meth:`validate`."""
        source = document.source
        key = (path, self._options(path), source.hash, "")

        def verdict(reports: list[Report], name: str, started: float) -> Verdict:
            from lsp_client.new_errors import diagnostics  # noqa: PLC0415 - loads pygls

            found = diagnostics(source, reports[0].errors)
            return self._verdict(path, document, reports[0], found, 0, name, started)

        return self._judged(key, path, [source.view], verdict, within_s=within_s, patient=patient)

    def judge_changes(
        self,
        changes: Mapping[str, str | None],  # noqa: ARG002 - the protocol's
        *,
        within_s: float,  # noqa: ARG002
        patient: bool,  # noqa: ARG002
    ) -> ChangesVerdict | SnippetError:
        """LSP has no request about several files at once: ``validator_unavailable``."""
        return unavailable("it can't judge several files at once")

    def saved(self, path: str, text: str) -> None:
        """Tell the server, if one runs, that ``text`` has been written to ``path``."""
        running = self._running
        if running is not None:
            thread, supervisor = running
            thread.submit(_saved(supervisor, self._uri(path), text))

    def _judged(
        self,
        key: _Key,
        path: str,
        texts: list[str],
        verdict: Callable[[list[Report], str, float], Verdict],
        *,
        within_s: float,
        patient: bool,
    ) -> Verdict | SnippetError:
        started, deadline = perf_counter(), monotonic() + within_s
        with self._caching:
            since, cached = self._cache.get(key, (0.0, None))
        if cached is not None and monotonic() - since < _CACHED_S:
            return replace(cached, duration_ms=(perf_counter() - started) * 1000)
        self.start()
        if not self._begun.wait(max(0.0, deadline - monotonic())) and not self._closed:
            return unavailable("it is still being looked for")
        running = self._running
        if running is None:
            return unavailable(self._why_none, found=False)
        thread, supervisor = running
        left = max(0.0, deadline - monotonic())
        try:
            work = _reports(supervisor, self._uri(path), texts, self._timing, left, patient=patient)
            answer = thread.run(work, left + _GRACE_S)
        except TimeoutError:
            return unavailable(f"the language server did not answer within {within_s:.1f} s")
        if not isinstance(answer, tuple):
            return unavailable(answer.reason)
        reports, name = answer
        judged = verdict(reports, name, started)
        if _is_of_text_alone(reports[-1]) and not judged.diagnostics:
            self._keep(key, judged)
        return judged

    def _elsewhere(self, uri: str, error: ServerDiagnostic) -> Diagnostic:
        """An error in another file than the edited one."""
        root = canonical(self._root.as_uri()) + "/"
        path = unquote(uri.removeprefix(root)) if uri.startswith(root) else uri
        position = Position(error.line, error.character)
        return Diagnostic(0, position, error.id, error.message, path)

    def _keep(self, key: _Key, verdict: Verdict) -> None:
        with self._caching:
            self._cache[key] = monotonic(), verdict
            self._cache.move_to_end(key)
            while len(self._cache) > _CACHED_VERDICTS:
                self._cache.popitem(last=False)

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
        if report.semantics_late:
            why = _LATE.format(name)
            not_checked.append("semantics (late)")
        if coverage is not None:
            covers = coverage.covers
            if not report.semantics:
                covers = tuple(each for each in covers if each != "semantics")
            not_checked += map(_in_words, coverage.not_checked)
            why = why or next((each.message for each in coverage.not_checked), "")
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
            diagnostics=tuple(found[:_MAX_DIAGNOSTICS]),
            preexisting_errors=known,
            not_checked=tuple(not_checked),
            knows_project=coverage is not None,
            semantic_not_checked="" if "semantics" in covers else why,
            compiler=coverage.compiler if coverage is not None else "",
        )

    def _options(self, path: str) -> str:
        """What a script is judged by, besides its text, as far as the client can tell."""
        return str(self._language_of(path))

    def _uri(self, path: str) -> str:
        return canonical((self._root / path).as_uri())


async def _call(function: Callable[[], None]) -> None:
    function()


async def _reports(
    supervisor: Supervisor,
    uri: str,
    texts: list[str],
    timing: Timing,
    within_s: float,
    *,
    patient: bool,
) -> tuple[list[Report], str] | Unavailable:
    from lsp_client.connection import Connection  # noqa: PLC0415 - loads pygls
    from lsp_client.document_diagnostics import SemanticsLate, report_of  # noqa: PLC0415
    from lsp_client.supervisor import Unavailable  # noqa: PLC0415

    begun = asyncio.get_running_loop().time()
    # Who insists on a verdict waits for what names mean, and leaves time to say there is none.
    by = begun + within_s * _SHARE_OF_SEMANTICS if patient else None

    async def job(connection: Connection) -> tuple[list[Report], str] | Unavailable:
        try:
            reports = await report_of(connection, uri, texts, timing, by)
        except SemanticsLate:
            took = within_s * _SHARE_OF_SEMANTICS
            reason = f"{connection.name} did not say what names mean within {took:.1f} s"
            return Unavailable(reason)
        return reports, connection.validator_name

    return await supervisor.ask(job, within_s=within_s, patient=patient)


def _is_of_text_alone(report: Report) -> bool:
    """Whether the report told nothing, and left nothing open, that depends on other files."""
    return report.coverage is None and not report.semantics and not report.semantics_late


def _in_words(left: NotChecked) -> str:
    return f"semantics ({left.reason}{': ' if left.detail else ''}{left.detail})"


async def _saved(supervisor: Supervisor, uri: str, text: str) -> None:
    from lsp_client.connection import ServerLost  # noqa: PLC0415 - loads pygls

    connection = supervisor.connection
    if connection is not None and not connection.ended.done():
        async with connection.turn:
            try:
                connection.saved(uri, text)
            except ServerLost:
                return  # the next one reads the file


def unavailable(reason: str, *, found: bool = True) -> SnippetError:
    """``validator_unavailable``, with the reason in ``details`` too."""
    again = "Try again, or send" if found else "Send"
    what, advice = "No verdict of a C# language server: ", f'. {again} "validation": "auto".'
    room = MAX_MESSAGE_LENGTH - len(what) - len(advice)
    return SnippetError(
        ErrorCode.VALIDATOR_UNAVAILABLE,
        what + shortened(reason.removesuffix("."), room) + advice,
        details={"reason": reason, "found": found},
    )
