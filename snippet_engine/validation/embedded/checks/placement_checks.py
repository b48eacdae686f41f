"""Code that parses but is never allowed at its place: a table of checks.

Implements docs/design/roslyn.md §1.4: bodies of abstract members, pointers outside of ``unsafe``,
buffers outside of structs, ``this`` and ``base`` where there is no object.
"""

from __future__ import annotations

from tree_sitter import Node

from snippet_engine.csharp.tree.syntax_tree import ancestors, owner_of
from snippet_engine.validation.embedded.checks.declaration_conditions import has_size
from snippet_engine.validation.embedded.checks.member_conditions import (
    MEMBERS,
    is_outside_of_unsafe,
    modifiers,
    type_around,
)
from snippet_engine.validation.embedded.checks.tree_patterns import Check, in_each

_BODIES = frozenset(("arrow_expression_clause", "block"))
_FIELDS = frozenset(("event_field_declaration", "field_declaration"))
_OF_POINTERS = frozenset(("array_type", "function_pointer_type", "pointer_type"))
_TYPED = frozenset(
    {
        *("delegate_declaration", "foreach_statement", "method_declaration", "parameter"),
        *("property_declaration", "variable_declaration"),
    }
)
"""Nodes that surely have a type: ``F(a * b, c)`` is misread as a declaration of ``b``."""


def _has_body_but_is_abstract(modifier: Node) -> bool:
    member = modifier.parent
    if modifier.text != b"abstract" or member is None:
        return False
    parts = [*member.named_children]
    for child in member.named_children:
        if child.type == "accessor_list":
            parts += [part for accessor in child.named_children for part in accessor.named_children]
    return any(part.type in _BODIES for part in parts)


def _is_override_of_interface(modifier: Node) -> bool:
    member = modifier.parent
    type_ = type_around(member)
    return (
        modifier.text == b"override" and type_ is not None and type_.type == "interface_declaration"
    )


def _is_buffer_outside_of_struct(modifier: Node) -> bool:
    member = modifier.parent
    type_ = type_around(member)
    return (
        modifier.text == b"fixed"
        and type_ is not None
        and type_.type in {"class_declaration", "interface_declaration"}
    )


def _is_safe_buffer(modifier: Node) -> bool:
    return modifier.text == b"fixed" and is_outside_of_unsafe(modifier)


def _is_safe_pointer(pointer: Node) -> bool:
    """Return whether ``pointer`` is in the type of a declaration outside of ``unsafe``."""
    owner = next((each for each in ancestors(pointer) if each.type not in _OF_POINTERS), None)
    if owner is None or owner.type not in _TYPED:
        return False
    of_event = owner.parent is not None and owner.parent.type == "event_field_declaration"
    return not of_event and is_outside_of_unsafe(pointer)


def _is_in_initializer(this: Node) -> bool:
    """Return whether ``this`` or ``base`` is in the initializer of a field."""
    return _member_around(this) in _FIELDS


def _is_base_of_static(base: Node) -> bool:
    if base.parent is None or base.parent.type == "constructor_initializer":
        return False
    member = next((each for each in ancestors(base) if each.type in MEMBERS), None)
    return member is not None and b"static" in modifiers(member)


def _member_around(node: Node) -> str:
    """Return the kind of member that contains a node; empty if unknown."""
    for each in ancestors(node):
        if each.type in _FIELDS or each.type in MEMBERS:
            return each.type
        if each.type in {"ERROR", "declaration_list"}:
            break
    return ""


def _is_passed_to_async(modifier: Node) -> bool:
    """Return whether ``ref``, ``out`` or ``in`` is on a parameter of an ``async`` function."""
    function = owner_of(modifier, 3)
    return (
        modifier.text in {b"in", b"out", b"ref"}
        and function is not None
        and function.type in {"local_function_statement", "method_declaration"}
        and b"async" in modifiers(function)
    )


def _lacks_value(declarator: Node) -> bool:
    """Return whether a variable has no initializer; ``var(a)`` is misread as one."""
    name = declarator.child_by_field_name("name")
    return name is not None and all(child.type != "=" for child in declarator.children)


PLACEMENT_CHECKS: tuple[Check, ...] = (
    Check(
        "body of what is abstract",
        "CS0500",
        "an '{}' member can't have a body",
        in_each("method_declaration property_declaration indexer_declaration", "(modifier) @at"),
        _has_body_but_is_abstract,
    ),
    Check(
        "override in an interface",
        "CS0106",
        "'{}' is not valid in an interface",
        "([(method_declaration (modifier) @at) (property_declaration (modifier) @at)])",
        _is_override_of_interface,
    ),
    Check(
        "buffer outside of a struct",
        "CS1642",
        "'{}' buffers are allowed in structs only",
        "(field_declaration (modifier) @at)",
        _is_buffer_outside_of_struct,
    ),
    Check(
        "buffer outside of unsafe",
        "CS0214",
        "'{}' buffers need unsafe",
        "(field_declaration (modifier) @at)",
        _is_safe_buffer,
    ),
    Check(
        "pointer type outside of unsafe",
        "CS0214",
        "'{}' is a pointer, which needs unsafe",
        "([(pointer_type) (function_pointer_type)]) @at",
        _is_safe_pointer,
    ),
    Check(
        "this in a field's initializer",
        "CS0027",
        "a field's initializer can't use '{}'",
        '"this" @at',
        _is_in_initializer,
    ),
    Check(
        "base in a field's initializer",
        "CS1512",
        "a field's initializer can't use '{}'",
        '"base" @at',
        _is_in_initializer,
    ),
    Check(
        "base in a static member",
        "CS1511",
        "a static member can't use '{}'",
        '"base" @at',
        _is_base_of_static,
    ),
    Check(
        "size in a field's type",
        "CS0270",
        "'{}' is not a type: a size is allowed only after new",
        "(field_declaration (variable_declaration"
        " type: (array_type rank: (array_rank_specifier (_))) @at))",
        has_size,
    ),
    Check(
        "reference passed to an async function",
        "CS1988",
        "an async function can't have '{}' parameters",
        "(parameter (modifier) @at)",
        _is_passed_to_async,
    ),
    Check(
        "var without a value",
        "CS0818",
        "'{}' needs a value: var takes its type from it",
        "(local_declaration_statement (variable_declaration type: (implicit_type)"
        " (variable_declarator) @at))",
        _lacks_value,
    ),
    Check(
        "step that does nothing",
        "CS0201",
        "'{}' is not a statement: only calls, assignments, ++, --, await and new are",
        "[(for_statement update: [(identifier) (member_access_expression)"
        " (element_access_expression) (integer_literal)] @at)"
        " (for_statement initializer: [(identifier) (member_access_expression)"
        " (element_access_expression) (integer_literal)] @at)]",
    ),
)
"""The patterns, the compiler's id for each, and its message (``{}``: the matched text)."""
