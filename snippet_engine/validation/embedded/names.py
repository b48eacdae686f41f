"""Find locals, parameters, members and types that an edit declares twice.

Part of docs/design/roslyn.md §1.4. The other declaration can be far from the edit, so the members
around the edit are read, and the declarations of their types. LINQ queries are left to a compiler.
Only new errors are reported.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from tree_sitter import Node

from snippet_engine.csharp.analysis import Analysis
from snippet_engine.csharp.declarations.declaration_header import (
    KIND_OF_NODE,
    UNREADABLE,
    SymbolKind,
    read_header,
    spell,
    spell_name,
)
from snippet_engine.csharp.lexical.keywords import PREDEFINED_TYPES, RESERVED_WORDS
from snippet_engine.csharp.lexical.preprocessor import Condition
from snippet_engine.csharp.tree.edit_windows import path_to
from snippet_engine.csharp.tree.grammar import ALL_TYPES, FUNCTIONS, TYPES
from snippet_engine.edits import EditSet
from snippet_engine.validation.validator import Diagnostic

_MESSAGES = {
    "CS0100": "two parameters are named '{}'",
    "CS0101": "'{}' is already declared in its namespace",
    "CS0102": "'{}' is already declared in its type",
    "CS0111": "'{}' is already declared in its type, with parameters of the same types",
    "CS0128": "'{}' is already declared in its scope",
    "CS0136": "'{}' is already declared in a scope around this one",
    "CS0542": "'{}' has the name of the type that it belongs to",
}
_MAX_DEPTH = 180
"""Deeper nodes are not read."""
_MAX_MEMBER = 500_000
"""Longer members, in bytes, are not read."""
_MAX_MEMBERS = 20_000
_TYPED_NAME = re.compile(
    r"(?<![\w>\]?*)])([\w>\]?*)]+)\s+@?([^\W\d]\w*)\s*(?=[^\s\w.@]|(?:and|in|or|when)\b|\Z)"
)
"""A type, or what ends one, and a name behind it."""
_BLANKS = re.compile(r"\s*")
_LITERAL = re.compile(r'"[^"\\\n]*"|\b\d[\w.]*')
_NOT_TYPES = {word.decode() for word in RESERVED_WORDS - PREDEFINED_TYPES} - {
    *("class", "enum", "interface", "struct", "void")
}
_NO_NAMES = frozenset(
    {
        *("", "_", "and", "async", "await", "not", "or", "partial", "scoped", "var", "when"),
        *("with", "yield"),
    }
)
"""The discard, and keywords that the grammar may read as names."""
_BODIES = ALL_TYPES | {"namespace_declaration"}
_FIELDS = frozenset(("event_field_declaration", "field_declaration"))
_CALLED = frozenset(
    {
        *(SymbolKind.METHOD, SymbolKind.CONSTRUCTOR, SymbolKind.DESTRUCTOR),
        *(SymbolKind.INDEXER, SymbolKind.OPERATOR),
    }
)
_NOT_COMPARED = frozenset((SymbolKind.CONVERSION_OPERATOR, SymbolKind.NAMESPACE))
_TAKE_NO_NAMESAKE = TYPES - {"interface_declaration"}
_WITH_LOCALS = FUNCTIONS | {
    *("delegate_declaration", "event_declaration", "field_declaration", "indexer_declaration"),
    "property_declaration",
}
_WITH_VALUE = frozenset((b"add", b"init", b"remove", b"set"))
"""Accessors that have a parameter ``value``."""
_FUNCTIONS = FUNCTIONS | {
    *("anonymous_method_expression", "lambda_expression", "local_function_statement")
}
_SCOPES = frozenset(
    {
        *("accessor_declaration", "arrow_expression_clause", "block", "catch_clause"),
        *("do_statement", "fixed_statement", "for_statement", "foreach_statement", "switch_body"),
        *("switch_expression_arm", "using_statement", "while_statement"),
    }
)
"""Nodes that have a scope of their own."""
_NAMED = frozenset(
    ("catch_declaration", "declaration_pattern", "recursive_pattern", "variable_declarator")
)
"""Nodes that declare their name in the scope around them."""
_WITH_TARGETS = frozenset(("assignment_expression", "foreach_statement", "variable_declarator"))
"""Nodes that may declare variables by deconstruction."""


class _Conflict(NamedTuple):
    """A name that is declared twice: the compiler's id, and both places in bytes."""

    id: str
    name: str
    start: int
    other: int


def name_errors(before: Analysis, after: Analysis, edits: EditSet) -> Iterator[Diagnostic]:
    """Yield the names around ``edits`` that are declared twice now, and were not before."""
    if not _may_declare(before, after, edits):
        return
    now = _conflicts(after, edits.after_ranges())
    if not now:
        return
    ranges = [(edit.start, edit.end) for edit in edits]
    known = Counter((each.id, each.name) for each in _conflicts(before, ranges, even_broken=True))
    for each in sorted(now, key=lambda conflict: conflict.start):
        if known[each.id, each.name] > 0:
            known[each.id, each.name] -= 1
        elif _meet(_branches(after, each.start), _branches(after, each.other)):
            offset = after.source.view_offset(each.start)
            message = _MESSAGES[each.id].format(each.name)
            yield Diagnostic(offset, after.source.position(offset), each.id, message)


def _may_declare(before: Analysis, after: Analysis, edits: EditSet) -> bool:
    """Return whether an edit may declare a name that occurs elsewhere, too, or change scopes."""
    old, new = before.source, after.source
    trimmed = edits.trimmed(old.view)
    if after.changes_since(before, trimmed) is None:
        return True  # They change which code is active.
    for edit, (start, end) in zip(trimmed, trimmed.after_ranges(), strict=True):
        place = old.utf8_offset(edit.start), old.utf8_offset(edit.end)
        changed = before.active_utf8[slice(*place)]
        changed += after.active_utf8[new.utf8_offset(start) : new.utf8_offset(end)]
        line, line_end = new.line_start(start), new.line_end(end)
        was = old.view[old.line_start(edit.start) : old.line_end(edit.end)]
        is_value = _LITERAL.sub("0", was) == _LITERAL.sub("0", new.view[line:line_end])
        if is_value or not changed.strip():
            continue
        around = path_to(before.tree, *place)
        has_scopes = any(sign in changed for sign in (b"{", b"}", b"=>"))
        if has_scopes or all(node.type != "block" for node, _ in around):
            return True
        # A word at the end of a line makes a declaration of `a = b` on the next one.
        behind = _BLANKS.match(new.view, end)
        last = new.line_end(behind.end()) if behind is not None else line_end
        for found in _TYPED_NAME.finditer(new.view, line, last):
            if found[1] in _NOT_TYPES or found.end() < start or end < found.start():
                continue
            if new.view.count(found[2]) > 1:
                return True
    return False


_Branches = list[tuple[str, tuple[Condition, ...]]]


def _meet(one: _Branches, other: _Branches) -> bool:
    """Return whether one place's branches contain the other's, so both compile together."""
    shorter = min(len(one), len(other))
    return one[:shorter] == other[:shorter]


def _branches(analysis: Analysis, place: int) -> _Branches:
    """Return the ``#if`` branches around a byte, outermost first."""
    if not analysis.scan.directives:
        return []
    offset = analysis.source.view_offset(place)
    (branch, *_) = analysis.scan.branches(offset, offset + 1)
    chain = branch.outermost_first()
    return [(each.kind, each.conditions) for each in chain if each.kind != "region"]


def _conflicts(
    analysis: Analysis, ranges: Iterable[tuple[int, int]], *, even_broken: bool = False
) -> list[_Conflict]:
    """Return the conflicts in the members and types that the view ranges touch.

    Members are compared unless all ranges are inside of one. In broken code a name may be misread:
    read it only with ``even_broken``, to know old conflicts.
    """
    at, text = analysis.source.utf8_offset, analysis.active_utf8
    places = [(at(start), at(end)) for start, end in ranges]
    found: list[_Conflict] = []

    def read(body: Node, owner: Node | None, depth: int) -> None:
        members = body.named_children
        touched = [each for each in members if _is_touched(each, places)]
        is_inside = len(touched) == 1 and _is_all_inside(touched[0], places)
        if even_broken or not (body.has_error or is_inside):
            members = members[:_MAX_MEMBERS]
            found.extend(_member_conflicts(members, text, owner, even_broken=even_broken))
        for member in touched:
            inner = member.child_by_field_name("body")
            if member.type in _BODIES and inner is not None and depth < _MAX_DEPTH:
                read(inner, member, depth + 1)
                continue
            is_read = member.type in _WITH_LOCALS
            is_read &= member.end_byte - member.start_byte < _MAX_MEMBER
            if is_read and (even_broken or not member.has_error):
                found.extend(_Locals(text).conflicts(member))

    read(analysis.cured_tree.root_node, None, 0)
    return found


def _is_touched(node: Node, places: list[tuple[int, int]]) -> bool:
    first, last = node.byte_range
    return any(first <= end and start <= last for start, end in places)


def _is_all_inside(declaration: Node, places: list[tuple[int, int]]) -> bool:
    """Return whether all places are inside the brackets of a declaration's body."""
    body = declaration.child_by_field_name("body")
    return body is not None and all(
        body.start_byte < start and end < body.end_byte for start, end in places
    )


def _member_conflicts(
    members: list[Node], text: bytes, owner: Node | None, *, even_broken: bool
) -> Iterator[_Conflict]:
    """Yield the conflicts among the members of one body; signatures are compared as spelled."""
    type_name, is_type = "", owner is not None and owner.type in ALL_TYPES
    if owner is not None and owner.type in _TAKE_NO_NAMESAKE:
        type_name = spell_name(owner.child_by_field_name("name"), text)
    by_path: dict[str, int] = {}
    called: dict[str, tuple[bool, int]] = {}
    for path, name, kind, start in _members(members, text, even_broken=even_broken):
        if name == type_name:
            yield _Conflict("CS0542", name, start, start)
        is_method = kind in _CALLED
        was_method, first = called.setdefault(name, (is_method, start))
        if path in by_path or was_method != is_method:
            id_ = "CS0111" if path in by_path and is_method else "CS0102"
            yield _Conflict(id_ if is_type else "CS0101", name, start, by_path.get(path, first))
        by_path.setdefault(path, start)


def _members(
    members: list[Node], text: bytes, *, even_broken: bool
) -> Iterator[tuple[str, str, SymbolKind, int]]:
    """Yield path, name, kind and place of each member that has a name and isn't partial."""
    for member in members:
        kind = KIND_OF_NODE.get(member.type)
        if kind is None or kind in _NOT_COMPARED or (member.has_error and not even_broken):
            continue
        header = read_header(member)
        if header.interface is not None or "partial" in header.words(text):
            continue
        if member.type in _FIELDS:
            declared = header.variables.named_children if header.variables is not None else []
            for each in declared:
                is_one = each.type == "variable_declarator"
                named = each.child_by_field_name("name") if is_one else None
                if named is not None and (name := _name(named, text)):
                    yield name, name, kind, named.start_byte
            continue
        path, name, kind = spell(member, kind, header, text)
        # If a type parameter is constrained, `T?` may be two types. `global::A` may not be `A`.
        is_unsure = UNREADABLE in path or (header.type_parameters is not None and "?" in path)
        if header.parameters is not None:
            start, end = header.parameters.byte_range
            is_unsure |= text.find(b"::", start, end) >= 0
        named = member.child_by_field_name("name")
        if name and not is_unsure:
            name = path if kind in _CALLED - {SymbolKind.METHOD} else name
            yield path, name, kind, (named or member).start_byte


def _name(node: Node, text: bytes) -> str:
    """Return the name that an identifier declares; empty if that isn't sure."""
    name = spell_name(node, text) if node.type in {"identifier", "implicit_parameter"} else ""
    return "" if name in _NO_NAMES or "\\" in name else name


class _Locals:
    """Reads functions into scopes. A function inside another may hide the names around it."""

    def __init__(self, text: bytes) -> None:
        self._text = text
        self._twice: list[_Conflict] = []
        self._chains: list[list[dict[str, int]]] = []
        """Each scope, last, with those around it in its function: names and their places."""

    def conflicts(self, function: Node) -> list[_Conflict]:
        """Return the conflicts in a function and those inside it."""
        functions = [function]
        if function.type == "field_declaration":
            variables = [part for each in function.named_children for part in each.named_children]
            functions = [each for each in variables if each.type == "variable_declarator"]
        for each in functions:
            self._read_function(each, 0)
        hidden = [
            _Conflict("CS0136", name, start, outer[name])
            for *around, own in self._chains
            for name, start in own.items()
            for outer in [each for each in around if name in each][-1:]
        ]
        return self._twice + hidden

    def _declare(self, node: Node | None, scope: dict[str, int], id_: str = "CS0128") -> None:
        name = _name(node, self._text) if node is not None else ""
        if node is not None and name and scope.setdefault(name, node.start_byte) != node.start_byte:
            self._twice.append(_Conflict(id_, name, node.start_byte, scope[name]))

    def _read_function(self, function: Node, depth: int) -> None:
        own: dict[str, int] = {}
        listed = function.child_by_field_name("parameters")
        if listed is not None:
            for each in listed.named_children or [listed]:
                self._declare(each.child_by_field_name("name") or each, own, "CS0100")
        self._chains.append([own])
        self._read(function, [own], depth)

    def _read(self, node: Node, chain: list[dict[str, int]], depth: int) -> None:
        """Read what is in ``node``; the last of ``chain`` gets what it declares."""
        for child in node.named_children if depth <= _MAX_DEPTH else ():
            kind = child.type
            if kind == "local_function_statement" and child.child_by_field_name("body"):
                self._declare(child.child_by_field_name("name"), chain[-1])
            if kind in _FUNCTIONS:
                self._read_function(child, depth + 1)
                continue
            own = chain
            if _has_scope(child, node):
                own = [*chain, {}]
                self._chains.append(own)
            accessor = child.child_by_field_name("name") if kind == "accessor_declaration" else None
            if accessor is not None and accessor.text in _WITH_VALUE:
                own[-1]["value"] = child.start_byte
            for name in _declared_by(child, node):
                self._declare(name, own[-1])
            if child.child_count and kind != "query_expression":
                self._read(child, own, depth + 1)


def _declared_by(node: Node, parent: Node) -> Iterator[Node | None]:
    """Yield the names that a node declares, apart from those of nodes inside it."""
    # Without `out`, `F(a * b)` is misread as a declaration.
    is_out = node.type == "declaration_expression" and any(c.type == "out" for c in parent.children)
    if node.type in _NAMED or is_out:
        yield node.child_by_field_name("name")
    if node.type not in _WITH_TARGETS:
        return
    target, owner = node.child_by_field_name("left"), node
    if node.type == "variable_declarator":
        # `F (a) = b` and `var(a)` are misread as a type and parts in parentheses.
        is_set = any(each.type == "=" for each in node.children)
        target, owner = node.named_children[0] if is_set else None, parent
    type_ = owner.child_by_field_name("type")
    is_var = type_ is not None and type_.type == "implicit_type"
    if target is None:
        return
    if target.type == "tuple_expression" or (target.type == "tuple_pattern" and is_var):
        yield from _deconstructed(target)
    elif node.type == "foreach_statement" and type_ is not None:
        yield target


def _deconstructed(target: Node) -> Iterator[Node | None]:
    """Yield the names that ``(a, (b, c))`` behind ``var``, or ``(int a, var b)``, declares."""
    left = [target]
    while left:
        node = left.pop()
        for part in node.named_children:
            if part.type == "identifier" and node.type == "tuple_pattern":
                yield part
            elif part.type == "declaration_expression":
                yield part.child_by_field_name("name")
            elif part.type in {"argument", "tuple_expression", "tuple_pattern"}:
                left.append(part)


def _has_scope(node: Node, parent: Node) -> bool:
    """Return whether declarations in ``node`` have a separate scope inside that of ``parent``."""
    is_statement = node.type.endswith("_statement")
    if parent.type == "property_declaration":
        return True  # Its initializer doesn't see the accessors' locals.
    if parent.type == "switch_section":
        return not is_statement or node.type in _SCOPES
    if parent.type == "for_statement":
        return node not in parent.children_by_field_name("initializer")
    embeds = parent.type.endswith("_statement") and parent.type != "labeled_statement"
    return node.type in _SCOPES or (is_statement and embeds)
