"""Ask a server for its report on texts, within a time limit."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from lsprotocol import types

from lsp_client.diagnostics.report import Report, SemanticsLate, ServerDiagnostic, read_coverage
from lsp_client.outcomes import ServerLost, Unavailable
from lsp_client.protocol.connection import Connection
from lsp_client.protocol.uris import canonical
from lsp_client.running.supervisor import Supervisor
from lsp_client.timing import Timing


async def reports_of_texts(
    connection: Connection,
    uri: str,
    texts: list[str],
    names_by: float,
    *,
    requires_names: bool = False,
) -> list[Report]:
    """Return the server's report on each text, one message a text.

    Arguments, result and errors are those of ``report_of``.
    """
    loop = asyncio.get_running_loop()

    async def report(text: str) -> Report:
        left_ms = max(1, round((names_by - loop.time()) * 1000))
        return await _report_on(connection, uri, text, left_ms, requires_names=requires_names)

    async with connection.turn:
        if len(texts) == 1:
            return [await report(texts[0])]
        original, edited = texts
        after = await report(edited)
        if not after.errors and not after.elsewhere:
            return [Report(()), after]
        before = await report(original)
        if before.semantics_late and not after.semantics_late:
            without = await _report_on(connection, uri, edited, 0, requires_names=False)
            after = replace(without, semantics=False, semantics_late=True)
        return [before, after]


async def _report_on(
    connection: Connection, uri: str, text: str, names_ms: int, *, requires_names: bool
) -> Report:
    method = connection.spec.text_request
    assert method is not None, "only servers with this request are asked"
    params = {"uri": uri, "text": text, "namesMs": names_ms, "patient": requires_names}
    report = await connection.ask(method, params, _judged)
    if report.semantics_late and requires_names:
        raise SemanticsLate
    return report


def _judged(answer: Mapping[str, Any]) -> Report:
    is_late = bool(answer["namesLate"])
    elsewhere = ((canonical(each["uri"]), _error(each)) for each in answer["elsewhere"])
    return Report(
        tuple(dict.fromkeys(map(_error, answer["errors"]))),
        tuple(dict.fromkeys(elsewhere)),
        semantics=not is_late,
        semantics_late=is_late,
        coverage=read_coverage(answer["coverage"]),
    )


def _error(answer: Mapping[str, Any]) -> ServerDiagnostic:
    return ServerDiagnostic(
        int(answer["line"]), int(answer["character"]), str(answer["code"]), str(answer["message"])
    )


_SHARE_OF_SEMANTICS = 0.9
_SHARE_OF_QUIET = 0.125
"""Share of ``silent_s`` after which a server at its first report gets a test request."""


async def reports(
    supervisor: Supervisor,
    uri: str,
    texts: list[str],
    timing: Timing,
    within_s: float,
    *,
    patient: bool,
) -> tuple[list[Report], str] | Unavailable:
    """Return the server's report on each text, and its name, within ``within_s`` seconds."""
    begun = asyncio.get_running_loop().time()
    names_s = within_s * _SHARE_OF_SEMANTICS
    if not patient:
        # Reserve time for a verdict on syntax alone, in case names come late.
        share = within_s * timing.semantics_s / timing.verdict_s
        names_s = min(names_s, max(share, within_s - (timing.verdict_s - timing.semantics_s)))
    job = _reporting(uri, texts, begun + names_s, within_s, requires_names=patient)
    return await supervisor.ask(job, within_s=within_s, patient=patient)


async def first_report(
    supervisor: Supervisor, uri: str, text: str, timing: Timing, within_s: float
) -> tuple[object, str] | Unavailable:
    """Wait for a server's first report, which takes long. End the server if it stops answering
    other requests meanwhile."""
    deadline = asyncio.get_running_loop().time() + within_s
    job = _reporting(uri, [text], deadline, within_s, requires_names=True)
    quiet_s = timing.silent_s * _SHARE_OF_QUIET
    hang_s = timing.silent_s - quiet_s
    return await supervisor.ask_at_length(
        job, deadline, hang_s, "judge a first text", patient=True, quiet_s=quiet_s
    )


def _reporting(
    uri: str, texts: list[str], names_by: float, within_s: float, *, requires_names: bool
) -> Callable[[Connection], Coroutine[Any, Any, tuple[list[Report], str] | Unavailable]]:
    """Return a job that asks for reports; with ``requires_names`` only for those with semantics."""

    async def job(connection: Connection) -> tuple[list[Report], str] | Unavailable:
        try:
            ask = report_of if connection.spec.text_request is None else reports_of_texts
            found = await ask(connection, uri, texts, names_by, requires_names=requires_names)
        except SemanticsLate:
            took = within_s * _SHARE_OF_SEMANTICS
            reason = f"{connection.name} did not judge names within {took:.1f} s"
            return Unavailable(reason)
        return found, connection.validator_name

    return job


UNNAMED_ID = "LSP"
"""The id of diagnostics that have none."""

_SENTINEL = "unity-snippet-text-{}"


async def report_of(
    connection: Connection,
    uri: str,
    texts: list[str],
    names_by: float,
    *,
    requires_names: bool = False,
) -> list[Report]:
    """Return the server's report on each of ``texts`` as the text of the document ``uri``.

    ``texts`` is the text on disk, and optionally an edited one. If the edited text has no errors,
    the server isn't asked about the other, whose report is then empty. Semantics count for both
    texts or for neither. The document is always closed again. ``names_by`` is the deadline for
    semantics on the event loop's clock.

    Raises ``ServerLost``, ``RequestRefused``, ``TimeoutError``; with ``requires_names`` also
    ``SemanticsLate``.
    """
    async with connection.turn:
        overlay = _Overlay(connection, uri, names_by, requires_names=requires_names)
        try:
            if len(texts) == 1:
                return [await overlay.report(texts[0])]
            original, edited = texts
            overlay.show(original)
            after = await overlay.report(edited)
            has_some = after.errors or after.elsewhere
            before = await overlay.report(original) if has_some else Report(())
            if before.semantics_late and not after.semantics_late:
                overlay.names_by = 0.0
                after = await overlay.report(edited)
            return [before, after]
        finally:
            if not connection.ended.done():
                overlay.put_back(texts[0])


class _Overlay:
    """An open document whose text differs from the disk's."""

    def __init__(
        self, connection: Connection, uri: str, names_by: float, *, requires_names: bool
    ) -> None:
        self._connection = connection
        self._announcements = connection.announcements
        self._spec = connection.spec
        self._uri = uri
        self._requires_names = requires_names
        self.names_by = names_by
        """Deadline for semantics."""
        self._shown: str | None = None

    def show(self, text: str) -> int:
        version = self._connection.show(self._uri, text, opening=self._shown is None)
        self._shown = text
        return version

    def put_back(self, text: str) -> None:
        if self._shown is None:
            return
        if self._shown != text:
            self.show(text)
        self._connection.close(self._uri)

    async def report(self, text: str) -> Report:
        """Show ``text`` and wait for the server's report on it."""
        if self._spec.versionless_push:
            return await self._report_by_sentinel(text)
        version = self.show(text)
        if not self._announcements.identifiers:
            # A server that registers pull late doesn't push.
            pushed = await self._pushed(version)
            if pushed is not None:
                return Report(_errors(pushed))
        return await self._pulled()

    # -- push ------------------------------------------------------------------------------

    async def _pushed(self, version: int) -> Iterable[types.Diagnostic] | None:
        """Return diagnostics pushed for ``version``; ``None`` once the server registers pull."""
        while True:
            changed = self._announcements.changed
            params = self._announcements.pushed(self._uri, version)
            if params is not None:
                return params.diagnostics
            if self._announcements.identifiers:
                return None
            await self._connection.until(changed)

    async def _report_by_sentinel(self, text: str) -> Report:
        """Add a unique ``#error`` to the text, and wait for the diagnostics that include it."""
        mark = _SENTINEL.format(self._connection.next_mark())
        self.show(f"{text}\n#error {mark}\n")
        while True:
            changed = self._announcements.changed
            params = self._announcements.pushed(self._uri, None)
            diagnostics = params.diagnostics if params is not None else ()
            if any(mark in each.message for each in diagnostics):
                return Report(_errors(each for each in diagnostics if mark not in each.message))
            await self._connection.until(changed)

    # -- pull ------------------------------------------------------------------------------

    async def _pulled(self) -> Report:
        """Pull the diagnostics of all registered identifiers; return one report.

        Semantics are pulled one identifier after the other, all others at the same time.
        """
        registered = list(dict.fromkeys(self._announcements.identifiers.values()))
        known = [each for each in registered if each in self._spec.semantic_identifiers]
        syntax = [each for each in self._spec.syntax_identifiers if each in registered]
        others = [each for each in registered if each not in (*syntax, *known)]
        pulls = [asyncio.create_task(self._pull(each)) for each in (*syntax, *others)]
        semantics = asyncio.create_task(self._semantics(known))
        try:
            reports = [await pull for pull in pulls]
            meanings = await semantics
        finally:
            for task in (*pulls, semantics):
                task.cancel()
            await asyncio.gather(*pulls, semantics, return_exceptions=True)
        answers = [*reports, *(meanings or ())]
        return Report(
            tuple(dict.fromkeys(error for each in answers for error in _errors(each.items))),
            tuple(dict.fromkeys(error for each in answers for error in _elsewhere(each))),
            semantics=bool(known) and meanings is not None,
            semantics_late=bool(known) and meanings is None,
        )

    async def _semantics(self, identifiers: Sequence[str | None]) -> list[_Pulled] | None:
        """Pull semantics; ``None`` if they take too long."""
        try:
            async with asyncio.timeout_at(self.names_by):
                return [await self._pull(identifier) for identifier in identifiers]
        except TimeoutError:
            if self._requires_names:
                raise SemanticsLate from None
            return None

    async def _pull(self, identifier: str | None) -> _Pulled:
        document = types.TextDocumentIdentifier(self._uri)
        report = await self._connection.request(
            types.TEXT_DOCUMENT_DIAGNOSTIC,
            types.DocumentDiagnosticParams(document, identifier=identifier),
        )
        if not isinstance(report, types.RelatedFullDocumentDiagnosticReport):
            # The request named no earlier result, so "unchanged" is no answer either.
            self._connection.fail("answered textDocument/diagnostic without a report")
            raise ServerLost(self._connection.ended.result())
        return report


_Pulled = types.RelatedFullDocumentDiagnosticReport


def _elsewhere(report: _Pulled) -> Iterator[tuple[str, ServerDiagnostic]]:
    """Yield the errors in other documents."""
    for uri, related in (report.related_documents or {}).items():
        if isinstance(related, types.FullDocumentDiagnosticReport):
            yield from ((canonical(uri), each) for each in _errors(related.items))


def _errors(diagnostics: Iterable[types.Diagnostic]) -> tuple[ServerDiagnostic, ...]:
    """Return the errors; a diagnostic without a severity counts as one."""
    return tuple(
        ServerDiagnostic(
            each.range.start.line,
            each.range.start.character,
            str(each.code) if each.code is not None else UNNAMED_ID,
            each.message,
        )
        for each in diagnostics
        if each.severity in (None, types.DiagnosticSeverity.Error)
    )
