r"""Line breaks that came as two characters, ``\n``, and so left code in a ``//`` comment.

Implements a part of docs/design/engine.md §2.7. It is valid C#, and does less than was meant: what
stands behind the escape is a part of the comment.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from snippet_engine.anchors.beside_comment import looks_like_code
from snippet_engine.csharp.document import Document, SpanKind
from snippet_engine.edits import EditSet, TextEdit

ESCAPED_BREAK = re.compile(r"(?:\\r)?\\n|\\r")
_LETTER = re.compile(r"[^\W\d]")
_MEMBER = re.compile(r"[^\W\d]\w*(?:\s*=\s*[^,=]+)?,")
_BLANKS = re.compile(r"(?:\\t|\s)*")


class EscapedBreak(NamedTuple):
    """An escape in a ``//`` comment that may have been meant as a line break.

    ``edit`` is the number of the edit whose new text has it, ``offset`` its view offset
    afterwards, and ``has_code`` whether what stands behind it on its line reads as code.
    """

    edit: int
    offset: int
    has_code: bool


def escaped_breaks(
    before: Document | None, after: Document, edits: EditSet
) -> Iterator[EscapedBreak]:
    """The first such escape of each comment in what ``edits`` brought into ``after``, which was
    ``before``; ``None`` of a new file.

    One behind which other prose stands is meant as it is: the comment only speaks of line breaks.
    """
    view = after.source.view
    for number, (edit, (start, end)) in enumerate(zip(edits, edits.after_ranges(), strict=True)):
        if "\\n" not in edit.new_text and "\\r" not in edit.new_text:
            continue
        told = -1
        for escape in ESCAPED_BREAK.finditer(view, start, end):
            line_end = after.source.line_end(escape.start())
            if line_end == told or not _is_in_line_comment(after, escape.start(), line_end):
                continue
            pieces = ESCAPED_BREAK.split(view[escape.start() : line_end])[1:]
            bare = [piece[_blanks(piece) :] for piece in pieces]
            has_code = any(map(_is_code, bare)) or (
                before is not None and _takes_along(before, edit, view[escape.start() : line_end])
            )
            if has_code or not bare[0] or bare[0].startswith("//"):
                told = line_end
                yield EscapedBreak(number, escape.start(), has_code)


def _is_code(line: str) -> bool:
    """Whether a line reads as a statement's end, a block's beginning, or a member of a list."""
    is_end = looks_like_code(line) and _LETTER.search(line) is not None
    return is_end or _MEMBER.fullmatch(line.rstrip()) is not None


def _takes_along(before: Document, edit: TextEdit, comment: str) -> bool:
    """Whether code of the file gets into the ``comment``: the edit's target, or what is behind."""
    source = before.source
    old = source.view[edit.start : edit.end].strip()
    kind = before.span_kind(edit.start, edit.end)
    if old and old in comment and kind is not SpanKind.COMMENT:
        return True
    behind = source.view[edit.end : source.line_end(edit.end)].strip()
    is_code = before.span_kind(edit.end, edit.end + 1) is not SpanKind.COMMENT
    return bool(behind) and is_code and comment.endswith(behind) and not behind.startswith("//")


def _blanks(text: str) -> int:
    """The length of the white space at the beginning of ``text``, tabs as escapes included."""
    found = _BLANKS.match(text)
    return found.end() if found else 0


def _is_in_line_comment(document: Document, offset: int, line_end: int) -> bool:
    """Whether a ``//`` comment goes on from ``offset`` to the end of its line."""
    if document.span_kind(offset, line_end) is not SpanKind.COMMENT:
        return False
    view, at = document.source.view, document.source.line_start(offset)
    while (at := view.find("//", at, offset)) >= 0:
        is_comment = document.span_kind(at, at + 2) is SpanKind.COMMENT
        if is_comment and document.span_kind(at, at) is not SpanKind.COMMENT:
            return True  # Nothing is a comment yet right before it: it begins here.
        at += 1
    return False
