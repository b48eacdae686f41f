"""Whether an edit only adds what stands right there: docs/design/engine.md §2.5."""

from __future__ import annotations

import re
from collections.abc import Iterator

from snippet_engine.edits import TextEdit
from snippet_engine.source_text import TextRange

_STATEMENT = re.compile(r"\w{2,}\W+\w{2,}")
"""Two words: less may be wanted twice."""
_ATTRIBUTES = re.compile(r"\s*(?:\[[A-Za-z][^\[\]\n]*\]\s*)+")
"""They say the same however often they are there."""
_ASSIGNMENTS = re.compile(r"(?:\s*+[\w.]++ *+= *+-?[\w.]++ *+;)+\s*+")
"""Nor does it change anything to do them again."""
_NAME = re.compile(r"[^\W\d]\w{2,}")
_PLAIN_SIGNS = re.compile(r"[\w\s(){}\[\];,]*")
_QUALIFIER = re.compile(r"(?:[^\W\d]\w*\.)+")
_DECLARATION = re.compile(r"[^\W\d]\w*(?:<[^<>()\n]*>)?[\[\]?]* +[^\W\d]\w* *[;=,)]")
_BLANKS = 200
"""How much deeper a line may be indented than it was sent."""
_CLOSING = ("", "\n", ";", ")", "]", "}")


def stands_already(view: str, added: TextEdit) -> bool:
    """Whether a trimmed edit only adds what stands right there already: sent again, most likely.

    Lines of signs, such as braces, may be wanted twice; within a line, what something else follows
    may be, too, such as the first of two arguments.
    """
    if added.start != added.end or not added.new_text:
        return False
    if "\n" not in added.new_text:
        return _stands_in_line(view, added.start, added.new_text)
    if not (
        _STATEMENT.search(added.new_text)
        or _ATTRIBUTES.fullmatch(added.new_text)
        or _ASSIGNMENTS.fullmatch(added.new_text)
        or _is_comment(added.new_text)
    ):
        return False
    if _stands_beside(view, added.start, added.new_text):
        return True
    return any(
        view.startswith(text, start) and _is_of_lines(view, start, start + len(text))
        for at, text in _slid(view, added.start, added.new_text)
        for start in (at, at - len(text))
        if start >= 0
    )


def _is_comment(text: str) -> bool:
    """Whether whole lines are comments that say something, in however few words: on end, nobody
    says it twice."""
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    return all(line.startswith("//") for line in lines) and _NAME.search(text) is not None


def _stands_beside(view: str, at: int, text: str) -> bool:
    """Whether an addition of whole lines stands right above or below it, indented as may be.

    Beyond a blank line the same may be wanted twice.
    """
    lines = [line.strip() for line in text.split("\n")]
    first, last = lines[0], lines[-1]
    lines = lines[not first : len(lines) - (not last)]
    reach = len(text) + _BLANKS * (len(lines) + 1)
    start = view.rfind("\n", 0, max(0, at - reach)) + 1
    above = [line.strip() for line in view[start:at].split("\n")]
    below = [line.strip() for line in view[at : at + reach].split("\n")]
    if (above[-1] and first) or (below[0] and last) or not lines:
        return False
    above, below = above[: len(above) - (not above[-1])], below[not below[0] :]
    return lines in (above[-len(lines) :], below[: len(lines)])


def _is_of_lines(view: str, start: int, end: int) -> bool:
    """Whether a text is whole lines, with the line break before or behind them."""
    from_start = view[start - 1 : start] in ("", "\n") and view[end - 1] == "\n"
    return from_start or (view[start] == "\n" and view[end : end + 1] in ("", "\n"))


def _stands_in_line(view: str, at: int, text: str) -> bool:
    """Whether an addition within a line stands at its end, or is the beginning of a word there."""
    if view.startswith(text, at):
        tells = _NAME.search(text) or not _PLAIN_SIGNS.fullmatch(text)
        return bool(tells) and view[at + len(text) :][:1] in _CLOSING
    in_word = f"{text}{view[at : at + 1]}"
    return (
        in_word.isidentifier()
        and view.endswith(text, 0, at)
        and not f"_{view[: at - len(text)][-1:]}".isidentifier()
    )


def is_qualified_already(view: str, added: TextEdit, place: TextRange) -> bool:
    """Whether a trimmed edit only qualifies the type that the declaration at ``place`` begins with,
    which is qualified so already: ``A.`` before the ``B b;`` of ``A.B b;``.

    Where the target has the first of them, a second one is wanted.
    """
    text = added.new_text
    begin = added.start - len(text)
    return (
        added.start == added.end == place.start
        and _QUALIFIER.fullmatch(text) is not None
        and _DECLARATION.match(view, added.end) is not None
        and view.endswith(text, 0, added.start)
        and not re.match(r"[\w.]", view[max(0, begin - 1) : begin])
    )


def _slid(view: str, at: int, text: str) -> Iterator[tuple[int, str]]:
    """An insertion, and the same one as it could as well be put, further up and down."""
    yield at, text
    up, moved = at, text
    while up and view[up - 1] == moved[-1] and at - up < len(text):
        up, moved = up - 1, moved[-1] + moved[:-1]
        yield up, moved
    down, moved = at, text
    while view[down : down + 1] == moved[0] and down - at < len(text):
        down, moved = down + 1, moved[1:] + moved[0]
        yield down, moved
