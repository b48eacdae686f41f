"""One project's Editor: found by its descriptor, verified by its answer, polled by its status.

Implements docs/design/pipeline.md §1 and §5. Carries out what :mod:`sightings` decides.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from http import HTTPStatus
from pathlib import Path
from secrets import token_hex
from typing import Any

from unity_bridge.clock import Clock, sleep_ms
from unity_bridge.editor_state import EditorView
from unity_bridge.link import Rejected
from unity_bridge.pipeline.claim import Claim, process_alive
from unity_bridge.pipeline.conversations.compile_errors import read_report
from unity_bridge.pipeline.http_client import PipelineHttp
from unity_bridge.pipeline.project_files import (
    Descriptor,
    NoDescriptor,
    is_locked,
    is_locked_anew,
    is_project,
    package_version,
    read_descriptor,
)
from unity_bridge.pipeline.replies import UNAUTHORIZED, UNREACHABLE, ExecReply, Result
from unity_bridge.pipeline.sightings import (
    Sighting,
    Tally,
    Watched,
    missed,
    no_editor,
    read_sighting,
    seen,
)
from unity_bridge.pipeline.vocabulary import Operation, Vocabulary
from unity_bridge.timing import Timing

LogEvent = Callable[..., None]
FindDescriptor = Callable[[Path], Descriptor | NoDescriptor]
HALF_READ_ATTEMPTS = 5
HALF_READ_PAUSE_MS = 20


class EditorConnection:
    """The Editor that has the project open. Lives on one event loop."""

    def __init__(
        self,
        project: Path,
        *,
        log_event: LogEvent,
        on_view: Callable[[EditorView], None],
        open_requests: Callable[[], frozenset[str]],
        timing: Timing,
        clock: Clock,
        find_descriptor: FindDescriptor = read_descriptor,
    ) -> None:
        """``open_requests`` returns the requests that survive a reload of the Editor's domain."""
        self.project = project
        self.vocabulary = Vocabulary()
        self.compile_seen_s = 0.0
        """When the Editor was last seen to begin compiling, or later; as of ``time.time``."""
        self.asked: dict[Operation, int] = {}
        """By operation: the process that was asked for it last."""
        self.in_flight = 0
        """Commands that the Editor has: while there are any, it isn't polled."""
        self._log_event = log_event
        self._on_view = on_view
        self._open_requests = open_requests
        self._timing = timing
        self._clock = clock
        self._find_descriptor = find_descriptor
        self._watched = Watched(session=token_hex(8))
        self._descriptor: Descriptor | None = None
        self._http: PipelineHttp | None = None
        self._claim: Claim | None = None
        self._moves = 0
        self._has_vocabulary = False
        self._looking = asyncio.Lock()
        self._logged_absence = ""
        self.tally = Tally()
        """The counts of all polls so far."""
        self._last: Sighting | None = None
        self._busy = True
        self._looked_s = 0.0

    @property
    def view(self) -> EditorView:
        """Return the last known state of the Editor."""
        return self._watched.view

    @property
    def calm(self) -> bool:
        """Return whether no change is expected soon."""
        view = self.view
        if view.connected:
            return view.ready
        return view.busy_seen_ms is None and not self._watched.ready_in_a_row

    @property
    def pid(self) -> int | None:
        """Return the Editor's process id; ``None`` before the Editor was found."""
        return None if self._descriptor is None else self._descriptor.pid

    async def close(self) -> None:
        """Close the connection."""
        if self._http is not None:
            await self._http.close()
            self._http = None

    async def look(self) -> Sighting | None:
        """Poll the Editor and update :attr:`view`; ``None`` when it doesn't answer."""
        async with self._looking:
            sighting = await self._look()
        now_s = time.time()
        # A reload between two polls leaves another socket, which some systems show.
        moves = self._claim.moves if self._claim is not None else 0
        self.tally = self.tally.after(self._last, sighting, moved=moves > self._moves)
        self._moves, self._last = moves, sighting
        busy = sighting is None or sighting.state.busy
        if busy and not self._busy:
            # Scripts written since the last poll may have come too late for this compile.
            self.compile_seen_s = max(self.compile_seen_s, self._looked_s)
        self._busy = busy
        self._looked_s = now_s
        return sighting

    async def exec(
        self, operation: Operation, parameters: Mapping[str, Any], timeout_ms: float
    ) -> ExecReply:
        """Run an Editor command, once."""
        http = self._http
        if http is None or self._descriptor is None:
            return UNREACHABLE
        pid = self._descriptor.pid
        name = self.vocabulary.name_of(operation)
        if name is None:
            return Rejected("ERR_UNKNOWN_COMMAND", await self._unknown(operation))
        started_s = time.time()
        self.asked[operation] = pid
        self.in_flight += 1
        try:
            spelled = self.vocabulary.spelled(name, parameters)
            reply = await http.exec(name, spelled, timeout_ms)
        finally:
            self.in_flight -= 1
        if operation is Operation.RECOMPILE and _compiles(reply):
            self.compile_seen_s = max(self.compile_seen_s, started_s)
        if reply is UNAUTHORIZED and http is self._http:
            await self._leave()  # the next look reads the descriptor again
        return reply

    async def _unknown(self, operation: Operation) -> str:
        version = await asyncio.to_thread(package_version, self.project)
        which = f"com.unity.pipeline {version}" if version else "This Editor's com.unity.pipeline"
        return f"{which} has no command to {operation.value.replace('_', ' ')}; update the package."

    async def _look(self) -> Sighting | None:
        for _ in range(2):
            if self._http is None and not await self._find():
                return None
            assert self._http is not None
            status, document = await self._http.get("/api/editor_status")
            if status != HTTPStatus.UNAUTHORIZED:
                break
            # The token changed in a reload or restart: read the descriptor again.
            await self._leave()
        sighting = read_sighting(document) if status == HTTPStatus.OK else None
        if sighting is None:
            await self._miss()
            return None
        if not await asyncio.to_thread(is_project, sighting.project, self.project):
            self._log_absence("the Editor that answers has another project open")
            await self._miss()
            return None
        if not self._has_vocabulary and not await self._read_vocabulary():
            await self._miss()
            return None
        self._logged_absence = ""
        assert self._descriptor is not None
        now = self._clock.now_ms()
        self._become(
            seen(self._watched, sighting, self._descriptor.pid, self._open_requests(), now)
        )
        return sighting

    async def _find(self) -> bool:
        """Read the descriptor and prepare to verify it."""
        descriptor = await asyncio.to_thread(self._find_descriptor, self.project)
        for _ in range(HALF_READ_ATTEMPTS):
            if isinstance(descriptor, Descriptor) or not descriptor.half:
                break
            await sleep_ms(self._clock, HALF_READ_PAUSE_MS)
            descriptor = await asyncio.to_thread(self._find_descriptor, self.project)
        if isinstance(descriptor, NoDescriptor):
            await self._no_editor(descriptor.reason, is_locked)
            return False
        claim = Claim(descriptor, self.project)
        doubt = await asyncio.to_thread(claim.doubt)
        if doubt is not None and not doubt.passing:
            await self._no_editor(doubt.reason, is_locked_anew)
            return False
        self._descriptor = descriptor
        if doubt is not None:
            await self._miss()
            return False
        self._claim, self._moves = claim, 0
        self._http = PipelineHttp(descriptor.port, descriptor.token, claim.holds)
        return True

    async def _no_editor(self, reason: str, locked: Callable[[Path], bool]) -> None:
        self._log_absence(reason)
        is_open = await asyncio.to_thread(locked, self.project)
        await self._miss()
        self._become(no_editor(self._watched, locked=is_open))

    async def _read_vocabulary(self) -> bool:
        assert self._http is not None
        status, document = await self._http.get("/api/commands", detail="full")
        vocabulary = Vocabulary.read(document)
        if status != HTTPStatus.OK or not vocabulary.commands:
            return False
        self.vocabulary, self._has_vocabulary = vocabulary, True
        return True

    async def _leave(self) -> None:
        # The vocabulary stays until the next one is read: commands may be sent meanwhile.
        http, self._http = self._http, None
        self._has_vocabulary = False
        if http is not None:
            await http.close()

    async def _miss(self) -> None:
        await self._leave()
        alive = self.pid is not None and process_alive(self.pid) is True
        now = self._clock.now_ms()
        self._become(missed(self._watched, now, self._timing, process_alive=alive))

    def _become(self, watched: Watched) -> None:
        before, self._watched = self._watched.view, watched
        if watched.view == before:
            return
        if watched.view.connected and not before.connected:
            assert self._descriptor is not None
            self._log_event(
                "pipeline_connected", port=self._descriptor.port, pid=self._descriptor.pid
            )
        self._on_view(watched.view)

    def _log_absence(self, reason: str) -> None:
        if reason != self._logged_absence:
            self._logged_absence = reason
            self._log_event("pipeline_absent", reason=reason)


def _compiles(reply: ExecReply) -> bool:
    report = read_report(reply.value) if isinstance(reply, Result) else None
    return report is not None and report.status != "up_to_date"
