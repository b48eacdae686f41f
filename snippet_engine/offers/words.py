"""Where words stand in a file, and how often; each is looked for once.

Part of docs/design/engine.md §8.
"""

from __future__ import annotations

from collections.abc import Iterator

from snippet_engine import work
from snippet_engine.anchors.whole_words import is_word


class Words:
    """The words of one text, as far as they are asked for."""

    def __init__(self, view: str) -> None:
        self._view = view
        self._counts: dict[str, int] = {}
        self._standing: dict[str, bool] = {}

    def count(self, word: str) -> int:
        """How often ``word`` stands in the text, as a part of others too."""
        if word not in self._counts:
            self._counts[word] = self._view.count(word)
        return self._counts[word]

    def stands(self, word: str) -> bool:
        """Whether ``word`` stands in the text by itself."""
        if word not in self._standing:
            self._standing[word] = any(True for _ in self.places(word))
        return self._standing[word]

    def places(self, word: str) -> Iterator[int]:
        """Where ``word`` stands by itself."""
        view = self._view
        work.spend_reading(len(view))
        at = view.find(word)
        while at >= 0:
            work.spend()
            end = at + len(word)
            if not (at and is_word(view[at - 1])) and not (end < len(view) and is_word(view[end])):
                yield at
            at = view.find(word, end)
