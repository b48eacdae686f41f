"""What was begun in a folder that can't be looked at now, and so waits for it.

Part of docs/design/engine.md §5 "Change sets". A folder that is away tells nothing of its files: it
may have been moved for a moment, or be another branch's, or a link to outside; and another one may
be in its place. What was begun there can be ended only where it can be looked at; its record is all
that knows of it, and stays.
"""

from __future__ import annotations

import errno
from collections.abc import Mapping, Sequence

from snippet_engine.errors import ErrorCode, SnippetError
from snippet_engine.storage.paths.project import ScriptPath
from snippet_engine.storage.paths.request_path import shown
from snippet_engine.storage.recovery.unfinished import UnfinishedError, give_up

GONE = frozenset({errno.ENOENT, errno.ENOTDIR})
"""What opening a folder gives that isn't there."""


class AnotherFolderError(OSError):
    """Another folder is where the one of a record was, with nothing of what the record knows."""

    def __init__(self) -> None:
        super().__init__(errno.ESTALE, "another folder is there")


class FolderAwayError(UnfinishedError):
    """A record that waits for its ``folders`` (project-relative) to be there again.

    ``is_begun`` is whether a file in them may have been changed already.
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
        why = f"it waits for {shown(first)}{more}, {_what_is_wrong(cause)}"
        advice = _advice(cause, record, len(folders), is_begun=is_begun)
        super().__init__(record, change_id, files, why, advice, cause)
        self.folders = tuple(folders)

    def to_json(self) -> dict[str, object]:
        """As of every unfinished write, with the folders."""
        return {**super().to_json(), "folders": list(self.folders)}


def _is_gone(cause: OSError) -> bool:
    # A link is one or the other, as the system likes.
    return cause.errno in GONE or cause.errno == errno.ELOOP


def _what_is_wrong(cause: OSError) -> str:
    if isinstance(cause, AnotherFolderError):
        return "where another folder is now"
    if _is_gone(cause):
        return "which isn't there as a folder"
    return f"which can't be opened ({cause.strerror})"


def _advice(cause: OSError, record: str, count: int, *, is_begun: bool) -> str:
    it = "them" if count > 1 else "it"
    if isinstance(cause, AnotherFolderError):
        return f"Put the old one back, or {give_up(record)}."
    if _is_gone(cause):
        if not is_begun:
            return f"Put {it} back, or make {it} anew, empty: no script was changed yet."
        return f"Put {it} back; or make {it} anew, empty, to give up what was in {it}."
    return "Make it readable again."


def moved_meanwhile(script: ScriptPath) -> SnippetError:
    """``stale_file``: the script was written into its folder, which isn't at its path any more."""
    return SnippetError(
        ErrorCode.STALE_FILE,
        f"{shown(folder_of(script.canonical))} was moved away or replaced during the write, which "
        "was taken back there. Put it back, or send this for where its scripts are now.",
    )


def folder_of(path: str) -> str:
    """The project-relative path of the folder that a file is in."""
    return path.rpartition("/")[0]
