"""Conditions of the checks of declarations: what a query alone can't decide.

Part of docs/design/roslyn.md §1.4. Each takes the node that its query captured. Each returns
whether C# refuses the node at its place.
"""

from __future__ import annotations

from collections.abc import Callable

from tree_sitter import Node

from snippet_engine.csharp.lexical.keywords import RESERVED_WORDS
from snippet_engine.csharp.tree.grammar import ALL_TYPES
from snippet_engine.csharp.tree.syntax_tree import code_after, code_before, code_in, owner_of

_DECLARATIONS = ALL_TYPES | {"namespace_declaration", "file_scoped_namespace_declaration"}
_BEFORE_USINGS = frozenset(
    ("using_directive", "extern_alias_directive", "comment", "file_scoped_namespace_declaration")
)
_UNARY = frozenset(("++", "--", "!", "~", "true", "false"))
_TAKE_NO_SIZES = frozenset(("cast_expression", "foreach_statement", "type_argument_list"))
_WITHOUT_PARTS = frozenset(("delegate_declaration", "enum_declaration"))


def is_not(*allowed: bytes) -> Callable[[Node], bool]:
    """Return a condition: the modifier isn't one of the given words."""
    permitted = frozenset(allowed)
    return lambda modifier: modifier.text not in permitted


def is_contextual(modifier: Node) -> bool:
    """Return whether the word is a modifier only in the declaration of a member or type."""
    return modifier.text not in RESERVED_WORDS


def is_misplaced_partial(modifier: Node) -> bool:
    """Whether ``partial`` isn't the last modifier, or is on a declaration that can't be partial."""
    owner, following = modifier.parent, code_after(modifier, named=True)
    if modifier.text != b"partial" or owner is None or following is None:
        return False
    return following.type == "modifier" or owner.type in _WITHOUT_PARTS


def is_misplaced_fixed(modifier: Node) -> bool:
    """Return whether ``fixed`` isn't on a buffer, or is before another modifier."""
    owner, following = modifier.parent, code_after(modifier, named=True)
    if modifier.text != b"fixed" or owner is None or following is None:
        return False
    if owner.type != "field_declaration" or following.type == "modifier":
        return True
    sizes = [
        [part.type for part in declarator.children]
        for declarator in following.named_children
        if declarator.type == "variable_declarator"
    ]
    return any("bracketed_argument_list" not in parts or "=" in parts for parts in sizes)


def declares_without_value(modifier: Node) -> bool:
    """Return whether a ``const`` declaration has a declarator without ``=``."""
    parent = modifier.parent
    if modifier.text != b"const" or parent is None:
        return False
    declarators = (
        declarator
        for declaration in parent.named_children
        if declaration.type == "variable_declaration"
        for declarator in declaration.named_children
        if declarator.type == "variable_declarator"
    )
    return any(all(part.type != "=" for part in each.children) for each in declarators)


def precedes_modifier(modifier: Node) -> bool:
    """Return whether a ``const`` is where its type would have to follow."""
    following = code_after(modifier, named=True)
    return (
        modifier.text == b"const"
        and following is not None
        and following.type == "modifier"
        and following.text in RESERVED_WORDS
    )


def needs_type(parameter: Node) -> bool:
    """Return whether a parameter without a type doesn't belong to a lambda."""
    owner = owner_of(parameter, 2)
    return (
        owner is not None and owner.type != "lambda_expression" and parameter.text != b"__arglist"
    )


def comes_late(directive: Node) -> bool:
    """Whether a using or extern alias follows something that it must precede, or is in a type."""
    scope = directive.parent
    if scope is not None and scope.type == "declaration_list":
        owner = scope.parent
        if owner is not None and owner.type != "namespace_declaration":
            return True
    allowed = _BEFORE_USINGS
    if directive.type == "extern_alias_directive":
        allowed = _BEFORE_USINGS - {"using_directive"}
    earlier = code_before(directive, named=True)
    return earlier is not None and earlier.type not in allowed


def follows_declaration(statement: Node) -> bool:
    """Return whether a statement outside of types comes after a declaration."""
    earlier = code_before(statement, named=True)
    return (
        earlier is not None and earlier.type in _DECLARATIONS and stands_outside_of_types(statement)
    )


def stands_outside_of_types(statement: Node) -> bool:
    """Return whether a statement outside of types isn't the ``;`` behind a declaration."""
    earlier = code_before(statement, named=True)
    return (
        statement.text != b";"
        or earlier is None
        or earlier.type not in _DECLARATIONS
        or (earlier.text or b"")[-1:] != b"}"
    )


def follows_arguments(parameters: Node) -> bool:
    """Return whether the base type before ``parameters`` is generic already, or a keyword."""
    bases = code_before(parameters, named=True)
    last = bases.named_children[-1] if bases is not None and bases.named_children else None
    return last is not None and (
        last.type == "predefined_type" or (last.text or b"").endswith(b">")
    )


def reads_as_element(array: Node) -> bool:
    """Return whether a local's type looks like an array's element: ``a[i] b;``, ``a?[i](b);``."""
    element = array.child_by_field_name("type")
    declarator = code_after(array, named=True)
    declared = declarator.children if declarator is not None else []
    return (
        element is not None
        and element.type != "predefined_type"
        and has_size(array)
        and all(part.type != "tuple_pattern" for part in declared)
    )


def has_size(array: Node) -> bool:
    """Return whether the brackets of an array's type hold more than comments."""
    rank = array.child_by_field_name("rank")
    return rank is not None and bool(code_in(rank))


def creates_nothing(array: Node) -> bool:
    """Return whether a sized array is the type of a cast, a type argument or a foreach variable."""
    owner = array.parent
    return owner is not None and owner.type in _TAKE_NO_SIZES and has_size(array)


def is_no_buffer(declarator: Node) -> bool:
    """Return whether a name has a size outside of a ``fixed`` buffer's declaration."""
    declaration = declarator.parent.parent if declarator.parent is not None else None
    return declaration is None or all(
        modifier.text != b"fixed"
        for modifier in declaration.named_children
        if modifier.type == "modifier"
    )


def breaks_before_name(function: Node) -> bool:
    """Whether two statements were merged: the line ends after the type of a bodiless function."""
    returned = function.child_by_field_name("type")
    name = function.child_by_field_name("name")
    return (
        returned is not None
        and name is not None
        and returned.end_point[0] < name.start_point[0]
        and function.child_by_field_name("body") is None
        and all(child.type != "modifier" for child in function.named_children)
    )


def has_wrong_number(parameters: Node) -> bool:
    """Return whether an operator has more or fewer parameters than operands."""
    declaration = parameters.parent
    operator = declaration and declaration.child_by_field_name("operator")
    if operator is None:
        return False
    operands = {1} if operator.type in _UNARY else {1, 2} if operator.type in "+-" else {2}
    # The parameter of `params` has no node of its own.
    commas = sum(child.type == "," for child in parameters.children)
    return (commas + 1 if code_in(parameters) else 0) not in operands


def comes_after_code(attribute: Node) -> bool:
    """Return whether an attribute of the assembly follows a declaration."""
    earlier = code_before(attribute, named=True)
    return earlier is not None and earlier.type not in {*_BEFORE_USINGS, "global_attribute"}
