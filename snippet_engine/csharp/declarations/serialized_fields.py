"""Find the fields whose values Unity keeps in scenes, prefabs and assets.

Part of docs/design/engine.md §2.7. A field counts if its type visibly derives from a Unity type or
is ``[Serializable]``. If a base or another part of the type may decide that, only fields marked
``[SerializeField]`` and properties marked ``[field: SerializeField]`` count.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from enum import IntEnum

from tree_sitter import Node

from snippet_engine.csharp.declarations.declaration_header import SymbolKind
from snippet_engine.csharp.declarations.parts import (
    attributes_of,
    base_names,
    lead_of,
    modifiers_of,
)
from snippet_engine.csharp.declarations.signatures import PREDEFINED
from snippet_engine.csharp.declarations.symbols import Declaration, declarations
from snippet_engine.csharp.document import Document

_LEFT_OUT = frozenset(
    {
        *("Action", "AsyncCallback", "Comparison", "Delegate", "EventHandler", "Func"),
        *("MulticastDelegate", "Predicate", "UnityAction"),
        *("object", "dynamic", "decimal", "nint", "nuint"),
        *("DateTime", "DateTimeOffset", "Decimal", "Guid", "TimeSpan", "Type", "Uri"),
        *("Task", "ValueTask", "UniTask", "Awaitable", "Coroutine", "Thread"),
        *("CancellationToken", "CancellationTokenSource", "StringBuilder", "Regex"),
        *("ArrayList", "Hashtable", "Queue", "Stack", "Random", "Stopwatch"),
    }
)
"""Types without type arguments, and delegates, that Unity never keeps."""

_GENERIC_LEFT_OUT = frozenset(
    {
        *("Action", "Comparison", "Converter", "EventHandler", "Func", "Predicate", "UnityAction"),
        *("Dictionary", "HashSet", "LinkedList", "List", "Queue", "Stack"),
        *("SortedDictionary", "SortedList", "SortedSet", "ConcurrentDictionary", "ConcurrentQueue"),
        *("KeyValuePair", "Lazy", "Nullable", "Tuple", "ValueTuple", "WeakReference"),
        *("NativeArray", "NativeList", "Memory", "ReadOnlyMemory", "ReadOnlySpan", "Span"),
        *("Task", "UniTask", "ValueTask", "Awaitable"),
    }
)
"""Generic types that Unity never keeps; lists of kept types are handled before."""

_PLAIN = re.compile(r"\w+")
_LIST = re.compile(r"List<(\w+)>")
_GENERIC = re.compile(r"(\w+)<[\w,<>\[\]]+>")
_GENERIC_KEPT = re.compile(r"(?:UnityEvent|LazyLoadReference|AssetReferenceT)<[\w,<>\[\]]+>")
_INTERFACE = re.compile(r"I[A-Z]\w*[a-z]\w*")


@dataclass(frozen=True, slots=True)
class DeclaredTypes:
    """Names of the types that a file declares: those that can be serialized, and others."""

    kept: Collection[str] = ()
    left_out: Collection[str] = ()


def may_be_kept(type_name: str, declared: DeclaredTypes, *, is_marked: bool) -> bool:
    """Whether Unity may serialize a field of ``type_name``, given without namespaces or spaces.

    An unknown plain name may be kept, unless it is spelled like an interface. An unknown generic
    type may be kept if the field ``is_marked`` for it.
    """
    if _GENERIC_KEPT.fullmatch(type_name):
        return True
    within = _LIST.fullmatch(type_name)
    element = within[1] if within else type_name.removesuffix("[]")
    generic = _GENERIC.fullmatch(element)
    name = generic[1] if generic else element
    if name in declared.kept:
        return generic is None or is_marked
    if generic is not None:
        return is_marked and name not in _GENERIC_LEFT_OUT and name not in declared.left_out
    if not _PLAIN.fullmatch(name) or name in _LEFT_OUT or name in declared.left_out:
        return False
    return is_marked or not is_like_an_interface(name)


def is_like_an_interface(name: str) -> bool:
    """Return whether a type's name looks like an interface's. A class may have it, too."""
    return _INTERFACE.fullmatch(name) is not None


_BITS = {
    **{"sbyte": (7, 7), "short": (15, 15), "int": (31, 31), "long": (63, 63)},
    **{"byte": (0, 8), "ushort": (0, 16), "uint": (0, 32), "ulong": (0, 64)},
}
"""For each integer type: how many bits its negative and its positive values have."""


def keeps_value(old: str, new: str) -> bool:
    """Return whether Unity reads a stored value of the type ``old`` as ``new``, unchanged.

    Unity stores a list like an array, and an integer as decimal digits.
    """
    was, becomes = as_kept(old), as_kept(new)
    if was == becomes:
        return True
    if was.endswith("[]") != becomes.endswith("[]"):
        return False
    bits, room = (_BITS.get(each.removesuffix("[]")) for each in (was, becomes))
    return bits is not None and room is not None and bits[0] <= room[0] and bits[1] <= room[1]


def as_kept(type_name: str) -> str:
    """Return ``type_name`` with C# keywords, and a list as an array."""
    within = _LIST.fullmatch(type_name)
    element = within[1] if within else type_name.removesuffix("[]")
    is_many = element != type_name
    if element != "Object":  # It is Unity's.
        element = PREDEFINED.get(element, element)
    return element + ("[]" if is_many else "")


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
"""Unity types that serialize their fields. Unity finds them by their script's file name."""

_HINTS = ("Serializ", *sorted(UNITY_OBJECTS))
"""A file with such a field has at least one of these words; others needn't be parsed."""

_BEHIND = ">k__BackingField"
_ON_FIELD = re.compile(r"\[\s*field\s*:")

_NOT_KEPT = frozenset({"static", "const", "readonly"})
_WANTED = frozenset({"SerializeField", "SerializeReference"})
_FORMERLY = re.compile(r'FormerlySerializedAs\s*\(\s*"([^"]*)"')
_QUALIFIER = re.compile(r"(?:\w+\s*(?:\.|::)\s*)+|\s+")

_WITH_FIELDS = (SymbolKind.CLASS, SymbolKind.STRUCT)
_CANNOT_BE_KEPT = (SymbolKind.DELEGATE, SymbolKind.INTERFACE)


class _Holds(IntEnum):
    """Which fields of a type Unity keeps; a larger value keeps more."""

    NONE = 0
    MARKED = 1
    ALL = 2


@dataclass(frozen=True, slots=True)
class DeclaredField:
    """A field, or a property with a backing field."""

    owner: str
    """The symbol path of its type."""
    name: str
    """The name under which Unity stores the value; for a property, that of the backing field."""
    type: str
    """Without namespaces."""
    at: int
    """The UTF-8 offset of its name."""
    formerly: frozenset[str]
    """The earlier names that it declares."""
    is_kept: bool
    """Whether Unity surely keeps its value."""

    @property
    def declared(self) -> str:
        """Return the name of the field or property in the script."""
        return self.name.removeprefix("<").removesuffix(_BEHIND)

    @property
    def is_behind_property(self) -> bool:
        """Return whether it is a property's backing field."""
        return self.name.endswith(_BEHIND)


def may_be_serialized(document: Document) -> bool:
    """Return whether a file has a word that every file with serialized fields has."""
    view = document.source.view
    return any(hint in view for hint in _HINTS)


def serialized_fields(document: Document) -> list[DeclaredField]:
    """Return the fields of the file that Unity surely serializes, under the base symbol set."""
    return [each for each in declared_fields(document) if each.is_kept]


def declared_fields(document: Document, derived: Collection[str] = ()) -> list[DeclaredField]:
    """Return the fields of the file under the base symbol set; none if Unity surely keeps none.

    ``derived`` are the symbol paths of classes that are known to derive from a Unity type.
    """
    if not derived and not may_be_serialized(document):
        return []
    found: list[DeclaredField] = []
    declared = declarations(document)
    holds: dict[str, _Holds] = {}
    for each in declared:
        if each.kind in _WITH_FIELDS:
            said = _holds(document, each, derived)
            holds[each.path] = max(said, holds.get(each.path, said))
    types = DeclaredTypes(
        kept={
            each.name
            for each in declared
            if each.kind is SymbolKind.ENUM or holds.get(each.path, _Holds.NONE) > _Holds.NONE
        },
        left_out={
            each.name
            for each in declared
            if each.kind in _CANNOT_BE_KEPT or holds.get(each.path) is _Holds.NONE
        },
    )
    for declaration in declared:
        if declaration.path in holds and declaration.body:
            found += _of_type(document, declaration, types, holds[declaration.path])
    return found


def unity_objects(document: Document) -> set[str]:
    """Return the symbol paths of the classes that visibly derive from a Unity type."""
    return {
        each.path
        for each in declarations(document)
        if each.kind is SymbolKind.CLASS
        and not UNITY_OBJECTS.isdisjoint(base_names(document, each))
    }


def _holds(document: Document, declaration: Declaration, derived: Collection[str]) -> _Holds:
    """Return which fields of a type Unity keeps: the marked ones if a base or part may decide."""
    if any(
        name.removesuffix("Attribute").endswith("Serializable")
        for name in attributes_of(lead_of(document, declaration))
    ):
        return _Holds.ALL
    is_part = "partial" in modifiers_of(document, declaration)
    if declaration.kind is SymbolKind.CLASS:
        bases = base_names(document, declaration)
        if not UNITY_OBJECTS.isdisjoint(bases):
            return _Holds.ALL
        may_derive = is_part or any(not is_like_an_interface(each) for each in bases)
        if may_derive and declaration.path in derived:
            return _Holds.ALL
        if bases:  # A name spelled like an interface may be a class.
            return _Holds.MARKED
    return _Holds.MARKED if is_part else _Holds.NONE


def _of_type(
    document: Document, declaration: Declaration, types: DeclaredTypes, holds: _Holds
) -> Iterator[DeclaredField]:
    assert declaration.body is not None
    source, text = document.source, document.active_utf8()
    start = source.utf8_offset(declaration.body.start)
    # The brace is right before the body; the brace's parent has the fields as children.
    node = document.tree().root_node.descendant_for_byte_range(start - 1, start)
    body = node.parent if node is not None and node.type == "{" else None
    for member in body.children if body is not None else ():
        yield from _fields(declaration.path, member, text, types, holds)


def _fields(
    owner: str, member: Node, text: bytes, types: DeclaredTypes, holds: _Holds
) -> Iterator[DeclaredField]:
    """Yield each field of a member."""
    is_property = member.type == "property_declaration"
    if not is_property and member.type != "field_declaration":
        return
    modifiers = {_text(each, text) for each in member.children if each.type == "modifier"}
    all_lists = [_text(each, text) for each in member.children if each.type == "attribute_list"]
    lists = " ".join(each for each in all_lists if not is_property or _ON_FIELD.match(each))
    attributes = {name.rpartition(".")[2] for name in attributes_of(lists)}
    attributes = {name.removesuffix("Attribute") for name in attributes}
    is_public = holds is _Holds.ALL and "public" in modifiers and not is_property
    is_wanted = holds is not _Holds.NONE and (is_public or bool(_WANTED & attributes))
    if "NonSerialized" in attributes or not modifiers.isdisjoint(_NOT_KEPT):
        is_wanted = False
    formerly = frozenset(_FORMERLY.findall(lists))
    is_marked = "SerializeField" in attributes
    for type_name, name in _settable(member, text) if is_property else _declared(member, text):
        # Unity keeps a reference of any type, also of an interface.
        is_kept = is_wanted and (
            "SerializeReference" in attributes or may_be_kept(type_name, types, is_marked=is_marked)
        )
        shown = _text(name, text)
        kept_by = f"<{shown}{_BEHIND}" if is_property else shown
        yield DeclaredField(owner, kept_by, type_name, name.start_byte, formerly, is_kept)


def _declared(field: Node, text: bytes) -> Iterator[tuple[str, Node]]:
    """Yield type and name of each declarator of a field's declaration."""
    for variables in field.children:
        if variables.type == "variable_declaration":
            for each in variables.children:
                is_one = each.type == "variable_declarator"
                name = each.child_by_field_name("name") if is_one else None
                if name is not None:
                    yield _type_name(variables, text), name


def _settable(declared: Node, text: bytes) -> Iterator[tuple[str, Node]]:
    """Yield type and name of a property that has a backing field that isn't ``readonly``."""
    accessors = declared.child_by_field_name("accessors")
    name = declared.child_by_field_name("name")
    if accessors is None or name is None:
        return
    each = [one for one in accessors.children if one.type == "accessor_declaration"]
    has_bodies = any(one.child_by_field_name("body") is not None for one in each)
    if not has_bodies and any(part.type == "set" for one in each for part in one.children):
        yield _type_name(declared, text), name


def _type_name(declared: Node, text: bytes) -> str:
    """Return a declaration's type without namespaces and white space."""
    kind = declared.child_by_field_name("type")
    return _QUALIFIER.sub("", _text(kind, text)) if kind is not None else ""


def _text(node: Node, text: bytes) -> str:
    return text[node.start_byte : node.end_byte].decode(errors="replace")
