"""Conditions of the checks of members: what a query alone can't decide.

Part of docs/design/roslyn.md §1.4. Each takes the node that its pattern captured; the parameter
names its kind. Each returns whether C# refuses the node, whatever the project references. Names are
compared only if C# looks for them in the same file.
"""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from snippet_engine.csharp.tree.grammar import TYPES
from snippet_engine.csharp.tree.syntax_tree import ancestors, owner_of

_MAX_MODIFIERS = 64
_ACCESS = frozenset((b"public", b"protected", b"internal", b"private"))
_ACCESS_PAIRS = (
    frozenset((b"protected", b"internal")),
    frozenset((b"private", b"protected")),
)
_OVERRIDABLE = frozenset((b"virtual", b"abstract", b"override"))
_WITH_BODIES = frozenset(("class_declaration", "struct_declaration", "record_declaration"))
_BODYLESS = frozenset((b"abstract", b"extern", b"partial"))
_NEVER_ON = {
    "constructor_declaration": frozenset(
        (b"abstract", b"async", b"new", b"override", b"readonly", b"sealed", b"virtual")
    ),
    "field_declaration": frozenset((b"async", b"override", b"sealed", b"virtual")),
    "property_declaration": frozenset((b"async", b"volatile")),
    "indexer_declaration": frozenset((b"async", b"static", b"volatile")),
    "event_field_declaration": frozenset((b"async", b"volatile")),
    "class_declaration": frozenset((b"async", b"override", b"virtual", b"volatile")),
    "struct_declaration": frozenset((b"abstract", b"async", b"sealed", b"static", b"virtual")),
    "interface_declaration": frozenset((b"abstract", b"async", b"sealed", b"static", b"virtual")),
    "enum_declaration": frozenset((b"abstract", b"async", b"sealed", b"static", b"virtual")),
    "delegate_declaration": frozenset((b"abstract", b"async", b"sealed", b"static", b"virtual")),
    "method_declaration": frozenset((b"volatile",)),
}
"""Modifiers that C# allows on none of these declarations."""
_RENAMED = frozenset(
    word + end
    for word in (b"and", b"async", b"await", b"field", b"or", b"partial", b"required", b"with")
    for end in (b"", b"_")
) | {b"extension"}
"""Names that a cure may have changed, and a word that later versions know here."""
_MAYBE_TYPES = frozenset((b"async", b"file", b"partial", b"required", b"scoped"))
"""Modifiers that can be the name of a return type."""
_MAX_MEMBERS = 500
MEMBERS = frozenset(
    (
        "constructor_declaration",
        "event_declaration",
        "method_declaration",
        "operator_declaration",
        "property_declaration",
    )
)
"""Members that have a ``this`` unless they are static; of fields only the initializers count."""
_NAMED_THIS = frozenset(("constructor_initializer", "indexer_declaration", "modifier", "parameter"))
"""Places where ``this`` isn't a value."""
_STATIC = frozenset((b"static", b"const"))


def modifiers(declaration: Node) -> list[bytes]:
    """Return the modifiers of a declaration; none if there are too many to be real."""
    if declaration.child_count > _MAX_MODIFIERS:
        return []
    return [each.text or b"" for each in declaration.children if each.type == "modifier"]


def is_doubled(modifier: Node) -> bool:
    """Return whether the same modifier comes earlier in the declaration."""
    owner = modifier.parent
    if owner is None or owner.child_count > _MAX_MODIFIERS:
        return False
    return any(
        each.type == "modifier"
        and each.text == modifier.text
        and each.end_byte <= modifier.start_byte
        for each in owner.children
    )


def has_other_access(modifier: Node) -> bool:
    """Return whether an access modifier follows another that it can't be combined with."""
    owner = modifier.parent
    if modifier.text not in _ACCESS or owner is None:
        return False
    all_access = [each for each in modifiers(owner) if each in _ACCESS]
    distinct = frozenset(all_access)
    return len(distinct) > 1 and distinct not in _ACCESS_PAIRS and all_access[0] != modifier.text


def is_never_valid(modifier: Node) -> bool:
    """Return whether no declaration of that kind can have such a modifier."""
    owner = modifier.parent
    return owner is not None and modifier.text in _NEVER_ON.get(owner.type, ())


def is_private(modifier: Node) -> bool:
    """Return whether a virtual, abstract or overriding member of a class is private."""
    owner = modifier.parent
    type_ = type_around(owner)
    if modifier.text not in _OVERRIDABLE or owner is None:
        return False
    if type_ is None or type_.type not in {"class_declaration", "record_declaration"}:
        return False
    if any(child.type == "explicit_interface_specifier" for child in owner.children):
        return False
    access = [each for each in modifiers(owner) if each in _ACCESS]
    return access in ([], [b"private"])


def is_named_otherwise(name: Node) -> bool:
    """Return whether the name of an apparent constructor isn't that of its type."""
    constructor = name.parent
    type_ = type_around(constructor)
    if constructor is None or type_ is None or name.text in _RENAMED:
        return False
    if not _MAYBE_TYPES.isdisjoint(modifiers(constructor)):
        return False
    own = type_.child_by_field_name("name")
    if own is None or own.text in _RENAMED or b"\\" in (own.text or b"") + (name.text or b""):
        return False
    return (own.text or b"").lstrip(b"@") != (name.text or b"").lstrip(b"@")


def lacks_body(member: Node) -> bool:
    """Return whether a method or constructor of a class or struct wrongly ends in ``;``."""
    type_ = type_around(member)
    if type_ is None or type_.type not in _WITH_BODIES or _has_body(member):
        return False
    return _BODYLESS.isdisjoint(modifiers(member))


def is_local_without_body(function: Node) -> bool:
    """Return whether a local function ends in ``;`` and isn't ``extern``."""
    return not _has_body(function) and b"extern" not in modifiers(function)


def _has_body(member: Node) -> bool:
    return any(child.type in {"block", "arrow_expression_clause"} for child in member.children)


def has_no_accessor(accessors: Node) -> bool:
    """Whether the braces after a property's name have neither ``get`` nor ``set`` in them."""
    return not accessors.named_children or all(
        child.type == "comment" for child in accessors.named_children
    )


def is_no_lambdas(type_: Node) -> bool:
    """Return whether ``var`` is the type of a member, or of a parameter that isn't a lambda's."""
    if type_.parent is not None and type_.parent.type != "parameter":
        return True
    owner = owner_of(type_, 3)
    return owner is not None and owner.type in {
        "constructor_declaration",
        "delegate_declaration",
        "indexer_declaration",
        "local_function_statement",
        "method_declaration",
        "operator_declaration",
    }


def is_of_instance(member: Node) -> bool:
    """Return whether a member of a static class is not static itself."""
    type_ = type_around(member)
    return (
        type_ is not None
        and type_.type == "class_declaration"
        and b"static" in modifiers(type_)
        and _STATIC.isdisjoint(modifiers(member))
    )


def is_instance_member(member: Node) -> bool:
    """Whether a field or constructor isn't static, as it would have to be in an interface."""
    return _STATIC.isdisjoint(modifiers(member))


def extends_without_static(modifier: Node) -> bool:
    """Return whether ``this`` marks an extension method that is not static."""
    method = owner_of(modifier, 3)
    return (
        modifier.text == b"this"
        and method is not None
        and method.type == "method_declaration"
        and b"static" not in modifiers(method)
    )


def _aliases(scope: Node) -> Iterator[bytes]:
    """Yield the aliases that a file or namespace declares, at its start."""
    if scope.type not in {"compilation_unit", "declaration_list"}:
        return
    for child in scope.named_children:
        if child.type == "using_directive":
            name = child.child_by_field_name("name")
            if name is not None:
                yield (name.text or b"").lstrip(b"@")
        elif child.type == "extern_alias_directive":
            yield from ((each.text or b"") for each in child.named_children)
        elif child.type not in {"comment", "file_scoped_namespace_declaration"}:
            return


def is_outside_of_unsafe(node: Node) -> bool:
    """Return whether nothing around a node is ``unsafe``; misread casts count as safe."""
    owner = node.parent
    while owner is not None and owner.start_byte == node.start_byte:
        owner = owner.parent  # of (a) * b.c the grammar makes a cast of (*b).c
    if owner is None or owner.type == "cast_expression":
        return False
    scopes = list(ancestors(node))
    if not scopes or scopes[-1].type != "compilation_unit":
        return False
    return not any(
        scope.type == "unsafe_statement"
        or (scope.type.endswith(("_declaration", "_function_statement")) and _is_unsafe(scope))
        for scope in scopes
    )


def _is_unsafe(scope: Node) -> bool:
    return b"unsafe" in modifiers(scope) or scope.child_count > _MAX_MODIFIERS


def is_no_array(braces: Node) -> bool:
    """Return whether braces are the value of a variable whose type can't be an array.

    A name can be an alias of an array type.
    """
    declaration = owner_of(braces, 2)
    type_ = declaration.child_by_field_name("type") if declaration is not None else None
    if type_ is None:
        return False
    if type_.type != "identifier":
        return type_.type in {"generic_name", "implicit_type", "nullable_type", "predefined_type"}
    scopes = list(ancestors(braces))
    if not scopes or scopes[-1].type != "compilation_unit":
        return False
    return not any((type_.text or b"") in _aliases(scope) for scope in scopes)


def type_around(member: Node | None) -> Node | None:
    """Return the type whose body contains a member."""
    body = member.parent if member is not None else None
    type_ = body.parent if body is not None and body.type == "declaration_list" else None
    return type_ if type_ is not None and type_.type in TYPES else None


def is_of_static(part: Node) -> bool:
    """Return whether a part of a class's header belongs to a static class."""
    return part.parent is not None and b"static" in modifiers(part.parent)


def has_extension_methods(parameters: Node) -> bool:
    """Return whether a generic class has extension methods, as far as its first members show."""
    return parameters.parent is not None and _extends(parameters.parent)


def is_not_static_but_extends(name: Node) -> bool:
    """Return whether a non-static, non-partial class has extension methods."""
    class_ = name.parent
    if class_ is None or class_.child_count > _MAX_MODIFIERS:
        return False
    return {b"static", b"partial"}.isdisjoint(modifiers(class_)) and _extends(class_)


def _extends(class_: Node) -> bool:
    body = class_.child_by_field_name("body")
    cursor = body.walk() if body is not None else None
    if cursor is None or not cursor.goto_first_child():
        return False
    for _ in range(_MAX_MEMBERS):
        member = cursor.node
        if member is not None and member.type == "method_declaration":
            listed = member.child_by_field_name("parameters")
            first = listed.named_children[:1] if listed is not None else []
            if any(b"this" in modifiers(each) for each in first):
                return True
        if not cursor.goto_next_sibling():
            break
    return False


def is_of_no_static_constructor(modifier: Node) -> bool:
    """Return whether a ``static`` constructor has parameters, or an access modifier."""
    constructor = modifier.parent
    if modifier.text != b"static" or constructor is None:
        return False
    listed = constructor.child_by_field_name("parameters")
    return not _ACCESS.isdisjoint(modifiers(constructor)) or (
        listed is not None and bool(listed.named_children)
    )


def is_static_override(modifier: Node) -> bool:
    """Return whether a static member of a class is ``override``, ``virtual`` or ``abstract``."""
    owner = modifier.parent
    type_ = type_around(owner)
    return (
        modifier.text in _OVERRIDABLE
        and owner is not None
        and b"static" in modifiers(owner)
        and type_ is not None
        and type_.type != "interface_declaration"
    )


def is_second(accessor: Node) -> bool:
    """Return whether an earlier accessor has the same name."""
    accessors = accessor.parent
    name = accessor.child_by_field_name("name")
    if accessors is None or name is None or accessors.child_count > _MAX_MODIFIERS:
        return False
    names = [
        (each.start_byte, own.text)
        for each in accessors.named_children
        if (own := each.child_by_field_name("name")) is not None
    ]
    return any(start < accessor.start_byte and text == name.text for start, text in names)


def is_partial_in_whole(modifier: Node) -> bool:
    """Return whether a partial method is in a type that isn't partial."""
    type_ = type_around(modifier.parent)
    return (
        modifier.text == b"partial"
        and type_ is not None
        and b"partial" not in modifiers(type_)
        and type_.child_count <= _MAX_MODIFIERS
    )


def is_in_static(this: Node) -> bool:
    """Return whether the value ``this`` is inside a static member of a type. Fields don't count."""
    if this.parent is None or this.parent.type in _NAMED_THIS:
        return False
    for scope in ancestors(this):
        if scope.type in MEMBERS:
            return b"static" in modifiers(scope)
        if scope.type in TYPES or scope.type == "ERROR":
            return False
    return False
