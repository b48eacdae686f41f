"""What a server has against texts that aren't shown to it as documents: one message for each.

Part of docs/design/roslyn.md §2 "One message". For servers whose table names such a request; the
others are asked by way of documents (:mod:`lsp_client.diagnostics.document_diagnostics`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace
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


async def reports_of_texts(
    connection: Connection,
    uri: str,
    texts: list[str],
    names_by: float,
    *,
    insists: bool = False,
) -> list[Report]:
    """What the server has against each of ``texts`` as the text of the document ``uri``.

    Arguments, result and what is raised are those of ``report_of``.
    """
    loop = asyncio.get_running_loop()

    async def report(text: str) -> Report:
        left_ms = max(1, round((names_by - loop.time()) * 1000))
        return await _report(connection, uri, text, left_ms, insists=insists)

    async with connection.turn:
        if len(texts) == 1:
            return [await report(texts[0])]
        original, edited = texts
        after = await report(edited)
        if not after.errors and not after.elsewhere:
            return [Report(()), after]
        before = await report(original)
        if before.semantics_late and not after.semantics_late:
            without = await _report(connection, uri, edited, 0, insists=False)
            after = replace(without, semantics=False, semantics_late=True)
        return [before, after]


async def _report(
    connection: Connection, uri: str, text: str, names_ms: int, *, insists: bool
) -> Report:
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
    if is_late and insists:
        raise SemanticsLate
    return Report(
        errors, elsewhere, semantics=not is_late, semantics_late=is_late, coverage=coverage
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
