"""Expressions that the grammar accepts and C# does not: a table of checks.

Implements docs/design/roslyn.md §1.4. No check looks at nodes that the parser gets by misreading,
as operands of comparisons and casts can be, unless its condition tells these apart.
"""

from __future__ import annotations

from snippet_engine.validation.embedded.checks import expression_conditions as conditions
from snippet_engine.validation.embedded.checks.angle_brackets import is_one_too_many
from snippet_engine.validation.embedded.checks.declaration_conditions import is_repeated
from snippet_engine.validation.embedded.checks.tree_patterns import (
    StructuralCheck,
    TreePattern,
    reads,
)

EXPRESSION_CHECKS: tuple[StructuralCheck, ...] = (
    StructuralCheck(
        TreePattern(
            "new without arguments",
            "(object_creation_expression !arguments !initializer) @at",
            conditions.is_bare_creation,
        ),
        "CS1526",
        "new needs (), [] or {{}} after the type",
    ),
    StructuralCheck(
        TreePattern(
            "two names in an argument",
            "(argument (declaration_expression)) @at",
            conditions.declares_without_out,
        ),
        "CS1003",
        "',' expected in '{}'",
    ),
    StructuralCheck(
        TreePattern(
            "condition in an interpolation", "(interpolation (conditional_expression) @at)"
        ),
        "CS8361",
        "a ?: in an interpolated string needs parentheses",
    ),
    StructuralCheck(
        TreePattern("braces as a value", "(initializer_expression) @at", conditions.is_no_value),
        "CS1525",
        "{{ }} is a value only in a declaration or an initializer",
    ),
    StructuralCheck(
        TreePattern(
            "braces behind parentheses",
            "[(argument (cast_expression value: (initializer_expression)) @at)"
            " (assignment_expression right: (cast_expression value: (initializer_expression)) @at)"
            " (variable_declarator (cast_expression value: (initializer_expression)) @at)]",
        ),
        "CS1026",
        "=> expected between '{}' and its braces",
    ),
    StructuralCheck(
        TreePattern(
            "braces in an element", "(initializer_expression) @at", conditions.is_nested_too_deep
        ),
        "CS1525",
        "{{ }} is no element of a collection",
    ),
    StructuralCheck(
        TreePattern(
            "member of a declared variable",
            "[(member_access_expression expression: (is_pattern_expression))"
            " (element_access_expression expression: (is_pattern_expression))"
            " (binary_expression left: (is_pattern_expression))] @at",
            conditions.binds_tighter,
        ),
        "CS1002",
        "; expected: '{}'",
    ),
    StructuralCheck(
        TreePattern("call of a type", "(invocation_expression function: (as_expression)) @at"),
        "CS1002",
        "; expected: '{}' calls a type",
    ),
    StructuralCheck(
        TreePattern(
            "type arguments without an end",
            "(binary_expression left: (as_expression)) @at",
            conditions.begins_type_arguments,
        ),
        "CS1003",
        "'>' expected: '{}'",
    ),
    StructuralCheck(
        TreePattern("lambda as an operand", "(lambda_expression) @at", conditions.is_operand),
        "CS1525",
        "a lambda needs parentheses here",
    ),
    StructuralCheck(
        TreePattern(
            "throw as an operand",
            "(binary_expression right: (throw_expression) @at)",
            conditions.can_not_throw,
        ),
        "CS1525",
        "throw is an expression only behind ??, ?: and =>",
    ),
    StructuralCheck(
        TreePattern(
            "throw behind an operator",
            "[(prefix_unary_expression (throw_expression) @at)"
            " (cast_expression (throw_expression) @at) (await_expression (throw_expression) @at)]",
        ),
        "CS1525",
        "throw is an expression only behind ??, ?: and =>",
    ),
    StructuralCheck(
        TreePattern(
            "ref that refers to no variable", "(ref_expression) @at", conditions.is_no_reference
        ),
        "CS1525",
        "'{}' can stand only behind =, return, => and in ?:",
    ),
    StructuralCheck(
        TreePattern(
            "ref in a tuple",
            '(tuple_expression (argument ["ref" "in" "out"]) @at)',
        ),
        "CS1525",
        "'{}' can't be an element of a tuple",
    ),
    StructuralCheck(
        TreePattern("lambda awaited", "(await_expression (lambda_expression) @at)"),
        "CS1525",
        "a lambda can't be awaited",
    ),
    StructuralCheck(
        TreePattern(
            "operator doubled",
            '(prefix_unary_expression "&" (prefix_unary_expression "&")) @at',
            conditions.is_read_rightly,
        ),
        "CS1525",
        "an operand is missing before '{}'",
    ),
    StructuralCheck(
        TreePattern(
            "type arguments left out",
            "(type_argument_list) @at",
            conditions.is_unbound,
        ),
        "CS7003",
        "'{}' needs types between the brackets: only typeof takes it without",
    ),
    StructuralCheck(
        TreePattern(
            "angle bracket too many",
            '(binary_expression left: [(generic_name) (member_access_expression)] @at ">")',
            is_one_too_many,
        ),
        "CS1002",
        "unexpected '>' after '{}'",
    ),
    StructuralCheck(
        TreePattern(
            "pointer member of a type",
            '(member_access_expression expression: (predefined_type) @at "->")',
        ),
        "CS1525",
        "'{}' is a type: its members follow a dot",
    ),
    StructuralCheck(
        TreePattern("integer too large", "(integer_literal) @at", conditions.is_too_large),
        "CS1021",
        "the integer {} is too large",
    ),
    StructuralCheck(
        TreePattern(
            "element assigned to outside of an initializer",
            "(assignment_expression left: (element_binding_expression)) @at",
            conditions.is_outside_of_initializer,
        ),
        "CS1525",
        "'{}' assigns to an element of nothing",
    ),
    StructuralCheck(
        TreePattern(
            "type arguments assigned to",
            "[(assignment_expression left: (generic_name) @at)"
            " (assignment_expression left: (member_access_expression name: (generic_name)) @at)]",
            conditions.is_assigned_to,
        ),
        "CS1525",
        "a name is missing behind '{}'",
    ),
    StructuralCheck(
        TreePattern(
            "name behind a generic call",
            '(binary_expression left: (binary_expression) ">" right: (cast_expression) @at)',
            conditions.stands_behind_call,
        ),
        "CS1002",
        "; expected: '{}'",
    ),
    StructuralCheck(
        TreePattern("argument left out", "(bracketed_argument_list) @at", conditions.ends_in_comma),
        "CS0443",
        "an argument is missing in '{}'",
    ),
    StructuralCheck(
        TreePattern(
            "sign behind a declared variable",
            "(postfix_unary_expression (is_pattern_expression)) @at",
        ),
        "CS1026",
        "'{}' can't end so",
    ),
    StructuralCheck(
        TreePattern(
            "range of a type",
            "(range_expression . [(is_expression) (as_expression)]) @at",
        ),
        "CS1001",
        "'{}': a type has no range; a member follows one dot",
    ),
    StructuralCheck(
        TreePattern("three dots", "(range_expression) @at", conditions.ends_in_dots),
        "CS8635",
        "unexpected '...': write the code that it stands for",
    ),
    StructuralCheck(
        TreePattern(
            "element left out",
            '[(initializer_expression "{" . "," @at) (property_pattern_clause "{" . "," @at)'
            ' (anonymous_object_creation_expression "{" . "," @at)]',
        ),
        "CS1525",
        "an element is missing before the comma",
    ),
    StructuralCheck(
        TreePattern(
            "size left out",
            "(array_rank_specifier) @at",
            conditions.has_not_all_sizes,
        ),
        "CS0443",
        "'{}' needs all of its sizes, or none",
    ),
    StructuralCheck(
        TreePattern(
            "member of a switch or with",
            "[(member_access_expression expression: [(switch_expression) (with_expression)])"
            " (element_access_expression expression: [(switch_expression) (with_expression)])"
            " (invocation_expression function: [(switch_expression) (with_expression)])"
            " (conditional_access_expression condition: [(switch_expression) (with_expression)])"
            " (postfix_unary_expression [(switch_expression) (with_expression)])] @at",
        ),
        "CS1002",
        "; expected behind the braces: '{}' needs parentheses around switch or with",
    ),
    StructuralCheck(
        TreePattern(
            "call that reads as a cast",
            "(invocation_expression function: (parenthesized_expression [(identifier)"
            " (generic_name) (member_access_expression) (qualified_name)"
            " (alias_qualified_name)])) @at",
            conditions.is_cast_of_nothing,
        ),
        "CS1525",
        "C# takes '{}' for a cast of nothing: call it without the parentheses around its name",
    ),
    StructuralCheck(
        TreePattern(
            "cast of an increment",
            "(cast_expression type: [(identifier) (generic_name) (qualified_name)]"
            ' value: (prefix_unary_expression ["++" "--"])) @at',
            conditions.has_stepped_operand,
        ),
        "CS1002",
        "; expected: in '{}' C# takes the sign for one behind the parentheses",
    ),
    StructuralCheck(
        TreePattern(
            "modifier twice on a lambda",
            "(lambda_expression (modifier) @at)",
            is_repeated,
        ),
        "CS1004",
        "'{}' stands here twice",
    ),
    StructuralCheck(
        TreePattern(
            "this on a lambda's parameter",
            "(lambda_expression (parameter_list (parameter (modifier) @at)))",
            reads(b"this"),
        ),
        "CS1026",
        "a lambda extends no type: '{}' can't stand here",
    ),
    StructuralCheck(
        TreePattern(
            "types left out in nameof", "(type_argument_list) @at", conditions.is_unbound_in_nameof
        ),
        "CS8652",
        "'{}' needs types between the brackets: nameof takes it without in C# 14",
        until=14,
    ),
    StructuralCheck(
        TreePattern(
            "suppression twice",
            '(postfix_unary_expression (postfix_unary_expression "!") "!") @at',
        ),
        "CS8715",
        "'{}': one ! is enough",
    ),
    StructuralCheck(
        TreePattern(
            "sign behind a sign",
            '[(postfix_unary_expression (postfix_unary_expression ["++" "--"]) ["++" "--"])'
            ' (prefix_unary_expression ["++" "--"] [(integer_literal) (real_literal)'
            " (string_literal) (null_literal) (boolean_literal)])] @at",
        ),
        "CS1059",
        "'{}' steps what is no variable",
    ),
)
"""What is looked for, the compiler's id for it, and what is said (``{}``: the text found)."""
