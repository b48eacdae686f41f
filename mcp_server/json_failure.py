"""Explain why a text is not JSON, and what to write instead."""

from __future__ import annotations

from json import JSONDecodeError

_TRAILING = "a comma with nothing after it: remove it"
_QUOTES = "single quotation marks: texts and keys need double ones"
_CURLY = "curly quotation marks: texts and keys need straight double ones"
_BACKSLASH = "a backslash before a quotation mark that begins a text or a key: leave it out"
_ESCAPES = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


_MISSING = {
    "Expecting value": "a value (a text in double quotation marks, a number, a list, an object, …)",
    "Expecting property name": "a key in double quotation marks",
    "Expecting ':'": "a colon between a key and its value",
    "Expecting ','": "a comma or a closing bracket",
}
"""Beginnings of the library's messages, and what is missing."""

_WRONG = {
    "Illegal trailing comma": _TRAILING,
    "Unterminated string": "the text that begins here has no closing quotation mark",
    "Invalid \\uXXXX": "\\u is followed by four hexadecimal digits",
    "Invalid \\escape": "a backslash that begins no escape: write it twice, or / in a path",
    "Extra data": "the JSON value ends before here, and more text follows",
    "Unexpected UTF-8 BOM": "a byte order mark: save it without one",
}
"""Beginnings of other messages, and the words that replace them."""


def why_not_json(error: JSONDecodeError) -> str:
    """Return what is wrong at the place of ``error``, in one clause."""
    here = error.doc[error.pos : error.pos + 1]
    if error.msg.startswith("Invalid control character"):
        return _unescaped(here)
    if error.doc[: error.pos].rstrip().endswith(",") and here in ("}", "]"):
        return _TRAILING
    for beginning, missing in _MISSING.items():
        if error.msg.startswith(beginning):
            if here == "'":
                return _QUOTES
            if here and here in "\u201c\u201d\u201e\u2018\u2019":
                return _CURLY
            if error.doc.startswith('\\"', error.pos):
                return _BACKSLASH
            ended = not error.doc[error.pos :].strip()
            return f"{missing} is missing" + (", and the text ends" if ended else " here")
    for beginning, wrong in _WRONG.items():
        if error.msg.startswith(beginning):
            return wrong
    return error.msg


def _unescaped(letter: str) -> str:
    what = {"\n": "a line break", "\r": "a line break", "\t": "a tab"}.get(letter)
    escape = _ESCAPES.get(letter) or f"\\u{ord(letter):04x}"
    named = what or f"the control character U+{ord(letter):04X}"
    return f"{named} inside of a text: write it as {escape}"
