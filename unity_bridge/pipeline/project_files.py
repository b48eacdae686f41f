"""The files of a project that tell of its Editor: descriptor, status of a test run, lock.

Implements docs/design/pipeline.md §1 and §9. Reads only. Blocks as long as the file system does, so
it is called from a thread.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import stat
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO

from unity_bridge.pipeline.conversations.run_status import MAX_STATUS_BYTES, STATUS_FILE
from unity_bridge.pipeline.descriptor import (
    DESCRIPTOR_PATH,
    MAX_DESCRIPTOR_BYTES,
    Descriptor,
    NoDescriptor,
    parse_descriptor,
)
from unity_bridge.told_json import Unreadable, read_told

PACKAGE = "com.unity.pipeline"
MAX_LOCK_BYTES = 8 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class StatusFile:
    """The status file of a test run. ``fingerprint`` is another one once it was written again;
    ``document`` is ``Unreadable`` where it can't be read, as while it is being written."""

    fingerprint: str
    document: Any | Unreadable


def read_descriptor(project: Path) -> Descriptor | NoDescriptor:
    """The descriptor of the project's Editor, if it can be trusted to be this user's.

    One that others could read or write, or that belongs to somebody else, is not used: what it
    names could be anybody's.
    """
    file = project / DESCRIPTOR_PATH
    try:
        opened = _opened(file, getattr(os, "O_NOFOLLOW", 0))
    except FileNotFoundError:
        return NoDescriptor("there is no descriptor", absent=True)
    except OSError as error:
        return NoDescriptor(f"the descriptor can't be read: {error.strerror}")
    with opened:
        status = os.fstat(opened.fileno())
        if os.name == "posix":
            if status.st_uid != os.geteuid():
                return NoDescriptor("the descriptor belongs to another user")
            if status.st_mode & 0o077:
                return NoDescriptor(f"others can get at the descriptor; say: chmod 600 {file}")
        try:
            data = opened.read(MAX_DESCRIPTOR_BYTES + 1)
        except OSError as error:
            return NoDescriptor(f"the descriptor can't be read: {error.strerror}")
    return parse_descriptor(data)


def _opened(file: Path, flags: int = 0) -> BinaryIO:
    """``file``, to be read; ``OSError`` for what isn't one: a pipe or a device under its name could
    hold us for ever."""
    handle = os.open(file, os.O_RDONLY | _BINARY | _NONBLOCK | flags)
    if stat.S_ISREG(os.fstat(handle).st_mode):
        return os.fdopen(handle, "rb")
    os.close(handle)
    raise OSError(errno.EINVAL, "it is not a file")


_NONBLOCK, _BINARY = getattr(os, "O_NONBLOCK", 0), getattr(os, "O_BINARY", 0)


def is_project(told: str, project: Path) -> bool:
    """Whether the path that an Editor tells is ``project``."""
    try:
        return Path(told).samefile(project)
    except (OSError, ValueError):
        return False


def read_status_file(project: Path) -> StatusFile | None:
    """The status file of a test run; ``None`` if there is none that can be read."""
    try:
        with _opened(project / STATUS_FILE) as opened:
            written_ns = os.fstat(opened.fileno()).st_mtime_ns
            data = opened.read(MAX_STATUS_BYTES + 1)
    except OSError:
        return None
    fingerprint = f"{written_ns}-{hashlib.sha256(data).hexdigest()}"
    if len(data) > MAX_STATUS_BYTES:
        too_large = Unreadable(f"a file of more than {MAX_STATUS_BYTES} bytes", hopeless=True)
        return StatusFile(fingerprint, too_large)
    return StatusFile(fingerprint, read_told(data.decode("utf-8-sig", "replace")))


LOCK_FILE = PurePosixPath("Temp/UnityLockfile")
"""Below the project: there while an Editor has it open, or had until it crashed."""


def is_locked(project: Path) -> bool:
    """Whether an Editor has, or had until it crashed, the project open."""
    return (project / LOCK_FILE).exists()


def is_locked_anew(project: Path) -> bool:
    """Whether an Editor has opened the project since the descriptor was written last."""
    try:
        locked, told = (
            (project / each).stat().st_mtime_ns for each in (LOCK_FILE, DESCRIPTOR_PATH)
        )
    except OSError:
        return False
    return locked > told


def package_version(project: Path) -> str | None:
    """The version of the Pipeline package in the project; ``None`` if it has none, or can't be
    told."""
    for name in ("packages-lock.json", "manifest.json"):
        try:
            with _opened(project / "Packages" / name) as opened:
                document = json.loads(opened.read(MAX_LOCK_BYTES).decode("utf-8-sig"))
            found = document["dependencies"][PACKAGE]
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            continue
        version = found.get("version") if isinstance(found, dict) else found
        if isinstance(version, str):
            return version
    return None
