"""Syntax that is newer than a project's C#, told by the kind of tree node: a table.

Implements docs/design/roslyn.md §1.5. The base is C# 9, which every supported Unity compiles; what
came up to then is not looked for.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple
from weakref import WeakKeyDictionary

from tree_sitter import Node

from snippet_engine.csharp.analysis import Analysis
from snippet_engine.csharp.lexical.language_version import LanguageVersion
from snippet_engine.source_text import SourceText
from snippet_engine.validation.embedded.checks.tree_patterns import (
    NewFind,
    PatternTable,
    TreePattern,
    reads,
)
from snippet_engine.validation.validator import Diagnostic


def _is_abstract_static(modifier: Node) -> bool:
    """Whether a ``static`` stands with ``abstract`` or ``virtual`` over an interface's member."""
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
    """Whether a using alias stands for something else than a named type."""
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
    """Whether brackets are no index: ``(a)[0]`` is misread as a cast."""
    cast = collection.parent
    while cast is not None and cast.start_byte == collection.start_byte:
        cast = cast.parent  # `(a)[0].b` is a cast of `[0].b`, then
    type_ = cast.child_by_field_name("type") if cast and cast.type == "cast_expression" else None
    return type_ is None or type_.type not in {"identifier", "qualified_name"}


def _is_mixed(deconstruction: Node) -> bool:
    """Whether a deconstruction both declares and assigns; discards are neither."""
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
    """Whether the code in an interpolation of a one-line string goes over the line's end."""
    text = interpolation.parent
    return (
        b"\n" in (interpolation.text or b"")
        and text is not None
        and not any(b"@" in (part.text or b"") for part in text.children[:1])
        and not (text.text or b"").lstrip(b"$").startswith(b'"""')
    )


def _is_of_instance(member: Node) -> bool:
    """Whether a member of a struct belongs to each of its values."""
    return not any(child.text in {b"const", b"static"} for child in member.named_children)


def _initializes(field: Node) -> bool:
    """Whether a field of a struct's values has an initializer."""
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


FEATURES: tuple[tuple[TreePattern, int], ...] = (
    (TreePattern("file-scoped namespace", "(file_scoped_namespace_declaration) @at"), 10),
    (TreePattern("global using directive", '(using_directive "global") @at'), 10),
    (TreePattern("record structs", '(record_declaration ["class" "struct"]) @at'), 10),
    (
        TreePattern(
            "extended property patterns",
            "(property_pattern_clause (subpattern (member_access_expression)) @at)",
        ),
        10,
    ),
    (
        TreePattern(
            "lambda attributes",
            "[(lambda_expression (attribute_list) @at)"
            " (lambda_expression (parameter_list (parameter (attribute_list) @at)))]",
        ),
        10,
    ),
    (TreePattern("lambda return type", "(lambda_expression type: (_) @at)"), 10),
    (
        TreePattern(
            "mixed declarations and expressions in deconstruction",
            "(assignment_expression left: (tuple_expression)) @at",
            _is_mixed,
        ),
        10,
    ),
    (
        TreePattern(
            "struct field initializers",
            "(struct_declaration (declaration_list (field_declaration) @at))",
            _initializes,
        ),
        10,
    ),
    (
        TreePattern(
            "struct field initializers",
            "(struct_declaration (declaration_list (property_declaration) @at))",
            _initializes_property,
        ),
        10,
    ),
    (
        TreePattern(
            "parameterless struct constructors",
            "(struct_declaration (declaration_list (constructor_declaration) @at))",
            _takes_nothing,
        ),
        10,
    ),
    (
        TreePattern(
            "inferred delegate type",
            "(local_declaration_statement (variable_declaration type: (implicit_type)"
            " (variable_declarator [(lambda_expression) (anonymous_method_expression)] @at)))",
        ),
        10,
    ),
    (TreePattern("raw string literals", "(raw_string_literal) @at"), 11),
    (
        TreePattern(
            "raw string literals",
            "(interpolated_string_expression (interpolation_start) . (interpolation_quote) @at)",
            lambda quote: (quote.text or b"").startswith(b'"""'),
        ),
        11,
    ),
    (TreePattern("UTF-8 string literals", "(string_literal (string_literal_encoding)) @at"), 11),
    (TreePattern("list pattern", "(list_pattern) @at"), 11),
    (
        TreePattern(
            "required members",
            "([(field_declaration (modifier) @at) (property_declaration (modifier) @at)])",
            reads(b"required"),
        ),
        11,
    ),
    (TreePattern("file types", "(modifier) @at", reads(b"file")), 11),
    (TreePattern("generic attributes", "(attribute name: (generic_name)) @at"), 11),
    (
        TreePattern("static abstract members in interfaces", "(modifier) @at", _is_abstract_static),
        11,
    ),
    (
        TreePattern(
            "static abstract members in interfaces",
            "[(operator_declaration (explicit_interface_specifier) @at)"
            " (conversion_operator_declaration (explicit_interface_specifier) @at)]",
        ),
        11,
    ),
    (
        TreePattern(
            "checked operators",
            '[(operator_declaration "checked") (conversion_operator_declaration "checked")] @at',
        ),
        11,
    ),
    (TreePattern("scoped parameters", "(parameter (modifier) @at)", reads(b"scoped")), 11),
    (TreePattern("unsigned right shift", '([">>>" ">>>="]) @at'), 11),
    (TreePattern("ref fields", "(field_declaration (variable_declaration (ref_type) @at))"), 11),
    (TreePattern("newlines in interpolations", "(interpolation) @at", _breaks_line), 11),
    (TreePattern("collection expressions", "(collection_expression) @at", _is_collection), 12),
    (
        TreePattern(
            "primary constructors",
            "[(class_declaration (parameter_list) @at) (struct_declaration (parameter_list) @at)]",
        ),
        12,
    ),
    (
        TreePattern(
            "types without a body",
            "([(class_declaration !body) (struct_declaration !body) (interface_declaration !body)"
            " (enum_declaration !body)]) @at",
        ),
        12,
    ),
    (
        TreePattern("using alias of any type", "(using_directive) @at", _names_no_type_by_name),
        12,
    ),
    (TreePattern("ref readonly parameters", "(parameter (modifier) @at)", reads(b"readonly")), 12),
    (TreePattern("using unsafe", '(using_directive "unsafe") @at'), 12),
    (
        TreePattern(
            "default values of lambda parameters",
            "(lambda_expression (parameter_list (parameter) @at))",
            _has_default_value,
        ),
        12,
    ),
    (TreePattern("escape \\e", "(escape_sequence) @at", reads(rb"\e")), 13),
    (
        TreePattern(
            "partial properties",
            "([(property_declaration (modifier) @at) (indexer_declaration (modifier) @at)])",
            reads(b"partial"),
        ),
        13,
    ),
)
"""What is looked for, and the version of C# that brought it."""

_TABLE = PatternTable([pattern for pattern, _ in FEATURES])
_SINCE = {pattern: LanguageVersion(since) for pattern, since in FEATURES}


class NewerSyntax(NamedTuple):
    """What an edit brings in that the language version lacks."""

    errors: list[Diagnostic]
    tolerated: list[str]
    """Features that the file used before the edit already, so that nothing is refused."""


def newer_syntax(
    before: Analysis, source: SourceText, finds: Iterable[NewFind], version: LanguageVersion
) -> NewerSyntax:
    """Syntax that ``version`` lacks among what is found now and was not before.

    ``source`` is the edited text; ``before`` is asked whether the file used it elsewhere.
    """
    errors: list[Diagnostic] = []
    tolerated: list[str] = []
    for pattern, start, _ in finds:
        since = _SINCE.get(pattern)
        if since is None or since <= version:
            continue
        if _is_used(pattern, before):
            tolerated.append(pattern.name)
        else:
            message = f"{pattern.name}: needs C# {since}, but this project compiles C# {version}"
            errors.append(Diagnostic(start, source.position(start), "CS8773", message))
    return NewerSyntax(errors, tolerated)


_used: WeakKeyDictionary[Analysis, frozenset[TreePattern]] = WeakKeyDictionary()
"""What of the table each text uses, as far as that was asked: it takes a walk over all its tree."""


def _is_used(pattern: TreePattern, before: Analysis) -> bool:
    found = _used.get(before)
    if found is None:
        finds = _TABLE.search(before.cured_tree, [(0, len(before.source.utf8))])
        found = _used[before] = frozenset(_TABLE.patterns[each.pattern] for each in finds)
    return pattern in found
