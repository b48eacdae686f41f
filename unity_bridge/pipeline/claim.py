"""Check a descriptor before its token is sent: which process listens on the port.

Implements docs/design/pipeline.md §1. Linux shows this in ``/proc``. Other systems show only
whether a process lives, and Windows not even that. Reads only, and blocks briefly.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto
from pathlib import Path

from unity_bridge.pipeline.project_files import Descriptor, is_project

PROC = Path("/proc")
_LISTENING = "0A"
_ADDRESSES = (
    "0100007F",
    "00000000",
    "0000000000000000FFFF00000100007F",
    "00000000000000000000000000000000",
)
"""Addresses that a connection to 127.0.0.1 can reach, as ``/proc/net`` writes them on a
little-endian machine; the first that is listened on gets the connection."""


class Holder(Enum):
    """Who owns the socket that a connection to a port would reach."""

    PROCESS = auto()
    """The process in question."""
    ANOTHER = auto()
    """Another process, or another user."""
    NOBODY = auto()
    """No process listens there."""
    UNKNOWN = auto()
    """The system doesn't show it."""


@dataclass(frozen=True, slots=True)
class Seen:
    """The system's information on a port and a process."""

    alive: bool | None
    """Whether the process runs; ``None`` if unknown."""
    holder: Holder
    started_s: float | None = None
    """When the process started, as of ``time.time``; set only if ``holder`` is ``UNKNOWN``."""
    sockets: frozenset[str] = frozenset()
    """The inodes of the process's listening sockets; set only if ``holder`` is ``PROCESS``."""


def see(port: int, pid: int, proc: Path = PROC) -> Seen:
    """Return who listens on ``port`` of 127.0.0.1, and the state of process ``pid``."""
    if os.name != "posix":  # other systems have no /proc
        return Seen(None, Holder.UNKNOWN)
    holder, sockets = _holder(port, pid, proc)
    started_s = _started_s(pid, proc) if holder is Holder.UNKNOWN else None
    return Seen(process_alive(pid), holder, started_s, sockets)


def still_holds(pid: int, sockets: frozenset[str], proc: Path = PROC) -> bool:
    """Return whether ``pid`` has all these sockets open.

    Then nobody else listens on their port. Much cheaper than :func:`see`, for which the system
    lists every connection.
    """
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
    """Return whether a process of that number runs; ``None`` if unknown."""
    if os.name != "posix":  # on Windows, os.kill would end the process
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
    except OSError:  # not readable
        return Holder.UNKNOWN, frozenset()
    sockets = frozenset(inode for _, inode in listeners)
    return (Holder.PROCESS, sockets) if sockets <= held else (Holder.ANOTHER, frozenset())


def _listeners(port: int, proc: Path) -> set[tuple[int, str]]:
    """Return user and inode of each socket that may get a connection to ``port``."""
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


CLOCKS_DIFFER_S = 60.0
"""How much later than its descriptor an Editor's process may have started."""


@dataclass(frozen=True, slots=True)
class Doubt:
    """Why a descriptor isn't trusted."""

    reason: str
    passing: bool = False
    """Whether its Editor runs and may listen again soon."""


class Claim:
    """A descriptor of ``project``, checked against the system.

    Methods block briefly, and may be called on any thread.
    """

    def __init__(self, descriptor: Descriptor, project: Path) -> None:
        self._descriptor = descriptor
        self._project = project
        self._sockets: frozenset[str] = frozenset()
        self.moves = 0
        """How often the process was seen to listen anew, as it does after each domain reload."""

    def doubt(self) -> Doubt | None:
        """Return why the descriptor isn't trusted now; ``None`` if it is."""
        seen = see(self._descriptor.port, self._descriptor.pid)
        found = doubt(
            self._descriptor, seen, ours=is_project(self._descriptor.project, self._project)
        )
        self._sockets = seen.sockets if found is None else frozenset()
        return found

    def holds(self) -> bool:
        """Return whether the descriptor is trusted.

        It needs no new check while the process still has its sockets open.
        """
        sockets = self._sockets
        if sockets and still_holds(self._descriptor.pid, sockets):
            return True
        if self.doubt() is not None:
            return False
        self.moves += bool(sockets)
        return True


def doubt(descriptor: Descriptor, seen: Seen, *, ours: bool) -> Doubt | None:
    """Return why a descriptor isn't trusted; ``None`` if its token may be sent to its port.

    ``ours`` says whether the descriptor names our project. If the system doesn't show who listens,
    the process must have started before the descriptor was written.
    """
    where = f"port {descriptor.port}"
    if not ours:
        return Doubt("the descriptor is another project's")
    if seen.alive is False:
        return Doubt("the descriptor is left over: its process is gone")
    if seen.holder is Holder.ANOTHER:
        return Doubt(f"another process listens on {where}")
    if seen.holder is Holder.NOBODY:
        return Doubt(f"nothing listens on {where} now", passing=True)
    if seen.holder is Holder.UNKNOWN and _is_younger(descriptor, seen):
        return Doubt("the descriptor is left over: its process is newer")
    return None


def _is_younger(descriptor: Descriptor, seen: Seen) -> bool:
    if descriptor.started_s is None or seen.started_s is None:
        return False
    return seen.started_s > descriptor.started_s + CLOCKS_DIFFER_S
