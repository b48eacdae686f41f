"""Changes of scripts that this product didn't make, and what hooks read before agents wrote.

A look may come after several writes. Each text that a hook has read was there between them.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import TypeAlias

from snippet_engine.errors import SnippetError
from snippet_engine.source_text import content_hash, decode
from snippet_engine.storage.records.history_entry import HistoryEntry
from snippet_engine.storage.stores.outside_changes import KnownText, Maker


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
    since_s: float = 0.0
    """When it was last looked at, as of ``time.time``; the write came later."""


MAX_MANY_BYTES = 32 * 1024 * 1024

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
    """Scripts with their bytes before and now, where these are known and have room."""
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
    calls: tuple[float, ...] = ()
    """The calls that noted the text before it."""


MAX_NOTED = 1_000
MAX_CALLS = 20
MAX_BYTES = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class NotedText:
    """The bytes of a script before a call of a tool."""

    data: bytes | None
    """``None`` if there was no file."""
    call_s: float
    """When that call's scripts were read, as of ``time.time``. It identifies the call."""

    @property
    def hash(self) -> str | None:
        """Return the hash of the bytes."""
        return None if self.data is None else content_hash(self.data)


class NotedTexts:
    """A project's noted texts that no look has taken up. May be used from several threads."""

    def __init__(self) -> None:
        self._waiting: OrderedDict[tuple[str, float], NotedText] = OrderedDict()
        self._bytes = 0
        self._lock = Lock()

    def add(self, texts: Mapping[str, bytes | None], call_s: float) -> None:
        """Note the scripts of one call, by path."""
        with self._lock:
            for path, data in texts.items():
                self._drop((path, call_s))
                self._waiting[path, call_s] = NotedText(data, call_s)
                self._bytes += len(data or b"")
            while self._bytes > MAX_BYTES or len(self._waiting) > MAX_NOTED:
                self._drop(next(iter(self._waiting)))

    def __contains__(self, path: str) -> bool:
        with self._lock:
            return any(each == path for each, _ in self._waiting)

    def of(self, path: str) -> list[NotedText]:
        """Return the texts of a script, the oldest first."""
        with self._lock:
            found = [text for (each, _), text in self._waiting.items() if each == path]
        return sorted(found, key=lambda each: each.call_s)

    def take(self, path: str, until_s: float | None = None) -> list[NotedText]:
        """Return the texts of a script from ``until_s`` at the latest, and forget them."""
        until_s = time.time() if until_s is None else until_s
        found = [each for each in self.of(path) if each.call_s <= until_s]
        with self._lock:
            for each in found:
                self._drop((path, each.call_s))
        return found

    def _drop(self, key: tuple[str, float]) -> None:
        text = self._waiting.pop(key, None)
        self._bytes -= 0 if text is None else len(text.data or b"")


class NotedSteps:
    """The texts that hooks noted of a script since it was known.

    ``calls`` are the calls that noted the last of them.
    """

    def __init__(self, known: KnownText, calls: tuple[float, ...]) -> None:
        self.texts: list[KnownText] = []
        self.calls = calls
        self._known = known
        self._before: dict[float, tuple[float, ...]] = {}

    def add(self, noted: Sequence[NotedText]) -> None:
        """Add the texts that were noted, in their order."""
        for each in noted:
            last = self.texts[-1] if self.texts else self._known
            if each.hash == last.hash or each.call_s < self._known.seen_s:
                self.calls = (*self.calls, each.call_s)[-MAX_CALLS:]
            else:
                self._before[each.call_s] = self.calls
                self.calls = (each.call_s,)
                status = self._known.status
                self.texts.append(KnownText(each.hash, each.data, status, each.call_s))

    def before(self, text: KnownText | None) -> tuple[float, ...]:
        """Return the calls that noted the text before ``text``; ``None``: the last one."""
        return self.calls if text is None else self._before[text.seen_s]
