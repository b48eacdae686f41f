"""Members and types that their type, enum or namespace declares twice, in one part of it.

Part of docs/design/roslyn.md §1.4. Other parts and files can only add to what is found here. Two
signatures are the same where they are spelt alike; that others are the same is not for the text to
tell.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from tree_sitter import Node

from snippet_engine.validation.embedded.names.local_scopes import ScopeError

TYPES_WITH_MEMBERS = frozenset(
    ("class_declaration", "interface_declaration", "record_declaration", "struct_declaration")
)
_TYPES = TYPES_WITH_MEMBERS | {"delegate_declaration", "enum_declaration"}
_NAMED = frozenset(("event_declaration", "property_declaration"))
_WITH_FIELDS = frozenset(("event_field_declaration", "field_declaration"))
_SIGNED = {
    "constructor_declaration": b".ctor",
    "destructor_declaration": b"~",
    "indexer_declaration": b"this[]",
}
_TAKES_NO_NAMESAKES = TYPES_WITH_MEMBERS - {"interface_declaration"}
_UNCOUNTED = frozenset((b"params", b"scoped", b"this"))
"""Modifiers of a parameter that make no other signature."""
_PASSED_BY = frozenset((b"in", b"out", b"ref"))
_VALUES = re.compile(rb"where\s+@?(\w+)\s*:\s*(?:struct|unmanaged)\b")
_KINDS = ("value", "method", "type", "namespace")
_MAX_HEADER = 64
_MAX_MEMBERS = 20_000


class Member(NamedTuple):
    """What a declaration adds to its type, in bytes of the text.

    ``kind`` is ``value`` (field, property, event, enum member), ``method``, ``type`` or
    ``namespace``. ``signature`` tells those apart that may share a name: the parameters of a
    method, the number of a type's parameters.
    """

    name: bytes
    start: int
    kind: str
    signature: bytes = b""


def members_of(declarations: list[Node], text: bytes) -> list[Member]:
    """What the declarations of one body add, in order.

    Left out are parts of something, which may stand beside another part, and what is broken.
    """
    found: list[Member] = []
    for declaration in declarations[:_MAX_MEMBERS]:
        if declaration.is_named and not declaration.has_error:
            found += _added(declaration, text)
    return found


def declared_twice(members: list[Member], owner: str, owner_name: bytes) -> list[ScopeError]:
    """The members that one before them of the same name leaves no room for.

    ``owner`` is the kind of node that they belong to, ``owner_name`` its name.
    """
    found: list[ScopeError] = []
    by_name: dict[bytes, dict[tuple[str, bytes | None], Member]] = {}
    for member in members:
        if member.name == owner_name and owner in _TAKES_NO_NAMESAKES:
            found.append(ScopeError("CS0542", member.name, member.start, member.start))
        same = by_name.setdefault(member.name, {})
        rivals = [each for key in _in_conflict(member) if (each := same.get(key)) is not None]
        if rivals:
            id_ = "CS0102" if owner in _TYPES else "CS0101"
            if all(each.kind == "method" for each in (rivals[0], member)):
                id_ = "CS0111"
            found.append(ScopeError(id_, member.name, member.start, rivals[0].start))
        else:
            same.setdefault((member.kind, None), member)
            same[member.kind, member.signature] = member
    return found


def _in_conflict(member: Member) -> list[tuple[str, bytes | None]]:
    """What a namesake must be to be in conflict: a kind, with a signature or with any."""
    if member.kind == "namespace":
        return [("type", None)]
    alike = [(member.kind, member.signature)]
    return alike + [(kind, None) for kind in _KINDS if kind != member.kind]


def _added(declaration: Node, text: bytes) -> Iterator[Member]:
    kind = declaration.type
    if kind == "enum_member_declaration":
        yield from _named(declaration, text, "value")
    elif kind == "namespace_declaration":
        yield from _named(declaration, text, "namespace")
    elif declaration.child_count > _MAX_HEADER or _is_apart(declaration, text):
        return
    elif kind in _WITH_FIELDS:
        for variables in declaration.named_children:
            if variables.type == "variable_declaration":
                for declarator in variables.named_children:
                    if declarator.type == "variable_declarator":
                        yield from _named(declarator, text, "value")
    elif kind in _NAMED:
        yield from _named(declaration, text, "value")
    elif kind in _TYPES:
        arity = _arity(declaration)
        yield from _named(declaration, text, "type", b"%d" % arity if arity else b"")
    elif kind == "method_declaration":
        parameters = _parameters(declaration, text)
        signature = b"%d%s%s" % (
            _arity(declaration),
            parameters,
            _nullable_values(declaration, parameters, text),
        )
        yield from _named(declaration, text, "method", signature)
    elif kind in _SIGNED:
        is_static = any(each.text == b"static" for each in declaration.children)
        signature = b"%d%s" % (is_static, _parameters(declaration, text))
        yield Member(_SIGNED[kind], declaration.start_byte, "method", signature)
    elif kind == "operator_declaration":
        operator = declaration.child_by_field_name("operator")
        if operator is not None:
            is_checked = any(child.type == "checked" for child in declaration.children)
            spelt = text[operator.start_byte : operator.end_byte]
            name = b"operator " + b"checked " * is_checked + spelt
            yield Member(name, operator.start_byte, "method", _parameters(declaration, text))


def _named(node: Node, text: bytes, kind: str, signature: bytes = b"") -> Iterator[Member]:
    name = node.child_by_field_name("name")
    if name is None or name.type != "identifier" or name.start_byte == name.end_byte:
        return
    spelt = text[name.start_byte : name.end_byte]
    if b"\\" not in spelt:
        yield Member(spelt.removeprefix(b"@"), name.start_byte, kind, signature)


def _is_apart(declaration: Node, text: bytes) -> bool:
    """Whether it is a part of something, or belongs to an interface by name."""
    return any(
        child.type == "explicit_interface_specifier"
        or (child.type == "modifier" and text[child.start_byte : child.end_byte] == b"partial")
        for child in declaration.named_children
    )


def _arity(declaration: Node) -> int:
    listed = declaration.child_by_field_name("type_parameters") or next(
        (child for child in declaration.named_children if child.type == "type_parameter_list"),
        None,
    )
    return 0 if listed is None else sum(c.type == "type_parameter" for c in listed.children)


def _parameters(declaration: Node, text: bytes) -> bytes:
    """The types of the parameters as they are spelt, with how each is passed."""
    listed = declaration.child_by_field_name("parameters")
    if listed is None:
        return b""
    types: list[bytes] = []
    for parameter in listed.children:
        if parameter.type == "parameter":
            type_ = parameter.child_by_field_name("type")
            passed = [
                word
                for child in parameter.children
                if child.type == "modifier"
                and (word := text[child.start_byte : child.end_byte]) not in _UNCOUNTED
            ]
            types.append(b" ".join((*passed, _spelt(type_, text))))
        elif parameter.is_named and parameter.type not in {
            "attribute_list",
            "comment",
            "identifier",
        }:
            types.append(_spelt(parameter, text))  # with `params`, no node of its own
    return b"(%s)" % b",".join(types)


def _nullable_values(method: Node, parameters: bytes, text: bytes) -> bytes:
    """Type parameters that are values and stand with ``?``: another type than the name alone."""
    if b"?" not in parameters:
        return b""
    clauses = (
        _VALUES.match(text, child.start_byte, child.end_byte)
        for child in method.named_children
        if child.type == "type_parameter_constraints_clause"
    )
    names = (clause[1] for clause in clauses if clause)
    return b",".join(sorted(n for n in names if re.search(rb"\b%s\s*\?" % n, parameters)))


def _spelt(type_: Node | None, text: bytes) -> bytes:
    return b"" if type_ is None else b" ".join(text[type_.start_byte : type_.end_byte].split())
