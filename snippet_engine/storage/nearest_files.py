"""Scripts whose paths resemble one that does not exist, so that the next request finds it.

Implements the help of spec 01-snippet-engine §8 for ``file_not_found``.
"""

from __future__ import annotations

import os
import posixpath
from collections import deque
from collections.abc import Iterator
from pathlib import Path

_MAX_ANSWERS = 5
_MAX_ENTRIES = 20_000
"""Directory entries looked at; a search of this size takes some 50 ms."""


def nearest_scripts(root: Path, top_folders: tuple[str, ...], path: str) -> list[str]:
    """At most five paths of existing scripts below ``top_folders`` of ``root``, best first.

    First scripts of the same name in other folders, then names in the same folder that are
    spelled alike, then such names anywhere. The search looks at a bounded number of entries,
    follows no links and opens no files.
    """
    import difflib  # noqa: PLC0415 - needed only on the way to an error

    found = list(_scripts(root, top_folders))
    folder, _, name = path.rpartition("/")
    same_name = [each for each in found if _name(each).casefold() == name.casefold()]
    siblings = {_name(each): each for each in found if each.rpartition("/")[0] == folder}
    alike = [siblings[match] for match in difflib.get_close_matches(name, siblings, _MAX_ANSWERS)]
    by_name = {_name(each): each for each in found}
    further = [by_name[match] for match in difflib.get_close_matches(name, by_name, _MAX_ANSWERS)]
    # The more folders in common, the likelier a file that only moved a little.
    same_name.sort(key=lambda each: -len(posixpath.commonpath((each, path))))
    return list(dict.fromkeys(same_name + alike + further))[:_MAX_ANSWERS]


def _name(path: str) -> str:
    return path.rpartition("/")[2]


def _scripts(root: Path, top_folders: tuple[str, ...]) -> Iterator[str]:
    """Relative paths of the scripts, shallow ones first."""
    folders = deque(top_folders)
    entries = 0
    while folders:
        folder = folders.popleft()
        try:
            with os.scandir(root / folder) as listing:
                for entry in listing:
                    entries += 1
                    if entries > _MAX_ENTRIES:
                        return
                    path = f"{folder}/{entry.name}"
                    if entry.name.endswith(".cs") and entry.is_file(follow_symlinks=False):
                        yield path
                    elif not entry.name.startswith(".") and entry.is_dir(follow_symlinks=False):
                        folders.append(path)
        except OSError:
            continue  # A folder that can't be listed has nothing to suggest.
