"""Syntax that is newer than a project's C#, found by the kind of tree node: a table.

Implements docs/design/roslyn.md §1.5. Every supported Unity compiles C# 9, so the table begins with
C# 10.
"""

from __future__ import annotations

from collections.abc import Callable

from tree_sitter import Node

from snippet_engine.validation.embedded.checks.tree_patterns import Check, reads

NEWER_SYNTAX = "CS8773"


def _is_abstract_static(modifier: Node) -> bool:
    """Return whether an interface's member is both ``static`` and ``abstract`` or ``virtual``."""
    member = modifier.parent
    if modifier.text != b"static" or member is None or member.parent is None:
        return False
    interface = member.parent.parent
    return (
        interface is not None
        and interface.type == "interface_declaration"
        and any(sibling.text in {b"abstract", b"virtual"} for sibling in member.named_children)
    )


def _has_default_value(parameter: Node) -> bool:
    return any(child.type == "=" for child in parameter.children)


def _names_no_type_by_name(directive: Node) -> bool:
    """Return whether a using alias names something other than a named type."""
    value = directive.named_children[-1] if directive.named_children else None
    return (
        value is not None
        and value.type
        in {
            "array_type",
            "function_pointer_type",
            "nullable_type",
            "pointer_type",
            "predefined_type",
            "tuple_type",
        }
        and value.text not in {b"nint", b"nuint"}
    )


def _is_collection(collection: Node) -> bool:
    """Return whether brackets aren't an index: ``(a)[0]`` is misread as a cast of ``[0]``."""
    cast = collection.parent
    while cast is not None and cast.start_byte == collection.start_byte:
        cast = cast.parent  # `(a)[0].b` is a cast of `[0].b`, then
    type_ = cast.child_by_field_name("type") if cast and cast.type == "cast_expression" else None
    return type_ is None or type_.type not in {"identifier", "qualified_name"}


def _is_mixed(deconstruction: Node) -> bool:
    """Return whether a deconstruction both declares and assigns; discards are neither."""
    left = deconstruction.child_by_field_name("left")
    if left is None or left.type != "tuple_expression":
        return False
    parts = [
        child for child in left.named_children if child.type == "argument" and child.text != b"_"
    ]
    declared = sum(
        any(part.type == "declaration_expression" for part in each.named_children) for each in parts
    )
    return 0 < declared < len(parts)


def _breaks_line(interpolation: Node) -> bool:
    """Return whether the code in an interpolation of a one-line string spans lines."""
    text = interpolation.parent
    return (
        b"\n" in (interpolation.text or b"")
        and text is not None
        and not any(b"@" in (part.text or b"") for part in text.children[:1])
        and not (text.text or b"").lstrip(b"$").startswith(b'"""')
    )


def _is_of_instance(member: Node) -> bool:
    """Return whether a member of a struct is an instance member."""
    return not any(child.text in {b"const", b"static"} for child in member.named_children)


def _initializes(field: Node) -> bool:
    """Return whether an instance field of a struct has an initializer."""
    return _is_of_instance(field) and any(
        child.type == "="
        for variables in field.named_children
        if variables.type == "variable_declaration"
        for declarator in variables.named_children
        for child in declarator.children
    )


def _initializes_property(property_: Node) -> bool:
    return _is_of_instance(property_) and any(child.type == "=" for child in property_.children)


def _takes_nothing(constructor: Node) -> bool:
    parameters = constructor.child_by_field_name("parameters")
    return (
        _is_of_instance(constructor)
        and parameters is not None
        and not any(child.type != "comment" for child in parameters.named_children)
    )


def _feature(
    since: int, name: str, query: str, holds: Callable[[Node], bool] | None = None
) -> Check:
    return Check(name, NEWER_SYNTAX, f"{name}: needs C# {since}.0", query, holds, until=since)


FEATURES: tuple[Check, ...] = (
    _feature(10, "file-scoped namespace", "(file_scoped_namespace_declaration) @at"),
    _feature(10, "global using directive", '(using_directive "global") @at'),
    _feature(10, "record structs", '(record_declaration ["class" "struct"]) @at'),
    _feature(
        10,
        "extended property patterns",
        "(property_pattern_clause (subpattern (member_access_expression)) @at)",
    ),
    _feature(
        10,
        "lambda attributes",
        "[(lambda_expression (attribute_list) @at)"
        " (lambda_expression (parameter_list (parameter (attribute_list) @at)))]",
    ),
    _feature(10, "lambda return type", "(lambda_expression type: (_) @at)"),
    _feature(
        10,
        "mixed declarations and expressions in deconstruction",
        "(assignment_expression left: (tuple_expression)) @at",
        _is_mixed,
    ),
    _feature(
        10,
        "struct field initializers",
        "(struct_declaration (declaration_list (field_declaration) @at))",
        _initializes,
    ),
    _feature(
        10,
        "struct field initializers",
        "(struct_declaration (declaration_list (property_declaration) @at))",
        _initializes_property,
    ),
    _feature(
        10,
        "parameterless struct constructors",
        "(struct_declaration (declaration_list (constructor_declaration) @at))",
        _takes_nothing,
    ),
    _feature(
        10,
        "inferred delegate type",
        "(local_declaration_statement (variable_declaration type: (implicit_type)"
        " (variable_declarator [(lambda_expression) (anonymous_method_expression)] @at)))",
    ),
    _feature(11, "raw string literals", "(raw_string_literal) @at"),
    _feature(
        11,
        "raw string literals",
        "(interpolated_string_expression (interpolation_start) . (interpolation_quote) @at)",
        lambda quote: (quote.text or b"").startswith(b'"""'),
    ),
    _feature(11, "UTF-8 string literals", "(string_literal (string_literal_encoding)) @at"),
    _feature(11, "list pattern", "(list_pattern) @at"),
    _feature(
        11,
        "required members",
        "([(field_declaration (modifier) @at) (property_declaration (modifier) @at)])",
        reads(b"required"),
    ),
    _feature(11, "file types", "(modifier) @at", reads(b"file")),
    _feature(11, "generic attributes", "(attribute name: (generic_name)) @at"),
    _feature(11, "static abstract members in interfaces", "(modifier) @at", _is_abstract_static),
    _feature(
        11,
        "static abstract members in interfaces",
        "[(operator_declaration (explicit_interface_specifier) @at)"
        " (conversion_operator_declaration (explicit_interface_specifier) @at)]",
    ),
    _feature(
        11,
        "checked operators",
        '[(operator_declaration "checked") (conversion_operator_declaration "checked")] @at',
    ),
    _feature(11, "scoped parameters", "(parameter (modifier) @at)", reads(b"scoped")),
    _feature(11, "unsigned right shift", '([">>>" ">>>="]) @at'),
    _feature(11, "ref fields", "(field_declaration (variable_declaration (ref_type) @at))"),
    _feature(11, "newlines in interpolations", "(interpolation) @at", _breaks_line),
    _feature(12, "collection expressions", "(collection_expression) @at", _is_collection),
    _feature(
        12,
        "primary constructors",
        "[(class_declaration (parameter_list) @at) (struct_declaration (parameter_list) @at)]",
    ),
    _feature(
        12,
        "types without a body",
        "([(class_declaration !body) (struct_declaration !body) (interface_declaration !body)"
        " (enum_declaration !body)]) @at",
    ),
    _feature(12, "using alias of any type", "(using_directive) @at", _names_no_type_by_name),
    _feature(12, "ref readonly parameters", "(parameter (modifier) @at)", reads(b"readonly")),
    _feature(12, "using unsafe", '(using_directive "unsafe") @at'),
    _feature(
        12,
        "default values of lambda parameters",
        "(lambda_expression (parameter_list (parameter) @at))",
        _has_default_value,
    ),
    _feature(13, "escape \\e", "(escape_sequence) @at", reads(rb"\e")),
    _feature(
        13,
        "partial properties",
        "([(property_declaration (modifier) @at) (indexer_declaration (modifier) @at)])",
        reads(b"partial"),
    ),
)
"""Syntax that a version of C#, its ``until``, introduced."""
