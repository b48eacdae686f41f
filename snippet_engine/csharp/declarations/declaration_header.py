"""Read one declaration's header: its kind, its part of the canonical path, its bounds.

Part of docs/design/engine.md §1 "Symbol anchor"; :mod:`snippet_engine.csharp.declarations.symbols`
describes canonical paths. Offsets are UTF-8 offsets into the parsed text.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from tree_sitter import Node

from snippet_engine.csharp.declarations.signatures import parameter_types, without_passing

UNREADABLE = "…"
"""Replaces the parameters in a canonical path if broken code hides them."""


class SymbolKind(StrEnum):
    """The kind of a declaration: LSP's ``SymbolKind`` if it has the word, else C#'s own."""

    NAMESPACE = "namespace"
    CLASS = "class"
    STRUCT = "struct"
    INTERFACE = "interface"
    ENUM = "enum"
    RECORD = "record"
    RECORD_STRUCT = "recordStruct"
    DELEGATE = "delegate"
    METHOD = "method"
    CONSTRUCTOR = "constructor"
    DESTRUCTOR = "destructor"
    PROPERTY = "property"
    INDEXER = "indexer"
    EVENT = "event"
    FIELD = "field"
    CONSTANT = "constant"
    ENUM_MEMBER = "enumMember"
    OPERATOR = "operator"
    CONVERSION_OPERATOR = "conversionOperator"
    ACCESSOR = "accessor"
    LOCAL_FUNCTION = "localFunction"


KIND_OF_NODE = {
    "namespace_declaration": SymbolKind.NAMESPACE,
    "file_scoped_namespace_declaration": SymbolKind.NAMESPACE,
    "class_declaration": SymbolKind.CLASS,
    "struct_declaration": SymbolKind.STRUCT,
    "interface_declaration": SymbolKind.INTERFACE,
    "enum_declaration": SymbolKind.ENUM,
    "record_declaration": SymbolKind.RECORD,
    "delegate_declaration": SymbolKind.DELEGATE,
    "method_declaration": SymbolKind.METHOD,
    "local_function_statement": SymbolKind.LOCAL_FUNCTION,
    "constructor_declaration": SymbolKind.CONSTRUCTOR,
    "destructor_declaration": SymbolKind.DESTRUCTOR,
    "property_declaration": SymbolKind.PROPERTY,
    "indexer_declaration": SymbolKind.INDEXER,
    "event_declaration": SymbolKind.EVENT,
    "operator_declaration": SymbolKind.OPERATOR,
    "conversion_operator_declaration": SymbolKind.CONVERSION_OPERATOR,
    "enum_member_declaration": SymbolKind.ENUM_MEMBER,
    "accessor_declaration": SymbolKind.ACCESSOR,
    "field_declaration": SymbolKind.FIELD,
    "event_field_declaration": SymbolKind.EVENT,
}
"""Nodes that declare something; a closer look narrows some kinds."""

KIND_OF_KEYWORD = {
    "namespace": SymbolKind.NAMESPACE,
    "class": SymbolKind.CLASS,
    "struct": SymbolKind.STRUCT,
    "interface": SymbolKind.INTERFACE,
    "enum": SymbolKind.ENUM,
    "record": SymbolKind.RECORD,
}
SCOPE_KINDS = frozenset({*KIND_OF_KEYWORD.values(), SymbolKind.RECORD_STRUCT})
"""The kinds that contain members and types."""

TYPE_KINDS = (SCOPE_KINDS | {SymbolKind.DELEGATE}) - {SymbolKind.NAMESPACE}

_BODIES = {"block", "declaration_list", "enum_member_declaration_list", "accessor_list"}
_HEADER_ENDS = {*_BODIES, "arrow_expression_clause", ";", "="}
_PARTS = {
    "type_parameter_list": "type_parameters",
    "parameter_list": "parameters",
    "bracketed_parameter_list": "parameters",
    "explicit_interface_specifier": "interface",
    "variable_declaration": "variables",
}
"""The attribute of :class:`Header` for each node that has one."""


@dataclass(slots=True)
class Header:
    """The parts of a declaration before its body."""

    start: int
    """The start of the first modifier."""
    end: int
    """The end of the last token before the body, initializer or ``;``."""
    tokens: list[Node] = field(default_factory=list)
    type_parameters: Node | None = None
    parameters: Node | None = None
    interface: Node | None = None
    variables: Node | None = None
    body: Node | None = None

    def words(self, text: bytes) -> set[str]:
        """Return the modifiers and other keywords."""
        return {
            _text(token, text) if token.type == "modifier" else token.type
            for token in self.tokens
            if token.type == "modifier" or not token.is_named
        }


def read_header(node: Node) -> Header:
    """Return the header of a declaration node."""
    header = Header(node.start_byte, node.end_byte)
    first = last = None
    for child in node.children:
        child_type = child.type
        if child_type in _HEADER_ENDS:
            if child_type in _BODIES:
                header.body = child
            break
        if child_type == "comment" or (child_type == "attribute_list" and first is None):
            continue
        if first is None:
            first = child
        last = child
        part = _PARTS.get(child_type)
        if part is None:
            header.tokens.append(child)
        else:
            setattr(header, part, child)
    if first is not None and last is not None:
        header.start, header.end = first.start_byte, last.end_byte
    return header


class Spelling(NamedTuple):
    """A declaration's part of its path, its name (empty in broken code) and its kind."""

    path: str
    name: str
    kind: SymbolKind


def spell(node: Node, kind: SymbolKind, header: Header, text: bytes) -> Spelling:
    """Return how the declaration of ``node`` is written in a path."""
    if kind is SymbolKind.INDEXER:
        name = "this"
    elif kind is SymbolKind.OPERATOR:
        checked = "checked " if "checked" in header.words(text) else ""
        name = f"operator {checked}{_field(node, 'operator', text)}"
    elif kind is SymbolKind.CONVERSION_OPERATOR:
        words = header.words(text)
        how = "implicit" if "implicit" in words else "explicit"
        checked = "checked " if "checked" in words else ""
        target = parameter_types(_field(node, "type", text)) or (UNREADABLE,)
        name = f"{how} operator {checked}{target[0]}"
    else:
        name = spell_name(node.child_by_field_name("name"), text)
        if not name:
            return Spelling("", "", kind)
        if kind is SymbolKind.DESTRUCTOR:
            name = f"~{name}"
        elif kind is SymbolKind.CONSTRUCTOR and "static" in header.words(text):
            name = ".cctor"
        elif kind is SymbolKind.RECORD and "struct" in header.words(text):
            kind = SymbolKind.RECORD_STRUCT
    path = name + spell_type_parameters(header.type_parameters, text)
    if header.interface is not None:
        interface = parameter_types(_text(header.interface, text).rstrip(". \t\n"))
        path = f"{interface[0]}.{path}" if interface else path
    if header.parameters is not None and kind not in TYPE_KINDS:
        path += _spell_parameters(header.parameters, text)
    if kind is SymbolKind.NAMESPACE:
        name = name.rpartition(".")[2]
    return Spelling(path, name, kind)


def spell_name(node: Node | None, text: bytes) -> str:
    """Return a name without ``@`` and without blanks around its dots; empty without a node."""
    if node is None:
        return ""
    name = _text(node, text)
    if node.type == "identifier":
        return name.removeprefix("@")
    return (parameter_types(name) or ("",))[0]


def spell_type_parameters(node: Node | None, text: bytes) -> str:
    """Return ``<T,U>`` without attributes and variance; empty without a node."""
    if node is None:
        return ""
    names = parameter_types(_text(node, text).strip("<>"))
    return f"<{','.join(map(without_passing, names))}>" if names else ""


def _spell_parameters(node: Node, text: bytes) -> str:
    """Return ``(int,ref T)``, or an indexer's ``[int]``."""
    types = parameter_types(_text(node, text)[1:].removesuffix(")").removesuffix("]"))
    listed = UNREADABLE if types is None else ",".join(types)
    return f"[{listed}]" if node.type == "bracketed_parameter_list" else f"({listed})"


def _field(node: Node, name: str, text: bytes) -> str:
    child = node.child_by_field_name(name)
    return "" if child is None else _text(child, text)


def _text(node: Node, text: bytes) -> str:
    return text[node.start_byte : node.end_byte].decode(errors="replace")
