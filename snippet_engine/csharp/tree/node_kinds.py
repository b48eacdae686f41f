"""Kinds of nodes in the C# grammar that several modules use."""

from __future__ import annotations

TYPES = frozenset(
    ("class_declaration", "interface_declaration", "record_declaration", "struct_declaration")
)
"""Types that have members of all kinds."""

ALL_TYPES = TYPES | {"delegate_declaration", "enum_declaration"}

FUNCTIONS = frozenset(
    (
        "constructor_declaration",
        "conversion_operator_declaration",
        "destructor_declaration",
        "method_declaration",
        "operator_declaration",
    )
)
"""Members whose body is a block of statements or an expression."""

LOOPS = frozenset(("do_statement", "for_statement", "foreach_statement", "while_statement"))
