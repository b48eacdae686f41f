"""Members and types that one part of a type, an enum or a namespace declares twice.

Part of docs/design/roslyn.md §1.4. Signatures are compared as they are spelled. Other parts and
files can only add conflicts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from tree_sitter import Node

from snippet_engine.csharp.tree.grammar import ALL_TYPES, TYPES
from snippet_engine.validation.embedded.local_names import NameConflict

_TAKE_NO_NAMESAKE = TYPES - {"interface_declaration"}
_VALUES = frozenset(("enum_member_declaration", "event_declaration", "property_declaration"))
_WITH_FIELDS = frozenset(("event_field_declaration", "field_declaration"))
_SIGNED = {
    "constructor_declaration": b".ctor",
    "destructor_declaration": b"~",
    "indexer_declaration": b"this[]",
}
_UNCOUNTED = frozenset((b"params", b"scoped", b"this"))
"""Modifiers of a parameter that don't change the signature."""
_NO_TYPES = frozenset(("attribute_list", "comment", "identifier"))
_VALUE_TYPE = re.compile(rb"where\s+@?(\w+)\s*:\s*(?:struct|unmanaged)\b")
_MAX_HEADER = 64
_MAX_MEMBERS = 20_000


class _Member(NamedTuple):
    """A member that a declaration adds to its type, in bytes of the text."""

    name: bytes
    start: int
    kind: str
    """``value``, ``method``, ``type`` or ``namespace``."""
    signature: bytes = b""
    """Differs between members that may share a name: a method's parameters, or the number of a
    type's parameters.
    """


def member_conflicts(
    declarations: list[Node], text: bytes, owner: Node | None
) -> list[NameConflict]:
    """Return the conflicts among the declarations of one body, in ``owner`` or a file."""
    owner_name = b"" if owner is None else _spelled(owner.child_by_field_name("name"), text)
    is_type = owner is not None and owner.type in ALL_TYPES
    takes_no_namesake = owner is not None and owner.type in _TAKE_NO_NAMESAKE
    found: list[NameConflict] = []
    by_name: dict[bytes, dict[bytes, _Member]] = {}
    for declaration in declarations[:_MAX_MEMBERS]:
        if not declaration.is_named or declaration.has_error:
            continue
        for member in _members(declaration, text):
            if member.name == owner_name.removeprefix(b"@") and takes_no_namesake:
                found.append(NameConflict("CS0542", member.name, member.start, member.start))
            rival = _rival(by_name.setdefault(member.name, {}), member)
            if rival is None:
                by_name[member.name].setdefault(member.signature, member)
                continue
            id_ = "CS0102" if is_type else "CS0101"
            if rival.kind == member.kind == "method":
                id_ = "CS0111"
            found.append(NameConflict(id_, member.name, member.start, rival.start))
    return found


def _rival(namesakes: dict[bytes, _Member], member: _Member) -> _Member | None:
    """Return the member of the same name that conflicts with ``member``. All are of one kind."""
    first = next(iter(namesakes.values()), None)
    if first is not None and first.kind != member.kind:
        return first
    return None if member.kind == "namespace" else namesakes.get(member.signature)


def _members(declaration: Node, text: bytes) -> Iterator[_Member]:
    """Yield the members that a declaration adds; none for a partial declaration, which has other
    parts.
    """
    kind = declaration.type
    if kind in _VALUES:
        if kind == "enum_member_declaration" or not _is_apart(declaration, text):
            yield from _named(declaration, text, "value")
    elif kind == "namespace_declaration":
        yield from _named(declaration, text, "namespace")
    elif _is_apart(declaration, text):
        return
    elif kind in _WITH_FIELDS:
        for variables in declaration.named_children:
            if variables.type == "variable_declaration":
                for declarator in variables.named_children:
                    if declarator.type == "variable_declarator":
                        yield from _named(declarator, text, "value")
    elif kind in ALL_TYPES:
        yield from _named(declaration, text, "type", b"%d" % _arity(declaration))
    elif kind == "method_declaration":
        parameters = _parameters(declaration, text)
        values = _nullable_values(declaration, parameters, text)
        signature = b"%d%s%s" % (_arity(declaration), parameters, values)
        yield from _named(declaration, text, "method", signature)
    elif kind in _SIGNED:
        is_static = any(each.text == b"static" for each in declaration.children)
        signature = b"%d%s" % (is_static, _parameters(declaration, text))
        yield _Member(_SIGNED[kind], declaration.start_byte, "method", signature)
    elif kind == "operator_declaration":
        operator = declaration.child_by_field_name("operator")
        if operator is not None:
            is_checked = any(child.type == "checked" for child in declaration.children)
            name = b"operator " + b"checked " * is_checked + _spelled(operator, text)
            yield _Member(name, operator.start_byte, "method", _parameters(declaration, text))


def _named(node: Node, text: bytes, kind: str, signature: bytes = b"") -> Iterator[_Member]:
    name = node.child_by_field_name("name")
    spelled = _spelled(name, text)
    if name is not None and name.type == "identifier" and spelled and b"\\" not in spelled:
        yield _Member(spelled.removeprefix(b"@"), name.start_byte, kind, signature)


def _is_apart(declaration: Node, text: bytes) -> bool:
    """Return whether it is partial, or an explicit interface implementation."""
    return declaration.child_count > _MAX_HEADER or any(
        child.type == "explicit_interface_specifier"
        or (child.type == "modifier" and _spelled(child, text) == b"partial")
        for child in declaration.named_children
    )


def _arity(declaration: Node) -> int:
    lists = (each for each in declaration.named_children if each.type == "type_parameter_list")
    listed = next(lists, None)
    return 0 if listed is None else sum(c.type == "type_parameter" for c in listed.children)


def _parameters(declaration: Node, text: bytes) -> bytes:
    """Return the types of the parameters as they are spelled, with their ``ref``, ``out`` or
    ``in``.
    """
    listed = declaration.child_by_field_name("parameters")
    types: list[bytes] = []
    for parameter in listed.named_children if listed is not None else ():
        if parameter.type == "parameter":
            modifiers = [
                _spelled(child, text) for child in parameter.children if child.type == "modifier"
            ]
            type_ = _spelled(parameter.child_by_field_name("type"), text)
            passed = [each for each in modifiers if each not in _UNCOUNTED]
            types.append(b" ".join((*passed, *type_.split())))
        elif parameter.type not in _NO_TYPES:
            # With `params`, a parameter has no node of its own.
            types.append(b" ".join(_spelled(parameter, text).split()))
    return b"(%s)" % b",".join(types)


def _nullable_values(method: Node, parameters: bytes, text: bytes) -> bytes:
    """Return type parameters constrained to values and used with ``?``, which makes another
    type.
    """
    if b"?" not in parameters:
        return b""
    clauses = (
        _VALUE_TYPE.match(text, child.start_byte, child.end_byte)
        for child in method.named_children
        if child.type == "type_parameter_constraints_clause"
    )
    names = (clause[1] for clause in clauses if clause)
    return b",".join(sorted(n for n in names if re.search(rb"\b%s\s*\?" % n, parameters)))


def _spelled(node: Node | None, text: bytes) -> bytes:
    return b"" if node is None else text[node.start_byte : node.end_byte]
