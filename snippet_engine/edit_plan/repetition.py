"""Detect edits that only add text that is already there (docs/design/engine.md §2.5)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from snippet_engine.anchors.whole_words import is_word, word_around
from snippet_engine.edit_plan.additions import additions_around
from snippet_engine.edits import TextEdit
from snippet_engine.request import Instruction
from snippet_engine.source_text import TextRange

_ATTRIBUTES = re.compile(r"\s*(?:\[[A-Za-z][^\[\]\n]*\]\s*)+")
"""Attributes. Repeating them changes nothing."""
_LEAD_LINE = re.compile(r"//.*|\[[A-Za-z].*\]")
"""A line above a declaration: a comment, or attributes."""
_LEAD_UNIT = re.compile(
    r"(?>///(?:[^\n]*\S)?|//[^\n]*\w(?:[^\n]*\S)?)"
    r'|\[[A-Za-z](?:[^\[\]"\n]|"(?:[^"\\\n]|\\.)*+"|\[[^\[\]\n]*\])*+\]'
)
_LEAD_PART = re.compile(rf"[ \t]*+({_LEAD_UNIT.pattern})[ \t]*+(?://[^\n]*+)?+\n?+")
_LEAD = re.compile(rf"(?:{_LEAD_PART.pattern})++")
"""Whole comments and attributes at the beginning of a text."""
_ASSIGNMENTS = re.compile(r"(?:\s*+[\w.]++ *+= *+-?[\w.]++ *+;)+\s*+")
"""Assignments. Repeating them changes nothing."""
_NAME = re.compile(r"[^\W\d]\w{2,}")
_PLAIN_SIGNS = re.compile(r"[\w\s(){}\[\];,]*")
_WORD = re.compile(r"\w{2,}")
_LAST_OF_NAME = re.compile(r"[^\W\d_]\w*")
_LETTER = re.compile(r"[^\W\d]")
_ANY_BRACKET = re.compile(r"[(){}\[\]]")
_QUALIFIER = re.compile(r"(?:[^\W\d]\w*\.)+")
_TYPES = re.compile(r"(?:[A-Z]\w+\.)+")
_DECLARATION = re.compile(r"[^\W\d]\w*(?:<[^<>()\n]*>)?[\[\]?]* +[^\W\d]\w* *[;=,)]")
_BASES = re.compile(r"\b(?:class|struct|interface|record)\s+\w+[^;{}()=]*:[^;{}()=]*\Z")
"""The head of a type, up to a place in its list of bases."""
_LONGEST_HEAD = 1_000
_TYPES_MORE = re.compile(r"(?:, *[\w.<>\[\]?]+)+")
"""Further base types; each occurs only once."""
_LITERALS = ("true", "false", "null", "default")
"""Literals that a list may repeat, one on each line. They don't count as names."""
_BEFORE = re.compile(r"[\w\s.<>()\[\]?]*(?:[.)\s]|= *)")
"""Text that is never repeated before the same word: modifiers, a type, a qualifier, the left side
of an assignment. Factors and arguments don't match.
"""
_GUARD = re.compile(r"(?:if|while|for|foreach|lock|using|fixed) ?\([^{}]*\)\s*")
"""A guard, such as ``if (…)``. Repeating it before the same statement is useless."""
_ATTRIBUTES_BEFORE = re.compile(r"(?:\[[A-Z][\w.]*(?:\([^()\n]*\))?\] *)+")
"""Attributes before a declaration on the same line; they occur once."""
_PARAMETERS = re.compile(r"(?:[\w.<>\[\]?]+ +\w+, *)+")
"""Parameters; their names are unique."""
_ROW = 3
"""Fewest signs that lengthen a row of signs."""
_BRACKETS = "(){}[]<>"
_PASSED = ("ref", "out", "in", "new", "await")
_MAX_OFFSETS = 100
"""Most occurrences of a target in its new text that are examined."""
_BLANKS = 200
"""How much deeper than sent a line may be indented, in characters."""
_CLOSING = ("", "\n", ";", ")", "]", "}")


def adds_existing_text(view: str, added: TextEdit, quoted: TextRange | None) -> bool:
    """Whether a trimmed edit only adds text that is already there, so it was probably sent twice.

    Lines of signs, such as braces, may be repeated on purpose. So may text within a line that has
    other text behind it, such as the first of two arguments. ``quoted`` is the text that the edit
    quotes. An agent that quotes a text and adds the same text next to it wants it twice.
    """
    if added.start != added.end or not added.new_text:
        return False
    are_statements = _are_statements(added.new_text)
    is_of_lines = "\n" in added.new_text
    if not is_of_lines or are_statements:
        stands = _is_in_line(view, added.start, added.new_text, quoted)
        if stands or not is_of_lines:
            return stands
    if _ATTRIBUTES.fullmatch(added.new_text):
        quoted = None  # Nobody wants them twice.
    elif not (
        len(_WORD.findall(added.new_text)) > 1  # Less may be wanted twice, such as list members.
        or are_statements
        or _ASSIGNMENTS.fullmatch(added.new_text)
        or (_is_comment(added.new_text) and _NAME.search(added.new_text))
    ):
        return False
    if _is_above_or_below(view, added.start, added.new_text, quoted):
        return True
    if _is_split_around(view, added.start, added.new_text):
        return True
    return any(
        view.startswith(text, start) and _is_of_lines(view, start, start + len(text))
        for at, text in _slid(view, added.start, added.new_text)
        for start in (at, at - len(text))
        if start >= 0 and not _overlaps(quoted, start, start + len(text))
    )


def place_of_existing(view: str, added: TextEdit) -> int:
    """Return where the text that a duplicate adds already is, nearest to the edit."""
    text = added.new_text.strip()
    for sought in (text, text.partition("\n")[0]):
        above = view.rfind(sought, 0, added.start + len(sought))
        below = view.find(sought, added.start)
        found = [each for each in (above, below) if each >= 0]
        if found:
            return min(found, key=lambda at: max(added.start - at - len(sought), at - added.start))
    return added.start


def _are_statements(text: str) -> bool:
    """Whether a text consists only of whole statements, such as ``x++;`` or ``if (a) B();``.

    A request that wants one more of them quotes the existing one.
    """
    bare = text.strip()
    if not bare.endswith((";", "}")) or ";" not in bare or not _LETTER.search(bare):
        return False
    depth = 0
    for sign in _ANY_BRACKET.findall(bare):
        depth += 1 if sign in "({[" else -1
        if depth < 0:
            return False
    return depth == 0


def _overlaps(quoted: TextRange | None, start: int, end: int) -> bool:
    return quoted is not None and start < quoted.end and quoted.start < end


def _is_comment(text: str, mark: str = "//") -> bool:
    """Return whether all lines are comments with ``mark``; nobody repeats these on purpose."""
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    return bool(lines) and all(line.startswith(mark) for line in lines)


def _is_above_or_below(view: str, at: int, text: str, quoted: TextRange | None) -> bool:
    """Return whether the added lines are directly above or below, at any indentation.

    Repeating lines beyond a blank line, or repeating ``quoted``, may be intended.
    """
    lines = [line.strip() for line in text.split("\n")]
    first, last = lines[0], lines[-1]
    lines = lines[not first : len(lines) - (not last)]
    preceding, following = _lines_around(view, at, text, len(lines))
    above = [line.strip() for line in preceding]
    below = [line.strip() for line in following]
    if (above[-1] and first) or (below[0] and last) or not lines:
        return False
    end = at + len("\n".join(following[: len(lines) + (not below[0])]))
    above, below = above[: len(above) - (not above[-1])], below[not below[0] :]
    is_above, is_below = lines == above[-len(lines) :], lines == below[: len(lines)]
    if quoted is not None:
        is_above = is_above and at <= quoted.start
        is_below = is_below and (quoted.end <= at or end <= quoted.start)
    return is_above or is_below


def _lines_around(view: str, at: int, text: str, count: int) -> tuple[list[str], list[str]]:
    """Return the lines above and below ``at`` that ``text``, of ``count`` lines, may cover."""
    reach = len(text) + _BLANKS * (count + 1)
    start = view.rfind("\n", 0, max(0, at - reach)) + 1
    return view[start:at].split("\n"), view[at : at + reach].split("\n")


def _is_split_around(view: str, at: int, text: str) -> bool:
    """Whether inserted comments and attributes are already there, some above and some below.

    A comment belongs to no declaration, but attributes belong to the one below them.
    """
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    if len(lines) < 2 or not all(map(_LEAD_LINE.fullmatch, lines)):
        return False
    above, below = (
        [line.strip() for line in side] for side in _lines_around(view, at, text, len(lines))
    )
    above, below = above[: len(above) - (not above[-1])], below[not below[0] :]
    return any(
        above[-first:] == lines[:first] and below[: len(lines) - first] == lines[first:]
        for first in range(1, len(lines))
    )


def _is_of_lines(view: str, start: int, end: int) -> bool:
    from_start = view[start - 1 : start] in ("", "\n") and view[end - 1] == "\n"
    return from_start or (view[start] == "\n" and view[end : end + 1] in ("", "\n"))


def _is_in_line(view: str, at: int, text: str, quoted: TextRange | None = None) -> bool:
    """Return whether the line has the text after ``at`` already, or a word there begins with it."""
    if view.startswith(text, at) and not _overlaps(quoted, at, at + len(text)):
        end = at + len(text)
        head = max(view.rfind("\n", 0, at) + 1, at - _LONGEST_HEAD)
        if _TYPES_MORE.fullmatch(text) and _BASES.search(view, head, at):
            return not is_word(view[end : end + 1])
        if _ATTRIBUTES_BEFORE.fullmatch(text) and _begins_declaration(view[head:at]):
            return True
        tells = _NAME.search(text) or not _PLAIN_SIGNS.fullmatch(text) or _are_statements(text)
        return bool(tells) and view[end : end + _BLANKS].lstrip(" \t")[:1] in _CLOSING
    in_word = f"{text}{view[at : at + 1]}"
    return (
        in_word.isidentifier()
        and view.endswith(text, 0, at)
        and not f"_{view[: at - len(text)][-1:]}".isidentifier()
    )


def _begins_declaration(before: str) -> bool:
    """Return whether the line before a place is empty, or has only attributes."""
    return not before.strip() or _ATTRIBUTES_BEFORE.fullmatch(before.lstrip()) is not None


def without_lead_above(view: str, place: TextRange, text: str) -> str:
    """Return the text without the attributes and comments that are already before ``place``.

    They may be on the lines above ``place``, or before it on its line, but not inside it. Comments
    are dropped only if all of them are already there.
    """
    line_start = view.rfind("\n", 0, place.start) + 1
    lead, before = _LEAD.match(text), _LEAD.match(view, line_start, place.start)
    if lead is None or not text[lead.end() :].strip() or _LEAD.match(view, *place):
        return text
    if view[before.end() if before else line_start : place.start].strip():
        return text
    units = _LEAD_UNIT.findall(before[0]) if before else []
    while line_start:
        above = view.rfind("\n", 0, line_start - 1) + 1
        if not _LEAD.fullmatch(view, above, line_start):
            break
        units[:0] = _LEAD_UNIT.findall(view, above, line_start)
        line_start = above
    standing = iter(units)
    comments = [each for each in _LEAD_PART.findall(lead[0]) if each[0] == "/"]
    are_there = all(each in standing for each in comments)

    def left(part: re.Match[str]) -> str:
        stands = part[1] in units if part[1][0] == "[" else are_there
        return "" if stands else part[0]

    rest = _LEAD_PART.sub(left, lead[0]) + text[lead.end() :]
    is_within_line = view[place.start - 1 : place.start] not in ("", "\n")
    return rest.lstrip(" \t") if rest != text and is_within_line else rest


def is_already_around(view: str, instruction: Instruction, place: TextRange) -> bool:
    """Whether the text that ``instruction`` adds to the target at ``place`` is already around it.

    For example ``private void A()`` around ``void A()``.
    """
    return any(
        _is_wanted_once(
            view, TextRange(place.start - len(before), place.end + len(after)), before, after
        )
        for before, after in additions_around(view, instruction, place, _MAX_OFFSETS)
    )


def _is_wanted_once(view: str, whole: TextRange, before: str, after: str) -> bool:
    """Whether nobody wants this addition twice, given that it is already around the target."""
    if _is_rest_of_row(view, whole, before, after):
        return True
    if _NAME.search(before) and _NAME.search(after):
        return True  # Two names aren't there by chance, even as parts of longer words.
    if not before and _is_rest_of_name(view, whole.end, after):
        return True
    if not _may_begin(view, whole.start, before) or not _may_end(view, whole.end, after):
        return False
    if before and after:
        return _NAME.search(before + after) is not None
    if after in (",", ";"):
        return True
    if _GUARD.fullmatch(before):
        return True
    if "\n" in before + after:
        return _is_distinctive(before + after)
    if _QUALIFIER.fullmatch(before):
        # A qualifier may be wanted twice: ``next.next``.
        at = whole.start + len(before)
        return bool(_TYPES.fullmatch(before) or _DECLARATION.match(view, at))
    if _PARAMETERS.fullmatch(before):
        return before.split(maxsplit=1)[0] not in _PASSED
    if _ATTRIBUTES_BEFORE.fullmatch(before) or _are_statements(before):
        return True
    if before:
        return _BEFORE.fullmatch(before) is not None and _WORD.search(before) is not None
    return _is_in_line(view, whole.end - len(after), after)


def _is_rest_of_name(view: str, end: int, after: str) -> bool:
    """Whether ``after`` is already the end of a name that begins with the target's last word."""
    if not _LAST_OF_NAME.fullmatch(after):
        return False
    name = word_around(view, end - len(after))
    return name.end == end and _LETTER.match(view, name.start) is not None


def _is_rest_of_row(view: str, whole: TextRange, before: str, after: str) -> bool:
    """Whether the target with the addition is already a whole row of one sign (``====``)."""
    signs = {*before.strip(), *after.strip()}
    if len(signs) != 1 or len(before.strip() + after.strip()) < _ROW:
        return False
    (sign,) = signs
    start, end = whole.start + len(before), whole.end - len(after)
    is_before, is_after = bool(before.strip()), bool(after.strip())
    if is_word(sign) or sign in _BRACKETS:
        return False
    if (is_before and not before.endswith(sign)) or (is_after and not after.startswith(sign)):
        return False
    if (is_before and view[start] != sign) or (is_after and view[end - 1] != sign):
        return False
    first = whole.start + len(before) - len(before.lstrip())
    last = whole.end - len(after) + len(after.rstrip())
    begins = not is_before or view[first - 1 : first] != sign
    return begins and (not is_after or view[last : last + 1] != sign)


def _may_begin(view: str, start: int, before: str) -> bool:
    """Whether an addition begins at a word boundary; if it has several lines, at a line's start."""
    if not before:
        return True
    if "\n" in before:
        return not view[view.rfind("\n", 0, start) + 1 : start].strip()
    above = view[start - 1 : start] if start else ""
    return above != "." and not (_ends_word(before[0]) and _ends_word(above))


def _may_end(view: str, end: int, after: str) -> bool:
    """Whether an addition ends at a word boundary; if it has several lines, before a bracket."""
    if not after:
        return True
    follows = view[end : end + 1]
    if "\n" in after:
        return follows in (*_CLOSING, ",")
    return not _ends_word(after[-1:]) or not _ends_word(follows)


def _ends_word(sign: str) -> bool:
    return f"_{sign}".isidentifier() and sign != ""


def _is_distinctive(text: str) -> bool:
    """Return whether lines contain text that rarely occurs twice in a row: two words, or a name."""
    if _is_comment(text):
        # A line of signs may be a second divider, except in documentation.
        return _NAME.search(text) is not None or _is_comment(text, "///")
    if "#" in text:
        return False
    names = [each for each in _NAME.findall(text) if each not in _LITERALS]
    return bool(names) or len(_WORD.findall(text)) > 1


def _slid(view: str, at: int, text: str) -> Iterator[tuple[int, str]]:
    """Yield an insertion, and the equivalent insertions further up and down."""
    yield at, text
    up, moved = at, text
    while up and view[up - 1] == moved[-1] and at - up < len(text):
        up, moved = up - 1, moved[-1] + moved[:-1]
        yield up, moved
    down, moved = at, text
    while view[down : down + 1] == moved[0] and down - at < len(text):
        down, moved = down + 1, moved[1:] + moved[0]
        yield down, moved
