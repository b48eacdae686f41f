"""One write for one ``client_request_id``, no matter how often the request is sent.

Part of docs/design/engine.md §5; :mod:`.request_log` keeps the requests.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from snippet_engine.answer.call_notes import with_unfinished
from snippet_engine.errors import SnippetError
from snippet_engine.request import lines
from snippet_engine.storage.stores.request_log import Claim, Replay, RequestLog

Result = dict[str, Any]

_WAITING = frozenset({"timeout_ms", "wait"})
_PATHS = frozenset({"path", "moveTo"})
_TEXTS = frozenset({"target", "before", "after", "newText"})


def applied_once(
    log: RequestLog,
    request: tuple[str, str],
    write: Callable[[Claim], Result | SnippetError],
    look: Callable[[], object],
    unfinished: Sequence[str],
) -> Result | SnippetError:
    """Return the result of ``write``, or the first result again, marked ``"replayed"``.

    ``request`` has its id and its digest. ``look`` writes nothing, and returns the error with which
    ``write`` would be refused. ``unfinished`` reports other writes. It is never stored with the
    result, because these writes may have ended when the result is sent again.
    """
    if log.is_unused:  # No repetition; a refusal creates no folder.
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
        return with_unfinished(result, unfinished)


def digest_of(tool: str, params: Mapping[str, Any]) -> str:
    r"""Return a digest that is equal for checked parameters with the same meaning.

    These differences don't count: the order of keys, ``timeout_ms``, ``wait``, line endings, ``\\``
    in paths, and default values that are sent.
    """
    counted = {
        key: _normalised(key, value)
        for key, value in params.items()
        if key not in _WAITING and (key, value) != ("validation", "auto")
    }
    text = json.dumps([tool, counted], sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


def _normalised(key: str, value: Any) -> Any:
    if key == "metadata":
        return value
    if isinstance(value, Mapping):
        return {name: _normalised(name, each) for name, each in value.items()}
    if isinstance(value, list):
        return [_normalised("", each) for each in value]
    if isinstance(value, str) and key in _PATHS:
        return value.replace("\\", "/")
    return lines(value) if isinstance(value, str) and key in _TEXTS else value
