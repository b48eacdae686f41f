"""Compose letters of several code points into one (NFD to NFC), at the same offsets.

Part of docs/design/engine.md §8, look-alikes. Text from a Mac often has ``e`` and an accent where
other systems have ``é``. Both look the same.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from snippet_engine.late_pattern import late_pattern

_RUN = late_pattern(r"[^\n]?[^\x00-\x7f]+")
"""Text that can be composed in two ways: non-ASCII characters, with the letter before them."""


def composed_in_place(text: str) -> str:
    """Return ``text`` in NFC, padded with spaces to keep all offsets."""
    if unicodedata.is_normalized("NFC", text):
        return text
    return _RUN().sub(_composed_run, text)


def goes_on(sign: str) -> bool:
    """Whether ``sign`` belongs to the letter before it: an accent, or the rest of a syllable."""
    return unicodedata.combining(sign) > 0 or "\u1160" <= sign <= "\u11ff"


def letters_apart(text: str) -> dict[int, str]:
    """Return the letters that ``text`` has in several code points, as a translation table."""
    if unicodedata.is_normalized("NFC", text):
        return {}
    letters = {each for run in _RUN().finditer(text) for each in _letters(run[0])}
    found = ((unicodedata.normalize("NFC", each), each) for each in letters)
    return {ord(one): each for one, each in found if len(one) == 1 and one != each}


def _composed_run(run: re.Match[str]) -> str:
    return "".join(unicodedata.normalize("NFC", each).ljust(len(each)) for each in _letters(run[0]))


def _letters(run: str) -> Iterator[str]:
    """Yield each letter of ``run`` with its accents; all at once if there are none."""
    if unicodedata.is_normalized("NFC", run):
        yield run
        return
    starts = [at for at, sign in enumerate(run) if not at or not goes_on(sign)]
    for start, end in zip(starts, [*starts[1:], len(run)], strict=True):
        yield run[start:end]
