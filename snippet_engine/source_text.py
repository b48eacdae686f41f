"""The text of one file: its bytes, and the view of them in which anchors are matched.

Implements docs/design/engine.md §3. Only this module converts between three kinds of offsets:

* *view offsets*: code points in :attr:`SourceText.view`, the text without BOM in which every
  line ending (CRLF, CR, LF) is one ``\\n``. The whole engine uses view offsets.
* *byte offsets* in the file, to replace bytes (:meth:`SourceText.byte_offset`).
* *UTF-8 offsets* in :attr:`SourceText.utf8`, the encoded view, which tree-sitter parses.

LSP positions (zero-based line, UTF-16 code units) are made from view offsets.
"""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_left
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE, BOM_UTF32_BE, BOM_UTF32_LE
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, count
from operator import add
from typing import NamedTuple

from snippet_engine.errors import ErrorCode, SnippetError

_WORD = re.compile(r"\w+")

INVISIBLE = "\u200b\u200c\u200d\u2060\ufeff"
"""Invisible characters that Python doesn't count as white space."""
MAX_FILE_BYTES = 8 * 1024 * 1024
"""Files above this size are refused as ``file_too_large``."""


class Position(NamedTuple):
    """An LSP position: zero-based line and UTF-16 code units from the line's start."""

    line: int
    character: int


class TextRange(NamedTuple):
    """A half-open range of view offsets."""

    start: int
    end: int


def starts_of(lines: Iterable[str | bytes]) -> list[int]:
    """Return the offset of each line in the joined lines; each line ending has length 1."""
    return [0, *map(add, accumulate(map(len, lines)), count(1))][:-1]


class LineNumbers:
    """Returns line numbers from counts for each block: a text may have millions of lines."""

    def __init__(self, text: str) -> None:
        self._text = text

    @cached_property
    def _before(self) -> list[int]:
        text = self._text
        counts = (text.count("\n", at, at + _BLOCK) for at in range(0, len(text), _BLOCK))
        return [0, *accumulate(counts)]

    def number(self, offset: int) -> int:
        """Return the zero-based number of the line of the offset."""
        block = min(offset // _BLOCK, len(self._before) - 1)
        return self._before[block] + self._text.count("\n", block * _BLOCK, offset)


@dataclass(frozen=True, slots=True)
class TextEncoding:
    """How to decode a file's bytes: a strict codec and the BOM before it."""

    codec: str
    bom: bytes


_BY_BOM = (
    (BOM_UTF8, "utf-8"),
    (BOM_UTF16_LE, "utf-16-le"),
    (BOM_UTF16_BE, "utf-16-be"),
)

_UNMARKED = (
    ("UTF-32-LE", re.compile(rb"(?:[^\0]\0\0\0){2}")),
    ("UTF-32-BE", re.compile(rb"(?:\0\0\0[^\0]){2}")),
    ("UTF-16-LE", re.compile(rb"(?:[^\0]\0){2}")),
    ("UTF-16-BE", re.compile(rb"(?:\0[^\0]){2}")),
)
"""First bytes of a file in one of these encodings without a BOM. No valid C# in UTF-8 begins with
them.
"""

_SHORT_LINE = 1_000
"""Most code points of a line before a place that are counted without a cache."""
_ASTRAL = re.compile("[\U00010000-\U0010ffff]")
_BLOCK = 4096
"""Size of the blocks in which lines are counted, in code points."""


def content_hash(data: bytes) -> str:
    """Return ``sha256:`` and the hex digest of ``data``, as ``sha256sum`` prints it."""
    return "sha256:" + hashlib.sha256(data).hexdigest()


def decode(data: bytes) -> SourceText | SnippetError:
    """Decode a file's bytes strictly: UTF-8 with or without BOM, or UTF-16 with BOM.

    Errors: ``file_too_large``; ``unsupported_encoding`` with the first bad byte's offset.
    """
    if len(data) > MAX_FILE_BYTES:
        return SnippetError(
            ErrorCode.FILE_TOO_LARGE,
            f"The file has {len(data):,} bytes; the limit is {MAX_FILE_BYTES:,}. "
            "Edit it with another tool, or split the file.",
            details={"bytes": len(data), "limit": MAX_FILE_BYTES},
        )
    if data.startswith((BOM_UTF32_LE, BOM_UTF32_BE)):
        return _unsupported(data, 0, "UTF-32", "starts with a UTF-32 byte order mark")
    for unmarked, beginning in _UNMARKED:
        if beginning.match(data):
            why = f"seems to be {unmarked} without a byte order mark: it begins with zero bytes"
            return _unsupported(data, 0, unmarked, why)
    encoding = TextEncoding("utf-8", b"")
    for bom, codec in _BY_BOM:
        if data.startswith(bom):
            encoding = TextEncoding(codec, bom)
            break
    try:
        text = data[len(encoding.bom) :].decode(encoding.codec)
    except UnicodeDecodeError as error:
        offset, tried = len(encoding.bom) + error.start, encoding.codec.upper()
        why = f"is not valid {tried}: the first bad byte is at offset {offset}"
        return _unsupported(data, offset, tried, why)
    return SourceText(data, encoding, text)


def _unsupported(data: bytes, offset: int, tried: str, why: str) -> SnippetError:
    """Return ``unsupported_encoding``, with the hash that a deletion of the file needs."""
    return SnippetError(
        ErrorCode.UNSUPPORTED_ENCODING,
        f"The file {why}. Save it as UTF-8 (or UTF-16 with BOM) first; nothing was changed.",
        details={"offset": offset, "tried": tried, "hash": content_hash(data)},
    )


class SourceText:
    """A decoded file. Immutable; made by :func:`decode`."""

    def __init__(self, data: bytes, encoding: TextEncoding, text: str) -> None:
        self.data = data
        self.encoding = encoding
        self._text = text
        """The decoded text with its own line endings, but without the BOM."""
        self.view: str = text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text

    @cached_property
    def hash(self) -> str:
        """Return ``sha256:…`` of the file's bytes."""
        return content_hash(self.data)

    @cached_property
    def utf8(self) -> bytes:
        """Return the view in UTF-8."""
        if self.encoding.codec == "utf-8" and self._text is self.view:
            return self.data[len(self.encoding.bom) :]
        return self.view.encode()

    # -- coordinates ---------------------------------------------------------------------

    def byte_offset(self, view_offset: int) -> int:
        """Return the offset in the file's bytes of the code point at ``view_offset``."""
        at = self._text_offset(view_offset)
        bom = len(self.encoding.bom)
        if self.encoding.codec == "utf-8" and self._text.isascii():
            return bom + at
        prefix = self._text[:at]
        if self.encoding.codec == "utf-8" and prefix.isascii():
            return bom + at
        return bom + len(prefix.encode(self.encoding.codec))

    def _text_offset(self, view_offset: int) -> int:
        if self._text is self.view or not self._crlf_before:
            return view_offset
        if self._all_crlf:
            return view_offset + self.view.count("\n", 0, view_offset)
        return view_offset + bisect_left(self._crlf_before, view_offset)

    @cached_property
    def _crlf_before(self) -> list[int]:
        pieces = self._text.split("\r\n")
        pieces.pop()
        return list(map(add, accumulate(map(len, pieces)), count()))

    @cached_property
    def _all_crlf(self) -> bool:
        return len(self._crlf_before) == self.view.count("\n")

    def utf8_offset(self, view_offset: int) -> int:
        """Return the offset in :attr:`utf8` of the code point at ``view_offset``."""
        if self.view.isascii():
            return view_offset
        line = self.line_number(view_offset)
        start = self.line_starts[line]
        return self._utf8_line_starts[line] + len(self.view[start:view_offset].encode())

    def view_offset(self, utf8_offset: int) -> int:
        """Return the view offset of the code point at ``utf8_offset`` in :attr:`utf8`."""
        if self.view.isascii():
            return utf8_offset
        line = self.utf8.count(b"\n", 0, utf8_offset)
        start = self._utf8_line_starts[line]
        prefix = self.utf8[start:utf8_offset].decode(errors="ignore")
        return self.line_starts[line] + len(prefix)

    @cached_property
    def line_starts(self) -> list[int]:
        """Return the view offset of each line's start; one more than there are ``\\n``."""
        return starts_of(self.view.split("\n"))

    @cached_property
    def words(self) -> frozenset[str]:
        """Return all separate words and numbers in the view."""
        return frozenset(_WORD.findall(self.view))

    @cached_property
    def _utf8_line_starts(self) -> list[int]:
        return starts_of(self.utf8.split(b"\n"))

    def position(self, view_offset: int) -> Position:
        """Return the LSP position of ``view_offset``."""
        line = self.line_number(view_offset)
        start = self.view.rfind("\n", max(0, view_offset - _SHORT_LINE), view_offset) + 1
        if not start and line:
            # A line may have megabytes and thousands of errors, each of which is looked up.
            start = self.line_starts[line]
        if self.view.isascii():
            return Position(line, view_offset - start)
        if view_offset - start <= _SHORT_LINE:
            return Position(line, utf16_length(self.view[start:view_offset]))
        astral = bisect_left(self._astral, view_offset) - bisect_left(self._astral, start)
        return Position(line, view_offset - start + astral)

    def offset(self, position: Position) -> int | None:
        """Return the view offset of an LSP position; ``None`` if the text has no such place."""
        if position.line >= self.line_count:
            return None
        start = self.line_starts[position.line]
        line = self.line_at(start)
        if line.isascii():
            return start + position.character if position.character <= len(line) else None
        encoded = line.encode("utf-16-le")
        if position.character * 2 > len(encoded):
            return None
        return start + len(encoded[: position.character * 2].decode("utf-16-le", "ignore"))

    @cached_property
    def _astral(self) -> list[int]:
        return [match.start() for match in _ASTRAL.finditer(self.view)]

    @cached_property
    def numbers(self) -> LineNumbers:
        """Return the line numbers of the view, for callers that need many."""
        return LineNumbers(self.view)

    def line_number(self, view_offset: int) -> int:
        """Return the zero-based number of the line of ``view_offset``."""
        return self.numbers.number(view_offset)

    @cached_property
    def line_count(self) -> int:
        """Return the number of lines; a final line break begins one more, empty line."""
        return self.line_number(len(self.view)) + 1

    def line_start(self, view_offset: int) -> int:
        """Return the view offset where the line of ``view_offset`` begins."""
        return self.view.rfind("\n", 0, view_offset) + 1

    def line_end(self, view_offset: int) -> int:
        """Return the view offset where the line of ``view_offset`` ends, before its ending."""
        end = self.view.find("\n", view_offset)
        return len(self.view) if end < 0 else end

    def line_at(self, view_offset: int) -> str:
        """Return the text of the line of ``view_offset``, without its ending."""
        return self.view[self.line_start(view_offset) : self.line_end(view_offset)]

    # -- line endings --------------------------------------------------------------------

    @cached_property
    def line_endings(self) -> Counter[str]:
        """Return how many lines end with each of ``\\r\\n``, ``\\r`` and ``\\n``."""
        crlf = self._text.count("\r\n") if self._text is not self.view else 0
        cr = (self._text.count("\r") - crlf) if self._text is not self.view else 0
        found = {"\r\n": crlf, "\r": cr, "\n": self.view.count("\n") - crlf - cr}
        return Counter({ending: count for ending, count in found.items() if count})

    def line_ending_at(self, view_offset: int) -> str:
        r"""Return the ending of the offset's line, else of the line above, else ``\\n``."""
        if self._text is self.view:
            return "\n"
        end = self.view.find("\n", view_offset)
        if end < 0:
            end = self.view.rfind("\n")
        if end < 0:
            return "\n"
        original = self._text_offset(end)
        if self._text[original] == "\n":
            return "\n"
        return "\r\n" if self._text[original + 1 : original + 2] == "\n" else "\r"

    def has_ending_at(self, view_offset: int, ending: str) -> bool:
        """Return whether a line break is at ``view_offset``, and is ``ending`` in the file."""
        return (
            0 <= view_offset < len(self.view)
            and self.view[view_offset] == "\n"
            and self.line_ending_at(view_offset) == ending
        )


def utf16_length(text: str) -> int:
    """Return the number of UTF-16 code units in ``text``."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le")) // 2
