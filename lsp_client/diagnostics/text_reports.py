"""Ask a server for its report on texts, within a time limit."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

from lsp_client.diagnostics.document_diagnostics import report_of
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
    answer = await connection.request(method, params)
    try:
        errors = tuple(dict.fromkeys(map(_error, answer["errors"])))
        elsewhere = tuple(
            dict.fromkeys((canonical(each["uri"]), _error(each)) for each in answer["elsewhere"])
        )
        is_late = bool(answer["namesLate"])
        covered = _object(answer["coverage"])
    except (AttributeError, KeyError, TypeError, ValueError):
        connection.fail(f"answered {method} without a verdict")
        raise ServerLost(connection.ended.result()) from None
    coverage = read_coverage(connection, covered)
    if is_late and requires_names:
        raise SemanticsLate
    return Report(
        errors, elsewhere, semantics=not is_late, semantics_late=is_late, coverage=coverage
    )


def _error(answer: Mapping[str, Any]) -> ServerDiagnostic:
    return ServerDiagnostic(
        int(answer["line"]), int(answer["character"]), str(answer["code"]), str(answer["message"])
    )


def _object(answer: Any) -> Any:
    """Convert JSON to objects with attributes, as pygls's answers are."""
    if isinstance(answer, list):
        return [_object(each) for each in answer]
    if isinstance(answer, dict):
        return SimpleNamespace(**{name: _object(each) for name, each in answer.items()})
    return answer


_SHARE_OF_SEMANTICS = 0.9
_SHARE_OF_QUIET = 0.125
"""How soon a server at its first report is asked whether it lives; it may still be loading."""


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
        # Who doesn't insist has a verdict on the syntax where names come late, which takes time.
        share = within_s * timing.semantics_s / timing.verdict_s
        names_s = min(names_s, max(share, within_s - (timing.verdict_s - timing.semantics_s)))
    job = _reporting(uri, texts, begun + names_s, within_s, requires_names=patient)
    return await supervisor.ask(job, within_s=within_s, patient=patient)


async def first_report(
    supervisor: Supervisor, uri: str, text: str, timing: Timing, within_s: float
) -> tuple[object, str] | Unavailable:
    """Wait for a server's first report, which takes long; end it if it answers nothing else
    meanwhile."""
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
