"""``read_console`` over the Pipeline: both generations of the command.

Implements docs/design/pipeline.md §7. Which entries are wanted is decided here: what ``level``
lets through differs between versions.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from unity_bridge.link import Answer, Completed, Malformed, NotSent, Rejected
from unity_bridge.pipeline.conversations.conversation import Conversation, execute, no_result
from unity_bridge.pipeline.envelopes import Result, field_of
from unity_bridge.pipeline.vocabulary import Operation, Vocabulary

MOST_ENTRIES = 2_000
"""How many entries are asked for when some of them won't be wanted."""

_CURSOR = re.compile(r"(?P<session>.*)\|(?P<seq>\d{1,19})")
_TYPES = {
    "log": "log",
    "info": "log",
    "warn": "warning",
    "warning": "warning",
    "error": "error",
    "assert": "assert",
    "exception": "exception",
}


def read_console(
    params: Mapping[str, Any],
    vocabulary: Vocabulary,
    wanted: Callable[[Mapping[str, Any]], bool],
) -> Conversation:
    """The newest entries that are ``wanted``, oldest first."""
    most = params["max_entries"]
    narrowed = any(key in params for key in ("types", "contains", "since"))
    # One more than wanted tells whether there are more.
    tail = MOST_ENTRIES + 1 if narrowed else most + 1
    if vocabulary.has(Operation.CONSOLE):
        return (yield from _console(params, most, tail, wanted))
    if not vocabulary.has(Operation.CONSOLE_LOGS):
        return NotSent("ERR_UNKNOWN_COMMAND", "this Editor's Pipeline package reads no console")
    if "since" in params:
        return Rejected(
            "ERR_INVALID_PARAMS",
            "This Editor's Pipeline package has no cursors: leave since out, or update the package "
            "to 0.5 or newer.",
        )
    reply = yield from execute(Operation.CONSOLE_LOGS, limit=tail)
    if not isinstance(reply, Result):
        return no_result(reply)
    logs = field_of(reply.value, "logs")
    if not isinstance(logs, list):
        return Malformed("an object with logs", type(reply.value).__name__)
    return _page(logs, most, wanted, more=len(logs) >= tail)


def _console(
    params: Mapping[str, Any],
    most: int,
    tail: int,
    wanted: Callable[[Mapping[str, Any]], bool],
) -> Conversation:
    since = {}
    if "since" in params:
        cursor = _CURSOR.fullmatch(params["since"])
        if cursor is None:
            message = "since is a next_cursor of an earlier read_console."
            return Rejected("ERR_INVALID_PARAMS", message)
        since = {"since": int(cursor["seq"]), "since_session": cursor["session"]}
    reply = yield from execute(Operation.CONSOLE, tail=tail, **since)
    if not isinstance(reply, Result):
        return no_result(reply)
    entries = field_of(reply.value, "entries")
    if not isinstance(entries, list):
        return Malformed("an object with entries", type(reply.value).__name__)
    dropped = field_of(reply.value, "dropped")
    page = _page(
        entries,
        most,
        wanted,
        more=len(entries) >= tail or bool(isinstance(dropped, int) and dropped > 0),
    )
    cursor_seq, session = field_of(reply.value, "cursor"), field_of(reply.value, "session")
    if isinstance(cursor_seq, int) and isinstance(page, Completed):
        named = session if isinstance(session, str) else ""
        return Completed({**page.body, "next_cursor": f"{named}|{cursor_seq}"})
    return page


def _page(
    entries: list[Any], most: int, wanted: Callable[[Mapping[str, Any]], bool], *, more: bool
) -> Answer:
    read = [_entry(each) for each in entries]
    if None in read:
        return Malformed("console entries with level and message", "an entry without")
    kept = [each for each in read if each is not None and wanted(each)]
    page = kept[-most:]
    return Completed(
        {"entries": page, "count": len(page), "truncated": more or len(kept) > len(page)}
    )


def _entry(told: Any) -> dict[str, Any] | None:
    message = field_of(told, "message")
    word = field_of(told, "logType") or field_of(told, "level") or field_of(told, "type")
    kind = _TYPES.get(word.lower()) if isinstance(word, str) else None
    if not isinstance(message, str) or kind is None:
        return None
    trace = field_of(told, "stackTrace")
    entry = {"type": kind, "message": message, "stack_trace": trace or ""}
    stamp = field_of(told, "timestampUtc") or field_of(told, "timestamp")
    if isinstance(stamp, str):
        entry["timestamp"] = stamp
    seq = field_of(told, "seq")
    if isinstance(seq, int):
        entry["id"] = seq
    return entry
