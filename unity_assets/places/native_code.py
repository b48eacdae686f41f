"""Native plugins and web pages: messages that they may send to scripts, by a method's name."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from unity_assets.places.place import Place, listed

if TYPE_CHECKING:
    from unity_assets.asset_file import AssetFile
    from unity_assets.places.place import Search

_WHY = "native code may send this message"


def places_in_native_code(search: Search, file: AssetFile) -> list[Place]:
    """Return the strings that are the name of a method that a message can call."""
    facts = search.renaming.facts
    if facts.kind != "method" or not facts.targets:
        return []
    name = re.escape(facts.name.encode())
    found = re.finditer(rb"""(?P<quote>["'`])""" + name + rb"(?P=quote)", file.data)
    return [listed(each.start() + 1, "native code", _WHY, lost=False) for each in found]
