"""Watch the scripts for changes, and add history entries for them. One thread does all of it.

Implements docs/design/watcher.md.
"""

from __future__ import annotations

import logging
import os
import queue
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from threading import Thread
from time import monotonic, sleep, time
from typing import TypeVar

from mcp_server.event_log import log_event
from mcp_server.watcher.events import FileEvents
from mcp_server.watcher.known_texts import MAX_BYTES, KnownTexts
from mcp_server.watcher.outside_change import BulkChange, NotedTexts, OutsideChange, OwnWrite, Seen
from mcp_server.watcher.read_texts import SUFFIX
from mcp_server.watcher.script_looks import ScriptLooks
from mcp_server.watcher.settling import Settling
from snippet_engine.project_settings import DEFINITIONS
from snippet_engine.storage.paths.project import Project
from snippet_engine.storage.stores.outside_changes import Maker, is_gone

T = TypeVar("T")

SLICE_S = 0.01
"""Seconds of reading scripts in the background, before the thread does other work or rests."""

RESCAN_S = 60.0
"""Seconds between two looks at all stamps if there are events, in case one was lost."""

POLL_S = 5.0
"""Seconds between two looks at all stamps if there are no events."""

RETRY_S = 1.0
"""Seconds that the watcher pauses after the system refused to open a file."""

ROOTS_S = 2.0
"""Seconds between two checks whether ``Assets`` or ``Packages`` were replaced."""

_POLL_SHARE = 200
"""The pause after a look at all stamps is at least this many times as long as the look."""

_MAX_SETTINGS = 500

_SAVE_BYTES = 8 * 1024 * 1024


class Watcher:
    """Watches the scripts of one project from :meth:`start` to :meth:`stop`."""

    def __init__(
        self, project: Project, on_seen: Callable[[Seen], None], max_bytes: int = MAX_BYTES
    ) -> None:
        """``on_seen`` gets, on the watcher's thread, the changes that no :meth:`look` returns."""
        self._project = project
        self._on_seen = on_seen
        self._texts = KnownTexts(project.root, max_bytes)
        self._settling = Settling()
        self._noted = NotedTexts()
        self._settings: dict[str, float] = {}
        """When assembly definitions and similar files last changed, as of ``time.monotonic``."""
        self._work: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._events = FileEvents(self._on_events, self._on_lost)
        self._background: Iterator[None] | None = None
        self._next_roots_s = 0.0
        self._next_scan_s = 0.0
        self._scan_took_s = 0.0
        self._is_first = True
        self._stopping = False
        self._thread = Thread(target=self._run, name="watcher", daemon=True)
        self.on_own: Callable[[OwnWrite], None] = lambda _: None
        """Called on the watcher's thread with what this product wrote, in any process."""
        self.why_no_events: str | None = None
        """Why there are no events; empty if there are, ``None`` if not known yet."""

    def start(self) -> None:
        """Start the thread. Returns at once."""
        self._thread.start()

    def stop(self, within_s: float) -> None:
        """Stop within about ``within_s`` seconds, and store the changes that were seen."""
        self._work.put(self._end)
        self._events.stop(within_s)
        self._thread.join(within_s)

    def submit(self, work: Callable[[], T]) -> Future[T]:
        """Run ``work``, which calls methods below, on the watcher's thread."""
        future: Future[T] = Future()

        def run() -> None:
            if future.set_running_or_notify_cancel():
                try:
                    future.set_result(work())
                except BaseException as error:
                    future.set_exception(error)

        self._work.put(run)
        if not self._thread.is_alive():
            future.cancel()
        return future

    def note(self, texts: Mapping[str, bytes | None], call_s: float) -> None:
        """Note the texts that a client's hook read before the client writes.

        Any thread may call it. A text is ``None`` if the hook found no file. ``call_s`` is when the
        hook began to read, as of ``time.time``.
        """
        seen = {}
        for path, data in texts.items():
            script = self._project.named(path)
            if data is not None or (script is not None and is_gone(script)):
                seen[path] = data
        self._noted.add(seen, call_s)

    # -- on the watcher's thread -----------------------------------------------------------------

    def look(
        self,
        paths: Sequence[str] | None,
        maker: Maker,
        noted: Mapping[str, bytes | None] | None = None,
        *,
        call_s: float = 0.0,
        since_s: float = 0.0,
        are_written: bool = False,
    ) -> list[OutsideChange] | BulkChange:
        """Look at ``paths``, or at all scripts if it is ``None``. Return what has changed.

        The changes are attributed to ``maker``. So are recent changes of ``paths`` without a known
        maker; if ``paths`` is ``None``, only those seen after ``since_s``. ``noted`` has the texts
        from before the maker's call, read at ``call_s``. ``are_written`` says that the call has
        ended.
        """
        noted = noted or {}
        for path, before in noted.items():
            self._looks.as_read.learn_noted(path, before, call_s)
        if paths is None:
            for _ in self._touched():
                pass
            found = self._looks.take_all(maker, since_s)
        else:
            found = self._looks.take_each(
                paths, maker, noted, call_s=call_s, are_written=are_written
            )
        self._texts.save()
        self._report()
        return found

    def look_around(self) -> float:
        """Look at all scripts, and report changes without a known maker. Return the time.

        The time is one of ``time.monotonic``: all earlier changes were looked at.
        """
        if not self._is_first:
            for _ in self._touched():
                pass
            seen = self._looks.take_waiting()
            self._texts.save()
            if seen is not None:
                self._on_seen(seen)
        return monotonic()

    def expect(self, paths: Sequence[str]) -> None:
        """Look at scripts that a client is about to write, before its write.

        So earlier changes aren't attributed to the client.
        """
        self.wrote(paths)
        for path in paths:
            self._settling.expect(path, monotonic())

    def wrote(self, paths: Iterable[str]) -> None:
        """Look at scripts that this product wrote."""
        for path in paths:
            if self._looks.as_read.differs(path):
                self._looks.take(path)
        self._report()

    def _report(self) -> None:
        seen = self._looks.fresh()
        if seen is not None:
            self._on_seen(seen)

    def settings_since(self, since_s: float) -> list[str]:
        """Return the assembly definitions and similar files that changed since ``since_s``."""
        return [path for path, at_s in self._settings.items() if at_s >= since_s]

    def check(self) -> None:
        """Look at all stamps soon, if there are no events."""
        if self.why_no_events:
            self._next_scan_s = min(self._next_scan_s, monotonic() + self._scan_took_s)

    # -- the loop --------------------------------------------------------------------------------

    def _run(self) -> None:
        try:
            self._texts.load()
            self._looks = ScriptLooks(self._project, self._texts, self._settling, self._noted)
            self._looks.on_own = self.on_own
            self._begin()
        except Exception:
            logging.getLogger(__name__).exception("the scripts can't be watched")
            return
        while not self._stopping:
            try:
                self._turn()
            except OSError as error:  # such as too many open files: look at all stamps again
                log_event("scripts_not_looked_at", level=logging.WARNING, why=str(error))
                self._next_scan_s = monotonic() + RETRY_S
                sleep(RETRY_S)
            except Exception:  # one failure must not end the watching
                logging.getLogger(__name__).exception("failed to look at a change")

    def _begin(self) -> None:
        """Watch the present folders, and start to look at all stamps."""
        # Start the events before the first look, so that no change is missed in between.
        self.why_no_events = self._events.start(list(self._looks.files.roots.values()))
        if self.why_no_events:
            log_event("no_file_events", level=logging.WARNING, why=self.why_no_events)
        self._background = self._scan()

    def _end(self) -> None:
        self._stopping = True
        self._events.stop(0)
        self._texts.save()

    def _turn(self) -> None:
        """Do the submitted work, then a slice of the look at all stamps, then what is due."""
        with suppress(queue.Empty):
            self._work.get(timeout=self._wait_s())()
            while not self._stopping:
                self._work.get_nowait()()
        if self._stopping:
            return
        if monotonic() >= self._next_roots_s:
            self._next_roots_s = monotonic() + ROOTS_S
            if self._looks.files.find_roots():
                self._events.stop(0)
                self._events = FileEvents(self._on_events, self._on_lost)
                self._begin()
        until = monotonic() + SLICE_S
        while self._background is not None and monotonic() < until:
            if next(self._background, self) is self:
                self._background = None
        if self._background is None and monotonic() >= self._next_scan_s:
            self._background = self._scan()
        if not self._is_first:
            self._settle()
        if self._background is None or self._texts.unsaved_bytes > _SAVE_BYTES:
            self._texts.save()
            if not (self._is_first or self._looks.as_read.knows_all):
                self._next_scan_s = 0.0

    def _settle(self) -> None:
        is_busy = len(self._settling) > 0 and self._looks.is_git_busy
        settled = self._settling.settled(monotonic(), is_git_busy=is_busy)
        seen = None if settled is None else self._looks.settled(settled)
        if seen is not None:
            self._texts.save()
            self._on_seen(seen)

    def _wait_s(self) -> float:
        if self._background is not None:
            return SLICE_S
        ends_s, now_s = min(self._next_scan_s, self._next_roots_s), monotonic()
        if (settles_s := self._settling.next_s()) is not None:
            ends_s = min(ends_s, max(settles_s, now_s + 0.05))
        return min(max(0.0, ends_s - now_s), RESCAN_S)

    # -- where to look ---------------------------------------------------------------------------

    def _on_events(self, found: Sequence[tuple[str, bool]]) -> None:
        """Hand events to the watcher's thread. Called on the events' thread."""
        now_s = monotonic()
        self._work.put(lambda: self._take_up(found, now_s))

    def _on_lost(self, why: str) -> None:
        def note() -> None:
            self.why_no_events, self._next_scan_s = why, 0.0
            log_event("no_file_events", level=logging.WARNING, why=why)

        self._work.put(note)

    def _take_up(self, found: Sequence[tuple[str, bool]], now_s: float) -> None:
        """Note the scripts behind events, also those in new and in deleted folders."""
        for place, is_deleted in found:
            path = self._looks.files.relative(place)
            if path is None:
                continue
            if path.endswith(SUFFIX):
                if self._looks.as_read.differs(path):
                    self._settling.touch(path, now_s)
            elif path.endswith(DEFINITIONS):
                self._settings[path] = now_s
                if len(self._settings) > _MAX_SETTINGS:
                    del self._settings[next(iter(self._settings))]
            elif is_deleted:
                below = f"{path}/"
                for each in [each for each in self._texts.paths if each.startswith(below)]:
                    self._settling.touch(each, now_s)
            elif os.path.isdir(place):
                for _ in self._touched(path):
                    pass

    def _touched(self, below: str | None = None) -> Iterator[None]:
        """Note the scripts whose stamps differ from the known ones, of all or below a folder.

        Yields after each script, so that the caller can pause.
        """
        seen = set()
        for folder in self._looks.files.folders(below):
            for file in folder:
                seen.add(file.path)
                if not self._looks.as_read.knows_all and file.path not in self._texts:
                    self._looks.as_read.read_first(file.path)
                elif self._looks.as_read.differs(file.path, file.stamp):
                    self._settling.touch(file.path, monotonic())
                yield
        if below is None:
            for path in [each for each in self._texts.paths if each not in seen]:
                if self._looks.as_read.differs(path):
                    self._settling.touch(path, monotonic())
                yield

    def _scan(self) -> Iterator[None]:
        """Look at all stamps in the background. Yields after each script."""
        began_s, began_wall_s = monotonic(), time()
        worked_s = 0.0
        touched = self._touched()
        while True:
            started_s = monotonic()
            is_over = next(touched, self) is self
            worked_s += monotonic() - started_s
            if is_over:
                break
            yield
        if not self._texts.is_there:  # Somebody removed ``Library``: read all texts again.
            self._texts.forget_all()
            self._next_scan_s = 0.0
            return
        self._looks.as_read.all_seen_s, self._scan_took_s = began_wall_s, worked_s
        rest_s = POLL_S if self.why_no_events else RESCAN_S
        self._next_scan_s = monotonic() + max(rest_s, worked_s * _POLL_SHARE)
        if not self._is_first:
            self._looks.as_read.end_scan()
        else:
            bulk = self._looks.end_first()
            self._is_first = False
            self._texts.save()
            if bulk is not None:
                self._on_seen(Seen((), bulk))
            log_event(
                "scripts_known",
                scripts=len(self._texts),
                kept_mb=round(self._texts.total_bytes / 1e6, 1),
                events=not self.why_no_events,
                duration_ms=round((monotonic() - began_s) * 1000, 1),
            )
