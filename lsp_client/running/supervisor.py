"""Keep one language server running: start it, notice its end, start it again.

Implements docs/design/roslyn.md §2, supervision. A server that dies, hangs or answers nonsense is
killed with all its child processes. It is restarted after a pause, which doubles each time.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeVar

from lsp_client.outcomes import (
    LastAnswer,
    Lost,
    MethodUnknown,
    RequestRefused,
    ServerLost,
    Unavailable,
)
from lsp_client.process.server_process import ServerProcess
from lsp_client.protocol.connection import Connection
from lsp_client.servers.server_table import Launch
from lsp_client.timing import LATER, MORE_TIME, Timing

T = TypeVar("T")

_log = logging.getLogger(__name__)

_CLOSING = "the C# language server is being ended"
"""The reason during shutdown, whatever errors the server answers then."""


class Supervisor:
    """Owns the server's process. Lives on one event loop."""

    def __init__(
        self,
        launches: Sequence[Launch],
        timing: Timing,
        started: asyncio.Future[ServerProcess] | None = None,
    ) -> None:
        """``launches`` are tried in order; the first may be ``started``."""
        self._launches = tuple(launches)
        self._started_process = started
        """The process of the first launch, until a connection owns it."""
        self._timing = timing
        self.connection: Connection | None = None
        """The running server, if there is one."""
        self._starting: asyncio.Task[Connection] | None = None
        self._start_waited_for = False
        self._spoken = asyncio.Event()
        """Set once the starting server has sent anything."""
        self._silent_since = 0.0
        self._failures = 0
        self._not_before = 0.0
        self._last_reason = "it was not started yet"
        self._overdue_s = 0.0
        """Seconds waited in vain since the server's last answer."""
        self._waited_until = 0.0
        self._closing = False
        self._restart: asyncio.TimerHandle | None = None
        self._ends: set[asyncio.Task[None]] = set()
        self._watching: set[asyncio.Task[bool]] = set()

    async def ask(
        self,
        job: Callable[[Connection], Awaitable[T]],
        *,
        within_s: float,
        patient: bool,
    ) -> T | Unavailable:
        """Return what ``job`` returns for a ready server, within ``within_s`` seconds.

        If not ``patient``, only the first caller waits for a starting server.
        """
        loop = asyncio.get_running_loop()
        begun = loop.time()
        silent_s = self._timing.silent_s
        connection = await self._ready(begun + within_s, silent_s, patient=patient)
        if isinstance(connection, Unavailable):
            return connection
        asked = loop.time()
        if asked < connection.silent_until and _is_silent(connection):
            return Unavailable(_offers_none(connection))
        try:
            async with asyncio.timeout_at(begun + within_s):
                result = await job(connection)
        except TimeoutError:
            return self._timed_out(connection, asked)
        except Exception as error:
            return self._unanswered(connection, error, is_last=True)
        self._overdue_s = 0.0
        self._failures = 0
        return result

    async def ask_at_length(
        self,
        job: Callable[[Connection], Awaitable[T]],
        deadline: float,
        hang_s: float,
        what: str,
        *,
        patient: bool,
        quiet_s: float | None = None,
    ) -> tuple[T, str] | Unavailable:
        """Return what ``job`` returns for a ready server by ``deadline``, and the server's name.

        Every ``quiet_s`` seconds (default ``hang_s``) the server is sent another request. It is
        ended if it doesn't answer that one within ``hang_s``. ``what`` names the work for messages,
        as in "check a project".
        """
        loop = asyncio.get_running_loop()
        connection = await self._ready(deadline, hang_s, patient=patient)
        if isinstance(connection, Unavailable):
            return connection
        work = asyncio.ensure_future(job(connection))
        try:
            while True:
                left = deadline - loop.time()
                wait_s = left if left <= hang_s else (quiet_s or hang_s)
                await asyncio.wait({work}, timeout=max(0.0, wait_s))
                if work.done():
                    return work.result(), connection.validator_name
                if left <= hang_s:
                    return Unavailable(f"{connection.name} did not {what} in time; {MORE_TIME}")
                await connection.answers(hang_s)
        except MethodUnknown:
            return Unavailable(f"{connection.name} can't {what}")
        except Exception as error:
            return self._unanswered(connection, error, is_last=isinstance(error, LastAnswer))
        finally:
            if not work.done():
                work.cancel()
                self._watch(connection, hang_s)

    def _unanswered(
        self, connection: Connection, error: Exception, *, is_last: bool
    ) -> Unavailable:
        """Return why there is no answer; end the connection if this was its last one."""
        if isinstance(error, ServerLost):
            return Lost(str(error))
        if not isinstance(error, RequestRefused):
            # The server's message hit a bug in our code, so there is no verdict.
            _log.exception("%s could not be asked", connection.name)
            connection.fail("sent what could not be handled")
            return Unavailable(connection.ended.result())
        if self._closing:
            return Unavailable(_CLOSING)
        if is_last:
            connection.fail(str(error))
        return Unavailable(f"{connection.name} {error}")

    def _watch(self, connection: Connection, hang_s: float) -> None:
        """Check that a server still answers after its caller gave up; end it otherwise."""
        watching = asyncio.create_task(connection.answers(hang_s))
        self._watching.add(watching)
        watching.add_done_callback(self._watching.discard)

    def _timed_out(self, connection: Connection, asked: float) -> Unavailable:
        """Return why there is no answer; kill a server that has used up its time for a verdict.

        Time waited in earlier requests counts, too.
        """
        now = asyncio.get_running_loop().time()
        # Seconds of concurrent requests count once; time without requests doesn't count.
        self._overdue_s += now - max(asked, self._waited_until)
        self._waited_until = now
        if connection.ended.done():
            return Unavailable(connection.ended.result())
        waited = self._overdue_s
        if waited >= self._timing.verdict_s * 0.9 and _is_silent(connection):
            # The server may still be loading, or have no diagnostics: don't ask it for a while.
            connection.silent_until = now + self._timing.silence_s
            self._overdue_s = 0.0
            return Unavailable(_offers_none(connection))
        if waited >= self._timing.verdict_s * 0.9:
            connection.fail(f"did not answer within {waited:.1f} s")
            return Unavailable(connection.ended.result())
        return Unavailable(f"{connection.name} did not answer within {now - asked:.1f} s")

    # -- starting ----------------------------------------------------------------------------

    def start(self) -> None:
        """Start the server in the background, if it isn't running and may be started."""
        loop = asyncio.get_running_loop()
        alive = self.connection is not None and not self.connection.ended.done()
        if alive or self._starting is not None or self._closing:
            return
        if loop.time() >= self._not_before and self._launches:
            self._start_waited_for = False
            self._reset_silence()
            self._starting = loop.create_task(self._start())
            self._starting.add_done_callback(self._started)

    async def _start(self) -> Connection:
        reasons: list[str] = []
        await asyncio.gather(*self._ends)
        for launch in self._launches:
            self._reset_silence()
            try:
                connection = await Connection.open(
                    launch, self._timing, self._started_process, self._spoken.set
                )
            except ServerLost as error:
                _log.info("%s", error)
                reasons.append(str(error))
            else:
                return connection
            finally:
                if not self._closing:
                    self._started_process = None
        raise ServerLost("; ".join(reasons))

    def _reset_silence(self) -> None:
        self._spoken = asyncio.Event()
        self._silent_since = asyncio.get_running_loop().time()

    def _started(self, task: asyncio.Task[Connection]) -> None:
        self._starting = None
        if task.cancelled():
            return
        error = task.exception()
        if error is not None:
            self._back_off(str(error) or type(error).__name__)
            return
        connection = self.connection = task.result()
        self._overdue_s = 0.0
        connection.ended.add_done_callback(lambda _: self._lost(connection))

    def _lost(self, connection: Connection) -> None:
        end = asyncio.create_task(connection.gone())
        self._ends.add(end)
        end.add_done_callback(self._ends.discard)
        if self.connection is connection:
            self.connection = None
        if self._closing:
            return
        reason = connection.ended.result()
        _log.warning("%s", reason)
        pause = self._back_off(reason)
        self._restart = asyncio.get_running_loop().call_later(pause, self.start)

    def _back_off(self, reason: str) -> float:
        pause = self._timing.first_backoff_s * 2.0 ** min(self._failures, 30)
        pause = min(pause, self._timing.longest_backoff_s)
        self._failures += 1
        self._not_before = asyncio.get_running_loop().time() + pause
        self._last_reason = reason
        return pause

    async def wait_until_ready(self, within_s: float) -> None:
        """Wait until a server is ready or can't be started, ``within_s`` seconds at most."""
        deadline = asyncio.get_running_loop().time() + within_s
        await self._ready(deadline, self._timing.silent_s, patient=True)

    async def _ready(
        self, deadline: float, silent_s: float, *, patient: bool
    ) -> Connection | Unavailable:
        """Return the server once it is ready; a silent one has ``silent_s`` seconds."""
        loop = asyncio.get_running_loop()
        while True:
            connection = self.connection
            if connection is not None and not connection.ended.done():
                return connection
            if self._closing:
                return Unavailable(_CLOSING)
            if not self._launches:
                return Unavailable("no language server was found")
            pause = self._not_before - loop.time()
            if self._starting is None and pause > 0:
                if not patient or loop.time() + pause >= deadline:
                    return Unavailable(self._last_reason)
                await asyncio.sleep(pause)
                continue
            self.start()
            starting = self._starting
            if starting is None:
                continue
            name = self._launches[0].spec.name
            if self._start_waited_for and not patient:
                return Unavailable(self._still_starting(name, patient=patient))
            self._start_waited_for = True
            await self._wait_for(starting, deadline, silent_s)
            if not starting.done():
                return Unavailable(self._still_starting(name, patient=patient))
            # Let the callback that stores the new connection run first.
            await asyncio.sleep(0)
            if self.connection is None:
                return Unavailable(_CLOSING if self._closing else self._last_reason)

    async def _wait_for(
        self, starting: asyncio.Task[Connection], deadline: float, silent_s: float
    ) -> None:
        """Wait for a start until ``deadline``, or until the server was silent for ``silent_s``.

        A server that loads a large project reports progress, or has answered already. A silent one
        may be no language server.
        """
        loop = asyncio.get_running_loop()
        while not starting.done():
            spoken = self._spoken
            if spoken.is_set():
                await asyncio.wait({starting}, timeout=max(0.0, deadline - loop.time()))
                return
            left = min(deadline, self._silent_since + silent_s) - loop.time()
            if left <= 0:
                return
            word = asyncio.create_task(spoken.wait())
            either: set[asyncio.Task[Any]] = {starting, word}
            try:
                await asyncio.wait(either, timeout=left, return_when=asyncio.FIRST_COMPLETED)
            finally:
                word.cancel()

    def _still_starting(self, name: str, *, patient: bool) -> str:
        if self._failures:  # a restart, which may fail as the last one did
            return f"{self._last_reason}; it is being started again"
        silent_s = asyncio.get_running_loop().time() - self._silent_since
        if not self._spoken.is_set() and silent_s >= self._timing.silent_s:
            return f"{name} has sent nothing since it started {silent_s:.0f} s ago"
        why = f"{name} is still starting"
        if patient:
            return f"{why}; {MORE_TIME}"
        return f"{why}; {LATER}"

    async def close(self) -> None:
        """End the server and every process that it started."""
        self._closing = True
        if self._restart is not None:
            self._restart.cancel()
        if self._starting is not None:
            self._starting.cancel()
            with contextlib.suppress(asyncio.CancelledError, ServerLost):
                await self._starting
        started = self._started_process
        if started is not None and started.done() and not started.cancelled():
            with contextlib.suppress(OSError, ValueError):
                await started.result().kill(self._timing.kill_s)
        if self.connection is not None:
            await self.connection.shut_down()
        for watching in self._watching:
            watching.cancel()
        await asyncio.gather(*self._ends)

    @property
    def state(self) -> str:
        """Return the server's state in a few words; while it runs, its name."""
        if self.connection is not None:
            return self.connection.validator_name
        if self._starting is not None:
            return "starting"
        return f"not running: {self._last_reason}"


def _is_silent(connection: Connection) -> bool:
    """Return whether the server has neither registered nor pushed diagnostics."""
    return not connection.announcements.identifiers and not connection.announcements.has_pushed


def _offers_none(connection: Connection) -> str:
    return f"{connection.name} offers no diagnostics: it has neither registered nor pushed any"
