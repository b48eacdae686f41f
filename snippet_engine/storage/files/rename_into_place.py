"""Replace, create or remove a file without losing a byte that others saved.

Implements the last step of the write of docs/design/engine.md §5. People and other programs save
without our lock. So each step first compares the file with its expected content. Where the system
can, it also checks afterwards what was moved, once nobody has it open for writing. The other file
has the temporary name: the new one before, the old one after.
"""

from __future__ import annotations

from contextlib import suppress

from snippet_engine.errors import ErrorCode, SnippetError, show
from snippet_engine.source_text import content_hash
from snippet_engine.storage.files.atomic_write import Status, follow
from snippet_engine.storage.paths.project import MAX_ASSET_BYTES, FileSnapshot, ScriptPath
from snippet_engine.storage.system.folder import FileTooLargeError, Folder
from snippet_engine.storage.system.plain_file import NotARegularFileError

Expected = bytes | str
"""The expected content of a file: its bytes or their hash."""

_MAX_EXCHANGES = 100
"""How often in a row somebody may save between two exchanges before we give up."""


def holds(data: bytes, expected: Expected) -> bool:
    """Return whether ``data`` is what was expected."""
    return data == expected if isinstance(expected, bytes) else content_hash(data) == expected


def put_in_place(
    script: ScriptPath,
    folder: Folder,
    temporary: str,
    expected: Expected,
    made_like: Status | None = None,
) -> SnippetError | None:
    """Replace the script, which has the ``expected`` content, with the temporary file.

    The replaced file gets the temporary name; without an exchange of names it is gone. Mode and
    owner follow if they changed since ``made_like``. On a refusal or ``OSError`` the script stays.
    """
    now = _compared(script, folder, expected)
    if isinstance(now, SnippetError):
        return now
    follow(folder, temporary, made_like or now.status, now.status)
    ours = _identity(folder, temporary)
    try:
        exchanged = folder.exchange(temporary, script.name)
    except FileNotFoundError as error:
        return script.unreadable(error)
    if not exchanged:
        folder.replace(temporary, script.name)
        return None
    try:
        replaced = folder.read_at_rest(temporary, script.max_bytes)
    except (NotARegularFileError, FileTooLargeError):
        replaced = None
    except BaseException:
        _put_back(folder, temporary, script.name, ours)
        raise
    if replaced is not None and holds(replaced[0], expected):
        with suppress(OSError):
            follow(folder, script.name, now.status, replaced[1])
        return None
    _put_back(folder, temporary, script.name, ours)
    return _now_stale(script, folder, expected)


def give_name(script: ScriptPath, folder: Folder, temporary: str) -> SnippetError | None:
    """Rename the temporary file to the script, if that name is free. Raise ``OSError``."""
    try:
        folder.give_name(temporary, script.name)
    except FileExistsError:
        return taken(script)
    return None


def put_away(
    script: ScriptPath, folder: Folder, temporary: str, expected: Expected
) -> SnippetError | None:
    """Rename the script, if it has the ``expected`` content, to the temporary name."""
    now = _compared(script, folder, expected)
    if isinstance(now, SnippetError):
        return now
    try:
        folder.replace(script.name, temporary)
    except FileNotFoundError as error:
        return script.unreadable(error)
    try:
        moved = folder.read_at_rest(temporary, script.max_bytes)
    except (NotARegularFileError, FileTooLargeError):
        moved = None
    except BaseException:
        _give_back(folder, temporary, script.name)
        raise
    if moved is not None and holds(moved[0], expected):
        return None
    _give_back(folder, temporary, script.name)
    return _now_stale(script, folder, expected)


def taken(script: ScriptPath) -> SnippetError:
    """Return ``stale_file``: the script's new name is taken."""
    told = "exists by now; nothing was overwritten. Read it, then edit it, or choose another path."
    return _is_there(script, told)


def in_the_way(script: ScriptPath) -> SnippetError:
    """Return ``stale_file`` for an undo that would restore a file whose name is taken."""
    return _is_there(
        script,
        "is a new file at a path that the undo would restore: nothing was undone. Move it away, "
        "then undo again.",
    )


def _is_there(script: ScriptPath, told: str) -> SnippetError:
    message = f"{show(script.relative)} {told}"
    return SnippetError(ErrorCode.STALE_FILE, message, details={"expectedHash": None})


def too_large(script: ScriptPath, size: int, when: str) -> SnippetError:
    """Return ``file_too_large``: such a file could be neither edited nor undone afterwards."""
    return SnippetError(
        ErrorCode.FILE_TOO_LARGE,
        f"{when} {show(script.relative)} would have {size:,} bytes; "
        f"the limit is {script.max_bytes:,}.",
        details={"bytes": size, "limit": script.max_bytes},
    )


def stale(script: ScriptPath, expected: Expected, current: bytes) -> SnippetError:
    """Return ``stale_file``: the script doesn't have the expected content."""
    expected_hash = content_hash(expected) if isinstance(expected, bytes) else expected
    return SnippetError(
        ErrorCode.STALE_FILE,
        f"{show(script.relative)} changed since it was read; nothing was overwritten. "
        "Read it again, then send the edit for its present text.",
        details={"expectedHash": expected_hash, "currentHash": content_hash(current)},
    )


def _compared(
    script: ScriptPath, folder: Folder, expected: Expected
) -> FileSnapshot | SnippetError:
    """Return the script right before the step, or why the step can't be done."""
    now = script.read_in(folder)
    if isinstance(now, SnippetError):
        return now
    # Not times or inodes: a save can keep the one and a mount lie about the other.
    if not holds(now.data, expected):
        return stale(script, expected, now.data)
    return script.refuse_read_only(now.status) or now


def _now_stale(script: ScriptPath, folder: Folder, expected: Expected) -> SnippetError:
    now = script.read_in(folder)
    return now if isinstance(now, SnippetError) else stale(script, expected, now.data)


def _put_back(folder: Folder, temporary: str, name: str, ours: _Identity) -> None:
    """Give the newest file that someone else saved its name back.

    ``temporary`` is the replaced file, ``name`` ours. If the exchange brings back a file other than
    ours, that one was saved even later, and is restored in turn.
    """
    expected = ours
    for _ in range(_MAX_EXCHANGES):
        put_back = _identity(folder, temporary)
        folder.exchange(temporary, name)
        # Who opened ours to save in it is waited for, too.
        with suppress(OSError):
            folder.read_at_rest(temporary, MAX_ASSET_BYTES)
        if _identity(folder, temporary) == expected:
            return
        expected = put_back


def _give_back(folder: Folder, temporary: str, name: str) -> None:
    with suppress(FileExistsError):
        folder.give_name(temporary, name)


_Identity = tuple[int, int, int]


def _identity(folder: Folder, name: str) -> _Identity:
    status = folder.status(name)
    return status.st_ino, status.st_size, status.st_mtime_ns
