"""Which script became which: to Unity the GUID in its ``.meta`` is the script.

Part of docs/design/command-line.md ``bundle``. git tells moves by texts that are alike, and finds
none among files that it doesn't know yet.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from snippet_engine.changes.between import ScriptChange
from snippet_engine.storage.paths.project import META


def told_by_guids(
    scripts: Sequence[ScriptChange], was: Mapping[str, str | None], is_: Mapping[str, str | None]
) -> list[ScriptChange]:
    """``scripts``, as git has them, each new one made of the old one that had its GUID.

    ``was`` and ``is_`` have the GUIDs by the paths of the ``.meta`` files, before and afterwards.
    Where either has none, it is as git says; where both have one, and they differ, none moved.
    """
    old = {each.path: each.old for each in scripts if each.old is not None}
    made_of = _made_of(scripts, old, was, is_)
    used = set(made_of.values())
    told: list[ScriptChange] = []
    for each in scripts:
        if each.path in old and each.path not in used:
            told.append(ScriptChange(each.path, old[each.path], None))
        if each.new is not None:
            path = made_of.get(each.place)
            if path is None:
                told.append(ScriptChange(each.place, None, each.new))
            else:
                new_path = each.place if path != each.place else None
                told.append(ScriptChange(path, old[path], each.new, new_path))
    return told


def _made_of(
    scripts: Sequence[ScriptChange],
    old: Mapping[str, bytes],
    was: Mapping[str, str | None],
    is_: Mapping[str, str | None],
) -> dict[str, str]:
    """By the place of a script afterwards, its path before; new ones are left out."""
    new = [each for each in scripts if each.new is not None]
    made_of: dict[str, str] = {}
    free = set(old)

    def take(path: str, place: str) -> None:
        made_of[place] = path
        free.remove(path)

    for each in new:  # before others may take it: a copy has the same GUID
        guid = is_.get(each.place + META)
        if each.path in free and guid is not None and was.get(each.path + META) == guid:
            take(each.path, each.place)
    having = {
        guid: path
        for path in reversed(list(old))
        if path in free and (guid := was.get(path + META)) is not None
    }
    for each in new:
        guid = is_.get(each.place + META)
        if each.place not in made_of and guid is not None and having.get(guid) in free:
            take(having[guid], each.place)
    for each in new:
        if each.place in made_of or each.path not in free:
            continue
        guids = {was.get(each.path + META), is_.get(each.place + META)} - {None}
        if each.path == each.place or len(guids) < 2:
            take(each.path, each.place)
    return made_of
