"""That our own folder in a project can't be read, so that nothing is known of what was done there.

Part of docs/design/engine.md §5 "Storage": what can't be looked at is no empty history.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable
from pathlib import Path

from snippet_engine.errors import ErrorCode, SnippetError
from snippet_engine.storage.os_failure import RefusedError, write_failed


class UnusableStateError(OSError):
    """A folder below ``Library/SnippetEngine`` that can't be read, for the reason of ``cause``."""

    def __init__(self, cause: OSError) -> None:
        super().__init__(cause.errno or errno.EIO, cause.strerror, cause.filename)

    def refusal(self) -> SnippetError:
        """``write_failed``, which names the folder: it is what a write needs, too."""
        return write_failed(self, "Looking up earlier changes")

    def __str__(self) -> str:
        """The same in a sentence, without an absolute path."""
        return self.refusal().message


class NoProjectError(UnusableStateError, RefusedError):
    """The folder of the project itself isn't there any more."""

    def refusal(self) -> SnippetError:
        """``write_failed``, which says what to do."""
        return SnippetError(
            ErrorCode.WRITE_FAILED,
            "The project's folder isn't there any more: it was moved, renamed or deleted. Nothing "
            "was changed. Start the server, or the command, with its new path (--project).",
            details={"errno": "ENOENT", "reason": "the project's folder is gone"},
        )


def unreadable(cause: OSError, project: Path, folders: Iterable[str]) -> UnusableStateError:
    """``cause``, of reading the last of the ``folders``, each within the one before: told of the
    first that this user may not look into."""
    if isinstance(cause, FileNotFoundError) and not project.is_dir():
        return NoProjectError(cause)
    at = ""
    for at in folders:
        if not os.access(at, os.R_OK | os.X_OK):
            break
    # What is refused is told of the folder that it is in.
    inside = f"{at}{os.sep}entry" if isinstance(cause, PermissionError) else at
    return UnusableStateError(OSError(cause.errno, cause.strerror, inside))
