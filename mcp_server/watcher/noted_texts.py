"""What hooks read of scripts before agents wrote them.

A look may come after several writes. Each text that a hook has read was there between them.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from threading import Lock

from snippet_engine.source_text import content_hash
from snippet_engine.storage.stores.outside_changes import KnownText

MAX_NOTED = 1_000
"""Most texts that wait for the next look."""

MAX_CALLS = 20
"""Most calls that are remembered of one text."""

MAX_BYTES = 64 * 1024 * 1024
"""Most bytes of all of them."""


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
        """Return the calls that noted the text before ``text``; for ``None``, those that noted the
        last one."""
        return self.calls if text is None else self._before[text.seen_s]
