"""Single edits of real scripts, drawn from a seed: those that break something, and some that don't.

Each kind is a place in the syntax tree and what is put there. What an edit comes to is the
compiler's to say; here it is only made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random

import tree_sitter_c_sharp
from tree_sitter import Language, Node, Parser

_PARSER = Parser(Language(tree_sitter_c_sharp.language()))

_DECLARATIONS = frozenset(
    {
        "class_declaration",
        "struct_declaration",
        "interface_declaration",
        "enum_declaration",
        "delegate_declaration",
        "method_declaration",
        "property_declaration",
        "enum_member_declaration",
        "event_declaration",
    }
)
_MEMBERS = frozenset(
    {
        "method_declaration",
        "property_declaration",
        "field_declaration",
        "constructor_declaration",
        "indexer_declaration",
        "operator_declaration",
        "conversion_operator_declaration",
        "event_field_declaration",
        "enum_member_declaration",
    }
)
_OTHER_TYPES = {b"int": b"string", b"string": b"int", b"bool": b"object", b"void": b"int"}
_OTHER_MODIFIERS = {
    b"public": b"private",
    b"internal": b"private",
    b"protected": b"private",
    b"private": b"public",
    b"static": b"",
    b"override": b"virtual",
    b"virtual": b"",
    b"abstract": b"",
    b"readonly": b"",
    b"sealed": b"static",
    b"partial": b"",
    b"async": b"",
    b"this": b"",
}


@dataclass(frozen=True, slots=True)
class Edit:
    """Bytes ``start`` to ``end`` of the script at a project-relative path become ``new``."""

    kind: str
    path: str
    start: int
    end: int
    new: bytes

    def applied(self, content: bytes) -> bytes:
        """Return the script's content after it."""
        return content[: self.start] + self.new + content[self.end :]


Replacements = Iterator[tuple[Node, bytes]]
"""Nodes, and what is put in their places."""

Kinds = Mapping[str, Callable[[Mapping[str, Sequence[Node]]], Replacements]]
"""Kinds of edits by what they are called: of a text's nodes, by their types, what is replaced."""


def _uses(nodes: Mapping[str, Sequence[Node]]) -> Replacements:
    for node in nodes.get("identifier", ()):
        if node.parent is not None and node.parent.type not in _DECLARATIONS:
            yield node, b"zq" + _text(node)


def _names(nodes: Mapping[str, Sequence[Node]]) -> Replacements:
    for kind in sorted(_DECLARATIONS):
        for node in nodes.get(kind, ()):
            name = node.child_by_field_name("name")
            if name is not None:
                yield name, b"Zq" + _text(name)


def _types(nodes: Mapping[str, Sequence[Node]]) -> Replacements:
    for node in nodes.get("predefined_type", ()):
        yield node, _OTHER_TYPES.get(_text(node), b"System.Guid")


def _arguments(nodes: Mapping[str, Sequence[Node]]) -> Replacements:
    for node in nodes.get("argument", ()):
        yield node, _text(node) + b", " + _text(node)


def _parameters(nodes: Mapping[str, Sequence[Node]]) -> Replacements:
    for node in nodes.get("parameter", ()):
        yield node, _text(node) + b", int zqMore"


def _modifiers(nodes: Mapping[str, Sequence[Node]]) -> Replacements:
    for node in nodes.get("modifier", ()):
        if _text(node) in _OTHER_MODIFIERS:
            yield node, _OTHER_MODIFIERS[_text(node)]


def _usings(nodes: Mapping[str, Sequence[Node]]) -> Replacements:
    for node in nodes.get("using_directive", ()):
        yield node, b""


def _members(nodes: Mapping[str, Sequence[Node]]) -> Replacements:
    for kind in sorted(_MEMBERS):
        for node in nodes.get(kind, ()):
            yield node, b""


def _conditions(nodes: Mapping[str, Sequence[Node]]) -> Replacements:
    for kind in ("preproc_if", "preproc_elif"):
        for node in nodes.get(kind, ()):
            condition = node.child_by_field_name("condition")
            if condition is not None:
                yield condition, b"!(" + _text(condition) + b")"


def _bases(nodes: Mapping[str, Sequence[Node]]) -> Replacements:
    for node in nodes.get("base_list", ()):
        yield node, b""


def _constraints(nodes: Mapping[str, Sequence[Node]]) -> Replacements:
    for node in nodes.get("type_parameter_constraints_clause", ()):
        yield node, b""


def _attributes(nodes: Mapping[str, Sequence[Node]]) -> Replacements:
    for node in nodes.get("attribute_list", ()):
        yield node, b""


def _returns(nodes: Mapping[str, Sequence[Node]]) -> Replacements:
    for node in nodes.get("return_statement", ()):
        yield node, b"{ ; }"


def _statements(nodes: Mapping[str, Sequence[Node]]) -> Replacements:
    for node in nodes.get("expression_statement", ()):
        yield node, b"{ } " + _text(node)


def _semicolons(nodes: Mapping[str, Sequence[Node]]) -> Replacements:
    for node in nodes.get(";", ()):
        yield node, b""


def _namespaces(nodes: Mapping[str, Sequence[Node]]) -> Replacements:
    for node in nodes.get("namespace_declaration", ()):
        name = node.child_by_field_name("name")
        if name is not None:
            yield name, _text(name) + b".Zq"


def _comments(nodes: Mapping[str, Sequence[Node]]) -> Replacements:
    for node in nodes.get("block", ()):
        yield node, b"{ /* looked at */" + _text(node)[1:]


KINDS: Kinds = {
    "use renamed": _uses,
    "declaration renamed": _names,
    "other type": _types,
    "argument twice": _arguments,
    "parameter more": _parameters,
    "other modifier": _modifiers,
    "using removed": _usings,
    "member removed": _members,
    "#if turned round": _conditions,
    "base removed": _bases,
    "constraint removed": _constraints,
    "attribute removed": _attributes,
    "return removed": _returns,
    "body changed": _statements,
    "semicolon removed": _semicolons,
    "namespace renamed": _namespaces,
    "comment added": _comments,
}


def edits(root: Path, sources: Sequence[str], seed: int, kinds: Kinds = KINDS) -> Iterator[Edit]:
    """Yield edits without end, each of the scripts as they are on disk then."""
    random = Random(seed)
    while True:
        kind = random.choice(list(kinds))
        # Not every script has a place for every kind.
        for _ in range(50):
            path = random.choice(sources)
            content = (root / path).read_bytes()
            places = list(kinds[kind](_nodes(content)))
            if places:
                node, new = random.choice(places)
                if node.text != new:
                    yield Edit(kind, path, node.start_byte, node.end_byte, new)
                break


def body_edit(content: bytes, number: int) -> bytes | None:
    """Return the script with another statement in one of its bodies; ``None`` if it has none."""
    blocks = _nodes(content).get("expression_statement", ())
    if not blocks:
        return None
    at = blocks[number % len(blocks)].start_byte
    return Edit("", "", at, at, b"{ var zq%d = %d; }" % (number, number)).applied(content)


def declaration_edit(content: bytes, number: int) -> bytes | None:
    """Return the script with a method's name changed; ``None`` if it has no method."""
    methods = _nodes(content).get("method_declaration", ())
    if not methods:
        return None
    name = methods[number % len(methods)].child_by_field_name("name")
    assert name is not None
    return Edit("", "", name.end_byte, name.end_byte, b"Zq%d" % number).applied(content)


@cache
def _nodes(content: bytes) -> Mapping[str, Sequence[Node]]:
    """Return the nodes of a text by type, in text order."""
    found: dict[str, list[Node]] = {}
    left = [_PARSER.parse(content).root_node]
    while left:
        node = left.pop()
        found.setdefault(node.type, []).append(node)
        left += reversed(node.children)
    return found


def _text(node: Node) -> bytes:
    assert node.text is not None
    return node.text
