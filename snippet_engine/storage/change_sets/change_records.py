"""Find the records of change sets in progress, and the readable parts of damaged ones.

Part of docs/design/engine.md §5 "Change sets". Writes nothing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from snippet_engine.storage.paths.project import Project, ScriptPath
from snippet_engine.storage.records.change_record import MAX_CHANGE_HEADER_BYTES, ChangeRecord
from snippet_engine.storage.records.write_record import ticket_of
from snippet_engine.storage.recovery.temporary_files import (
    TemporaryFiles,
    has_temporary_file,
    paths_in,
    scripts_of,
)
from snippet_engine.storage.recovery.unfinished import DamagedRecordError, UnderWayError
from snippet_engine.storage.state_folder import StateFolder, lock_key

PART = "pending"
_NAME = re.compile(r"([0-9a-f]{32})-([0-9a-f]{16})\.set")


class ChangeRecords:
    """Finds records of change sets, including those of dead writers."""

    def __init__(self, project: Project, state: StateFolder) -> None:
        self._project = project
        self._state = state

    def names(self) -> list[str]:
        """The records' names."""
        return [name for name in self._state.names(PART) if _NAME.fullmatch(name)]

    def lock_keys(self, name: str) -> tuple[str, ...]:
        """Return the lock keys that settling the record needs, in order.

        For a record that was cut short, that is only the one in its name.
        """
        header = self._header(name)
        return (name.partition("-")[0],) if header is None else header.lock_keys

    def under_way(self, name: str) -> UnderWayError | None:
        """Return the error for the set while its writer lives; ``None`` if the set has ended."""
        header = self._header(name)
        if header is None and name not in self.names():
            return None
        files = () if header is None else tuple(slot.name for slot in header.slots)
        return UnderWayError(
            name, ticket_of(name), files, None if header is None else header.undoes
        )

    def touching(self, scripts: Mapping[str, ScriptPath], names: Sequence[str]) -> list[str]:
        """Return those ``names`` whose records list one of the ``scripts``.

        ``scripts`` are given by lock key. If a record is damaged, its readable part counts.
        """
        return [name for name in names if _NAME.fullmatch(name) and self._is_of(name, scripts)]

    def _is_of(self, name: str, scripts: Mapping[str, ScriptPath]) -> bool:
        key, ticket = name.partition("-")[0], ticket_of(name)
        header = self._header(name)
        if header is not None and header.ticket == ticket:
            # The record has each path twice, so a damaged path is still readable in the other
            # place.
            paths = [*header.paths, *(slot.path for slot in header.slots)]
            return not scripts.keys().isdisjoint(map(lock_key, paths))
        paths = paths_in(self._project, self._beginning(name))
        return not scripts.keys().isdisjoint([key, *map(lock_key, paths)]) or any(
            has_temporary_file(script, ticket) for script in scripts.values()
        )

    def is_ours(self, record: ChangeRecord, ticket: str) -> bool:
        """Return whether the record has this ``ticket`` and lists only this project's scripts."""
        paths = record.paths
        slots = {slot.path for slot in record.slots}
        is_whole = record.ticket == ticket and slots <= set(paths)
        return is_whole and all(self._project.named(path) for path in paths)

    def damaged(
        self, name: str, data: bytes, temporary_files: TemporaryFiles
    ) -> DamagedRecordError:
        """Return the error for a damaged record, with everything still known of its set."""
        ticket = ticket_of(name)
        found = temporary_files.of(ticket)
        decoded = ChangeRecord.decode(data)
        is_told = decoded is not None and self.is_ours(decoded[0], ticket)
        if decoded is not None and is_told:
            files = [slot.name for slot in decoded[0].slots]
        else:
            files = paths_in(self._project, data[:MAX_CHANGE_HEADER_BYTES])
            files = list(dict.fromkeys([*files, *scripts_of(found)]))
        return DamagedRecordError(name, ticket, files, are_all=is_told, temporary_files=found)

    def _header(self, name: str) -> ChangeRecord | None:
        try:
            with self._state.folder(PART) as folder:
                line = folder.first_line(name, MAX_CHANGE_HEADER_BYTES)
        except OSError:
            return None
        record = None if line is None else ChangeRecord.decode_header(line)
        return record if record is not None and record.files else None

    def _beginning(self, name: str) -> bytes:
        try:
            with self._state.folder(PART) as folder:
                return folder.beginning(name, MAX_CHANGE_HEADER_BYTES)
        except OSError:
            return b""
