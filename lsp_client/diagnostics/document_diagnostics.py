"""A server's diagnostics of one text: pulled under every identifier, or pushed for that version.

Implements docs/design/roslyn.md §2. What is not certainly about this very text is not taken for it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from lsprotocol import types

from lsp_client.protocol.connection import Connection, RequestRefused, ServerLost
from lsp_client.protocol.uris import canonical

UNNAMED_ID = "LSP"
"""The id of diagnostics that have none."""

_SENTINEL = "unity-snippet-text-{}"


@dataclass(frozen=True, slots=True)
class ServerDiagnostic:
    """An error as a server told it: zero-based line, character in UTF-16 code units."""

    line: int
    character: int
    id: str
    message: str


@dataclass(frozen=True, slots=True)
class NotChecked:
    """Something that the server says it did not look at."""

    reason: str
    message: str
    detail: str = ""
    """What of several it is, in a few words."""


@dataclass(frozen=True, slots=True)
class Coverage:
    """What a server says its diagnostics of a document stand for."""

    language_version: str
    symbol_sets: int
    covers: tuple[str, ...]
    not_checked: tuple[NotChecked, ...]
    compiler: str


@dataclass(frozen=True, slots=True)
class Report:
    """Everything that a server has against one text.

    ``semantics`` tells whether semantic diagnostics were asked for and answered; ``coverage``
    is there where the server can tell it. ``elsewhere`` are the errors that the text brings to
    other documents, by their URIs.
    """

    errors: tuple[ServerDiagnostic, ...]
    elsewhere: tuple[tuple[str, ServerDiagnostic], ...] = ()
    semantics: bool = False
    semantics_late: bool = False
    coverage: Coverage | None = None


class SemanticsLate(Exception):  # noqa: N818 - what happened
    """What names mean was asked for, must be known, and was not answered in time."""


async def report_of(
    connection: Connection,
    uri: str,
    texts: list[str],
    names_by: float,
    *,
    insists: bool = False,
) -> list[Report]:
    """What the server has against each of ``texts`` as the text of the document ``uri``.

    The first text is what is on disk. A later one is asked about first, since without errors in
    it those of the first are of no interest: its report is then empty. Where what names mean came
    for one of two texts only, it counts for neither. Whatever happens, the document is closed
    again. What names mean is waited for until ``names_by``, a time of the event loop. Raises
    ``ServerLost``, ``RequestRefused``, ``TimeoutError``, and for who ``insists`` on names
    ``SemanticsLate``.
    """
    async with connection.turn:
        overlay = _Overlay(connection, uri, names_by, insists=insists)
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
    """An open document whose text is not that on disk."""

    def __init__(self, connection: Connection, uri: str, names_by: float, *, insists: bool) -> None:
        self._connection = connection
        self._announcements = connection.announcements
        self._spec = connection.spec
        self._uri = uri
        self._insists = insists
        self.names_by = names_by
        """Until then what names mean is waited for."""
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
        """Show ``text`` and wait for what the server has against it."""
        if self._spec.versionless_push:
            return await self._report_by_sentinel(text)
        version = self.show(text)
        if not self._announcements.identifiers:
            # A server that registers late does so instead of pushing.
            pushed = await self._pushed(version)
            if pushed is not None:
                return Report(_errors(pushed))
        return await self._pulled()

    # -- push ------------------------------------------------------------------------------

    async def _pushed(self, version: int) -> Iterable[types.Diagnostic] | None:
        """What is pushed for just that version; ``None`` once there is something to pull."""
        while True:
            changed = self._announcements.changed
            params = self._announcements.pushed(self._uri, version)
            if params is not None:
                return params.diagnostics
            if self._announcements.identifiers:
                return None
            await self._connection.until(changed)

    async def _report_by_sentinel(self, text: str) -> Report:
        """Mark the text by an ``#error`` of its own, and wait for what comes with that one."""
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
        """Ask under every identifier at once; those for syntax are sent first."""
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
        """What names mean; ``None`` where that takes too long."""
        try:
            async with asyncio.timeout_at(self.names_by):
                return [await self._pull(identifier) for identifier in identifiers]
        except TimeoutError:
            if self._insists:
                raise SemanticsLate from None
            return None

    async def _pull(self, identifier: str | None) -> _Pulled:
        document = types.TextDocumentIdentifier(self._uri)
        report = await self._connection.request(
            types.TEXT_DOCUMENT_DIAGNOSTIC,
            types.DocumentDiagnosticParams(document, identifier=identifier),
        )
        if not isinstance(report, types.RelatedFullDocumentDiagnosticReport):
            # "Unchanged" is no answer either: nothing was said to be known.
            self._connection.fail("answered textDocument/diagnostic without a report")
            raise ServerLost(self._connection.ended.result())
        return report


_Pulled = types.RelatedFullDocumentDiagnosticReport


def _elsewhere(report: _Pulled) -> Iterator[tuple[str, ServerDiagnostic]]:
    """The errors in other documents that came with the report."""
    for uri, related in (report.related_documents or {}).items():
        if isinstance(related, types.FullDocumentDiagnosticReport):
            yield from ((canonical(uri), each) for each in _errors(related.items))


def _errors(diagnostics: Iterable[types.Diagnostic]) -> tuple[ServerDiagnostic, ...]:
    """The errors among them; a diagnostic that doesn't say how severe it is counts as one."""
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


def read_coverage(connection: Connection, answer: Any) -> Coverage:
    """What a server says that it covered. Raises ``ServerLost`` if it says nothing of the kind."""
    try:
        covers = tuple(map(str, answer.covers))
        if not covers or not set(covers) <= {"brackets", "syntax", "semantics"}:
            raise ValueError(covers)
        return Coverage(
            language_version=str(answer.languageVersion),
            symbol_sets=max(1, len(list(answer.symbolSets))),
            covers=covers,
            not_checked=tuple(
                NotChecked(str(each.reason), str(each.message), str(getattr(each, "detail", "")))
                for each in answer.notChecked
            ),
            compiler=str(answer.compiler),
        )
    except (AttributeError, TypeError, ValueError) as error:
        connection.fail(f"answered {connection.spec.text_request} with no coverage")
        raise ServerLost(connection.ended.result()) from error


__all__ = [
    "Coverage",
    "NotChecked",
    "Report",
    "RequestRefused",
    "SemanticsLate",
    "ServerDiagnostic",
    "read_coverage",
    "report_of",
]
