"""``link.xml`` (row 17): types and members that are kept from being stripped."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from unity_assets.places.markup import attributes_of, tags_of
from unity_assets.places.place import Place, listed
from unity_assets.renaming import has_name

if TYPE_CHECKING:
    from unity_assets.asset_file import AssetFile
    from unity_assets.facts import TypeName
    from unity_assets.places.place import Search
    from unity_assets.renaming import Renaming

_WHY = "link.xml keeps code from being stripped: change it by hand"


def places_in_link_xml(search: Search, file: AssetFile) -> list[Place]:
    """Return the renamed types and members that ``link.xml`` preserves."""
    renaming = search.renaming
    spaces = _namespaces(renaming)
    places = []
    for tag in tags_of(file.data):
        for name, value, _, start, _ in attributes_of(tag):
            if name == "fullname":
                is_ours = _is_within(value, spaces) or _matches_no_more(renaming, value)
            elif name in ("name", "signature"):
                is_ours = _has_member(renaming, value)
            else:
                continue
            if is_ours:
                places.append(listed(start, "link.xml", _WHY))
    return places


def _namespaces(renaming: Renaming) -> set[str]:
    """Return the full names of a namespace, and of those in it: the fact has its last part."""
    if renaming.facts.kind != "namespace":
        return set()
    own = renaming.facts.name
    spaces = {each.namespace for each in renaming.types}
    return {
        ".".join(parts[:end])
        for parts in (each.split(".") for each in spaces)
        for end in range(1, len(parts) + 1)
        if own in parts[:end]
    }


def _is_within(name: str, spaces: set[str]) -> bool:
    return any(name == each or name.startswith(f"{each}.") for each in spaces)


def _matches_no_more(renaming: Renaming, pattern: str) -> bool:
    """Return whether a type is meant, perhaps by ``*``, and under its new name isn't."""
    return any(
        _matches(before, pattern) and not _matches(after, pattern)
        for before, after in renaming.types.items()
    )


def _matches(type_name: TypeName, pattern: str) -> bool:
    names = (type_name.reflected, type_name.serialized)
    if "*" in pattern:
        return any(fnmatchcase(each, pattern.replace("[", "[[]")) for each in names)
    return pattern in names


def _has_member(renaming: Renaming, text: str) -> bool:
    if not renaming.types:
        return has_name(text, (renaming.facts.name, *renaming.accessors))
    return any(has_name(text, (each.reflected, each.serialized)) for each in renaming.types)
