"""Errors of the operating system as ``write_failed``, in words (docs/design/engine.md §8)."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Sequence
from pathlib import Path, PurePosixPath

from snippet_engine.errors import (
    MAX_MESSAGE_LENGTH,
    ErrorCode,
    SnippetError,
    shortened_message,
    show,
)
from snippet_engine.storage.system.plain_file import NotARegularFileError, UnwrittenPipeError
from snippet_engine.storage.system.replace_file import FileInUseError

_MAX_NAME = 40
_STATE = ("Library", "SnippetEngine")
_SHOWN_DEPTH = 3
_NAMED = "place_in_set"
"""The attribute of an ``OSError`` with a path, and whether that is a script or a folder."""
_NO_ROOM = frozenset({"ENOSPC", "EDQUOT"})

_AGAIN = "Send this again."
_RIGHTS = "check the rights of the folder"
"""The folder's name follows in the message, if it is known."""
_RIGHTS_OF_FILE = "check the rights of the file and its folder"

_REASONS = {
    "ENOSPC": "the disk is full; free some space",
    "EDQUOT": "the disk quota is used up; free some space",
    "EFBIG": "the file would exceed the size that this process may write",
    "EACCES": f"permission denied; {_RIGHTS}",
    "EPERM": f"the operation is not permitted; {_RIGHTS}",
    "EROFS": "the file system is read-only",
    "EIO": "the disk reported an input/output error",
    "ENOTDIR": "it is not a folder; move it away, or delete it",
}


_OF_WINDOWS = {
    19: "EROFS",  # ERROR_WRITE_PROTECT
    39: "ENOSPC",  # ERROR_HANDLE_DISK_FULL
    112: "ENOSPC",  # ERROR_DISK_FULL
    267: "ENOTDIR",  # ERROR_DIRECTORY
    1117: "EIO",  # ERROR_IO_DEVICE
    1295: "EDQUOT",  # ERROR_DISK_QUOTA_EXCEEDED
}
"""Windows' error codes for which Python's ``errno`` is too general."""

_WINSOCK = {
    10013: "permission denied",
    10048: "address already in use",
    10051: "network is unreachable",
    10053: "connection aborted",
    10054: "connection reset by peer",
    10060: "connection timed out",
    10061: "connection refused",
    10065: "no route to host",
}
"""Errors of Windows' sockets, for which the C library has no text."""


class RefusedError(OSError):
    """An ``OSError`` of ours that makes its own error value."""

    def refusal(self) -> SnippetError:
        """Return the error value."""
        raise NotImplementedError


def write_failed(error: OSError, doing: str, script: str | None = None) -> SnippetError:
    """Return ``error`` as a value. ``doing`` says what failed: ``"Writing Assets/A.cs"``.

    ``script`` is the project-relative path of the one script that it is about. ``details`` have
    ``errno`` (its symbolic name) and ``reason`` in words. They also have ``path`` if our own folder
    failed, or one script of several (:func:`naming`). Absolute file names are omitted.
    """
    if isinstance(error, RefusedError):
        return error.refusal()
    if isinstance(error, FileInUseError):
        return in_use(error, doing)
    number = error.errno or 0
    name = errno.errorcode.get(number, str(number)).removeprefix("WSA")
    name = _OF_WINDOWS.get(getattr(error, "winerror", None) or 0, name)
    reason = _REASONS.get(name) or reason_of(error)
    place = PurePosixPath(_in_state_folder(error) or "")
    ours = _public_place(place)
    named, is_folder = getattr(error, _NAMED, (None, False))
    folder = PurePosixPath(named or script or "").parent
    if ours:
        folder = PurePosixPath(_public_place(place.parent))
    told = reason
    if reason.endswith(_RIGHTS) and folder.name:
        # The file itself may forbid its replacement, as an immutable one does.
        which = _RIGHTS if ours or is_folder else _RIGHTS_OF_FILE
        told = f"{reason.removesuffix(_RIGHTS)}{which} {show(folder.as_posix())}"
    why = told
    if ours and name in _NO_ROOM:
        # The state folder may be on another disk than the scripts.
        why = f"no room for {'/'.join(_STATE)}: {reason}"
    elif ours:
        why = f"{ours} can't be used: {told}"
    elif named:
        why = f"{'no room for ' if name in _NO_ROOM else ''}{show(named)}: {told}"
    path = ours or named
    return SnippetError(
        ErrorCode.WRITE_FAILED,
        _message(f"{doing} failed: {why}", ". Nothing was changed."),
        details={"errno": name, "reason": reason, **({"path": path} if path else {})},
    )


class Noting:
    """A context that sets an attribute on every ``OSError`` raised in it."""

    # A class: a generator takes longer, and each step of each file of a set enters one.
    __slots__ = ("_attribute", "_value")

    def __init__(self, attribute: str, value: object) -> None:
        self._attribute = attribute
        self._value = value

    def __enter__(self) -> None:
        pass

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        if isinstance(error, OSError):
            setattr(error, self._attribute, self._value)


def naming(path: str, *, is_folder: bool = False) -> Noting:
    """Name the script, or the new folder, in an ``OSError``, by its project-relative path."""
    return Noting(_NAMED, (path, is_folder))


def in_use(error: FileInUseError, doing: str) -> SnippetError:
    """Return ``busy``: ``doing`` failed, because other programs have the file open."""
    who = shown_holders(error.holders)
    ours = _public_place(PurePosixPath(_in_state_folder(error) or ""))
    what = f"{ours} is" if ours else "the file is"
    return SnippetError(
        ErrorCode.BUSY,
        _message(f"{doing} failed: {what} held open by {who}", f". Nothing was changed. {_AGAIN}"),
        details={"holders": list(error.holders), **({"path": ours} if ours else {})},
    )


def _public_place(place: PurePosixPath) -> str:
    """Return the path of our own folder for a message, at most three levels deep."""
    return "/".join(place.parts[:_SHOWN_DEPTH])


def _message(what: str, end: str) -> str:
    return shortened_message(what, MAX_MESSAGE_LENGTH - len(end)) + end


def state_place(error: OSError) -> str:
    """Return our own folder that ``error`` is about, project-relative; empty if it is none."""
    place = PurePosixPath(_in_state_folder(error) or "")
    return _public_place(place if len(place.parts) <= _SHOWN_DEPTH else place.parent)


def shown_holders(holders: Sequence[str]) -> str:
    """Return the programs that hold a file, in words."""
    return " and ".join(name[:_MAX_NAME] for name in holders[:2]) or "another program"


def reason_of(error: OSError) -> str:
    """Return the system's text for ``error``, without file names."""
    if isinstance(error, NotARegularFileError | UnwrittenPipeError):  # their own texts say more
        return str(error.strerror)
    if error.errno in _WINSOCK:
        return _WINSOCK[error.errno]
    if error.errno and error.errno in errno.errorcode:
        return os.strerror(error.errno)
    return error.strerror or str(error) or type(error).__name__


def _in_state_folder(error: OSError) -> str | None:
    """Return the failed path, from ``Library`` on, if it is one of our own."""
    name = error.filename2 or error.filename
    if not isinstance(name, str) or not Path(name).is_absolute():
        return None
    parts = Path(name).parts
    at = max((n for n, part in enumerate(parts) if part == _STATE[0]), default=len(parts))
    below = parts[at:]
    # A folder of scripts may be called Library, too.
    return "/".join(below) if below and below[:2] == _STATE[: len(below[:2])] else None


class UnusableStateError(OSError):
    """A folder below ``Library/SnippetEngine`` can't be read, because of ``cause``."""

    def __init__(self, cause: OSError) -> None:
        super().__init__(cause.errno or errno.EIO, cause.strerror, cause.filename)

    def refusal(self) -> SnippetError:
        """Return ``write_failed``, which names the folder: a write needs it, too."""
        return write_failed(self, "Looking up earlier changes")

    def __str__(self) -> str:
        return self.refusal().message


class NoProjectError(UnusableStateError, RefusedError):
    """The project's own folder no longer exists."""

    def refusal(self) -> SnippetError:
        """Return ``write_failed``, which says what to do."""
        return SnippetError(
            ErrorCode.WRITE_FAILED,
            "The project's folder isn't there any more: it was moved, renamed or deleted. Nothing "
            "was changed. Start the server, or the command, with its new path (--project).",
            details={"errno": "ENOENT", "reason": "the project's folder is gone"},
        )


def unreadable(cause: OSError, project: Path, folders: Iterable[str]) -> UnusableStateError:
    """Return the error of the outermost of the nested ``folders`` that this user may not read."""
    if isinstance(cause, FileNotFoundError) and not project.is_dir():
        return NoProjectError(cause)
    at = ""
    for at in folders:
        if not os.access(at, os.R_OK | os.X_OK):
            break
    # A refused entry is reported as one of its folder, so the path gets a last part.
    inside = f"{at}{os.sep}entry" if isinstance(cause, PermissionError) else at
    return UnusableStateError(OSError(cause.errno, cause.strerror, inside))
