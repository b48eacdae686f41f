"""A project's files about its Editor: descriptor, status of a test run, lock.

Implements docs/design/pipeline.md §1 and §9. Reads only. Blocks as long as the file system does, so
it is called from a thread.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import stat
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO, TypeGuard

from unity_bridge.bounded_json import Unreadable, read_json_text
from unity_bridge.pipeline.conversations.run_status import MAX_STATUS_BYTES, STATUS_FILE

DESCRIPTOR_PATH = PurePosixPath("Library/Pipeline/.unity-pipeline-port")
"""The descriptor's path in the project."""

MAX_DESCRIPTOR_BYTES = 64 * 1024

PORTS = range(7800, 7850)
"""The ports that the package may listen on."""


@dataclass(frozen=True, slots=True)
class Descriptor:
    """An unverified claim: an Editor with this process id listens on this port.

    The file may be left over from an Editor that is gone. It counts only once the Editor has
    answered with the project's path.
    """

    port: int
    token: str = field(repr=False)
    """Sent to that port only, and never logged."""
    pid: int
    project: str
    unity_version: str | None = None
    started_s: float | None = None
    """When the Editor began to listen, as of ``time.time``."""


@dataclass(frozen=True, slots=True)
class NoDescriptor:
    """Why there is no usable descriptor."""

    reason: str
    absent: bool = False
    """Whether there is no file."""
    half: bool = False
    """Whether it isn't JSON; the Editor may be writing it now."""


def parse_descriptor(data: bytes) -> Descriptor | NoDescriptor:
    """Read the bytes of a descriptor."""
    if len(data) > MAX_DESCRIPTOR_BYTES:
        return NoDescriptor(f"the descriptor has more than {MAX_DESCRIPTOR_BYTES} bytes")
    try:
        document = json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return NoDescriptor("the descriptor is not whole JSON", half=True)
    if not isinstance(document, dict):
        return NoDescriptor("the descriptor is not a JSON object")
    port, token, pid = (document.get(key) for key in ("port", "evalToken", "pid"))
    project, version = document.get("projectPath"), document.get("unityVersion")
    if not _is_number(port) or port not in PORTS:
        where = f"{PORTS.start} to {PORTS.stop - 1}"
        return NoDescriptor(f"the descriptor names no port from {where}")
    if not isinstance(token, str) or not (token and token.isascii() and token.isprintable()):
        return NoDescriptor("the descriptor has no token")
    if not isinstance(project, str) or not _is_number(pid) or pid < 1:
        return NoDescriptor("the descriptor names no project or no process")
    return Descriptor(
        port,
        token,
        pid,
        project,
        version if isinstance(version, str) else None,
        _seconds(document.get("startedAt")),
    )


def _seconds(text: Any) -> float | None:
    """Return a timestamp with a time zone as of ``time.time``."""
    try:
        moment = datetime.fromisoformat(text)
    except (TypeError, ValueError):
        return None
    return None if moment.tzinfo is None else moment.timestamp()


def _is_number(value: Any) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)


PACKAGE = "com.unity.pipeline"
MAX_LOCK_BYTES = 8 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class StatusFile:
    """The status file of a test run."""

    fingerprint: str
    """Changes with every write."""
    document: Any | Unreadable
    """``Unreadable`` if the file can't be read, for example during a write."""


def read_descriptor(project: Path) -> Descriptor | NoDescriptor:
    """Return the descriptor of the project's Editor, if only this user can have written it."""
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
                return NoDescriptor(f"other users can read the descriptor; run: chmod 600 {file}")
        try:
            data = opened.read(MAX_DESCRIPTOR_BYTES + 1)
        except OSError as error:
            return NoDescriptor(f"the descriptor can't be read: {error.strerror}")
    return parse_descriptor(data)


def _opened(file: Path, flags: int = 0) -> BinaryIO:
    """Open ``file`` for reading; ``OSError`` if it isn't a regular file, as a pipe could block."""
    handle = os.open(file, os.O_RDONLY | _BINARY | _NONBLOCK | flags)
    if stat.S_ISREG(os.fstat(handle).st_mode):
        return os.fdopen(handle, "rb")
    os.close(handle)
    raise OSError(errno.EINVAL, "it is not a file")


_NONBLOCK, _BINARY = getattr(os, "O_NONBLOCK", 0), getattr(os, "O_BINARY", 0)


def is_project(path: str, project: Path) -> bool:
    """Return whether the path that an Editor reports is ``project``."""
    try:
        return Path(path).samefile(project)
    except (OSError, ValueError):
        return False


def read_status_file(project: Path) -> StatusFile | None:
    """Return the status file of a test run; ``None`` if there is none."""
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
    return StatusFile(fingerprint, read_json_text(data.decode("utf-8-sig", "replace")))


LOCK_FILE = PurePosixPath("Temp/UnityLockfile")
"""Path in the project. The file exists while an Editor has the project open, or after a crash."""


def is_locked(project: Path) -> bool:
    """Return whether an Editor has the project open, or had it open when it crashed."""
    return (project / LOCK_FILE).exists()


def is_locked_anew(project: Path) -> bool:
    """Return whether an Editor opened the project after the descriptor was written."""
    try:
        locked, written = (
            (project / each).stat().st_mtime_ns for each in (LOCK_FILE, DESCRIPTOR_PATH)
        )
    except OSError:
        return False
    return locked > written


def package_version(project: Path) -> str | None:
    """Return the project's version of the Pipeline package; ``None`` if unknown."""
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
