"""The language server of this process: a thread of its own finds, starts and asks it.

Implements docs/design/roslyn.md §2. Importing this loads no LSP library: that happens on the
thread, once a server is needed.
"""

from __future__ import annotations

import contextlib
import math
import threading
from collections.abc import Callable, Coroutine, Sequence
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeVar

from lsp_client.outcomes import Unavailable
from lsp_client.servers.selection import Selection
from lsp_client.timing import MORE_TIME, Timing
from snippet_engine.errors import MAX_MESSAGE_LENGTH, ErrorCode, SnippetError, shortened_message

if TYPE_CHECKING:
    from lsp_client.process.server_process import ServerProcess
    from lsp_client.running.client_thread import ClientThread
    from lsp_client.running.supervisor import Supervisor
    from lsp_client.servers.server_table import Launch

T = TypeVar("T")

FIX_FIRST = "Fix those first (check_project lists them)"
"""Advice if errors elsewhere keep names from being judged; asking again doesn't help."""

GRACE_S = 0.25
"""Time to wait for the thread after the limit, so that the thread's own reason is reported."""


class BackgroundServer:
    """The server of this process. Thread-safe."""

    def __init__(self, select: Callable[[], Selection], timing: Timing) -> None:
        """``select`` chooses a server when one is first needed. While it finds none, it is called
        again later, because one may have been installed."""
        self._select = select
        self._timing = timing
        self._starting = threading.Lock()
        self._begun = threading.Event()
        self._why_none = "it could not be looked for"
        self._running: tuple[ClientThread, Supervisor] | None = None
        self._closed = False
        self._looks_again_at = 0.0

    def start(self) -> None:
        """Start the server in the background, if it isn't started.

        If none was found, look again after ``look_again_s``.
        """
        with self._starting:
            if self._running is not None or self._closed or monotonic() < self._looks_again_at:
                return
            self._looks_again_at = math.inf  # until this search has ended
            self._begun.clear()
        threading.Thread(target=self._begin, name="language server", daemon=True).start()

    def wait_until_ready(self, within_s: float) -> None:
        """Start the server and wait, ``within_s`` at most, until it is ready or can't be started.

        The time limit of a later verdict then doesn't include the start.
        """
        deadline = monotonic() + within_s
        self.start()
        self._begun.wait(within_s)
        running = self._running
        if running is not None:
            thread, supervisor = running
            left = max(0.0, deadline - monotonic())
            with contextlib.suppress(TimeoutError):
                thread.run(supervisor.wait_until_ready(left), left + GRACE_S)

    def ask_supervisor(
        self,
        ask: Callable[[Supervisor, float], Coroutine[Any, Any, T | Unavailable]],
        within_s: float,
    ) -> T | SnippetError:
        """Return what ``ask`` answers, given the supervisor and the seconds left.

        Takes ``within_s`` seconds at most. Error: ``validator_unavailable``.
        """
        deadline = monotonic() + within_s
        self.start()
        if not self._begun.wait(max(0.0, deadline - monotonic())) and not self._closed:
            return unavailable(f"the C# language server is still being looked for; {MORE_TIME}")
        running = self._running
        if running is None:
            return unavailable(self._why_none, found=False)
        thread, supervisor = running
        left = max(0.0, deadline - monotonic())
        try:
            answer = thread.run(ask(supervisor, left), left + GRACE_S)
        except TimeoutError:
            return unavailable(
                f"the C# language server did not answer within {within_s:.1f} s; {MORE_TIME}"
            )
        return unavailable(answer.reason) if isinstance(answer, Unavailable) else answer

    def notify(self, tell: Callable[[Supervisor], Coroutine[Any, Any, None]]) -> None:
        """Run ``tell`` on a running server's event loop. Returns at once."""
        running = self._running
        if running is not None:
            thread, supervisor = running
            thread.submit(tell(supervisor))

    def _begin(self) -> None:
        """Find a server and start it. Both may take long."""
        try:
            selection = self._select()
            if selection.launches:
                self._launch(selection.launches)
            self._why_none = selection.why_none()
        finally:
            self._looks_again_at = monotonic() + self._timing.look_again_s
            self._begun.set()

    def _launch(self, launches: Sequence[Launch]) -> None:
        import asyncio  # noqa: PLC0415 - only if used

        from lsp_client.process.server_process import ServerProcess  # noqa: PLC0415 - likewise
        from lsp_client.running.client_thread import ClientThread  # noqa: PLC0415 - likewise

        thread = ClientThread("language client")
        # The server loads in parallel with this process, because both take long.
        process = thread.submit(ServerProcess.of(launches[0]))
        from lsp_client.running.supervisor import Supervisor  # noqa: PLC0415 - loads pygls

        async def supervise() -> Supervisor:
            supervisor = Supervisor(launches, self._timing, asyncio.wrap_future(process))
            supervisor.start()
            return supervisor

        with self._starting:
            if not self._closed:
                self._running = thread, thread.submit(supervise()).result()
                return
        with contextlib.suppress(OSError, ValueError):
            thread.submit(_killed(process.result(), self._timing.kill_s)).result()
        thread.stop()

    def close(self) -> None:
        """End the server. Nothing can be asked any more."""
        with self._starting:
            self._closed = True
            running, self._running = self._running, None
        if running is None:
            return
        thread, supervisor = running
        bound = 2 * self._timing.shutdown_s + self._timing.kill_s + GRACE_S
        try:
            thread.run(supervisor.close(), bound)
        except TimeoutError:
            pass  # the guardian ends the server once this process is gone
        finally:
            thread.stop()

    @property
    def state(self) -> str:
        """Return the server's state in a few words; while it runs, its name."""
        running = self._running
        if running is not None:
            return running[1].state
        if not self._looks_again_at:
            return "not started: nothing has needed it yet"
        return f"none: {self._why_none}" if self._begun.is_set() else "being looked for"

    @property
    def server_pid(self) -> int | None:
        """The process group of the running server, if there is one."""
        connection = self._running[1].connection if self._running is not None else None
        return connection.pid if connection is not None else None


async def _killed(process: ServerProcess, within_s: float) -> None:
    await process.kill(within_s)


def unavailable(reason: str, *, found: bool = True, first: str = "Try again") -> SnippetError:
    """Return ``validator_unavailable``, with the reason in ``details`` too.

    ``first`` is the first advice if a server was ``found``.
    """
    again = f"{first}, or send" if found else "Send"
    what, advice = "No verdict of a C# language server: ", f'. {again} "validation": "auto".'
    room = MAX_MESSAGE_LENGTH - len(what) - len(advice)
    return SnippetError(
        ErrorCode.VALIDATOR_UNAVAILABLE,
        what + shortened_message(reason.removesuffix("."), room) + advice,
        details={"reason": reason, "found": found},
    )
