"""The fields whose values Unity keeps in scenes, prefabs and assets.

Part of docs/design/engine.md §2.7. Only those that are surely among them: fields of a type that
says it derives from one of Unity's objects or is ``[Serializable]``, and whatever bears
``[SerializeField]``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from snippet_engine.csharp.declarations.base_types import base_names
from snippet_engine.csharp.declarations.declaration_header import SymbolKind
from snippet_engine.csharp.declarations.kept_types import DeclaredTypes, may_be_kept
from snippet_engine.csharp.declarations.lead import attributes_of, lead_of
from snippet_engine.csharp.declarations.symbols import Declaration, declarations
from snippet_engine.csharp.document import Document
from snippet_engine.value_class import dataclass

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

    ``formerly`` are the names that it says it had.
    """

    owner: str
    name: str
    type: str
    at: int
    formerly: frozenset[str]


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
    for field in body.children if body is not None else ():
        if field.type == "field_declaration":
            for name, type_name, at, formerly in _names(field, text, types, whole=whole):
                yield SerializedField(declaration.path, name, type_name, at, formerly)


def _names(
    field: Node, text: bytes, types: DeclaredTypes, *, whole: bool
) -> Iterator[tuple[str, str, int, frozenset[str]]]:
    """Name, type, UTF-8 offset and former names of each declarator that is serialized."""
    modifiers = {_text(each, text) for each in field.children if each.type == "modifier"}
    lists = " ".join(_text(each, text) for each in field.children if each.type == "attribute_list")
    attributes = {name.rpartition(".")[2] for name in attributes_of(lists)}
    attributes = {name.removesuffix("Attribute") for name in attributes}
    is_kept = _WANTED & attributes or (whole and "public" in modifiers)
    if not is_kept or "NonSerialized" in attributes or not modifiers.isdisjoint(_NOT_KEPT):
        return
    formerly = frozenset(_FORMERLY.findall(lists))
    for variables in field.children:
        if variables.type != "variable_declaration":
            continue
        kind = variables.child_by_field_name("type")
        type_name = _QUALIFIER.sub("", _text(kind, text)) if kind is not None else ""
        # A reference is kept whatever its type says: an interface's too.
        is_marked = "SerializeField" in attributes
        if "SerializeReference" not in attributes and not may_be_kept(
            type_name, types, is_marked=is_marked
        ):
            continue
        for each in variables.children:
            name = each.child_by_field_name("name") if each.type == "variable_declarator" else None
            if name is not None:
                yield _text(name, text), type_name, name.start_byte, formerly


def _text(node: Node, text: bytes) -> str:
    return text[node.start_byte : node.end_byte].decode(errors="replace")
