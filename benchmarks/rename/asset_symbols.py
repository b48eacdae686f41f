"""Symbols that real assets name, read with PyYAML: independent of ``unity_assets``' own reading."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

SUFFIXES = (".unity", ".prefab", ".asset", ".anim", ".controller", ".playable", ".preset")
GUID = re.compile(rb"^guid: ([0-9a-f]{32})", re.M)
_DOCUMENT = re.compile(rb"^--- !u!(\d+) &(-?\d+)( stripped)?\r?\n", re.M)
_NAME = re.compile(r"[A-Za-z_]\w+\Z")
_BACKING = re.compile(r"<(\w+)>k__BackingField\Z")
_TYPE_NAME = re.compile(r"([\w.+]+), ([\w.\-]+)\Z")

Path_ = tuple[str, ...]


@dataclass
class Facts:
    """What the assets of a project say of its symbols."""

    scripts: dict[str, str] = field(default_factory=dict)
    """Path of each script by its GUID."""
    keys: dict[tuple[str, str, Path_], set[tuple[str, int]]] = field(
        default_factory=lambda: defaultdict(set)
    )
    """Documents (file, id) that have a key, by script, key, and path of what has it."""
    managed_keys: dict[tuple[tuple[str, str, str], str, Path_], set[tuple[str, int]]] = field(
        default_factory=lambda: defaultdict(set)
    )
    types: dict[tuple[str, str], int] = field(default_factory=lambda: defaultdict(int))
    """How often a UnityEvent names a type (full name, assembly) of the project's scripts."""
    triples: dict[tuple[str, str, str], int] = field(default_factory=lambda: defaultdict(int))
    methods: dict[tuple[str, str], int] = field(default_factory=lambda: defaultdict(int))
    """How often a call names a method, by method and script of its target, in the same file."""
    curves: dict[tuple[str, str], int] = field(default_factory=lambda: defaultdict(int))
    """How often an animation has a property path, by path and script."""
    documents: int = 0
    unread: int = 0


def read_facts(root: Path) -> Facts:
    """Read every MonoBehaviour and clip of a project's assets."""
    facts = Facts()
    files = [each for each in root.rglob("*") if not _is_left_out(each.relative_to(root))]
    for each in files:
        if each.name.endswith(".cs.meta"):
            found = GUID.search(each.read_bytes())
            if found:
                path = each.relative_to(root).as_posix().removesuffix(".meta")
                facts.scripts[found[1].decode()] = path
    for each in files:
        if each.suffix in SUFFIXES and each.is_file():
            data = each.read_bytes()
            if data.startswith(b"%YAML"):
                _read_file(facts, each.relative_to(root).as_posix(), data)
    return facts


def documents_of(data: bytes) -> list[tuple[int, int, Any]]:
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


def _is_left_out(path: Path) -> bool:
    return any(each.startswith(".") or each.endswith("~") for each in path.parts)


def _read_file(facts: Facts, path: str, data: bytes) -> None:
    documents = documents_of(data)
    scripts: dict[str, str] = {}
    for class_id, file_id, content in documents:
        facts.documents += 1
        if not isinstance(content, dict):
            facts.unread += 1
            continue
        body = next(iter(content.values()))
        if class_id == 114 and isinstance(body, dict):
            scripts[str(file_id)] = _guid(body.get("m_Script"))
    for class_id, file_id, content in documents:
        body = next(iter(content.values())) if isinstance(content, dict) else None
        if not isinstance(body, dict):
            continue
        if class_id == 114:
            guid = scripts[str(file_id)]
            if guid in facts.scripts:
                _read_keys(facts, guid, body, (path, file_id))
            _read_calls(facts, body, scripts)
        elif class_id == 74:
            for name in ("m_FloatCurves", "m_PPtrCurves", "m_EditorCurves"):
                for curve in body.get(name) or []:
                    guid = _guid(curve.get("script"))
                    if guid in facts.scripts:
                        facts.curves[curve.get("attribute", ""), guid] += 1


def _guid(reference: Any) -> str:
    return str(reference.get("guid", "")) if isinstance(reference, dict) else ""


def _read_keys(facts: Facts, guid: str, body: Any, where: tuple[str, int]) -> None:
    for key, value in body.items():
        if key == "references" and isinstance(value, dict):
            for each in value.get("RefIds") or []:
                triple = each.get("type") or {}
                names = (triple.get("ns", ""), triple.get("class", ""), triple.get("asm", ""))
                facts.triples[names] += 1
                for path, name in _paths(each.get("data"), ()):
                    facts.managed_keys[names, name, path].add(where)
            continue
        for path, name in _paths({key: value}, ()):
            if not (not path and name.startswith("m_") and name in _UNITYS):
                facts.keys[guid, name, path].add(where)


_UNITYS = frozenset(
    (
        *("m_ObjectHideFlags", "m_CorrespondingSourceObject", "m_PrefabInstance", "m_PrefabAsset"),
        *("m_GameObject", "m_Enabled", "m_EditorHideFlags", "m_Script", "m_Name"),
        *("m_EditorClassIdentifier", "m_PrefabParentObject", "m_PrefabInternal"),
    )
)


def _paths(value: Any, path: Path_) -> list[tuple[Path_, str]]:
    if len(path) > 12:
        return []
    if isinstance(value, list):
        return [each for item in value for each in _paths(item, (*path, "[]"))]
    if not isinstance(value, dict) or {*value} <= {"fileID", "guid", "type"}:
        return []
    found: list[tuple[Path_, str]] = []
    for key, inner in value.items():
        if _NAME.match(key) or _BACKING.match(key):
            found.append((path, key))
            found += _paths(inner, (*path, key))
    return found


def _read_calls(facts: Facts, value: Any, scripts: dict[str, str]) -> None:
    if isinstance(value, list):
        for each in value:
            _read_calls(facts, each, scripts)
    elif isinstance(value, dict):
        for key, inner in value.items():
            if key == "m_TargetAssemblyTypeName" and (name := _TYPE_NAME.match(str(inner))):
                facts.types[name[1], name[2]] += 1
            if key == "m_MethodName" and inner:
                target = value.get("m_Target") or {}
                guid = scripts.get(str(target.get("fileID")), "") if "guid" not in target else ""
                if guid in facts.scripts:
                    facts.methods[str(inner), guid] += 1
            else:
                _read_calls(facts, inner, scripts)
