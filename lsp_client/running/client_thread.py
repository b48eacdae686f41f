"""An event loop on a thread of its own, for synchronous callers."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from concurrent.futures import Future, wait
from time import monotonic
from typing import Any, TypeVar

from snippet_engine.budget import check

T = TypeVar("T")

_LOOK_S = 0.1
"""How often to check whether the caller still waits, in seconds."""


class ClientThread:
    """Runs coroutines for other threads. Starts with the first one."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._starting = threading.Lock()

    def submit(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        """Start ``work`` on the loop."""
        with self._starting:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(target=self._run, name=self._name, daemon=True)
                self._thread.start()
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def run(self, work: Coroutine[Any, Any, T], within_s: float) -> T:
        """Return the result of ``work``; cancel it and raise ``TimeoutError`` after ``within_s``.

        Also cancels it if the waiting call is stopped: ``StoppedError``.
        """
        deadline = monotonic() + within_s
        future = self.submit(work)
        try:
            while True:
                check()
                left = deadline - monotonic()
                wait([future], max(0.0, min(left, _LOOK_S)))
                if future.done():
                    return future.result()
                if left <= _LOOK_S:
                    raise TimeoutError
        finally:
            future.cancel()

    def _run(self) -> None:
        assert self._loop is not None
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_forever()
        finally:
            left = asyncio.all_tasks(self._loop)
            for task in left:
                task.cancel()
            self._loop.run_until_complete(asyncio.gather(*left, return_exceptions=True))
            self._loop.close()

    def stop(self) -> None:
        """End the thread and cancel its work."""
        if self._loop is not None and self._thread is not None:
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join(1.0)
