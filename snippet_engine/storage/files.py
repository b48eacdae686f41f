"""Write, replace or remove a file: whole at every moment, without losing a byte that others saved.

Implements the write of docs/design/engine.md §5. The new content is complete and flushed to disk
under a temporary name next to the target. Then a rename replaces the target, which keeps its mode
and owner. People and other programs save without our lock. So each step first compares the file
with its expected content. Where the system allows it, the step then also checks the moved file,
once nobody has it open for writing. The new content has the temporary name before the rename; the
old content has it afterwards.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from snippet_engine.errors import ErrorCode, SnippetError, show
from snippet_engine.source_text import content_hash
from snippet_engine.storage.paths.project import MAX_ASSET_BYTES, FileSnapshot, ScriptPath
from snippet_engine.storage.state_folder import write_all
from snippet_engine.storage.system.folder import FileTooLargeError, Folder
from snippet_engine.storage.system.plain_file import NotARegularFileError
from snippet_engine.storage.system.system_calls import copy_attributes, make_durable

Expected = bytes | str
"""The expected content of a file: its bytes or their hash."""

_MAX_EXCHANGES = 100
"""Most exchanges in a row, each repeated because of a save meanwhile, before we give up."""


def holds(data: bytes, expected: Expected) -> bool:
    """Return whether ``data`` is the expected content."""
    return data == expected if isinstance(expected, bytes) else content_hash(data) == expected


def put_in_place(
    script: ScriptPath,
    folder: Folder,
    temporary: str,
    expected: Expected,
    made_like: Status | None = None,
) -> SnippetError | None:
    """Replace the script, which has the ``expected`` content, with the temporary file.

    The replaced file gets the temporary name; without an exchange of names it is gone. If the
    script's mode or owner changed since ``made_like``, the new file gets them. A refusal, or an
    ``OSError``, leaves the script as it is.
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
    """Rename the script, if it has the ``expected`` content, to the temporary name.

    A refusal, or an ``OSError``, leaves the script as it is.
    """
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
    """Return ``stale_file``: something already has the script's new name."""
    why = "exists by now; nothing was overwritten. Read it, then edit it, or choose another path."
    return _is_there(script, why)


def in_the_way(script: ScriptPath) -> SnippetError:
    """Return ``stale_file`` for an undo that would restore a file whose name is taken."""
    return _is_there(
        script,
        "is a new file at a path that the undo would restore: nothing was undone. Move it away, "
        "then undo again.",
    )


def _is_there(script: ScriptPath, why: str) -> SnippetError:
    message = f"{show(script.relative)} {why}"
    return SnippetError(ErrorCode.STALE_FILE, message, details={"expectedHash": None})


def too_large(script: ScriptPath, size: int, when: str) -> SnippetError:
    """Return ``file_too_large``: such a large file could be neither edited nor undone later."""
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
    now = script.read_in(folder)
    if isinstance(now, SnippetError):
        return now
    # Neither times nor inodes: a save can keep a time, and a mount can report wrong inodes.
    if not holds(now.data, expected):
        return stale(script, expected, now.data)
    return script.refuse_read_only(now.status) or now


def _now_stale(script: ScriptPath, folder: Folder, expected: Expected) -> SnippetError:
    now = script.read_in(folder)
    return now if isinstance(now, SnippetError) else stale(script, expected, now.data)


def _put_back(folder: Folder, temporary: str, name: str, ours: _Identity) -> None:
    """Give the newest save by another program its name back.

    ``temporary`` is the replaced file, ``name`` ours. If the exchange brings back another file than
    ours, somebody has saved once more. Then that file gets the name.
    """
    expected = ours
    for _ in range(_MAX_EXCHANGES):
        put_back = _identity(folder, temporary)
        folder.exchange(temporary, name)
        # Wait, too, for a program that has opened our file to save in it.
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


_MODE_OF_NEW = 0o666
"""Before the process's ``umask``, as editors create files."""

_NAME_BYTES = 100
"""Most bytes of the target's name in the temporary name; some file systems allow 143 in all."""

TEMPORARY = re.compile(r"\.(?P<name>.+)\.(?P<ticket>[0-9a-f]{16})(?:\.\d{1,4})?\.tmp", re.DOTALL)
"""The pattern of temporary names; ``name`` is the target's name, or the beginning of it."""


def temporary_name(target: str, ticket: str) -> str:
    """Return the temporary name for one write of the file ``target``, unique by its ``ticket``.

    Unity imports neither names with a leading dot nor ``.tmp``.
    """
    # The cut may split a character; its remaining bytes are dropped.
    stem = os.fsencode(target)[:_NAME_BYTES].decode(errors="ignore")
    return f".{stem}.{ticket}.tmp"


@dataclass(frozen=True, slots=True)
class KeptStatus:
    """Mode and owner of a file, named as in ``os.stat_result``."""

    st_mode: int
    st_uid: int
    st_gid: int


Status = os.stat_result | KeptStatus


def stage(folder: Folder, temporary: str, data: bytes, target: str, like: Status | None) -> None:
    """Write ``data`` to the new file ``temporary`` like :func:`staged`, and make it durable."""
    with staged(folder, temporary, data, target, like) as fd:
        # Before the rename: otherwise the new name may lead to an empty file after a power cut.
        make_durable(fd)


@contextmanager
def staged(
    folder: Folder,
    temporary: str,
    data: bytes,
    target: str,
    like: Status | None,
    beside: Folder | None = None,
) -> Iterator[int]:
    """Write ``data`` to the new file ``temporary``, which will replace ``target``; keep it open.

    It gets the mode, owner and extended attributes of the target, whose status is ``like``, as far
    as the system allows. ``beside`` is the target's folder if that isn't ``folder``. The caller
    makes the file durable. On any exception the file is removed. Raises ``OSError``.
    """
    # Next to the target, because a rename is atomic only within one file system.
    fd = folder.create(temporary) if like is not None else folder.create(temporary, _MODE_OF_NEW)
    try:
        try:
            write_all(fd, data)
            if like is not None:
                _take_over_status(fd, like)
                _take_over_extended_attributes(fd, beside or folder, target)
            yield fd
        finally:
            os.close(fd)
    # After an interrupt, too: otherwise the file stays until recovery reads the record.
    except BaseException:
        with suppress(OSError):
            discard(folder, temporary)
        raise


def discard(folder: Folder, temporary: str) -> bool:
    """Remove a temporary file; return whether there was one. Raise ``OSError``."""
    try:
        # Anyone may have written the record that has this name; a folder or link is not ours.
        if not stat.S_ISREG(folder.status(temporary).st_mode):
            return False
        folder.remove(temporary)
    except FileNotFoundError:
        return False
    return True


def follow(folder: Folder, name: str, like: Status, now: Status) -> None:
    """Give the file ``name``, made with the status ``like``, the mode and owner of ``now``.

    Somebody may have changed them since. Raise ``OSError``.
    """
    if _attributes(like) == _attributes(now):
        return
    fd = folder.opened(name)
    try:
        _take_over_status(fd, now)
    finally:
        os.close(fd)


def _attributes(status: Status) -> tuple[int, int, int]:
    return stat.S_IMODE(status.st_mode), status.st_uid, status.st_gid


def _take_over_extended_attributes(fd: int, folder: Folder, target: str) -> None:
    with suppress(OSError):
        source = folder.opened(target)
        try:
            copy_attributes(source, fd)
        finally:
            os.close(source)


def _take_over_status(fd: int, like: Status) -> None:
    if not hasattr(os, "fchown"):
        return  # Windows: a new file takes its rights from the folder.
    made = os.fstat(fd)
    if (made.st_uid, made.st_gid) != (like.st_uid, like.st_gid):
        # Only root can give files away; another user's file becomes the writer's, as with
        # any editor that saves by renaming. The group can often be kept even so.
        try:
            os.fchown(fd, like.st_uid, like.st_gid)
        except OSError:
            with suppress(OSError):
                os.fchown(fd, -1, like.st_gid)
        made = os.fstat(fd)  # fchown can clear mode bits
    mode = stat.S_IMODE(like.st_mode)
    if stat.S_IMODE(made.st_mode) != mode:
        os.fchmod(fd, mode)
