"""An undo with a path alone: the undo of the script's last change as an offer.

Implements docs/design/server-and-bridge.md §2 "Repair". Only the history knows the last change:
whoever calls this asks with :func:`question`, and hands on the outcome. Pure.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from mcp_server.contract.outcome import Outcome, ToolResult
from mcp_server.repair.offers.refusal import Refusal
from snippet_engine.errors import Offer, shortened

_LONGEST_LINE = 60
_OF_ANY_CALL = frozenset(("client_request_id", "timeout_ms"))


def question(refusal: Refusal) -> dict[str, Any] | None:
    """Return the question for ``get_history`` about a refused undo; ``None`` for any other
    request."""
    sent = refusal.sent
    if refusal.offers or not isinstance(sent, Mapping):
        return None
    if sent.keys() - _OF_ANY_CALL != {"path"}:
        return None
    return {"path": sent["path"], "limit": 1}


def with_last_change(refusal: Refusal, outcome: Outcome) -> Refusal:
    """``refusal`` with the undo of the newest change in ``outcome`` as an offer, if it works now.

    None where something unfinished waits, which may be newer.
    """
    if not isinstance(outcome, ToolResult) or outcome.structured.get("unfinished"):
        return refusal
    newest = next(iter(outcome.structured["changes"]), None)
    if newest is None or not newest["undoable"] or not newest["undo"]:
        return refusal
    assert isinstance(refusal.sent, Mapping), "it was asked about"
    kept = {key: refusal.sent[key] for key in _OF_ANY_CALL & refusal.sent.keys()}
    return replace(refusal, offers=(Offer(_what(newest), {**newest["undo"], **kept}),))


def _what(change: Mapping[str, Any]) -> str:
    """The change in words: when, by whom, how many files with it, and its first line."""
    files = change["files"]
    by = f" by {shortened(change['client'], _LONGEST_LINE)}" if "client" in change else ""
    others = f", with all {len(files)} files of it" if len(files) > 1 else ""
    first = files[0]
    # Who only moves a script changes no line of it.
    moved = f"moved to {first['movedTo']}" if "movedTo" in first else first.get("status", "")
    line = shortened(first["firstLine"].partition("\n")[0] or moved, _LONGEST_LINE)
    return f"undo the last change of it, of {change['time']}{by}{others}: {line}"
