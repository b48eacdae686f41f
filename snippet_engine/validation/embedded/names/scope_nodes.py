"""Questions about nodes that the reading of scopes hangs on.

Part of docs/design/roslyn.md §1.4.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

QUERY_CLAUSES = frozenset(
    ("from_clause", "join_clause", "join_into_clause", "let_clause", "query_continuation")
)
"""Parts of a query that name its variables."""
_BEGINS_OPERAND = re.compile(rb"[A-Za-z_\x80-\xff\"$]")


def is_statement(node: Node) -> bool:
    """Whether a node is a statement."""
    return node.type == "block" or node.type.endswith("_statement")


def names_await(waiting: Node, text: bytes) -> bool:
    """Whether what reads as waiting may name a value or method ``await``.

    Where that isn't the keyword, C# takes it for one all the same if a name or a literal follows.
    """
    operand = waiting.children[-1] if waiting.child_count > 1 else None
    return operand is None or _BEGINS_OPERAND.match(text, operand.start_byte) is None


def declares_of_type_await(statement: Node) -> bool:
    """Whether a statement reads as waiting, but can declare a local of a type ``await``."""
    waiting = statement.named_children[0] if statement.named_children else None
    if waiting is None or waiting.type != "await_expression" or not waiting.named_children:
        return False
    return waiting.named_children[-1].type in {"assignment_expression", "identifier"}


def names_in_parentheses(owner: Node) -> Iterator[Node]:
    """The names in the parentheses below a node that stand for variables, of all depths."""
    left = [child for child in owner.named_children if child.type == "tuple_pattern"]
    while left:
        for part in left.pop().named_children:
            if part.type == "identifier":
                yield part
            elif part.type == "tuple_pattern":
                left.append(part)


def parts_of_tuple(target: Node | None) -> Iterator[Node]:
    """The values in a tuple, and in those inside it; nothing for another node."""
    left = [target] if target is not None and target.type == "tuple_expression" else []
    while left:
        for argument in left.pop().named_children:
            for part in argument.named_children:
                if part.type == "tuple_expression":
                    left.append(part)
                else:
                    yield part


def names_below(clause: Node, text: bytes) -> Iterator[bytes]:
    """The names of the variables that a part of a query brings in."""
    for child in clause.named_children:
        if child.type == "identifier":
            yield text[child.start_byte : child.end_byte].removeprefix(b"@")
        elif child.type in QUERY_CLAUSES:
            yield from names_below(child, text)
