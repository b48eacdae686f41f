"""Notes of a person to agents. Each note is given to its agent once.

Implements docs/design/review.md "Notes". Times are those of ``time.time``. :class:`NoteBox` stores
the notes over a restart; the rest is pure.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple, Self

from mcp_server.calls.private_file import write_private
from mcp_server.event_log import log_event
from snippet_engine.errors import one_line, shortened
from snippet_engine.storage.system.plain_file import read_plain

MAX_TEXT = 1000
MAX_ABOUT = 200
MAX_WAITING = 32
MAX_KEPT = 200
MAX_IN_ANSWER = 3
"""Most notes in one answer. The next answer has the others."""

MAX_AGE_S = 24 * 3600.0
"""Seconds after which a waiting note is no longer given: its agent has gone on to other work."""


@dataclass(frozen=True, slots=True)
class Reader:
    """A caller that may be given notes, known by its session and its client's name."""

    session: str | None
    client: str | None
    has_session: bool = True
    """Whether all calls of the agent carry one session. If not, only the client's name counts."""
    may_follow: Callable[[str], bool] = lambda _: False
    """Returns whether this agent may be the agent of an earlier session."""


@dataclass(frozen=True, slots=True)
class Note:
    """One note about an event, or about a ``line`` of a ``file`` in that event."""

    number: int
    text: str
    written_s: float
    event: int
    about: str
    session: str | None
    client: str | None
    file: str | None = None
    line: int | None = None
    given_s: float | None = None
    given_with: str = ""
    """Names the answer in which the note was given."""

    def is_for(self, reader: Reader) -> bool:
        """Return whether ``reader`` is the agent that the note is for, as far as can be known.

        An equal session is proof. Otherwise the client's name must match, and ``reader``'s session
        must be one that may follow the note's.
        """
        if self.session is not None and self.session == reader.session:
            return True
        if not _is_same(self.client, reader.client):
            return False
        return self.session is None or not reader.has_session or reader.may_follow(self.session)

    def to_answer(self) -> dict[str, Any]:
        """Return the note's JSON for the agent."""
        place = {"file": self.file, "line": self.line}
        given = {key: value for key, value in place.items() if value is not None}
        return {"text": self.text, "about": self.about, **given}


@dataclass(frozen=True, slots=True)
class Notes:
    """The stored notes, oldest first."""

    kept: tuple[Note, ...] = ()
    last_number: int = 0

    def waiting(self, now_s: float) -> list[Note]:
        """Return the notes that were not given yet, and are younger than :data:`MAX_AGE_S`."""
        return [
            each
            for each in self.kept
            if each.given_s is None and now_s - each.written_s < MAX_AGE_S
        ]

    def about(self, event: int) -> list[Note]:
        """Return the notes about an event."""
        return [each for each in self.kept if each.event == event]

    def written(self, note: Note) -> Self | None:
        """Return the notes with ``note`` added; ``None`` if :data:`MAX_WAITING` notes wait.

        The note gets the next number, and its texts are shortened. If there are too many notes, the
        oldest of those that an agent has received are dropped.
        """
        if len(self.waiting(note.written_s)) >= MAX_WAITING:
            return None
        number = self.last_number + 1
        text = "".join(each for each in note.text if each.isprintable() or each in "\n\t")
        text = text.strip()[:MAX_TEXT]
        about = shortened(one_line(note.about), MAX_ABOUT)
        kept = [*self.kept, replace(note, number=number, text=text, about=about)]
        while len(kept) > MAX_KEPT:
            # Fewer notes can wait than are stored, so one that no longer waits is always found.
            waits = {each.number for each in self.waiting(note.written_s)}
            kept.remove(next(each for each in kept if each.number not in waits))
        return replace(self, kept=tuple(kept), last_number=number)

    def for_reader(self, reader: Reader, now_s: float) -> list[Note]:
        """Return the notes for ``reader``'s next answer, at most :data:`MAX_IN_ANSWER`."""
        waiting = [each for each in self.waiting(now_s) if each.is_for(reader)]
        return waiting[:MAX_IN_ANSWER]

    def given(self, notes: Sequence[Note], given_with: str, now_s: float) -> Self:
        """Return the notes, with those in ``notes`` marked as given."""
        numbers = {each.number for each in notes}
        kept = [
            replace(each, given_s=now_s, given_with=given_with) if each.number in numbers else each
            for each in self.kept
        ]
        return replace(self, kept=tuple(kept))

    def to_json(self) -> dict[str, Any]:
        """Return the JSON to store."""
        return {"last_number": self.last_number, "kept": [asdict(each) for each in self.kept]}

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Self:
        """Read the JSON of :meth:`to_json`.

        Raises ``KeyError``, ``TypeError`` or ``ValueError`` for anything else.
        """
        kept = tuple(Note(**each) for each in stored["kept"][:MAX_KEPT])
        for each in kept:
            if not isinstance(each.text, str) or not isinstance(each.written_s, int | float):
                raise TypeError("no note")
        return cls(kept, max([int(stored["last_number"]), *(each.number for each in kept)]))


def in_words(notes: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return one line of text for each note in an answer."""
    lines = []
    for each in notes:
        line = f":{each['line']}" if "line" in each else ""
        place = f", {each['file']}{line}" if "file" in each else ""
        text = " ".join(each["text"].split())
        lines.append(f"note from the user, about {each['about']}{place}: {text}")
    return lines


def _is_same(one: str | None, other: str | None) -> bool:
    """Return whether two names may belong to one client, because one begins with the other.

    A hook knows only the beginning of its client's name.
    """
    if not one or not other:
        return False
    first, second = sorted((one.lower(), other.lower()), key=len)
    return second.startswith(first)


MAX_SESSIONS = 256
"""Most sessions that are remembered. The session whose last call is oldest is forgotten first."""

QUIET_S = 120.0
"""Seconds after its last call for which an agent counts as still present."""


class _Heard(NamedTuple):
    first_s: float
    last_s: float


class KnownSessions:
    """When each session first and last called this server."""

    def __init__(self) -> None:
        self._heard: OrderedDict[str, _Heard] = OrderedDict()

    def record_call(self, session: str, now_s: float) -> None:
        """Note a call of a session."""
        known = self._heard.pop(session, None)
        self._heard[session] = _Heard(now_s if known is None else known.first_s, now_s)
        if len(self._heard) > MAX_SESSIONS:
            self._heard.popitem(last=False)

    def may_follow(self, session: str, earlier: str, now_s: float) -> bool:
        """Return whether ``session`` may belong to the agent of the session ``earlier``.

        True if ``earlier`` last called before ``session`` began, and at least :data:`QUIET_S` ago.
        Also true if ``earlier`` never called this server.
        """
        own, other = self._heard.get(session), self._heard.get(earlier)
        if own is None or other is None:
            return other is None
        return own.first_s > other.last_s and now_s - other.last_s >= QUIET_S


_FILE = "notes.json"
_MAX_BYTES = 4 * 1024 * 1024


class NoteBox:
    """Stores the notes, and gives each to its agent. Lives on one event loop."""

    def __init__(self, folder: Path) -> None:
        """``folder`` is the server's own."""
        self._folder = folder
        self._notes = _read(folder)
        self._sessions = KnownSessions()
        self._saving: asyncio.Task[None] | None = None
        self._is_saved = True
        self.on_changed: list[Callable[[], None]] = []
        """Called when a note was written or given."""

    def write(self, note: Note) -> bool:
        """Store a note until its agent calls. Return whether there was room."""
        written = self._notes.written(note)
        if written is not None:
            self._set(written)
        return written is not None

    def reader(self, session: str | None, client: str | None, *, has_session: bool) -> Reader:
        """Return the caller as a reader of notes, and remember that its session called.

        ``has_session`` says whether all calls of this client carry the same session.
        """
        if session is None or not has_session:
            return Reader(session, client, has_session=False)
        self._sessions.record_call(session, time.time())

        def may_follow(earlier: str) -> bool:
            return self._sessions.may_follow(session, earlier, time.time())

        return Reader(session, client, may_follow=may_follow)

    def about(self, event: int) -> list[Note]:
        """Return the notes about an event."""
        return self._notes.about(event)

    def take(self, reader: Reader, given_with: str) -> list[dict[str, Any]]:
        """Return the notes for the answer to ``reader``, and mark them as given."""
        if not self._notes.kept:
            return []
        found = self._notes.for_reader(reader, time.time())
        if found:
            self._set(self._notes.given(found, given_with, time.time()))
        return [each.to_answer() for each in found]

    def wait_for_hook(self, client: str, session: str) -> bool:
        """Return whether notes wait for the agent that runs this hook."""
        return bool(self._notes.for_reader(_hook(client, session), time.time()))

    def take_for_hook(self, client: str, session: str) -> list[str]:
        """Return the notes for the agent that runs this hook, one line each; mark them as given."""
        return in_words(self.take(_hook(client, session), "a hook"))

    async def saved(self) -> None:
        """Wait until all notes are stored, or storing them has failed."""
        while self._saving is not None:
            await self._saving

    def _set(self, notes: Notes) -> None:
        self._notes, self._is_saved = notes, False
        if self._saving is None:
            self._saving = asyncio.create_task(self._save())
        for each in self.on_changed:
            each()

    async def _save(self) -> None:
        try:
            while not self._is_saved:
                self._is_saved = True
                await asyncio.to_thread(_write, self._folder, self._notes)
        except OSError as error:  # they are lost when this server ends
            log_event("notes_not_stored", problem=str(error))
        finally:
            self._saving = None


def _hook(client: str, session: str) -> Reader:
    # An agent's hook and its tools have different sessions, so only the name can match.
    return Reader(session, client, has_session=False)


def _read(folder: Path) -> Notes:
    try:
        return Notes.from_json(json.loads(read_plain(folder / _FILE, _MAX_BYTES)))
    except (OSError, ValueError, RecursionError, KeyError, TypeError):
        return Notes()


def _write(folder: Path, notes: Notes) -> None:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    write_private(folder / _FILE, notes.to_json(), durable=False)
