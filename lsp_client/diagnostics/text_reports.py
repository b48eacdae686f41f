"""Has the server that is kept running report on texts: within a bound, and the first time.

Implements docs/design/roslyn.md §2.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from lsp_client.diagnostics.document_diagnostics import Report, SemanticsLate, report_of
from lsp_client.diagnostics.judged_texts import reports_of_texts
from lsp_client.protocol.connection import Connection
from lsp_client.running.supervisor import Supervisor, Unavailable
from lsp_client.timing import Timing

_SHARE_OF_SEMANTICS = 0.9
_SHARE_OF_QUIET = 0.125
"""So soon a server that is at its first report is asked whether it lives. It may be slow to answer,
as all of it is still being loaded."""


async def reports(
    supervisor: Supervisor,
    uri: str,
    texts: list[str],
    timing: Timing,
    within_s: float,
    *,
    patient: bool,
) -> tuple[list[Report], str] | Unavailable:
    """What a server says of each text, and its name, in ``within_s`` seconds at most."""
    begun = asyncio.get_running_loop().time()
    names_s = within_s * _SHARE_OF_SEMANTICS
    if not patient:
        # Who doesn't insist has a verdict on the syntax where names come late, which takes time.
        share = within_s * timing.semantics_s / timing.verdict_s
        names_s = min(names_s, max(share, within_s - (timing.verdict_s - timing.semantics_s)))
    job = _reporting(uri, texts, begun + names_s, within_s, insists=patient)
    return await supervisor.ask(job, within_s=within_s, patient=patient)


async def first_report(
    supervisor: Supervisor, uri: str, text: str, timing: Timing, within_s: float
) -> tuple[object, str] | Unavailable:
    """A server's first report, which takes long; but one that answers nothing else is ended."""
    deadline = asyncio.get_running_loop().time() + within_s
    job = _reporting(uri, [text], deadline, within_s, insists=True)
    quiet_s = timing.silent_s * _SHARE_OF_QUIET
    hang_s = timing.silent_s - quiet_s
    return await supervisor.ask_at_length(
        job, deadline, hang_s, "judge a first text", patient=True, quiet_s=quiet_s
    )


def _reporting(
    uri: str, texts: list[str], names_by: float, within_s: float, *, insists: bool
) -> Callable[[Connection], Coroutine[Any, Any, tuple[list[Report], str] | Unavailable]]:
    """Asks a connection for the reports on ``texts``; for who insists, names as well or nothing."""

    async def job(connection: Connection) -> tuple[list[Report], str] | Unavailable:
        try:
            ask = report_of if connection.spec.text_request is None else reports_of_texts
            found = await ask(connection, uri, texts, names_by, insists=insists)
        except SemanticsLate:
            took = within_s * _SHARE_OF_SEMANTICS
            reason = f"{connection.name} did not say what names mean within {took:.1f} s"
            return Unavailable(reason)
        return found, connection.validator_name

    return job
