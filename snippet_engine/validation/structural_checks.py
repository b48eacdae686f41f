"""Structure that the grammar accepts and C# does not: a table of checks.

Implements spec 04-roslyn §1.4. Each check has the compiler's id for what it finds. The grammar
is looser than the language, to be robust; what its tree shows is exact all the same. No check
looks at nodes that the parser gets by misreading: operands of comparisons and casts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from snippet_engine.source_text import SourceText
from snippet_engine.validation import structural_conditions as conditions
from snippet_engine.validation.angle_brackets import is_one_too_many
from snippet_engine.validation.tree_patterns import NewFind, TreePattern
from snippet_engine.validation.validator import Diagnostic

_LOCAL_FUNCTION_MODIFIERS = (b"static", b"async", b"unsafe", b"extern")

CHECKS: tuple[tuple[TreePattern, str, str], ...] = (
    (
        TreePattern(
            "reserved word as a name",
            "[(identifier) (implicit_parameter)] @at",
            conditions.is_reserved,
        ),
        "CS1041",
        "'{}' is a keyword and can't stand here",
    ),
    (
        TreePattern(
            "modifier on a local",
            "(local_declaration_statement (modifier) @at)",
            conditions.is_not(b"const"),
        ),
        "CS0106",
        "'{}' is not valid on a local: is a member's declaration inside a method?",
    ),
    (
        TreePattern(
            "modifier on a local function",
            "(local_function_statement (modifier) @at)",
            conditions.is_not(*_LOCAL_FUNCTION_MODIFIERS),
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
            conditions.is_const,
        ),
        "CS1031",
        "const is for fields and locals only",
    ),
    (
        TreePattern(
            "partial before another modifier", "(modifier) @at", conditions.is_misplaced_partial
        ),
        "CS0267",
        "partial must come right before class, struct, interface, record or a return type",
    ),
    (
        TreePattern(
            "const without a value",
            "([(field_declaration (modifier) @at) (local_declaration_statement (modifier) @at)])",
            conditions.declares_without_value,
        ),
        "CS0145",
        "a const needs a value",
    ),
    (
        TreePattern(
            "new without arguments",
            "(object_creation_expression !arguments !initializer) @at",
            conditions.is_bare_creation,
        ),
        "CS1526",
        "new needs (), [] or {{}} after the type",
    ),
    (
        TreePattern("try alone", "(try_statement) @at", conditions.has_no_handler),
        "CS1524",
        "catch or finally expected",
    ),
    (
        TreePattern(
            "parameter without a type",
            "(parameter_list (parameter !type) @at)",
            conditions.needs_type,
        ),
        "CS1001",
        "the parameter '{}' needs a type and a name",
    ),
    (
        TreePattern("using after a declaration", "(using_directive) @at", conditions.comes_late),
        "CS1529",
        "a using directive must come before all declarations",
    ),
    (
        TreePattern(
            "two names in an argument",
            "(argument (declaration_expression)) @at",
            conditions.declares_without_out,
        ),
        "CS1003",
        "',' expected in '{}'",
    ),
    (
        TreePattern(
            "foreach without a type",
            "(foreach_statement !type) @at",
            conditions.has_untyped_variable,
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
            "statement after a declaration",
            "(global_statement) @at",
            conditions.follows_declaration,
        ),
        "CS8803",
        "statements can't follow declarations: is this outside of its method?",
    ),
    (
        TreePattern(
            "type parameters after the base types",
            "[(class_declaration (base_list) (type_parameter_list) @at)"
            " (struct_declaration (base_list) (type_parameter_list) @at)]",
            conditions.follows_arguments,
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
            conditions.is_no_member_value,
        ),
        "CS1525",
        "{{ }} is a value only in a declaration or an initializer",
    ),
    (
        TreePattern(
            "modifier twice on a local function",
            "(local_function_statement (modifier) @at)",
            conditions.is_repeated,
        ),
        "CS1031",
        "'{}' stands here twice",
    ),
    (
        TreePattern(
            "name on the next line", "(local_function_statement) @at", conditions.breaks_before_name
        ),
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
        TreePattern("braces as an operand", "(initializer_expression) @at", conditions.is_operand),
        "CS1525",
        "{{ }} is no expression",
    ),
    (
        TreePattern("unknown accessor", "(accessor_declaration name: (identifier) @at)"),
        "CS1014",
        "an accessor is get, set, init, add or remove, not '{}'",
    ),
    (
        TreePattern(
            "lambda as an operand",
            "([(binary_expression right: (lambda_expression) @at)"
            " (prefix_unary_expression (lambda_expression) @at)"
            " (cast_expression value: (lambda_expression) @at)])",
        ),
        "CS1525",
        "a lambda needs parentheses here",
    ),
    (
        TreePattern(
            "throw as an operand",
            "(binary_expression right: (throw_expression) @at)",
            conditions.can_not_throw,
        ),
        "CS1525",
        "throw is an expression only behind ??, ?: and =>",
    ),
    (
        TreePattern(
            "throw behind an operator",
            "[(prefix_unary_expression (throw_expression) @at)"
            " (cast_expression (throw_expression) @at) (await_expression (throw_expression) @at)]",
        ),
        "CS1525",
        "throw is an expression only behind ??, ?: and =>",
    ),
    (
        TreePattern(
            "ref that refers to no variable", "(ref_expression) @at", conditions.is_no_reference
        ),
        "CS1525",
        "'{}' can stand only behind =, return, => and in ?:",
    ),
    (
        TreePattern(
            "ref in a tuple",
            '(tuple_expression (argument ["ref" "in"]) @at)',
        ),
        "CS1525",
        "'{}' can't be an element of a tuple",
    ),
    (
        TreePattern(
            "pattern without parentheses",
            "(relational_pattern [(binary_expression) (conditional_expression)] @at)",
            conditions.ends_pattern,
        ),
        "CS1003",
        "=> expected: '{}' is no pattern",
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
            conditions.is_right_of_operator,
        ),
        "CS1525",
        "an operand is missing before '{}'",
    ),
    (
        TreePattern(
            "size in a local's type",
            "(local_declaration_statement (variable_declaration"
            " (array_type (array_rank_specifier (_))) @at))",
            conditions.reads_as_element,
        ),
        "CS1002",
        "; expected: '{}' is no type",
    ),
    (
        TreePattern(
            "size behind a name",
            "(variable_declarator (bracketed_argument_list)) @at",
            conditions.is_no_buffer,
        ),
        "CS0650",
        "an array's brackets belong to its type, not to its name: '{}'",
    ),
    (
        TreePattern(
            "type arguments left out",
            "(type_argument_list) @at",
            conditions.is_argument_without_types,
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
            conditions.has_wrong_number,
        ),
        "CS1534",
        "the operator can't take so many, or so few, parameters: '{}'",
    ),
    (
        TreePattern(
            "attribute after declarations", "(global_attribute) @at", conditions.comes_after_code
        ),
        "CS1730",
        "attributes of the assembly must come before all declarations",
    ),
    (
        TreePattern(
            "angle bracket too many",
            '(binary_expression left: [(generic_name) (member_access_expression)] @at ">")',
            is_one_too_many,
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
            lambda modifier: conditions.is_const(modifier) and conditions.is_repeated(modifier),
        ),
        "CS1031",
        "'{}' stands here twice",
    ),
    (
        TreePattern("integer too large", "(integer_literal) @at", conditions.is_too_large),
        "CS1021",
        "the integer {} is too large",
    ),
    (
        TreePattern("three dots", "(range_expression) @at", conditions.ends_in_dots),
        "CS8635",
        "unexpected '...': write the code that it stands for",
    ),
)
"""What is looked for, the compiler's id for it, and what is said (``{}``: the text found)."""

_WORDING = {pattern: (id_, message) for pattern, id_, message in CHECKS}
_QUOTED = 40


def structural_errors(source: SourceText, finds: Iterable[NewFind]) -> Iterator[Diagnostic]:
    """The errors of structure among what is found around the edits now and was not before."""
    for pattern, start, end in finds:
        if pattern not in _WORDING:
            continue
        id_, message = _WORDING[pattern]
        text = source.view[start:end].split("\n", 1)[0][:_QUOTED]
        yield Diagnostic(start, source.position(start), id_, message.format(text))
