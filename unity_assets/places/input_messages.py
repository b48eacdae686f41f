"""Messages of a ``PlayerInput`` (row 15): it calls ``On`` and the action's name.

A ``PlayerInputManager`` sends messages, too. A prefab's component may send none until an override
of an instance makes it.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from unity_assets.objects import MONO_BEHAVIOUR, PREFAB_INSTANCE, Objects, Reference, script_of
from unity_assets.results import Conflict
from unity_assets.yaml.scalars import MalformedError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from unity_assets.asset_file import AssetFile, Reader
    from unity_assets.facts import SymbolFacts
    from unity_assets.index.project_index import ProjectIndex
    from unity_assets.yaml.documents import Document
    from unity_assets.yaml.nodes import Node

PLAYER_INPUT = "62899f850307741f2a39c98a8b639597"
PLAYER_INPUT_MANAGER = "621567455fd1c4ceb811cc8a00b6a1a5"
_SENDERS = (PLAYER_INPUT, PLAYER_INPUT_MANAGER)
_BEHAVIOUR, _ACTIONS = "m_NotificationBehavior", "m_Actions"
_OF_MANAGER = ("PlayerJoined", "PlayerLeft")
_SENDS_MESSAGES = ("0", "1")
_OWN = ("DeviceLost", "DeviceRegained", "ControlsChanged")
_NOT_LETTERS = re.compile(r"[^\w]")


@dataclass(frozen=True)
class _Sender:
    """A component that may send messages: as its document or an override describes it."""

    file: AssetFile
    offset: int
    script: str
    behaviour: str
    actions: Reference


def input_conflicts(facts: SymbolFacts, index: ProjectIndex, reader: Reader) -> Iterator[Conflict]:
    """Yield each ``PlayerInput`` that calls the method by its name."""
    if facts.kind != "method" or not facts.targets or not facts.name.startswith("On"):
        return
    action = facts.name.removeprefix("On")
    for sender in _senders(index, reader):
        if sender.behaviour not in _SENDS_MESSAGES:
            continue
        if sender.script == PLAYER_INPUT_MANAGER:
            is_sent = action in _OF_MANAGER
        else:
            is_sent = action in _OWN or action in _actions(sender.actions.guid, index, reader)
        if is_sent:
            yield _conflict(sender, facts.name)


def _senders(index: ProjectIndex, reader: Reader) -> Iterator[_Sender]:
    objects = Objects(index, reader)
    files = index.with_guid(PLAYER_INPUT) | index.with_guid(PLAYER_INPUT_MANAGER)
    for path in sorted(files | index.with_any([_BEHAVIOUR.encode(), _ACTIONS.encode()])):
        file = reader.open(path)
        if file is None:
            continue
        for document in file.documents.all:
            try:
                if document.class_id == MONO_BEHAVIOUR:
                    script = script_of(document)
                    if script in _SENDERS:
                        behaviour = document.body.text_at(_BEHAVIOUR)
                        actions = Reference.read(document.body.get(_ACTIONS))
                        yield _Sender(file, document.start, script, behaviour, actions)
                elif document.class_id == PREFAB_INSTANCE:
                    yield from _overridden(file, document, objects)
            except MalformedError:
                continue


def _overridden(file: AssetFile, instance: Document, objects: Objects) -> Iterator[_Sender]:
    """Yield the senders of an instance whose behaviour or actions differ from the prefab's."""
    overrides = instance.body.get("m_Modification", "m_Modifications")
    told: dict[Reference, dict[str, Node]] = {}
    for each in overrides.entries if overrides is not None else []:
        name = each.value.text_at("propertyPath")
        if name in (_BEHAVIOUR, _ACTIONS):
            told.setdefault(Reference.read(each.value.get("target")), {})[name] = each.value
    for target, values in told.items():
        source = objects.resolve(file.path, target)
        if source.document is not None and source.script not in _SENDERS:
            continue
        body = source.document.body if source.document is not None else None
        behaviour = body.text_at(_BEHAVIOUR) if body is not None else ""
        actions = Reference.read(body.get(_ACTIONS) if body is not None else None)
        if _BEHAVIOUR in values:
            behaviour = values[_BEHAVIOUR].text_at("value")
        if _ACTIONS in values:
            actions = Reference.read(values[_ACTIONS].get("objectReference"))
        place = next(iter(values.values())).start
        yield _Sender(file, place, source.script, behaviour, actions)


def _conflict(sender: _Sender, name: str) -> Conflict:
    message = f"A PlayerInput here sends the message {name}: rename its action too, or use force."
    if sender.script == PLAYER_INPUT_MANAGER:
        message = f"A PlayerInputManager here sends the message {name}: use force to rename it."
    return Conflict(sender.file.path, sender.file.line(sender.offset), message)


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
    """Return PlayerInput's form of an action's name: its letters, the first in upper case."""
    name = _NOT_LETTERS.sub("", str(action["name"]))
    return name[:1].upper() + name[1:]
