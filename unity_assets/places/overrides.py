"""Property paths (rows 4, 6, 7, 10): overrides of prefab instances, presets, animated fields."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

from unity_assets.facts import TypeName
from unity_assets.objects import Reference
from unity_assets.places.keys import REFERENCES, UNKNOWN_ARGUMENT, managed_type
from unity_assets.places.place import Place, Reach, Site, listed
from unity_assets.property_paths import PropertyPath, key_index
from unity_assets.yaml.edits import Edit, scalar_edit
from unity_assets.yaml.nodes import SCALAR

if TYPE_CHECKING:
    from collections.abc import Iterator

    from unity_assets.objects import Resolved
    from unity_assets.renaming import Paths
    from unity_assets.yaml.nodes import Node

LONGEST_PATH = 8192
NOWHERE: Paths = frozenset()
UNKNOWN_OBJECT = "the object that it overrides isn't in the project or can't be read"


def property_path(site: Site) -> Place | None:
    """Return the place of a property path that has the key."""
    renaming = site.search.renaming
    if site.in_key or renaming.key is None or site.value.kind != SCALAR:
        return None
    if len(site.value.raw) > LONGEST_PATH:
        return None
    if site.entry.key == "attribute":
        return _animated(site)
    if site.keys[:1] == ("Preset",):
        if site.entry.key == "propertyPath" or site.keys[1:2] == ("m_ExcludedProperties",):
            guid = Reference.read(site.body.get("m_TargetType", "m_ManagedTypePPtr")).guid
            return _renamed_path(site, renaming.paths_by_script.get(guid, NOWHERE), "preset")
        return None
    if site.entry.key != "propertyPath":
        return None
    path = PropertyPath.read(site.value.text)
    if not key_index(path.parts, renaming.key, renaming.all_paths):
        return _filled(site, path)
    target = overridden(site)
    if not target.is_known:
        return listed(site.value.start, "override", UNKNOWN_OBJECT)
    if path.reference is None:
        paths = renaming.paths_by_script.get(target.script, NOWHERE)
    else:
        held = _managed(site, target, path.reference)
        if held is None:
            return listed(site.value.start, "override", "the managed reference isn't found")
        paths = renaming.managed_at(held)
        if not key_index(path.parts, renaming.key, paths):
            return _filled(site, path)
    return _renamed_path(site, paths, "override")


def _filled(site: Site, path: PropertyPath) -> Place | None:
    """Return the place of a key that may belong to a type argument of a managed reference."""
    renaming = site.search.renaming
    if path.reference is None or renaming.key not in path.parts:
        return None
    held = _managed(site, overridden(site), path.reference)
    if held is None or not renaming.may_fill(held):
        return None
    return listed(site.value.start, "override", UNKNOWN_ARGUMENT)


def overridden(site: Site) -> Resolved:
    """Return the object that an override changes."""
    target = Reference.read(site.holder.get("target"))
    return site.search.objects.resolve(site.file.path, target)


def siblings(site: Site, text: str) -> Iterator[Node]:
    """Yield the overrides of the same object with the property path ``text``."""
    overrides = site.chain[-3].value
    if site.file.data.find(text.encode(), overrides.start, overrides.end) < 0:
        return
    known = site.search.overrides.get(overrides)
    if known is None:
        known = site.search.overrides[overrides] = {}
        for each in overrides.entries:
            own = Reference.read(each.value.get("target"))
            known.setdefault((own, each.value.text_at("propertyPath")), []).append(each.value)
    yield from known.get((Reference.read(site.holder.get("target")), text), [])


def _renamed_path(site: Site, paths: Paths, kind: str) -> Place | None:
    renaming = site.search.renaming
    path = PropertyPath.read(site.value.text)
    indexes = key_index(path.parts, renaming.key, paths)
    if not indexes:
        return None
    new = path.with_parts(indexes, renaming.new_key)
    clash = ""
    if kind == "override" and new != path.text and any(siblings(site, new)):
        clash = f"“{new}” is overridden here already"
    edit = scalar_edit(site.value, new)
    return Place(site.value.start, kind, Reach.NOTHING, (edit,), clash=clash)


def _managed(site: Site, target: Resolved, reference: int) -> TypeName | None:
    """Return the type of a managed reference: overridden here, or as in the source."""
    for other in siblings(site, f"managedReferences[{reference}]"):
        assembly, _, name = other.text_at("value").partition(" ")
        bare, brackets, arguments = name.partition("[[")
        namespace, _, last = bare.rpartition(".")
        return TypeName(namespace, f"{last}{brackets}{arguments}", assembly)
    if target.document is None:
        return None
    held = target.document.body.get(REFERENCES)
    for entry in held.entries if held is not None else []:
        if entry.key == f"{reference:08}":
            return managed_type(entry.value.get("type"))
        for each in entry.value.entries if entry.key == "RefIds" else []:
            if each.value.text_at("rid") == str(reference):
                return managed_type(each.value.get("type"))
    return None


def _animated(site: Site) -> Place | None:
    renaming = site.search.renaming
    guid = Reference.read(site.holder.get("script")).guid
    read = PropertyPath.read(site.value.text)
    if read.reference is not None:
        if not key_index(read.parts, renaming.key, renaming.all_paths):
            return None
        return listed(site.value.start, "animation", "which managed reference it is isn't known")
    paths = renaming.animated_by_script.get(guid, NOWHERE)
    place = _renamed_path(site, paths, "animation")
    if place is None:
        return None
    new = read.with_parts(key_index(read.parts, renaming.key, paths), renaming.new_key)
    hashes = tuple(_hashes(site, guid, read.text, new))
    return Place(place.offset, place.kind, place.reach, place.edits + hashes)


def _hashes(site: Site, guid: str, before: str, after: str) -> Iterator[Edit]:
    """Yield the edits of the path's CRC-32 in the clip's bindings."""
    bindings = site.body.get("m_ClipBindingConstant", "genericBindings")
    old, new = (str(zlib.crc32(each.encode())) for each in (before, after))
    for each in bindings.entries if bindings is not None else []:
        attribute = each.value.get("attribute")
        if attribute is None or attribute.text != old:
            continue
        if Reference.read(each.value.get("script")).guid == guid:
            yield Edit(attribute.start, attribute.end, new.encode())
