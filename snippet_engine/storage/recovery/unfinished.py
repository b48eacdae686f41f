"""Writes that were begun and can't be finished now: their records stay, and nothing is removed.

Part of docs/design/engine.md §5 "Change sets". If a folder can't be opened, its files may still
exist: it may have been moved for a moment, and another folder may be in its place. The write is
finished once the folder can be read.
"""

from __future__ import annotations

import errno
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from snippet_engine.errors import ErrorCode, SnippetError, show
from snippet_engine.storage.os_failure import RefusedError, reason_of, state_place
from snippet_engine.storage.paths.project import ScriptPath
from snippet_engine.storage.records.write_record import ticket_of
from snippet_engine.storage.state_folder import StateFolder
from snippet_engine.storage.system.folder import FileTooLargeError
from snippet_engine.storage.system.plain_file import NotARegularFileError


@dataclass(frozen=True, slots=True)
class NotKept:
    """The outcome of a write whose record did not become history."""

    cause: OSError | None
    """The error that prevented it; ``None`` if somebody removed the record."""

    @classmethod
    def after(cls, error: OSError, state: StateFolder, part: str, name: str) -> NotKept:
        """Return the outcome for the record ``name``, which ``error`` kept out of the history."""
        with suppress(OSError):
            if name not in state.names(part):
                return cls(None)
        return cls(error)

    @property
    def reason(self) -> str | None:
        """Return the cause in words, after the path of our folder if that caused it."""
        return None if self.cause is None else why_of(self.cause)


OnLost = Callable[[NotKept], None]
"""Called for a write whose record isn't kept, so that it can't be undone now."""


def why_of(error: OSError) -> str:
    """Return the system's reason in words, after the path of our folder if that caused it."""
    place = state_place(error)
    return f"{place}: {reason_of(error)}" if place else reason_of(error)


_PENDING = "Library/SnippetEngine/pending"
_MOST_TEMPORARY_FILES = 100
"""Most temporary files that are listed; a set has at most forty."""


class UnfinishedError(RefusedError):
    """A record of ``files`` (project-relative, if known) that can't be finished now.

    ``change_id`` is ``None`` for a single write. ``why`` follows "was cut short; ", ``advice`` is a
    sentence.
    """

    state = "cutShort"
    undo_of: str | None = None
    """The change set that it was reverting, if it is known to be an undo."""

    def __init__(
        self,
        record: str,
        change_id: str | None,
        files: Sequence[str],
        why: str,
        advice: str,
        cause: OSError | None = None,
    ) -> None:
        number = errno.EIO if cause is None or cause.errno is None else cause.errno
        super().__init__(number, why)
        self.record = record
        self.change_id = change_id
        self.files = tuple(files)
        self.why = why
        self.advice = advice

    def may_be_of(self, path: str) -> bool:
        """Return whether the script is one of its files, as far as known."""
        return path in self.files

    def __str__(self) -> str:
        what = _name_of(self.change_id, self.undo_of)
        return f"{what} was cut short; {self.why}. {self.advice}"

    def refusal(self) -> SnippetError:
        """Return ``write_failed``, for a request that can't run before the record is settled."""
        return SnippetError(
            ErrorCode.WRITE_FAILED,
            f"An earlier write was cut short; {self.why}. Nothing was changed. {self.advice}",
            details={
                "errno": errno.errorcode.get(self.errno or 0, str(self.errno)),
                "reason": self.why,
                **self.to_json(),
            },
        )

    def to_json(self) -> dict[str, object]:
        """Return ``changeId``?, ``files``, the ``folders`` that it waits for, and ``record``."""
        named = {} if self.change_id is None else {"changeId": self.change_id}
        record = f"{_PENDING}/{self.record}"
        return {**named, "files": list(self.files), "folders": [], "record": record}


class UnderWayError(UnfinishedError):
    """A record whose writer is alive and holds its locks; the write may end at any time."""

    state = "beingWritten"

    def __init__(
        self, record: str, change_id: str | None, files: Sequence[str], undo_of: str | None = None
    ) -> None:
        super().__init__(record, change_id, files, "it is being written", "Ask again in a moment.")
        self.undo_of = undo_of

    def may_be_of(self, path: str) -> bool:
        """Return whether the script is one of its files, or they aren't known."""
        return not self.files or path in self.files

    def __str__(self) -> str:
        unknown = self.undo_of is None and self.change_id is None
        what = "Another change" if unknown else _name_of(self.change_id, self.undo_of)
        return f"{what} is being written now. Ask again in a moment; don't repeat it before."


def _name_of(change_id: str | None, undo_of: str | None) -> str:
    if undo_of is not None:
        return f"The undo of change {undo_of}"
    return "A write" if change_id is None else f"Change {change_id}"


class DamagedRecordError(UnfinishedError):
    """A record that doesn't say how far its write got, or can't be read.

    ``are_all`` says that no other file is affected. ``temporary_files`` may have the only copy of a
    text.
    """

    def __init__(
        self,
        record: str,
        change_id: str | None,
        files: Sequence[str] = (),
        cause: OSError | None = None,
        *,
        are_all: bool = False,
        temporary_files: Sequence[str] = (),
    ) -> None:
        if cause is None or isinstance(cause, NotARegularFileError | FileTooLargeError):
            why = "its record is damaged"
            look = "Look at its files"
            if temporary_files:
                look = "Where a script NAME is gone, rename its .NAME.*tmp back"
            advice = f"{look}; then {give_up(record)}."
        else:
            why = f"its record can't be read ({cause.strerror or type(cause).__name__})"
            advice = "Make it readable again."
        super().__init__(record, change_id, files, why, advice, cause)
        self._are_all = are_all
        self._temporary_files = tuple(temporary_files)

    def __str__(self) -> str:
        if not self._temporary_files:
            return super().__str__()
        what, ticket = _name_of(self.change_id, self.undo_of), ticket_of(self.record)
        return (
            f"{what} was cut short; {self.why}. Each .NAME.{ticket}.*tmp has the text of the file "
            f"NAME in its folder, from before or after the change. {self.advice}"
        )

    def may_be_of(self, path: str) -> bool:
        """Return whether the script is one of its files, or they aren't all known."""
        return not self._are_all or path in self.files

    def to_json(self) -> dict[str, object]:
        """Return the same as for other unfinished writes, with the temporary files, if any."""
        found = list(self._temporary_files[:_MOST_TEMPORARY_FILES])
        return {**super().to_json(), **({"temporaryFiles": found} if found else {})}


class StillToEndError(UnfinishedError):
    """A record that still has to be settled, found by a search that only reads."""

    def __init__(self, record: str, change_id: str | None, files: Sequence[str]) -> None:
        advice = (
            "The next apply or undo completes it, or rolls it back if others changed its files."
        )
        super().__init__(record, change_id, files, "it is unfinished", advice)


class StuckError(UnfinishedError):
    """A record that can't be settled, because the system refuses a step."""

    def __init__(
        self, record: str, change_id: str | None, files: Sequence[str], cause: OSError
    ) -> None:
        why = f"finishing it failed ({why_of(cause)})"
        advice = "Correct that; the next apply or undo tries again."
        super().__init__(record, change_id, files, why, advice, cause)


def give_up(record: str) -> str:
    """Return the advice to remove an unfinished write that can't be settled otherwise."""
    ending = record.partition("-")[2]
    return f"delete {_PENDING}/*{ending}"


GONE = frozenset({errno.ENOENT, errno.ENOTDIR})
"""Errors of opening a folder that doesn't exist."""


class AnotherFolderError(OSError):
    """The record's folder was replaced by another one, with no file that the record lists."""

    def __init__(self) -> None:
        super().__init__(errno.ESTALE, "another folder is there")


class FolderAwayError(UnfinishedError):
    """A record that waits until ``folders`` are back.

    ``is_begun`` says that a file in them may already be changed.
    """

    def __init__(
        self,
        record: str,
        change_id: str | None,
        files: Sequence[str],
        folders: Mapping[str, OSError],
        *,
        is_begun: bool = True,
    ) -> None:
        first, cause = next(iter(folders.items()))
        more = f" and {len(folders) - 1} more" if len(folders) > 1 else ""
        why = f"it waits for {show(first)}{more}, {_what_is_wrong(cause)}"
        advice = _advice_on_folder(cause, record, len(folders), is_begun=is_begun)
        super().__init__(record, change_id, files, why, advice, cause)
        self.folders = tuple(folders)

    def to_json(self) -> dict[str, object]:
        """Return the same as for other unfinished writes, with the folders."""
        return {**super().to_json(), "folders": list(self.folders)}


def _is_folder_gone(cause: OSError) -> bool:
    # Systems report a link in the way as either of these.
    return cause.errno in GONE or cause.errno == errno.ELOOP


def _what_is_wrong(cause: OSError) -> str:
    if isinstance(cause, AnotherFolderError):
        return "where another folder is now"
    if _is_folder_gone(cause):
        return "which is missing or not a folder"
    return f"which can't be opened ({cause.strerror})"


def _advice_on_folder(cause: OSError, record: str, count: int, *, is_begun: bool) -> str:
    it = "them" if count > 1 else "it"
    if isinstance(cause, AnotherFolderError):
        return f"Put the old one back, or {give_up(record)}."
    if _is_folder_gone(cause):
        if not is_begun:
            return f"Put {it} back, or create {it} empty: no script was changed yet."
        return f"Put {it} back; or create {it} empty, to give up the old content."
    return "Make it readable again."


def moved_meanwhile(script: ScriptPath) -> SnippetError:
    """Return ``stale_file``: the script's folder was moved during the write."""
    return SnippetError(
        ErrorCode.STALE_FILE,
        f"{show(folder_of(script.canonical))} was moved or replaced during the write, so the "
        "write was rolled back. Put it back, or send this with the new paths of its scripts.",
    )


def folder_of(path: str) -> str:
    """Return the project-relative path of a file's folder."""
    return path.rpartition("/")[0]
