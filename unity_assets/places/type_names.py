"""Types by name (rows 9, 12, 13): in UnityEvents, managed references, overrides, presets."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from unity_assets.places.keys import managed_type
from unity_assets.places.place import Place, Reach, Site, listed
from unity_assets.yaml.edits import flow_edit, scalar_edit
from unity_assets.yaml.nodes import FLOW, SCALAR

if TYPE_CHECKING:
    from unity_assets.facts import TypeName

TYPE_NAME = "type name"
MANAGED_REFERENCE = "managed reference"

_IN_EVENTS = ("m_TargetAssemblyTypeName", "m_ObjectArgumentAssemblyTypeName")
_TRIPLE = ("class", "ns", "asm")


def type_name(site: Site) -> Place | None:
    """Return the place of a renamed type's name."""
    renaming = site.search.renaming
    if site.in_key or not renaming.types:
        return None
    if site.entry.key in _TRIPLE and site.holder.kind == FLOW:
        return _managed_reference(site)
    value = site.value
    if value.kind != SCALAR or value.style not in ("plain", "single", "double"):
        return None
    text = value.text
    new = renaming.reflected(text)
    path = site.holder.text_at("propertyPath") if site.entry.key == "value" else ""
    if site.entry.key in _IN_EVENTS or path.endswith(_IN_EVENTS):
        return _rewritten(site, new, "UnityEvent")
    if path.startswith("managedReferences[") and path.endswith("]"):
        return _rewritten(site, renaming.managed_type(text), MANAGED_REFERENCE)
    if site.entry.key == "m_ManagedTypeFallback":
        return _rewritten(site, renaming.managed_type(text), "preset")
    if site.entry.key == "m_EditorClassIdentifier" or path == "m_EditorClassIdentifier":
        return _rewritten(site, _identifier(site, text), "class identifier", Reach.EDITOR)
    if site.entry.key == "m_TypeName":
        return _rewritten(site, new, "UnityEvent", Reach.EDITOR)
    if renaming.names_type(text):
        why = "which code reads this name isn't known"
        return listed(value.start, TYPE_NAME, why)
    return None


def _rewritten(site: Site, new: str, kind: str, reach: Reach = Reach.NOTHING) -> Place | None:
    if new == site.value.text:
        return None
    return Place(site.value.start, kind, reach, (scalar_edit(site.value, new),))


def _identifier(site: Site, text: str) -> str:
    """Return ``Assembly::Namespace.Type`` renamed."""
    for before, after in site.search.renaming.types.items():
        for old, new in (
            (before.serialized, after.serialized),
            (before.reflected, after.reflected),
        ):
            if text == f"{before.assembly}::{old}":
                return f"{after.assembly}::{new}"
    return text


def _managed_reference(site: Site) -> Place | None:
    renaming = site.search.renaming
    flow = site.holder
    named = managed_type(flow)
    after = renaming.types.get(named)
    arguments = re.search(r"\[\[.*", named.name)
    bare = named.name[: arguments.start()] if arguments else named.name
    inside = renaming.reflected(arguments[0]) if arguments else ""
    if arguments:
        after = _of_generic(site, named, bare)
    if after is None and inside == (arguments[0] if arguments else ""):
        return None
    new = after or named
    texts = {
        "class": (new.name if after else bare) + inside,
        "ns": new.namespace,
        "asm": new.assembly,
    }
    # Unity reads the attribute of the type itself, not of an outer type.
    of_itself = renaming.facts.kind == "namespace" or named == renaming.facts.type
    by_attribute = not arguments and of_itself and named in renaming.facts.managed
    reach = Reach.ATTRIBUTE if by_attribute else Reach.NOTHING
    return Place(flow.start, MANAGED_REFERENCE, reach, (flow_edit(flow, texts),))


def _of_generic(site: Site, named: TypeName, bare: str) -> TypeName | None:
    for before, after in site.search.renaming.types.items():
        same = (before.namespace, before.assembly) == (named.namespace, named.assembly)
        if same and before.name == bare:
            return after
    return None
