"""Find every place of a symbol in a YAML file: each occurrence of the word, asked of each rule."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unity_assets.places.calls import animation_event, unity_event_call
from unity_assets.places.keys import serialized_key
from unity_assets.places.listed import foreign_data
from unity_assets.places.overrides import property_path
from unity_assets.places.place import Site
from unity_assets.places.type_names import type_name
from unity_assets.yaml.limits import MalformedError

if TYPE_CHECKING:
    from collections.abc import Callable

    from unity_assets.asset_file import AssetFile
    from unity_assets.places.place import Place, Search
    from unity_assets.yaml.documents import Document

RULES = (serialized_key, foreign_data, property_path, unity_event_call, animation_event, type_name)


def places_in_yaml(
    search: Search, file: AssetFile, should_stop: Callable[[], bool]
) -> tuple[list[Place], str]:
    """Return the places, and why a part of the file couldn't be searched, if one couldn't."""
    places: dict[int, Place] = {}
    problem = ""
    unreadable: Document | None = None
    for offset in search.renaming.occurrences(file.data):
        document = file.documents.at(offset)
        if document is None or document is unreadable:
            continue
        if should_stop():
            break
        try:
            place = _place(search, file, document, offset)
        except MalformedError as error:
            unreadable = document
            problem = problem or f"line {file.line(error.offset)} can't be read: {error.reason}"
            continue
        if place is not None:
            places.setdefault(place.offset, place)
    return list(places.values()), problem


def _place(search: Search, file: AssetFile, document: Document, offset: int) -> Place | None:
    chain = document.chain(offset)
    if not chain:
        return None
    last = chain[-1]
    in_key = isinstance(last.key, str) and last.key_start <= offset < last.key_end
    site = Site(search, file, document, chain, in_key)
    for rule in RULES:
        place = rule(site)
        if place is not None:
            return place
    return None
