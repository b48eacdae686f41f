"""Find where words stand in a file's bytes, apart from other words."""

from __future__ import annotations

_WORD_SIGNS = frozenset(
    bytes((each,))
    for each in range(256)
    if (each < 0x80 and chr(each).isalnum()) or each == 0x5F or each >= 0x80
)


class Occurrences:
    """The places of some words in a file, asked for one by one, from its start to its end."""

    def __init__(self, data: bytes, words: list[bytes]) -> None:
        self._data = data
        self._next: dict[bytes, int] = {each: self._find(each, 0) for each in words}

    def at_or_after(self, offset: int) -> int | None:
        """Return the first place from ``offset`` on; None if there is no more."""
        for word, at in self._next.items():
            if at < offset:
                self._next[word] = self._find(word, offset)
        first = min(self._next.values(), default=len(self._data))
        return first if first < len(self._data) else None

    def _find(self, word: bytes, offset: int) -> int:
        data = self._data
        at = data.find(word, offset)
        while at >= 0:
            end = at + len(word)
            if data[at - 1 : at] not in _WORD_SIGNS and data[end : end + 1] not in _WORD_SIGNS:
                return at
            at = data.find(word, end)
        return len(data)
