"""A running bench: commands go in, events come out, and tests await them."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from tests.bench.installation import Installation

PATIENCE_S = 120
"""How long a test waits for something that must happen before it fails."""

Event = dict[str, Any]


class BenchEditor:
    """An Editor process on a project. A context manager: started on entry, gone on exit.

    ``arguments``: more of its command line, for scripts to read; each begins with a dash.
    """

    def __init__(
        self,
        installation: Installation,
        project: Path,
        *,
        on_event: Callable[[Event], None] | None = None,
        arguments: Sequence[str] = (),
    ) -> None:
        self.project = project
        self._on_event = on_event
        self._events: list[Event] = []
        self._taken = 0
        self._arrived = threading.Condition()
        self._process = subprocess.Popen(
            [*installation.start_command(project), *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            env={**os.environ, **dict(installation.environment)},
        )
        self._stderr: list[str] = []
        self._readers = [
            threading.Thread(target=self._read_events, daemon=True),
            threading.Thread(target=self._read_stderr, daemon=True),
        ]
        for reader in self._readers:
            reader.start()

    def __enter__(self) -> Self:
        self.wait("started")
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.kill()

    @property
    def events(self) -> list[Event]:
        """Everything that happened so far."""
        with self._arrived:
            return list(self._events)

    @property
    def logs(self) -> list[str]:
        """The console, message by message."""
        return [event["message"] for event in self.events if event["event"] == "log"]

    def tell(self, *commands: str) -> None:
        """Send commands, and go on."""
        assert self._process.stdin is not None
        self._process.stdin.write("".join(f"{command}\n" for command in commands))
        self._process.stdin.flush()

    def do(self, command: str) -> None:
        """Send a command and wait until it has been carried out."""
        self.tell(command)
        self.wait("done", command=command)

    def ask(self, command: str, event: str) -> Event:
        """Send a command and wait for the event that answers it."""
        self.tell(command)
        return self.wait(event)

    def wait(self, event: str, *, contains: str = "", **fields: Any) -> Event:
        """The next event of that kind with these fields; those before it are passed over.

        ``contains``: its message has these words. Raises ``AssertionError`` when it does not
        come, or the bench ends.
        """
        with self._arrived:
            while True:
                while self._taken < len(self._events):
                    self._taken += 1
                    found = self._events[self._taken - 1]
                    if (
                        found["event"] == event
                        and fields.items() <= found.items()
                        and contains in found.get("message", "")
                    ):
                        return found
                ended = self._process.poll() is not None and not self._readers[0].is_alive()
                if ended or not self._arrived.wait(PATIENCE_S):
                    raise AssertionError(
                        f"No {event} {contains or fields or ''} came. "
                        f"{'It ended. ' if ended else ''}Last events: {self._events[-12:]}\n"
                        f"{''.join(self._stderr[-30:])}"
                    )

    def quit(self) -> int:
        """Quit as a user does; the exit code."""
        self.tell("quit")
        return self.wait_for_end()

    def wait_for_end(self, patience_s: float | None = PATIENCE_S) -> int:
        """Wait until the process has ended; its exit code.

        Raises ``AssertionError`` when it doesn't, with what it did last and what its threads do.
        """
        try:
            code = self._process.wait(patience_s)
        except subprocess.TimeoutExpired:
            raise AssertionError(
                f"It did not end. Last events: {self.events[-12:]}\n"
                f"{''.join(self._stderr[-30:])}\n{_threads(self._process.pid)}"
            ) from None
        for reader in self._readers:
            reader.join(PATIENCE_S)
        return code

    def kill(self) -> None:
        """End the process at once, as a crash does."""
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGKILL)
        self.wait_for_end()
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            if stream is not None:
                with contextlib.suppress(BrokenPipeError):
                    stream.close()

    def _read_events(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            try:
                event = json.loads(line)
            except ValueError:
                self._stderr.append(line)  # a runtime that crashes tells it on either stream
                continue
            if self._on_event is not None:
                self._on_event(event)
            with self._arrived:
                self._events.append(event)
                self._arrived.notify_all()
        with self._arrived:
            self._arrived.notify_all()

    def _read_stderr(self) -> None:
        assert self._process.stderr is not None
        self._stderr.extend(self._process.stderr)


def _threads(pid: int) -> str:
    """Each thread of a process, and what it waits for in the kernel. Linux; elsewhere nothing."""
    told = []
    for task in sorted(Path(f"/proc/{pid}/task").glob("*")):
        with contextlib.suppress(OSError):
            name, waits_in = (task / "comm").read_text(), (task / "wchan").read_text()
            told.append(f"{name.strip()}: {waits_in.strip()}")
    return "\n".join(told)
