"""Structure that the grammar accepts and C# does not: a table of checks.

Implements spec 04-roslyn §1.4. Each check has the compiler's id for what it finds. The grammar
is looser than the language, to be robust; what its tree shows is exact all the same. No check
looks at nodes that the parser gets by misreading: operands of comparisons and casts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tree_sitter import Node

from snippet_engine.csharp.analysis import Analysis
from snippet_engine.csharp.keywords import RESERVED_WORDS
from snippet_engine.edits import EditSet
from snippet_engine.validation.tree_patterns import PatternTable, TreePattern, new_finds
from snippet_engine.validation.validator import Diagnostic

_LOCAL_FUNCTION_MODIFIERS = frozenset((b"static", b"async", b"unsafe", b"extern"))
_DECLARATIONS = frozenset(
    (
        "class_declaration",
        "struct_declaration",
        "interface_declaration",
        "enum_declaration",
        "record_declaration",
        "delegate_declaration",
        "namespace_declaration",
        "file_scoped_namespace_declaration",
    )
)
_NO_BRACES = frozenset(
    (
        "argument",
        "conditional_expression",
        "lambda_expression",
        "parenthesized_expression",
        "prefix_unary_expression",
        "return_statement",
    )
)
"""Where braces can't be a value, though the grammar takes them for one."""
_BEFORE_USINGS = frozenset(
    ("using_directive", "extern_alias_directive", "comment", "file_scoped_namespace_declaration")
)
_NAMES = frozenset(("generic_name", "member_access_expression", "qualified_name"))
_TYPES_OF_LAMBDAS = frozenset(("lambda_expression", "anonymous_method_expression"))
_MAX_ULONG = 2**64 - 1


# -- conditions ----------------------------------------------------------------------------


def _is_reserved(identifier: Node) -> bool:
    return identifier.text in RESERVED_WORDS


def _is_not(*allowed: bytes) -> Callable[[Node], bool]:
    """Whether a modifier is none of those."""
    permitted = frozenset(allowed)
    return lambda modifier: modifier.text not in permitted


def _is_const(modifier: Node) -> bool:
    return modifier.text == b"const"


def _is_misplaced_partial(modifier: Node) -> bool:
    following = modifier.next_named_sibling
    return modifier.text == b"partial" and following is not None and following.type == "modifier"


def _declares_without_value(modifier: Node) -> bool:
    """Whether a ``const`` stands over a declarator without ``=``."""
    parent = modifier.parent
    if modifier.text != b"const" or parent is None:
        return False
    declarators = (
        declarator
        for declaration in parent.named_children
        if declaration.type == "variable_declaration"
        for declarator in declaration.named_children
        if declarator.type == "variable_declarator"
    )
    return any(all(part.type != "=" for part in each.children) for each in declarators)


def _is_bare_creation(creation: Node) -> bool:
    """Whether ``new T`` has neither arguments nor braces.

    ``new T<U>(x) {…}`` is misread as two comparisons of ``new T``.
    """
    parent = creation.parent
    if parent is None or parent.type == "cast_expression":
        return False
    if parent.type != "binary_expression":
        return True
    outer = parent.parent
    operator = creation.next_sibling
    if outer is None or operator is None or operator.type != "<":
        return True
    behind = parent.next_sibling
    return behind is None or behind.type not in {">", ","}


def _has_no_handler(statement: Node) -> bool:
    return not any(
        child.type in {"catch_clause", "finally_clause"} for child in statement.named_children
    )


def _needs_type(parameter: Node) -> bool:
    parameters = parameter.parent
    owner = parameters.parent if parameters is not None else None
    return (
        owner is not None and owner.type not in _TYPES_OF_LAMBDAS and parameter.text != b"__arglist"
    )


def _comes_late(directive: Node) -> bool:
    """Whether a using directive follows what it must precede, or stands in a type."""
    scope = directive.parent
    if scope is not None and scope.type == "declaration_list":
        owner = scope.parent
        if owner is not None and owner.type != "namespace_declaration":
            return True
    earlier = directive.prev_named_sibling
    while earlier is not None and earlier.type == "comment":
        earlier = earlier.prev_named_sibling
    return earlier is not None and earlier.type not in _BEFORE_USINGS


def _declares_without_out(argument: Node) -> bool:
    """Whether an argument is ``type name`` without ``out``.

    ``a * b`` and ``a < b, c > d`` are misread as that.
    """
    arguments = argument.parent
    if arguments is None or arguments.type not in {"argument_list", "bracketed_argument_list"}:
        return False
    if any(child.type == "out" for child in argument.children):
        return False
    declared = argument.named_children[-1].child_by_field_name("type")
    return declared is None or declared.type not in {"generic_name", "pointer_type"}


def _has_untyped_variable(statement: Node) -> bool:
    left = statement.child_by_field_name("left")
    return (
        left is not None
        and left.type == "identifier"
        and statement.child_by_field_name("type") is None
    )


def _follows_declaration(statement: Node) -> bool:
    earlier = statement.prev_named_sibling
    while earlier is not None and earlier.type == "comment":
        earlier = earlier.prev_named_sibling
    return earlier is not None and earlier.type in _DECLARATIONS


def _is_no_member_value(assignment: Node) -> bool:
    return assignment.parent is None or assignment.parent.type != "initializer_expression"


def _is_operand(braces: Node) -> bool:
    return braces.parent is not None and braces.parent.type in _NO_BRACES


def _is_too_large(literal: Node) -> bool:
    digits = (literal.text or b"").decode().replace("_", "").rstrip("uUlL")
    try:
        value = int(digits, 0 if digits[:2].lower() in {"0x", "0b"} else 10)
    except ValueError:
        return False
    return value > _MAX_ULONG


def _ends_in_dots(expression: Node) -> bool:
    """Whether a range is written with more than two dots."""
    parent = expression.parent
    return parent is not None and b"..." in (parent.text or b"")


def _follows_arguments(parameters: Node) -> bool:
    """Whether the base type before has its arguments; else these may be them, misread."""
    bases = parameters.prev_named_sibling
    return bases is not None and (bases.text or b"").endswith(b">")


def _can_not_throw(operand: Node) -> bool:
    """Whether a ``throw`` is the right side of another operator than ``??``."""
    operator = operand.prev_sibling
    return operator is not None and operator.type != "??"


def _reads_as_element(array: Node) -> bool:
    """Whether a sized array that is the type of a local reads as an element of an array."""
    element = array.child_by_field_name("type")
    return element is not None and element.type != "predefined_type"


def _is_no_buffer(declarator: Node) -> bool:
    """Whether a size stands behind a name outside of a ``fixed`` buffer's declaration."""
    declaration = declarator.parent.parent if declarator.parent is not None else None
    return declaration is None or all(
        modifier.text != b"fixed"
        for modifier in declaration.named_children
        if modifier.type == "modifier"
    )


def _is_right_of_operator(operand: Node) -> bool:
    """Whether that is sure: ``F<T>(a) && b`` is misread as a cast, ``is T<U> && b`` as ``>``."""
    node = operand
    while node.prev_sibling is None and node.parent is not None:
        node = node.parent
        if node.type != "binary_expression":
            return False
    operator, parent = node.prev_sibling, node.parent
    return (
        parent is not None
        and parent.type == "binary_expression"
        and operator is not None
        and operator.type != ">"
    )


def _is_repeated(modifier: Node) -> bool:
    earlier = modifier.prev_named_sibling
    while earlier is not None and earlier.type == "modifier":
        if earlier.text == modifier.text:
            return True
        earlier = earlier.prev_named_sibling
    return False


def _breaks_before_name(function: Node) -> bool:
    """Whether the line ends behind a local function's type, as when two statements meet."""
    returned = function.child_by_field_name("type")
    name = function.child_by_field_name("name")
    return returned is not None and name is not None and returned.end_point[0] < name.start_point[0]


def _is_argument_without_types(arguments: Node) -> bool:
    """Whether ``T<,>`` is an argument, as only ``typeof`` takes it."""
    node = arguments.parent
    while node is not None and node.type in _NAMES:
        node = node.parent
    return (
        node is not None
        and node.type in {"argument", "assignment_expression"}
        and not arguments.named_children
    )


def _has_too_many(parameters: Node) -> bool:
    return sum(child.type == "," for child in parameters.children) > 1


def _comes_after_code(attribute: Node) -> bool:
    earlier = attribute.prev_named_sibling
    while earlier is not None and earlier.type == "comment":
        earlier = earlier.prev_named_sibling
    return earlier is not None and earlier.type not in {*_BEFORE_USINGS, "global_attribute"}


# -- the table -----------------------------------------------------------------------------

CHECKS: tuple[tuple[TreePattern, str, str], ...] = (
    (
        TreePattern("reserved word as a name", "(identifier) @at", _is_reserved),
        "CS1041",
        "'{}' is a keyword and can't stand here",
    ),
    (
        TreePattern(
            "modifier on a local",
            "(local_declaration_statement (modifier) @at)",
            _is_not(b"const"),
        ),
        "CS0106",
        "'{}' is not valid on a local: is a member's declaration inside a method?",
    ),
    (
        TreePattern(
            "modifier on a local function",
            "(local_function_statement (modifier) @at)",
            _is_not(*_LOCAL_FUNCTION_MODIFIERS),
        ),
        "CS0106",
        "'{}' is not valid on a local function: is a member's declaration inside a method?",
    ),
    (
        TreePattern(
            "const on what is no field",
            "([(class_declaration (modifier) @at) (struct_declaration (modifier) @at)"
            " (interface_declaration (modifier) @at) (enum_declaration (modifier) @at)"
            " (delegate_declaration (modifier) @at) (method_declaration (modifier) @at)"
            " (property_declaration (modifier) @at) (constructor_declaration (modifier) @at)"
            " (operator_declaration (modifier) @at) (indexer_declaration (modifier) @at)"
            " (conversion_operator_declaration (modifier) @at) (event_declaration (modifier) @at)"
            " (event_field_declaration (modifier) @at)])",
            _is_const,
        ),
        "CS1031",
        "const is for fields and locals only",
    ),
    (
        TreePattern("partial before another modifier", "(modifier) @at", _is_misplaced_partial),
        "CS0267",
        "partial must come right before class, struct, interface, record or a return type",
    ),
    (
        TreePattern(
            "const without a value",
            "([(field_declaration (modifier) @at) (local_declaration_statement (modifier) @at)])",
            _declares_without_value,
        ),
        "CS0145",
        "a const needs a value",
    ),
    (
        TreePattern(
            "new without arguments",
            "(object_creation_expression !arguments !initializer) @at",
            _is_bare_creation,
        ),
        "CS1526",
        "new needs (), [] or {{}} after the type",
    ),
    (
        TreePattern("try alone", "(try_statement) @at", _has_no_handler),
        "CS1524",
        "catch or finally expected",
    ),
    (
        TreePattern(
            "parameter without a type", "(parameter_list (parameter !type) @at)", _needs_type
        ),
        "CS1001",
        "the parameter '{}' needs a type and a name",
    ),
    (
        TreePattern("using after a declaration", "(using_directive) @at", _comes_late),
        "CS1529",
        "a using directive must come before all declarations",
    ),
    (
        TreePattern(
            "two names in an argument",
            "(argument (declaration_expression)) @at",
            _declares_without_out,
        ),
        "CS1003",
        "',' expected in '{}'",
    ),
    (
        TreePattern(
            "foreach without a type", "(foreach_statement !type) @at", _has_untyped_variable
        ),
        "CS0230",
        "foreach needs a type and a name",
    ),
    (
        TreePattern(
            "condition in an interpolation", "(interpolation (conditional_expression) @at)"
        ),
        "CS8361",
        "a ?: in an interpolated string needs parentheses",
    ),
    (
        TreePattern(
            "statement after a declaration", "(global_statement) @at", _follows_declaration
        ),
        "CS8803",
        "statements can't follow declarations: is this outside of its method?",
    ),
    (
        TreePattern(
            "type parameters after the base types",
            "[(class_declaration (base_list) (type_parameter_list) @at)"
            " (struct_declaration (base_list) (type_parameter_list) @at)]",
            _follows_arguments,
        ),
        "CS1003",
        "',' expected: type parameters come before the base types",
    ),
    (
        TreePattern(
            "call as a member",
            "(field_declaration (variable_declaration (variable_declarator (tuple_pattern) @at)))",
        ),
        "CS1519",
        "a statement stands where a member is expected",
    ),
    (
        TreePattern(
            "braces as a value",
            "(assignment_expression right: (initializer_expression)) @at",
            _is_no_member_value,
        ),
        "CS1525",
        "{{ }} is a value only in a declaration or an initializer",
    ),
    (
        TreePattern(
            "modifier twice on a local function",
            "(local_function_statement (modifier) @at)",
            _is_repeated,
        ),
        "CS1031",
        "'{}' stands here twice",
    ),
    (
        TreePattern("name on the next line", "(local_function_statement) @at", _breaks_before_name),
        "CS1001",
        "'{}' is no statement",
    ),
    (
        TreePattern(
            "braces before an operator", "(binary_expression left: (initializer_expression) @at)"
        ),
        "CS1525",
        "{{ }} is no expression",
    ),
    (
        TreePattern("braces as an operand", "(initializer_expression) @at", _is_operand),
        "CS1525",
        "{{ }} is no expression",
    ),
    (
        TreePattern("unknown accessor", "(accessor_declaration name: (identifier) @at)"),
        "CS1014",
        "an accessor is get, set, init, add or remove, not '{}'",
    ),
    (
        TreePattern("lambda as an operand", "(binary_expression right: (lambda_expression) @at)"),
        "CS1525",
        "a lambda needs parentheses here",
    ),
    (
        TreePattern(
            "throw as an operand",
            "(binary_expression right: (throw_expression) @at)",
            _can_not_throw,
        ),
        "CS1525",
        "throw is an expression only behind ??, ?: and =>",
    ),
    (
        TreePattern("lambda awaited", "(await_expression (lambda_expression) @at)"),
        "CS1525",
        "a lambda can't be awaited",
    ),
    (
        TreePattern(
            "operator doubled",
            '(prefix_unary_expression "&" (prefix_unary_expression "&")) @at',
            _is_right_of_operator,
        ),
        "CS1525",
        "an operand is missing before '{}'",
    ),
    (
        TreePattern(
            "size in a local's type",
            "(local_declaration_statement (variable_declaration"
            " (array_type (array_rank_specifier (_))) @at))",
            _reads_as_element,
        ),
        "CS1002",
        "; expected: '{}' is no type",
    ),
    (
        TreePattern(
            "size behind a name",
            "(variable_declarator (bracketed_argument_list)) @at",
            _is_no_buffer,
        ),
        "CS0650",
        "an array's brackets belong to its type, not to its name: '{}'",
    ),
    (
        TreePattern(
            "type arguments left out", "(type_argument_list) @at", _is_argument_without_types
        ),
        "CS1525",
        "'{}' needs types between the brackets",
    ),
    (
        TreePattern("range as a label", "(switch_section (range_expression) @at)"),
        "CS1001",
        "'{}' is no pattern",
    ),
    (
        TreePattern(
            "parameters of an operator",
            "(operator_declaration (parameter_list) @at)",
            _has_too_many,
        ),
        "CS1534",
        "an operator takes one or two parameters",
    ),
    (
        TreePattern("attribute after declarations", "(global_attribute) @at", _comes_after_code),
        "CS1730",
        "attributes of the assembly must come before all declarations",
    ),
    (
        TreePattern(
            "angle bracket too many",
            '(binary_expression left: (generic_name) @at ">")',
        ),
        "CS1002",
        "unexpected '>' after '{}'",
    ),
    (
        TreePattern(
            "pointer member of a type",
            '(member_access_expression expression: (predefined_type) @at "->")',
        ),
        "CS1525",
        "'{}' is a type: its members follow a dot",
    ),
    (
        TreePattern(
            "operator twice", '(conversion_operator_declaration "operator" "operator" @at)'
        ),
        "CS1031",
        "'{}' stands here twice",
    ),
    (
        TreePattern(
            "const twice",
            "([(field_declaration (modifier) @at) (local_declaration_statement (modifier) @at)])",
            lambda modifier: _is_const(modifier) and _is_repeated(modifier),
        ),
        "CS1031",
        "'{}' stands here twice",
    ),
    (
        TreePattern("integer too large", "(integer_literal) @at", _is_too_large),
        "CS1021",
        "the integer {} is too large",
    ),
    (
        TreePattern("three dots", "(range_expression) @at", _ends_in_dots),
        "CS8635",
        "unexpected '...': write the code that it stands for",
    ),
)
"""What is looked for, the compiler's id for it, and what is said (``{}``: the text found)."""

_TABLE = PatternTable([pattern for pattern, _, _ in CHECKS])
_WORDING = {pattern.name: (id_, message) for pattern, id_, message in CHECKS}
_QUOTED = 40


def structural_errors(before: Analysis, after: Analysis, edits: EditSet) -> Iterator[Diagnostic]:
    """The errors of structure around the edits that were not there before."""
    source = after.source
    for pattern, start, end in new_finds(_TABLE, before, after, edits):
        id_, message = _WORDING[pattern.name]
        text = source.view[start:end].split("\n", 1)[0][:_QUOTED]
        yield Diagnostic(start, source.position(start), id_, message.format(text))
