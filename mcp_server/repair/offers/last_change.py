"""Offer the undo of a script's last change for an undo with only a path.

Implements docs/design/server-and-bridge.md §2 "Repair". Pure: the caller asks the history with
:func:`question`, and passes the outcome on.
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
    """Return the call of ``get_history`` for a refused undo; ``None`` for any other call."""
    sent = refusal.sent
    if refusal.offers or not isinstance(sent, Mapping):
        return None
    if sent.keys() - _OF_ANY_CALL != {"path"}:
        return None
    return {"path": sent["path"], "limit": 1}


def with_last_change(refusal: Refusal, outcome: Outcome) -> Refusal:
    """Offer the undo of the newest change in ``outcome``, if it works now.

    Offer none if an unfinished change waits, which may be newer.
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
    """Describe the change: when, by whom, how many files, and its first line."""
    files = change["files"]
    by = f" by {shortened(change['client'], _LONGEST_LINE)}" if "client" in change else ""
    others = f", with all {len(files)} files of it" if len(files) > 1 else ""
    first = files[0]
    # A move alone changes no line.
    moved = f"moved to {first['movedTo']}" if "movedTo" in first else first.get("status", "")
    line = shortened(first["firstLine"].partition("\n")[0] or moved, _LONGEST_LINE)
    return f"undo its last change, made {change['time']}{by}{others}: {line}"
