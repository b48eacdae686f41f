"""Conditions of the checks of expressions: what a pattern alone can't tell of a node.

Part of spec 04-roslyn §1.4. Each takes the node that its pattern captured, of the kind that its
parameter names, and says whether C# refuses what it is or where it stands.
"""

from __future__ import annotations

import re

from tree_sitter import Node

from snippet_engine.csharp.keywords import PREDEFINED_TYPES, RESERVED_WORDS
from snippet_engine.csharp.syntax_tree import code_after, code_before

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
_TIGHT = frozenset(("*", "/", "%", "+", "-", "<<"))
"""Operators that bind tighter than comparisons."""
_PATTERNS = frozenset(("relational_pattern", "and_pattern", "or_pattern", "negated_pattern"))
_OWNERS_OF_PATTERNS = frozenset(("switch_expression_arm", "switch_section", "subpattern"))
_QUERY_WORDS = frozenset(
    b"ascending by descending equals from group into join let on orderby select where".split()
)
_LEFTMOST = frozenset(
    ("argument", "assignment_expression", "binary_expression", "conditional_expression")
)
"""What begins where its first operand does."""
_TYPES_OF_LAMBDAS = frozenset(("lambda_expression", "anonymous_method_expression"))
_RIGHTMOST = frozenset(
    (
        "await_expression",
        "binary_expression",
        "cast_expression",
        "prefix_unary_expression",
        "range_expression",
    )
)
"""What ends where its last operand does, and binds as tight as a comparison or tighter."""
_COLLECTIONS = frozenset(
    ("assignment_expression", "implicit_object_creation_expression", "object_creation_expression")
)
_HAVE_VALUES = frozenset(
    (
        "array_type",
        "cast_expression",
        "declaration_expression",
        "default_expression",
        "foreach_statement",
        "is_expression",
        "parameter",
        "type_argument_list",
        "type_pattern",
    )
)
_LOCALS = frozenset(
    ("fixed_statement", "for_statement", "local_declaration_statement", "using_statement")
)
_NO_OPERAND_OUTSIDE_OF_ASYNC = re.compile(
    rb"(?:" + b"|".join(sorted(PREDEFINED_TYPES)) + rb"|sizeof|stackalloc)\b|!|\+\+|--"
)
_MAX_ULONG = 2**64 - 1
_NO_CODE = rb"(?:\s|//[^\n]*|/\*.*?\*/)*"
_TYPE_ARGUMENTS = rb"<(?:[^<>;{}!=]|<(?:[^<>;{}!=]|<(?:[^<>;{}!=]|<[^<>;{}!=]*>)*>)*>)*>"
_TYPE_ARGUMENTS_AND_BRACKET = re.compile(
    _TYPE_ARGUMENTS + _NO_CODE + rb"(?:(?:\.\s*\w+|\?|\*)\s*)*[<(\[{]", re.DOTALL
)


def is_reserved(identifier: Node) -> bool:
    """Whether a name is a reserved word; ``F<default>(a)`` are comparisons, misread."""
    arguments = identifier.parent
    if identifier.text == b"default" and arguments and arguments.type == "type_argument_list":
        name = arguments.parent
        while name is not None and name.type in _NAMES:
            name = name.parent
        return name is None or name.type != "invocation_expression"
    return identifier.text in RESERVED_WORDS


def is_bare_creation(creation: Node) -> bool:
    """Whether ``new T`` has neither arguments nor braces.

    ``new T<U>(x) {…}`` is misread as two comparisons of ``new T``; what tells it from
    ``new T<U>`` alone is the bracket behind its type arguments.
    """
    node, parent = creation, creation.parent
    if parent is None or parent.type == "cast_expression":
        return False
    while code_after(node) is None and parent.type in _RIGHTMOST:
        if parent.parent is None:
            return True
        node, parent = parent, parent.parent
    operator = code_after(node)
    if parent.type != "binary_expression" or operator is None or operator.type != "<":
        return True
    type_ = creation.child_by_field_name("type")
    if type_ is not None and type_.type in {"array_type", "nullable_type", "predefined_type"}:
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


def has_no_handler(statement: Node) -> bool:
    """Whether a ``try`` has neither ``catch`` nor ``finally``."""
    return not any(
        child.type in {"catch_clause", "finally_clause"} for child in statement.named_children
    )


def declares_without_out(argument: Node) -> bool:
    """Whether an argument is ``type name`` without ``out``.

    ``a * b`` and ``a < b, c > d`` are misread as that.
    """
    arguments = argument.parent
    if arguments is None or arguments.type not in {"argument_list", "bracketed_argument_list"}:
        return False
    if any(child.type == "out" for child in argument.children):
        return False
    types = [
        child.child_by_field_name("type")
        for child in argument.named_children
        if child.type == "declaration_expression"
    ]
    return not any(type_ and (type_.text or b"").endswith((b">", b"*")) for type_ in types)


def has_untyped_variable(statement: Node) -> bool:
    """Whether a ``foreach`` names its variable without ``var`` or a type."""
    left = statement.child_by_field_name("left")
    return (
        left is not None
        and left.type != "tuple_expression"
        and statement.child_by_field_name("type") is None
    )


def is_assigned_to(name: Node) -> bool:
    """Whether a generic name stands left of ``=``: ``f(a < b, c >= d)`` is misread as that."""
    sign = code_after(name)
    return sign is not None and sign.start_byte > name.end_byte


def is_outside_of_initializer(assignment: Node) -> bool:
    """Whether an assignment isn't one of an object initializer.

    ``await[i] = v``, where ``await`` is a name, is misread as awaiting one.
    """
    owner = assignment.parent
    return owner is None or owner.type not in {"initializer_expression", "await_expression"}


def is_operand(braces: Node) -> bool:
    """Whether braces stand where a value must."""
    return braces.parent is not None and braces.parent.type in _NO_BRACES


def is_beside_operator(braces: Node) -> bool:
    """Whether that is sure: ``new List<(int, int)> {…}`` is misread as comparisons."""
    operator, operation = code_before(braces), braces.parent
    if operator is None or operator.type != ">" or operation is None:
        return True
    left = operation.children[0]
    return left.type != "binary_expression" or not (left.text or b"").startswith(b"new")


def is_nested_too_deep(braces: Node) -> bool:
    """Whether braces stand in an element of a collection initializer, as ``{{ name }}`` does."""
    depth, node = 1, braces.parent
    while node is not None and node.type == "initializer_expression":
        depth, node = depth + 1, node.parent
    return depth > 2 and node is not None and node.type in _COLLECTIONS


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
    owner, dots = expression.parent, [each for each in expression.children if each.type == ".."]
    if owner is None or not dots:
        return False
    text, at = owner.text or b"", dots[0].start_byte - owner.start_byte
    return text[at + 2 : at + 3] == b"." or text[at - 1 : at] == b"."


def can_not_throw(operand: Node) -> bool:
    """Whether a ``throw`` is the right side of another operator than ``??``."""
    operator = code_before(operand)
    return operator is not None and operator.type != "??"


def ends_in_comma(arguments: Node) -> bool:
    """Whether nothing follows the last comma in brackets."""
    *_, closing = arguments.children or [arguments]
    last = code_before(closing)
    return closing.type == "]" and last is not None and last.type == ","


def is_read_rightly(operand: Node) -> bool:
    """Whether ``&& b`` has no left operand for C# either.

    ``(a) && b`` can be misread as a cast, ``await && b`` as awaiting, ``F<T>(a) && b`` and
    ``is T<U> && b`` as comparisons.
    """
    if not (operand.text or b"").startswith(b"&&"):
        return False
    node = operand
    while (before := code_before(node)) is None:
        if node.parent is None or node.parent.type not in _LEFTMOST:
            break
        node = node.parent
    parent = node.parent
    if parent is None or parent.type in {"await_expression", "cast_expression"}:
        return False
    if parent.type != "binary_expression" or before is None or before.type != ">":
        return True
    return b"<" not in (parent.children[0].text or b"")


def is_argument_without_types(arguments: Node) -> bool:
    """Whether ``T<,>`` is an argument, as only ``typeof`` takes it."""
    node = arguments.parent
    while node is not None and node.type in _NAMES:
        node = node.parent
    return (
        node is not None
        and node.type in {"argument", "assignment_expression", "binary_expression"}
        and not arguments.named_children
    )


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


def is_keyword_of_query(identifier: Node) -> bool:
    """Whether a name in a query is a keyword there."""
    if identifier.text not in _QUERY_WORDS:
        return False
    node = identifier.parent
    while node is not None and node.type != "query_expression":
        node = node.parent
    return node is not None


def stands_behind_call(cast: Node) -> bool:
    """Whether something stands right behind ``F<T>(a)``, which is misread as comparisons."""
    comparison, value = cast.parent, cast.child_by_field_name("value")
    left = comparison.child_by_field_name("left") if comparison is not None else None
    operator, types = left and left.child_by_field_name("operator"), left and left.children[-1]
    return (
        operator is not None
        and operator.type == "<"
        and types is not None
        and types.type in {*_NAMES, "identifier", "predefined_type"}
        and value is not None
        and (value.text or b"")[:1].isalpha()
    )


def is_void_value(type_: Node) -> bool:
    """Whether ``void`` is the type of something that has a value."""
    owner = type_.parent
    if type_.text != b"void" or owner is None:
        return False
    if owner.type == "variable_declaration":
        return owner.parent is not None and owner.parent.type in _LOCALS
    return owner.type in _HAVE_VALUES


def can_not_await(identifier: Node) -> bool:
    """Whether ``await``, or what cures make of it, is a name in an ``async`` function."""
    return identifier.text in {b"await", b"awai_"} and _is_in_async(identifier)


def can_not_follow_name(awaiting: Node) -> bool:
    """Whether the operand can't follow ``await`` where that is a name, as in ``await (A)b``.

    C# takes ``await`` for the keyword all the same where a name or a literal follows.
    """
    operand = code_after(awaiting.children[0]) if awaiting.children else None
    if operand is None:
        return False
    value = operand.child_by_field_name("value") if operand.type == "cast_expression" else None
    if value is not None:
        is_misplaced = (value.text or b"")[:1].isalpha()
    else:
        is_misplaced = _NO_OPERAND_OUTSIDE_OF_ASYNC.match(operand.text or b"") is not None
    return is_misplaced and not _is_in_async(awaiting)


def _is_in_async(node: Node) -> bool:
    """Whether a function around a node is ``async``, as far as C# looks for one."""
    scope = node.parent
    while scope is not None:
        is_async = any(part.text == b"async" for part in scope.children)
        if scope.type in _TYPES_OF_LAMBDAS and is_async:
            return True
        if scope.type in {"local_function_statement", "method_declaration"}:
            return is_async
        scope = scope.parent
    return False
