"""Set or remove one member of a JSON document, and keep the rest of its text.

Part of docs/design/command-line.md ``client install`` and ``client uninstall``: other keys,
comments, trailing commas, order and layout are the user's.
"""

from __future__ import annotations

import json
import re
from json.decoder import JSONDecodeError
from typing import Any, TypeAlias

from mcp_server.json_text import JsonLayout, Member, Span, why_not_json

_COMMENT = re.compile(r'"(?:[^"\\\n]|\\.)*"|//[^\n]*|/\*.*?\*/', re.DOTALL)
_TRAILING_COMMA = re.compile(r'"(?:[^"\\\n]|\\.)*"|,(?=\s*[}\]])')


class NotEditableError(ValueError):
    """The document can't be changed safely; the message says why."""


def parse_json(text: str) -> Any:
    """Return the value of a document that may have comments. An empty text is an empty object.

    Raises :class:`NotEditableError` if it isn't JSON.
    """
    plain = _plain(text)
    if not plain.strip():
        return {}
    try:
        return json.loads(plain)
    except JSONDecodeError as error:
        raise NotEditableError(
            f"it is not JSON (line {error.lineno}, column {error.colno}: {why_not_json(error)})"
        ) from None
    except (ValueError, RecursionError) as error:
        raise NotEditableError(f"it is not JSON ({error})") from None


Path: TypeAlias = tuple[str | int, ...]
"""The path to a value: names of members and indexes of items, from the outermost inwards."""


def set_in_json(text: str, path: Path, value: Any) -> str:
    """Return ``text`` with ``value`` at ``path``. Missing objects on the way are created.

    An index of as many items as a list has appends to it. Raises :class:`NotEditableError`.
    """
    before = parse_json(text)
    if not _plain(text).strip():
        return f"{text}{json.dumps(_nested(path, value), indent=2, ensure_ascii=False)}\n"
    changed = _Splicer(text).set(path, value)
    if parse_json(changed) != _with_value(before, path, value):
        raise NotEditableError("its layout is not understood")
    return changed


def remove_from_json(text: str, path: Path) -> str:
    """Return ``text`` without the member or item at ``path``, which exists.

    Raises :class:`NotEditableError`.
    """
    expected = parse_json(text)
    container = expected
    for name in path[:-1]:
        container = container[name]
    del container[path[-1]]
    changed = _Splicer(text).remove(path)
    while changed is not None:
        text = changed
        # A name may be given several times.
        changed = None if isinstance(path[-1], int) else _Splicer(text).remove(path)
    if parse_json(text) != expected:
        raise NotEditableError("its layout is not understood")
    return text


def remove_empty_from_json(text: str, path: Path) -> str:
    """Return ``text`` without the member at ``path``, if that is empty, without even a comment.

    Raises :class:`NotEditableError`.
    """
    layout = JsonLayout(_plain(text))
    container, members = layout.root, list[Member]()
    for name in path:
        members = [each for each in layout.members(container) if each.name == name]
        if len(members) != 1:
            return text
        container = members[0].value
    is_bare = re.fullmatch(r"\{\s*\}|\[\s*\]", text[container.start : container.end]) is not None
    key = members[-1].key
    is_bare = is_bare and key is not None and text[key.end : container.start].strip() == ":"
    return remove_from_json(text, path) if is_bare else text


def _plain(text: str) -> str:
    """Return strict JSON of the same length: comments and trailing commas become blanks."""
    without_comments = _COMMENT.sub(_blanked, text)
    return _TRAILING_COMMA.sub(_blanked, without_comments)


def _blanked(match: re.Match[str]) -> str:
    found = match.group()
    return found if found.startswith('"') else re.sub(r"[^\n]", " ", found)


def _with_value(document: Any, path: Path, value: Any) -> Any:
    first, *rest = path
    if isinstance(first, int):
        inner = _with_value(document[first], tuple(rest), value) if rest else value
        return [*document[:first], inner, *document[first + 1 :]]
    inner = _with_value(document.get(first, {}), tuple(rest), value) if rest else value
    return {**document, first: inner}


def _nested(path: Path, value: Any) -> Any:
    for name in reversed(path):
        value = {name: value}
    return value


def _start_of(member: Member) -> int:
    return (member.key or member.value).start


class _Splicer:
    """Changes one document. Its text and its plain form have the same offsets."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._plain = _plain(text)
        self._layout = JsonLayout(self._plain)
        self._newline = "\r\n" if "\r\n" in text else "\n"
        self._unit = min(re.findall(r'^([ \t]+)"', text, re.MULTILINE), key=len, default="  ")

    def set(self, path: Path, value: Any) -> str:
        container = self._layout.root
        for depth, name in enumerate(path):
            opening, kind = ("[", "a list") if isinstance(name, int) else ("{", "an object")
            if self._plain[container.start] != opening:
                where = ".".join(map(str, path[:depth])) or "the document"
                raise NotEditableError(f"{where} is not {kind}")
            members = list(self._layout.members(container))
            # Of several members with one name, parsers take the last.
            member = {each.name: each for each in members}.get(name)
            if member is None:
                nested = _nested(path[depth + 1 :], value)
                return self._insert(container, members, name, nested)
            if depth == len(path) - 1:
                written = self._dumped(value, self._indent_of(member))
                return self._text[: member.value.start] + written + self._text[member.value.end :]
            container = member.value
        raise AssertionError("a path has at least one name")

    def _insert(self, container: Span, members: list[Member], name: str | int, value: Any) -> str:
        """Insert a new last member. Text after the previous last one, such as a comment, stays."""
        outer = self._indent_at(container.start)
        end = container.end - 1
        last = members[-1] if members else None
        indent = self._indent_of(last) if last is not None else outer
        if indent == outer:  # no member yet, or all on one line
            indent = outer + self._unit
        filled = len(self._text[:end].rstrip())
        behind = "" if last is None else self._text[last.value.end : filled]
        trails = "," in _COMMENT.sub(_blanked, behind)  # the document has trailing commas
        key = "" if isinstance(name, int) else f"{json.dumps(name)}: "
        new = f"{self._newline}{indent}{key}{self._dumped(value, indent)}"
        new += "," if trails else ""
        if "\n" not in self._text[filled:end]:
            new += self._newline + outer
        head = self._text[:filled]
        if last is not None and not trails:
            head = f"{self._text[: last.value.end]},{behind}"
        return head + new + self._text[filled:]

    def remove(self, path: Path) -> str | None:
        """Return the text without the last member of that name; ``None`` without such a member."""
        container = self._layout.root
        for name in path[:-1]:
            container = {each.name: each for each in self._layout.members(container)}[name].value
        members = list(self._layout.members(container))
        at = max((n for n, each in enumerate(members) if each.name == path[-1]), default=None)
        if at is None:
            return None
        start, end = _start_of(members[at]), members[at].value.end
        head = self._text[:start]
        comma = re.match(r"\s*,", _COMMENT.sub(_blanked, self._text[end : container.end]))
        if comma is not None:
            end += comma.end()
        elif at > 0:  # the new last member loses its comma
            before = members[at - 1].value.end
            place = before + _COMMENT.sub(_blanked, self._text[before:start]).index(",")
            head = self._text[:place] + self._text[place + 1 : start]
        tail = self._text[end:]
        # An insertion puts its member on a line of its own, after members on the bracket's line.
        kept = members[at - 1].value.end if at > 0 else container.start + 1
        made = self._newline + self._indent_at(container.start)
        between = head[kept:]
        trailing = "," if comma is not None else ""
        alone = "\n" in between and between.strip() == trailing and tail.startswith(made)
        is_last = comma is None or tail.lstrip()[:1] in ("}", "]")
        if alone and is_last and self._ends_inline(container, members[:at]):
            return head[:kept] + trailing + tail[len(made) :]
        alone = not head[container.start + 1 :].strip()
        if len(members) == 1 and alone and tail.lstrip()[:1] in ("}", "]"):
            return head.rstrip() + tail.lstrip()
        line = head[head.rfind("\n") + 1 :]
        blank = re.match(r"[ \t]*(?:\r?\n|$)", tail)
        if not line.strip() and blank is not None:  # it leaves an empty line
            return head[: len(head) - len(line)] + tail[blank.end() :]
        return (head.rstrip(" \t") if tail[:1] in ("}", "]") else head) + tail.lstrip(" \t")

    def _ends_inline(self, container: Span, members: list[Member]) -> bool:
        """Return whether the first member is on the bracket's line, and the last one isn't."""
        if not members:
            return True
        first, last = _start_of(members[0]), _start_of(members[-1])
        line = self._text[self._text.rfind("\n", 0, last) + 1 : last]
        return "\n" not in self._text[container.start : first] and bool(line.strip())

    def _dumped(self, value: Any, indent: str) -> str:
        lines = json.dumps(value, indent=self._unit, ensure_ascii=False).split("\n")
        return (self._newline + indent).join(lines)

    def _indent_of(self, member: Member) -> str:
        return self._indent_at(_start_of(member))

    def _indent_at(self, place: int) -> str:
        line = self._text[self._text.rfind("\n", 0, place) + 1 : place]
        return line[: len(line) - len(line.lstrip())]
