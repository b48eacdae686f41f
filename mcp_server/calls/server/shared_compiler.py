"""Let ``lint`` and ``apply`` use the compiler of the project's running server.

Implements docs/design/server-and-bridge.md §13 for commands that judge much (``lint``, ``apply``).
Only questions for the compiler go to the server. If the server stops, the command starts its own
compiler and asks again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeVar

from mcp_server.calls.language_server import START_S
from mcp_server.calls.server import verdict_questions
from mcp_server.calls.server.warm_server import ServerGoneError, WarmServer
from snippet_engine.csharp.document import Document
from snippet_engine.edits import EditSet
from snippet_engine.errors import SnippetError
from snippet_engine.validation.validator import ChangesVerdict, Verdict

if TYPE_CHECKING:
    from lsp_client.validator import LanguageServerValidator

T = TypeVar("T")

_SAVED_S = 2.0
"""Limit for reporting a write to the server, in seconds."""


class SharedCompiler:
    """Judges with the compiler of ``server``. If the server has gone, judges with ``own``.

    Threads may share it. ``close`` it.
    """

    def __init__(self, server: WarmServer, own: LanguageServerValidator) -> None:
        """``own`` is started only when it is first asked."""
        self._server: WarmServer | None = server
        self._own = own
        self._changing = Lock()
        self._excused_until = 0.0

    def start(self) -> None:
        """Do nothing: the server's compiler runs already."""

    def wait_until_ready(self, within_s: float) -> None:
        """Wait up to ``within_s`` seconds until the compiler is ready, or can't be."""
        question = verdict_questions.about_readiness(within_s)
        self._send_or_do(question, within_s, partial(self._own.wait_until_ready, within_s))

    def warm_up(self, path: str, text: str, within_s: float) -> None:
        """Wait until the compiler has judged ``text`` as the script at ``path``, or can't.

        The wait takes ``within_s`` seconds at most.
        """
        question = verdict_questions.about_readiness(within_s, path, text)
        self._send_or_do(question, within_s, partial(self._own.warm_up, path, text, within_s))

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
        """Return the new errors of ``after``. Error: ``validator_unavailable``."""
        question = verdict_questions.about_edit(
            path, before, after, edits, within_s=within_s, patient=patient
        )
        own = partial(self._own.validate, path, before, after, edits, patient=patient)
        return self._judged(Verdict, question, within_s, own)

    def diagnose(
        self, path: str, document: Document, *, within_s: float, patient: bool
    ) -> Verdict | SnippetError:
        """Return all errors of ``document``. Error: ``validator_unavailable``."""
        question = verdict_questions.about_script(
            path, document, within_s=within_s, patient=patient
        )
        own = partial(self._own.diagnose, path, document, patient=patient)
        return self._judged(Verdict, question, within_s, own)

    def judge_changes(
        self, changes: Mapping[str, str | None], *, within_s: float, patient: bool
    ) -> ChangesVerdict | SnippetError:
        """Return the new errors that ``changes`` bring. Error: ``validator_unavailable``."""
        question = verdict_questions.about_changes(changes, within_s=within_s, patient=patient)
        own = partial(self._own.judge_changes, changes, patient=patient)
        return self._judged(ChangesVerdict, question, within_s, own)

    def saved(self, path: str, text: str) -> None:
        """Report to the compiler that ``text`` was written to ``path``."""
        question = verdict_questions.about_written(path, text)
        self._send_or_do(question, _SAVED_S, partial(self._own.saved, path, text))

    def close(self) -> None:
        """Close the connection, and end the compiler if it was started here."""
        with self._changing:
            server, self._server = self._server, None
        if server is not None:
            server.close()
        self._own.close()

    def _send_or_do(
        self, question: Mapping[str, Any], within_s: float, do_here: Callable[[], None]
    ) -> None:
        server = self._server
        if server is not None:
            try:
                server.asked(question, within_s)
            except ServerGoneError:
                self._take_over(server)
            else:
                return
        do_here()

    def _judged(
        self,
        kind: type[T],
        question: Mapping[str, Any],
        within_s: float,
        ask_own: Callable[..., T | SnippetError],
    ) -> T | SnippetError:
        server = self._server
        if server is not None:
            try:
                answer = server.asked(question, within_s)
                if isinstance(answer, kind | SnippetError):
                    return answer
            except ServerGoneError:
                pass
            self._take_over(server)
            self._own.wait_until_ready(START_S)
            # The start doesn't count as the request's time.
            self._excused_until = monotonic() + within_s
        return ask_own(within_s=max(within_s, self._excused_until - monotonic()))

    def _take_over(self, server: WarmServer) -> None:
        with self._changing:
            if self._server is server:
                self._server = None
        server.close()
