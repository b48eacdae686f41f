"""Reconstruct a project's last changes: each script before the first change and after the last.

Part of docs/design/command-line.md ``bundle``. The changes are reverted in memory, newest first.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from snippet_engine.changes.between import ScriptChange
from snippet_engine.errors import ErrorCode, SnippetError, show
from snippet_engine.source_text import content_hash
from snippet_engine.storage.paths.project import FileSnapshot, Project
from snippet_engine.storage.records.history import History, Record
from snippet_engine.storage.state_folder import StateFolder


def kept_changes(project: Project) -> Iterator[Record | None]:
    """Yield the records of the changes, newest first; ``None`` for a damaged record."""
    history = History(StateFolder(project.root))
    yield from map(history.record, reversed(history.entries()))


def last_changes(project: Project, count: int) -> list[ScriptChange] | SnippetError:
    """Return the combined effect of the ``count`` newest changes.

    Errors: ``invalid_request`` if there are none, or one is damaged; ``stale_file``.
    """
    newest = list(islice(kept_changes(project), count))
    if not newest:
        return _refused("The history of this project is empty.")
    taken_back = _TakenBack(project)
    for number, change in enumerate(newest):
        if change is None and number:
            which = f"Change {number + 1} of the history, counted from the newest,"
            return _refused(f"{which} is damaged. Take {number} at most.")
        if change is None:
            return _refused(
                "The newest change is damaged. `unity-cli history` shows which file that is."
            )
        refused = taken_back.take_back(change, number)
        if refused is not None:
            return refused
    return taken_back.all_in_all()


class _TakenBack:
    def __init__(self, project: Project) -> None:
        self._project = project
        self._now: dict[str, bytes | None] = {}
        """The content on disk, by path."""
        self._then: dict[str, bytes | None] = {}
        """The content before the reverted changes, by path."""
        self._came_from: dict[str, str] = {}
        """The earlier path of a script, by its present path."""

    def take_back(self, change: Record, newer: int) -> SnippetError | None:
        """Revert ``change`` in memory; ``newer`` is the number of later changes."""
        for file in change.files:
            place = file.target or file.path
            standing = self._at(place)
            found = None if standing is None else content_hash(standing)
            if found != file.after:
                return SnippetError(
                    ErrorCode.STALE_FILE,
                    f"{show(place)} was changed by something else since. The history doesn't have "
                    f"that change{_fewer(newer)}",
                    details={"currentHash": found, "expectedHash": file.after},
                )
            content = change.kept(file.path)
            if content is None and file.before is not None:
                content = standing  # The file was only compared.
            self._at(file.path)
            if file.target is not None:
                self._then[file.target] = None
                self._moved_back(file.target, file.path)
            self._then[file.path] = content
        return None

    def _moved_back(self, place: str, path: str) -> None:
        for now, then in self._came_from.items():
            if then == place:
                self._came_from[now] = path
                return
        self._came_from[place] = path

    def _at(self, path: str) -> bytes | None:
        if path not in self._now:
            script = self._project.named(path)
            read = None if script is None else script.read()
            self._now[path] = read.data if isinstance(read, FileSnapshot) else None
            self._then[path] = self._now[path]
        return self._then[path]

    def all_in_all(self) -> list[ScriptChange]:
        moved = {
            then: now
            for now, then in self._came_from.items()
            if now != then and self._now[now] is not None and self._then[then] is not None
        }
        changes: list[ScriptChange] = []
        for path in sorted(self._now):
            if path in moved:
                target = moved[path]
                changes.append(ScriptChange(path, self._then[path], self._now[target], target))
            elif path not in moved.values() and self._now[path] != self._then[path]:
                changes.append(ScriptChange(path, self._then[path], self._now[path]))
        return changes


def _fewer(newer: int) -> str:
    if not newer:
        return "; try `unity-cli bundle from-git`."
    return f": take only the newest {newer}."


def _refused(message: str) -> SnippetError:
    return SnippetError(ErrorCode.INVALID_REQUEST, message)
