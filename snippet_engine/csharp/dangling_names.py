"""Find names whose declaration an edit removed but which are still used where it was visible.

Implements the warning ``name_still_used`` of docs/design/engine.md §2.7. It works on trees alone,
without a compiler. So it warns only about locals, parameters, and members of types that aren't
partial. It doesn't warn if the file still declares the name, or if a base class, another part of
the type, a static import, a directive or broken code may declare it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from tree_sitter import Node

from snippet_engine.csharp.document import Document
from snippet_engine.csharp.lexical.keywords import PREDEFINED_TYPES, RESERVED_WORDS
from snippet_engine.csharp.tree.grammar import ALL_TYPES, TYPES
from snippet_engine.csharp.tree.syntax_tree import ancestors
from snippet_engine.edits import EditSet, TextEdit
from snippet_engine.source_text import TextRange

_MAX_OCCURRENCES = 300
"""A name with more occurrences gets no warning."""
_MAX_NAMES = 50
"""Most removed names of one edit that are checked."""
_MAX_SEARCHED = 40_000_000
"""Most code points that are searched for removed names; later names are skipped."""

_NAME = re.compile(r"[^\W\d]\w*")
_DIRECTIVE = re.compile(r"^\s*#", re.MULTILINE)
_AFTER_A_TYPE = re.compile(r"([\w\]>?*]+)[ \t]+$")
"""Text before the name in a declaration: the end of a type."""

_RESERVED = frozenset(word.decode() for word in RESERVED_WORDS)
_NOT_TYPES = _RESERVED - {word.decode() for word in PREDEFINED_TYPES} - {"void"}

_LOCAL_SCOPES = {
    "local_declaration_statement": "block",
    "parameter": "",
    "foreach_statement": "foreach_statement",
    "catch_declaration": "catch_clause",
    "local_function_statement": "block",
}
"""Nodes that declare a local, and where it is visible (a parameter: in its function)."""

_PATTERNS = ("pattern", "designation", "declaration", "declaration_expression")
"""Suffixes of node types whose plain names may be declarations."""

_MEMBERS = {"field_declaration", "method_declaration", "property_declaration"}
_ALL_MEMBERS = _MEMBERS | ALL_TYPES | {"event_declaration", "event_field_declaration"}
_FUNCTIONS = {"method_declaration", "constructor_declaration", "local_function_statement"}

_USED_WITHOUT_FIELD = (
    "argument arrow_expression_clause await_expression initializer_expression "
    "interpolation lock_statement parenthesized_expression postfix_unary_expression "
    "prefix_unary_expression return_statement throw_statement variable_declarator "
    "yield_statement"
)
_USED_IN_FIELD = (
    "as_expression left, assignment_expression left, assignment_expression right, "
    "binary_expression left, binary_expression right, cast_expression value, "
    "conditional_access_expression condition, conditional_expression alternative, "
    "conditional_expression condition, conditional_expression consequence, do_statement "
    "condition, element_access_expression expression, foreach_statement right, if_statement "
    "condition, invocation_expression function, is_pattern_expression expression, "
    "lambda_expression body, member_access_expression expression, switch_statement value, "
    "while_statement condition"
)
_USES: set[tuple[str, str | None]] = {
    *((kind, None) for kind in _USED_WITHOUT_FIELD.split()),
    *((kind, field) for kind, field in map(str.split, _USED_IN_FIELD.split(", "))),
}
"""Places where a plain name is a use: the parent node's type, and the name's field in it."""

_NO_USES = {
    ("argument", "name"),
    ("member_access_expression", "name"),
    ("member_binding_expression", "name"),
    ("name_colon", None),
}
"""Places where a plain name is a member of something else, or the name of an argument."""

_INHERITED = re.compile(
    "animation|audio|camera|collider(2D)?|constantForce|destroyCancellationToken|enabled|gameObject|"
    "hideFlags|hingeJoint|isActiveAndEnabled|light|name|networkView|particleSystem|renderer|"
    "rigidbody(2D)?|runInEditMode|tag|transform|useGUILayout"
)
"""Members of ``MonoBehaviour``. Without a local of that name, the name refers to the member."""


_LONGEST_NAME = 511
"""Longest name that compilers accept, in code points."""
_END_OF_TYPE = 200
"""Code points before a name, on its line, in which its type is looked for."""


@dataclass(frozen=True, slots=True)
class DanglingName:
    """A name, the edit that removed its declaration, and the view offsets of its uses."""

    name: str
    edit: int
    uses: tuple[int, ...]


class DanglingNames(NamedTuple):
    """The dangling names, and whether all removed names were checked."""

    found: tuple[DanglingName, ...]
    are_all: bool


def dangling_names(before: Document, after: Document, edits: EditSet) -> DanglingNames:
    """Return the names that ``after`` uses but whose declaration ``edits`` removed."""
    found: list[DanglingName] = []
    are_all = True
    for number, (edit, new_range) in enumerate(zip(edits, edits.after_ranges(), strict=True)):
        for name, offset in _names_gone(before, after, edit, TextRange(*new_range)):
            if name is None:
                are_all = False
                break
            scope = _scope(before, name, offset)
            if scope is None:
                continue
            visible, rivals = _moved(scope.visible, edits), _moved(scope.rivals, edits)
            if visible is None or rivals is None:
                continue
            uses = _uses(after, name, visible, rivals)
            if uses:
                found.append(DanglingName(name, number, uses))
    return DanglingNames(tuple(found), are_all)


def _moved(place: TextRange, edits: EditSet) -> TextRange | None:
    """Return where ``place`` is after the edits, if it still exists."""
    start, end = edits.map_offset(place.start), edits.map_offset(place.end)
    return None if start is None or end is None else TextRange(start, end)


def _names_gone(
    before: Document, after: Document, edit: TextEdit, new: TextRange
) -> Iterator[tuple[str | None, int]]:
    """Yield name and place of each declaration that ``edit`` probably removes, found by text.

    Skips names that the edit inserts again and names that no longer occur. ``None`` stands for the
    first name that isn't checked.
    """
    view, result = before.source.view, after.source.view
    old_start, old_end = _whole_words(view, edit.start, edit.end)
    new_start, new_end = _whole_words(result, *new)
    kept = set(_NAME.findall(result, new_start, new_end))
    looked_at = searched = 0
    for match in _NAME.finditer(view, old_start, old_end):
        name = match.group()
        if name in kept or name in _RESERVED:
            continue
        searched += len(result)
        if searched > _MAX_SEARCHED:
            yield None, match.start()
            return
        if name not in result:
            continue
        least = max(0, match.start() - _END_OF_TYPE)
        line = view[view.rfind("\n", least, match.start()) + 1 or least : match.start()]
        type_before = _AFTER_A_TYPE.search(line)
        if type_before is None or type_before[1] in _NOT_TYPES:
            continue
        looked_at += 1
        if looked_at > _MAX_NAMES:
            yield None, match.start()
            return
        yield name, match.start()


def _whole_words(view: str, start: int, end: int) -> tuple[int, int]:
    first, last = max(0, start - _LONGEST_NAME), min(len(view), end + _LONGEST_NAME)
    while start > first and (view[start - 1].isalnum() or view[start - 1] == "_"):
        start -= 1
    while end < last and (view[end].isalnum() or view[end] == "_"):
        end += 1
    return start, end


@dataclass(frozen=True, slots=True)
class _Scope:
    """Where a name is visible, and where another declaration may take over its uses."""

    visible: TextRange
    rivals: TextRange
    """The range in which any declaration may take over: for a local or parameter, its member.

    Elsewhere only a member or type may take over.
    """


def _scope(before: Document, name: str, offset: int) -> _Scope | None:
    """Return where the name declared at ``offset`` is visible; ``None`` if that isn't sure."""
    source = before.source
    root = before.tree().root_node
    if "using static" in source.view or root.has_error:
        return None
    start = source.utf8_offset(offset)
    node = root.named_descendant_for_byte_range(start, start + len(name.encode()))
    if node is None or node.type != "identifier" or _field(node) not in ("name", "left"):
        return None
    declaration = node.parent
    if declaration is not None and declaration.type == "variable_declarator":
        declaration = declaration.parent and declaration.parent.parent
    if declaration is None:
        return None
    owner = _enclosing(declaration, TYPES)
    if owner is None or _has_word(owner, "partial"):
        return None
    inherits = any(child.type == "base_list" for child in owner.children)
    if declaration.type in _LOCAL_SCOPES:
        if inherits and _INHERITED.fullmatch(name):
            return None
        scope = _visible_in(declaration)
        rivals = _member(declaration)
    elif declaration.type in _MEMBERS and declaration.parent == owner.child_by_field_name("body"):
        if any(_has_word(declaration, word) for word in ("override", "new", "partial")):
            return None
        scope, rivals = declaration.parent, root
    else:
        return None
    if scope is None or rivals is None:
        return None
    visible, around = (
        TextRange(source.view_offset(node.start_byte), source.view_offset(node.end_byte))
        for node in (scope, rivals)
    )
    return _Scope(visible, around)


def _member(node: Node) -> Node | None:
    """Return the member of a type that contains ``node``."""
    chain = pairwise((node, *ancestors(node)))
    return next((each for each, parent in chain if parent.type == "declaration_list"), None)


def _visible_in(declaration: Node) -> Node | None:
    """Return the node in which a local, or a parameter of a named function, is visible."""
    if declaration.type != "parameter":
        return _enclosing(declaration, {_LOCAL_SCOPES[declaration.type]})
    function = declaration.parent and declaration.parent.parent
    return function if function is not None and function.type in _FUNCTIONS else None


def _enclosing(node: Node, kinds: Collection[str]) -> Node | None:
    """Return ``node`` or its nearest ancestor of one of the kinds."""
    return next((each for each in (node, *ancestors(node)) if each.type in kinds), None)


def _has_word(declaration: Node, word: str) -> bool:
    return any(
        child.type == "modifier" and child.text == word.encode() for child in declaration.children
    )


def _uses(after: Document, name: str, scope: TextRange, rivals: TextRange) -> tuple[int, ...]:
    """Return the uses of the name in ``scope``; none if it may be declared elsewhere."""
    source = after.source
    lines = source.view[source.line_start(scope.start) : source.line_end(scope.end)]
    places = [match.start() for match in re.finditer(rf"\b{name}\b", source.view)]
    if not places or len(places) > _MAX_OCCURRENCES or _DIRECTIVE.search(lines):
        return ()
    root = after.tree().root_node
    if root.has_error:
        return ()
    uses: list[int] = []
    for place in places:
        start = source.utf8_offset(place)
        node = root.named_descendant_for_byte_range(start, start + len(name.encode()))
        if node is None or node.parent is None:
            continue
        inside = scope.start <= place < scope.end
        if _may_declare(node, node.parent, anything=rivals.start <= place < rivals.end):
            return ()
        if inside and node.type == "identifier" and _is_use(node, node.parent, name):
            uses.append(place)
    return tuple(uses)


def _may_declare(node: Node, parent: Node, *, anything: bool) -> bool:
    """Whether ``node`` may declare its name; unless ``anything``, only as a member or type."""
    if not anything:
        declaration = parent.parent and parent.parent.parent
        kind = parent.type
        if kind == "variable_declarator" and declaration is not None:
            kind = declaration.type
        return kind in _ALL_MEMBERS and _field(node) == "name"
    if node.type == "implicit_parameter":
        return True
    where = (parent.type, _field(node))
    if node.type != "identifier" or where in _USES or where in _NO_USES:
        return False
    return where[1] in ("name", "left") or parent.type.endswith(_PATTERNS)


def _is_use(node: Node, parent: Node, name: str) -> bool:
    """Whether a plain name is used for its value: not as a type, not in an object initializer."""
    where = (parent.type, _field(node))
    if where not in _USES:
        return False
    if where == ("assignment_expression", "left"):
        return parent.parent is None or parent.parent.type != "initializer_expression"
    return not (where[0] == "member_access_expression" and name[0].isupper())


def _field(node: Node) -> str | None:
    """Return the field of its parent to which ``node`` belongs, if any."""
    parent = node.parent
    if parent is None:
        return None
    for index, child in enumerate(parent.children):
        if child == node:
            return parent.field_name_for_child(index)
    return None
