"""Versions of the C# language, as ``-langVersion`` names them.

Part of docs/design/roslyn.md §1.5 and §3.
"""

from __future__ import annotations

import re
from typing import NamedTuple, Self

_NUMBER = re.compile(r"(\d+)(?:\.(\d+))?")
_NEWEST_NAMES = frozenset(("latest", "latestmajor", "preview"))
_NEWEST_MAJOR = 99


class LanguageVersion(NamedTuple):
    """A version, ordered by age."""

    major: int
    minor: int = 0

    @classmethod
    def newest(cls) -> Self:
        """Return the newest version that a compiler knows: newer than any with a number."""
        return cls(_NEWEST_MAJOR)

    @classmethod
    def parse(cls, text: str) -> Self | None:
        """Return the version that an option's value names; ``None`` for any other value."""
        word = text.strip().lower()
        if word in _NEWEST_NAMES:
            return cls.newest()
        number = _NUMBER.fullmatch(word)
        return cls(int(number[1]), int(number[2] or 0)) if number else None

    def __str__(self) -> str:
        return "latest" if self.major >= _NEWEST_MAJOR else f"{self.major}.{self.minor}"


UNITY_LANGUAGE_VERSION = LanguageVersion(9)
"""The default of Unity 2021.2 to 6; also used if no version is known."""
