"""Where words stand in a file, and how often; each is looked for once.

Part of docs/design/engine.md §8.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from snippet_engine import budget
from snippet_engine.anchors.whole_words import is_word
from snippet_engine.source_text import SourceText

_WORD = re.compile(r"\w+")


class Words:
    """The words of one text, as far as they are asked for."""

    def __init__(self, source: SourceText) -> None:
        self._source = source
        self._view = source.view
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
            self._standing[word] = self._is_there(word)
        return self._standing[word]

    def _is_there(self, word: str) -> bool:
        if not _WORD.fullmatch(word):
            return any(True for _ in self.places(word))
        # It counts as much whether the file was asked for its words before or not.
        budget.spend_reading(len(self._view))
        return word in self._source.words

    def places(self, word: str, start: int = 0, end: int | None = None) -> Iterator[int]:
        """Where ``word`` stands by itself; of a part of the text, where it begins there."""
        view = self._view
        until = len(view) if end is None else end
        budget.spend_reading(until - start)
        at = view.find(word, start)
        while 0 <= at < until:
            budget.spend()
            after = at + len(word)
            is_cut = at > 0 and is_word(view[at - 1])
            if not (is_cut or is_word(view[after : after + 1])):
                yield at
            at = view.find(word, after)
