"""Write a file so that it is whole, old or new, at every moment (docs/design/engine.md §5).

The new content is complete and flushed to disk under a temporary name next to the target; then a
rename replaces the target.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from snippet_engine.storage.state_folder import write_all
from snippet_engine.storage.system.folder import Folder
from snippet_engine.storage.system.system_calls import copy_attributes, make_durable

_MODE_OF_NEW = 0o666
"""Before the process's ``umask``, as editors create files."""

_NAME_BYTES = 100
"""Most bytes of the target's name in the temporary name; some file systems allow 143 in all."""

TEMPORARY = re.compile(r"\.(?P<name>.+)\.(?P<ticket>[0-9a-f]{16})(?:\.\d{1,4})?\.tmp", re.DOTALL)
"""The pattern of temporary names; ``name`` is the target's name, or the beginning of it."""


def temporary_name(target: str, ticket: str) -> str:
    """Return the temporary name for one write of ``target``; Unity doesn't import it."""
    # The cut may go through a character; what is left of it is no part of a name.
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
    """Write ``data`` durably to the new file ``temporary``: as :func:`staged`."""
    with staged(folder, temporary, data, target, like) as fd:
        # Before the rename: after a power cut the new name may else stand for an empty file.
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
    as allowed; ``beside`` is the target's folder if that isn't ``folder``. The caller makes it
    durable. On any exception the file is removed.
    """
    # Beside the target, for a rename is atomic only within one file system.
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
    # An interrupt, too: nobody else knows of the file until the record is looked at again.
    except BaseException:
        with suppress(OSError):
            discard(folder, temporary)
        raise


def discard(folder: Folder, temporary: str) -> bool:
    """Remove a temporary file; return whether there was one. Raise ``OSError``."""
    try:
        # The name comes from a record that anyone may have written; a folder or link is not ours.
        if not stat.S_ISREG(folder.status(temporary).st_mode):
            return False
        folder.remove(temporary)
    except FileNotFoundError:
        return False
    return True


def follow(folder: Folder, name: str, like: Status, now: Status) -> None:
    """Give the file ``name``, made with those of ``like``, the mode and owner ``now``."""
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
        made = os.fstat(fd)  # fchown can clear bits
    mode = stat.S_IMODE(like.st_mode)
    if stat.S_IMODE(made.st_mode) != mode:
        os.fchmod(fd, mode)
