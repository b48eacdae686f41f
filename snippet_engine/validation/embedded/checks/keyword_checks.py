"""Keywords that the grammar takes for names, or for types of values: a table of checks.

Implements docs/design/roslyn.md §1.4.
"""

from __future__ import annotations

import re

from tree_sitter import Node

from snippet_engine.csharp.lexical.keywords import PREDEFINED_TYPES, RESERVED_WORDS
from snippet_engine.csharp.tree.syntax_tree import ancestors, code_after
from snippet_engine.validation.embedded.checks.expression_conditions import (
    can_be_operand,
    owner_of_name,
)
from snippet_engine.validation.embedded.checks.tree_patterns import Check

_VALUES = frozenset((b"default", b"false", b"null", b"this", b"true"))
"""Keywords that are operands."""
_COMPARED = frozenset(("declaration_expression", "invocation_expression"))
"""Nodes that comparisons are misread as."""
QUERY_WORDS = frozenset(
    b"ascending by descending equals from group into join let on orderby select where".split()
)
MISREAD_AWAIT = frozenset((b"await", b"awai_"))
"""``await``, and its replacement in a cured text."""
_TYPES_OF_LAMBDAS = frozenset(("lambda_expression", "anonymous_method_expression"))
_HAVE_VALUES = frozenset(
    {
        *("array_type", "cast_expression", "conversion_operator_declaration"),
        *("declaration_expression", "default_expression", "foreach_statement", "is_expression"),
        *("member_access_expression", "object_creation_expression", "parameter"),
        *("sizeof_expression", "type_argument_list", "type_pattern"),
    }
)
"""Where a type is the type of a value."""
_LOCALS = frozenset(
    ("fixed_statement", "for_statement", "local_declaration_statement", "using_statement")
)
_BEGINS_OPERAND = re.compile(rb"[A-Za-z_\x80-\xff\"$]")
_NO_OPERAND_OUTSIDE_OF_ASYNC = re.compile(
    rb"(?:" + b"|".join(sorted(PREDEFINED_TYPES)) + rb"|sizeof|stackalloc)\b|!|\+\+|--"
)


def is_reserved(identifier: Node) -> bool:
    """Return whether a name is a reserved word.

    Comparisons are misread as ``F<default>(a)``, and ``F(a * this)`` as a declaration; ``where T :
    default`` is a constraint.
    """
    word = identifier.text
    if word not in _VALUES:
        return word in RESERVED_WORDS
    owner = identifier.parent  # a walk from the root
    if owner is not None:
        if owner.type == "type_parameter_constraint":
            return word != b"default"
        if owner.type == "declaration_expression":
            type_ = owner.child_by_field_name("type")
            return type_ is None or not can_be_operand(type_)
        if owner.type == "type_argument_list":
            around = owner_of_name(owner)
            return around is None or around.type not in _COMPARED
    return word in RESERVED_WORDS


def is_keyword_of_query(identifier: Node) -> bool:
    """Return whether a name in a query is a keyword there."""
    return identifier.text in QUERY_WORDS and any(
        each.type == "query_expression" for each in ancestors(identifier)
    )


def is_void_value(type_: Node) -> bool:
    """Return whether ``void`` is the type of something with a value."""
    owner = type_.parent
    if type_.text != b"void" or owner is None:
        return False
    if owner.type == "variable_declaration":
        return owner.parent is not None and owner.parent.type in _LOCALS
    return owner.type in _HAVE_VALUES


def can_not_await(identifier: Node) -> bool:
    """Return whether ``await``, or its cured form, is a name in an ``async`` function."""
    return identifier.text in MISREAD_AWAIT and _is_in_async(identifier) is True


def can_not_follow_name(awaiting: Node) -> bool:
    """Return whether ``await``, outside of ``async``, is a name that its operand can't follow.

    An example is ``await (A)b``. Before a name or a literal, C# reads ``await`` as the keyword
    anyway: see :func:`needs_async`.
    """
    operand = code_after(awaiting.children[0]) if awaiting.children else None
    if operand is None:
        return False
    value = operand.child_by_field_name("value") if operand.type == "cast_expression" else None
    type_ = operand.child_by_field_name("type")
    if value is not None and type_ is not None:
        is_misplaced = type_.type == "predefined_type" or (value.text or b"")[:1].isalpha()
    else:
        is_misplaced = _NO_OPERAND_OUTSIDE_OF_ASYNC.match(operand.text or b"") is not None
    return is_misplaced and _is_in_async(awaiting) is False


def needs_async(awaiting: Node) -> bool:
    """Return whether ``await`` is the keyword in a function that isn't ``async``.

    ``await a;`` and ``await a = b;`` may declare a local whose type is named ``await``.
    """
    operand = code_after(awaiting.children[0]) if awaiting.children else None
    if operand is None or not _BEGINS_OPERAND.match(operand.text or b""):
        return False
    statement = awaiting.parent
    is_statement = statement is not None and statement.type == "expression_statement"
    may_declare = is_statement and operand.type in {"assignment_expression", "identifier"}
    return not may_declare and _is_in_async(awaiting, innermost=True) is False


def _is_in_async(node: Node, *, innermost: bool = False) -> bool | None:
    """Return whether a function around a node is ``async``; ``None`` if it is nested too deeply.

    C#'s parser ignores lambdas that aren't ``async``; its binder uses the ``innermost`` function.
    """
    scope = node
    for scope in ancestors(node):
        if scope.type in _TYPES_OF_LAMBDAS:
            if innermost or _is_async(scope):
                return _is_async(scope)
        elif scope.type in {"local_function_statement", "method_declaration"}:
            return _is_async(scope)
        elif scope.type == "global_statement":
            return True
    return False if scope.type == "compilation_unit" else None


def _is_async(function: Node) -> bool:
    return any(part.text == b"async" for part in function.children)


KEYWORD_CHECKS: tuple[Check, ...] = (
    Check(
        "reserved word as a name",
        "CS1041",
        "'{}' is a keyword and is not allowed here",
        "[(identifier) (implicit_parameter)] @at",
        is_reserved,
        RESERVED_WORDS,
    ),
    Check(
        "keyword of a query as a name",
        "CS1525",
        "'{0}' is a keyword in a query; as a name it is @{0}",
        "(identifier) @at",
        is_keyword_of_query,
        QUERY_WORDS,
    ),
    Check(
        "await as a name in an async function",
        "CS1525",
        "await needs an operand in an async function",
        "(identifier) @at",
        can_not_await,
        MISREAD_AWAIT,
    ),
    Check(
        "awaited outside of an async function",
        "CS1002",
        "'{}': await is a keyword in async functions only",
        "(await_expression) @at",
        can_not_follow_name,
    ),
    Check(
        "await without async",
        "CS4032",
        "'{}' needs async on the function around it",
        "(await_expression) @at",
        needs_async,
    ),
    Check(
        "void with a value",
        "CS1547",
        "void has no values: it is allowed only as a return type",
        "(predefined_type) @at",
        is_void_value,
        (b"void",),
    ),
)
"""The patterns, the compiler's id for each, and its message (``{}``: the matched text)."""
