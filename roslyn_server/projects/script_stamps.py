"""Which scripts may have another text than when they were last looked at, as their folder says.

Part of docs/design/roslyn.md §3 "The whole project". Tools set a file's time, but not that of its
last change (``st_ctime``): where a file system has it, finely enough, it proves that nothing was
written. Of all other files the text itself decides, each time.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from time import time_ns

_UNSETTLED_NS = 2_000_000_000
"""What changed so shortly before it was looked at may change again without a newer time."""

_SECOND_NS = 1_000_000_000

_ARE_TIMES_OF_CHANGES = os.name == "posix"
"""Windows tells here when a file was made."""

_Seen = tuple[int, int, int, int, int]


class ScriptStamps:
    """What was seen of files, and when. ``now_ns`` is the clock, for tests.

    ``is_time_enough`` is for libraries, which take too long to read for each question.
    """

    def __init__(
        self, now_ns: Callable[[], int] = time_ns, *, is_time_enough: bool = False
    ) -> None:
        self._now_ns = now_ns
        self._is_time_enough = is_time_enough
        self._seen: dict[str, _Seen | None] = {}

    def doubtful(self, paths: Iterable[str]) -> list[str]:
        """Those of ``paths`` that may have changed since they were last asked about; at first all.

        Of the others nothing is known any more.
        """
        seen, found = {}, []
        now_ns = self._now_ns()
        for path in paths:
            stamp = seen[path] = _seen(path, None if self._is_time_enough else now_ns)
            if stamp is None or self._seen.get(path) != stamp:
                found.append(path)
        self._seen = seen
        return found


def _seen(path: str, now_ns: int | None) -> _Seen | None:
    """What tells that a file is as it was, with the time now: what proves it. ``None`` if nothing
    does, or there is none."""
    try:
        status = os.stat(path)  # noqa: PTH116 - of each script, at each question
    except OSError:
        return None
    changed_ns = status.st_ctime_ns
    if now_ns is not None:
        is_fine = bool(changed_ns % _SECOND_NS) and bool(status.st_ino)
        if not is_fine or not _ARE_TIMES_OF_CHANGES or now_ns - changed_ns < _UNSETTLED_NS:
            return None
    return changed_ns, status.st_mtime_ns, status.st_size, status.st_ino, status.st_dev
