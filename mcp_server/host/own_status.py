"""The status of this server, and the endpoint that tells it.

Part of docs/design/command-line.md ``mcp`` and ``doctor``.
"""

from __future__ import annotations

import asyncio
import os
from dataclasses import replace
from typing import TYPE_CHECKING

from starlette.responses import JSONResponse

from mcp_server.calls.server.server_status import ServerStatus
from mcp_server.version import package_version

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from starlette.requests import Request

    from mcp_server.calls.local_tools import LocalTools
    from mcp_server.editor.server_state import Lifecycle
    from mcp_server.host.client_leases import ClientLeases
    from mcp_server.host.config import ServerConfig
    from mcp_server.host.guarding.outside_watch import OutsideWatch
    from unity_bridge.link import EditorLink


class OwnStatus:
    """Tells what this server does now."""

    def __init__(
        self,
        config: ServerConfig,
        lifecycle: Lifecycle,
        leases: ClientLeases,
        link: EditorLink,
        outside: OutsideWatch,
    ) -> None:
        self._config = config
        self._lifecycle = lifecycle
        self._leases = leases
        self._link = link
        self._outside = outside
        self._project = None if config.project is None else str(config.project.resolve())

    def now(self) -> ServerStatus:
        """Return the present status."""
        view = self._link.view
        return ServerStatus(
            version=package_version(),
            pid=os.getpid(),
            project=self._project,
            state=self._lifecycle.state.value,
            ends_with_clients=self._leases.ends_with_clients,
            clients=self._leases.held,
            editor_connected=view.connected,
            editor_state=view.state.value,
            editor_link=self._link.name if view.connected else "none",
            editor_project=view.project,
            unity_version=view.unity_version,
            plugin_version=view.plugin_version,
            lsp=self._config.lsp,
            watch=self._outside.state,
        )

    def endpoint(self, local_tools: LocalTools) -> Callable[[Request], Awaitable[JSONResponse]]:
        """Return the endpoint that answers with the status and the language server's use of
        memory."""

        async def answer(_request: Request) -> JSONResponse:
            takes, limit = await asyncio.to_thread(local_tools.server_memory_mb)
            status = replace(self.now(), lsp_memory_mb=takes, lsp_memory_limit_mb=limit)
            return JSONResponse(status.to_json(), headers={"Cache-Control": "no-store"})

        return answer
