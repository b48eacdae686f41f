"""The fields whose values Unity keeps in scenes, prefabs and assets.

Part of docs/design/engine.md §2.7. Only those that are surely among them: fields of a type that
says it derives from one of Unity's objects or is ``[Serializable]``, and whatever bears
``[SerializeField]``, or as a property ``[field: SerializeField]``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tree_sitter import Node

from snippet_engine.csharp.declarations.base_types import base_names
from snippet_engine.csharp.declarations.declaration_header import SymbolKind
from snippet_engine.csharp.declarations.kept_types import DeclaredTypes, may_be_kept
from snippet_engine.csharp.declarations.lead import attributes_of, lead_of
from snippet_engine.csharp.declarations.symbols import Declaration, declarations
from snippet_engine.csharp.document import Document

UNITY_OBJECTS = frozenset(
    {
        "MonoBehaviour",
        "NetworkBehaviour",
        "ScriptableObject",
        "StateMachineBehaviour",
        "EditorWindow",
        "ScriptableWizard",
        "ScriptedImporter",
    }
)
"""Types of Unity that serialize their fields, and are found by the name of their script's file."""

_HINTS = ("Serializ", *sorted(UNITY_OBJECTS))
"""What any file has one of that declares such a field; most others needn't be read for it."""

_BEHIND = ">k__BackingField"
_ON_FIELD = re.compile(r"\[\s*field\s*:")

_NOT_KEPT = frozenset({"static", "const", "readonly"})
_WANTED = frozenset({"SerializeField", "SerializeReference"})
_FORMERLY = re.compile(r'FormerlySerializedAs\s*\(\s*"([^"]*)"')
_QUALIFIER = re.compile(r"(?:\w+\s*(?:\.|::)\s*)+|\s+")

_CAN_BE_KEPT = (SymbolKind.CLASS, SymbolKind.STRUCT, SymbolKind.ENUM)
_CANNOT_BE_KEPT = (SymbolKind.DELEGATE, SymbolKind.INTERFACE)


@dataclass(frozen=True, slots=True)
class SerializedField:
    """``owner`` is its type's symbol path; ``type`` has no namespaces; ``at`` is the UTF-8 offset
    of its name.

    ``name`` is what Unity keeps the value by: of a property, that of the field behind it.
    ``formerly`` are the names that it says it had.
    """

    owner: str
    name: str
    type: str
    at: int
    formerly: frozenset[str]

    @property
    def declared(self) -> str:
        """The name that stands in the script."""
        return self.name.removeprefix("<").removesuffix(_BEHIND)

    @property
    def is_behind_property(self) -> bool:
        """Whether it is the field that the compiler makes for a property."""
        return self.name.endswith(_BEHIND)


def may_be_serialized(document: Document) -> bool:
    """Whether a file has a word that every file has of which Unity serializes fields."""
    view = document.source.view
    return any(hint in view for hint in _HINTS)


def serialized_fields(document: Document) -> list[SerializedField]:
    """The fields of the file that Unity surely serializes, under the base symbol set."""
    if not may_be_serialized(document):
        return []
    found: list[SerializedField] = []
    declared = declarations(document)
    types = DeclaredTypes(
        kept={each.name for each in declared if each.kind in _CAN_BE_KEPT},
        left_out={each.name for each in declared if each.kind in _CANNOT_BE_KEPT},
    )
    for declaration in declared:
        if declaration.kind in (SymbolKind.CLASS, SymbolKind.STRUCT) and declaration.body:
            found += _of_type(document, declaration, types)
    return found


def _of_type(
    document: Document, declaration: Declaration, types: DeclaredTypes
) -> Iterator[SerializedField]:
    assert declaration.body is not None
    whole = not UNITY_OBJECTS.isdisjoint(base_names(document, declaration)) or any(
        name.removesuffix("Attribute").endswith("Serializable")
        for name in attributes_of(lead_of(document, declaration))
    )
    source, text = document.source, document.active_utf8()
    start = source.utf8_offset(declaration.body.start)
    # One before the body is its brace: of that node, the body's, the fields are the children.
    node = document.tree().root_node.descendant_for_byte_range(start - 1, start)
    body = node.parent if node is not None and node.type == "{" else None
    for member in body.children if body is not None else ():
        for name, type_name, at, formerly in _names(member, text, types, whole=whole):
            yield SerializedField(declaration.path, name, type_name, at, formerly)


def _names(
    member: Node, text: bytes, types: DeclaredTypes, *, whole: bool
) -> Iterator[tuple[str, str, int, frozenset[str]]]:
    """Name, type, UTF-8 offset and former names of each field of a member that is serialized."""
    is_property = member.type == "property_declaration"
    if not is_property and member.type != "field_declaration":
        return
    modifiers = {_text(each, text) for each in member.children if each.type == "modifier"}
    all_lists = [_text(each, text) for each in member.children if each.type == "attribute_list"]
    lists = " ".join(each for each in all_lists if not is_property or _ON_FIELD.match(each))
    attributes = {name.rpartition(".")[2] for name in attributes_of(lists)}
    attributes = {name.removesuffix("Attribute") for name in attributes}
    is_kept = _WANTED & attributes or (whole and "public" in modifiers and not is_property)
    if not is_kept or "NonSerialized" in attributes or not modifiers.isdisjoint(_NOT_KEPT):
        return
    formerly = frozenset(_FORMERLY.findall(lists))
    is_marked = "SerializeField" in attributes
    for type_name, name in _settable(member, text) if is_property else _declared(member, text):
        # A reference is kept whatever its type says: an interface's too.
        if "SerializeReference" in attributes or may_be_kept(type_name, types, is_marked=is_marked):
            shown = _text(name, text)
            kept_by = f"<{shown}{_BEHIND}" if is_property else shown
            yield kept_by, type_name, name.start_byte, formerly


def _declared(field: Node, text: bytes) -> Iterator[tuple[str, Node]]:
    """Type and name of each declarator of a field's declaration."""
    for variables in field.children:
        if variables.type == "variable_declaration":
            for each in variables.children:
                is_one = each.type == "variable_declarator"
                name = each.child_by_field_name("name") if is_one else None
                if name is not None:
                    yield _type_name(variables, text), name


def _settable(declared: Node, text: bytes) -> Iterator[tuple[str, Node]]:
    """Type and name of a property that has a field behind it, and one that isn't ``readonly``."""
    accessors = declared.child_by_field_name("accessors")
    name = declared.child_by_field_name("name")
    if accessors is None or name is None:
        return
    each = [one for one in accessors.children if one.type == "accessor_declaration"]
    has_bodies = any(one.child_by_field_name("body") is not None for one in each)
    if not has_bodies and any(part.type == "set" for one in each for part in one.children):
        yield _type_name(declared, text), name


def _type_name(declared: Node, text: bytes) -> str:
    """The type that a declaration says, without namespaces and white space."""
    kind = declared.child_by_field_name("type")
    return _QUALIFIER.sub("", _text(kind, text)) if kind is not None else ""


def _text(node: Node, text: bytes) -> str:
    return text[node.start_byte : node.end_byte].decode(errors="replace")
