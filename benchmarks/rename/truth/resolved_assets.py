"""Say what the names in a project's assets stand for, read with PyYAML.

Independent of ``unity_assets``. A *use* is a place in a document that names a field, method or
type; it stands for the identities of declarations, or for nothing if nobody declares the name.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from benchmarks.rename.truth.declared_types import DeclaredType
from benchmarks.rename.truth.prepared import is_asset_path

_SUFFIXES = (".unity", ".prefab", ".asset", ".anim", ".controller", ".playable", ".preset")
_GUID = re.compile(rb"^guid: ([0-9a-f]{32})", re.M)
_DOCUMENT = re.compile(rb"^--- !u!(\d+) &(-?\d+)( stripped)?\r?\n", re.M)
_UNITYS = re.compile(
    r"m_(ObjectHideFlags|CorrespondingSourceObject|PrefabInstance|PrefabAsset|GameObject|Enabled"
    r"|EditorHideFlags|Script|Name|EditorClassIdentifier|PrefabParentObject|PrefabInternal"
    r"|EditorClassIdentifier)\Z|references\Z|serializedVersion\Z"
)
_PARAMETERS = {"1": (), "3": ("int",), "4": ("float",), "5": ("string",), "6": ("bool",)}
_OBJECT_MODE = "2"
_TYPE_NAME = re.compile(r"([\w.+`]+), ([\w.\-]+)\Z")
_DEEPEST = 10

Use = tuple[str, str, frozenset[str]]
"""Kind, path inside the document, and what it stands for."""


@dataclass
class _Document:
    """One document that has uses, and on which types they depend."""

    path: str
    class_id: int
    file_id: int
    body: dict[str, Any]
    uses: tuple[Use, ...] = ()
    types: frozenset[str] = frozenset()


@dataclass
class ResolvedAssets:
    """The assets of one project. ``types`` are those of the project now."""

    root: Path
    types: Mapping[str, DeclaredType]
    guids: dict[str, str] = field(default_factory=dict)
    """The path of each script or asset, by GUID."""
    documents: dict[str, list[_Document]] = field(default_factory=dict)

    def read(self) -> None:
        """Read every asset."""
        paths = []
        for file in self.root.rglob("*"):
            path = file.relative_to(self.root)
            if path.parts[0] not in ("Assets", "Packages") or not is_asset_path(path):
                continue
            if file.suffix == ".meta" and (found := _GUID.search(file.read_bytes())):
                self.guids[found[1].decode()] = path.as_posix().removesuffix(".meta")
            elif file.suffix in _SUFFIXES:
                paths.append(path.as_posix())
        self.reread(paths, {})
        self.resolve(self.types, self.documents)

    def reread(self, paths: Iterable[str], moves: Mapping[str, str]) -> None:
        """Read these assets again; ``moves`` are scripts with another path."""
        for guid, path in self.guids.items():
            self.guids[guid] = moves.get(path, path)
        for path in paths:
            if path.endswith(_SUFFIXES):
                self.documents[path] = list(_read(self.root, path))

    def resolve(self, types: Mapping[str, DeclaredType], paths: Collection[str]) -> None:
        """Resolve the uses of some files with the types of the project now."""
        self.types = types
        self._by_script = {
            script: each for each in types.values() for script in each.scripts if _is_main(each)
        }
        self._by_name = {(each.space, each.name, each.assembly): each for each in types.values()}
        self._former = {_former(each): each for each in types.values() if each.was}
        self._methods: dict[str, set[str]] = {}
        for each in types.values():
            if each.is_object:
                for method in each.methods:
                    self._methods.setdefault(method.name, set()).add(method.id)
        for path in paths:
            for document in self.documents.get(path, ()):
                resolving = _Resolving(self, document)
                document.uses = tuple(resolving.uses())
                document.types = frozenset(resolving.visited)

    def uses_in(self, paths: Iterable[str]) -> dict[str, list[tuple[Use, ...]]]:
        """Return the known uses of some files."""
        known = self.documents
        return {path: [each.uses for each in known[path]] for path in paths if path in known}

    def type_of_script(self, guid: str) -> DeclaredType | None:
        """Return the type that a script's objects have, if that is known for certain."""
        return self._by_script.get(self.guids.get(guid, ""))

    def type_named(self, space: str, name: str, assembly: str) -> DeclaredType | None:
        """Return the type that an asset names, also by its former name."""
        key = (space, name, assembly)
        return self._by_name.get(key) or self._former.get(key)

    def methods_named(self, name: str) -> frozenset[str]:
        """Return every method of that name that an object may have."""
        return frozenset(self._methods.get(name, ()))

    def script_at(self, path: str, file_id: str) -> DeclaredType | None:
        """Return the type of the component with that id in a file."""
        for each in self.documents.get(path, ()):
            if each.file_id == int(file_id) and each.class_id == 114:
                return self.type_of_script(_guid(each.body.get("m_Script")))
        return None


def _former(each: DeclaredType) -> tuple[str, str, str]:
    space, assembly, name = each.was or (None, None, None)
    return (
        each.space if space is None else space,
        name or each.name,
        assembly or each.assembly,
    )


def _is_main(each: DeclaredType) -> bool:
    """Return whether Unity takes the type for that of its script: by the file's name."""
    stems = {Path(path).stem for path in each.scripts}
    return each.is_object and each.is_known and each.name in stems


def _read(root: Path, path: str) -> Iterator[_Document]:
    file = root / path
    data = file.read_bytes() if file.is_file() else b""
    if not data.startswith(b"%YAML"):
        return
    for class_id, file_id, content in _documents_of(data):
        body = next(iter(content.values())) if isinstance(content, dict) else None
        if isinstance(body, dict):
            yield _Document(path, class_id, file_id, body)


def _guid(reference: Any) -> str:
    return str(reference.get("guid", "")) if isinstance(reference, dict) else ""


class _Resolving:
    """The uses of one document."""

    def __init__(self, assets: ResolvedAssets, document: _Document) -> None:
        self._assets = assets
        self._document = document
        self.visited: set[str] = set()

    def uses(self) -> Iterator[Use]:
        body = self._document.body
        match self._document.class_id:
            case 114:
                owner = self._assets.type_of_script(_guid(body.get("m_Script")))
                if owner is not None:
                    own = {key: each for key, each in body.items() if not _UNITYS.match(key)}
                    yield from self._fields(owner, own, "", 0)
                yield from self._references(body.get("references"))
                yield from self._calls(body, "")
            case 74:
                yield from self._clip(body)
            case 1001:
                yield from self._overrides(body)
            case 181963792:
                owner = self._assets.type_of_script(
                    _guid((body.get("m_TargetType") or {}).get("m_ManagedTypePPtr"))
                )
                for at, each in enumerate(body.get("m_Properties") or []):
                    yield from self._path(owner, each.get("propertyPath"), f"preset[{at}]")

    def _fields(self, owner: DeclaredType, value: Any, at: str, depth: int) -> Iterator[Use]:
        self.visited.add(owner.id)
        if depth > _DEEPEST or not isinstance(value, dict):
            return
        for number, (key, inner) in enumerate(value.items()):
            found = _field(owner, key)
            place = f"{at}/{number}"
            yield "field", place, frozenset() if found is None else frozenset([found.id])
            below = self._assets.types.get(found.type or "") if found else None
            if below is not None and not below.is_object:
                for index, each in enumerate(inner if isinstance(inner, list) else [inner]):
                    if not _is_reference(each):
                        yield from self._fields(below, each, f"{place}[{index}]", depth + 1)

    def _references(self, value: Any) -> Iterator[Use]:
        rows = value.get("RefIds") if isinstance(value, dict) else None
        for at, each in enumerate(rows or []):
            triple = each.get("type") or {}
            names = (triple.get("ns", ""), triple.get("class", ""), triple.get("asm", ""))
            if not any(names):
                continue
            found = self._assets.type_named(*names)
            yield "managed type", f"RefIds[{at}]", _ids(found)
            if found is not None:
                yield from self._fields(found, each.get("data"), f"RefIds[{at}]", 0)

    def _calls(self, value: Any, at: str) -> Iterator[Use]:
        if isinstance(value, list):
            for index, each in enumerate(value):
                yield from self._calls(each, f"{at}[{index}]")
        elif isinstance(value, dict):
            if "m_MethodName" in value:
                yield from self._call(value, at)
            for number, inner in enumerate(value.values()):
                if isinstance(inner, (dict, list)):
                    yield from self._calls(inner, f"{at}/{number}")

    def _call(self, call: dict[str, Any], at: str) -> Iterator[Use]:
        for key in ("m_TargetAssemblyTypeName", "m_TypeName"):
            yield from self._type_name(call.get(key), at + key)
        arguments = call.get("m_Arguments") or {}
        key = "m_ObjectArgumentAssemblyTypeName"
        yield from self._type_name(arguments.get(key), at + key)
        target = call.get("m_Target")
        name = call.get("m_MethodName")
        if not name or not isinstance(target, dict):
            return
        path = self._document.path
        if "guid" in target:
            path = self._assets.guids.get(target["guid"], "")
        owner = self._assets.script_at(path, str(target.get("fileID", "0")))
        if owner is not None:
            self.visited.add(owner.id)
            mode = str(call.get("m_Mode", "0"))
            yield (
                "call",
                at,
                frozenset(
                    each.id
                    for each in owner.methods
                    if each.name == name and _fits(each.parameters, mode)
                ),
            )

    def _type_name(self, text: Any, at: str) -> Iterator[Use]:
        found = _TYPE_NAME.match(str(text or ""))
        if found:
            space, _, name = found[1].rpartition(".")
            named = self._assets.type_named(space, name.replace("+", "/"), found[2])
            self.visited |= _ids(named)
            yield "type name", at, _ids(named)

    def _clip(self, body: dict[str, Any]) -> Iterator[Use]:
        for at, each in enumerate(body.get("m_Events") or []):
            name = each.get("functionName")
            if name:
                self.visited.add("*")
                yield "event", f"events[{at}]", self._assets.methods_named(name)
        for key in ("m_FloatCurves", "m_PPtrCurves", "m_EditorCurves"):
            for at, each in enumerate(body.get(key) or []):
                owner = self._assets.type_of_script(_guid(each.get("script")))
                yield from self._path(owner, each.get("attribute"), f"{key}[{at}]")

    def _overrides(self, body: dict[str, Any]) -> Iterator[Use]:
        rows = (body.get("m_Modification") or {}).get("m_Modifications")
        for at, each in enumerate(rows or []):
            target = each.get("target") or {}
            path = self._assets.guids.get(_guid(target), "")
            owner = self._assets.script_at(path, str(target.get("fileID", "0")))
            yield from self._path(owner, each.get("propertyPath"), f"override[{at}]")

    def _path(self, owner: DeclaredType | None, text: Any, at: str) -> Iterator[Use]:
        if owner is None or not text or str(text).startswith(("m_", "managedReferences")):
            return
        parts = re.sub(r"\.Array\.(data\[\d+\]|size)", "", str(text)).split(".")
        for number, part in enumerate(parts):
            self.visited.add(owner.id)
            # No attribute reaches paths: they need the field's own name.
            found = next((each for each in owner.fields if each.key == part), None)
            yield "path", f"{at}.{number}", _ids(found)
            below = self._assets.types.get(found.type or "") if found else None
            if below is None or below.is_object:
                return
            owner = below


def _ids(found: Any) -> frozenset[str]:
    return frozenset() if found is None else frozenset([found.id])


def _field(owner: DeclaredType, key: str) -> Any:
    own = next((each for each in owner.fields if each.key == key), None)
    return own or next((each for each in owner.fields if key in each.former), None)


def _is_reference(value: Any) -> bool:
    return isinstance(value, dict) and {*value} <= {"fileID", "guid", "type", "rid"}


def _fits(parameters: tuple[str, ...], mode: str) -> bool:
    if mode == _OBJECT_MODE:
        return len(parameters) == 1 and parameters[0] not in ("int", "float", "string", "bool")
    return mode not in _PARAMETERS or parameters == _PARAMETERS[mode]


def _documents_of(data: bytes) -> list[tuple[int, int, Any]]:
    """Return class, id and content of the documents that are scripts' or clips'."""
    documents: list[tuple[int, int, Any]] = []
    found = list(_DOCUMENT.finditer(data))
    for index, each in enumerate(found):
        if each[1] not in (b"114", b"74", b"1001", b"181963792"):
            continue
        end = found[index + 1].start() if index + 1 < len(found) else len(data)
        text = data[each.end() : end].decode("utf-8", "replace")
        try:
            content = yaml.load(text, yaml.CBaseLoader)
        except yaml.YAMLError:
            content = None
        documents.append((int(each[1]), int(each[2]), content))
    return documents
