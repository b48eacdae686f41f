"""Members that parse and that nothing referenced can make C# take: a table of checks.

Implements docs/design/roslyn.md §1.4. A compiler's binder refuses these, and would with every
reference there is: a return type lost, modifiers twice, bodies left out, names of no alias.
"""

from __future__ import annotations

from snippet_engine.validation.embedded.checks import member_conditions as conditions
from snippet_engine.validation.embedded.checks.declaration_conditions import stands_outside_of_types
from snippet_engine.validation.embedded.checks.tree_patterns import StructuralCheck, TreePattern

MEMBER_CHECKS: tuple[StructuralCheck, ...] = (
    StructuralCheck(
        TreePattern("modifier twice", "(modifier) @at", conditions.is_doubled),
        "CS1004",
        "'{}' stands here twice",
    ),
    StructuralCheck(
        TreePattern("two access modifiers", "(modifier) @at", conditions.has_other_access),
        "CS0107",
        "'{}' follows another access modifier",
    ),
    StructuralCheck(
        TreePattern("modifier of another kind", "(modifier) @at", conditions.is_never_valid),
        "CS0106",
        "'{}' is not valid on such a declaration",
    ),
    StructuralCheck(
        TreePattern(
            "overridable and private",
            "([(method_declaration (modifier) @at) (property_declaration (modifier) @at)"
            " (indexer_declaration (modifier) @at)])",
            conditions.is_private,
        ),
        "CS0621",
        "a member that is '{}' can't be private",
    ),
    StructuralCheck(
        TreePattern(
            "return type left out",
            "[(constructor_declaration name: (identifier) @at)"
            " (destructor_declaration name: (identifier) @at)]",
            conditions.is_named_otherwise,
        ),
        "CS1520",
        "'{}' needs a return type: only a constructor has none, and that has its type's name",
    ),
    StructuralCheck(
        TreePattern(
            "body left out",
            "([(method_declaration) (constructor_declaration)]) @at",
            conditions.lacks_body,
        ),
        "CS0501",
        "a body is missing: '{}' is neither abstract nor extern nor partial",
    ),
    StructuralCheck(
        TreePattern(
            "body of a local function left out",
            "(local_function_statement) @at",
            conditions.is_local_without_body,
        ),
        "CS8112",
        "'{}' reads as a local function without a body",
    ),
    StructuralCheck(
        TreePattern(
            "property without accessors",
            "(property_declaration accessors: (accessor_list) @at)",
            conditions.has_no_accessor,
        ),
        "CS0548",
        "a property needs get or set",
    ),
    StructuralCheck(
        TreePattern(
            "var as a member's type",
            "[(field_declaration (variable_declaration type: (implicit_type) @at))"
            " (event_field_declaration (variable_declaration type: (implicit_type) @at))"
            " (property_declaration type: (implicit_type) @at)"
            " (method_declaration returns: (implicit_type) @at)]",
        ),
        "CS0825",
        "'{}' is the type of locals only",
    ),
    StructuralCheck(
        TreePattern(
            "var as a parameter's type",
            "(parameter type: (implicit_type) @at)",
            conditions.is_no_lambdas,
        ),
        "CS0825",
        "'{}' is the type of locals only",
    ),
    StructuralCheck(
        TreePattern(
            "statement outside of types", "(global_statement) @at", stands_outside_of_types
        ),
        "CS8805",
        "'{}' stands outside of types: only a program's entry could, and Unity has none",
    ),
    StructuralCheck(
        TreePattern(
            "member in a namespace",
            "(namespace_declaration (declaration_list [(method_declaration) (field_declaration)"
            " (property_declaration) (event_field_declaration) (constructor_declaration)] @at))",
        ),
        "CS0116",
        "a namespace has types, no members: '{}'",
    ),
    StructuralCheck(
        TreePattern(
            "instance member of a static class",
            "([(field_declaration) (method_declaration) (property_declaration)"
            " (event_field_declaration) (constructor_declaration)]) @at",
            conditions.is_of_instance,
        ),
        "CS0708",
        "'{}' needs static: its class is static",
    ),
    StructuralCheck(
        TreePattern(
            "field or constructor of an interface",
            "(interface_declaration (declaration_list"
            " [(field_declaration) (constructor_declaration)] @at))",
            conditions.is_instance_member,
        ),
        "CS0525",
        "an interface has no such member: '{}'",
    ),
    StructuralCheck(
        TreePattern(
            "extension method that is not static",
            "(parameter (modifier) @at)",
            conditions.extends_without_static,
        ),
        "CS1105",
        "a method that extends a type must be static",
    ),
    StructuralCheck(
        TreePattern(
            "base that is no name",
            "[(class_declaration (base_list [(array_type) (nullable_type) (pointer_type)] @at))"
            " (struct_declaration (base_list [(array_type) (nullable_type) (pointer_type)] @at))]",
        ),
        "CS1521",
        "'{}' can't be a base type",
    ),
    StructuralCheck(
        TreePattern(
            "alias in a namespace's name",
            "(namespace_declaration name: (alias_qualified_name) @at)",
        ),
        "CS7000",
        "a namespace's name has dots only: '{}'",
    ),
    StructuralCheck(
        TreePattern(
            "enum that begins with a comma", '(enum_member_declaration_list "{" . "," @at)'
        ),
        "CS1001",
        "a name is missing before the comma",
    ),
    StructuralCheck(
        TreePattern(
            "pointer outside of unsafe",
            '[(member_access_expression "->") (prefix_unary_expression "*")] @at',
            conditions.is_outside_of_unsafe,
        ),
        "CS0214",
        "'{}' needs a pointer, and those need unsafe",
    ),
    StructuralCheck(
        TreePattern(
            "braces for what is no array",
            "(variable_declarator (initializer_expression) @at)",
            conditions.is_no_array,
        ),
        "CS0622",
        "braces alone make arrays only: 'new' is missing before '{}'",
    ),
    StructuralCheck(
        TreePattern(
            "base of a static class", "(class_declaration (base_list) @at)", conditions.is_of_static
        ),
        "CS0713",
        "a static class has no base: '{}'",
    ),
    StructuralCheck(
        TreePattern(
            "extension methods in a generic class",
            "(class_declaration (type_parameter_list) @at)",
            conditions.has_extension_methods,
        ),
        "CS1106",
        "extension methods need a static class without type parameters",
    ),
    StructuralCheck(
        TreePattern(
            "static constructor with more",
            "(constructor_declaration (modifier) @at)",
            conditions.is_of_no_static_constructor,
        ),
        "CS0515",
        "'{}': a static constructor has no access modifiers and no parameters",
    ),
    StructuralCheck(
        TreePattern(
            "static and overridable",
            "([(method_declaration (modifier) @at) (property_declaration (modifier) @at)])",
            conditions.is_static_override,
        ),
        "CS0112",
        "a static member can't be '{}'",
    ),
    StructuralCheck(
        TreePattern("accessor twice", "(accessor_declaration) @at", conditions.is_second),
        "CS1007",
        "the accessor stands here twice: '{}'",
    ),
    StructuralCheck(
        TreePattern(
            "partial member of a whole type",
            "(method_declaration (modifier) @at)",
            conditions.is_partial_in_whole,
        ),
        "CS0751",
        "a partial method needs a partial type around it",
    ),
    StructuralCheck(
        TreePattern(
            "fixed outside of unsafe", "(fixed_statement) @at", conditions.is_outside_of_unsafe
        ),
        "CS0214",
        "'{}' makes pointers, and those need unsafe",
    ),
    StructuralCheck(
        TreePattern("this in a static member", '"this" @at', conditions.is_in_static),
        "CS0026",
        "a static member has no '{}'",
    ),
    StructuralCheck(
        TreePattern(
            "extension methods in a class that is not static",
            "(class_declaration name: (identifier) @at)",
            conditions.is_not_static_but_extends,
        ),
        "CS1106",
        "'{}' has extension methods, so it must be static",
    ),
)
"""What is looked for, the compiler's id for it, and what is said (``{}``: the text found)."""
