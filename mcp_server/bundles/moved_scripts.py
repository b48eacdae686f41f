"""Find moved scripts by the GUID in their ``.meta``, which identifies a script for Unity.

Part of docs/design/command-line.md ``bundle``. git finds moves by similar texts, and none among
files that it doesn't track yet.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from snippet_engine.changes.between import ScriptChange
from snippet_engine.storage.paths.project import META


def moved_by_guids(
    scripts: Sequence[ScriptChange], was: Mapping[str, str | None], is_: Mapping[str, str | None]
) -> list[ScriptChange]:
    """Return ``scripts`` with each new script joined to the old one that had its GUID.

    ``was`` and ``is_`` are the GUIDs by the paths of the ``.meta`` files, before and after. For a
    script without a GUID on either side, git decides; one whose two GUIDs differ did not move.
    """
    old = {each.path: each.old for each in scripts if each.old is not None}
    made_of = _sources(scripts, old, was, is_)
    used = set(made_of.values())
    found: list[ScriptChange] = []
    for each in scripts:
        if each.path in old and each.path not in used:
            found.append(ScriptChange(each.path, old[each.path], None))
        if each.new is not None:
            path = made_of.get(each.place)
            if path is None:
                found.append(ScriptChange(each.place, None, each.new))
            else:
                new_path = each.place if path != each.place else None
                found.append(ScriptChange(path, old[path], each.new, new_path))
    return found


def _sources(
    scripts: Sequence[ScriptChange],
    old: Mapping[str, bytes],
    was: Mapping[str, str | None],
    is_: Mapping[str, str | None],
) -> dict[str, str]:
    """Return the old path of each script, by its new place; new scripts have none."""
    new = [each for each in scripts if each.new is not None]
    sources: dict[str, str] = {}
    free = set(old)

    def take(path: str, place: str) -> None:
        sources[place] = path
        free.remove(path)

    for each in new:  # first, as a copy has the same GUID
        guid = is_.get(each.place + META)
        if each.path in free and guid is not None and was.get(each.path + META) == guid:
            take(each.path, each.place)
    by_guid = {
        guid: path
        for path in reversed(list(old))
        if path in free and (guid := was.get(path + META)) is not None
    }
    for each in new:
        guid = is_.get(each.place + META)
        if each.place not in sources and guid is not None and by_guid.get(guid) in free:
            take(by_guid[guid], each.place)
    for each in new:
        if each.place not in sources and each.path in free:
            guids = {was.get(each.path + META), is_.get(each.place + META)} - {None}
            if each.path == each.place or len(guids) < 2:
                take(each.path, each.place)
    return sources
