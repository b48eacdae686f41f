"""Conditions of the checks of expressions: what a query alone can't decide.

Part of docs/design/roslyn.md §1.4. Each takes the node that its pattern captured; the parameter
names its kind. Each returns whether C# refuses the node at its place.
"""

from __future__ import annotations

import re

from tree_sitter import Node

from snippet_engine.csharp.tree.syntax_tree import ancestors, code_after, code_before, code_in

_ARGUMENTS = frozenset(("argument_list", "bracketed_argument_list", "element_binding_expression"))
_TAKE_BRACES = frozenset(
    {
        *("array_creation_expression", "implicit_array_creation_expression"),
        *("implicit_object_creation_expression", "implicit_stackalloc_expression"),
        *("initializer_expression", "object_creation_expression", "property_declaration"),
        *("stackalloc_expression", "variable_declarator"),
    }
)
"""Nodes in which braces are a value, or the content of an object."""
_NAMES = frozenset(("generic_name", "member_access_expression", "qualified_name"))
"""Names that consist of several parts."""
_TAKE_REFERENCES = frozenset(
    {
        *("arrow_expression_clause", "assignment_expression", "conditional_expression"),
        *("lambda_expression", "return_statement", "variable_declarator"),
    }
)
TIGHT = frozenset(("*", "/", "%", "+", "-", "<<"))
"""Operators that bind tighter than comparisons."""
_LEFTMOST = frozenset(
    ("argument", "assignment_expression", "binary_expression", "conditional_expression")
)
"""Nodes that begin with their first operand."""
_BEGIN_WITH_OPERAND = frozenset(
    {
        *("as_expression", "binary_expression", "conditional_access_expression"),
        *("conditional_expression", "element_access_expression", "invocation_expression"),
        *("is_expression", "is_pattern_expression", "member_access_expression"),
        *("postfix_unary_expression", "switch_expression"),
    }
)
_HAVE_OPERANDS = frozenset(("binary_expression", "cast_expression", "prefix_unary_expression"))
_RIGHTMOST = frozenset(
    (
        "await_expression",
        "binary_expression",
        "cast_expression",
        "prefix_unary_expression",
        "range_expression",
    )
)
"""Nodes that end with their last operand, and bind at least as tightly as a comparison."""
_COLLECTIONS = frozenset(
    ("assignment_expression", "implicit_object_creation_expression", "object_creation_expression")
)
_MAX_ULONG = 2**64 - 1
_NO_OPERANDS = frozenset(("array_type", "nullable_type", "predefined_type"))
_NO_CODE = rb"(?:\s|//[^\n]*|/\*.*?\*/)*"
_TYPE_ARGUMENTS = rb"<(?:[^<>;{}!=]|<(?:[^<>;{}!=]|<(?:[^<>;{}!=]|<[^<>;{}!=]*>)*>)*>)*>"
_TYPE_ARGUMENTS_AND_BRACKET = re.compile(
    _TYPE_ARGUMENTS + _NO_CODE + rb"(?:(?:\.\s*\w+|\?|\*)\s*)*[<(\[{]", re.DOTALL
)


def is_bare_creation(creation: Node) -> bool:
    """Return whether ``new T`` has neither arguments nor braces.

    ``new T<U>(x) {…}`` is misread as two comparisons of ``new T``; the bracket after its type
    arguments distinguishes it from ``new T<U>`` alone.
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
    if type_ is not None and type_.type in _NO_OPERANDS:
        return True
    owner = parent
    while owner.parent is not None and not owner.type.endswith(("statement", "declaration")):
        owner = owner.parent
    behind = (owner.text or b"")[operator.start_byte - owner.start_byte :]
    return not _TYPE_ARGUMENTS_AND_BRACKET.match(behind)


def binds_tighter(operation: Node) -> bool:
    """Whether an operator that binds tighter than ``is`` follows a declaration after ``is``."""
    left = operation.children[0]
    pattern = left.child_by_field_name("pattern")
    operator = operation.child_by_field_name("operator")
    return (
        pattern is not None
        and pattern.type == "declaration_pattern"
        and (operator is None or operator.type in TIGHT)
    )


def begins_type_arguments(comparison: Node) -> bool:
    """Return whether the ``<`` after ``as T`` begins type arguments that don't end."""
    operator, left = comparison.child_by_field_name("operator"), comparison.children[0]
    type_ = left.child_by_field_name("right")
    return (
        operator is not None
        and operator.type == "<"
        and type_ is not None
        and type_.type in {"identifier", "qualified_name", "member_access_expression"}
    )


def declares_without_out(argument: Node) -> bool:
    """Return whether an argument is ``type name`` without ``out``.

    ``a * b`` and ``a < b, c > d`` are misread as that, and ``is string (var s)`` as a call.
    """
    arguments = argument.parent
    if arguments is None or arguments.type not in _ARGUMENTS:
        return False
    called = arguments.parent and arguments.parent.child_by_field_name("function")
    if called is not None and called.type == "is_expression":
        return False
    if any(child.type == "out" for child in argument.children):
        return False
    types = [
        child.child_by_field_name("type")
        for child in argument.named_children
        if child.type == "declaration_expression"
    ]
    return not any(type_ and can_be_operand(type_) for type_ in types)


def can_be_operand(type_: Node) -> bool:
    """Return whether an apparent type may be an operand and an operator, ``a *`` or ``a < b >``."""
    name, text = type_, type_.text or b""
    if not text.endswith(b">"):
        return text.endswith(b"*")
    while name.type != "generic_name" and name.named_children:
        name = name.named_children[-1]
    arguments = [each.type for each in name.children[-1].named_children] if name.children else []
    return bool(arguments) and _NO_OPERANDS.isdisjoint(arguments)


def is_assigned_to(name: Node) -> bool:
    """Return whether a generic name is left of ``=``: ``f(a < b, c >= d)`` is misread as that."""
    sign = code_after(name)
    return sign is not None and sign.start_byte > name.end_byte


def is_outside_of_initializer(assignment: Node) -> bool:
    """Return whether an assignment isn't one of an object initializer.

    ``await[i] = v``, where ``await`` is a name, is misread as awaiting one.
    """
    owner = assignment.parent
    return owner is None or owner.type not in {"initializer_expression", "await_expression"}


def is_no_value(braces: Node) -> bool:
    """Return whether braces that can't be a value are where a value must be.

    ``new List<(int, int)> {…}`` is misread as comparisons; braces after parentheses have a separate
    check.
    """
    owner = braces.parent
    if owner is None or owner.type in _TAKE_BRACES:
        return False
    if owner.type == "binary_expression":
        operator, left = code_before(braces), owner.children[0]
        is_compared = operator is not None and operator.type == ">"
        return not (
            is_compared
            and left.type == "binary_expression"
            and (left.text or b"").startswith(b"new")
        )
    if owner.type == "assignment_expression":
        return owner.parent is None or owner.parent.type != "initializer_expression"
    return owner.type not in {"cast_expression", "ERROR"}


def is_nested_too_deep(braces: Node) -> bool:
    """Return whether braces are in an element of a collection initializer, as in ``{{ name }}``."""
    depth, node = 1, braces.parent
    while node is not None and node.type == "initializer_expression":
        depth, node = depth + 1, node.parent
    return depth > 2 and node is not None and node.type in _COLLECTIONS


def is_too_large(literal: Node) -> bool:
    """Return whether an integer fits no type of C#."""
    digits = (literal.text or b"").decode().replace("_", "").rstrip("uUlL")
    try:
        value = int(digits, 0 if digits[:2].lower() in {"0x", "0b"} else 10)
    except ValueError:
        return False
    return value > _MAX_ULONG


def ends_in_dots(expression: Node) -> bool:
    """Return whether a range is written with more than two dots."""
    owner, dots = expression.parent, [each for each in expression.children if each.type == ".."]
    if owner is None or not dots:
        return False
    text, at = owner.text or b"", dots[0].start_byte - owner.start_byte
    return text[at + 2 : at + 3] == b"." or text[at - 1 : at] == b"."


def is_operand(lambda_: Node) -> bool:
    """Return whether a lambda, or what begins with one, follows an operator or a cast."""
    node, owner = lambda_, lambda_.parent
    while owner is not None and owner.type in _BEGIN_WITH_OPERAND and code_before(node) is None:
        node, owner = owner, owner.parent
    return owner is not None and owner.type in _HAVE_OPERANDS and code_before(node) is not None


def can_not_throw(operand: Node) -> bool:
    """Return whether a ``throw`` is an operand of another operator than ``??``."""
    operator = code_before(operand)
    return operator is None or operator.type != "??"


def ends_in_comma(arguments: Node) -> bool:
    """Return whether nothing follows the last comma in brackets."""
    *_, closing = arguments.children or [arguments]
    last = code_before(closing)
    return closing.type == "]" and last is not None and last.type == ","


def is_read_rightly(operand: Node) -> bool:
    """Return whether ``&& b`` really has no left operand, as the tree shows it.

    ``(a) && b`` can be misread as a cast, ``await && b`` as awaiting, ``F<T>(a) && b`` and ``is
    T<U> && b`` as comparisons.
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


def owner_of_name(type_arguments: Node) -> Node | None:
    """Return the node around the dotted name to which type arguments belong."""
    return next((each for each in ancestors(type_arguments) if each.type not in _NAMES), None)


def is_no_reference(expression: Node) -> bool:
    """Return whether a ``ref`` expression is where C# doesn't allow one."""
    owner = expression.parent
    if owner is None or owner.type not in _TAKE_REFERENCES:
        return True
    scope = owner.parent
    if owner.type == "variable_declarator":
        if scope is None or scope.parent is None:
            return True
        type_ = scope.child_by_field_name("type")
        of_reference = type_ is not None and type_.type == "ref_type"
        return scope.parent.type == "field_declaration" and not of_reference
    return scope is not None and scope.type == "initializer_expression"


def stands_behind_call(cast: Node) -> bool:
    """Return whether something directly follows ``F<T>(a)``, which is misread as comparisons."""
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


def has_not_all_sizes(rank: Node) -> bool:
    """Return whether an array's brackets have only some of their sizes, as in ``new int[3,]``."""
    commas = sum(child.type == "," for child in rank.children)
    return 0 < len(code_in(rank)) < commas + 1


def is_cast_of_nothing(call: Node) -> bool:
    """Return whether ``(a.b)()`` is a name in parentheses and no arguments."""
    arguments = call.child_by_field_name("arguments")
    if arguments is None or code_in(arguments):
        return False
    return any(_is_name(each) for each in call.children[0].named_children)


def _is_name(node: Node) -> bool:
    """Return whether a node consists of names with dots between them."""
    if node.type == "member_access_expression":
        owner = node.child_by_field_name("expression")
        return owner is not None and _is_name(owner)
    return node.type in {*_NAMES, "alias_qualified_name", "identifier", "predefined_type"}


def has_stepped_operand(cast: Node) -> bool:
    """Return whether ``++`` or ``--`` after a cast has an operand, as in ``(a)++b``.

    In ``(a)++ + b`` it has none, but the parser reads a cast of ``++(+b)``.
    """
    value = cast.child_by_field_name("value")
    return value is not None and value.children[-1].type != "prefix_unary_expression"


def is_unbound(arguments: Node) -> bool:
    """Return whether ``T<,>`` is outside of ``typeof`` and ``nameof``."""
    return not code_in(arguments) and _operator_around(arguments) == ""


def is_unbound_in_nameof(arguments: Node) -> bool:
    """Return whether ``T<,>`` is in a ``nameof``."""
    return not code_in(arguments) and _operator_around(arguments) == "nameof"


def _operator_around(arguments: Node) -> str:
    """Return ``typeof`` or ``nameof`` if type arguments are in one of these, else an empty text."""
    for node in ancestors(arguments):
        if node.type.endswith(("statement", "declaration")):
            return ""
        if node.type == "typeof_expression":
            return "typeof"
        if node.type == "invocation_expression":
            called = node.child_by_field_name("function")
            if called is not None and called.text == b"nameof":
                return "nameof"
    return ""
