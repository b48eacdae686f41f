"""All stored events, newest first, with their details and the texts of their files.

Implements docs/design/review.md "Events". Adding only puts an event into a queue. One thread
numbers the events, hashes their texts and writes both. If nothing can be written, this process
still has its own events, without their texts.
"""

from __future__ import annotations

import logging
from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Event as Flag
from threading import Lock, Thread
from time import monotonic
from typing import Any

from mcp_server.event_log import log_event
from mcp_server.review.record.event_files import (
    MAX_SEGMENT_EVENTS,
    MAX_SEGMENTS,
    MAX_TEXT_BYTES,
    EventFiles,
    Place,
    detail_line,
    document_line,
    text_line,
)
from mcp_server.review.record.events import (
    ALL,
    Event,
    EventFile,
    EventFilter,
    FileTexts,
    LateError,
    NewEvent,
)
from snippet_engine.source_text import content_hash

MAX_EVENTS = MAX_SEGMENT_EVENTS * MAX_SEGMENTS

MAX_NUMBER = 10**12
"""Event numbers stay below this, because names of segments have twelve digits."""

MAX_WAITING_BYTES = 64 * 1024 * 1024
"""Most bytes of texts that wait to be written. Events beyond are stored without texts."""

MAX_LATER = 1_000
_MOST_LOOKED_AT = 500
MAX_LATE = 50


OnAdded = Callable[[Event], None]


@dataclass(slots=True)
class Ticket:
    """An event that :meth:`EventStore.add` has queued."""

    number: int = 0
    """0 until the store's thread has numbered the event."""


class EventStore:
    """The events of one project. Any thread may read. The store's thread calls ``on_added``."""

    def __init__(self, folder: Path) -> None:
        self._files = EventFiles(folder)
        self._lock = Lock()
        self._events: list[Event] = []
        self._details: dict[int, Place | dict[str, Any]] = {}
        self._texts: dict[str, Place] = {}
        self._late: dict[int, list[LateError]] = {}
        self._mark = 0
        self._next = 1
        self._queue: SimpleQueue[Callable[[], object] | None] = SimpleQueue()
        self._later: deque[tuple[float, Callable[[], object]]] = deque(maxlen=MAX_LATER)
        """Functions to call at times of ``monotonic``, the soonest first."""
        self._waiting_bytes = 0
        self._thread: Thread | None = None
        self.problem: str | None = None
        """Why events are not stored; ``None`` if they are."""
        self.on_added: list[OnAdded] = []
        """Called with each event once it can be read, and again when the event is amended."""

    def start(self) -> None:
        """Start the thread that reads the stored events and adds new ones. Returns at once."""
        if self._thread is None:
            self._thread = Thread(target=self._work, name="events", daemon=True)
            self._queue.put(self._load)
            self._thread.start()

    def stop(self, within_s: float) -> None:
        """Write the queued events, and wait for that up to ``within_s`` seconds."""
        if self._thread is not None:
            self._queue.put(None)
            self._thread.join(within_s)

    def settle(self, within_s: float) -> bool:
        """Wait up to ``within_s`` seconds. Return whether everything added so far can be read."""
        reached = Flag()
        self._queue.put(reached.set)
        return reached.wait(within_s)

    # -- adding ------------------------------------------------------------------------------------

    def add(self, new: NewEvent) -> Ticket:
        """Queue an event. Return its ticket, with which it can be amended."""
        ticket = Ticket()
        size = sum(len(each.before or b"") + len(each.after or b"") for each in new.files)
        with self._lock:
            has_room = self._waiting_bytes + size <= MAX_WAITING_BYTES
            self._waiting_bytes += size if has_room else 0
        if not has_room:
            unknown = tuple(FileTexts(each.path, is_unknown=True) for each in new.files)
            new = replace(new, files=unknown)
        self._queue.put(lambda: self._add(new, size if has_room else 0, ticket))
        return ticket

    def begin_with(self, make: Callable[[], Iterable[NewEvent]]) -> None:
        """Add the events that ``make`` returns, in that order, if no event was ever recorded."""

        def add() -> None:
            if self._next == 1:
                for each in make():
                    self._add(each, 0, Ticket())

        self._queue.put(add)

    def add_unless(
        self,
        is_known: Callable[[Event], bool],
        new: NewEvent,
        after_s: float,
        may_come: Callable[[], bool] = lambda: False,
    ) -> None:
        """Add an event after ``after_s`` seconds, unless ``is_known`` accepts an event by then.

        The wait is repeated while ``may_come`` returns true, because such an event may still come.
        It must be added before ``may_come`` returns false.
        """

        def wait() -> None:
            self._later.append((monotonic() + after_s, look))

        def look() -> None:
            if may_come():
                wait()
            else:
                self._queue.put(add)  # after all events that are queued now

        def add() -> None:
            if not any(map(is_known, self._events[-_MOST_LOOKED_AT:])):
                self.add(new)

        self._queue.put(wait)

    def amend(self, ticket: Ticket, **changes: Any) -> None:
        """Replace fields of the event behind ``ticket``."""
        self._queue.put(lambda: self._amend(ticket.number, changes))

    def add_late(self, find: Callable[[Event], bool], errors: Sequence[LateError]) -> None:
        """Set the late errors of the newest event that ``find`` accepts; at most :data:`MAX_LATE`.

        They replace the event's earlier ones.
        """
        self._queue.put(lambda: self._add_late(find, list(errors[:MAX_LATE])))

    def set_mark(self, number: int) -> None:
        """Note that the person has seen everything up to the event ``number``."""
        with self._lock:
            self._mark = number
        self._queue.put(lambda: self._write(lambda: [document_line({"mark": number})]))

    # -- reading -----------------------------------------------------------------------------------

    @property
    def last_number(self) -> int:
        """Return the newest event's number; 0 if there is none."""
        with self._lock:
            return self._next - 1

    @property
    def mark(self) -> int:
        """Return the number of the last event that the person has seen."""
        with self._lock:
            return self._mark

    def events(
        self,
        chosen: EventFilter = ALL,
        before_number: int | None = None,
        limit: int = 100,
    ) -> list[Event]:
        """Return at most ``limit`` events with numbers below ``before_number``, newest first."""
        with self._lock:
            end = len(self._events)
            if before_number is not None:
                end = bisect_left(self._events, before_number, key=_number)
            start = bisect_right(self._events, chosen.after, key=_number)
            within = self._events[start:end]
        found = []
        for event in reversed(within):
            if chosen.fits(event):
                found.append(event)
                if len(found) == limit:
                    break
        return found

    def event(self, number: int) -> Event | None:
        """Return the event ``number``; ``None`` if it isn't stored."""
        with self._lock:
            at = bisect_left(self._events, number, key=_number)
            found = self._events[at] if at < len(self._events) else None
        return found if found is not None and found.number == number else None

    def detail(self, number: int) -> dict[str, Any] | None:
        """Return an event's request and outcome; ``None`` if they aren't stored."""
        with self._lock:
            found = self._details.get(number)
        return self._files.detail(found) if isinstance(found, Place) else found

    def late(self, number: int) -> list[LateError]:
        """Return the errors of an event that were found after its answer."""
        with self._lock:
            return list(self._late.get(number, ()))

    def text(self, digest: str) -> bytes | None:
        """Return the text with a hash; ``None`` if it isn't stored."""
        with self._lock:
            place = self._texts.get(digest)
        found = None if place is None else self._files.text(place)
        return found if found is not None and content_hash(found) == digest else None

    # -- on the thread -----------------------------------------------------------------------------

    def _work(self) -> None:
        while (task := self._next_task()) is not None:
            try:
                task()
            except Exception:  # a bug here must not stop a call
                logging.getLogger(__name__).exception("an event could not be added")

    def _next_task(self) -> Callable[[], object] | None:
        while True:
            left_s = self._later[0][0] - monotonic() if self._later else None
            if left_s is not None and left_s <= 0:
                return self._later.popleft()[1]
            with suppress(Empty):
                return self._queue.get(timeout=left_s)

    def _load(self) -> None:
        try:
            for line in self._files.load():
                if line.text is not None:
                    self._texts[line.text] = line.place
                elif line.detail is not None:
                    self._details[line.detail] = line.place
                elif line.document is not None:
                    self._read(line.document)
        except OSError as error:
            self._note_problem(error)
        with self._lock:
            self._mark = max(0, min(self._mark, self._next - 1))

    def _read(self, document: Any) -> None:
        try:
            if "event" in document:
                number = document["event"]["number"]
                if type(number) is not int or not 0 < number < MAX_NUMBER:
                    return
                with self._lock:  # an unreadable event's number must not be reused
                    self._next = max(self._next, number + 1)
                event = Event.from_json(document["event"])
                if self._events and number <= self._events[-1].number:
                    self._replace(event)
                else:
                    with self._lock:
                        self._events.append(event)
            elif "mark" in document:
                self._mark = int(document["mark"])
            elif "late" in document:
                errors = [LateError(**each) for each in document["errors"]]
                self._late[int(document["late"])] = errors
        except (KeyError, TypeError, ValueError):
            return

    def _add(self, new: NewEvent, size: int, ticket: Ticket) -> None:
        texts: dict[str, bytes] = {}
        files = tuple(_file(each, texts) for each in new.files) or new.event.files
        for each in new.texts:
            _digest(each, texts)
        with self._lock:
            self._waiting_bytes -= size
            event = replace(new.event, number=self._next, files=files)
        ticket.number = event.number
        places: dict[str, Place] = {}

        def lines() -> list[bytes]:
            segment = self._files.segment
            kept = {key for key in texts if (at := self._texts.get(key)) and at.segment == segment}
            missing = {key: data for key, data in texts.items() if key not in kept}
            places.update(dict.fromkeys(missing, Place(0, 0, 0)))
            return [
                *(text_line(key, data) for key, data in missing.items()),
                *([detail_line(event.number, new.detail)] if new.detail else []),
                document_line({"event": event.to_json()}),
            ]

        written = self._write(lines, event.number)
        with self._lock:
            self._events.append(event)
            self._next = event.number + 1
            if written is None:
                self._details[event.number] = dict(new.detail)
            else:
                self._texts.update(zip(places, written, strict=False))
                if new.detail:
                    self._details[event.number] = written[-2]
        self._forget_beyond()
        self._notify(event)

    def _amend(self, number: int, changes: Mapping[str, Any]) -> None:
        known = self.event(number)
        if known is None:
            return
        event = replace(known, **changes)
        self._write(lambda: [document_line({"event": event.to_json()})])
        self._replace(event)
        self._notify(event)

    def _replace(self, event: Event) -> None:
        with self._lock:
            at = bisect_left(self._events, event.number, key=_number)
            if at < len(self._events) and self._events[at].number == event.number:
                self._events[at] = event

    def _add_late(self, find: Callable[[Event], bool], errors: list[LateError]) -> None:
        newest_first = reversed(self._events[-_MOST_LOOKED_AT:])
        event = next((each for each in newest_first if find(each)), None)
        if event is None or self._late.get(event.number, []) == errors:
            return
        document = {"late": event.number, "errors": [asdict(each) for each in errors]}
        self._write(lambda: [document_line(document)])
        with self._lock:
            self._late[event.number] = errors
        self._notify(event)

    def _write(
        self, lines: Callable[[], list[bytes]], number: int | None = None
    ) -> list[Place] | None:
        """Write lines and return their places; ``None`` if they can't be written.

        One of the lines is the event ``number``'s.
        """
        try:
            if self._files.segment is None:
                self._forget_segments(self._files.begin(number or self._next))
                if self._mark:
                    self._files.add([document_line({"mark": self._mark})], 0)
            places = self._files.add(lines(), int(number is not None))
        except OSError as error:
            self._note_problem(error)
            return None
        self.problem = None
        return places

    def _note_problem(self, error: OSError) -> None:
        if self.problem is None:
            log_event("events_not_kept", level=logging.WARNING, problem=str(error))
        self.problem = error.strerror or str(error)

    def _forget_segments(self, gone: Iterable[int]) -> None:
        numbers = set(gone)
        if not numbers:
            return
        with self._lock:
            self._texts = {key: at for key, at in self._texts.items() if at.segment not in numbers}
            self._details = {
                key: at
                for key, at in self._details.items()
                if not isinstance(at, Place) or at.segment not in numbers
            }

    def _forget_beyond(self) -> None:
        with self._lock:
            if len(self._events) <= MAX_EVENTS:
                return
            gone = self._events[: MAX_SEGMENT_EVENTS // 4]
            del self._events[: len(gone)]
            for each in gone:
                self._details.pop(each.number, None)
                self._late.pop(each.number, None)

    def _notify(self, event: Event) -> None:
        for listener in list(self.on_added):
            listener(event)


def _number(event: Event) -> int:
    return event.number


def _file(seen: FileTexts, texts: dict[str, bytes]) -> EventFile:
    before, after = (_digest(each, texts) for each in (seen.before, seen.after))
    return EventFile(seen.path, seen.moved_to, before, after, seen.is_unknown)


def _digest(data: bytes | None, texts: dict[str, bytes]) -> str | None:
    if data is None:
        return None
    digest = content_hash(data)
    if len(data) <= MAX_TEXT_BYTES:
        texts[digest] = data
    return digest
