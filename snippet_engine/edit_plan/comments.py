r"""Handle new code at a comment: choose its line, and detect code that the comment swallows.

Part of docs/design/engine.md §8 and §2.7. Code inserted at a ``//`` comment gets a line of its own,
because it would be commented out otherwise. An agent may send a line break as two characters,
``\n``. In a ``//`` comment that is valid C#, but the code after it becomes part of the comment.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from snippet_engine.csharp.document import Document, SpanKind
from snippet_engine.edits import EditSet, TextEdit
from snippet_engine.request import InsertPosition, Instruction, Operation
from snippet_engine.source_text import TextRange

_STATEMENT_END = re.compile(r"[;{}][ \t]*(?://.*)?$", re.MULTILINE)
_OWN_BEGINNING = re.compile(r"//|/\*|#|(?:\t|[ \t]{2,}|\s*\n\s*)?\[")
"""Beginnings of a text that doesn't continue a comment: a comment sign, a directive, an
attribute.
"""
_WORD = re.compile(r"\w")


def looks_like_code(text: str) -> bool:
    """Whether a line of ``text`` ends like a statement or a block."""
    return _STATEMENT_END.search(text.rstrip()) is not None


def position_at_comment(
    document: Document, instruction: Instruction, place: TextRange
) -> InsertPosition | None:
    """Return the position for an insertion whose anchor's ``place`` is in a comment.

    Text that doesn't continue the comment goes on a line above or below it. Return the anchor's own
    position, which may be ``None``, in three cases: the text would be outside the comment anyway, a
    separate line would be inside it, too, or the instruction is no insertion.
    """
    anchor, new_text = instruction.anchor, instruction.new_text
    is_before = instruction.position is InsertPosition.BEFORE
    if instruction.operation is not Operation.INSERT or not (
        is_before or instruction.position is InsertPosition.AFTER
    ):
        return anchor.position
    source = document.source
    view = source.view
    at = place.start if is_before else place.end
    if is_before:
        beside, position = source.line_start(at), InsertPosition.LINE_BEFORE
        is_at_edge = view.startswith("//", at)
        has_own_line = is_at_edge and not new_text.rpartition("\n")[2].strip() and "\n" in new_text
    else:
        beside, position = min(source.line_end(at) + 1, len(view)), InsertPosition.LINE_AFTER
        is_at_edge = False
        has_own_line = (
            not view[at : source.line_end(at)].strip()
            and not new_text.partition("\n")[0].strip()
            and "\n" in new_text
        )
    if has_own_line or (document.span_kind(beside, beside) is SpanKind.COMMENT):
        return anchor.position
    is_inside = document.span_kind(at, at) is SpanKind.COMMENT
    if is_at_edge or (is_inside and not _goes_on(view, at, new_text, is_before=is_before)):
        return position
    return anchor.position


def is_commented_out(document: Document, instruction: Instruction, place: TextRange) -> bool:
    """Return whether all code inserted at ``place`` ends up in a ``//`` comment."""
    new_text = instruction.new_text.rstrip()
    if (
        instruction.operation is not Operation.INSERT
        or instruction.position not in (InsertPosition.BEFORE, InsertPosition.AFTER)
        or any(each in new_text for each in ("\n", "//", "/*"))
        or not looks_like_code(new_text)
    ):
        return False
    at = place.start if instruction.position is InsertPosition.BEFORE else place.end
    if document.span_kind(at, at) is not SpanKind.COMMENT:
        return False
    return position_at_comment(document, instruction, place) is not instruction.anchor.position


def _goes_on(view: str, at: int, new_text: str, *, is_before: bool) -> bool:
    """Whether ``new_text`` reads like a part of the comment's text at ``at``."""
    if looks_like_code(new_text) or _OWN_BEGINNING.match(new_text):
        return False
    # Several words, or signs, joined to a word without a blank don't continue the comment.
    edge = (new_text[-1:] + view[at : at + 1]) if is_before else (view[at - 1 : at] + new_text[:1])
    is_joined = len(_WORD.findall(edge)) == 2
    return not (is_joined and re.search(r"\W", new_text.strip()))


ESCAPED_BREAK = re.compile(r"(?:\\r)?\\n|\\r")
_LITERAL = re.compile(r"""(?<!\\)"(?:\\.|[^"\\])*"|'(?:\\.[^']*|[^'\\])'""")
_MOST_SIGNS = 20
"""Most comment signs in one line that are examined."""
_MOST_OF_COMMENT = 50
"""Most escapes of one comment that are examined. An agent that escapes line breaks escapes the
first ones, too.
"""
_LONGEST_LINE = 50_000
"""Longest line that is examined, in code points."""
_LONGEST = 1_000
"""Most code points after an escape that are examined."""
_BRACKET = re.compile(r"[()\[\]]")
_LETTER = re.compile(r"[^\W\d]")
_MEMBER = re.compile(r"[^\W\d]\w*(?:\s*=\s*[^,=]+)?,")
_BLANKS = re.compile(r"(?:\\t|\s)*")


class EscapedBreak(NamedTuple):
    """An escape in a ``//`` comment or a directive that may be a line break in the wrong form."""

    edit: int
    """The index of the edit whose new text has the escape."""
    offset: int
    """The view offset of the escape after the edits."""
    has_code: bool
    """Whether the text after the escape on its line looks like code."""


def escaped_breaks(
    before: Document | None, after: Document, edits: EditSet
) -> Iterator[EscapedBreak]:
    """Yield the first escaped line break of each comment in the new text of ``edits``.

    ``before`` is ``None`` for a new file. Skip an escape before prose: that comment only mentions
    line breaks.
    """
    view = after.source.view
    for number, (edit, (start, end)) in enumerate(zip(edits, edits.after_ranges(), strict=True)):
        if "\\n" not in edit.new_text and "\\r" not in edit.new_text:
            continue
        done = -1
        for escape in ESCAPED_BREAK.finditer(view, start, end):
            if escape.start() < done:
                continue
            line_end = after.source.line_end(escape.start())
            no_code = _no_code(after, escape.start(), line_end)
            if escape.start() < no_code:
                done = no_code
                continue
            done = line_end
            rest = view[escape.start() : line_end]
            lines = list(islice(_behind(rest), _MOST_OF_COMMENT))
            has_code = any(map(_is_code, lines)) or (
                before is not None and _takes_along(before, edit, rest)
            )
            if has_code or any(not each or each.startswith("//") for each in lines):
                yield EscapedBreak(number, escape.start(), has_code)


def _behind(rest: str) -> Iterator[str]:
    """Yield the text after each escape of ``rest``, up to the next escape outside of literals."""
    for escape in ESCAPED_BREAK.finditer(rest):
        at = escape.end()
        line = ESCAPED_BREAK.split(_LITERAL.sub('""', rest[at : at + _LONGEST]), maxsplit=1)[0]
        yield line[_blanks(line) :]


def _is_code(line: str) -> bool:
    """Return whether a line looks like the end of a statement, a block's start, or a list item."""
    is_end = looks_like_code(line) and _LETTER.search(line) is not None and not _is_cut(line)
    return is_end or _MEMBER.fullmatch(line.rstrip()) is not None


def _is_cut(line: str) -> bool:
    """Return whether a line begins within a literal or brackets."""
    depth = 0
    for sign in _BRACKET.findall(line):
        depth += 1 if sign in "([" else -1
        if depth < 0:
            return True
    plain = line.replace(r"\"", '"')
    return plain.count('"') % 2 == 1 or plain.count("'") % 2 == 1


def _takes_along(before: Document, edit: TextEdit, comment: str) -> bool:
    source = before.source
    old = source.view[edit.start : edit.end].strip()
    kind = before.span_kind(edit.start, edit.end)
    if old and old in comment and kind is not SpanKind.COMMENT:
        return True
    behind = source.view[edit.end : source.line_end(edit.end)].strip()
    is_code = before.span_kind(edit.end, edit.end + 1) is not SpanKind.COMMENT
    return bool(behind) and is_code and comment.endswith(behind) and not behind.startswith("//")


def _blanks(text: str) -> int:
    """Return the length of the leading white space of ``text``, including escaped tabs."""
    found = _BLANKS.match(text)
    return found.end() if found else 0


def _no_code(document: Document, offset: int, line_end: int) -> int:
    """Return the start of the ``//`` comment or directive at the end of the line of ``offset``."""
    view, start = document.source.view, document.source.line_start(offset)
    if line_end - start > _LONGEST_LINE:
        return line_end
    if view[start:line_end].lstrip().startswith("#"):
        return start if document.span_kind(start, start) is SpanKind.CODE else line_end
    at = start
    for _ in range(_MOST_SIGNS):
        at = view.find("//", at, line_end)
        if at < 0:
            break
        is_comment = document.span_kind(at, at + 2) is SpanKind.COMMENT
        if is_comment and document.span_kind(at, at) is not SpanKind.COMMENT:
            return at  # The text before isn't a comment, so it begins here.
        at += 1
    return line_end
