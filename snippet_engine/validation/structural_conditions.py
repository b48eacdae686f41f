"""Conditions of the structural checks: what a pattern alone can't tell of a node.

Part of spec 04-roslyn §1.4. Each takes the node that its pattern captured, of the kind that its
parameter names, and says whether C# refuses what it is or where it stands.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from tree_sitter import Node

from snippet_engine.csharp.keywords import RESERVED_WORDS

_DECLARATIONS = frozenset(
    (
        "class_declaration",
        "struct_declaration",
        "interface_declaration",
        "enum_declaration",
        "record_declaration",
        "delegate_declaration",
        "namespace_declaration",
        "file_scoped_namespace_declaration",
    )
)
_NO_BRACES = frozenset(
    (
        "argument",
        "conditional_expression",
        "lambda_expression",
        "parenthesized_expression",
        "prefix_unary_expression",
        "return_statement",
    )
)
"""Where braces can't be a value, though the grammar takes them for one."""
_BEFORE_USINGS = frozenset(
    ("using_directive", "extern_alias_directive", "comment", "file_scoped_namespace_declaration")
)
_NAMES = frozenset(("generic_name", "member_access_expression", "qualified_name"))
_TAKE_REFERENCES = frozenset(
    (
        "arrow_expression_clause",
        "assignment_expression",
        "conditional_expression",
        "lambda_expression",
        "return_statement",
        "variable_declarator",
    )
)
_UNARY = frozenset(("++", "--", "!", "~", "true", "false"))
_TIGHT = frozenset(("*", "/", "%", "+", "-", "<<", ">>", ">>>"))
"""Operators that bind tighter than comparisons."""
_PATTERNS = frozenset(("relational_pattern", "and_pattern", "or_pattern", "negated_pattern"))
_OWNERS_OF_PATTERNS = frozenset(("switch_expression_arm", "switch_section", "subpattern"))
_TYPES_OF_LAMBDAS = frozenset(("lambda_expression", "anonymous_method_expression"))
_MAX_ULONG = 2**64 - 1
_NO_CODE = rb"(?:\s|//[^\n]*|/\*.*?\*/)*"
_TYPE_ARGUMENTS = rb"<(?:[^<>;{}!=]|<(?:[^<>;{}!=]|<(?:[^<>;{}!=]|<[^<>;{}!=]*>)*>)*>)*>"
_TYPE_ARGUMENTS_AND_BRACKET = re.compile(
    _TYPE_ARGUMENTS + _NO_CODE + rb"(?:(?:\.\s*\w+|\?|\*)\s*)*[<(\[{]", re.DOTALL
)


def is_reserved(identifier: Node) -> bool:
    """Whether a name is a reserved word."""
    return identifier.text in RESERVED_WORDS


def is_not(*allowed: bytes) -> Callable[[Node], bool]:
    """Whether a modifier is none of those."""
    permitted = frozenset(allowed)
    return lambda modifier: modifier.text not in permitted


def is_const(modifier: Node) -> bool:
    """Whether a modifier is ``const``."""
    return modifier.text == b"const"


def is_contextual(modifier: Node) -> bool:
    """Whether a modifier is one only where a member or type is declared."""
    return modifier.text not in RESERVED_WORDS


def is_misplaced_partial(modifier: Node) -> bool:
    """Whether ``partial`` isn't the last of the modifiers."""
    following = modifier.next_named_sibling
    return modifier.text == b"partial" and following is not None and following.type == "modifier"


def declares_without_value(modifier: Node) -> bool:
    """Whether a ``const`` stands over a declarator without ``=``."""
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


def is_bare_creation(creation: Node) -> bool:
    """Whether ``new T`` has neither arguments nor braces.

    ``new T<U>(x) {…}`` is misread as two comparisons of ``new T``; what tells it from
    ``new T<U>`` alone is the bracket behind its type arguments.
    """
    parent = creation.parent
    if parent is None or parent.type == "cast_expression":
        return False
    operator = creation.next_sibling
    if parent.type != "binary_expression" or operator is None or operator.type != "<":
        return True
    owner = parent
    while owner.parent is not None and not owner.type.endswith(("statement", "declaration")):
        owner = owner.parent
    behind = (owner.text or b"")[operator.start_byte - owner.start_byte :]
    return not _TYPE_ARGUMENTS_AND_BRACKET.match(behind)


def binds_tighter(operation: Node) -> bool:
    """Whether an operator that binds tighter than ``is`` follows a declaration behind ``is``."""
    left = operation.children[0]
    pattern = left.child_by_field_name("pattern")
    operator = operation.child_by_field_name("operator")
    return (
        pattern is not None
        and pattern.type == "declaration_pattern"
        and (operator is None or operator.type in _TIGHT)
    )


def begins_type_arguments(comparison: Node) -> bool:
    """Whether the ``<`` behind ``as T`` is the start of type arguments that don't end."""
    operator, left = comparison.child_by_field_name("operator"), comparison.children[0]
    type_ = left.child_by_field_name("right")
    return (
        operator is not None
        and operator.type == "<"
        and type_ is not None
        and type_.type in {"identifier", "qualified_name", "member_access_expression"}
    )


def precedes_modifier(modifier: Node) -> bool:
    """Whether a ``const`` stands where its type would have to follow."""
    following = modifier.next_named_sibling
    return (
        modifier.text == b"const"
        and following is not None
        and following.type == "modifier"
        and following.text in RESERVED_WORDS
    )


def has_no_handler(statement: Node) -> bool:
    """Whether a ``try`` has neither ``catch`` nor ``finally``."""
    return not any(
        child.type in {"catch_clause", "finally_clause"} for child in statement.named_children
    )


def needs_type(parameter: Node) -> bool:
    """Whether a parameter without a type isn't that of a lambda."""
    parameters = parameter.parent
    owner = parameters.parent if parameters is not None else None
    return (
        owner is not None and owner.type not in _TYPES_OF_LAMBDAS and parameter.text != b"__arglist"
    )


def comes_late(directive: Node) -> bool:
    """Whether a using directive follows what it must precede, or stands in a type."""
    scope = directive.parent
    if scope is not None and scope.type == "declaration_list":
        owner = scope.parent
        if owner is not None and owner.type != "namespace_declaration":
            return True
    earlier = directive.prev_named_sibling
    while earlier is not None and earlier.type == "comment":
        earlier = earlier.prev_named_sibling
    return earlier is not None and earlier.type not in _BEFORE_USINGS


def declares_without_out(argument: Node) -> bool:
    """Whether an argument is ``type name`` without ``out``.

    ``a * b`` and ``a < b, c > d`` are misread as that.
    """
    arguments = argument.parent
    if arguments is None or arguments.type not in {"argument_list", "bracketed_argument_list"}:
        return False
    if any(child.type == "out" for child in argument.children):
        return False
    declared = argument.named_children[-1].child_by_field_name("type")
    return declared is None or declared.type not in {"generic_name", "pointer_type"}


def has_untyped_variable(statement: Node) -> bool:
    """Whether a ``foreach`` names its variable without ``var`` or a type."""
    left = statement.child_by_field_name("left")
    return (
        left is not None
        and left.type == "identifier"
        and statement.child_by_field_name("type") is None
    )


def follows_declaration(statement: Node) -> bool:
    """Whether a statement outside of types comes after a declaration."""
    earlier = statement.prev_named_sibling
    while earlier is not None and earlier.type == "comment":
        earlier = earlier.prev_named_sibling
    return earlier is not None and earlier.type in _DECLARATIONS


def is_no_member_value(assignment: Node) -> bool:
    """Whether an assignment isn't one of an object initializer."""
    return assignment.parent is None or assignment.parent.type != "initializer_expression"


def is_operand(braces: Node) -> bool:
    """Whether braces stand where a value must."""
    return braces.parent is not None and braces.parent.type in _NO_BRACES


def is_too_large(literal: Node) -> bool:
    """Whether an integer fits no type of C#."""
    digits = (literal.text or b"").decode().replace("_", "").rstrip("uUlL")
    try:
        value = int(digits, 0 if digits[:2].lower() in {"0x", "0b"} else 10)
    except ValueError:
        return False
    return value > _MAX_ULONG


def ends_in_dots(expression: Node) -> bool:
    """Whether a range is written with more than two dots."""
    parent = expression.parent
    return parent is not None and b"..." in (parent.text or b"")


def follows_arguments(parameters: Node) -> bool:
    """Whether the base type before has its arguments; else these may be them, misread."""
    bases = parameters.prev_named_sibling
    return bases is not None and (bases.text or b"").endswith(b">")


def can_not_throw(operand: Node) -> bool:
    """Whether a ``throw`` is the right side of another operator than ``??``."""
    operator = operand.prev_sibling
    return operator is not None and operator.type != "??"


def reads_as_element(array: Node) -> bool:
    """Whether a sized array that is the type of a local reads as an element of an array."""
    element = array.child_by_field_name("type")
    return element is not None and element.type != "predefined_type"


def is_no_buffer(declarator: Node) -> bool:
    """Whether a size stands behind a name outside of a ``fixed`` buffer's declaration."""
    declaration = declarator.parent.parent if declarator.parent is not None else None
    return declaration is None or all(
        modifier.text != b"fixed"
        for modifier in declaration.named_children
        if modifier.type == "modifier"
    )


def is_right_of_operator(operand: Node) -> bool:
    """Whether that is sure: ``F<T>(a) && b`` is misread as a cast, ``is T<U> && b`` as ``>``."""
    node = operand
    while node.prev_sibling is None and node.parent is not None:
        node = node.parent
        if node.type != "binary_expression":
            return False
    operator, parent = node.prev_sibling, node.parent
    return (
        parent is not None
        and parent.type == "binary_expression"
        and operator is not None
        and operator.type != ">"
    )


def is_repeated(modifier: Node) -> bool:
    """Whether the same modifier stands before it."""
    earlier = modifier.prev_named_sibling
    while earlier is not None and earlier.type == "modifier":
        if earlier.text == modifier.text:
            return True
        earlier = earlier.prev_named_sibling
    return False


def breaks_before_name(function: Node) -> bool:
    """Whether the line ends behind a local function's type, as when two statements meet."""
    returned = function.child_by_field_name("type")
    name = function.child_by_field_name("name")
    return returned is not None and name is not None and returned.end_point[0] < name.start_point[0]


def is_argument_without_types(arguments: Node) -> bool:
    """Whether ``T<,>`` is an argument, as only ``typeof`` takes it."""
    node = arguments.parent
    while node is not None and node.type in _NAMES:
        node = node.parent
    return (
        node is not None
        and node.type in {"argument", "assignment_expression"}
        and not arguments.named_children
    )


def has_wrong_number(parameters: Node) -> bool:
    """Whether an operator is declared with more or fewer parameters than it has operands."""
    declaration = parameters.parent
    operator = declaration and declaration.child_by_field_name("operator")
    if operator is None:
        return False
    operands = {1} if operator.type in _UNARY else {1, 2} if operator.type in "+-" else {2}
    # The parameter of `params` is no node of its own.
    commas = sum(child.type == "," for child in parameters.children)
    return (commas + 1 if parameters.named_children else 0) not in operands


def is_no_reference(expression: Node) -> bool:
    """Whether a ``ref`` expression stands where C# takes none."""
    owner = expression.parent
    if owner is None or owner.type not in _TAKE_REFERENCES:
        return True
    scope = owner.parent
    if owner.type == "variable_declarator":
        return scope is None or scope.parent is None or scope.parent.type == "field_declaration"
    return scope is not None and scope.type == "initializer_expression"


def ends_pattern(operand: Node) -> bool:
    """Whether a relational pattern goes on behind what C# takes for its operand.

    After ``is`` it may: ``a is > 3 && b`` is misread as a pattern with ``3 && b``.
    """
    operator = operand.child_by_field_name("operator")
    if operand.type == "binary_expression" and operator is not None and operator.type in _TIGHT:
        return False
    owner = operand.parent
    while owner is not None and owner.type in _PATTERNS:
        owner = owner.parent
    return owner is not None and owner.type in _OWNERS_OF_PATTERNS


def comes_after_code(attribute: Node) -> bool:
    """Whether an attribute of the assembly follows a declaration."""
    earlier = attribute.prev_named_sibling
    while earlier is not None and earlier.type == "comment":
        earlier = earlier.prev_named_sibling
    return earlier is not None and earlier.type not in {*_BEFORE_USINGS, "global_attribute"}
