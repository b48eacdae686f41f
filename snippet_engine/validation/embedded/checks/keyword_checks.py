"""Keywords where the grammar takes them for names, or for types of values: a table of checks.

Implements docs/design/roslyn.md §1.4.
"""

from __future__ import annotations

from snippet_engine.csharp.lexical.keywords import RESERVED_WORDS
from snippet_engine.validation.embedded.checks import keyword_conditions as conditions
from snippet_engine.validation.embedded.checks.tree_patterns import StructuralCheck, TreePattern

KEYWORD_CHECKS: tuple[StructuralCheck, ...] = (
    StructuralCheck(
        TreePattern(
            "reserved word as a name",
            "[(identifier) (implicit_parameter)] @at",
            conditions.is_reserved,
            RESERVED_WORDS,
        ),
        "CS1041",
        "'{}' is a keyword and can't stand here",
    ),
    StructuralCheck(
        TreePattern(
            "keyword of a query as a name",
            "(identifier) @at",
            conditions.is_keyword_of_query,
            conditions.QUERY_WORDS,
        ),
        "CS1525",
        "'{0}' is a keyword in a query; as a name it is @{0}",
    ),
    StructuralCheck(
        TreePattern(
            "await as a name in an async function",
            "(identifier) @at",
            conditions.can_not_await,
            conditions.MISREAD_AWAIT,
        ),
        "CS1525",
        "await needs an operand in an async function",
    ),
    StructuralCheck(
        TreePattern(
            "awaited outside of an async function",
            "(await_expression) @at",
            conditions.can_not_follow_name,
        ),
        "CS1002",
        "'{}': await is a keyword in async functions only",
    ),
    StructuralCheck(
        TreePattern(
            "void with a value", "(predefined_type) @at", conditions.is_void_value, (b"void",)
        ),
        "CS1547",
        "void has no values: it is a type only of what returns nothing",
    ),
)
"""What is looked for, the compiler's id for it, and what is said (``{}``: the text found)."""
