"""Find the ``.meta``, mode and folders in the history for restored and removed files.

Part of docs/design/engine.md §5 "Whole texts". Only reads.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from snippet_engine.source_text import content_hash
from snippet_engine.storage.change_sets.change_plan import FileChange, KeptFile, Origins
from snippet_engine.storage.records.change_record import ChangeRecord, MadeFolder, Slot
from snippet_engine.storage.records.history import History
from snippet_engine.storage.records.history_entry import HistoryEntry
from snippet_engine.storage.records.write_record import ChangedFile
from snippet_engine.storage.stores.change_undo import meta_slot


@dataclass(frozen=True, slots=True)
class Returning:
    """A file that a change restores."""

    path: str
    """Its canonical path when it was removed."""
    text: str
    """The hash of its text when it was removed."""
    meta: bytes | None = None
    """Its ``.meta`` when it was removed, in case the history has none."""


def origins_of(
    history: History, changes: Sequence[FileChange], returning: Mapping[str, Returning] | None
) -> tuple[Origins, tuple[MadeFolder, ...]]:
    """Return the known origins of the files, and the folders that go with them if they are empty.

    A restored file gets the mode and ``.meta`` that it had when a recorded change removed it. If a
    file is removed or moved, the folders made for it are removed, too, but a ``.meta`` older than
    the file stays. If ``returning`` is ``None``, both results are empty.
    """
    if returning is None:
        return Origins(), ()
    kept: dict[str, KeptFile] = {}
    lone: set[str] = set()
    drops: dict[str, MadeFolder] = {}
    headers = _Headers(history)
    for change in changes:
        path = change.script.canonical
        if change.before is None and path in returning:
            found = _as_removed(headers, returning[path])
            # An existing ``.meta`` at the path is the file's present one.
            if found is not None and not change.script.meta.is_taken:
                kept[path] = found
        elif change.before is not None and (change.after is None or change.target is not None):
            made = headers.newest(partial(_brought, path))
            if made is not None:
                brought = _brought(path, made[1])
                lone |= {path} if brought is not None and brought.had_meta else set()
                above = [each for each in made[1].makes if path.startswith(f"{each.path}/")]
                drops |= {each.path: each for each in above}
    return Origins(kept, frozenset(lone)), tuple(drops[path] for path in sorted(drops))


def removed_meta(history: History, returning: Returning) -> bytes | None:
    """Return the ``.meta`` that a file had when it was removed, if that is known."""
    found = _as_removed(_Headers(history), returning)
    return None if found is None or found.meta is None else found.meta.image


class _Headers:
    def __init__(self, history: History) -> None:
        self._history = history
        self._found: list[tuple[HistoryEntry, ChangeRecord]] | None = None

    def newest(
        self, fits: Callable[[ChangeRecord], object]
    ) -> tuple[HistoryEntry, ChangeRecord] | None:
        """Return the newest entry whose record fits, and the record."""
        if self._found is None:
            read = [(each, self._history.header(each)) for each in self._history.entries()]
            self._found = [(entry, one) for entry, one in read if isinstance(one, ChangeRecord)]
        return next((each for each in reversed(self._found) if fits(each[1])), None)

    def whole(self, entry: HistoryEntry) -> ChangeRecord | None:
        """Return the record with its contents."""
        return self._history.read_change(entry)


def _as_removed(headers: _Headers, returning: Returning) -> KeptFile | None:
    path = returning.path

    def removed(record: ChangeRecord) -> bool:
        return any(
            each.path == path and each.target is None and each.after is None
            for each in record.files
            if each.before == returning.text
        )

    found = headers.newest(removed)
    record = None if found is None else headers.whole(found[0])
    if record is not None:
        script = next(each for each in record.slots if each.path == path and not each.is_meta)
        return KeptFile(script, meta_slot(record, script))
    if returning.meta is None:
        return None
    digest = content_hash(returning.meta)
    return KeptFile(
        Slot(0, path, is_meta=False, before=None, after=None),
        Slot(0, path, is_meta=True, before=digest, after=None, image=returning.meta),
    )


def _brought(path: str, record: ChangeRecord) -> ChangedFile | None:
    return next(
        (
            each
            for each in record.files
            if (each.target or each.path) == path and (each.before is None or each.target)
        ),
        None,
    )
