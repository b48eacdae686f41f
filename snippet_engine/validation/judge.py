"""Decide whose verdict counts: the embedded validator's, or a language server's.

Implements docs/design/engine.md §4, docs/design/roslyn.md §1 and §2, docs/design/change-sets.md §2.
The embedded validator always runs: it takes milliseconds. If there is a server, its verdict
decides: an edit that only the embedded validator refuses is not refused. There is one limit. A
server may not know the project's language version, or judge only one symbol set of several. In
cases that it hasn't checked, an embedded refusal stays. A server judges the files of a change set
together, and also reports new errors in unchanged files.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf
from operator import attrgetter
from time import monotonic
from typing import Final, Protocol

from snippet_engine import budget
from snippet_engine.csharp.document import Document
from snippet_engine.edits import EditSet, TextEdit
from snippet_engine.errors import ErrorCode, SnippetError
from snippet_engine.source_text import SourceText, decode
from snippet_engine.validation.code_fixes import CodeFix, CodeFixer
from snippet_engine.validation.validator import (
    MOST_DIAGNOSTICS,
    NOT_PARSED,
    NOT_PARSED_IN_SET,
    ChangesVerdict,
    Diagnostic,
    Validator,
    Verdict,
)

_LSP = "lsp"


@dataclass(frozen=True, slots=True)
class Judgement:
    """The verdict on a set, which is valid without ``refused`` and ``elsewhere``."""

    verdict: Verdict
    refused: Mapping[int, Verdict]
    """The verdict on each file that has errors itself, by the file's index."""
    elsewhere: tuple[Diagnostic, ...] = ()
    """Errors that the server found anywhere in the project, with their paths."""


class _RequestJudge:
    """The validators of one request, and their common deadline."""

    def __init__(
        self,
        embedded: Validator,
        server: ServerValidator | None,
        mode: str,
        timeout_ms: int | None = None,
    ) -> None:
        """``mode`` is the request's ``validation``; ``timeout_ms`` is the call's, if it has one."""
        self._embedded = embedded
        self._server = server
        self._mode = mode
        self._deadline = Deadline(timeout_ms)

    def code_fixes(self, path: str, texts: Mapping[str, str | None]) -> tuple[CodeFix, ...]:
        """Return fixes for errors of the file at ``path``, alone or in a set with these texts."""
        server: object = self._server
        if self._mode == "embedded" or not isinstance(server, CodeFixer):
            return ()
        return server.code_fixes(path, texts, within_s=self._deadline.left_s())


class ChangesJudge(_RequestJudge):
    """Gives the verdict of one change set. Implements ``Validator`` for single files of it."""

    def validate(
        self, path: str, before: Document, after: Document, edits: EditSet
    ) -> Verdict | SnippetError:
        """Return the embedded verdict on an edited file."""
        return self._embedded.validate(path, before, after, edits)

    def diagnose(self, path: str, document: Document) -> Verdict | SnippetError:
        """Return the embedded verdict on a new file."""
        return WholeFile(self._embedded).diagnose(path, document)

    def judge_together(
        self, verdicts: Mapping[int, Verdict], texts: Mapping[str, str | None]
    ) -> Judgement | SnippetError:
        """Return the verdict on a set, from ``verdicts`` by file or a server on all of ``texts``.

        ``texts`` is the future content of each path, ``None`` for no file. Error:
        ``validator_unavailable`` if the request insists on a server's verdict.
        """
        refused = {index: each for index, each in verdicts.items() if each.diagnostics}
        joined = _joined(list(verdicts.values()))
        # If no file changes, there is nothing to ask a server.
        if not texts or self._mode == "embedded" or (self._server is None and self._mode != _LSP):
            return Judgement(joined, refused)
        if self._server is None:
            return no_server()
        found = self._server.judge_changes(
            texts, within_s=self._deadline.left_s(), patient=self._mode == _LSP
        )
        if isinstance(found, SnippetError):
            if self._mode == _LSP:
                return found
            return Judgement(fallback_verdict(joined, found), refused)
        decides = "syntax" in found.coverage
        alone = decides or not verdicts
        verdict = replace(
            joined,
            validator=found.validator if alone else f"{found.validator}, {joined.validator}",
            coverage=found.coverage,
            duration_ms=joined.duration_ms + found.duration_ms,
            not_checked=found.not_checked,
            is_partial=found.is_partial,
        )
        return Judgement(verdict, {} if decides else refused, found.errors)


def _joined(verdicts: Sequence[Verdict]) -> Verdict:
    """Combine verdicts into one without diagnostics, which covers only the checks common to all."""
    if not verdicts:
        return Verdict("none", (), "", 1, 0.0, not_checked=("semantics",))
    if len(verdicts) == 1:
        (only,) = verdicts
        return replace(only, diagnostics=()) if only.diagnostics else only
    notes = dict.fromkeys(note for each in verdicts for note in each.not_checked)
    notes = {NOT_PARSED_IN_SET if note == NOT_PARSED else note: None for note in notes}
    coverage = [part for part in verdicts[0].coverage if all(part in v.coverage for v in verdicts)]
    return Verdict(
        validator=", ".join(dict.fromkeys(each.validator for each in verdicts)),
        coverage=tuple(coverage),
        language_version=", ".join(dict.fromkeys(each.language_version for each in verdicts)),
        symbol_sets=max(each.symbol_sets for each in verdicts),
        duration_ms=sum(each.duration_ms for each in verdicts),
        preexisting_errors=sum(each.preexisting_errors for each in verdicts),
        not_checked=tuple(notes),
    )


VERDICT_S = 4.5
"""Limit for all verdicts of a request without ``timeout_ms``, in seconds.

The rest of the five seconds is for transport.
"""

_SHARE_OF_TIMEOUT = 0.8
_LATE_S = 0.5
"""Part of a call's time that is kept free, in seconds.

If a server answers late on a busy machine, the embedded verdict is still in time.
"""

_NEWER_SYNTAX = "CS8773"


class ServerValidator(Protocol):
    """A validator in another process: it may be slow, and it may be gone."""

    def start(self) -> None:
        """Start the server in the background, if it isn't started. Returns at once."""

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
        """Do the same as :meth:`Validator.validate`, within ``within_s`` seconds.

        If not ``patient``, it doesn't wait for a slow start. If there is no server at all, the
        error's ``details`` say ``"found": false``.
        """

    def diagnose(
        self, path: str, document: Document, *, within_s: float, patient: bool
    ) -> Verdict | SnippetError:
        """Do the same as :meth:`Validator.diagnose`, within ``within_s`` seconds."""

    def judge_changes(
        self, changes: Mapping[str, str | None], *, within_s: float, patient: bool
    ) -> ChangesVerdict | SnippetError:
        """Return the new errors, in any file, once each path of ``changes`` has its text.

        ``None`` deletes a file. Otherwise like :meth:`validate`.
        """

    def saved(self, path: str, text: str) -> None:
        """Note that the file has this text from now on. Returns at once."""


class Deadline:
    """The deadline for all verdicts of one request."""

    def __init__(self, timeout_ms: int | None) -> None:
        """``timeout_ms`` is the call's, if it has one. Without a budget, time counts from now."""
        within_s = VERDICT_S if timeout_ms is None else inf
        left_s = budget.waited_for_s()
        if left_s is None and timeout_ms is not None:
            left_s = timeout_ms / 1000
        if left_s is not None:
            in_time_s = min(left_s * _SHARE_OF_TIMEOUT, max(left_s - _LATE_S, left_s / 2))
            within_s = min(within_s, in_time_s)
        self._at = monotonic() + within_s

    def left_s(self) -> float:
        """Return the seconds that are left."""
        return max(0.0, self._at - monotonic())


class Judge(_RequestJudge):
    """Gives the verdicts of one request, within one bound. Implements ``Validator``."""

    def validate(
        self, path: str, before: Document, after: Document, edits: EditSet
    ) -> Verdict | SnippetError:
        """Return the new errors of ``after``."""
        first = self._embedded.validate(path, before, after, edits)
        if self._mode == "embedded":
            return first
        if self._server is None:
            return no_server() if self._mode == "lsp" else first
        second = self._server.validate(
            path,
            before,
            after,
            edits,
            within_s=self._deadline.left_s(),
            patient=self._mode == "lsp",
        )
        return self._decided(first, second, after)

    def diagnose(self, path: str, document: Document) -> Verdict | SnippetError:
        """Return all errors of ``document``."""
        first = self._embedded.diagnose(path, document)
        if self._server is None or self._mode == "embedded":
            return first
        second = self._server.diagnose(
            path, document, within_s=self._deadline.left_s(), patient=False
        )
        return self._decided(first, second, document)

    def _decided(
        self,
        embedded: Verdict | SnippetError,
        server: Verdict | SnippetError,
        document: Document,
    ) -> Verdict | SnippetError:
        if isinstance(server, SnippetError):
            if self._mode == "lsp" or isinstance(embedded, SnippetError):
                return server
            return fallback_verdict(embedded, server)
        if server.knows_project or isinstance(embedded, SnippetError):
            return server
        standing = _beyond(server, embedded.diagnostics, document)
        if not standing:
            return server
        own = [each for each in server.diagnostics if not each.path]
        others = [each for each in server.diagnostics if each.path]
        both = (*sorted((*own, *standing), key=lambda each: each.offset), *others)
        name = f"{server.validator}, {embedded.validator}"
        return replace(server, validator=name, diagnostics=both)


NO_SERVER: Final = "language server: "
"""The beginning of a note that says why a verdict isn't a language server's."""


def fallback_verdict(embedded: Verdict, error: SnippetError) -> Verdict:
    """Return the embedded verdict in place of a server's, which failed with ``error``.

    It says why, unless there is no such server.
    """
    if error.details.get("found") is False:
        return embedded
    note = f"{NO_SERVER}{error.details.get('reason', error.message)}"
    return replace(embedded, not_checked=(*embedded.not_checked, note), is_partial=True)


def _beyond(
    server: Verdict, refusals: tuple[Diagnostic, ...], document: Document
) -> list[Diagnostic]:
    """Return the embedded refusals that the server has not checked or not reported."""
    reported = {each.offset for each in server.diagnostics if not each.path}
    one_set_of_many = len(document.symbol_sets) > 1
    return [
        each
        for each in refusals
        if (one_set_of_many or each.id == _NEWER_SYNTAX) and each.offset not in reported
    ]


def no_server() -> SnippetError:
    """Return ``validator_unavailable`` if there is no language server at all."""
    return SnippetError(
        ErrorCode.VALIDATOR_UNAVAILABLE,
        'No C# language server is available. Send "validation": "auto" or "embedded".',
        details={"found": False},
    )


class WholeFile:
    """A validator whose :meth:`diagnose` finds everything that its ``validate`` would refuse."""

    def __init__(self, validator: Validator) -> None:
        self._validator = validator

    def validate(
        self, path: str, before: Document, after: Document, edits: EditSet
    ) -> Verdict | SnippetError:
        """Return the validator's verdict."""
        return self._validator.validate(path, before, after, edits)

    def diagnose(self, path: str, document: Document) -> Verdict | SnippetError:
        """Return all errors of ``document``: by ``diagnose``, and as an edit of an empty file.

        Errors of the second kind count only on lines without an error of the first.
        """
        standing = self._validator.diagnose(path, document)
        if isinstance(standing, SnippetError) or not document.source.view:
            return standing
        empty = decode(b"")
        assert isinstance(empty, SourceText)
        edits = EditSet((TextEdit(0, 0, document.source.view),))
        written = self._validator.validate(path, document.alike(empty), document, edits)
        if isinstance(written, SnippetError):
            return standing
        reported = {each.position.line for each in standing.diagnostics}
        more = [each for each in written.diagnostics if each.position.line not in reported]
        found = sorted((*standing.diagnostics, *more), key=attrgetter("offset"))[:MOST_DIAGNOSTICS]
        return replace(
            written,
            duration_ms=standing.duration_ms + written.duration_ms,
            symbol_sets=max(standing.symbol_sets, written.symbol_sets),
            diagnostics=tuple(found),
            not_checked=tuple(dict.fromkeys((*written.not_checked, *standing.not_checked))),
        )
