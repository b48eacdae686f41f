"""Names that an edit declares twice, or uses before it declares them.

Implements docs/design/roslyn.md §1.4. What a name is in conflict with can stand far from the edit,
so that the members around it are read, and of their types what they declare; never the whole of a
long file. Only what the text before had not is told.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from tree_sitter import Node

from snippet_engine.csharp.analysis import Analysis
from snippet_engine.csharp.lexical.preprocessor import Condition
from snippet_engine.csharp.tree.edit_windows import moved
from snippet_engine.csharp.tree.member_windows import (
    MemberWindow,
    member_windows,
    members_around,
)
from snippet_engine.csharp.tree.syntax_tree import Change
from snippet_engine.edits import EditSet
from snippet_engine.validation.embedded.names.local_scopes import ScopeError
from snippet_engine.validation.embedded.names.member_names import (
    Member,
    declared_twice,
    members_of,
)
from snippet_engine.validation.embedded.names.name_changes import may_change_names, may_declare
from snippet_engine.validation.embedded.names.scope_reader import local_errors
from snippet_engine.validation.validator import Diagnostic

_MESSAGES = {
    "CS0100": "two parameters are named '{}'",
    "CS0101": "'{}' is declared in its namespace already",
    "CS0102": "'{}' is declared in its type already",
    "CS0111": "'{}' is declared in its type already, with parameters of the same types",
    "CS0128": "'{}' is declared in its scope already",
    "CS0136": "'{}' is declared in a scope around this one already",
    "CS0542": "'{}' has the name of the type that it belongs to",
    "CS0841": "'{}' is used before it is declared",
    "CS4032": "'{}' needs async on the function around it",
}
_WITH_MEMBERS = frozenset(
    (
        "class_declaration",
        "enum_declaration",
        "interface_declaration",
        "namespace_declaration",
        "record_declaration",
        "struct_declaration",
    )
)
_MAX_DEPTH = 100
"""Types in types that are looked into."""
_MAX_MEMBER = 500_000
"""Longer members, in bytes, are not read."""
_EVERYWHERE = ((0, 1 << 60),)

_Places = Sequence[tuple[int, int]]
"""Ranges of bytes, sorted and disjoint."""


def scope_errors(before: Analysis, after: Analysis, edits: EditSet) -> Iterator[Diagnostic]:
    """The errors of names in the members around ``edits`` that were not there before."""
    now: list[ScopeError] | None = None
    with_locals = True
    # An anchor may hold far more than what the edit changes of it.
    changes = after.changes_since(before, edits.trimmed(before.source.view))
    if changes is not None and before.has_whole_tree:
        around = [members_around(before.tree, change) for change in changes]
        names = may_change_names(before.active_utf8, after.active_utf8, changes, around)
        with_locals = any(names)
        wanted = [
            has_names or each is None or not each.is_inside
            for has_names, each in zip(names, around, strict=True)
        ]
        if not any(wanted):
            return
        if not after.has_tree:
            windows = member_windows(after.active_utf8, changes, around, wanted)
            if windows is not None:
                now = _errors_in_windows(before, windows, changes, with_locals=with_locals)
    if now is None:
        now = _errors_around(after, edits.after_ranges(), with_locals=with_locals)
    if not now:
        return
    # All that the types around declare: edits inside of one member can have made two of it.
    then = _errors_around(before, [(edit.start, edit.end) for edit in edits], with_names=True)
    left = Counter((each.id, each.name) for each in then)
    for each in sorted(set(now), key=lambda error: (error.start, error.id)):
        if left[each.id, each.name] > 0:
            left[each.id, each.name] -= 1
        elif _go_together(after, each.start, each.other):
            offset = after.source.view_offset(each.start)
            message = _MESSAGES[each.id].format(each.name.decode(errors="replace"))
            yield Diagnostic(offset, after.source.position(offset), each.id, message)


def _errors_in_windows(
    before: Analysis,
    windows: Sequence[MemberWindow],
    changes: Sequence[Change],
    *,
    with_locals: bool,
) -> list[ScopeError]:
    """The errors now in the members around the changes."""
    found: list[ScopeError] = []
    for window in windows:
        reading = _Reading(window.text, _EVERYWHERE, with_locals=with_locals)
        for member in window.after:
            reading.read_member(member)
        found += (each.moved_by(window.shift) for each in reading.found)
        if not window.before.is_inside:
            siblings = [
                each
                for each in windows
                if each is not window and each.before.type.id == window.before.type.id
            ]
            found += _new_names(before, window, siblings, changes)
    return found


def _new_names(
    before: Analysis,
    window: MemberWindow,
    siblings: Sequence[MemberWindow],
    changes: Sequence[Change],
) -> list[ScopeError]:
    """What the members of a window are in conflict with; nothing where they have no new names.

    ``siblings`` are the other windows of its type: a member can move from one to another.
    """
    type_, (start, end), _ = window.before
    body = type_.child_by_field_name("body")
    if body is None:
        return []
    text = before.active_utf8
    touched = members_of(_children_in(body, start, end), text)
    new = members_of(window.after, window.text)
    fresh = Counter(map(_placeless, new)) - Counter(map(_placeless, touched))
    if not fresh:
        return []
    members = [each._replace(start=each.start + window.shift) for each in new]
    rest = text[body.start_byte : start], text[end : body.end_byte]
    name = _name(type_, text)
    if not siblings and not any(may_declare(part, each.name) for part in rest for each in fresh):
        return declared_twice(members, type_.type, name)
    gone = [(start, end), *(each.before.range for each in siblings)]
    others = [
        each
        for each in body.named_children
        if not any(first <= each.start_byte < last for first, last in gone)
    ]
    for sibling in siblings:
        for member in members_of(sibling.after, sibling.text):
            members.append(member._replace(start=member.start + sibling.shift))
    for other in members_of(others, text):
        place, _ = moved(other.start, other.start, changes)
        members.append(other._replace(start=place))
    members.sort(key=lambda member: member.start)
    return declared_twice(members, type_.type, name)


def _placeless(member: Member) -> Member:
    return member._replace(start=0)


def _children_in(body: Node, start: int, end: int) -> list[Node]:
    """The children that begin in a range that children begin and end at."""
    found: list[Node] = []
    cursor = body.walk()
    more = cursor.goto_first_child_for_byte(start) is not None
    while more:
        child = cursor.node
        if child is None or child.start_byte >= end:
            break
        if child.start_byte >= start:
            found.append(child)
        more = cursor.goto_next_sibling()
    return found


def _errors_around(
    analysis: Analysis,
    ranges: Iterable[tuple[int, int]],
    *,
    with_names: bool = False,
    with_locals: bool = True,
) -> list[ScopeError]:
    """The errors in what the view ranges touch, by the tree of the whole file.

    What types declare is compared where more is touched than the inside of one member, or
    ``with_names``.
    """
    at = analysis.source.utf8_offset
    places = [(at(start), at(end)) for start, end in ranges]
    reading = _Reading(analysis.active_utf8, places, with_names=with_names, with_locals=with_locals)
    reading.read_body(analysis.cured_tree.root_node, None)
    return reading.found


class _Reading:
    """Collects the errors of what ``places`` touch."""

    def __init__(
        self,
        text: bytes,
        places: _Places,
        *,
        with_names: bool = True,
        with_locals: bool = True,
    ) -> None:
        self.found: list[ScopeError] = []
        self._text = text
        self._places = places
        self._with_names = with_names
        self._with_locals = with_locals

    def read_body(self, body: Node, owner: Node | None, depth: int = 0) -> None:
        """Read the members of a type, or of a file or namespace."""
        declarations = body.named_children
        touched = [each for each in declarations if _is_touched(each, self._places)]
        is_inside = len(touched) == 1 and _is_all_inside(touched[0], self._places)
        if not body.has_error and (self._with_names or not is_inside):
            kind, name = ("", b"") if owner is None else (owner.type, _name(owner, self._text))
            self.found += declared_twice(members_of(declarations, self._text), kind, name)
        for declaration in touched:
            self.read_member(declaration, depth)

    def read_member(self, member: Node, depth: int = 0) -> None:
        """Read a member, and those of a type."""
        if member.type in _WITH_MEMBERS:
            body = member.child_by_field_name("body")
            if body is not None and depth < _MAX_DEPTH:
                self.read_body(body, member, depth + 1)
        elif not self._with_locals or member.has_error:
            return
        elif member.end_byte - member.start_byte < _MAX_MEMBER:
            self.found += local_errors(member, self._text)


def _is_touched(node: Node, places: _Places) -> bool:
    index = bisect_left(places, node.start_byte, key=lambda place: place[1])
    return index < len(places) and places[index][0] <= node.end_byte


def _is_all_inside(declaration: Node, places: _Places) -> bool:
    """Whether all places are inside of the brackets of a declaration's body."""
    body = declaration.child_by_field_name("body")
    return (
        body is not None
        and bool(places)
        and body.start_byte < places[0][0]
        and places[-1][1] < body.end_byte
    )


def _name(owner: Node, text: bytes) -> bytes:
    name = owner.child_by_field_name("name")
    return b"" if name is None else text[name.start_byte : name.end_byte].removeprefix(b"@")


def _go_together(analysis: Analysis, *places: int) -> bool:
    """Whether what is compiled at one of two places always has the other beside it.

    Conditions that a symbol set meets at once may never be met together by a compiler.
    """
    if not analysis.scan.directives:
        return True
    one, other = (_conditions(analysis, place) for place in places)
    shorter = min(len(one), len(other))
    return one[:shorter] == other[:shorter]


def _conditions(analysis: Analysis, place: int) -> list[tuple[str, tuple[Condition, ...]]]:
    offset = analysis.source.view_offset(place)
    (branch, *_) = analysis.branches(offset, offset + 1)
    return [
        (each.kind, each.conditions) for each in branch.outermost_first() if each.kind != "region"
    ]
