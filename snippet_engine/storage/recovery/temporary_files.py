"""Find the remains of an unreadable record: paths in it, and temporary files.

Part of docs/design/engine.md §5 "Change sets". A temporary file has the ticket of its write in its
name. Nothing is opened or changed, and no link is followed.
"""

from __future__ import annotations

import json
import os
import re
import stat
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import cached_property

from snippet_engine.storage.files import TEMPORARY, temporary_name
from snippet_engine.storage.paths.project import META, Project, ScriptPath
from snippet_engine.storage.paths.request_path import FILE_ROOTS
from snippet_engine.storage.records.write_record import ticket_of
from snippet_engine.storage.system.names import leads_elsewhere, real_path, within_reach

MOST_ENTRIES = 400_000
"""Most directory entries that are visited; Unity's largest projects have fewer below ``Assets``."""
_MOST_PATHS = 1000
"""Most paths that are taken from a record: each file of a set has at most two."""

# Folders are the keys of an object, which the pattern excludes.
_PATH = re.compile(
    rb'"((?:Assets|Packages|ProjectSettings)/(?:[^"\\\x00-\x1f]|\\.){1,8192}?\.\w{1,32})"(?!:)'
)


class TemporaryFiles:
    """The temporary files of all writes in a project, searched once at the first question."""

    def __init__(self, project: Project, most_entries: int = MOST_ENTRIES) -> None:
        """Visit at most ``most_entries`` folder entries, those of outer folders first."""
        self._project = project
        self._most_entries = most_entries

    def of(self, ticket: str) -> list[str]:
        """Return the project-relative paths of one write's temporary files, sorted."""
        return sorted(self._found[0].get(ticket, ()))

    def look(self) -> None:
        """Search now instead of at the first question."""
        _ = self._found

    def without(self, records: Iterable[str]) -> list[str]:
        """Return the existing temporary files whose writes have no record among ``records``.

        ``records`` must be listed after the search.
        """
        known = set(map(ticket_of, records))
        lone = sorted(
            path
            for ticket, paths in self._found[0].items()
            if ticket not in known
            for path in paths
        )
        return [path for path in lone if os.path.lexists(within_reach(self._project.root / path))]

    @property
    def are_all(self) -> bool:
        """Return whether all folders were visited. One may be unreadable, or there are too many."""
        return self._found[1]

    @cached_property
    def _found(self) -> tuple[dict[str, list[str]], bool]:
        by_ticket: dict[str, list[str]] = {}
        entries, are_all = 0, True
        folders = deque(FILE_ROOTS)
        while folders:
            folder = folders.popleft()
            path = os.path.join(self._project.root, folder)  # noqa: PTH118 - as os.scandir
            try:
                with os.scandir(within_reach(real_path(path))) as listing:
                    for entry in listing:
                        entries += 1
                        if entries > self._most_entries:
                            return by_ticket, False
                        below = f"{folder}/{entry.name}"
                        named = TEMPORARY.fullmatch(entry.name)
                        if named is not None:
                            by_ticket.setdefault(named["ticket"], []).append(_as_text(below))
                        elif entry.is_dir(follow_symlinks=False) and not _is_link(entry):
                            folders.append(below)
            except (FileNotFoundError, NotADirectoryError):
                continue
            except OSError:
                are_all = False
        return by_ticket, are_all


def _as_text(path: str) -> str:
    """Return the path as valid Unicode, which a name on disk need not be."""
    return path.encode("utf-8", "replace").decode()


def _is_link(entry: os.DirEntry[str]) -> bool:
    status = entry.stat(follow_symlinks=False)
    return leads_elsewhere(status) or not stat.S_ISDIR(status.st_mode)


def scripts_of(temporary_files: Iterable[str]) -> list[str]:
    """Return the files to which temporary files belong; for a ``.meta``, the script."""
    found = []
    for path in temporary_files:
        folder, _, name = path.rpartition("/")
        named = TEMPORARY.fullmatch(name)
        if named is not None:
            found.append(f"{folder}/{named['name'].removesuffix(META)}")
    return list(dict.fromkeys(found))


def has_temporary_file(script: ScriptPath, ticket: str) -> bool:
    """Return whether a temporary file of the write ``ticket`` is next to the script.

    Those of its ``.meta`` count.
    """
    return any(found == ticket for _, found in _next_to(script))


def orphans_next_to(script: ScriptPath, records: Callable[[], Iterable[str]]) -> list[str]:
    """Return the names of temporary files next to a script whose writes have no record.

    ``records`` is called after the search of the folder, so no write in progress is among them.
    """
    found = list(_next_to(script))
    if not found:
        return []
    known = set(map(ticket_of, records()))
    lone = {name for name, ticket in found if ticket not in known}
    return sorted(lone & {name for name, _ in _next_to(script)})


def _next_to(script: ScriptPath) -> Iterator[tuple[str, str]]:
    folder_path = os.path.join(script.real_root, *script.inside[:-1])  # noqa: PTH118 - as text
    try:
        # List by path first, which is fast: every change of a set calls this.
        if not _hidden(os.listdir(within_reach(folder_path))):  # noqa: PTH208 - names only
            return
        with script.open_folder() as folder:
            hidden = _hidden(folder.names())
    except OSError:
        return
    for name in hidden:
        named = TEMPORARY.fullmatch(name)
        if named is not None and name.startswith(_begins(script, named["ticket"])):
            yield name, named["ticket"]


def _hidden(names: Iterable[str]) -> list[str]:
    return [name for name in names if name.endswith(".tmp") and name[0] == "."]


def _begins(script: ScriptPath, ticket: str) -> tuple[str, ...]:
    names = (script.name, script.name + META)
    return tuple(temporary_name(name, ticket).removesuffix("tmp") for name in names)


def paths_in(project: Project, left: bytes) -> list[str]:
    """Return the canonical paths that can be read in ``left``, the remains of a record's header."""
    found: dict[str, None] = {}
    for match in _PATH.finditer(left):
        with suppress(ValueError):
            path = json.loads(match[0])
            if project.named(path) is not None:
                found[path] = None
        if len(found) == _MOST_PATHS:
            break
    return list(found)
