"""UXML (row 18): tags, types, paths; and ``link.xml`` (row 17): types that Unity must not strip."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from unity_assets.places.place import Place, Reach, listed
from unity_assets.property_paths import PropertyPath
from unity_assets.renaming import has_name, kebab_case
from unity_assets.yaml.edits import Edit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from unity_assets.asset_file import AssetFile
    from unity_assets.facts import TypeName
    from unity_assets.places.place import Search
    from unity_assets.renaming import Renaming

_TAG = re.compile(
    rb"""<!--.*?-->|<(?P<slash>/?)(?P<name>[\w.:\-\x80-\xff]+)(?P<attributes>(?:[^<>"']|"[^"]*"|'[^']*')*)>""",
    re.DOTALL,
)
_ATTRIBUTE = re.compile(rb"""([\w:.\-\x80-\xff]+)\s*=\s*(?:"([^"]*)"|'([^']*)')""")
_TEXTS = ("name", "class", "text", "label", "tooltip", "style", "src", "template", "view-data-key")
_PATHS = ("binding-path", "data-source-path")

Attribute = tuple[str, str, int, int, int]
"""Name, value, start of the name, start and end of the value."""


def places_in_uxml(search: Search, file: AssetFile) -> list[Place]:
    """Return the places of a control's type, and of a member in attributes and paths."""
    return sorted(set(_in_uxml(search, file)), key=lambda each: each.offset)


def _in_uxml(search: Search, file: AssetFile) -> Iterator[Place]:
    aliases: dict[str, tuple[str, int, int]] = {}
    tags = tags_of(file.data)
    for tag in tags:
        for name, value, _, start, end in attributes_of(tag):
            if name.startswith("xmlns:"):
                aliases[name.removeprefix("xmlns:")] = (value, start, end)
            elif name == "xmlns":
                aliases[""] = (value, start, end)
    for tag in tags:
        yield from _of_tag(search, tag, aliases, tags)
        for attribute in attributes_of(tag):
            yield from _of_attribute(search, tag, attribute, aliases)


def _of_tag(
    search: Search,
    tag: re.Match[bytes],
    aliases: dict[str, tuple[str, int, int]],
    tags: list[re.Match[bytes]],
) -> Iterator[Place]:
    renaming = search.renaming
    if not renaming.types:
        return
    by_name = {each.serialized.replace("/", "."): each for each in renaming.types}
    prefix, namespace, name = _parts(tag["name"].decode("utf-8", "replace"), aliases)
    before = by_name.get(f"{namespace}.{name}" if namespace else name)
    if before is None:
        return
    after = renaming.types[before]
    start, end = tag.span("name")
    own = after.serialized.replace("/", ".")
    if not prefix or own.startswith(f"{namespace}."):
        shown = own.removeprefix(f"{namespace}.") if prefix or namespace else own
        new = f"{prefix}:{shown}" if prefix else shown
        edit = Edit(start, end, new.encode())
        yield Place(start, "UXML tag", Reach.NOTHING, (edit,))
        return
    if _all_move(tags, prefix, aliases, by_name):
        # All elements of the alias move, so the alias gets the new namespace.
        moved = _namespace_after(namespace, before, after)
        _, start_of, end_of = aliases[prefix]
        edits = [Edit(start_of, end_of, moved.encode())]
        shown = own.removeprefix(f"{moved}.")
        if shown != name:
            edits.append(Edit(start, end, f"{prefix}:{shown}".encode()))
        yield Place(start, "UXML tag", Reach.NOTHING, tuple(edits))
        return
    yield Place(start, "UXML tag", Reach.NOTHING, (Edit(start, end, own.encode()),))


def _namespace_after(namespace: str, before: TypeName, after: TypeName) -> str:
    """Return the alias's new namespace, which may be a prefix of the type's namespace."""
    rest = before.namespace.removeprefix(namespace)
    return after.namespace.removesuffix(rest) if rest else after.namespace


def _all_move(
    tags: list[re.Match[bytes]],
    prefix: str,
    aliases: dict[str, tuple[str, int, int]],
    by_name: dict[str, TypeName],
) -> bool:
    for tag in tags:
        other, namespace, name = _parts(tag["name"].decode("utf-8", "replace"), aliases)
        if other == prefix and f"{namespace}.{name}" not in by_name:
            return False
    return True


def _parts(tag: str, aliases: dict[str, tuple[str, int, int]]) -> tuple[str, str, str]:
    prefix, _, name = tag.rpartition(":")
    namespace = aliases.get(prefix, ("", 0, 0))[0]
    return prefix, namespace, name


def _of_attribute(
    search: Search,
    tag: re.Match[bytes],
    attribute: Attribute,
    aliases: dict[str, tuple[str, int, int]],
) -> Iterator[Place]:
    renaming = search.renaming
    facts = renaming.facts
    name, value, name_start, start, end = attribute
    if renaming.types:
        new = renaming.reflected(value)
        if new != value:
            yield Place(start, "UXML type", Reach.NOTHING, (Edit(start, end, new.encode()),))
        return
    if facts.kind == "enumMember":
        if facts.name in re.split(r"\s*,\s*", value) and _may_be_enum(search, tag, name, aliases):
            why = "if the attribute is of this enum, change it by hand"
            yield listed(start, "UXML value", why)
        return
    if facts.kind not in ("field", "property", "event"):
        return
    if name in _PATHS:
        parts = PropertyPath.read(value).parts
        if facts.name in parts or (renaming.key is not None and renaming.key in parts):
            why = "the object that is bound here isn't known"
            yield listed(start, "UXML binding", why)
    elif facts.is_visual_element and name == kebab_case(facts.name):
        _, namespace, own = _parts(tag["name"].decode("utf-8", "replace"), aliases)
        full = f"{namespace}.{own}" if namespace else own
        if full in {each.type.serialized.replace("/", ".") for each in facts.targets} or (
            facts.type is not None and full == facts.type.serialized.replace("/", ".")
        ):
            why = "add obsoleteNames to [UxmlAttribute], or change it by hand"
            yield listed(name_start, "UXML attribute", why)


def _may_be_enum(
    search: Search, tag: re.Match[bytes], name: str, aliases: dict[str, tuple[str, int, int]]
) -> bool:
    """Return whether a value may be an enum's: its tag isn't Unity's, or names the enum's type."""
    if name in _TEXTS or ":" in name:
        return False
    _, namespace, _ = _parts(tag["name"].decode("utf-8", "replace"), aliases)
    if not namespace.startswith(("UnityEngine", "UnityEditor")):
        return True
    own = search.renaming.facts.type
    return own is not None and any(
        value.partition(",")[0] == own.reflected for _, value, *_ in attributes_of(tag)
    )


def tags_of(data: bytes) -> list[re.Match[bytes]]:
    """Return the tags of an XML text, without its comments."""
    return [tag for tag in _TAG.finditer(data) if tag["name"] is not None]


def attributes_of(tag: re.Match[bytes]) -> Iterator[Attribute]:
    """Yield a tag's attributes."""
    base = tag.start("attributes")
    for found in _ATTRIBUTE.finditer(tag["attributes"]):
        group = 2 if found[2] is not None else 3
        name = found[1].decode("utf-8", "replace")
        value = found[group].decode("utf-8", "replace")
        yield name, value, base + found.start(1), base + found.start(group), base + found.end(group)


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
    """Return the full names of the renamed namespace, and of those in it.

    The symbol's name is only the last part of the namespace's.
    """
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
    """Return whether ``pattern``, which may have ``*``, matches a type only by its old name."""
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
