"""Join the server that a project's clients share, or start it.

Implements docs/design/command-line.md ``mcp``. The project's lock, or the given port, decides which
process is the server. So two clients that start one at the same moment share one. A server that was
started here outlives its client, and ends with the last lease. A lease shows the server that the
client still needs it. :mod:`mcp_server.host.own_status` is the server's side.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from enum import Enum
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx2

from mcp_server.calls.project import find_project, no_project
from mcp_server.calls.server.project_server import SilentServer, own_server, url_of_port
from mcp_server.calls.server.server_file import DEFAULT_PORT, bound_url, how_to_keep
from mcp_server.calls.server.server_proof import (
    LOOPBACK_ADDRESS,
    Credentials,
    NotProvenError,
    proving,
)
from mcp_server.calls.server.server_status import (
    LEASE_PATH,
    NOT_OURS,
    WRONG_TOKEN,
    ServerStatus,
    is_same_folder,
)
from mcp_server.contract.errors import ToolError, ToolErrorCode, tool_error
from mcp_server.contract.outcome import OnProgress, Outcome
from mcp_server.contract.tool_spec import ToolSpec
from mcp_server.event_log import log_event
from mcp_server.host.config import config_error
from mcp_server.stdio.server_process import ServerProcess
from mcp_server.version import package_version
from snippet_engine.storage.os_failure import reason_of

if TYPE_CHECKING:
    import httpx2

START_LIMIT_S = 30.0
"""Most seconds for a server to start."""

RETRY_S = 0.05

MAX_STARTS = 3
"""Most starts. A started server may lose the port to another server, which then ends."""

MAX_HANG_UPS = 20
"""Closed connections in a row after which the listener counts as another program."""


class SharedServer:
    """The server that one client uses. Lives on one event loop."""

    def __init__(
        self, port: int | None, project: Path | None, token: str | None, lsp: str | None = None
    ) -> None:
        """``project`` is where the server must work; ``None`` if the client is in no project.

        ``port`` is the given port, whose server also serves a client without a project. ``None``
        means the project's own server. ``lsp`` is the ``--lsp`` for a server that is started here.
        """
        self._named = port
        self._port = self._named or DEFAULT_PORT
        self.project = project
        self.token = token
        self._lsp = lsp
        self._lease: HeldLease | None = None
        self._none_here: NoProjectServer | None = None
        self._transport: httpx2.AsyncBaseTransport | None = None
        # One client starts only one server, even with several calls at once.
        self._joining = asyncio.Lock()

    async def ensure(self) -> ToolError | None:
        """Make sure that a server runs, and hold a lease on it. Return why that is impossible."""
        async with self._joining:
            if self._lease is not None and self._lease.held:
                return None
            if self._lease is not None:
                log_event("server_lost", url=self.url)
            if self.project is None and self._named is None:
                # The project may have been created since.
                self.project = await asyncio.to_thread(_project_here)
                if self.project is None:
                    await self._answer_here()
                    return None
            await self.leave()
            found = await self._join_or_start()
            if isinstance(found, ToolError):
                return found
            refused = self._mismatch(found)
            if refused is not None:
                await found.close()
                return refused
            self._lease = found
            log_event("server_joined", url=self.url, project=found.status.project)
            return None

    @property
    def lease(self) -> object:
        """Return an object that identifies the present server; ``None`` without one."""
        return self._lease or self._none_here

    def http_options(self) -> dict[str, Any]:
        """Return the arguments for an httpx client of the present server."""
        if self._transport is not None:
            return {"transport": self._transport}
        return proving(Credentials.for_url(self.url, self.token, self.project))

    async def leave(self) -> None:
        """Give back the lease if there is one."""
        lease, self._lease = self._lease, None
        here, self._none_here = self._none_here, None
        self._transport = None
        if lease is not None:
            await lease.close()
        if here is not None:
            await here.close()

    async def _answer_here(self) -> None:
        """Start a server in this process that refuses all calls, because there is no project."""
        if self._none_here is None:
            where = no_project().details["working_folder"]
            log_event("no_project", level=logging.WARNING, working_folder=where)
            here = NoProjectServer()
            self._transport = await here.open()
            self._none_here = here

    async def _join_or_start(self) -> HeldLease | ToolError:
        """Take a lease on the running server. If none runs, start one and try again."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + START_LIMIT_S
        started: ServerProcess | None = None
        silent: SilentServer | None = None
        starts = hang_ups = 0
        while loop.time() < deadline:
            found = await self._lease_of_server()
            # Start no second server: it would only wait for the silent one.
            if isinstance(found, SilentServer) and silent is None:
                log_event("no_answer_yet", level=logging.WARNING, why=found.summary)
            silent = found if isinstance(found, SilentServer) else None
            if isinstance(found, HeldLease):
                return found
            if isinstance(found, Unusable):
                return self._unusable(found.reason, found.advice)
            if found is Absent.HUNG_UP:
                hang_ups += 1
                if hang_ups == MAX_HANG_UPS:
                    return self._unusable(NOT_OURS, WHEN_NOT_OURS)
            elif silent is None and (started is None or started.ended):
                hang_ups = 0
                if starts == MAX_STARTS:
                    break
                starts += 1
                try:
                    started = ServerProcess(self._named, self.project, self.token, self._lsp)
                except OSError as error:
                    why = f"{error.filename}: {reason_of(error)}. {how_to_keep(error)}"
                    return _not_started(why.rstrip())
                log_event("server_started", project=self.project, log=started.log)
            await asyncio.sleep(RETRY_S)
        if silent is not None:
            return silent.error()
        return _not_started(_why_unusable(started) if started is not None else "")

    async def _lease_of_server(self) -> HeldLease | Absent | Unusable | SilentServer:
        """Take a lease on the server at the given port, or on the project's own."""
        if self._named is None:
            assert self.project is not None
            own = await asyncio.to_thread(own_server, self.project, self.token)
            if own is None:
                return Absent.NOBODY_LISTENS
            if isinstance(own, SilentServer):
                return own
            self._port = own
        return await take_lease(self._port, self.token, self.project)

    @property
    def url(self) -> str:
        """Return the address where the server was last found, or is looked for first."""
        return url_of_port(self._port)

    @property
    def bound_url(self) -> str:
        """The server's address with the project, which a server of another project refuses."""
        return bound_url(self.url, self.project)

    def _unusable(self, reason: str, advice: str) -> ToolError:
        # The port may come from an option, a variable, or the project's server.
        why = f"The program on port {self._port} can't be used: {reason}. {advice}"
        return config_error(why.rstrip())

    def _mismatch(self, lease: HeldLease) -> ToolError | None:
        """Return why the server is not for this client, because it works in another project."""
        served = lease.status.project
        if lease.status.version != package_version():
            log_event("other_version", server=lease.status.version, client=package_version())
        if self.project is None or (served is not None and is_same_folder(served, self.project)):
            return None
        return config_error(
            f"The server on port {self._port} (version {lease.status.version}) works in "
            f"{served or 'no project'}, not in {self.project}. Choose another --port, or end it: "
            f"unity-cli stop --url {self.url}"
        )


def _project_here() -> Path | None:
    try:
        return find_project(Path.cwd())
    except OSError:  # the folder is gone
        return None


def _why_unusable(started: ServerProcess) -> str:
    if started.ended:
        return started.last_words
    return f"It did not start within {START_LIMIT_S:g} s. Try again; its log: {started.log}"


def _not_started(why: str) -> ToolError:
    return tool_error(
        ToolErrorCode.UNITY_DISCONNECTED, f"No server could be started. {why}".rstrip()
    )


class _NoProject:
    """Answers every call with the error that there is no project."""

    async def call(
        self,
        spec: ToolSpec,  # noqa: ARG002 - as calls are made
        arguments: Mapping[str, Any],  # noqa: ARG002
        on_progress: OnProgress | None = None,  # noqa: ARG002
        on_accepted: object = None,  # noqa: ARG002
        present: object = None,  # noqa: ARG002
    ) -> Outcome:
        return no_project()


class NoProjectServer:
    """A server in this process, without a port, that refuses all calls. Lives on one event loop.

    The owner must ``close`` it.
    """

    def __init__(self) -> None:
        self._ending = asyncio.Event()
        self._running: asyncio.Task[None] | None = None

    async def open(self) -> httpx2.AsyncBaseTransport:
        """Start the server. Return the transport for requests to it."""
        import httpx2  # noqa: PLC0415 - already loaded by the pipe
        from mcp.server.streamable_http_manager import StreamableHTTPASGIApp  # noqa: PLC0415

        from mcp_server.host.mcp.mcp_endpoint import make_mcp_server, make_session_manager  # noqa: PLC0415

        sessions = make_session_manager(
            make_mcp_server(_NoProject(), more_instructions=_why_none())
        )
        begun = asyncio.Event()

        async def run() -> None:
            # In one task, because the task that enters a context must also leave it.
            async with sessions.run():
                begun.set()
                await self._ending.wait()

        self._running = asyncio.create_task(run())
        await begun.wait()
        return httpx2.ASGITransport(app=StreamableHTTPASGIApp(sessions))

    async def close(self) -> None:
        """End the server."""
        self._ending.set()
        if self._running is not None:
            await asyncio.wait([self._running])


def _why_none() -> str:
    """Return why there is no project, for the instructions that a client gets at the start."""
    return no_project().text.partition(": ")[2]


ANSWER_LIMIT_S = 20.0
"""Most seconds to wait for an answer. The server may be starting."""


LOGGED_AFTER_S = 5.0
"""Seconds after which the wait is logged, so that the program doesn't seem to hang."""


class Absent(Enum):
    """No server is there, so one may be started."""

    NOBODY_LISTENS = "nobody listens"
    HUNG_UP = "the connection was closed; the server is probably ending"


@dataclass(frozen=True, slots=True)
class Unusable:
    """Another program listens on the port, or a server that can't be used."""

    reason: str
    advice: str = ""
    """What to do about it."""


class HeldLease:
    """A lease on a server, until it is closed or the server ends."""

    def __init__(
        self, http: httpx2.AsyncClient, status: ServerStatus, rest: AsyncIterator[str]
    ) -> None:
        self.status = status
        self._http = http
        self._watching = asyncio.create_task(_wait_for_end(rest))

    @property
    def held(self) -> bool:
        """Return whether the server is still running."""
        return not self._watching.done()

    async def close(self) -> None:
        """Give the lease back."""
        self._watching.cancel()
        await asyncio.wait([self._watching])
        await self._http.aclose()


async def take_lease(
    port: int, token: str | None, project: Path | None = None
) -> HeldLease | Absent | Unusable:
    """Take a lease on the server at ``port`` of the loopback address.

    The server's file, which has its key, is looked for in ``project``, too.
    """
    url = f"http://{LOOPBACK_ADDRESS}:{port}"
    http = httpx2.AsyncClient(
        base_url=url,
        verify=False,  # no TLS here, and preparing for it takes 40 ms
        timeout=httpx2.Timeout(ANSWER_LIMIT_S, read=None),
        **proving(Credentials.for_url(url, token, project)),
    )
    lease: HeldLease | Absent | Unusable | None = None
    telling = asyncio.get_running_loop().call_later(LOGGED_AFTER_S, _log_silence, url)
    try:
        async with asyncio.timeout(ANSWER_LIMIT_S):
            lease = await _ask(http)
    except TimeoutError:
        lease = Unusable(f"no answer within {ANSWER_LIMIT_S:g} s", _WHEN_SILENT)
    except NotProvenError as error:
        lease = Unusable(str(error))
    except httpx2.ConnectError:
        lease = Absent.NOBODY_LISTENS
    except httpx2.TransportError:
        lease = Absent.HUNG_UP
    finally:
        telling.cancel()
        if not isinstance(lease, HeldLease):
            await http.aclose()
    return lease


_WHEN_SILENT = (
    "If it is unity-cli serve, it is stuck or very busy: restart it. Else choose another --port."
)
WHEN_NOT_OURS = "End that program, or choose another --port."


def _log_silence(url: str) -> None:
    log_event("no_answer_yet", level=logging.WARNING, url=url, given_up_after_s=ANSWER_LIMIT_S)


async def _ask(http: httpx2.AsyncClient) -> HeldLease | Unusable:
    response = await http.send(http.build_request("POST", LEASE_PATH, json={}), stream=True)
    if response.status_code == HTTPStatus.UNAUTHORIZED:
        return Unusable(WRONG_TOKEN)
    lines = aiter(response.aiter_lines())
    status = ServerStatus.parse(await anext(lines, ""))
    if response.status_code != HTTPStatus.OK or status is None:
        return Unusable(NOT_OURS, WHEN_NOT_OURS)
    return HeldLease(http, status, lines)


async def _wait_for_end(rest: AsyncIterator[str]) -> None:
    try:
        async for _ in rest:
            pass
    except httpx2.TransportError:
        pass  # the server has ended
