"""Expressions that the grammar accepts and C# does not: a table of checks.

Implements docs/design/roslyn.md §1.4. The parser misreads some code, such as operands of
comparisons and casts; a check examines such nodes only if its condition distinguishes them.

The grammar reads ``a<b>>c`` as a comparison of the generic name ``a<b>`` with ``c``. C# compares
``a`` with ``b >> c`` if that makes sense, and otherwise reports an error: ``f(a<b, c>>d)`` has two
arguments, but ``x = a<b, c>>d`` has no meaning. If an argument can only be a type, as in
``a<int>>b``, C# reads a generic name, too.
"""

from __future__ import annotations

from tree_sitter import Node

from snippet_engine.csharp.tree import syntax_tree
from snippet_engine.validation.embedded.checks import expression_conditions as conditions
from snippet_engine.validation.embedded.checks.tree_patterns import Check, in_each, reads

_MAX_BYTES = 8_000
"""Longer statements and members are not parsed again."""

_SURELY_TYPES = frozenset(
    ("array_type", "nullable_type", "pointer_type", "predefined_type", "tuple_type")
)
_BY_REFERENCE = frozenset(("in", "out", "ref"))
_STATEMENT = (b"class C{void M(){", b"}}")
_MEMBER = (b"class C{", b"}")


def is_one_too_many(name: Node) -> bool:
    """Return whether C# doesn't read this generic name, the left side of a ``>``, as one."""
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
    """Return whether the statement parses with ``<<`` there, which can't end type arguments."""
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
    """Return whether an item in brackets is passed by reference.

    Then the apparent tuple is misread arguments.
    """
    arguments = node.named_children if node.type == "tuple_expression" else []
    return any(each.children and each.children[0].type in _BY_REFERENCE for each in arguments) or (
        any(_has_tuple_of_references(child) for child in node.named_children)
    )


EXPRESSION_CHECKS: tuple[Check, ...] = (
    Check(
        "new without arguments",
        "CS1526",
        "new needs (), [] or {{}} after the type",
        "(object_creation_expression !arguments !initializer) @at",
        conditions.is_bare_creation,
    ),
    Check(
        "two names in an argument",
        "CS1003",
        "',' expected in '{}'",
        "(argument (declaration_expression)) @at",
        conditions.declares_without_out,
    ),
    Check(
        "condition in an interpolation",
        "CS8361",
        "a ?: in an interpolated string needs parentheses",
        "(interpolation (conditional_expression) @at)",
    ),
    Check(
        "braces as a value",
        "CS1525",
        "{{ }} is a value only in a declaration or an initializer",
        "(initializer_expression) @at",
        conditions.is_no_value,
    ),
    Check(
        "braces behind parentheses",
        "CS1026",
        "=> expected between '{}' and its braces",
        "[(argument (cast_expression value: (initializer_expression)) @at)"
        " (assignment_expression right: (cast_expression value: (initializer_expression)) @at)"
        " (variable_declarator (cast_expression value: (initializer_expression)) @at)]",
    ),
    Check(
        "braces in an element",
        "CS1525",
        "{{ }} is not an element of a collection",
        "(initializer_expression) @at",
        conditions.is_nested_too_deep,
    ),
    Check(
        "member of a declared variable",
        "CS1002",
        "; expected: '{}'",
        "[(member_access_expression expression: (is_pattern_expression))"
        " (element_access_expression expression: (is_pattern_expression))"
        " (binary_expression left: (is_pattern_expression))] @at",
        conditions.binds_tighter,
    ),
    Check(
        "call of a type",
        "CS1002",
        "; expected: '{}' calls a type",
        "(invocation_expression function: (as_expression)) @at",
    ),
    Check(
        "type arguments without an end",
        "CS1003",
        "'>' expected: '{}'",
        "(binary_expression left: (as_expression)) @at",
        conditions.begins_type_arguments,
    ),
    Check(
        "lambda as an operand",
        "CS1525",
        "a lambda needs parentheses here",
        "(lambda_expression) @at",
        conditions.is_operand,
    ),
    Check(
        "throw as an operand",
        "CS1525",
        "throw is an expression only after ??, ?: and =>",
        "[(binary_expression right: (throw_expression) @at)"
        " (prefix_unary_expression (throw_expression) @at)"
        " (cast_expression (throw_expression) @at) (await_expression (throw_expression) @at)]",
        conditions.can_not_throw,
    ),
    Check(
        "ref that refers to no variable",
        "CS1525",
        "'{}' is allowed only after =, return, => and in ?:",
        "(ref_expression) @at",
        conditions.is_no_reference,
    ),
    Check(
        "ref in a tuple",
        "CS1525",
        "'{}' can't be an element of a tuple",
        '(tuple_expression (argument ["ref" "in" "out"]) @at)',
    ),
    Check(
        "lambda awaited",
        "CS1525",
        "a lambda can't be awaited",
        "(await_expression (lambda_expression) @at)",
    ),
    Check(
        "operator doubled",
        "CS1525",
        "an operand is missing before '{}'",
        '(prefix_unary_expression "&" (prefix_unary_expression "&")) @at',
        conditions.is_read_rightly,
    ),
    Check(
        "type arguments left out",
        "CS7003",
        "'{}' needs types between the brackets, except in typeof",
        "(type_argument_list) @at",
        conditions.is_unbound,
    ),
    Check(
        "angle bracket too many",
        "CS1002",
        "unexpected '>' after '{}'",
        '(binary_expression left: [(generic_name) (member_access_expression)] @at ">")',
        is_one_too_many,
    ),
    Check(
        "pointer member of a type",
        "CS1525",
        "'{}' is a type: write a dot before its members",
        '(member_access_expression expression: (predefined_type) @at "->")',
    ),
    Check(
        "integer too large",
        "CS1021",
        "the integer {} is too large",
        "(integer_literal) @at",
        conditions.is_too_large,
    ),
    Check(
        "element assigned to outside of an initializer",
        "CS1525",
        "an object is missing before '{}'",
        "(assignment_expression left: (element_binding_expression)) @at",
        conditions.is_outside_of_initializer,
    ),
    Check(
        "type arguments assigned to",
        "CS1525",
        "a name is missing after '{}'",
        "[(assignment_expression left: (generic_name) @at)"
        " (assignment_expression left: (member_access_expression name: (generic_name)) @at)]",
        conditions.is_assigned_to,
    ),
    Check(
        "name behind a generic call",
        "CS1002",
        "; expected: '{}'",
        '(binary_expression left: (binary_expression) ">" right: (cast_expression) @at)',
        conditions.stands_behind_call,
    ),
    Check(
        "argument left out",
        "CS0443",
        "an argument is missing in '{}'",
        "(bracketed_argument_list) @at",
        conditions.ends_in_comma,
    ),
    Check(
        "sign behind a declared variable",
        "CS1026",
        "'{}' is not a complete expression",
        "(postfix_unary_expression (is_pattern_expression)) @at",
    ),
    Check(
        "range of a type",
        "CS1001",
        "'{}': a type can't begin a range; one dot comes before a member",
        "(range_expression . [(is_expression) (as_expression)]) @at",
    ),
    Check(
        "three dots",
        "CS8635",
        "unexpected '...': write the code that belongs here",
        "(range_expression) @at",
        conditions.ends_in_dots,
    ),
    Check(
        "element left out",
        "CS1525",
        "an element is missing before the comma",
        in_each(
            "initializer_expression property_pattern_clause anonymous_object_creation_expression",
            '"{" . "," @at',
        ),
    ),
    Check(
        "size left out",
        "CS0443",
        "'{}' needs all of its sizes, or none",
        "(array_rank_specifier) @at",
        conditions.has_not_all_sizes,
    ),
    Check(
        "member of a switch or with",
        "CS1002",
        "; expected after the braces: '{}' needs parentheses around switch or with",
        "[(member_access_expression expression: [(switch_expression) (with_expression)])"
        " (element_access_expression expression: [(switch_expression) (with_expression)])"
        " (invocation_expression function: [(switch_expression) (with_expression)])"
        " (conditional_access_expression condition: [(switch_expression) (with_expression)])"
        " (postfix_unary_expression [(switch_expression) (with_expression)])] @at",
    ),
    Check(
        "call that reads as a cast",
        "CS1525",
        "C# reads '{}' as a cast of nothing: remove the parentheses around the name",
        "(invocation_expression function: (parenthesized_expression [(identifier)"
        " (generic_name) (member_access_expression) (qualified_name)"
        " (alias_qualified_name)])) @at",
        conditions.is_cast_of_nothing,
    ),
    Check(
        "cast of an increment",
        "CS1002",
        "; expected: in '{}' C# applies the sign to the parentheses",
        "(cast_expression type: [(identifier) (generic_name) (qualified_name)]"
        ' value: (prefix_unary_expression ["++" "--"])) @at',
        conditions.has_stepped_operand,
    ),
    Check(
        "this on a lambda's parameter",
        "CS1026",
        "'{}' is not valid on a lambda's parameter",
        "(lambda_expression (parameter_list (parameter (modifier) @at)))",
        reads(b"this"),
    ),
    Check(
        "types left out in nameof",
        "CS8652",
        "'{}' needs types between the brackets; nameof needs none in C# 14",
        "(type_argument_list) @at",
        conditions.is_unbound_in_nameof,
        until=14,
    ),
    Check(
        "suppression twice",
        "CS8715",
        "'{}': one ! is enough",
        '(postfix_unary_expression (postfix_unary_expression "!") "!") @at',
    ),
    Check(
        "sign behind a sign",
        "CS1059",
        "'{}' changes something that is not a variable",
        '[(postfix_unary_expression (postfix_unary_expression ["++" "--"]) ["++" "--"])'
        ' (prefix_unary_expression ["++" "--"] [(integer_literal) (real_literal)'
        " (string_literal) (null_literal) (boolean_literal)])] @at",
    ),
)
"""The patterns, the compiler's id for each, and its message (``{}``: the matched text)."""
