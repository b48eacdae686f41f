"""Make the links to the Editor that the options ask for.

Implements docs/design/server-and-bridge.md §11.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from mcp_server.calls.local_tools import LocalTools
from mcp_server.calls.server.server_status import is_same_folder
from mcp_server.contract.catalog import CATALOG
from mcp_server.contract.tool_spec import Executor
from mcp_server.editor.unity_answers import is_wanted
from mcp_server.event_log import log_event
from mcp_server.host.config import EditorRoad, ServerConfig
from mcp_server.host.kept_state import JobFiles
from mcp_server.version import package_version
from unity_bridge.chosen_link import ChosenLink
from unity_bridge.clock import Clock
from unity_bridge.link import EditorLink
from unity_bridge.plugin.websocket_link import WebSocketLink
from unity_bridge.timing import Timing

# A server without a project doesn't load these.
if TYPE_CHECKING:
    from unity_bridge.pipeline.pipeline_link import PipelineLink
    from unity_bridge.timing import Pace


def _may_be_of(project: Path, path: str) -> bool:
    """Return whether an Editor with the project at ``path`` may belong to ``project``.

    A path that doesn't exist here, as from a container, may belong to any project.
    """
    return not Path(path).is_dir() or is_same_folder(path, project)


def make_links(
    config: ServerConfig,
    local_tools: LocalTools,
    kept: Path,
    *,
    timing: Timing | None = None,
    clock: Clock | None = None,
    pace: Pace | None = None,
) -> tuple[EditorLink, WebSocketLink | None]:
    """Return the link for ``config``, and the plugin's link; ``None`` if no plugin may connect."""
    pipeline: PipelineLink | None = None
    if config.project is not None:
        from unity_bridge.pipeline.pipeline_link import PipelineLink  # noqa: PLC0415 - see above
        from unity_bridge.pipeline.project_files import (  # noqa: PLC0415
            NoDescriptor,
            read_descriptor,
        )

        is_used = config.editor is not EditorRoad.PLUGIN
        unused = NoDescriptor("the server was started with --editor plugin")
        pipeline = PipelineLink(
            config.project,
            log_event=log_event,
            wanted=is_wanted,
            written=lambda: local_tools.written_at,
            timing=timing,
            clock=clock,
            pace=pace,
            records=JobFiles(kept / "jobs") if is_used else None,
            # Even if unused, the link reports that the project may be in Safe Mode.
            find_descriptor=read_descriptor if is_used else lambda _project: unused,
        )
    if pipeline is not None and config.editor is EditorRoad.PIPELINE:
        return pipeline, None
    plugin = WebSocketLink(
        server_version=package_version(),
        tools=[
            tool.to_capability() for tool in CATALOG.values() if tool.executor is Executor.UNITY
        ],
        log_event=log_event,
        timing=timing,
        clock=clock,
        serves=None if config.project is None else partial(_may_be_of, config.project),
    )
    return plugin if pipeline is None else ChosenLink(plugin, pipeline), plugin
