"""What a script held before its last writes, for one request that asks again and again.

Part of docs/design/engine.md §8. Each instruction of a refused request is looked for in the same
versions, in more than one way: they are listed and read once, and only as far as somebody asks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from snippet_engine.errors import SnippetError
from snippet_engine.source_text import SourceText, decode


class EarlierVersions:
    """The versions of one script, newest first. Made for one request; not to be shared by
    threads."""

    def __init__(
        self,
        contents: Callable[[], Iterable[bytes]],
        text_of: Callable[[bytes], SourceText | SnippetError] = decode,
    ) -> None:
        """``contents`` tells the bytes of each; it is asked once, when the first one is needed.
        ``text_of`` reads them."""
        self._contents = contents
        self._text_of = text_of
        self._unread: Iterator[bytes] | None = None
        self._read: list[SourceText] = []

    def __call__(self) -> Iterator[SourceText]:
        """Each of them that is text, from the newest on."""
        at = 0
        while at < len(self._read) or self._read_another():
            yield self._read[at]
            at += 1

    def _read_another(self) -> bool:
        """Whether there was one more."""
        if self._unread is None:
            self._unread = iter(self._contents())
        for data in self._unread:
            source = self._text_of(data)
            if isinstance(source, SourceText):
                self._read.append(source)
                return True
        return False
