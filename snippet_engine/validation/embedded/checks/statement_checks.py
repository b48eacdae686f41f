"""Statements and patterns that the grammar accepts and C# does not: a table of checks.

Implements docs/design/roslyn.md §1.4.
"""

from __future__ import annotations

from snippet_engine.validation.embedded.checks import statement_conditions as conditions
from snippet_engine.validation.embedded.checks.tree_patterns import StructuralCheck, TreePattern

STATEMENT_CHECKS: tuple[StructuralCheck, ...] = (
    StructuralCheck(
        TreePattern("try alone", "(try_statement) @at", conditions.has_no_handler),
        "CS1524",
        "catch or finally expected",
    ),
    StructuralCheck(
        TreePattern(
            "foreach without a type",
            "(foreach_statement !type) @at",
            conditions.has_untyped_variable,
        ),
        "CS0230",
        "foreach needs a type and a name",
    ),
    StructuralCheck(
        TreePattern(
            "pattern without parentheses",
            "(relational_pattern [(binary_expression) (conditional_expression)] @at)",
            conditions.ends_pattern,
        ),
        "CS1003",
        "=> expected: '{}' is no pattern",
    ),
    StructuralCheck(
        TreePattern("range as a label", "(switch_section (range_expression) @at)"),
        "CS1001",
        "'{}' is no pattern",
    ),
    StructuralCheck(
        TreePattern(
            "catch out of order",
            "[(catch_clause [(catch_declaration) (catch_filter_clause)] (catch_declaration) @at)"
            " (catch_clause (catch_filter_clause) (catch_filter_clause) @at)]",
        ),
        "CS1514",
        "{{ expected: a catch has one declaration and one when, in this order; '{}' is too much",
    ),
    StructuralCheck(
        TreePattern("goto nowhere", "(goto_statement) @at", conditions.names_no_label),
        "CS1001",
        "'{}': goto needs a label, a case or default",
    ),
    StructuralCheck(
        TreePattern(
            "await before a declaration",
            '(local_declaration_statement "await" @at (variable_declaration))',
            conditions.is_without_using,
        ),
        "CS1002",
        "await declares nothing; await using does",
    ),
    StructuralCheck(
        TreePattern(
            "deconstruction in a using declaration",
            '(local_declaration_statement "using"'
            " (variable_declaration (variable_declarator (tuple_pattern) @at)))",
        ),
        "CS1001",
        "using declares single variables, not '{}'",
    ),
    StructuralCheck(
        TreePattern(
            "deconstruction into one",
            "[(variable_declaration"
            ' type: (implicit_type) (variable_declarator (tuple_pattern) @at "="))'
            " (foreach_statement (tuple_pattern) @at) (tuple_pattern (tuple_pattern) @at)]",
            conditions.is_alone,
        ),
        "CS1003",
        "',' expected: '{}' has one part only",
    ),
    StructuralCheck(
        TreePattern(
            "deconstruction beside a variable",
            "[(variable_declaration"
            " (variable_declarator) (variable_declarator (tuple_pattern) @at))"
            " (variable_declaration (variable_declarator (tuple_pattern) @at)"
            " (variable_declarator))]",
        ),
        "CS1002",
        "; expected: '{}' needs a statement of its own",
    ),
    StructuralCheck(
        TreePattern(
            "parentheses around a declared name",
            "(variable_declaration type: [(predefined_type) (pointer_type)"
            " (tuple_type) (array_type (predefined_type))]"
            " (variable_declarator (tuple_pattern) @at))",
        ),
        "CS1001",
        "a name is expected behind the type, not '{}'",
    ),
    StructuralCheck(
        TreePattern(
            "call behind a question mark",
            "(variable_declaration"
            " type: (nullable_type) (variable_declarator (tuple_pattern) @at))",
        ),
        "CS1525",
        "'?{0}' calls nothing: C# has ?.Invoke{0}",
    ),
    StructuralCheck(
        TreePattern(
            "expression as a label",
            "[(switch_section (lambda_expression) @at)"
            " (switch_section (assignment_expression) @at)]",
        ),
        "CS1003",
        "':' expected: '{}' is no pattern",
    ),
    StructuralCheck(
        TreePattern(
            "sign behind a pattern",
            "(constant_pattern (postfix_unary_expression) @at)",
            conditions.is_stepped,
        ),
        "CS1003",
        "'{}' is no pattern",
    ),
    StructuralCheck(
        TreePattern(
            "name of a subpattern",
            '(subpattern . (_) @at ":")',
            conditions.is_no_property,
        ),
        "CS1003",
        "',' expected: '{}' is no member's name",
    ),
    StructuralCheck(
        TreePattern(
            "call of a pattern",
            "(invocation_expression function: (is_pattern_expression) @at)",
            conditions.has_properties,
        ),
        "CS1002",
        "; expected behind the braces: '{}'",
    ),
    StructuralCheck(
        TreePattern("nullable pattern", "(declaration_pattern type: (nullable_type) @at)"),
        "CS1003",
        "a pattern's type can't be nullable, '{}': what it matches is never null",
    ),
    StructuralCheck(
        TreePattern(
            "jump out of nothing",
            "([(break_statement) (continue_statement)]) @at",
            conditions.is_in_no_loop,
        ),
        "CS0139",
        "no loop or switch is around '{}'",
    ),
    StructuralCheck(
        TreePattern(
            "sign before a statement",
            '[(expression_statement (prefix_unary_expression ["+" "-" "!" "~" "^" "&"]))'
            " (expression_statement (parenthesized_expression))"
            ' (expression_statement (postfix_unary_expression "!"))] @at',
        ),
        "CS0201",
        "'{}' is no statement: only calls, assignments, ++, --, await and new are",
    ),
    StructuralCheck(
        TreePattern(
            "declaration without braces",
            "[(if_statement consequence: [(local_declaration_statement)"
            " (local_function_statement)] @at)"
            " (if_statement alternative: [(local_declaration_statement)"
            " (local_function_statement)] @at)"
            " (for_statement body: [(local_declaration_statement)"
            " (local_function_statement)] @at)"
            " (foreach_statement body: [(local_declaration_statement)"
            " (local_function_statement)] @at)"
            " (while_statement body: [(local_declaration_statement)"
            " (local_function_statement)] @at)]",
            conditions.declares,
        ),
        "CS1023",
        "a declaration needs braces around it here: '{}'",
    ),
)
"""What is looked for, the compiler's id for it, and what is said (``{}``: the text found)."""
