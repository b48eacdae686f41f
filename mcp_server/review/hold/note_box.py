"""The notes of one project: written on the page, given with answers, kept over a restart.

Implements docs/design/review.md "Notes"; :mod:`.notes` decides.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mcp_server.calls.private_file import write_private
from mcp_server.event_log import log_event
from mcp_server.review.hold.heard_sessions import HeardSessions
from mcp_server.review.hold.notes import Note, Notes, Reader, in_words
from snippet_engine.storage.system.plain_file import read_plain

_FILE = "notes.json"
_MAX_BYTES = 4 * 1024 * 1024


class NoteBox:
    """Keeps the notes and gives them to their agents. Lives on one event loop."""

    def __init__(self, folder: Path, clock: Callable[[], float] = time.time) -> None:
        """``folder`` is the server's own."""
        self._folder = folder
        self._clock = clock
        self._notes = _read(folder)
        self._sessions = HeardSessions()
        self._saving: asyncio.Task[None] | None = None
        self._is_saved = True
        self.on_changed: list[Callable[[], None]] = []
        """Called when a note was written or given."""

    def write(self, note: Note) -> bool:
        """Keep a note until its agent calls; return whether there was room."""
        written = self._notes.written(note)
        if written is not None:
            self._set(written)
        return written is not None

    def reader(self, session: str | None, client: str | None, *, has_session: bool) -> Reader:
        """Return the present caller as a reader of notes."""
        if session is None or not has_session:
            return Reader(session, client, has_session=False)
        self._sessions.hear(session, self._clock())

        def may_follow(earlier: str) -> bool:
            return self._sessions.may_follow(session, earlier, self._clock())

        return Reader(session, client, may_follow=may_follow)

    def about(self, event: int) -> list[Note]:
        """Return the notes about an event."""
        return self._notes.about(event)

    def take(self, reader: Reader, given_with: str) -> list[dict[str, Any]]:
        """Return the notes for the answer to ``reader``; from now on they are given."""
        if not self._notes.kept:
            return []
        found = self._notes.for_reader(reader, self._clock())
        if found:
            self._set(self._notes.given(found, given_with, self._clock()))
        return [each.to_answer() for each in found]

    def wait_for_hook(self, client: str, session: str) -> bool:
        """Return whether there are notes for the agent with that hook."""
        return bool(self._notes.for_reader(_hook(client, session), self._clock()))

    def take_for_hook(self, client: str, session: str) -> list[str]:
        """Return notes for the agent with that hook, one line each; from now on they are given."""
        return in_words(self.take(_hook(client, session), "a hook"))

    async def saved(self) -> None:
        """Wait until all notes are on disk, if they can be written."""
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
        except OSError as error:  # they last as long as this server
            log_event("notes_not_stored", problem=str(error))
        finally:
            self._saving = None


def _hook(client: str, session: str) -> Reader:
    # A hook's session isn't that of the same agent's tools, so its name has to do.
    return Reader(session, client, has_session=False)


def _read(folder: Path) -> Notes:
    try:
        return Notes.from_json(json.loads(read_plain(folder / _FILE, _MAX_BYTES)))
    except (OSError, ValueError, RecursionError, KeyError, TypeError):
        return Notes()


def _write(folder: Path, notes: Notes) -> None:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    write_private(folder / _FILE, notes.to_json(), durable=False)
