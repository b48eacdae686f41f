"""The Pipeline's road where it is not to be taken: no Editor is ever found on it.

Implements docs/design/server-and-bridge.md §11. What is seen of the project without an Editor's
help, that it may be in Safe Mode, is told on the plugin's road as on the other.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

from unity_bridge.clock import Clock, LoopClock, sleep_ms
from unity_bridge.editor_state import EditorView
from unity_bridge.link import Command, LinkListener, NotSent
from unity_bridge.pipeline.pace import Pace
from unity_bridge.pipeline.project_files import is_locked
from unity_bridge.pipeline.sightings import Watched, nobody


class LockWatch:
    """An :class:`unity_bridge.link.EditorLink` that looks at a project's lock and asks nobody."""

    name = "pipeline"

    def __init__(
        self, project: Path, *, clock: Clock | None = None, pace: Pace | None = None
    ) -> None:
        self._project = project
        self._clock = clock or LoopClock()
        self._pace = pace or Pace()
        self._watched = Watched()
        self._listeners: list[LinkListener] = []
        self._watching: asyncio.Task[None] | None = None

    @property
    def view(self) -> EditorView:
        """No Editor, and perhaps what stands in the way of one."""
        return self._watched.view

    def listen(self, listener: LinkListener) -> None:
        """Tell ``listener`` of everything from now on."""
        self._listeners.append(listener)

    def open(self) -> None:
        """Begin to look."""
        if self._watching is None:
            self._watching = asyncio.create_task(self._watch())

    def start(self, request_id: str, _command: Command, _timeout_ms: int) -> None:
        """Answer that nothing was sent."""
        why = "the server was told not to use Unity's Pipeline package"
        for listener in self._listeners:
            listener.on_answer(request_id, NotSent("ERR_UNITY_DISCONNECTED", why))

    def forget(self, request_id: str) -> None:
        """Do nothing: nothing goes on here."""

    def confirm_job(self, job_id: str) -> None:
        """Do nothing: there are no jobs here."""

    async def close(self) -> None:
        """Look no more."""
        if self._watching is not None:
            self._watching.cancel()

    async def _watch(self) -> None:
        while True:
            locked = await asyncio.to_thread(is_locked, self._project)
            watched = nobody(self._watched, locked=locked)
            if watched != self._watched:
                self._watched = watched
                for listener in self._listeners:
                    listener.on_view(watched.view)
            await sleep_ms(self._clock, self._pace.idle_ms)
