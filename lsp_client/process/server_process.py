"""A language server's process: start it under a guardian, drain its stderr, and surely end it.

Implements docs/design/roslyn.md §2, supervision.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections import deque
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Self

from lsp_client.process.job_object import JobObject, job_of_ours
from lsp_client.servers.server_table import Launch

_GUARDIAN = Path(__file__).with_name("guardian.py")
_STREAM_LIMIT = 1024 * 1024
"""Maximum length of a line outside messages on stdout, in bytes."""

_LOGGED_LINES = 200
"""Maximum number of logged stderr lines."""

_LOGGED_CHARACTERS = 500

_log = logging.getLogger("lsp_client.server")


class ServerProcess:
    """One running server. Lives on the event loop that started it."""

    def __init__(
        self, name: str, process: Process, lifeline: int | None, job: JobObject | None = None
    ) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self.name = name
        self.stdin = process.stdin
        self.stdout = process.stdout
        self._process = process
        self._lifeline = lifeline
        self._job = job
        self._last_lines: deque[str] = deque(maxlen=5)
        self._draining = asyncio.create_task(self._drain())

    @classmethod
    async def start(
        cls, name: str, command: Sequence[str], *, cwd: Path, env: Mapping[str, str]
    ) -> Self:
        """Start ``command``. Raises ``OSError`` if not even the guardian can be started."""
        if os.name != "posix":
            process = await _spawn(command, cwd=cwd, env=env)
            job = job_of_ours()
            if job is not None:
                job.add(process.pid)
            return cls(name, process, None, job)
        read_end, write_end = os.pipe()
        guarded = [sys.executable, "-I", "-S", str(_GUARDIAN), str(read_end), *command]
        try:
            process = await _spawn(guarded, cwd=cwd, env=env, lifeline=read_end)
        except BaseException:
            os.close(write_end)
            raise
        finally:
            os.close(read_end)
        return cls(name, process, write_end)

    @classmethod
    async def of(cls, launch: Launch) -> Self:
        """Start the server of a launch. Raises as :meth:`start`, and ``ValueError``."""
        env = {**os.environ, **(launch.env or {})}
        return await cls.start(launch.spec.name, launch.command, cwd=launch.root, env=env)

    @property
    def pid(self) -> int:
        """The id of its process group."""
        return self._process.pid

    async def exited(self) -> str:
        """Wait for the process to end; return how it ended, in words."""
        code = await self._process.wait()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(asyncio.shield(self._draining), 0.2)
        detail = f": {self.last_line}" if self.last_line else ""
        return f"ended with exit code {code}{detail}"

    @property
    def last_line(self) -> str:
        """The last line on stderr."""
        return self._last_lines[-1] if self._last_lines else ""

    async def kill(self, within_s: float) -> None:
        """End the server and everything that it started, within ``within_s``."""
        if self._lifeline is not None:
            os.close(self._lifeline)
            self._lifeline = None
        elif os.name != "posix":
            if self._job is not None:
                self._job.close()
            with contextlib.suppress(ProcessLookupError, PermissionError):
                self._process.kill()
        transport = self._process._transport  # type: ignore[attr-defined]
        for stream in (0, 1, 2):
            # Before Python 3.13 an open pipe with data hides the end of the process.
            pipe = transport.get_pipe_transport(stream)
            if pipe is not None:
                pipe.close()
        try:
            await asyncio.wait_for(self._process.wait(), within_s)
        except TimeoutError:
            if os.name == "posix":
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(self._process.pid, signal.SIGKILL)
        self._draining.cancel()
        transport.close()

    async def _drain(self) -> None:
        """Read stderr to its end, so that the server never blocks on writing to it."""
        stderr = self._process.stderr
        assert stderr is not None
        rest, logged = b"", 0
        while chunk := await stderr.read(65_536):
            *lines, rest = (rest[-_LOGGED_CHARACTERS:] + chunk).split(b"\n")
            for line in lines[-_LOGGED_LINES:]:
                text = line[:_LOGGED_CHARACTERS].decode(errors="replace").strip()
                if text:
                    self._last_lines.append(text)
                    logged += 1
                    if logged <= _LOGGED_LINES:
                        _log.info("%s: %s", self.name, text)
        if rest.strip():
            self._last_lines.append(rest[:_LOGGED_CHARACTERS].decode(errors="replace").strip())


async def _spawn(
    command: Sequence[str],
    *,
    cwd: Path,
    env: Mapping[str, str],
    lifeline: int | None = None,
) -> Process:
    return await asyncio.create_subprocess_exec(
        *command,
        stdin=PIPE,
        stdout=PIPE,
        stderr=PIPE,
        limit=_STREAM_LIMIT,
        cwd=cwd,
        env=dict(env),
        start_new_session=True,
        pass_fds=() if lifeline is None else (lifeline,),
    )


_PROC = Path("/proc")


def resident_mb(session: int) -> int | None:
    """Return the resident memory of a session's processes in MB; ``None`` if unknown."""
    total, seen = 0, False
    for status in _PROC.glob("[0-9]*/stat"):
        try:
            # The command's name, in parentheses, may hold anything.
            if int(status.read_text().rpartition(")")[2].split()[3]) != session:
                continue
            lines = (status.parent / "status").read_text().splitlines()
        except (OSError, IndexError, ValueError):
            continue  # it has just ended
        sizes = [line.split()[1] for line in lines if line.startswith("VmRSS:")]
        total, seen = total + sum(map(int, sizes)), seen or bool(sizes)
    return round(total / 1024) if seen else None
