"""One write for one ``client_request_id``, however often the request is sent.

Part of docs/design/engine.md §5; what is kept of requests is :mod:`.storage.request_log`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from snippet_engine.answer.completed_first import with_unfinished
from snippet_engine.errors import SnippetError
from snippet_engine.storage.request_log import Claim, Replay, RequestLog

Result = dict[str, Any]


def applied_once(
    log: RequestLog,
    request: tuple[str, str],
    write: Callable[[Claim], Result | SnippetError],
    look: Callable[[], object],
    unfinished: Sequence[str],
) -> Result | SnippetError:
    """The result of ``write``, or the first one again, ``"replayed"``.

    ``request`` is its id and its digest. ``look`` writes nothing, and gives the error with which
    ``write`` would be refused. ``unfinished`` is what the result tells of other writes.
    """
    if log.is_unused:  # None can be repeated, and a refusal leaves no folder.
        refused = look()
        if isinstance(refused, SnippetError) and log.is_unused:
            return refused
    claimed = log.begin(*request)
    if isinstance(claimed, SnippetError):
        return claimed
    if isinstance(claimed, Replay):
        return {**claimed.result, "replayed": True}
    with claimed as claim:
        result = write(claim)
        if not isinstance(result, SnippetError):
            claim.finish(result)
        elif result.is_unfinished:
            claim.leave_open()
        # Not kept with the result: by the time that it is sent again, it may have ended.
        return with_unfinished(result, unfinished)
