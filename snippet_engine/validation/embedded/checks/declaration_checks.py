"""Declarations that the grammar accepts and C# does not: a table of checks.

Implements docs/design/roslyn.md §1.4: members pasted into methods and statements outside of them,
modifiers, parameters and directives out of place.
"""

from __future__ import annotations

from snippet_engine.validation.embedded.checks import declaration_conditions as conditions
from snippet_engine.validation.embedded.checks.tree_patterns import (
    StructuralCheck,
    TreePattern,
    reads,
)

_LOCAL_FUNCTION_MODIFIERS = (b"static", b"async", b"unsafe", b"extern")

DECLARATION_CHECKS: tuple[StructuralCheck, ...] = (
    StructuralCheck(
        TreePattern(
            "modifier on a local",
            "(local_declaration_statement (modifier) @at)",
            conditions.is_not(b"const"),
        ),
        "CS0106",
        "'{}' is not valid on a local: is a member's declaration inside a method?",
    ),
    StructuralCheck(
        TreePattern(
            "modifier on a local function",
            "(local_function_statement (modifier) @at)",
            conditions.is_not(*_LOCAL_FUNCTION_MODIFIERS),
        ),
        "CS0106",
        "'{}' is not valid on a local function: is a member's declaration inside a method?",
    ),
    StructuralCheck(
        TreePattern(
            "const on what is no field",
            "([(class_declaration (modifier) @at) (struct_declaration (modifier) @at)"
            " (interface_declaration (modifier) @at) (enum_declaration (modifier) @at)"
            " (delegate_declaration (modifier) @at) (method_declaration (modifier) @at)"
            " (property_declaration (modifier) @at) (constructor_declaration (modifier) @at)"
            " (operator_declaration (modifier) @at) (indexer_declaration (modifier) @at)"
            " (conversion_operator_declaration (modifier) @at) (event_declaration (modifier) @at)"
            " (event_field_declaration (modifier) @at)])",
            reads(b"const"),
        ),
        "CS1031",
        "const is for fields and locals only",
    ),
    StructuralCheck(
        TreePattern(
            "partial before another modifier", "(modifier) @at", conditions.is_misplaced_partial
        ),
        "CS0267",
        "partial must come right before class, struct, interface, record or a return type",
    ),
    StructuralCheck(
        TreePattern(
            "const without a value",
            "([(field_declaration (modifier) @at) (local_declaration_statement (modifier) @at)])",
            conditions.declares_without_value,
        ),
        "CS0145",
        "a const needs a value",
    ),
    StructuralCheck(
        TreePattern(
            "parameter without a type",
            "[(parameter_list (parameter !type) @at)"
            " (bracketed_parameter_list (parameter !type) @at)]",
            conditions.needs_type,
        ),
        "CS1001",
        "the parameter '{}' needs a type and a name",
    ),
    StructuralCheck(
        TreePattern(
            "using after a declaration",
            "[(using_directive) (extern_alias_directive)] @at",
            conditions.comes_late,
        ),
        "CS1529",
        "using and extern alias must come before all declarations, extern alias first",
    ),
    StructuralCheck(
        TreePattern(
            "statement after a declaration",
            "(global_statement) @at",
            conditions.follows_declaration,
        ),
        "CS8803",
        "statements can't follow declarations: is this outside of its method?",
    ),
    StructuralCheck(
        TreePattern(
            "type parameters after the base types",
            "[(class_declaration (base_list) (type_parameter_list) @at)"
            " (struct_declaration (base_list) (type_parameter_list) @at)]",
            conditions.follows_arguments,
        ),
        "CS1003",
        "',' expected: type parameters come before the base types",
    ),
    StructuralCheck(
        TreePattern(
            "call as a member",
            "(field_declaration (variable_declaration (variable_declarator (tuple_pattern) @at)))",
        ),
        "CS1519",
        "a statement stands where a member is expected",
    ),
    StructuralCheck(
        TreePattern(
            "modifier twice on a local function",
            "(local_function_statement (modifier) @at)",
            conditions.is_repeated,
        ),
        "CS1031",
        "'{}' stands here twice",
    ),
    StructuralCheck(
        TreePattern(
            "name on the next line", "(local_function_statement) @at", conditions.breaks_before_name
        ),
        "CS1001",
        "'{}' is no statement",
    ),
    StructuralCheck(
        TreePattern(
            "modifier of an accessor",
            "(accessor_declaration (modifier) @at)",
            conditions.is_contextual,
        ),
        "CS1014",
        "'{}' can't stand before an accessor",
    ),
    StructuralCheck(
        TreePattern(
            "const before another modifier",
            "(field_declaration (modifier) @at)",
            conditions.precedes_modifier,
        ),
        "CS1031",
        "the type must follow const; other modifiers come before it",
    ),
    StructuralCheck(
        TreePattern("unknown accessor", "(accessor_declaration name: (identifier) @at)"),
        "CS1014",
        "an accessor is get, set, init, add or remove, not '{}'",
    ),
    StructuralCheck(
        TreePattern(
            "size in a local's type",
            "(local_declaration_statement (variable_declaration"
            " (array_type (array_rank_specifier (_))) @at))",
            conditions.reads_as_element,
        ),
        "CS1002",
        "; expected: '{}' is no type",
    ),
    StructuralCheck(
        TreePattern(
            "size in a type",
            "(array_type type: (predefined_type) rank: (array_rank_specifier (_))) @at",
            conditions.creates_nothing,
        ),
        "CS1525",
        "'{}' is no type: a size stands behind new only",
    ),
    StructuralCheck(
        TreePattern(
            "size behind a name",
            "(variable_declarator (bracketed_argument_list)) @at",
            conditions.is_no_buffer,
        ),
        "CS0650",
        "an array's brackets belong to its type, not to its name: '{}'",
    ),
    StructuralCheck(
        TreePattern(
            "parameters of an operator",
            "(operator_declaration (parameter_list) @at)",
            conditions.has_wrong_number,
        ),
        "CS1534",
        "the operator can't take so many, or so few, parameters: '{}'",
    ),
    StructuralCheck(
        TreePattern(
            "attribute after declarations", "(global_attribute) @at", conditions.comes_after_code
        ),
        "CS1730",
        "attributes of the assembly must come before all declarations",
    ),
    StructuralCheck(
        TreePattern(
            "operator twice", '(conversion_operator_declaration "operator" "operator" @at)'
        ),
        "CS1031",
        "'{}' stands here twice",
    ),
    StructuralCheck(
        TreePattern("ref twice", '(ref_type "ref" type: (ref_type) @at)'),
        "CS1031",
        "'{}' stands here after another ref",
    ),
    StructuralCheck(
        TreePattern(
            "const twice",
            "([(field_declaration (modifier) @at) (local_declaration_statement (modifier) @at)])",
            lambda modifier: modifier.text == b"const" and conditions.is_repeated(modifier),
        ),
        "CS1031",
        "'{}' stands here twice",
    ),
    StructuralCheck(
        TreePattern(
            "header part twice",
            "[(class_declaration (base_list) (base_list) @at)"
            " (struct_declaration (base_list) (base_list) @at)"
            " (class_declaration (type_parameter_list) . (type_parameter_list) @at)"
            " (struct_declaration (type_parameter_list) . (type_parameter_list) @at)"
            " (record_declaration (type_parameter_list) (type_parameter_list) @at)"
            " (record_declaration (parameter_list) (type_parameter_list) @at)"
            " (record_declaration (parameter_list) (parameter_list) @at)]",
        ),
        "CS1514",
        "{{ expected: '{}' can't follow here",
    ),
    StructuralCheck(
        TreePattern(
            "base types of an enum",
            '[(enum_declaration (base_list "," @at))'
            " (enum_declaration (base_list (argument_list) @at))]",
        ),
        "CS1514",
        "{{ expected: an enum has one underlying type",
    ),
    StructuralCheck(
        TreePattern(
            "fixed on what is no buffer",
            "(modifier) @at",
            conditions.is_misplaced_fixed,
        ),
        "CS1003",
        "fixed is for buffers, fields with a size behind their names",
    ),
    StructuralCheck(
        TreePattern(
            "namespace in a type",
            "[(class_declaration (declaration_list (namespace_declaration) @at))"
            " (struct_declaration (declaration_list (namespace_declaration) @at))"
            " (interface_declaration (declaration_list (namespace_declaration) @at))"
            " (record_declaration (declaration_list (namespace_declaration) @at))]",
        ),
        "CS1513",
        "}} expected: a namespace can't stand in a type",
    ),
    StructuralCheck(
        TreePattern(
            "parameters of a destructor",
            "[(destructor_declaration (parameter_list (parameter) @at))"
            ' (destructor_declaration (parameter_list "params" @at))]',
        ),
        "CS1026",
        ") expected: a destructor has no parameters",
    ),
    StructuralCheck(
        TreePattern("static twice on a using", '(using_directive "static" "static" @at)'),
        "CS1041",
        "'{}' stands here twice",
    ),
    StructuralCheck(
        TreePattern("ref in an alias", "(using_directive (ref_type) @at)"),
        "CS1001",
        "'{}' can't have another name",
    ),
)
"""What is looked for, the compiler's id for it, and what is said (``{}``: the text found)."""
