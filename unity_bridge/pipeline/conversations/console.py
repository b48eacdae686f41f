"""``read_console`` over the Pipeline: both generations of the command.

Implements docs/design/pipeline.md §7. Entries are filtered here, because ``level``
differs between versions.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from unity_bridge.link import Answer, Completed, Malformed, NotSent, Rejected
from unity_bridge.pipeline.conversations.conversation import Editor
from unity_bridge.pipeline.replies import Result, field_of
from unity_bridge.pipeline.vocabulary import Operation, Vocabulary

MOST_ENTRIES = 2_000
"""How many entries are asked for when some will be filtered out."""

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

Wanted: TypeAlias = Callable[[Mapping[str, Any]], bool]


async def read_console(
    editor: Editor, params: Mapping[str, Any], vocabulary: Vocabulary, wanted: Wanted
) -> Answer:
    """Return the newest entries that are ``wanted``, oldest first."""
    most = params["max_entries"]
    filtered = any(key in params for key in ("types", "contains", "since"))
    # One extra entry shows whether there are more.
    tail = MOST_ENTRIES + 1 if filtered else most + 1
    if vocabulary.has(Operation.CONSOLE):
        return await _console(editor, params, tail, wanted)
    if not vocabulary.has(Operation.CONSOLE_LOGS):
        return NotSent(
            "ERR_UNKNOWN_COMMAND", "this Editor's Pipeline package can't read the console"
        )
    if "since" in params:
        return Rejected(
            "ERR_INVALID_PARAMS",
            "This Editor's Pipeline package has no cursors: omit since, or update the package to "
            "0.5 or newer.",
        )
    reply = await editor.exec(Operation.CONSOLE_LOGS, limit=tail)
    if not isinstance(reply, Result):
        return reply
    logs = field_of(reply.value, "logs")
    if not isinstance(logs, list):
        return Malformed("an object with logs", type(reply.value).__name__)
    return _page(logs, most, wanted, more=len(logs) >= tail)


async def _console(editor: Editor, params: Mapping[str, Any], tail: int, wanted: Wanted) -> Answer:
    since = {}
    if "since" in params:
        cursor = _CURSOR.fullmatch(params["since"])
        if cursor is None:
            message = "since must be a next_cursor from an earlier read_console."
            return Rejected("ERR_INVALID_PARAMS", message)
        since = {"since": int(cursor["seq"]), "since_session": cursor["session"]}
    reply = await editor.exec(Operation.CONSOLE, tail=tail, **since)
    if not isinstance(reply, Result):
        return reply
    entries = field_of(reply.value, "entries")
    if not isinstance(entries, list):
        return Malformed("an object with entries", type(reply.value).__name__)
    dropped = field_of(reply.value, "dropped")
    more = len(entries) >= tail or (isinstance(dropped, int) and dropped > 0)
    page = _page(entries, params["max_entries"], wanted, more=more)
    seq, session = field_of(reply.value, "cursor"), field_of(reply.value, "session")
    if isinstance(seq, int) and isinstance(page, Completed):
        named = session if isinstance(session, str) else ""
        return Completed({**page.body, "next_cursor": f"{named}|{seq}"})
    return page


def _page(entries: list[Any], most: int, wanted: Wanted, *, more: bool) -> Answer:
    read = [_entry(each) for each in entries]
    if None in read:
        return Malformed("console entries with level and message", "an entry without")
    kept = [each for each in read if each is not None and wanted(each)]
    page = kept[-most:]
    return Completed(
        {"entries": page, "count": len(page), "truncated": more or len(kept) > len(page)}
    )


def _entry(found: Any) -> dict[str, Any] | None:
    message = field_of(found, "message")
    word = field_of(found, "logType") or field_of(found, "level") or field_of(found, "type")
    kind = _TYPES.get(word.lower()) if isinstance(word, str) else None
    if not isinstance(message, str) or kind is None:
        return None
    trace = field_of(found, "stackTrace")
    entry = {"type": kind, "message": message, "stack_trace": trace or ""}
    stamp = field_of(found, "timestampUtc") or field_of(found, "timestamp")
    if isinstance(stamp, str):
        entry["timestamp"] = stamp
    seq = field_of(found, "seq")
    if isinstance(seq, int):
        entry["id"] = seq
    return entry
