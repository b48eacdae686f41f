"""``.inputactions``: interactions, processors and composites, by class and field."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from unity_assets.places.place import Place, listed
from unity_assets.renaming import ACTION_ENDINGS

if TYPE_CHECKING:
    from unity_assets.asset_file import AssetFile
    from unity_assets.places.place import Search

_VALUE = re.compile(rb'"(processors|interactions|path)"\s*:\s*"([^"\\\n]*)"')
_CALL = re.compile(r"(?:^|[,;])\s*(?P<name>\w+)(?:\((?P<values>[^()]*)\))?(?=\s*(?:$|[,;]))")
_WHY = "an action names what is registered for it: change it by hand"


def places_in_actions(search: Search, file: AssetFile) -> list[Place]:
    """Return the values that name the class, as it is registered, or its field."""
    return [
        listed(value.start(2), "input action", _WHY)
        for value in _VALUE.finditer(file.data)
        if any(_is_ours(search, each) for each in _CALL.finditer(_text(value)))
    ]


def _text(value: re.Match[bytes]) -> str:
    return value[2].decode("utf-8", "replace")


def _is_ours(search: Search, call: re.Match[str]) -> bool:
    renaming = search.renaming
    facts = renaming.facts
    if facts.kind == "type":
        return call["name"] in _registered_names(facts.name)
    if facts.kind not in ("field", "property") or facts.type is None or not call["values"]:
        return False
    is_set = re.search(rf"(?:^|,)\s*{re.escape(facts.name)}\s*=", call["values"])
    return bool(is_set) and call["name"] in _registered_names(facts.type.last)


def _registered_names(name: str) -> list[str]:
    """Return the names that the Input System may know a class by."""
    return [name, *(name.removesuffix(each) for each in ACTION_ENDINGS if name.endswith(each))]
