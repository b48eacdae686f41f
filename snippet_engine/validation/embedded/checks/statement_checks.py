"""Statements and patterns that the grammar accepts and C# does not: a table of checks.

Implements docs/design/roslyn.md §1.4.
"""

from __future__ import annotations

from tree_sitter import Node

from snippet_engine.csharp.tree.grammar import FUNCTIONS, LOOPS
from snippet_engine.csharp.tree.syntax_tree import ancestors, code_after, code_in
from snippet_engine.validation.embedded.checks.expression_conditions import TIGHT
from snippet_engine.validation.embedded.checks.tree_patterns import Check

_FUNCTIONS = FUNCTIONS | {
    "accessor_declaration",
    "anonymous_method_expression",
    "lambda_expression",
    "local_function_statement",
}
_PATTERNS = frozenset(("relational_pattern", "and_pattern", "or_pattern", "negated_pattern"))
_OWNERS_OF_PATTERNS = frozenset(("switch_expression_arm", "switch_section", "subpattern"))


def has_no_handler(statement: Node) -> bool:
    """Return whether a ``try`` has neither ``catch`` nor ``finally``."""
    return not any(
        child.type in {"catch_clause", "finally_clause"} for child in statement.named_children
    )


def has_untyped_variable(statement: Node) -> bool:
    """Return whether a ``foreach`` names its variable without ``var`` or a type.

    ``foreach (A<T> b in c)`` can be misread as comparisons of ``b``.
    """
    left = statement.child_by_field_name("left")
    if left is None or statement.child_by_field_name("type") is not None:
        return False
    operator = left.child_by_field_name("operator")
    return left.type != "tuple_expression" and (operator is None or operator.type != ">")


def ends_pattern(operand: Node) -> bool:
    """Return whether a relational pattern continues after the part that C# reads as its operand.

    After ``is`` it may continue: ``a is > 3 && b`` is misread as a pattern with ``3 && b``.
    """
    operator = operand.child_by_field_name("operator")
    if operand.type == "binary_expression" and operator is not None and operator.type in TIGHT:
        return False
    owner = next((each for each in ancestors(operand) if each.type not in _PATTERNS), None)
    return owner is not None and owner.type in _OWNERS_OF_PATTERNS


def names_no_label(jump: Node) -> bool:
    """Return whether a ``goto`` has no target, or one that C# refuses.

    After ``case`` the target is a value. After ``default`` there is none; otherwise it is a label.
    """
    targets = code_in(jump)
    if any(child.type == "case" for child in jump.children):
        return not targets
    if any(child.type == "default" for child in jump.children):
        return bool(targets)
    return [target.type for target in targets] not in (["identifier"], ["default_expression"])


def is_without_using(awaiting: Node) -> bool:
    """Return whether an ``await`` before a declaration doesn't belong to ``await using``."""
    following = code_after(awaiting)
    return following is not None and following.type != "using"


def is_alone(variables: Node) -> bool:
    """Return whether a deconstruction has a single part."""
    return len(code_in(variables)) == 1


def is_stepped(operand: Node) -> bool:
    """Return whether a value ends in ``++`` or ``--``."""
    return (operand.text or b"").endswith((b"++", b"--"))


def is_no_property(named: Node) -> bool:
    """Return whether the text before the colon of a subpattern isn't the name of a member."""
    return named.type not in {"comment", "identifier", "member_access_expression"}


def has_properties(test: Node) -> bool:
    """Return whether a pattern ends in braces."""
    pattern = test.child_by_field_name("pattern")
    return pattern is not None and (pattern.text or b"").endswith(b"}")


def is_in_no_loop(jump: Node) -> bool:
    """Whether a ``break`` or ``continue`` is outside of loops; a ``break`` also of switches."""
    owners = LOOPS if jump.type == "continue_statement" else LOOPS | {"switch_statement"}
    kinds = (each.type for each in ancestors(jump))
    return next((kind for kind in kinds if kind in owners | _FUNCTIONS), "") in _FUNCTIONS


def declares(statement: Node) -> bool:
    """Return whether a statement declares: ``F (a) = b`` and ``var(a)`` are misread as that."""
    return not any(
        part.type == "tuple_pattern"
        for declaration in statement.named_children
        if declaration.type == "variable_declaration"
        for declarator in declaration.named_children
        for part in declarator.named_children
    )


STATEMENT_CHECKS: tuple[Check, ...] = (
    Check(
        "try alone", "CS1524", "catch or finally expected", "(try_statement) @at", has_no_handler
    ),
    Check(
        "foreach without a type",
        "CS0230",
        "foreach needs a type and a name",
        "(foreach_statement !type) @at",
        has_untyped_variable,
    ),
    Check(
        "pattern without parentheses",
        "CS1003",
        "=> expected: '{}' is not a pattern",
        "(relational_pattern [(binary_expression) (conditional_expression)] @at)",
        ends_pattern,
    ),
    Check(
        "range as a label",
        "CS1001",
        "'{}' is not a pattern",
        "(switch_section (range_expression) @at)",
    ),
    Check(
        "catch out of order",
        "CS1514",
        "{{ expected: a catch has one declaration and one when, in this order; '{}' is too much",
        "[(catch_clause [(catch_declaration) (catch_filter_clause)] (catch_declaration) @at)"
        " (catch_clause (catch_filter_clause) (catch_filter_clause) @at)]",
    ),
    Check(
        "goto nowhere",
        "CS1001",
        "'{}': goto needs a label, a case or default",
        "(goto_statement) @at",
        names_no_label,
    ),
    Check(
        "await before a declaration",
        "CS1002",
        "await can't begin a declaration; await using can",
        '(local_declaration_statement "await" @at (variable_declaration))',
        is_without_using,
    ),
    Check(
        "deconstruction in a using declaration",
        "CS1001",
        "using declares single variables, not '{}'",
        '(local_declaration_statement "using"'
        " (variable_declaration (variable_declarator (tuple_pattern) @at)))",
    ),
    Check(
        "deconstruction into one",
        "CS1003",
        "',' expected: '{}' has one part only",
        "[(variable_declaration"
        ' type: (implicit_type) (variable_declarator (tuple_pattern) @at "="))'
        " (foreach_statement (tuple_pattern) @at) (tuple_pattern (tuple_pattern) @at)]",
        is_alone,
    ),
    Check(
        "deconstruction beside a variable",
        "CS1002",
        "; expected: '{}' needs a statement of its own",
        "[(variable_declaration"
        " (variable_declarator) (variable_declarator (tuple_pattern) @at))"
        " (variable_declaration (variable_declarator (tuple_pattern) @at)"
        " (variable_declarator))]",
    ),
    Check(
        "parentheses around a declared name",
        "CS1001",
        "a name is expected after the type, not '{}'",
        "(variable_declaration type: [(predefined_type) (pointer_type)"
        " (tuple_type) (array_type (predefined_type))]"
        " (variable_declarator (tuple_pattern) @at))",
    ),
    Check(
        "call behind a question mark",
        "CS1525",
        "'?{0}' calls nothing: write ?.Invoke{0}",
        "(variable_declaration type: (nullable_type) (variable_declarator (tuple_pattern) @at))",
    ),
    Check(
        "expression as a label",
        "CS1003",
        "':' expected: '{}' is not a pattern",
        "[(switch_section (lambda_expression) @at) (switch_section (assignment_expression) @at)]",
    ),
    Check(
        "sign behind a pattern",
        "CS1003",
        "'{}' is not a pattern",
        "(constant_pattern (postfix_unary_expression) @at)",
        is_stepped,
    ),
    Check(
        "name of a subpattern",
        "CS1003",
        "',' expected: '{}' is not a member's name",
        '(subpattern . (_) @at ":")',
        is_no_property,
    ),
    Check(
        "call of a pattern",
        "CS1002",
        "; expected after the braces: '{}'",
        "(invocation_expression function: (is_pattern_expression) @at)",
        has_properties,
    ),
    Check(
        "nullable pattern",
        "CS1003",
        "a pattern's type can't be nullable: '{}'",
        "(declaration_pattern type: (nullable_type) @at)",
    ),
    Check(
        "jump out of nothing",
        "CS0139",
        "'{}' is outside of a loop or switch",
        "([(break_statement) (continue_statement)]) @at",
        is_in_no_loop,
    ),
    Check(
        "sign before a statement",
        "CS0201",
        "'{}' is not a statement: only calls, assignments, ++, --, await and new are",
        '[(expression_statement (prefix_unary_expression ["+" "-" "!" "~" "^" "&"]))'
        " (expression_statement (parenthesized_expression))"
        ' (expression_statement (postfix_unary_expression "!"))] @at',
    ),
    Check(
        "declaration without braces",
        "CS1023",
        "a declaration needs braces around it here: '{}'",
        "["
        + "".join(
            f"({place} [(local_declaration_statement) (local_function_statement)] @at)"
            for place in (
                *("if_statement consequence:", "if_statement alternative:", "do_statement body:"),
                *("for_statement body:", "foreach_statement body:", "while_statement body:"),
                *("using_statement body:", "lock_statement", "fixed_statement"),
            )
        )
        + "]",
        declares,
    ),
)
"""The patterns, the compiler's id for each, and its message (``{}``: the matched text)."""
