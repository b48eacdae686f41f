"""Find names that an edit declares twice, ``await`` outside of ``async``, and ``A::`` without
alias.

Implements docs/design/roslyn.md §1.4. The other declaration can be far from the edit, so the
members around the edit are read, and the declarations of their types. Only new errors are reported.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from tree_sitter import Node

from snippet_engine.csharp.analysis import Analysis
from snippet_engine.csharp.lexical.keywords import PREDEFINED_TYPES, RESERVED_WORDS
from snippet_engine.csharp.lexical.language_version import LanguageVersion
from snippet_engine.csharp.lexical.preprocessor import Condition
from snippet_engine.csharp.lexical.spans import SpanKind, kind_of_span
from snippet_engine.csharp.tree.edit_windows import path_to
from snippet_engine.csharp.tree.grammar import TYPES
from snippet_engine.csharp.tree.syntax_tree import Change
from snippet_engine.edits import EditSet
from snippet_engine.validation.embedded.local_names import NameConflict, local_conflicts
from snippet_engine.validation.embedded.member_names import member_conflicts
from snippet_engine.validation.validator import Diagnostic

_GLOBAL_ALIASES = LanguageVersion(10)
"""The first version in which another file can declare an alias for all files."""
_MAX_WIDENED = 400
"""How far to search from an edit, in code points: a name and the white space after it."""
_MAX_NAMES = 100
_USE = re.compile(r"(?<![\w@:\\])@?([^\W\d]\w*)\s*::")
_DECLARED = re.compile(r"\b(?:using\s+@?(\w+)\s*=|extern\s+alias\s+@?(\w+))")


def undeclared_aliases(
    before: Analysis, after: Analysis, edits: EditSet, version: LanguageVersion
) -> Iterator[Diagnostic]:
    """Yield the names before ``::`` around the edits that are not declared, and not used before.

    One diagnostic for each name, ``CS0432``.
    """
    view = after.source.view
    if version >= _GLOBAL_ALIASES:
        return
    known = {"global"}
    for start, end in edits.after_ranges():
        first, last = max(0, start - _MAX_WIDENED), end + _MAX_WIDENED
        if view.find("::", first, last) < 0:
            continue
        for use in _USE.finditer(view, first, last):
            name = use[1]
            if use.end() < start or use.start(1) > end or name in known or len(known) > _MAX_NAMES:
                continue
            if not _is_compiled(after, use.start(1), use.end()):
                continue
            known.add(name)
            if name not in _declared(view) and not _is_used(before.source.view, name):
                yield Diagnostic(
                    use.start(1),
                    after.source.position(use.start(1)),
                    "CS0432",
                    f"'{name}' is no alias in this file: write a dot before members",
                )


def _declared(view: str) -> set[str]:
    return {name for pair in _DECLARED.findall(view) for name in pair}


def _is_used(view: str, name: str) -> bool:
    return re.search(rf"(?<![\w@:\\]){re.escape(name)}\s*::", view) is not None


def _is_compiled(analysis: Analysis, start: int, end: int) -> bool:
    return (
        all(branch.active for branch in analysis.branches(start, end))
        and kind_of_span(analysis.scan, start, start + 1) is SpanKind.CODE
        and kind_of_span(analysis.scan, end - 2, end) is SpanKind.CODE
    )


_MESSAGES = {
    "CS0100": "two parameters are named '{}'",
    "CS0101": "'{}' is already declared in its namespace",
    "CS0102": "'{}' is already declared in its type",
    "CS0111": "'{}' is already declared in its type, with parameters of the same types",
    "CS0128": "'{}' is already declared in its scope",
    "CS0136": "'{}' is already declared in a scope around this one",
    "CS0542": "'{}' has the name of the type that it belongs to",
    "CS4032": "'{}' needs async on the function around it",
}
_WITH_MEMBERS = TYPES | {"enum_declaration", "namespace_declaration"}
_MAX_DEPTH = 100
"""Types nested deeper are not read."""
_MAX_MEMBER = 500_000
"""Longer members, in bytes, are not read."""
_MAX_CHANGE = 1_000
"""Most bytes of a change whose words are examined; a larger one is always checked."""
_AROUND = 100
"""Bytes around a name that are examined to see whether it is declared."""
_WORD = re.compile(rb"[A-Za-z_\x80-\xff][\w\x80-\xff]*")
_LITERAL = re.compile(rb"\"[^\"\\\n]*\"|\b\d[\w.]*")
_LAST_WORD = re.compile(rb"([\w\x80-\xff]+)\Z")
_WORDS_BEFORE = re.compile(rb"(?:[\w\x80-\xff]+\s+)?[\w\x80-\xff]*\Z")
_WORDS_BEHIND = re.compile(rb"[\w\x80-\xff]*(?:\s+[\w\x80-\xff]+)?")
_BRACKETS = re.compile(rb"[()\[\]{}]")
_CLOSING = {b")": b"(", b"]": b"[", b"}": b"{"}
_BEGIN_SCOPES = frozenset(
    b"async case catch default delegate do else fixed for foreach if lock switch using when while"
    b" static".split()
)
"""Words that begin a scope; without one, a name can be in another scope."""
_AWAIT = frozenset((b"async", b"await", b"delegate"))
_BEFORE_NO_NAME = (
    RESERVED_WORDS - PREDEFINED_TYPES - frozenset(b"class enum interface struct void".split())
) | {b"await"}
"""After these words a name is used, not declared."""


def name_errors(before: Analysis, after: Analysis, edits: EditSet) -> Iterator[Diagnostic]:
    """Yield the errors of names in the members around ``edits`` that did not exist before."""
    changes = after.changes_since(before, edits.trimmed(before.source.view))
    if (
        changes is not None
        and before.has_whole_tree
        and not _may_matter(before, after.active_utf8, changes)
    ):
        return
    now = _conflicts_around(after, edits.after_ranges())
    if not now:
        return
    # With all that the types around declare: edits inside one member can make two of it.
    ranges = [(edit.start, edit.end) for edit in edits]
    known = Counter(
        (each.id, each.name) for each in _conflicts_around(before, ranges, with_members=True)
    )
    for each in sorted(set(now), key=lambda error: (error.start, error.id)):
        if known[each.id, each.name] > 0:
            known[each.id, each.name] -= 1
        elif _are_compiled_together(after, each.start, each.other):
            offset = after.source.view_offset(each.start)
            message = _MESSAGES[each.id].format(each.name.decode(errors="replace"))
            yield Diagnostic(offset, after.source.position(offset), each.id, message)


def _may_matter(before: Analysis, after: bytes, changes: Sequence[Change]) -> bool:
    """Whether a change may declare a name that occurs elsewhere, too, or move a name's scope."""
    shift = 0
    for change in changes:
        start, end = change.start + shift, change.start + shift + change.length
        shift += change.length - (change.end - change.start)
        if not (before.active_utf8[change.start : change.end] + after[start:end]).strip():
            continue
        old = before.active_utf8[slice(*_widened(before.active_utf8, change.start, change.end))]
        new = after[slice(*_widened(after, start, end))]
        if _LITERAL.sub(b"0", old) == _LITERAL.sub(b"0", new):
            continue
        if _may_change_scopes(old, new) or not any(
            node.type == "block" for node, _ in path_to(before.tree, change.start, change.end)
        ):
            return True
        for word in _WORD.finditer(after, *_widened(after, start, end)):
            name = word[0]
            if name in RESERVED_WORDS or not _is_declared(after, *word.span()):
                continue
            if name == b"value" or after.find(name, after.find(name) + 1) >= 0:
                return True
    return False


def _may_change_scopes(old: bytes, new: bytes) -> bool:
    """Return whether a change is large, or changes brackets, lambdas or ``async``."""
    if len(old) + len(new) > _MAX_CHANGE or b"=>" in old + new:
        return True
    if not (_is_balanced(old) and _is_balanced(new)):
        return True
    was, becomes = set(_WORD.findall(old)), set(_WORD.findall(new))
    return bool(_BEGIN_SCOPES & (was - becomes) or _AWAIT & (becomes - was))


def _is_declared(text: bytes, start: int, end: int) -> bool:
    """Return whether a name seems to be declared at its place."""
    before = text[max(0, start - _AROUND) : start].rstrip().removesuffix(b"@")
    behind = text[end : end + _AROUND].lstrip()
    last = before[-1:]
    if behind.startswith(b"=>") or last in {b"", b"/", b"@"}:
        return True
    if last in {b">", b"]", b"?", b"*", b")"}:
        return not behind.startswith(b".")
    if last in {b"(", b","}:
        return behind[:1] in {b",", b")", b"=", b";"}
    word = _LAST_WORD.search(before)
    return word is not None and word[1] not in _BEFORE_NO_NAME


def _is_balanced(text: bytes) -> bool:
    """Return whether brackets in a piece of code are balanced; those in strings count, too."""
    opened: list[bytes] = []
    for bracket in _BRACKETS.findall(text):
        if bracket not in _CLOSING:
            opened.append(bracket)
        elif not opened or opened.pop() != _CLOSING[bracket]:
            return False
    return not opened


def _widened(text: bytes, start: int, end: int) -> tuple[int, int]:
    """Return the range extended to the words at its ends, and to the next ones."""
    left = _WORDS_BEFORE.search(text[max(0, start - _AROUND) : start])
    right = _WORDS_BEHIND.match(text, end, end + _AROUND)
    return start - (len(left[0]) if left else 0), right.end() if right else end


def _conflicts_around(
    analysis: Analysis, ranges: Iterable[tuple[int, int]], *, with_members: bool = False
) -> list[NameConflict]:
    """Return the conflicts in the code that the view ranges touch.

    The members of a type are compared if an edit touches more than the inside of one, or
    ``with_members``.
    """
    at = analysis.source.utf8_offset
    places = [(at(start), at(end)) for start, end in ranges]
    found: list[NameConflict] = []

    def read(body: Node, owner: Node | None, depth: int) -> None:
        declarations = body.named_children
        touched = [each for each in declarations if _is_touched(each, places)]
        is_inside = len(touched) == 1 and _is_all_inside(touched[0], places)
        if not body.has_error and (with_members or not is_inside):
            found.extend(member_conflicts(declarations, analysis.active_utf8, owner))
        for member in touched:
            if member.type in _WITH_MEMBERS:
                inner = member.child_by_field_name("body")
                if inner is not None and depth < _MAX_DEPTH:
                    read(inner, member, depth + 1)
            elif not member.has_error and member.end_byte - member.start_byte < _MAX_MEMBER:
                found.extend(local_conflicts(member, analysis.active_utf8))

    read(analysis.cured_tree.root_node, None, 0)
    return found


def _is_touched(node: Node, places: Sequence[tuple[int, int]]) -> bool:
    index = bisect_left(places, node.start_byte, key=lambda place: place[1])
    return index < len(places) and places[index][0] <= node.end_byte


def _is_all_inside(declaration: Node, places: Sequence[tuple[int, int]]) -> bool:
    """Return whether all places are inside the brackets of a declaration's body."""
    body = declaration.child_by_field_name("body")
    return (
        body is not None
        and bool(places)
        and body.start_byte < places[0][0]
        and places[-1][1] < body.end_byte
    )


def _are_compiled_together(analysis: Analysis, *places: int) -> bool:
    """Return whether each of two places is always compiled together with the other.

    A compiler may never meet two conditions together even if one symbol set does.
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
