"""What was begun in a folder that can't be looked at now, and so waits for it.

Part of docs/design/engine.md §5 "Change sets". A folder that is away tells nothing of its files: it
may have been moved for a moment, or be another branch's, or a link to outside. What was begun there
can be ended only where it can be looked at; its record is all that knows of it, and stays.
"""

from __future__ import annotations

import errno
from collections.abc import Mapping, Sequence

from snippet_engine.errors import ErrorCode, SnippetError
from snippet_engine.storage.request_path import shown

GONE = frozenset({errno.ENOENT, errno.ENOTDIR})
"""What opening a folder gives that isn't there."""


class FolderAwayError(OSError):
    """A record of ``files`` (project-relative) that waits for its ``folders`` to be there again.

    ``change_id`` names the change set that it is of, ``None`` for a write of one file.
    """

    def __init__(
        self, change_id: str | None, files: Sequence[str], folders: Mapping[str, OSError]
    ) -> None:
        first = next(iter(folders.values()))
        super().__init__(first.errno, first.strerror or type(first).__name__)
        self.change_id = change_id
        self.files = tuple(files)
        self.folders = tuple(folders)

    def __str__(self) -> str:
        """What waits for what, and what to do."""
        what = "A write" if self.change_id is None else f"Change {self.change_id}"
        return f"{what} was cut short; it waits for {self._where()}. {self._advice()}"

    def refusal(self) -> SnippetError:
        """``write_failed``, for a request that can't be carried out before the record's end."""
        return SnippetError(
            ErrorCode.WRITE_FAILED,
            f"An earlier write was cut short; it waits for {self._where()}. "
            f"Nothing was changed. {self._advice()}",
            details={
                "errno": errno.errorcode.get(self.errno or 0, str(self.errno)),
                "reason": f"waits for {self._where()}",
                **self.to_json(),
            },
        )

    def to_json(self) -> dict[str, object]:
        """``changeId``?, ``files`` and ``folders``."""
        named = {} if self.change_id is None else {"changeId": self.change_id}
        return {**named, "files": list(self.files), "folders": list(self.folders)}

    def _where(self) -> str:
        more = f" and {len(self.folders) - 1} more" if len(self.folders) > 1 else ""
        return f"{shown(self.folders[0])}{more}, which {self._what_is_wrong()}"

    def _what_is_wrong(self) -> str:
        # A link is one or the other, as the system likes.
        if self.errno in GONE or self.errno == errno.ELOOP:
            return "isn't there as a folder"
        return f"can't be opened ({self.strerror})"

    def _advice(self) -> str:
        if self.errno in GONE or self.errno == errno.ELOOP:
            return "Put it back; or make it anew, empty, to give up what was in it."
        return "Make it readable again."


def folder_of(path: str) -> str:
    """The project-relative path of the folder that a file is in."""
    return path.rpartition("/")[0]
