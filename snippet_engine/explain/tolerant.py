"""Texts that are the same but for what models and clipboards get wrong.

Implements the "nearly matched" kinds of docs/design/engine.md §8: white space, letter
case, quotes, Unicode look-alikes, and wrappings that a paste brings along (line numbers,
escape sequences sent as text, markdown fences). Used to explain a refusal, never to match.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import accumulate, combinations

from snippet_engine.explain.composed import composed_in_place, goes_on

_BLOCK = 4_096
"""Characters of a text among which the one at an offset is looked for one by one."""
_QUOTES = "\"'`´‘’‚‛“”„‟«»‹›′″"
_DASHES = "-‐‑‒–—−﹣"
INVISIBLE = "\u200b\u200c\u200d\u2060\ufeff"
"""Invisible characters that are not white space to Python."""

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
_FOLDED: dict[int, str | int] = {
    **{full_width: full_width - 0xFEE0 for full_width in range(0xFF01, 0xFF5F)},
    **_TO_ASCII,
    **_TO_QUOTE,
    **dict.fromkeys(map(ord, INVISIBLE), " "),
    ord("İ"): "i",  # the only letter that has two code points in lower case
}


def _without_space(text: str) -> str:
    return re.sub(rf"[\s{INVISIBLE}]+", "", text)


def plain(text: str) -> str:
    """``text`` in its plainest spelling: quotes, dashes and look-alikes as ASCII has them."""
    return _plain_ascii(text.translate(_PLAIN_QUOTES))


def with_quotes_like(sent: str, new_text: str, view: str) -> str:
    """``new_text`` with plain quotes for those that an anchor came with and ``view`` has none of.

    ``sent`` are the anchor's texts. Which of a pair is the opening one doesn't matter.
    """
    known = {ord(each) for each in sent} & _PLAIN_QUOTES.keys()
    if any(chr(each) in view for each in known):
        return new_text
    return new_text.translate({each: _PLAIN_QUOTES[each] for each in known})


def _one_quote(text: str) -> str:
    return text.translate(_TO_QUOTE)


def plain_signs(text: str) -> str:
    """``text`` with ASCII's signs for their look-alikes, and no invisible ones; letters stay."""
    return "".join(
        each if each.isascii() or f"_{each}".isidentifier() else _plain_ascii(each)
        for each in text
        if each not in INVISIBLE
    )


def plain_double_quotes(text: str) -> str:
    """``text`` with ASCII's double quotes for their look-alikes."""
    return text.translate(_DOUBLE_QUOTES)


def plain_single_quotes(text: str) -> str:
    """``text`` with ASCII's single quotes for their look-alikes."""
    return text.translate(_SINGLE_QUOTES)


def _plain_ascii(text: str) -> str:
    return unicodedata.normalize("NFKC", text.translate(_TO_ASCII))


_NORMALISERS: dict[str, Callable[[str], str]] = {
    "look-alike characters": _plain_ascii,
    "quotes": _one_quote,
    "letter case": str.casefold,
    "white space": _without_space,
}


def differences(wanted: str, standing: str) -> list[str]:
    """Return the kinds of difference between two similar texts: ``["letter case", "indentation"]``.

    White space is named more exactly where it can be: ``indentation`` or ``line breaks``.
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
        # More than one kind accounts for it: a no-break space is white space and a look-alike.
        same = (kind for kind, of in _NORMALISERS.items() if of(wanted) == of(standing))
        found = list(same)[-1:]
    return found


def _differ_without(kind: str, left: str, right: str) -> bool:
    for other, normalise in _NORMALISERS.items():
        if other != kind:
            left, right = normalise(left), normalise(right)
    return left != right


class TolerantText:
    """A text, prepared to be searched for others that are the same but for those differences.

    Searching takes time in proportion to the text, whatever is searched for.
    """

    COST = 20
    """How much longer it takes to prepare a text than to search it, about; four times that where
    it isn't ASCII."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._folded = _folded(text)
        self._squeezed = "".join(self._folded.split())

    def occurrences(self, wanted: str) -> Iterator[tuple[int, int]]:
        """The ranges where ``wanted`` stands, white space at its ends not counted.

        None where ``wanted`` is nothing but white space.
        """
        squeezed = "".join(_folded(wanted).split())
        at = self._squeezed.find(squeezed) if squeezed else -1
        while at >= 0:
            end = at + len(squeezed)
            yield self._offset(at), self._end(self._offset(end - 1) + 1)
            at = self._squeezed.find(squeezed, end)

    def _end(self, offset: int) -> int:
        """``offset`` behind the marks that belong to the letter before it."""
        text = self._text
        while offset < len(text) and self._folded[offset] == " " and goes_on(text[offset]):
            offset += 1
        return offset

    def _offset(self, squeezed_offset: int) -> int:
        """Where the character at an offset without white space stands in the text."""
        block = bisect_right(self._block_starts, squeezed_offset) - 1
        left = squeezed_offset - self._block_starts[block]
        for run in re.finditer(r"\S+", self._block(block)):
            length = run.end() - run.start()
            if left < length:
                return block * _BLOCK + run.start() + left
            left -= length
        raise IndexError(squeezed_offset)

    def _block(self, index: int) -> str:
        return self._folded[index * _BLOCK : (index + 1) * _BLOCK]

    @cached_property
    def _block_starts(self) -> list[int]:
        """How many characters that aren't white space stand before each block of the text."""
        count = len(self._folded) // _BLOCK + 1
        sizes = (sum(map(len, self._block(index).split())) for index in range(count))
        return list(accumulate(sizes, initial=0))[:-1]


def _folded(text: str) -> str:
    """``text``, character by character, with one spelling for all that may differ."""
    return composed_in_place(text).translate(_FOLDED).lower()


_LINE_NUMBER = re.compile(r"[ \t]*\d+(?:\t|:|[ \t]*[|→])")
_ESCAPE = re.compile(r"""\\(?:r\\n|[nrt"'\\])""")
_QUOTE = r"\""
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
_ENTITY = re.compile(r"&(?:lt|gt|amp|quot|apos|nbsp|#\d{1,6}|#[xX][0-9A-Fa-f]{1,5});")
_CODE_POINT = re.compile(r"(?<!\\)\\u([0-9A-Fa-f]{4})")
_ESCAPES = {r"\r\n": "\n", r"\n": "\n", r"\r": "\n", r"\t": "\t"}


def _without_fence(text: str) -> str:
    lines = text.strip("\n").split("\n")
    if len(lines) > 1 and lines[0].lstrip().startswith("```"):
        lines = lines[1:]
        if lines[-1].strip() == "```":
            lines = lines[:-1]
        return "\n".join(lines)
    return text


def _without_line_numbers(text: str) -> str:
    lines = text.split("\n")
    numbers = [_LINE_NUMBER.match(line) for line in lines]
    if all(number or not line.strip() for line, number in zip(lines, numbers, strict=True)):
        return "\n".join(
            line[number.end() if number else 0 :]
            for line, number in zip(lines, numbers, strict=True)
        )
    return text


def _without_line_numbers_and_blank(text: str) -> str:
    """Some put a blank between the number and the line."""
    lines = _without_line_numbers(text).split("\n")
    if lines != text.split("\n") and all(line[:1] in ("", " ") for line in lines):
        return "\n".join(line[1:] for line in lines)
    return text


def _without_marks(text: str) -> str:
    """Without the ``>`` of a quotation, or the sign of a difference, before each line."""
    lines = text.split("\n")
    marked = [line for line in lines if line.strip()]
    for mark in ("> ", ">", "+", "-"):
        if marked and all(line.startswith(mark) or line == mark.strip() for line in marked):
            return "\n".join(line[len(mark) :] if line.strip() else line for line in lines)
    if {line[0] for line in marked} in ({"+", " "}, {"-", " "}):
        return "\n".join(line[1:] for line in lines)
    return text


def _without_escapes(text: str) -> str:
    return _ESCAPE.sub(_unescaped, text)


def _unescaped(match: re.Match[str]) -> str:
    return _ESCAPES.get(match.group(), match.group()[1:])


def _without_entities(text: str) -> str:
    """Return ``text`` with its HTML entities decoded, unless one of the characters is there,
    too."""
    bare = _ENTITY.sub("", text)
    if bare == text:
        return text
    from html import unescape  # noqa: PLC0415 - its table is slow to import

    if any(unescape(each[0]) in bare for each in _ENTITY.finditer(text)):
        return text
    return _ENTITY.sub(lambda each: unescape(each[0]), text)


def _without_code_points(text: str) -> str:
    r"""With the characters that ``\u`` and their numbers stand for, but for those of ASCII."""
    return _CODE_POINT.sub(_character, text)


def _character(escape: re.Match[str]) -> str:
    number = int(escape[1], 16)
    return escape[0] if number < ord("\u00a0") or 0xD800 <= number < 0xE000 else chr(number)


def code_points_of(text: str) -> dict[int, str]:
    r"""The characters that ``text`` has only by ``\u`` and their numbers, with that escape."""
    found = {_character(each): each[0] for each in _CODE_POINT.finditer(text)}
    return {
        ord(each): escape for each, escape in found.items() if len(each) == 1 and each not in text
    }


PASTED_LINE_NUMBERS = "pasted line numbers"
ESCAPES = "escape sequences sent as text"
MARKS = "quote or diff marks"
ENTITIES = "HTML entities"

WRAPPINGS: tuple[tuple[str, Callable[[str], str]], ...] = (
    ("markdown fence", _without_fence),
    (PASTED_LINE_NUMBERS, _without_line_numbers),
    (PASTED_LINE_NUMBERS, _without_line_numbers_and_blank),
    (MARKS, _without_marks),
    (ENTITIES, _without_entities),
    ("Unicode escapes", _without_code_points),
    (ESCAPES, _without_escapes),
)
"""What a paste brings along, each with the function that removes it, in the order of trying."""


def unwrapped(target: str, *others: str) -> Iterator[tuple[list[str], tuple[str, ...]]]:
    """The anchor's texts as sent, then with each wrapping, or several, taken off.

    Yields ``(wrappings, (target, *others))``, fewest wrappings first, and only where taking a
    wrapping off changes one of them.
    """
    for count in range(len(WRAPPINGS)):
        for wrappings in combinations(WRAPPINGS, count):
            texts = (target, *others)
            for _, take_off in wrappings:
                bare = tuple(map(take_off, texts))
                if bare == texts:
                    break
                texts = bare
            else:
                if texts[0].strip() or not wrappings:
                    yield [name for name, _ in wrappings], texts


def unwrapped_like(
    text: str, anchor: Sequence[str], wrappings: Sequence[str], bare: Sequence[str] = ()
) -> str | None:
    """Return a new text without the ``wrappings`` that the texts of its ``anchor`` came in.

    Only what was wrapped in the same way is removed: a new text may have escapes of its own.
    ``bare`` are the anchor's texts without them, as far as they are known; they show whether a
    blank came with each line number. ``None`` where that is unclear.
    """
    with_blanks = bool(bare) and _taken_off(anchor, wrappings, with_blanks=True) == [*bare]
    for name, take_off in _of(wrappings, with_blanks=with_blanks):
        if name != ESCAPES:
            wrapped, text = text, take_off(text)
            if name == ENTITIES and text == wrapped and _ENTITY.search(text):
                return None  # Here as it is, there as an entity: one of them is meant.
            continue
        used = {match.group() for each in anchor for match in _ESCAPE.finditer(each)}
        found = {match.group() for match in _ESCAPE.finditer(text)}
        for escape in used & found:
            plainly = _ESCAPES.get(escape, escape[1:])
            if plainly in text.replace(escape, ""):
                return None  # Here as it is, there escaped: one of them is meant.
        # Who escapes line breaks escapes quotes: no string begins with an escaped one.
        if used & _ESCAPES.keys() and '"' not in "".join((text, *anchor)).replace(_QUOTE, ""):
            used.add(_QUOTE)
        # And who escapes quotes, line breaks: a string's own would have been escaped once more.
        if _QUOTE in used and "\n" not in "".join((text, *anchor)):
            plainly = text.replace(_QUOTE, '"')
            breaks = _line_breaks(_STRING.sub("", plainly)) - used
            if breaks & _line_breaks("".join(_STRING.findall(plainly))):
                return None
            used |= breaks
        text = _ESCAPE.sub(
            lambda m: _unescaped(m) if m.group() in used else m.group(),  # noqa: B023
            text,
        )
    return text


def _line_breaks(text: str) -> set[str]:
    """Return the escapes in ``text`` for line breaks or tabs."""
    return {match.group() for match in _ESCAPE.finditer(text)} & _ESCAPES.keys()


def _of(
    wrappings: Sequence[str], *, with_blanks: bool
) -> Iterator[tuple[str, Callable[[str], str]]]:
    """Yield the function that removes each of the ``wrappings``.

    With ``with_blanks``, line numbers go with the blank behind them.
    """
    for name, take_off in WRAPPINGS:
        is_with_blank = take_off is _without_line_numbers_and_blank
        if name in wrappings and (name != PASTED_LINE_NUMBERS or is_with_blank == with_blanks):
            yield name, take_off


def _taken_off(texts: Sequence[str], wrappings: Sequence[str], *, with_blanks: bool) -> list[str]:
    for _, take_off in _of(wrappings, with_blanks=with_blanks):
        texts = [*map(take_off, texts)]
    return [*texts]
