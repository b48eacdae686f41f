"""Find scripts whose paths resemble one that does not exist (docs/design/engine.md §8)."""

from __future__ import annotations

import os
import posixpath
from collections import deque
from collections.abc import Iterator
from pathlib import Path

from snippet_engine.storage.paths.request_path import parse_request_path
from snippet_engine.storage.system.true_names import folded

_MAX_ANSWERS = 5
_MAX_ENTRIES = 20_000
"""Directory entries looked at."""

_MAX_COMPARED = 300
_MAX_LENGTH_DIFFERENCE = 4


def nearest_scripts(root: Path, top_folders: tuple[str, ...], path: str) -> list[str]:
    """Return at most five existing scripts below ``top_folders``: same name, then similar ones."""
    found = list(_scripts(root, top_folders))
    folder, _, name = path.rpartition("/")
    same_name = [each for each in found if folded(_name(each)) == folded(name)]
    siblings = [each for each in found if folded(each.rpartition("/")[0]) == folded(folder)]
    alike = _spelled_alike(name, siblings) or _spelled_alike(name, found)
    # The more folders in common, the likelier a file that only moved a little.
    same_name.sort(key=lambda each: -len(posixpath.commonpath((folded(each), folded(path)))))
    answers = dict.fromkeys(same_name + alike)
    # Names on disk may hold what a request may not, such as bytes that are no Unicode.
    sendable = [each for each in answers if isinstance(parse_request_path(each, ""), tuple)]
    return sendable[:_MAX_ANSWERS]


def _spelled_alike(name: str, paths: list[str]) -> list[str]:
    import difflib  # noqa: PLC0415 - needed only on the way to an error

    initial = folded(name)[:1]
    by_name: dict[str, str] = {}
    for path in paths:
        other = _name(path)
        # Comparing is slow; a slip of the pen seldom is in the first letter.
        if folded(other)[:1] == initial and abs(len(other) - len(name)) <= _MAX_LENGTH_DIFFERENCE:
            by_name.setdefault(other, path)
            if len(by_name) == _MAX_COMPARED:
                break
    return [by_name[match] for match in difflib.get_close_matches(name, by_name, _MAX_ANSWERS)]


def _name(path: str) -> str:
    return path.rpartition("/")[2]


def _scripts(root: Path, top_folders: tuple[str, ...]) -> Iterator[str]:
    """Yield relative paths of the scripts, shallow ones first."""
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
