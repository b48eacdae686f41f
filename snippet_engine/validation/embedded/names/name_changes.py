"""A quick look at an edit: whether what names in a function mean can be another thing after it.

Part of docs/design/roslyn.md §1.4. Most edits neither declare anything nor use what is declared
around them, and move no bracket that another scope begins at. The text shows that without a tree.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from snippet_engine.csharp.lexical.keywords import PREDEFINED_TYPES, RESERVED_WORDS
from snippet_engine.csharp.tree.edit_windows import moved
from snippet_engine.csharp.tree.member_windows import Members
from snippet_engine.csharp.tree.syntax_tree import Change

_MAX_LOOKED_AT = 1_000
"""Bytes of a change; of a larger one, more than a look is needed."""
_MAX_BEFORE = 100
"""Bytes to either side of a name."""
_MAX_USES = 200
"""Places of one name that are looked at."""
_WORD = re.compile(rb"[A-Za-z_\x80-\xff][\w\x80-\xff]*")
_WORD_BYTES = frozenset(
    byte for byte in range(256) if byte >= 0x80 or chr(byte).isalnum() or byte == ord("_")
)
_WORDS_BESIDE = re.compile(rb"[\w\x80-\xff]*(?:\s+[\w\x80-\xff]+)?")
_WORD_AT_START = re.compile(rb"[\w\x80-\xff]+")
_SPACE = b" \t\r\n\v\f"
_LISTS = (b"=>", b"var (", b"var(")
_BRACKETS = re.compile(rb"[()\[\]{}]")
_CLOSING = {b")": b"(", b"]": b"[", b"}": b"{"}
_BEGIN_SCOPES = frozenset(
    b"async case catch default delegate do else fixed for foreach if lock switch using when while"
    b" static".split()
)
"""Words that say where names are seen; one that is gone can leave a name in another's scope."""
_WAIT = frozenset((b"async", b"await", b"delegate"))
_BEFORE_NO_NAME = (
    RESERVED_WORDS - PREDEFINED_TYPES - frozenset(b"class enum interface struct void".split())
) | {b"await"}
"""Behind these, a name is used and not declared."""


def may_change_names(
    before: bytes, after: bytes, changes: Sequence[Change], around: Sequence[Members | None]
) -> list[bool]:
    """Whether each of ``changes`` may have declared a name, or used one that is declared around it.

    ``around`` is what stands around each change in the text ``before``.
    """
    found: list[bool] = []
    shift = 0
    for change, members in zip(changes, around, strict=True):
        start, end, length = change
        old = before[slice(*_widened(before, start, end))]
        new = after[slice(*_widened(after, start + shift, start + shift + length))]
        shift += length - (end - start)
        names = _names_to_ask_for(old, new)
        if names is None or members is None:
            found.append(True)
            continue
        text = after[slice(*moved(*members.range, changes))] if names else b""
        # What a setter is given is declared nowhere.
        found.append(b"value" in names or any(may_declare(text, name, uses=2) for name in names))
    return found


def may_declare(text: bytes, name: bytes, uses: int = 1) -> bool:
    """Whether ``text`` may declare a name, and has it ``uses`` times at least."""
    if not _WORD.fullmatch(name):
        return True
    found = 0
    is_declared = False
    at = text.find(name)
    while at >= 0 and found < _MAX_USES:
        end = at + len(name)
        if (not at or text[at - 1] not in _WORD_BYTES) and (
            end == len(text) or text[end] not in _WORD_BYTES
        ):
            found += 1
            is_declared = is_declared or _is_declared_at(text, at, end)
            if is_declared and found >= uses:
                return True
        at = text.find(name, end)
    return found >= _MAX_USES


def _is_declared_at(text: bytes, start: int, end: int) -> bool:
    before = text[max(0, start - _MAX_BEFORE) : start].rstrip(_SPACE).removesuffix(b"@")
    behind = text[end : end + _MAX_BEFORE].lstrip(_SPACE)
    last = before[-1:]
    if behind.startswith(b"=>") or last in {b"", b"/", b"@"}:
        return True
    if last in {b">", b"]", b"?", b"*", b")"}:
        return not behind.startswith(b".")
    if last == b"," and behind[:1] in {b"=", b";"}:
        return True
    if last in {b"(", b","}:
        # Of a lambda's parameters, or of variables in parentheses.
        return behind[:1] in {b",", b")"} and any(each in text for each in _LISTS)
    word = _WORD_AT_START.match(before[::-1])
    return word is not None and word[0][::-1] not in _BEFORE_NO_NAME


def _names_to_ask_for(old: bytes, new: bytes) -> set[bytes] | None:
    """The names in changed text that matter if they are declared around; ``None``: ask anyway."""
    if len(old) + len(new) > _MAX_LOOKED_AT or b"=>" in old or b"=>" in new:
        return None
    if not (_is_balanced(old) and _is_balanced(new)):
        return None
    was, is_ = set(_WORD.findall(old)), set(_WORD.findall(new))
    if not _BEGIN_SCOPES.isdisjoint(was - is_) or not _WAIT.isdisjoint(is_ - was):
        return None
    return is_ - RESERVED_WORDS


def _is_balanced(text: bytes) -> bool:
    """Whether brackets in a piece of code close what they open; those in strings count as well."""
    opened: list[bytes] = []
    for bracket in _BRACKETS.findall(text):
        if bracket not in _CLOSING:
            opened.append(bracket)
        elif not opened or opened.pop() != _CLOSING[bracket]:
            return False
    return not opened


def _widened(text: bytes, start: int, end: int) -> tuple[int, int]:
    """The range with the words that its ends stand in or touch, and with those beside it."""
    before = text[max(0, start - _MAX_BEFORE) : start][::-1]
    behind = text[end : end + _MAX_BEFORE]
    left, right = _WORDS_BESIDE.match(before), _WORDS_BESIDE.match(behind)
    return start - (left.end() if left else 0), end + (right.end() if right else 0)
