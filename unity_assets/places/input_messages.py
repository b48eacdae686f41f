"""Messages of a ``PlayerInput`` (row 15): it calls ``On`` and the action's name."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from unity_assets.objects import MONO_BEHAVIOUR, Reference, script_of
from unity_assets.results import Conflict
from unity_assets.yaml.limits import MalformedError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from unity_assets.asset_file import AssetFile, Reader
    from unity_assets.facts import SymbolFacts
    from unity_assets.index.project_index import ProjectIndex

PLAYER_INPUT = "62899f850307741f2a39c98a8b639597"
_SENDS_MESSAGES = ("0", "1")
_OWN = ("DeviceLost", "DeviceRegained", "ControlsChanged")
_NOT_LETTERS = re.compile(r"[^\w]")


def input_conflicts(facts: SymbolFacts, index: ProjectIndex, reader: Reader) -> Iterator[Conflict]:
    """Yield each ``PlayerInput`` that calls the method by its name."""
    if facts.kind != "method" or not facts.targets or not facts.name.startswith("On"):
        return
    action = facts.name.removeprefix("On")
    for path in sorted(index.with_guid(PLAYER_INPUT)):
        file = reader.open(path)
        if file is None:
            continue
        for document in file.documents.all:
            try:
                if document.class_id == MONO_BEHAVIOUR and script_of(document) == PLAYER_INPUT:
                    if document.body.text_at("m_NotificationBehavior") not in _SENDS_MESSAGES:
                        continue
                    actions = Reference.read(document.body.get("m_Actions"))
                    if action in _OWN or action in _actions(actions.guid, index, reader):
                        yield _conflict(file, document.start, facts.name)
            except MalformedError:
                continue


def _conflict(file: AssetFile, offset: int, name: str) -> Conflict:
    message = f"A PlayerInput here sends the message {name}: rename its action too, or use force."
    return Conflict(file.path, file.line(offset), message)


def _actions(guid: str, index: ProjectIndex, reader: Reader) -> set[str]:
    names: set[str] = set()
    for path in index.paths_by_guid.get(guid, []):
        file = reader.open(path)
        if file is None or not path.lower().endswith(".inputactions"):
            continue
        try:
            maps = json.loads(file.data)["maps"]
            names |= {_message(each) for map_ in maps for each in map_["actions"]}
        except (ValueError, KeyError, TypeError, RecursionError):
            continue
    return names


def _message(action: dict[str, Any]) -> str:
    """Return the action's name as PlayerInput makes it a method's: letters, the first upper."""
    name = _NOT_LETTERS.sub("", str(action["name"]))
    return name[:1].upper() + name[1:]
