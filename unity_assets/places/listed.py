"""What is listed only (rows 19, 20): Visual Scripting's graphs and Odin's data."""

from __future__ import annotations

import re

from unity_assets.places.place import Place, Site, listed

VISUAL_SCRIPTING, ODIN = "Visual Scripting", "Odin data"


def foreign_data(site: Site) -> Place | None:
    """Return the place of a name in data that Unity itself doesn't read."""
    if site.entry.key == "_json":
        return _visual_scripting(site)
    if "serializationData" in site.keys:
        return _odin(site)
    return None


def _visual_scripting(site: Site) -> Place | None:
    renaming = site.search.renaming
    text = site.value.text
    names = [each.reflected for each in renaming.types] or [renaming.facts.name]
    # A member stands beside a type that has it: also one that implements or inherits it.
    facts = renaming.facts
    if facts.type is not None and not renaming.types:
        others = [*(each.type for each in facts.targets), *(each.type for each in facts.holders)]
        if not any(each.last in text for each in (facts.type, *others)):
            return None
    if not any(
        re.search(rf'"[^"]*(?<![\w]){re.escape(each)}(?![\w])[^"]*"', text) for each in names
    ):
        return None
    why = "add [RenamedFrom] in C#, or change the graph in Unity"
    return listed(site.value.start, VISUAL_SCRIPTING, why)


def _odin(site: Site) -> Place | None:
    renaming = site.search.renaming
    if renaming.types:
        if not renaming.names_type(site.value.text):
            return None
        why = "add [assembly: BindTypeNameToType] in C#"
        return listed(site.value.start, ODIN, why)
    if site.in_key or site.value.text != renaming.facts.name or site.entry.key != "Name":
        return None
    if renaming.facts.kind not in ("field", "property"):
        return None
    if renaming.facts.keeps_key:
        return listed(site.value.start, ODIN, "Odin reads it by [FormerlySerializedAs]", lost=False)
    why = "if it is this member's, add [FormerlySerializedAs] in C#: Odin reads it"
    return listed(site.value.start, ODIN, why)
