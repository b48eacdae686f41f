"""Which scripts a bundle can't put where git has them, for what is there or is put there, too.

Part of docs/design/command-line.md ``bundle``. git's trees may have names that are one on Windows
and macOS; a change set that makes such is refused, by the same rule.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from mcp_server.bundles.git_program import TreeEntry
from snippet_engine.changes.between import NotMade, ScriptChange, without_dependents
from snippet_engine.errors import one_line
from snippet_engine.storage.system.portable_names import WHY_ONE, one_name, twin_among


def without_crowded(
    scripts: Sequence[ScriptChange], tree: Mapping[str, TreeEntry]
) -> tuple[list[ScriptChange], list[NotMade]]:
    """The scripts that can be where they should, and the others, with what hangs on these.

    ``tree`` is what is there before, by paths.
    """
    names: dict[str, list[str]] = defaultdict(list)
    for path in tree:
        folder, _, name = path.rpartition("/")
        names[folder].append(name)
    kept, unmade = list(scripts), list[NotMade]()
    while True:
        crowded = list(_crowded(kept, tree, names))
        if not crowded:
            return kept, unmade
        # One that is left out stays where it is, which may be in the way of others.
        gone = {each.paths for each in crowded}
        rest = [each for each in kept if (each.path, each.place) not in gone]
        kept, hanging = without_dependents(rest, crowded)
        unmade += [*crowded, *hanging]


def _crowded(
    scripts: Sequence[ScriptChange],
    tree: Mapping[str, TreeEntry],
    names: Mapping[str, Sequence[str]],
) -> Iterator[NotMade]:
    left = {each.path for each in scripts if each.new is None or each.new_path is not None}
    new = [
        each
        for each in scripts
        if each.new is not None and (each.old is None or each.new_path is not None)
    ]
    spelled: dict[str, set[str]] = defaultdict(set)
    for each in new:
        for path in _upwards(each.place):
            spelled[one_name(path)].add(path)
    for each in new:
        why = _beside_what_is_there(each.place, tree, names, left)
        if why is None:
            why = _beside_each_other(each.place, spelled)
        if why is not None:
            yield each.not_made(each.place, why)


def _beside_what_is_there(
    place: str,
    tree: Mapping[str, TreeEntry],
    names: Mapping[str, Sequence[str]],
    left: set[str],
) -> str | None:
    """Why what was there before is in the way, but for scripts that leave their paths."""
    for path in _upwards(place):
        entry = tree.get(path)
        if entry is None:
            continue
        if path != place and not entry.is_folder:
            return f"{one_line(path)} is a file, so it is no folder"
        if path == place and path not in left:
            return f"a {'folder' if entry.is_folder else 'file'} is there already"
    twin = twin_among(
        place.split("/"),
        lambda path: "/".join(path) in tree,
        lambda folder: names.get("/".join(folder), ()),
    )
    there = None if twin is None else "/".join(twin)
    if there is None or (there in left and there.count("/") == place.count("/")):
        return None
    return f"{one_line(there)} is there already, and {WHY_ONE}"


def _beside_each_other(place: str, spelled: Mapping[str, set[str]]) -> str | None:
    """Why another new script is in the way, or its folder."""
    for path in _upwards(place):
        others = sorted(spelled[one_name(path)] - {path})
        if others:
            return f"{one_line(others[0])} is new, too, and {WHY_ONE}"
    return None


def _upwards(path: str) -> Iterator[str]:
    """The path, and each folder that it is in."""
    while path:
        yield path
        path = path.rpartition("/")[0]
