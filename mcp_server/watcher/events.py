"""Events from the file system, or the reason why it sends none.

Events only say where to look. The changes themselves are read from the disk.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from threading import Event, Thread

from snippet_engine.storage.os_failure import reason_of

_STEP_MS = 100
_TOGETHER_MS = 200
_LOOK_MS = 60_000
_DELETED = 3

NO_EVENTS = "UNITY_SNIPPET_NO_EVENTS"
"""Environment variable.

If it is set, no events are used; the files' stamps are compared instead.
"""

_SILENT_SYSTEMS = frozenset(
    {
        *("nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "drvfs", "vboxsf", "vmhgfs"),
        *("fuse.sshfs", "fuse.vmhgfs-fuse", "fuse.rclone", "afs", "virtiofs", "prl_fs"),
    }
)
"""File systems that don't report changes by other computers."""

OnEvents = Callable[[Sequence[tuple[str, bool]]], None]
"""Gets the absolute path of each changed file or folder, and whether it was deleted."""


class FileEvents:
    """Watches folders on its own thread."""

    def __init__(self, on_events: OnEvents, on_lost: Callable[[str], None]) -> None:
        """``on_lost`` gets the reason if events end later."""
        self._on_events = on_events
        self._on_lost = on_lost
        self._stop = Event()
        self._thread: Thread | None = None

    def start(self, folders: Sequence[str]) -> str:
        """Start to watch ``folders``. Return why that is impossible; empty if it works."""
        why = why_none(folders)
        if why:
            return why
        try:
            from watchfiles._rust_notify import RustNotify  # noqa: PLC0415 - it may be missing
        except ImportError:
            return "the library watchfiles can't be loaded here"
        try:
            watcher = RustNotify(list(folders), False, False, 0, True, True)
        except OSError as error:
            return f"the system can't watch files ({_words(error)})"
        except Exception as error:  # watchfiles has its own error type, with the system's message
            return f"the system can't watch files ({error})"
        thread = Thread(target=self._run, args=(watcher,), name="file events", daemon=True)
        thread.start()
        self._thread = thread  # set only now, because a thread can't be joined before it starts
        return ""

    def _run(self, watcher: object) -> None:
        try:
            while not self._stop.is_set():
                found = watcher.watch(_TOGETHER_MS, _STEP_MS, _LOOK_MS, self._stop)  # type: ignore[attr-defined]
                if isinstance(found, set):
                    self._on_events([(place, kind == _DELETED) for kind, place in found])
        except Exception as error:
            if not self._stop.is_set():
                self._on_lost(f"the system's events ended ({error})")
        finally:
            watcher.close()  # type: ignore[attr-defined]

    def stop(self, within_s: float) -> None:
        """Stop, and wait up to ``within_s`` seconds for the thread to end."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join(within_s)


def why_none(folders: Sequence[str]) -> str:
    """Return why there are no events for one of ``folders``; empty if no reason is known."""
    if os.environ.get(NO_EVENTS):
        return f"{NO_EVENTS} is set"
    for folder in folders:
        if folder.startswith("\\\\"):
            return "a network drive sends no events"
        kind = _system_of(folder)
        if kind in _SILENT_SYSTEMS:
            return f"a drive of the kind {kind} sends no events"
    return ""


def _system_of(folder: str) -> str:
    """Return the type of the file system that contains ``folder``; empty if unknown."""
    if not sys.platform.startswith("linux"):
        return ""
    try:
        lines = Path("/proc/self/mounts").read_text(errors="replace").splitlines()
    except OSError:
        return ""
    best, kind = "", ""
    for line in lines:
        _, point, found, *_ = [*line.split(" "), "", "", ""]
        point = point.replace("\\040", " ")
        inside = folder == point or folder.startswith(point.rstrip("/") + "/")
        if inside and len(point) >= len(best):
            best, kind = point, found
    return kind


def _words(error: OSError) -> str:
    return reason_of(error) if error.errno else str(error)
