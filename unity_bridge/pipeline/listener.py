"""Who listens on a port, and whether a process is the one it is said to be, as the system tells.

Implements docs/design/pipeline.md §1. Linux tells it in ``/proc``; of other systems only whether a
process lives is known here, and of Windows not even that. Reads only, and blocks for a moment.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto
from pathlib import Path

PROC = Path("/proc")
_LISTENING = "0A"
_ADDRESSES = (
    "0100007F",
    "00000000",
    "0000000000000000FFFF00000100007F",
    "00000000000000000000000000000000",
)
"""Addresses that a connection to 127.0.0.1 can reach, as ``/proc/net`` writes them on a machine
whose bytes are little-endian; the first of them that is listened on gets it."""


class Holder(Enum):
    """Whose the socket is that a connection to a port would reach."""

    PROCESS = auto()
    """The process that was asked about."""
    ANOTHER = auto()
    """Another process, or another user."""
    NOBODY = auto()
    """Nobody listens there."""
    UNKNOWN = auto()
    """The system doesn't tell."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What the system tells of a port and a process.

    ``alive``: whether the process runs; ``None`` where that isn't known. ``started_s``: when it was
    started, as of ``time.time``; where the system tells that, but not who listens.
    """

    alive: bool | None
    holder: Holder
    started_s: float | None = None
    sockets: frozenset[str] = frozenset()
    """Where ``holder`` is ``PROCESS``: the inodes of those that it listens with."""


def see(port: int, pid: int, proc: Path = PROC) -> Seen:
    """Look who listens on ``port`` of 127.0.0.1, and at process ``pid``."""
    if os.name != "posix":  # a folder of that name is nobody's word there
        return Seen(None, Holder.UNKNOWN)
    holder, sockets = _holder(port, pid, proc)
    started_s = _started_s(pid, proc) if holder is Holder.UNKNOWN else None
    return Seen(process_alive(pid), holder, started_s, sockets)


def still_holds(pid: int, sockets: frozenset[str], proc: Path = PROC) -> bool:
    """Whether ``pid`` has all these sockets open: then nobody else listens on their port. It costs
    a small part of what :func:`see` does, for which the system looks through every connection."""
    left = set(sockets)
    try:
        for inode in _sockets(pid, proc):
            left.discard(inode)
            if not left:
                return True
    except OSError:
        return False
    return False


def process_alive(pid: int) -> bool | None:
    """Whether a process of that number runs; ``None`` where that can't be told."""
    if os.name != "posix":  # there, os.kill would end it
        return None
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:
        return True
    return True


def _holder(port: int, pid: int, proc: Path) -> tuple[Holder, frozenset[str]]:
    try:
        listeners = _listeners(port, proc)
    except (OSError, ValueError, IndexError):
        return Holder.UNKNOWN, frozenset()
    if not listeners:
        return Holder.NOBODY, frozenset()
    if any(uid != os.geteuid() for uid, _ in listeners):
        return Holder.ANOTHER, frozenset()
    try:
        held = set(_sockets(pid, proc))
    except FileNotFoundError:
        return Holder.ANOTHER, frozenset()
    except OSError:  # it doesn't let us look
        return Holder.UNKNOWN, frozenset()
    sockets = frozenset(inode for _, inode in listeners)
    return (Holder.PROCESS, sockets) if sockets <= held else (Holder.ANOTHER, frozenset())


def _listeners(port: int, proc: Path) -> set[tuple[int, str]]:
    """User and inode of each socket that may get a connection to ``port``."""
    found: dict[str, set[tuple[int, str]]] = {}
    here = f":{port:04X} "
    for name in ("tcp", "tcp6"):
        table = proc / "net" / name
        if name == "tcp6" and not table.exists():
            continue
        for line in table.read_text(encoding="ascii").splitlines()[1:]:
            if here not in line:  # a busy machine has thousands of them
                continue
            parts = line.split()
            address, _, hexadecimal = parts[1].partition(":")
            if parts[3] == _LISTENING and int(hexadecimal, 16) == port:
                found.setdefault(address, set()).add((int(parts[7]), parts[9]))
    return next((found[each] for each in _ADDRESSES if each in found), set())


def _sockets(pid: int, proc: Path) -> Iterator[str]:
    """The inodes of a process's sockets."""
    for entry in os.scandir(proc / str(pid) / "fd"):
        try:
            target = str(Path(entry.path).readlink())
        except FileNotFoundError:  # closed in the meantime
            continue
        if target.startswith("socket:["):
            yield target[len("socket:[") : -1]


def _started_s(pid: int, proc: Path) -> float | None:
    try:
        words = (proc / str(pid) / "stat").read_text().rpartition(")")[2].split()
        lines = (proc / "stat").read_text().splitlines()
        (booted,) = (each.split()[1] for each in lines if each.startswith("btime "))
        return int(booted) + int(words[19]) / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError):
        return None
