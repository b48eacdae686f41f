"""Explain why a path doesn't lead to a script, or a folder isn't a project; find similar scripts.

Part of docs/design/engine.md §6 and §8. A path of another project or worktree is refused. Read from
its ``Assets`` on, it could name a script of this project, which its sender didn't intend.
"""

from __future__ import annotations

import os
import posixpath
import stat
from collections import deque
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

from snippet_engine.errors import ErrorCode, SnippetError, shortened_start, show
from snippet_engine.storage.paths.request_path import SCRIPT_ROOTS, local_path, parse_request_path
from snippet_engine.storage.system.names import folded, within_reach

_MAX_SHOWN_FOLDER = 65
"""Most code points of a folder's path in a message, so that two fit."""


def kind_of(mode: int) -> str:
    """Return in words the kind of a path that isn't a regular file."""
    if stat.S_ISDIR(mode):
        return "a folder"
    if stat.S_ISLNK(mode):
        return "a link that leads in a circle"
    return "a FIFO" if stat.S_ISFIFO(mode) else "a device or socket"


def not_allowed(relative: str, why: str) -> SnippetError:
    """Return ``path_not_allowed``; ``why`` continues the sentence after the path."""
    return SnippetError(
        ErrorCode.PATH_NOT_ALLOWED,
        f"{show(relative)} {why}. Send a path of a .cs file inside Assets/ or Packages/.",
    )


def in_package_cache(relative: str) -> SnippetError:
    """Return ``read_only`` for a script in the package cache."""
    return SnippetError(
        ErrorCode.READ_ONLY,
        f"{show(relative)} belongs to a downloaded package, which Unity restores. To change it, "
        "copy its folder from Library/PackageCache to Packages/.",
    )


def why_no_project(folder: Path) -> str:
    """Return what is wrong with ``folder``, which has no ``Assets``, and what to name instead."""
    if not os.path.exists(folder):
        return f"There is no folder {_end_of(folder)}. Name the folder that holds Assets."
    lacks = "has no Assets folder" if os.path.isdir(folder) else "is not a folder"
    above = next((each for each in folder.parents if os.path.isdir(each / "Assets")), None)
    instead = "the folder that holds Assets" if above is None else _end_of(above)
    return f"{_end_of(folder)} is not a Unity project: it {lacks}. Name {instead}."


def _end_of(folder: Path) -> str:
    text = str(folder)
    return shortened_start(text, _MAX_SHOWN_FOLDER)


_SERVED = frozenset(each.casefold() for each in SCRIPT_ROOTS)


def refuse_other_project(path: str, root: Path) -> SnippetError | None:
    """Return ``path_not_allowed`` if ``path`` is in another project or worktree than ``root``.

    A relative path is resolved from ``root`` and from each of its parents.
    """
    plain = local_path(path)
    is_absolute = plain.startswith("/") or plain[1:2] == ":"
    bases = (root,) if is_absolute else (root, *root.parents)
    if not any(_leads_elsewhere(base, plain, root) for base in bases):
        return None
    what = "That absolute path" if is_absolute else show(path)
    return SnippetError(
        ErrorCode.PATH_NOT_ALLOWED,
        f"{what} is in another project or worktree. This one is {show(root.name)}: for another, "
        "name its folder with --project.",
        details={"project": root.name},
    )


def _leads_elsewhere(base: Path, plain: str, root: Path) -> bool:
    """Return whether a folder on the way to ``plain`` is another project than ``root``."""
    place = Path(os.path.normpath(base / plain))
    if place.is_relative_to(root):
        top = place.relative_to(root).parts[:1]
        if top and top[0].casefold() in _SERVED:
            return False
    for folder in reversed(place.parents):
        if not os.path.isdir(folder):
            return False
        # A path such as Scripts/Player.cs doesn't mean a checkout next to the project.
        is_worktree = base not in root.parents and os.path.lexists(folder / ".git")
        if is_worktree or os.path.isdir(folder / "Assets"):
            real = Path(os.path.realpath(folder))
            if real != root and real not in root.parents:
                return True
    return False


_MAX_ANSWERS = 5
_MAX_ENTRIES = 20_000
_MAX_COMPARED = 300
_MAX_LENGTH_DIFFERENCE = 4


def nearest_scripts(root: Path, top_folders: tuple[str, ...], path: str) -> list[str]:
    """Return at most five existing scripts below ``top_folders``, best first.

    First come scripts of the same name in any folder, then similar names.
    """
    found = list(scripts_below(root, top_folders, _MAX_ENTRIES, []))
    folder, _, name = path.rpartition("/")
    same_name = [each for each in found if folded(_name(each)) == folded(name)]
    siblings = [each for each in found if folded(each.rpartition("/")[0]) == folded(folder)]
    alike = _spelled_alike(name, siblings) or _spelled_alike(name, found)
    # A moved file probably has most folders in common with its old path.
    same_name.sort(key=lambda each: -len(posixpath.commonpath((folded(each), folded(path)))))
    answers = dict.fromkeys(same_name + alike)
    # Names on disk may have parts that a request can't have, such as bytes that are no Unicode.
    sendable = [each for each in answers if isinstance(parse_request_path(each, ""), tuple)]
    return sendable[:_MAX_ANSWERS]


def _spelled_alike(name: str, paths: list[str]) -> list[str]:
    import difflib  # noqa: PLC0415 - needed only on the way to an error

    initial = folded(name)[:1]
    by_name: dict[str, str] = {}
    for path in paths:
        other = _name(path)
        # Comparing is slow, and a typing error is seldom in the first letter.
        if folded(other)[:1] == initial and abs(len(other) - len(name)) <= _MAX_LENGTH_DIFFERENCE:
            by_name.setdefault(other, path)
            if len(by_name) == _MAX_COMPARED:
                break
    return [by_name[match] for match in difflib.get_close_matches(name, by_name, _MAX_ANSWERS)]


def _name(path: str) -> str:
    return path.rpartition("/")[2]


def scripts_below(
    root: Path, top_folders: Sequence[str], most_entries: int, unread: list[str]
) -> Iterator[str]:
    """Yield the relative paths of scripts, shallow ones first; follow no link, open no file.

    Visits at most ``most_entries`` folder entries. Adds every path that it didn't examine to
    ``unread``.
    """
    folders, entries = deque(top_folders), 0
    while folders:
        folder = folders.popleft()
        try:
            with os.scandir(within_reach(root / folder)) as listing:
                few = islice(listing, most_entries - entries + 1)
                listed = sorted(few, key=lambda entry: entry.name)
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError:
            unread.append(folder)
            continue
        for entry in listed:
            entries += 1
            if entries > most_entries:
                unread += [folder, *folders]
                return
            path = f"{folder}/{entry.name}"
            try:
                if entry.name.endswith(".cs") and entry.is_file(follow_symlinks=False):
                    yield path
                elif entry.name[0] != "." and entry.is_dir(follow_symlinks=False):
                    folders.append(path)
            except OSError:
                unread.append(path)
