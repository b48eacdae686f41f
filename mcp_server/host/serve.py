"""The server process: starts, serves until it is stopped, and ends in time.

Implements docs/design/server-and-bridge.md §1. SIGINT and SIGTERM end it with exit code 0, within
two seconds, or within ten if something hangs. No file is left half written, because every write is
atomic.
"""

from __future__ import annotations

import asyncio
import logging
import os
import socket
import sys
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext, suppress
from functools import partial
from pathlib import Path

import uvicorn
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from mcp_server.calls.local_tools import LocalTools
from mcp_server.calls.project import no_project
from mcp_server.calls.server import server_file
from mcp_server.calls.server.server_file import ServerFile
from mcp_server.calls.server.server_proof import (
    LOOPBACK_ADDRESS,
    PROOF_PATH,
    answers,
    is_nonce,
    proof_of,
)
from mcp_server.calls.server.server_status import LEASE_PATH, SERVER_NAME, STATUS_PATH
from mcp_server.contract.server_schemas import CALL_PATH, SERVER_STOP_PATH, STOP_PATH, VERDICT_PATH
from mcp_server.editor.tools import EditorTools, Lifecycle, ServerState
from mcp_server.event_log import configure_logging, log_event
from mcp_server.garbage import resume_collection
from mcp_server.host.config import ServerConfig, weakness_of
from mcp_server.host.editor_links import make_links
from mcp_server.host.endpoints import CallEndpoint, stop_endpoint, verdict_endpoint
from mcp_server.host.execution_coordinator import ExecutionCoordinator
from mcp_server.host.guarding.guard_endpoint import GUARD_PATH, GuardEndpoint, make_guard
from mcp_server.host.guarding.outside_watch import OutsideWatch
from mcp_server.host.http.connections import REST_LIMIT_S, BoundedHttp, BoundedWebSocket
from mcp_server.host.http.http_host import make_http_app
from mcp_server.host.http.steady_accept import new_event_loop
from mcp_server.host.kept_state import KeptState
from mcp_server.host.mcp.mcp_endpoint import make_mcp_server
from mcp_server.host.mcp.task_store import TaskStore
from mcp_server.host.mcp.tasks import Tasks
from mcp_server.host.mcp.tasks_extension import TasksExtension
from mcp_server.host.own_status import ClientLeases, LeaseEndpoint, OwnStatus
from mcp_server.host.stopping import StopSignal, end_in_time
from mcp_server.review.page.access import PageAccess
from mcp_server.review.page.now import Now
from mcp_server.review.page.review_page import ReviewPage
from mcp_server.review.review import Review
from mcp_server.version import package_version
from unity_bridge.clock import Clock
from unity_bridge.editor_state import EditorView
from unity_bridge.link import LinkListener
from unity_bridge.timing import Pace, Timing

TOOL_GRACE_S = 0.6
"""Seconds that tools may still run when the server is stopping."""

CONNECTION_GRACE_S = 1
"""Seconds that connections have to send their answers, from the same moment on."""

SWITCH_INTERVAL_S = 0.000_5
"""Seconds that a computing thread keeps the event loop waiting. A call needs dozens of turns."""

_TICKS_UNTIL_LEFT_AGAIN = 50
"""Ticks of 0.1 s after which missing server files are written again."""

LARGEST_READ_BYTES = 16 * 1024 * 1024
"""Largest message from the Editor that is read, to find its request.

A larger message ends the connection.
"""


def serve(
    config: ServerConfig,
    listener: socket.socket,
    stop_signal: StopSignal,
    on_listening: Callable[[str], None],
) -> None:
    """Serve on ``listener`` until ``stop_signal`` is received.

    ``on_listening`` is called with a link to the review page when requests are answered.
    """
    configure_logging(
        config.log_format, config.rotated_log, quiet=config.quiet, verbose=config.verbose
    )
    weakness = None if config.token is None else weakness_of(config.token)
    if weakness is not None:
        log_event("weak_token", level=logging.WARNING, why=weakness)
    if config.project is None:
        _warn_of_no_project()
    end_in_time(stop_signal)
    sys.setswitchinterval(SWITCH_INTERVAL_S)

    server = UnityServer(config, stop_signal, lambda: on_listening(server.access.link()))
    with asyncio.Runner(loop_factory=new_event_loop) as runner:
        runner.run(server.serve_until_stopped(listener))
    if not server.coordinator.idle:
        sys.stdout.flush()
        os._exit(0)  # otherwise the interpreter would wait for the tools' threads


def _warn_of_no_project() -> None:
    """Log that there is no project, as every call of a script tool would report."""
    found = no_project().details
    log_event(
        "no_project",
        level=logging.WARNING,
        why="script tools are refused, the Editor's tools work; to serve a project: --project PATH",
        working_folder=found["working_folder"],
        projects_below=", ".join(found.get("projects_below", ())) or None,
    )


def _shown(folder: Path) -> str:
    """Return the whole path for a message. A folder's name may not be valid UTF-8."""
    return str(folder.resolve()).encode(errors="replace").decode()


class UnityServer(uvicorn.Server, LinkListener):
    """Joins the parts of one server process.

    It is uvicorn's server with our own states. At its end it doesn't raise the signal again.
    """

    def __init__(
        self,
        config: ServerConfig,
        stop_signal: StopSignal,
        on_listening: Callable[[], None],
        *,
        timing: Timing | None = None,
        clock: Clock | None = None,
        pace: Pace | None = None,
    ) -> None:
        """``timing``, ``clock`` and ``pace`` are for tests and measurements."""
        self.lifecycle = Lifecycle(
            lambda was, now: log_event("server_state", state=now.value, previous=was.value)
        )
        self._local_tools = LocalTools(config.project, config.lsp)
        self.kept = KeptState(config.project, config.port)
        self.link, plugin = make_links(
            config, self._local_tools, self.kept.folder, timing=timing, clock=clock, pace=pace
        )
        self.editor_tools = EditorTools(
            self.link, lambda: self.lifecycle.state, timing=timing, clock=clock
        )
        self.coordinator = ExecutionCoordinator(self._local_tools, self.editor_tools)
        threads = self.coordinator.threads
        self.review = Review(self.kept.folder, config.page_url)
        self.coordinator.attach(self.review)
        self.link.listen(self)
        self._config = config
        self._file = ServerFile.of_this_process(config.port, config.token)
        self._file_places: list[Path] = []
        self._leaving_file: asyncio.Task[None] | None = None
        self._stop_signal, self._on_listening = stop_signal, on_listening
        self._leases = ClientLeases(time.monotonic, ends_with_clients=config.ends_with_clients)
        later = self.coordinator.later_verdicts
        self.outside = OutsideWatch(config.project, self._local_tools, later, threads)
        self.coordinator.on_call = self.outside.check
        self.outside.report_to(self.review.others)
        status = OwnStatus(config, self.lifecycle, self._leases, self.link, self.outside)
        self._lease_endpoint = LeaseEndpoint(self._leases, status.now)
        self._verdict_endpoint = verdict_endpoint(self._local_tools.opened_validator, threads)
        ends = stop_endpoint(self._file, stop_signal)
        self._call_endpoint = CallEndpoint(
            config.project, threads, self.review, self.coordinator.unsaved_in_editor
        )
        self.access = PageAccess(self.kept.secret("page"), config.page_url, config.token)
        now = Now(status.now, lambda: self._local_tools.server_state, self.editor_tools, self.link)
        self.page = ReviewPage(
            self.access,
            self.review,
            now,
            self.editor_tools,
            self.coordinator.call,
            self._leases.count,
            self._leases.expect_person,
        )
        guard = make_guard(config.project, self._local_tools, self.coordinator, self.outside)
        tasks = TaskStore(self.kept.folder / "tasks")
        self.tasks = Tasks(self.coordinator, self.editor_tools, tasks)
        mcp_server = make_mcp_server(
            self.coordinator,
            [TasksExtension(self.tasks)],
            self._served_project,
            "" if config.project is None else f"Its project: {_shown(config.project)}.",
        )
        super().__init__(
            uvicorn.Config(
                make_http_app(
                    mcp_server,
                    plugin,
                    port=config.port,
                    token=config.token,
                    open_paths={PROOF_PATH},
                    more=[
                        Route(PROOF_PATH, self._answer_challenge, methods=["GET"]),
                        Route(STATUS_PATH, status.endpoint(self._local_tools), methods=["GET"]),
                        # POST, because a web page can't send that here.
                        Route(LEASE_PATH, self._lease_endpoint, methods=["POST"]),
                        Route(VERDICT_PATH, self._verdict_endpoint, methods=["POST"]),
                        Route(CALL_PATH, self._call_endpoint.calls, methods=["POST"]),
                        Route(STOP_PATH, self._call_endpoint.stops, methods=["POST"]),
                        Route(SERVER_STOP_PATH, ends, methods=["POST"]),
                        Route(
                            GUARD_PATH,
                            GuardEndpoint(guard, self.review),
                            methods=["POST"],
                        ),
                        self.page.link_route,
                    ],
                    page=self.page.routes,
                ),
                host=LOOPBACK_ADDRESS,
                port=config.port,
                loop="asyncio",
                http=BoundedHttp,
                ws=BoundedWebSocket,
                ws_max_size=LARGEST_READ_BYTES,
                ws_ping_interval=None,  # the protocol has its own heartbeat
                ws_per_message_deflate=False,
                log_config=None,
                access_log=False,
                server_header=False,
                proxy_headers=False,
                timeout_keep_alive=REST_LIMIT_S,
                timeout_graceful_shutdown=CONNECTION_GRACE_S,
            )
        )

    async def serve_until_stopped(self, listener: socket.socket) -> None:
        """Serve until the stop signal."""
        await self.serve([listener])
        self.lifecycle.enter(ServerState.STOPPED)

    async def _prepare(self, begun: asyncio.Event) -> None:
        """Load what most calls need, and clean up after crashes.

        Once ``begun`` is set, calls wait for this. Listing tools doesn't wait.
        """
        loop = asyncio.get_running_loop()
        on_begun = partial(loop.call_soon_threadsafe, begun.set)
        try:
            recovered = await asyncio.to_thread(self._local_tools.prepare, on_begun)
        except Exception:  # the tools report the error; the rest of the server works
            logging.getLogger(__name__).exception("the script tools can't be prepared")
        else:
            if recovered:
                log_event("recovered", what=recovered)
        if not self._stop_signal.received:
            self.outside.start()
        resume_collection()

    def _served_project(self) -> str | None:
        """Return the project that calls are for.

        A server without one serves the Editor's project.
        """
        own = self._config.project
        return self.link.view.project if own is None else str(own)

    async def _answer_challenge(self, request: Request) -> JSONResponse:
        """Prove that this server belongs to the user who can read its file."""
        nonce = request.query_params.get("nonce", "")
        if not is_nonce(nonce):
            return JSONResponse({"error": "nonce must be 32 to 128 hexadecimal digits"}, 400)
        proof = proof_of(self._file.key, LOOPBACK_ADDRESS, self._config.port, nonce)
        answer = {"server": SERVER_NAME, "version": package_version(), "proof": proof}
        return JSONResponse(answer, headers={"Cache-Control": "no-store"})

    def on_view(self, view: EditorView) -> None:
        """Enter the state ready while an Editor is connected; log and show the Editor's state."""
        if self.lifecycle.state in (ServerState.WAITING_EDITOR, ServerState.READY):
            self.lifecycle.enter(
                ServerState.READY if view.connected else ServerState.WAITING_EDITOR
            )
        log_event(
            "editor_state",
            state=view.state.value,
            connected=view.connected,
            seq=view.seq,
            blocked=view.blocked is not None,
        )
        self.page.feed.changed()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Write the server file, load what was stored, and start to answer. Called by uvicorn."""
        try:
            self._file_places = await asyncio.to_thread(
                server_file.write, self._file, self._config.project, answers
            )
        except OSError as error:  # without it no client can verify this server
            log_event("server_file_not_written", level=logging.WARNING, problem=str(error))
        else:
            kept = set(server_file.places(self._file.port, self._config.project))
            for place in sorted(kept - set(self._file_places)):
                if place.exists():
                    first = "another server of this project is running; the Editor uses that one"
                    log_event(
                        "server_file_kept", level=logging.WARNING, path=str(place), problem=first
                    )
        await self.tasks.load()
        self.review.start(self._config.project)
        begun = asyncio.Event()
        self._preparing = asyncio.create_task(self._prepare(begun))
        await begun.wait()
        await super().startup(sockets)
        self.lifecycle.enter(ServerState.WAITING_EDITOR)
        self.link.open()
        if not self._stop_signal.received:
            resume_collection()
            self._on_listening()

    async def on_tick(self, counter: int) -> bool:
        """Return whether to stop. Called by uvicorn ten times a second."""
        if self._leases.over() and not self._stop_signal.received:
            log_event("clients_gone")
            self._stop_signal.receive()
        if counter % _TICKS_UNTIL_LEFT_AGAIN == 0:
            self._write_missing_files()
        return await super().on_tick(counter) or self._stop_signal.received

    def _write_missing_files(self) -> None:
        """Write missing server files, after another server has ended or ``Library`` was created."""
        places = set(server_file.places(self._file.port, self._config.project))
        at_work = self._leaving_file is not None and not self._leaving_file.done()
        if at_work or places <= set(self._file_places) or self._stop_signal.received:
            return
        self._leaving_file = asyncio.create_task(self._leave_file())

    async def _leave_file(self) -> None:
        with suppress(OSError):  # the obstacle was logged at the start
            left = await asyncio.to_thread(
                server_file.write, self._file, self._config.project, answers, self._file_places
            )
            self._file_places += left
            for place in left:
                log_event("server_file_left", path=str(place))

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End calls, then the Editor's connection, then the clients'. Called by uvicorn."""
        self.lifecycle.enter(ServerState.STOPPING)
        self.tasks.stop()
        if self._leaving_file is not None:  # the file that it writes must be removed
            await asyncio.wait({self._leaving_file}, timeout=TOOL_GRACE_S)
        server_file.remove(self._file, self._file_places)
        self._lease_endpoint.end()
        self.page.feed.end()
        self.review.held.stop()
        self.editor_tools.stop()
        await self.link.close()
        await asyncio.gather(super().shutdown(sockets), self._end_tools())
        self.kept.release()

    async def _end_tools(self) -> None:
        """End the tools. The compiler ends last, because running calls may ask it."""
        await self.outside.stop(TOOL_GRACE_S)
        await self.coordinator.stop(TOOL_GRACE_S)
        await asyncio.to_thread(self._local_tools.close)
        await asyncio.to_thread(self.review.stop, TOOL_GRACE_S)

    def capture_signals(self) -> AbstractContextManager[None]:  # type: ignore[override]
        """Keep uvicorn, which calls this, from handling signals.

        Its handlers would raise the signal again at the end. And sse-starlette uses them to cut off
        answers.
        """
        return nullcontext()
