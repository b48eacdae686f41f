"""What the operating system refused, as ``write_failed`` with its reason in words.

Implements ``write_failed`` of docs/design/engine.md §8 for files on disk.
"""

from __future__ import annotations

import errno
import os

from snippet_engine.errors import ErrorCode, SnippetError

_REASONS = {
    "ENOSPC": "the disk is full; free some space",
    "EDQUOT": "the disk quota is used up; free some space",
    "EFBIG": "the file would exceed the size that this process may write",
    "EACCES": "permission denied; check the rights of the folder",
    "EPERM": "the operation is not permitted; check the rights of the folder",
    "EROFS": "the file system is read-only",
    "EIO": "the disk reported an input/output error",
}


def write_failed(error: OSError, doing: str) -> SnippetError:
    """``error`` as a value. ``doing`` says what failed: ``"Writing Assets/A.cs"``.

    ``details``: ``errno`` (its symbolic name) and ``reason`` in words. The file names that
    the exception carries are left out, since they are absolute.
    """
    number = error.errno or 0
    name = errno.errorcode.get(number, str(number))
    reason = _REASONS.get(name) or os.strerror(number)
    return SnippetError(
        ErrorCode.WRITE_FAILED,
        f"{doing} failed: {reason}. Nothing was changed.",
        details={"errno": name, "reason": reason},
    )
