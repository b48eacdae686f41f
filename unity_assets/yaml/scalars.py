r"""Read a scalar's text, and write a text as a scalar, in the style that it has.

Unity breaks a line at the first single blank at or after column 80 (from 0), in plain and quoted
scalars. The next line is indented by two more than the key.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

FOLD_COLUMN = 80
_FOLDS = (FOLD_COLUMN, FOLD_COLUMN + 1, None)
"""Some older Editors fold one column later, and some files aren't folded."""

PLAIN, SINGLE, DOUBLE, LITERAL, OTHER = "plain", "single", "double", "literal", "other"

_ESCAPE = re.compile(
    r"\\(?:x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(\r?\n[ \t]*)|(.))", re.DOTALL
)
_CHARACTERS = {
    **{"0": "\0", "a": "\a", "b": "\b", "t": "\t", "n": "\n", "v": "\v", "f": "\f", "r": "\r"},
    **{"e": "\x1b", "N": "\x85", "_": "\xa0", "L": "\u2028", "P": "\u2029"},
}
_PLAIN = re.compile(r"[A-Za-z_<][ -~]*[!-~]|[A-Za-z_]")
_FLOW_SIGNS = re.compile(r"[\[\]{},]")


@dataclass(frozen=True)
class Layout:
    """A scalar's layout: its first column, the indent of further lines, the line ending."""

    column: int
    continuation: int
    newline: str = "\n"
    in_flow: bool = False


def style_of(raw: bytes) -> str:
    """Return the style of the scalar ``raw``."""
    first = raw[:1]
    if first == b"'":
        return SINGLE
    if first == b'"':
        return DOUBLE
    if first in (b"|", b">"):
        return LITERAL
    return OTHER if first in (b"&", b"*", b"!") else PLAIN


def text_of(raw: bytes) -> str:
    """Return the text of a scalar; a byte that isn't UTF-8 becomes a surrogate."""
    style = style_of(raw)
    text = raw.decode("utf-8", "surrogateescape")
    if style == SINGLE:
        return _unfolded(text[1:-1]).replace("''", "'")
    if style == DOUBLE:
        return _unescaped(text[1:-1])
    return _unfolded(text) if style == PLAIN else text


def rendered(text: str, style: str, layout: Layout, fold: int | None = FOLD_COLUMN) -> bytes:
    """Return ``text`` as a scalar, in ``style`` if that can hold it."""
    if not text.isascii() or not text.isprintable():
        style = DOUBLE
    elif style == PLAIN and not _may_be_plain(text, in_flow=layout.in_flow):
        style = SINGLE
    if style == SINGLE:
        body = "'" + text.replace("'", "''") + "'"
    elif style == DOUBLE:
        body = '"' + "".join(map(_escaped, text)) + '"'
    else:
        body = text
    return (_folded(body, layout, fold) if fold else body).encode("utf-8", "surrogateescape")


def changed(raw: bytes, text: str, layout: Layout) -> bytes:
    """Return ``raw`` with another text; it keeps line breaks that don't follow Unity's rule."""
    before = text_of(raw)
    if before == text:
        return raw
    style = style_of(raw)
    if style in (LITERAL, OTHER):
        raise ValueError(f"a {style} scalar can't be changed")
    for fold in _FOLDS:
        if rendered(before, style, layout, fold) == raw:
            return rendered(text, style, layout, fold)
    return _changed_words(raw, before, text, layout)


def _changed_words(raw: bytes, before: str, text: str, layout: Layout) -> bytes:
    """Return ``raw`` with only the differing words replaced; its line breaks stay."""
    old, new = before.split(), text.split()
    pieces = re.split(r"(\s+)", raw.decode("utf-8", "surrogateescape"))
    if len(old) != len(new) or len(pieces) != 2 * len(old) - 1:
        return rendered(text, style_of(raw), layout)
    for index, (was, now) in enumerate(zip(old, new, strict=True)):
        if was != now:
            if was not in pieces[2 * index] or not now.isascii():
                return rendered(text, style_of(raw), layout)
            pieces[2 * index] = pieces[2 * index].replace(was, now)
    return "".join(pieces).encode("utf-8", "surrogateescape")


def _unfolded(text: str) -> str:
    """Unfold a YAML scalar: a single line break becomes a space.

    Of several in a row, the first is dropped.
    """
    if "\n" not in text:
        return text
    first, *lines = text.split("\n")
    pieces = [first.rstrip(" \t\r")]
    breaks = 0
    for index, line in enumerate(lines, 1):
        stripped = line.strip(" \t\r") if index < len(lines) else line.lstrip(" \t\r")
        if stripped or index == len(lines):
            pieces += ("\n" * breaks or " ", stripped)
            breaks = 0
        else:
            breaks += 1
    return "".join(pieces)


def _unescaped(text: str) -> str:
    # First replace each escape by one private character, so that an escaped break doesn't fold.
    kept: list[str] = []

    def sign(found: re.Match[str]) -> str:
        code = found[1] or found[2] or found[3]
        if found[4] is not None:
            return ""
        if code:
            number = int(code, 16)
            kept.append(chr(number) if number <= 0x10FFFF else "\ufffd")
        else:
            kept.append(_CHARACTERS.get(found[5], found[5]))
        return "\0"

    folded = _unfolded(_ESCAPE.sub(sign, text.replace("\0", "")))
    if not kept:
        return folded
    rest = iter(kept)
    joined = "".join(next(rest) if each == "\0" else each for each in folded)
    # A character beyond the BMP is written as two surrogates.
    return joined.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _escaped(character: str) -> str:
    if character in '"\\':
        return "\\" + character
    if " " <= character <= "~":
        return character
    for name, meant in _CHARACTERS.items():
        if character == meant:
            return "\\" + name
    number = ord(character)
    if 0xDC80 <= number <= 0xDCFF:
        return character
    if number <= 0xFF:
        return f"\\x{number:02X}"
    return f"\\u{number:04X}" if number <= 0xFFFF else f"\\U{number:08X}"


def _may_be_plain(text: str, *, in_flow: bool) -> bool:
    if not _PLAIN.fullmatch(text) or ": " in text or " #" in text or text.endswith(":"):
        return False
    return not (in_flow and _FLOW_SIGNS.search(text))


def _folded(body: str, layout: Layout, fold: int) -> str:
    """Return ``body`` with line breaks in place of single blanks at or after column ``fold``."""
    lines: list[str] = []
    start, column = 0, layout.column
    for found in re.finditer(r"(?<! ) (?! )", body):
        at = found.start()
        inside = 0 < at < len(body) - 1
        if inside and column + at - start >= fold:
            lines.append(body[start:at])
            start, column = at + 1, layout.continuation
    lines.append(body[start:])
    return (layout.newline + " " * layout.continuation).join(lines)


MAXIMUM_DEPTH = 64
"""Unity stops at 10 levels of serialized types; each takes two or three levels of YAML."""
MAXIMUM_FLOW = 1 << 20
"""Maximum bytes of one ``{…}``; Unity's own are far shorter, even with a type's three names."""
LONGEST_TEXT = 8 << 20
"""Maximum bytes of one scalar: a graph of Visual Scripting may have several megabytes."""


class MalformedError(ValueError):
    """The text at ``offset`` isn't YAML as Unity writes it."""

    def __init__(self, offset: int, reason: str) -> None:
        super().__init__(reason)
        self.offset = offset
        self.reason = reason
