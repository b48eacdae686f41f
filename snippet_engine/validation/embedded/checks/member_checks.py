"""Members that parse but that C# refuses whatever it references: a table of checks.

Implements docs/design/roslyn.md §1.4. A compiler's binder refuses these: a missing return type,
repeated modifiers, missing bodies, names of unknown aliases.
"""

from __future__ import annotations

from snippet_engine.validation.embedded.checks import member_conditions as conditions
from snippet_engine.validation.embedded.checks.declaration_conditions import stands_outside_of_types
from snippet_engine.validation.embedded.checks.tree_patterns import Check, in_each

MEMBER_CHECKS: tuple[Check, ...] = (
    Check(
        "modifier twice",
        "CS1004",
        "duplicate '{}'",
        "(modifier) @at",
        conditions.is_doubled,
    ),
    Check(
        "two access modifiers",
        "CS0107",
        "'{}' follows another access modifier",
        "(modifier) @at",
        conditions.has_other_access,
    ),
    Check(
        "modifier of another kind",
        "CS0106",
        "'{}' is not valid on such a declaration",
        "(modifier) @at",
        conditions.is_never_valid,
    ),
    Check(
        "overridable and private",
        "CS0621",
        "a member that is '{}' can't be private",
        in_each("method_declaration property_declaration indexer_declaration", "(modifier) @at"),
        conditions.is_private,
    ),
    Check(
        "return type left out",
        "CS1520",
        "'{}' needs a return type, or its type's name if it is a constructor",
        "[(constructor_declaration name: (identifier) @at)"
        " (destructor_declaration name: (identifier) @at)]",
        conditions.is_named_otherwise,
    ),
    Check(
        "body left out",
        "CS0501",
        "a body is missing: '{}' is neither abstract nor extern nor partial",
        "([(method_declaration) (constructor_declaration)]) @at",
        conditions.lacks_body,
    ),
    Check(
        "body of a local function left out",
        "CS8112",
        "'{}' reads as a local function without a body",
        "(local_function_statement) @at",
        conditions.is_local_without_body,
    ),
    Check(
        "property without accessors",
        "CS0548",
        "a property needs get or set",
        "(property_declaration accessors: (accessor_list) @at)",
        conditions.has_no_accessor,
    ),
    Check(
        "var as a member's type",
        "CS0825",
        "'{}' is allowed only as the type of a local",
        "[(field_declaration (variable_declaration type: (implicit_type) @at))"
        " (event_field_declaration (variable_declaration type: (implicit_type) @at))"
        " (property_declaration type: (implicit_type) @at)"
        " (method_declaration returns: (implicit_type) @at) (parameter type: (implicit_type) @at)]",
        conditions.is_no_lambdas,
    ),
    Check(
        "statement outside of types",
        "CS8805",
        "'{}' is outside of a type: Unity doesn't compile top-level statements",
        "(global_statement) @at",
        stands_outside_of_types,
    ),
    Check(
        "member in a namespace",
        "CS0116",
        "a namespace can contain only types: '{}'",
        "(namespace_declaration (declaration_list [(method_declaration) (field_declaration)"
        " (property_declaration) (event_field_declaration) (constructor_declaration)] @at))",
    ),
    Check(
        "instance member of a static class",
        "CS0708",
        "'{}' needs static: its class is static",
        "([(field_declaration) (method_declaration) (property_declaration)"
        " (event_field_declaration) (constructor_declaration)]) @at",
        conditions.is_of_instance,
    ),
    Check(
        "field or constructor of an interface",
        "CS0525",
        "an interface can't have instance fields or constructors: '{}'",
        "(interface_declaration (declaration_list"
        " [(field_declaration) (constructor_declaration)] @at))",
        conditions.is_instance_member,
    ),
    Check(
        "extension method that is not static",
        "CS1105",
        "an extension method must be static",
        "(parameter (modifier) @at)",
        conditions.extends_without_static,
    ),
    Check(
        "base that is no name",
        "CS1521",
        "'{}' can't be a base type",
        "[(class_declaration (base_list [(array_type) (nullable_type) (pointer_type)] @at))"
        " (struct_declaration (base_list [(array_type) (nullable_type) (pointer_type)] @at))]",
    ),
    Check(
        "alias in a namespace's name",
        "CS7000",
        "only dots can join the parts of a namespace's name: '{}'",
        "(namespace_declaration name: (alias_qualified_name) @at)",
    ),
    Check(
        "enum that begins with a comma",
        "CS1001",
        "a name is missing before the comma",
        '(enum_member_declaration_list "{" . "," @at)',
    ),
    Check(
        "pointer outside of unsafe",
        "CS0214",
        "'{}' needs a pointer, which needs unsafe",
        '[(member_access_expression "->") (prefix_unary_expression "*")] @at',
        conditions.is_outside_of_unsafe,
    ),
    Check(
        "braces for what is no array",
        "CS0622",
        "braces alone can make only an array: 'new' is missing before '{}'",
        "(variable_declarator (initializer_expression) @at)",
        conditions.is_no_array,
    ),
    Check(
        "base of a static class",
        "CS0713",
        "a static class can't have a base: '{}'",
        "(class_declaration (base_list) @at)",
        conditions.is_of_static,
    ),
    Check(
        "extension methods in a generic class",
        "CS1106",
        "extension methods need a static class without type parameters",
        "(class_declaration (type_parameter_list) @at)",
        conditions.has_extension_methods,
    ),
    Check(
        "static constructor with more",
        "CS0515",
        "'{}': a static constructor can't have access modifiers or parameters",
        "(constructor_declaration (modifier) @at)",
        conditions.is_of_no_static_constructor,
    ),
    Check(
        "static and overridable",
        "CS0112",
        "a static member can't be '{}'",
        "([(method_declaration (modifier) @at) (property_declaration (modifier) @at)])",
        conditions.is_static_override,
    ),
    Check(
        "accessor twice",
        "CS1007",
        "duplicate accessor: '{}'",
        "(accessor_declaration) @at",
        conditions.is_second,
    ),
    Check(
        "partial member of a whole type",
        "CS0751",
        "a partial method needs a partial type around it",
        "(method_declaration (modifier) @at)",
        conditions.is_partial_in_whole,
    ),
    Check(
        "fixed outside of unsafe",
        "CS0214",
        "'{}' needs unsafe: it creates pointers",
        "(fixed_statement) @at",
        conditions.is_outside_of_unsafe,
    ),
    Check(
        "this in a static member",
        "CS0026",
        "a static member can't use '{}'",
        '"this" @at',
        conditions.is_in_static,
    ),
    Check(
        "extension methods in a class that is not static",
        "CS1106",
        "'{}' has extension methods, so it must be static",
        "(class_declaration name: (identifier) @at)",
        conditions.is_not_static_but_extends,
    ),
)
"""The patterns, the compiler's id for each, and its message (``{}``: the matched text)."""
