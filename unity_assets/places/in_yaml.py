"""Find every place of a symbol in a YAML file: each rule judges each occurrence of the word.

Visual Scripting's graphs and Odin's data (rows 19, 20) are listed only.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from unity_assets.asset_file import Occurrences
from unity_assets.places.calls import animation_event, named_by_string, unity_event_call
from unity_assets.places.keys import serialized_key
from unity_assets.places.overrides import property_path
from unity_assets.places.place import Place, Site, listed
from unity_assets.places.type_names import type_name
from unity_assets.results import StoppedError
from unity_assets.yaml.scalars import MalformedError

if TYPE_CHECKING:
    from collections.abc import Callable

    from unity_assets.asset_file import AssetFile
    from unity_assets.places.place import Place, Search
    from unity_assets.yaml.documents import Document

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
    # A member is listed only with a type that declares, implements or inherits it.
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


RULES = (
    *(serialized_key, foreign_data, property_path, unity_event_call, animation_event),
    *(named_by_string, type_name),
)


def places_in_yaml(
    search: Search, file: AssetFile, should_stop: Callable[[], bool]
) -> tuple[list[Place], str]:
    """Return the places, and why a part of the file couldn't be searched; empty if all was."""
    places: list[Place] = []
    problem = ""
    occurrences = Occurrences(file.data, search.renaming.forms)
    end = 0
    while (offset := occurrences.at_or_after(end)) is not None:
        if should_stop():
            raise StoppedError
        document = file.documents.at(offset)
        if document is None:
            end = offset + 1
            continue
        try:
            place, end = _place(search, file, document, offset)
        except MalformedError as error:
            problem = problem or f"line {file.line(error.offset)} can't be read: {error.reason}"
            end = document.end
            continue
        if place is not None:
            places.append(place)
    return places, problem


def _place(
    search: Search, file: AssetFile, document: Document, offset: int
) -> tuple[Place | None, int]:
    """Return the place at ``offset``, and the end of the key or value that was judged."""
    chain = document.chain(offset)
    if not chain:
        return None, offset + 1
    last = chain[-1]
    in_key = isinstance(last.key, str) and last.key_start <= offset < last.key_end
    is_read = not in_key and last.value.start <= offset < last.value.end
    end = last.key_end if in_key else last.value.end if is_read else offset + 1
    site = Site(search, file, document, chain, in_key)
    for rule in RULES:
        place = rule(site)
        if place is not None:
            return place, max(end, _end_of(place))
    return None, end


def _end_of(place: Place) -> int:
    return max((each.end for each in place.edits if each.start == place.offset), default=0)
