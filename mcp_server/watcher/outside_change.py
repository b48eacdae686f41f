"""Changes of scripts that this product didn't make, and what hooks read before agents wrote.

Between two looks, a script may be written several times. The texts that hooks read show the steps.
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
    """A script that another program changed, at a canonical project-relative ``path``."""

    number: int
    path: str
    maker: Maker
    entry: HistoryEntry
    undo: Mapping[str, str] | None
    """The arguments for ``undo_snippet``; ``None`` if the change can't be undone."""
    was_there: bool
    """Whether the script existed before."""
    before: bytes | None
    """``None`` if the script didn't exist, or its text isn't known."""
    after: bytes | None
    """``None`` if the script is gone."""


def _is_reformatted(before: bytes | None, after: bytes | None) -> bool:
    """Return whether the line endings or the byte order mark changed."""
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
    """The bytes at the last look; ``None`` if there was no file."""
    after: bytes | None
    """The bytes now; ``None`` if there is no file."""
    is_unknown: bool
    since_s: float = 0.0
    """When the script was last seen before the write, as of ``time.time``."""


MAX_MANY_BYTES = 32 * 1024 * 1024

ManyText: TypeAlias = tuple[str, bytes | None, bytes | None]
"""A path, the bytes before and the bytes now; ``None`` means no file."""


class ManyTexts:
    """Collects texts, up to ``most_bytes`` in all."""

    most_bytes = MAX_MANY_BYTES

    def __init__(self) -> None:
        self.kept: list[ManyText] = []
        self.reformatted = 0
        """The number of scripts whose line endings or byte order mark changed."""
        self._bytes = 0

    def add(self, path: str, before: bytes | None, now: bytes | None) -> None:
        """Keep the texts of one script if there is room."""
        self._bytes += len(before or b"") + len(now or b"")
        if self._bytes <= self.most_bytes:
            self.kept.append((path, before, now))
            self.reformatted += _is_reformatted(before, now)


@dataclass(frozen=True, slots=True)
class BulkChange:
    """Many scripts that changed at once."""

    paths: tuple[str, ...]
    git: str
    """Git's description if git made the changes; otherwise empty."""
    change_id: str
    texts: tuple[ManyText, ...] = ()
    """The scripts whose bytes before and now are known and fit into the limit."""
    reformatted: int = 0
    """The number of those scripts whose line endings or byte order mark changed."""


@dataclass(frozen=True, slots=True)
class Seen:
    """Changes that the watcher noticed by itself."""

    changes: tuple[OutsideChange, ...]
    bulk: BulkChange | None = None


MAX_RECENT = 200


def may_have_made(call_s: float, calls: tuple[float, ...]) -> bool:
    """Return whether a call, which a hook noted at ``call_s``, may have made a change.

    ``calls`` are the calls whose hooks read the text before the change. If a later call is among
    them and this one isn't, this one didn't make the change. A ``call_s`` of 0 means that no hook
    noted the call. Such a call may have made any change.
    """
    return not call_s or call_s in calls or all(each < call_s for each in calls)


@dataclass(frozen=True, slots=True)
class Recent:
    """A recent change, seen at ``at_s`` as of ``time.monotonic``."""

    change: OutsideChange
    at_s: float
    calls: tuple[float, ...] = ()
    """The calls whose hooks read the text before the change."""


MAX_NOTED = 1_000
MAX_CALLS = 20
MAX_BYTES = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class NotedText:
    """The bytes of a script that a hook read before a tool call."""

    data: bytes | None
    """``None`` if there was no file."""
    call_s: float
    """When the hook read, as of ``time.time``. Identifies the call."""

    @property
    def hash(self) -> str | None:
        """Return the hash of the bytes."""
        return None if self.data is None else content_hash(self.data)


class NotedTexts:
    """The texts that hooks read, until a look takes them. Any thread may use it."""

    def __init__(self) -> None:
        self._waiting: OrderedDict[tuple[str, float], NotedText] = OrderedDict()
        self._bytes = 0
        self._lock = Lock()

    def add(self, texts: Mapping[str, bytes | None], call_s: float) -> None:
        """Note the texts that one call's hook read, by path."""
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
        """Return the noted texts of a script, oldest first."""
        with self._lock:
            found = [text for (each, _), text in self._waiting.items() if each == path]
        return sorted(found, key=lambda each: each.call_s)

    def take(self, path: str, until_s: float | None = None) -> list[NotedText]:
        """Remove and return a script's texts noted until ``until_s``, oldest first.

        ``None`` means now, as of ``time.time``.
        """
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
    """The texts of a script that hooks read after the ``known`` text, as steps.

    ``calls`` are the calls whose hooks read the latest of these texts.
    """

    def __init__(self, known: KnownText, calls: tuple[float, ...]) -> None:
        self.texts: list[KnownText] = []
        self.calls = calls
        self._known = known
        self._before: dict[float, tuple[float, ...]] = {}

    def add(self, noted: Sequence[NotedText]) -> None:
        """Add noted texts, oldest first. A text equal to the one before it only adds its call."""
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
        """Return the calls whose hooks read the text before ``text``; ``None``: the latest text."""
        return self.calls if text is None else self._before[text.seen_s]
