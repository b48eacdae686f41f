"""What a server has against texts that aren't shown to it as documents: one message for each.

Part of docs/design/roslyn.md §2 "One message". For servers whose table names such a request; the
others are asked by way of documents (:mod:`lsp_client.diagnostics.document_diagnostics`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

from lsp_client.diagnostics.document_diagnostics import (
    Report,
    SemanticsLate,
    ServerDiagnostic,
    read_coverage,
)
from lsp_client.protocol.connection import Connection, ServerLost
from lsp_client.protocol.uris import canonical
from lsp_client.timing import Timing


async def reports_of_texts(
    connection: Connection,
    uri: str,
    texts: list[str],
    timing: Timing,
    semantics_by: float | None = None,
) -> list[Report]:
    """What the server has against each of ``texts`` as the text of the document ``uri``.

    Arguments, result and what is raised are those of ``report_of``.
    """
    async with connection.turn:
        if len(texts) == 1:
            return [await _report(connection, uri, texts[0], timing, semantics_by)]
        original, edited = texts
        after = await _report(connection, uri, edited, timing, semantics_by)
        if not after.errors and not after.elsewhere:
            return [Report(()), after]
        return [await _report(connection, uri, original, timing, semantics_by), after]


async def _report(
    connection: Connection, uri: str, text: str, timing: Timing, semantics_by: float | None
) -> Report:
    loop = asyncio.get_running_loop()
    now = loop.time()
    if semantics_by is not None and now >= semantics_by:
        raise SemanticsLate
    is_paused = semantics_by is None and now < connection.semantics_paused_until
    within_s = timing.semantics_s if semantics_by is None else semantics_by - now
    names_ms = 0 if is_paused else max(1, round(within_s * 1000))
    method = connection.spec.text_request
    assert method is not None, "it is asked of such servers only"
    params = {"uri": uri, "text": text, "namesMs": names_ms}
    answer = await connection.request(method, params)
    try:
        errors = tuple(dict.fromkeys(map(_error, answer["errors"])))
        elsewhere = tuple(
            dict.fromkeys((canonical(each["uri"]), _error(each)) for each in answer["elsewhere"])
        )
        is_late = bool(answer["namesLate"])
        told = _object(answer["coverage"])
    except (AttributeError, KeyError, TypeError, ValueError):
        connection.fail(f"answered {method} with no verdict")
        raise ServerLost(connection.ended.result()) from None
    coverage = read_coverage(connection, told)
    if is_late and semantics_by is not None:
        raise SemanticsLate
    if is_late:
        connection.semantics_paused_until = loop.time() + timing.semantics_pause_s
    return Report(
        errors,
        elsewhere,
        semantics=not is_paused and not is_late,
        semantics_late=is_paused or is_late,
        coverage=coverage,
    )


def _error(told: Mapping[str, Any]) -> ServerDiagnostic:
    return ServerDiagnostic(
        int(told["line"]), int(told["character"]), str(told["code"]), str(told["message"])
    )


def _object(told: Any) -> Any:
    """JSON as other answers come: objects with attributes."""
    if isinstance(told, list):
        return [_object(each) for each in told]
    if isinstance(told, dict):
        return SimpleNamespace(**{name: _object(each) for name, each in told.items()})
    return told
