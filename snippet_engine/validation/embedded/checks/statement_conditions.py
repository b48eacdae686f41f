"""Conditions of the checks of statements and patterns: what a query alone can't tell of a node.

Part of docs/design/roslyn.md §1.4. Each takes the node that its pattern captured, of the kind that
its parameter names, and says whether C# refuses what it is or where it stands.
"""

from __future__ import annotations

from tree_sitter import Node

from snippet_engine.csharp.tree.syntax_tree import code_after, code_in
from snippet_engine.validation.embedded.checks.expression_conditions import TIGHT

_MAX_DEPTH = 400
"""Nodes around a jump that are asked: to find each costs a walk from the root."""
_LOOPS = frozenset(("do_statement", "for_statement", "foreach_statement", "while_statement"))
_FUNCTIONS = frozenset(
    (
        "accessor_declaration",
        "anonymous_method_expression",
        "constructor_declaration",
        "conversion_operator_declaration",
        "destructor_declaration",
        "lambda_expression",
        "local_function_statement",
        "method_declaration",
        "operator_declaration",
    )
)
_PATTERNS = frozenset(("relational_pattern", "and_pattern", "or_pattern", "negated_pattern"))
_OWNERS_OF_PATTERNS = frozenset(("switch_expression_arm", "switch_section", "subpattern"))


def has_no_handler(statement: Node) -> bool:
    """Whether a ``try`` has neither ``catch`` nor ``finally``."""
    return not any(
        child.type in {"catch_clause", "finally_clause"} for child in statement.named_children
    )


def has_untyped_variable(statement: Node) -> bool:
    """Whether a ``foreach`` names its variable without ``var`` or a type.

    ``foreach (A<T> b in c)`` can be misread as comparisons of ``b``.
    """
    left = statement.child_by_field_name("left")
    if left is None or statement.child_by_field_name("type") is not None:
        return False
    operator = left.child_by_field_name("operator")
    return left.type != "tuple_expression" and (operator is None or operator.type != ">")


def ends_pattern(operand: Node) -> bool:
    """Whether a relational pattern goes on behind what C# takes for its operand.

    After ``is`` it may: ``a is > 3 && b`` is misread as a pattern with ``3 && b``.
    """
    operator = operand.child_by_field_name("operator")
    if operand.type == "binary_expression" and operator is not None and operator.type in TIGHT:
        return False
    owner = operand.parent
    while owner is not None and owner.type in _PATTERNS:
        owner = owner.parent
    return owner is not None and owner.type in _OWNERS_OF_PATTERNS


def names_no_label(jump: Node) -> bool:
    """Whether a ``goto`` has no target, or one that C# does not take.

    It is a value behind ``case``, nothing behind ``default``, and else a label's name.
    """
    targets = code_in(jump)
    if any(child.type == "case" for child in jump.children):
        return not targets
    if any(child.type == "default" for child in jump.children):
        return bool(targets)
    return [target.type for target in targets] not in (["identifier"], ["default_expression"])


def is_without_using(awaiting: Node) -> bool:
    """Whether the ``await`` before a declaration isn't that of ``await using``."""
    following = code_after(awaiting)
    return following is not None and following.type != "using"


def is_alone(variables: Node) -> bool:
    """Whether a deconstruction has a single part."""
    return len(code_in(variables)) == 1


def is_stepped(operand: Node) -> bool:
    """Whether a value ends in ``++`` or ``--``."""
    return (operand.text or b"").endswith((b"++", b"--"))


def is_no_property(named: Node) -> bool:
    """Whether what stands before the colon of a subpattern isn't the name of a member."""
    return named.type not in {"comment", "identifier", "member_access_expression"}


def has_properties(test: Node) -> bool:
    """Whether a pattern ends in braces."""
    pattern = test.child_by_field_name("pattern")
    return pattern is not None and (pattern.text or b"").endswith(b"}")


def is_in_no_loop(jump: Node) -> bool:
    """Whether a ``break`` or ``continue`` has no loop around it, nor ``break`` a switch."""
    owners = _LOOPS if jump.type == "continue_statement" else _LOOPS | {"switch_statement"}
    node = jump.parent
    for _ in range(_MAX_DEPTH):
        if node is None or node.type in owners:
            return False
        if node.type in _FUNCTIONS:
            return True
        node = node.parent
    return False


def declares(statement: Node) -> bool:
    """Whether a statement surely declares: ``F (a) = b`` and ``var(a)`` are misread so."""
    return not any(
        part.type == "tuple_pattern"
        for declaration in statement.named_children
        if declaration.type == "variable_declaration"
        for declarator in declaration.named_children
        for part in declarator.named_children
    )
