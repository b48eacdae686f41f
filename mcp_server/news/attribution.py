"""Find which of several edits led to an error. Pure: the caller is asked for the errors since an
edit."""

from __future__ import annotations

from collections.abc import Collection, Generator, Sequence

from mcp_server.news.applied_edits import AppliedEdit, common_origin
from mcp_server.news.findings import Key, Origin

MAX_QUESTIONS = 12
"""Most questions for one round; each takes about as long as the round itself."""


def attribute(
    edits: Sequence[AppliedEdit], keys: Collection[Key]
) -> Generator[AppliedEdit, Collection[Key], dict[Key, Origin]]:
    """Return what led to each of ``keys``, errors that came with one of ``edits``.

    Yields an edit, and expects to be sent the errors that came with it or later. An error is
    attributed to the last edit since which it is new.
    """
    origins: dict[Key, Origin] = {}
    ranges = [(0, len(edits), set(keys))] if edits else []
    asked = 0
    while ranges:
        start, end, unknown = ranges.pop()
        if not unknown:
            continue
        if end - start == 1 or asked == MAX_QUESTIONS:
            some = edits[start:end]
            origin = common_origin(some, f"one of {len(some)} edits", is_one_of_several=True)
            origins.update(dict.fromkeys(unknown, origin))
            continue
        middle = (start + end) // 2
        later = unknown & set((yield edits[middle]))
        asked += 1
        ranges += [(start, middle, unknown - later), (middle, end, later)]
    return origins
