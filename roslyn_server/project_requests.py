"""What a client asks about the whole project: answered, its progress told, and proven later.

Part of docs/design/roslyn.md §3 "The whole project".
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from lsprotocol import types

from roslyn_server import protocol
from roslyn_server.failures import cancellable, on_thread, without_an_answer
from roslyn_server.project_check import Progress, ProjectCheck
from roslyn_server.turns import be_nice


class ProjectRequests:
    """The requests of one client. ``tell`` sends it a ``$/progress``, on the event loop."""

    def __init__(self, tell: Callable[[types.ProgressParams], None]) -> None:
        self._tell = tell
        self._thread = ThreadPoolExecutor(1, "project")
        self._proving_thread = ThreadPoolExecutor(1, "proving", be_nice)
        self._proving: asyncio.Task[None] | None = None

    async def check(
        self,
        project: ProjectCheck,
        asked: protocol.CheckProjectParams,
        token: types.ProgressToken | None,
    ) -> protocol.CheckedProject:
        """The answer to ``asked``; what it is made of is proven after it, where it wasn't yet.

        ``token`` is what the client wants to hear of its progress with.
        """
        progress = self._progress(token)
        async with cancellable() as cancellation:
            answer = await on_thread(self._thread, project.check, asked, progress, cancellation)
        is_proving = self._proving is not None and not self._proving.done()
        if is_proving and self._proving is not None and answer["boundAgain"] != "nothing":
            self._proving.cancel()  # what it is about is no more
            is_proving = False
        if not answer["confirmed"] and not is_proving:
            self._proving = asyncio.ensure_future(self._prove(project))
        return answer

    async def _prove(self, project: ProjectCheck) -> None:
        async with cancellable() as cancellation:
            with without_an_answer():
                await on_thread(self._proving_thread, project.prove, cancellation)

    def _progress(self, token: types.ProgressToken | None) -> Progress | None:
        """Tells a client that gave a token how far its request is; from whatever thread."""
        if token is None:
            return None
        loop = asyncio.get_running_loop()

        def tell(done: int, all_: int) -> None:
            value: types.WorkDoneProgressBegin | types.WorkDoneProgressReport
            value = types.WorkDoneProgressReport(
                message=f"{done} of {all_} assemblies", percentage=100 * done // max(all_, 1)
            )
            if done == 0:
                value = types.WorkDoneProgressBegin("Checking the project", percentage=0)
            loop.call_soon_threadsafe(self._tell, types.ProgressParams(token, value))

        return tell
