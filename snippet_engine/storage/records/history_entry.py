"""The file name of a history entry, which has everything needed to find it.

Part of docs/design/engine.md §5.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

_LAST_SEQUENCE = 10**20 - 1  # the largest that fits a name
_NAME = re.compile(
    r"(\d{20})-(?:([0-9a-f]{32})-([0-9a-f]{64})-(\d{1,12})-([0-9a-f]{16})"
    r"|(\d{1,12})-([0-9a-f]{16})\.(?:set|([0-9a-f]{1,128})\.back|(\d{1,5})\.meta))(\.out)?"
)


@dataclass(frozen=True, slots=True)
class HistoryEntry:
    """One entry, as its file name describes it."""

    sequence: int
    """The time in nanoseconds, increased if the clock did not advance."""
    path_key: str
    """Empty for a change set."""
    after: str
    """The hash after the write; empty for a change set."""
    size: int
    """In bytes."""
    ticket: str
    left_alone: int = 0
    """Files of a rolled-back set that others had changed, as bits."""
    meta: int | None = None
    """The number of a removed ``.meta``."""
    is_outside: bool = False
    """Whether this product didn't make the change."""

    @property
    def is_rolled_back(self) -> bool:
        """Return whether its change set was rolled back, and so can't be undone."""
        return self.left_alone != 0

    @property
    def is_change(self) -> bool:
        """Return whether it belongs to a change set, not to one write of one file."""
        return not self.path_key

    @property
    def time_s(self) -> float:
        """Return roughly when the entry was added, as of ``time.time``; the record is exact."""
        return self.sequence / 1e9

    @property
    def place(self) -> str:
        """Return the path of the entry's file as a unique pattern, short enough for a message."""
        return f"Library/SnippetEngine/history/*-{self.ticket}{self._ending}"

    @property
    def _ending(self) -> str:
        if self.meta is not None:
            return f".{self.meta}.meta"
        if self.is_rolled_back:
            return f".{self.left_alone:x}.back"
        return (".set" if self.is_change else "") + (".out" if self.is_outside else "")

    @property
    def name(self) -> str:
        """The entry's file name."""
        if self.is_change:
            return f"{self.sequence:020d}-{self.size}-{self.ticket}{self._ending}"
        digest = self.after.removeprefix("sha256:")
        key = f"{self.path_key}-{digest}-{self.size}-{self.ticket}"
        return f"{self.sequence:020d}-{key}{self._ending}"


@lru_cache(maxsize=1024)  # The same few hundred names come with every write.
def parse_entry(name: str) -> HistoryEntry | None:
    """Return the entry with that file name; ``None`` if the file isn't ours."""
    match = _NAME.fullmatch(name)
    if match is None:
        return None
    sequence, key, digest, size, ticket, set_size, set_ticket, left, meta, out = match.groups()
    is_out = out is not None
    if set_ticket is not None:
        left_alone, number = int(left or "0", 16), None if meta is None else int(meta)
        found = int(sequence), "", "", int(set_size), set_ticket, left_alone, number
        return HistoryEntry(*found, is_outside=is_out)
    found_size = int(size)
    return HistoryEntry(
        int(sequence), key, f"sha256:{digest}", found_size, ticket, is_outside=is_out
    )


def next_sequence(entries: Iterable[HistoryEntry]) -> int:
    """Return a sequence after those of all ``entries``, whatever the clock says."""
    # A forged name may have the largest possible number.
    before = [entry.sequence for entry in entries if entry.sequence < _LAST_SEQUENCE]
    return max(time.time_ns(), max(before, default=0) + 1)
