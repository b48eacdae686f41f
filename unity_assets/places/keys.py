"""Keys of serialized fields (rows 1 to 3, 5): in components, assets, managed references, metas."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unity_assets.facts import TypeName
from unity_assets.objects import Reference
from unity_assets.places.place import Place, Reach, Site, listed
from unity_assets.property_paths import ELEMENT, key_index
from unity_assets.yaml.edits import key_edit

if TYPE_CHECKING:
    from unity_assets.renaming import Paths
    from unity_assets.yaml.nodes import Node

REFERENCES = "references"
UNKNOWN_ARGUMENT = "which argument of the generic type has this value isn't known"


def serialized_key(site: Site) -> Place | None:
    """Return the place of the key, if it belongs to an object with the renamed field.

    The value survives only if the rename gives the field an attribute. A rename back removes the
    attribute.
    """
    if not site.in_key or site.entry.key != site.search.renaming.key:
        return None
    parts = tuple(ELEMENT if isinstance(each, int) else each for each in site.keys[1:])
    paths, parts, kind, reach = _paths(site, parts)
    if len(parts) - 1 not in key_index(parts, site.search.renaming.key, paths):
        return _filled(site)
    new_key = site.search.renaming.new_key
    clash = ""
    if new_key != site.entry.key and new_key in site.holder.by_key:
        clash = f"“{new_key}” has a value here already, and Unity would take that one"
    edit = key_edit(site.entry, site.file.data, new_key)
    return Place(site.entry.key_start, kind, reach, (edit,), clash=clash)


def _filled(site: Site) -> Place | None:
    inside = managed_data(site.keys)
    if inside is None:
        return None
    if not site.search.renaming.may_fill(managed_type(site.chain[inside - 1].value.get("type"))):
        return None
    lost = not site.search.renaming.facts.keeps_key
    return listed(site.entry.key_start, "serialized value", UNKNOWN_ARGUMENT, lost=lost)


def _paths(site: Site, parts: tuple[str, ...]) -> tuple[Paths, tuple[str, ...], str, Reach]:
    renaming = site.search.renaming
    nowhere: Paths = frozenset()
    kept = Reach.ATTRIBUTE if renaming.facts.keeps_key else Reach.NOTHING
    first = site.keys[0]
    if first == "MonoImporter":
        if parts[:2] != ("defaultReferences", ELEMENT):
            return nowhere, parts, "", Reach.NOTHING
        guid = site.document.root.text_at("guid")
        own = renaming.paths_by_script.get(guid, nowhere)
        return own, parts[2:], "default reference", Reach.NOTHING
    if parts[:1] == (REFERENCES,) and (inside := managed_data(site.keys)):
        owner = site.chain[inside - 1].value
        own = renaming.managed_at(managed_type(owner.get("type")))
        return own, parts[inside:], "serialized value", kept
    script = "script" if first == "ScriptedImporter" else "m_Script"
    guid = Reference.read(site.body.get(script)).guid
    own = renaming.paths_by_script.get(guid, nowhere)
    return own, parts, "serialized value", kept


def managed_data(keys: tuple[str | int, ...]) -> int | None:
    """Return how many keys, without the root, lead into the data of a managed reference."""
    if keys[1:3] == (REFERENCES, "RefIds") and keys[4:5] == ("data",):
        return 4
    return 3 if keys[1:2] == (REFERENCES,) and keys[3:4] == ("data",) else None


def managed_type(node: Node | None) -> TypeName:
    """Return the type that ``{class: …, ns: …, asm: …}`` names."""
    if node is None:
        return TypeName("", "", "")
    return TypeName(node.text_at("ns"), node.text_at("class"), node.text_at("asm"))
