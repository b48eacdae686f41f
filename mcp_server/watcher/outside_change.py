"""Changes of scripts that this product didn't make. Pure values."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from snippet_engine.errors import SnippetError
from snippet_engine.source_text import decode
from snippet_engine.storage.records.history_entry import HistoryEntry
from snippet_engine.storage.stores.outside_changes import Maker


@dataclass(frozen=True, slots=True)
class ChangedBy:
    """Whose hook reports a change: the client, its tool, session and call."""

    client: str
    tool: str
    session: str
    call: str | None = None

    @property
    def maker(self) -> Maker:
        """Return the maker that the history names."""
        return Maker(f"{self.client}/{self.tool}" if self.tool else self.client, self.session)


@dataclass(frozen=True, slots=True)
class OutsideChange:
    """One changed script, at a canonical project-relative ``path``."""

    number: int
    path: str
    maker: Maker
    entry: HistoryEntry
    undo: Mapping[str, str] | None
    """The arguments of ``undo_snippet``; ``None`` if it can't be undone."""
    was_there: bool
    """Whether there was such a script before."""
    before: bytes | None
    """``None`` if there was no such script, or its text isn't known."""
    after: bytes | None
    """``None`` if the script is gone."""


def _is_reformatted(before: bytes | None, after: bytes | None) -> bool:
    """Return whether the line endings changed, or the byte order mark."""
    if before is None or after is None:
        return False
    old, new = decode(before), decode(after)
    if isinstance(old, SnippetError) or isinstance(new, SnippetError):
        return False
    endings, now = old.line_endings.keys(), new.line_endings.keys()
    return bool(endings and now and endings != now) or old.encoding.bom != new.encoding.bom


@dataclass(frozen=True, slots=True)
class OwnWrite:
    """A script that this product wrote, perhaps in another process."""

    path: str
    before: bytes | None
    """Its bytes when it was last looked at; ``None`` for no file."""
    after: bytes | None
    """Its bytes now; ``None`` for no file."""
    is_unknown: bool
    """Whether its earlier content isn't known."""
    since_s: float = 0.0
    """When it was last looked at, as of ``time.time``; the write came later."""


MAX_MANY_BYTES = 32 * 1024 * 1024
"""Most bytes of the texts of many changes at once, before and now."""

ManyText: TypeAlias = tuple[str, bytes | None, bytes | None]
"""A path, and the bytes before and now; ``None``: no file."""


class ManyTexts:
    """Keeps texts as long as there is room."""

    most_bytes = MAX_MANY_BYTES

    def __init__(self) -> None:
        self.kept: list[ManyText] = []
        self.reformatted = 0
        """In how many the line endings changed, or the byte order mark."""
        self._bytes = 0

    def add(self, path: str, before: bytes | None, now: bytes | None) -> None:
        """Keep the texts of one script, if there is room."""
        self._bytes += len(before or b"") + len(now or b"")
        if self._bytes <= self.most_bytes:
            self.kept.append((path, before, now))
            self.reformatted += _is_reformatted(before, now)


@dataclass(frozen=True, slots=True)
class BulkChange:
    """Many scripts that changed at once."""

    paths: tuple[str, ...]
    git: str
    """What git did, in its words, if git made the changes."""
    change_id: str
    texts: tuple[ManyText, ...] = ()
    """Path, bytes before and bytes now of scripts whose earlier text is known, as far as there is
    room.
    """
    reformatted: int = 0
    """In how many of them the line endings changed, or the byte order mark."""


@dataclass(frozen=True, slots=True)
class Seen:
    """Changes that the watcher found by itself."""

    changes: tuple[OutsideChange, ...]
    bulk: BulkChange | None = None


MAX_RECENT = 200


def may_have_made(call_s: float, calls: tuple[float, ...]) -> bool:
    """Return whether a call, noted at ``call_s``, may have made a change.

    ``calls`` are those that noted the text before the change. If this call is not among them, but a
    later one is, it did not make the change.
    """
    return not call_s or call_s in calls or all(each < call_s for each in calls)


@dataclass(frozen=True, slots=True)
class Recent:
    """A change that was seen."""

    change: OutsideChange
    at_s: float
    """When, as of ``time.monotonic``."""
    calls: tuple[float, ...] = ()
    """The calls that noted the text before it."""


class RecentChanges:
    """The newest changes without a known maker, the oldest first."""

    def __init__(self) -> None:
        self._kept: deque[Recent] = deque(maxlen=MAX_RECENT)

    def add(self, recent: Recent) -> None:
        """Keep a change."""
        self._kept.append(recent)

    def pop(self, is_wanted: Callable[[Recent], bool]) -> list[Recent]:
        """Return the wanted changes, and forget them."""
        wanted = [each for each in self._kept if is_wanted(each)]
        for each in wanted:
            self._kept.remove(each)
        return wanted
