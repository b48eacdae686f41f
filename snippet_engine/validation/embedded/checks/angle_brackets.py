"""Detect a superfluous ``>`` after a generic name.

Part of docs/design/roslyn.md §1.4. The grammar reads ``a<b>>c`` as a comparison of the generic name
``a<b>`` with ``c``. C# compares ``a`` with ``b >> c`` if that makes sense, and otherwise reports an
error: ``f(a<b, c>>d)`` has two arguments, but ``x = a<b, c>>d`` has no meaning. If an argument can
only be a type, as in ``a<int>>b``, C# reads a generic name, too.
"""

from __future__ import annotations

from tree_sitter import Node

from snippet_engine.csharp.tree import syntax_tree

_MAX_BYTES = 8_000
"""Longer statements and members are not parsed again."""

_SURELY_TYPES = frozenset(
    ("array_type", "nullable_type", "pointer_type", "predefined_type", "tuple_type")
)
_BY_REFERENCE = frozenset(("in", "out", "ref"))
_STATEMENT = (b"class C{void M(){", b"}}")
_MEMBER = (b"class C{", b"}")


def is_one_too_many(name: Node) -> bool:
    """Return whether the left side of a ``>`` is a generic name that C# doesn't read as one."""
    comparison, operator = name.parent, name.next_sibling
    if comparison is None or operator is None or not _is_generic(name):
        return False
    right = comparison.child_by_field_name("right")
    if right is not None and (right.text or b"").startswith(b"&&"):
        return True
    if any(_is_surely_type(each) for each in _simple_name(name).named_children[-1].named_children):
        return False
    owner = comparison.parent
    if owner is not None and owner.type in {"constant_pattern", "foreach_statement"}:
        # `a is B<C> > d` has a type on the left.
        return owner.type == "foreach_statement"
    if name.end_byte < operator.start_byte or (name.text or b"").endswith(b">>"):
        return True
    return not _reads_as_shift(name)


def _is_generic(name: Node) -> bool:
    return _simple_name(name).type == "generic_name"


def _is_surely_type(argument: Node) -> bool:
    """Return whether a type argument can only be a type, so that C# surely reads a type list."""
    return argument.type in _SURELY_TYPES or any(
        _is_surely_type(part) for part in argument.named_children
    )


def _simple_name(name: Node) -> Node:
    member = name.child_by_field_name("name") if name.type == "member_access_expression" else None
    return name if member is None else member


def _reads_as_shift(name: Node) -> bool:
    """Return whether the statement or member parses with a shift in place of the two brackets.

    A left shift is tried, because brackets can't be read from it.
    """
    around, node = None, name
    while around is None and node.parent is not None:
        if node.parent.type == "declaration_list":
            around = _MEMBER
        elif node.parent.type in {"block", "switch_section"}:
            around = _STATEMENT
        else:
            node = node.parent
    text = node.text or b""
    if around is None or len(text) > _MAX_BYTES:
        return True
    shifted = bytearray(text)
    at = name.end_byte - 1 - node.start_byte
    shifted[at : at + 2] = b"<<"
    read = syntax_tree.parse(bytes(shifted).join(around)).root_node
    return not read.has_error and not _has_tuple_of_references(read)


def _has_tuple_of_references(node: Node) -> bool:
    """Return whether an item in brackets, arguments misread as a tuple, is passed by reference."""
    arguments = node.named_children if node.type == "tuple_expression" else []
    return any(each.children and each.children[0].type in _BY_REFERENCE for each in arguments) or (
        any(_has_tuple_of_references(child) for child in node.named_children)
    )
