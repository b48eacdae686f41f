"""Declarations that the grammar accepts and C# does not: a table of checks.

Implements docs/design/roslyn.md §1.4: members pasted into methods and statements outside of them,
modifiers, parameters and directives out of place.
"""

from __future__ import annotations

from snippet_engine.validation.embedded.checks import declaration_conditions as conditions
from snippet_engine.validation.embedded.checks.tree_patterns import Check, in_each, reads

_LOCAL_FUNCTION_MODIFIERS = (b"static", b"async", b"unsafe", b"extern")
_NO_FIELDS = (
    "class_declaration struct_declaration interface_declaration enum_declaration"
    " delegate_declaration method_declaration property_declaration constructor_declaration"
    " operator_declaration indexer_declaration conversion_operator_declaration event_declaration"
    " event_field_declaration"
)

DECLARATION_CHECKS: tuple[Check, ...] = (
    Check(
        "modifier on a local",
        "CS0106",
        "'{}' is not valid on a local: is a member's declaration inside a method?",
        "(local_declaration_statement (modifier) @at)",
        conditions.is_not(b"const"),
    ),
    Check(
        "modifier on a local function",
        "CS0106",
        "'{}' is not valid on a local function: is a member's declaration inside a method?",
        "(local_function_statement (modifier) @at)",
        conditions.is_not(*_LOCAL_FUNCTION_MODIFIERS),
    ),
    Check(
        "const on what is no field",
        "CS1031",
        "const is for fields and locals only",
        in_each(
            _NO_FIELDS,
            "(modifier) @at",
        ),
        reads(b"const"),
    ),
    Check(
        "partial before another modifier",
        "CS0267",
        "partial must come right before class, struct, interface, record or a return type",
        "(modifier) @at",
        conditions.is_misplaced_partial,
    ),
    Check(
        "const without a value",
        "CS0145",
        "a const needs a value",
        "([(field_declaration (modifier) @at) (local_declaration_statement (modifier) @at)])",
        conditions.declares_without_value,
    ),
    Check(
        "parameter without a type",
        "CS1001",
        "the parameter '{}' needs a type and a name",
        "[(parameter_list (parameter !type) @at) (bracketed_parameter_list (parameter !type) @at)]",
        conditions.needs_type,
    ),
    Check(
        "using after a declaration",
        "CS1529",
        "using and extern alias must come before all declarations, extern alias first",
        "[(using_directive) (extern_alias_directive)] @at",
        conditions.comes_late,
    ),
    Check(
        "statement after a declaration",
        "CS8803",
        "statements can't follow declarations: is this outside of its method?",
        "(global_statement) @at",
        conditions.follows_declaration,
    ),
    Check(
        "type parameters after the base types",
        "CS1003",
        "',' expected: type parameters come before the base types",
        "[(class_declaration (base_list) (type_parameter_list) @at)"
        " (struct_declaration (base_list) (type_parameter_list) @at)]",
        conditions.follows_arguments,
    ),
    Check(
        "call as a member",
        "CS1519",
        "a member is expected here, not a statement",
        "(field_declaration (variable_declaration (variable_declarator (tuple_pattern) @at)))",
    ),
    Check(
        "name on the next line",
        "CS1001",
        "'{}' is not a statement",
        "(local_function_statement) @at",
        conditions.breaks_before_name,
    ),
    Check(
        "modifier of an accessor",
        "CS1014",
        "'{}' is not allowed on an accessor",
        "(accessor_declaration (modifier) @at)",
        conditions.is_contextual,
    ),
    Check(
        "const before another modifier",
        "CS1031",
        "the type must follow const; other modifiers come before it",
        "(field_declaration (modifier) @at)",
        conditions.precedes_modifier,
    ),
    Check(
        "unknown accessor",
        "CS1014",
        "an accessor is get, set, init, add or remove, not '{}'",
        "(accessor_declaration name: (identifier) @at)",
    ),
    Check(
        "size in a local's type",
        "CS1002",
        "; expected: '{}' is not a type",
        "(local_declaration_statement (variable_declaration"
        " (array_type (array_rank_specifier (_))) @at))",
        conditions.reads_as_element,
    ),
    Check(
        "size in a type",
        "CS1525",
        "'{}' is not a type: a size is allowed only after new",
        "(array_type type: (predefined_type) rank: (array_rank_specifier (_))) @at",
        conditions.creates_nothing,
    ),
    Check(
        "size behind a name",
        "CS0650",
        "an array's brackets belong to its type, not to its name: '{}'",
        "(variable_declarator (bracketed_argument_list)) @at",
        conditions.is_no_buffer,
    ),
    Check(
        "parameters of an operator",
        "CS1534",
        "wrong number of parameters for the operator: '{}'",
        "(operator_declaration (parameter_list) @at)",
        conditions.has_wrong_number,
    ),
    Check(
        "attribute after declarations",
        "CS1730",
        "attributes of the assembly must come before all declarations",
        "(global_attribute) @at",
        conditions.comes_after_code,
    ),
    Check(
        "operator twice",
        "CS1031",
        "duplicate '{}'",
        '[(conversion_operator_declaration "operator" "operator" @at)'
        ' (ref_type "ref" type: (ref_type) @at)]',
    ),
    Check(
        "header part twice",
        "CS1514",
        "{{ expected: '{}' can't follow here",
        "[(class_declaration (base_list) (base_list) @at)"
        " (struct_declaration (base_list) (base_list) @at)"
        " (class_declaration (type_parameter_list) . (type_parameter_list) @at)"
        " (struct_declaration (type_parameter_list) . (type_parameter_list) @at)"
        " (record_declaration (type_parameter_list) (type_parameter_list) @at)"
        " (record_declaration (parameter_list) (type_parameter_list) @at)"
        " (record_declaration (parameter_list) (parameter_list) @at)]",
    ),
    Check(
        "base types of an enum",
        "CS1514",
        "{{ expected: an enum has one underlying type",
        '[(enum_declaration (base_list "," @at))'
        " (enum_declaration (base_list (argument_list) @at))]",
    ),
    Check(
        "fixed on what is no buffer",
        "CS1003",
        "fixed is for buffers: fields with a size after their names",
        "(modifier) @at",
        conditions.is_misplaced_fixed,
    ),
    Check(
        "namespace in a type",
        "CS1513",
        "}} expected: a namespace can't be inside a type",
        in_each(
            "class_declaration struct_declaration interface_declaration record_declaration",
            "(declaration_list (namespace_declaration) @at)",
        ),
    ),
    Check(
        "parameters of a destructor",
        "CS1026",
        ") expected: a destructor can't have parameters",
        "[(destructor_declaration (parameter_list (parameter) @at))"
        ' (destructor_declaration (parameter_list "params" @at))]',
    ),
    Check(
        "static twice on a using",
        "CS1041",
        "duplicate '{}'",
        '(using_directive "static" "static" @at)',
    ),
    Check(
        "ref in an alias",
        "CS1001",
        "'{}' can't have another name",
        "(using_directive (ref_type) @at)",
    ),
)
"""The patterns, the compiler's id for each, and its message (``{}``: the matched text)."""
