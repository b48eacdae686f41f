"""Decide which of git's changes a bundle can't make: because of a script's name, place or
``.meta``.

Part of docs/design/command-line.md ``bundle``. git's trees may have names that no request can hold,
and names that are the same on Windows and macOS; a change set that creates such a name is refused
by the same rules.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from mcp_server.bundles.git_program import TreeEntry
from snippet_engine.changes.between import NotMade, ScriptChange, without_dependents
from snippet_engine.errors import one_line
from snippet_engine.storage.paths.project import META, why_too_long
from snippet_engine.storage.paths.request_path import why_not_sent
from snippet_engine.storage.system.portable_names import (
    WHY_ONE,
    one_name,
    twin_among,
    why_not_portable,
)


def why_not_named(script: ScriptChange, had_folder: Callable[[str], bool]) -> NotMade | None:
    """Return why no request can make this change, if its name is the reason.

    ``had_folder`` returns whether a folder existed before. Such a folder stays, whatever its name.
    """
    for path in (script.path, script.place):
        why = why_not_sent(path)
        if why is not None:
            return script.not_made(path, f"its path {why}")
    if script.old is not None and script.new_path is None:
        return None
    names = script.place.split("/")
    why = why_too_long(names)
    if why is None and why_not_portable(names) is not None:
        known = 0
        while known < len(names) - 1 and had_folder("/".join(names[: known + 1])):
            known += 1
        why = why_not_portable(names[known:])
    return None if why is None else script.not_made(script.place, f"its path {why}")


def without_crowded(
    scripts: Sequence[ScriptChange], tree: Mapping[str, TreeEntry]
) -> tuple[list[ScriptChange], list[NotMade]]:
    """Return the scripts whose new places are free, and what is left out, dependents included.

    ``tree`` has the entries that existed before, by path.
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
        # One that is left out stays at its old place, which may be another's new one.
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
        why = _taken(each.place, tree, names, left) or _twin_of_new(each.place, spelled)
        if why is not None:
            yield each.not_made(each.place, why)


def _taken(
    place: str,
    tree: Mapping[str, TreeEntry],
    names: Mapping[str, Sequence[str]],
    left: set[str],
) -> str | None:
    """Return what already occupies the place, apart from scripts that leave their paths."""
    for path in _upwards(place):
        entry = tree.get(path)
        if entry is None:
            continue
        if path != place and not entry.is_folder:
            return f"{one_line(path)} is a file, not a folder"
        if path == place and path not in left:
            return f"a {'folder' if entry.is_folder else 'file'} of that name exists already"
    twin = twin_among(
        place.split("/"),
        lambda path: "/".join(path) in tree,
        lambda folder: names.get("/".join(folder), ()),
    )
    there = None if twin is None else "/".join(twin)
    if there is None or (there in left and there.count("/") == place.count("/")):
        return None
    return f"{one_line(there)} exists already, and {WHY_ONE}"


def _twin_of_new(place: str, spelled: Mapping[str, set[str]]) -> str | None:
    """Return which other new script, or its folder, has the same name on some systems."""
    for path in _upwards(place):
        others = sorted(spelled[one_name(path)] - {path})
        if others:
            return f"{one_line(others[0])} is new, too, and {WHY_ONE}"
    return None


def _upwards(path: str) -> Iterator[str]:
    """Yield the path, then each parent folder."""
    while path:
        yield path
        path = path.rpartition("/")[0]


def metas_left_out(
    scripts: Iterable[ScriptChange],
    before: Mapping[str, bytes | None],
    after: Mapping[str, bytes | None],
) -> tuple[str, ...]:
    """Return the ``.meta`` files that would differ from ``after`` once ``scripts`` are applied,
    sorted.

    A change set moves a script's ``.meta`` along and deletes it with its script; it neither creates
    nor changes one. ``before`` and ``after`` are the contents; ``None`` if the file doesn't exist.
    """
    made = dict(before)
    leaving = [each for each in scripts if each.new is None or each.new_path is not None]
    made |= dict.fromkeys([each.path + META for each in leaving])
    # After that: one script may move to a place that another leaves.
    made |= {
        each.place + META: before[each.path + META]
        for each in leaving
        if each.new is not None and before.get(each.path + META) is not None
    }
    return tuple(path for path in sorted(after) if made.get(path) != after[path])
