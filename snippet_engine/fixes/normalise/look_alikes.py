"""Compare texts while ignoring what models and clipboards get wrong.

Part of docs/design/engine.md §8: white space, letter case, quotes, Unicode look-alikes. Used to
explain and correct a refusal, never to match an anchor. In text from a Mac, ``é`` is often an ``e``
followed by an accent (NFD); other systems have one character (NFC).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator

from snippet_engine.late_pattern import late_pattern
from snippet_engine.source_text import INVISIBLE

_QUOTES = "\"'`´‘’‚‛“”„‟«»‹›′″"
_DASHES = "-‐‑‒–—−﹣"

_HOMOGLYPHS = {
    "a": "аα", "b": "Ь", "c": "сϲ", "d": "ԁ", "e": "еҽ", "h": "һ", "i": "іι", "j": "ј",
    "k": "кκ", "l": "ⅼӏ", "m": "м", "n": "ո", "o": "оο", "p": "рρ", "q": "ԛ", "s": "ѕ",
    "t": "тτ", "u": "υ", "v": "ѵν", "w": "ԝ", "x": "хχ", "y": "уγ", "z": "ᴢ",
    "A": "АΑ", "B": "ВΒ", "C": "С", "E": "ЕΕ", "H": "НΗ", "I": "ІΙ", "J": "Ј", "K": "КΚ",
    "M": "МΜ", "N": "Ν", "O": "ОΟ", "P": "РΡ", "S": "Ѕ", "T": "ТΤ", "X": "ХΧ", "Y": "ҮΥ",
    "Z": "Ζ", ";": ";", ":": "ː∶", "=": "═", "*": "∗", "/": "∕⁄", "|": "∣", "!": "ǃ",
}  # fmt: skip
"""Letters and signs of other scripts that look like an ASCII character."""

_TO_ASCII = {
    **{ord(look): base for base, looks in _HOMOGLYPHS.items() for look in looks},
    **{ord(dash): "-" for dash in _DASHES},
}
_DOUBLE_QUOTES = dict.fromkeys(map(ord, "“”„‟«»″"), '"')
_SINGLE_QUOTES = dict.fromkeys(map(ord, "`´‘’‚‛‹›′"), "'")
_PLAIN_QUOTES = {**_DOUBLE_QUOTES, **_SINGLE_QUOTES}
_TO_QUOTE = dict.fromkeys(map(ord, _QUOTES), '"')


def _without_space(text: str) -> str:
    return re.sub(rf"[\s{INVISIBLE}]+", "", text)


def plain(text: str) -> str:
    """Return ``text`` in its plainest spelling: quotes, dashes and look-alikes in ASCII."""
    return _plain_ascii(text.translate(_PLAIN_QUOTES))


def with_quotes_like(sent: str, new_text: str, view: str) -> str:
    """Replace curly quotes in ``new_text`` by plain ones, as the file has them.

    Only kinds of quotes that the anchor's texts ``sent`` have are replaced. None is replaced if
    ``view`` has one of these. An opening quote counts as its closing one.
    """
    known = {ord(each) for each in sent} & _PLAIN_QUOTES.keys()
    if any(chr(each) in view for each in known):
        return new_text
    return new_text.translate({each: _PLAIN_QUOTES[each] for each in known})


def _one_quote(text: str) -> str:
    return text.translate(_TO_QUOTE)


def plain_double_quotes(text: str) -> str:
    """Replace look-alikes of the double quote by ASCII's."""
    return text.translate(_DOUBLE_QUOTES)


def plain_single_quotes(text: str) -> str:
    """Replace look-alikes of the single quote by ASCII's."""
    return text.translate(_SINGLE_QUOTES)


def without_invisible(text: str) -> str:
    """Return ``text`` without characters such as the zero-width space."""
    return re.sub(f"[{INVISIBLE}]+", "", text)


def _plain_ascii(text: str) -> str:
    return unicodedata.normalize("NFKC", text.translate(_TO_ASCII))


_NORMALISERS: dict[str, Callable[[str], str]] = {
    "look-alike characters": _plain_ascii,
    "quotes": _one_quote,
    "letter case": str.casefold,
    "white space": _without_space,
}


def differences(wanted: str, standing: str) -> list[str]:
    """Return the kinds of difference between two similar texts, such as ``["letter case"]``.

    White space is called ``indentation`` or ``line breaks`` if nothing else differs.
    """
    found = [kind for kind in _NORMALISERS if _differ_without(kind, wanted, standing)]
    if "white space" in found:
        wanted_lines = [line.strip() for line in wanted.strip().split("\n")]
        standing_lines = [line.strip() for line in standing.strip().split("\n")]
        if len(wanted_lines) != len(standing_lines):
            found[found.index("white space")] = "line breaks"
        elif wanted_lines == standing_lines:
            ends = [[line.rstrip() for line in each.split("\n")] for each in (wanted, standing)]
            is_at_ends = ends[0] == ends[1]
            kind = "white space at the ends of lines" if is_at_ends else "indentation"
            found[found.index("white space")] = kind
    if not found and wanted != standing:
        # Several kinds may explain it: a no-break space is both white space and a look-alike.
        same = (kind for kind, of in _NORMALISERS.items() if of(wanted) == of(standing))
        found = list(same)[-1:]
    return found


def _differ_without(kind: str, left: str, right: str) -> bool:
    for other, normalise in _NORMALISERS.items():
        if other != kind:
            left, right = normalise(left), normalise(right)
    return left != right


def is_same_but_for_look(text: str, wanted: str) -> bool:
    """Whether two texts are the same apart from look-alikes, letter case and white space."""
    for normalise in _NORMALISERS.values():
        text, wanted = normalise(text), normalise(wanted)
    return text == wanted


_RUN = late_pattern(r"[^\n]?[^\x00-\x7f]+")
"""Text that Unicode can write in two ways: non-ASCII characters, and the letter before them."""


def _goes_on(sign: str) -> bool:
    """Whether ``sign`` belongs to the letter before it: an accent, or the rest of a syllable."""
    return unicodedata.combining(sign) > 0 or "\u1160" <= sign <= "\u11ff"


def letters_apart(text: str) -> dict[int, str]:
    """Return a translation table from composed letters to those decomposed in ``text``."""
    if unicodedata.is_normalized("NFC", text):
        return {}
    letters = {each for run in _RUN().finditer(text) for each in _letters(run[0])}
    found = ((unicodedata.normalize("NFC", each), each) for each in letters)
    return {ord(one): each for one, each in found if len(one) == 1 and one != each}


def _letters(run: str) -> Iterator[str]:
    """Yield each letter of ``run`` with its accents; yield a composed run (NFC) as a whole."""
    if unicodedata.is_normalized("NFC", run):
        yield run
        return
    starts = [at for at, sign in enumerate(run) if not at or not _goes_on(sign)]
    for start, end in zip(starts, [*starts[1:], len(run)], strict=True):
        yield run[start:end]
