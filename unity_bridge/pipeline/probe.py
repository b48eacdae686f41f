"""Look once at a project's Editor over the Pipeline, to report why it can't be used.

Implements docs/design/pipeline.md §1. Changes nothing.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path

from unity_bridge.pipeline.claim import Claim
from unity_bridge.pipeline.http_client import PipelineHttp
from unity_bridge.pipeline.project_files import NoDescriptor, is_locked, is_project, read_descriptor
from unity_bridge.pipeline.sightings import MAYBE_SAFE_MODE, read_sighting

OPEN_IT = "Open the project in Unity."
WAIT = "If it isn't reloading scripts just now, close the Editor and open the project again."
RESTART = "Close the Editor and open the project again."


@dataclass(frozen=True, slots=True)
class Probed:
    """The findings about a project's Editor."""

    live: bool
    """Whether requests can be sent."""
    what: str
    advice: str = ""
    """What to do if it isn't live."""


async def probe(project: Path) -> Probed:
    """Read the descriptor and verify it."""
    descriptor = await asyncio.to_thread(read_descriptor, project)
    if isinstance(descriptor, NoDescriptor):
        if descriptor.absent and await asyncio.to_thread(is_locked, project):
            return Probed(
                False, MAYBE_SAFE_MODE.message, "Repair the scripts, then leave Safe Mode."
            )
        return Probed(False, descriptor.reason, OPEN_IT if descriptor.absent else RESTART)
    claim = Claim(descriptor, project)
    doubt = await asyncio.to_thread(claim.doubt)
    if doubt is not None:
        return Probed(False, doubt.reason, WAIT if doubt.passing else OPEN_IT)
    where = f"port {descriptor.port}"
    async with PipelineHttp(descriptor.port, descriptor.token, claim.holds) as http:
        status, document = await http.get("/api/editor_status")
    if status == 0:
        return Probed(False, f"nothing answers on {where}; the descriptor is left over", OPEN_IT)
    if status == HTTPStatus.UNAUTHORIZED:
        return Probed(False, f"{where} does not take the descriptor's token", RESTART)
    sighting = read_sighting(document) if status == HTTPStatus.OK else None
    if sighting is None:
        return Probed(False, f"the program on {where} is no Unity Editor", RESTART)
    if not await asyncio.to_thread(is_project, sighting.project, project):
        return Probed(False, f"the Editor on {where} has another project open", OPEN_IT)
    if sighting.dialog is not None:
        title = sighting.dialog["title"] or "without a title"
        return Probed(False, f"a dialog is open in the Editor: {title}", "Answer it in Unity.")
    version = f"Unity {sighting.unity_version}, " if sighting.unity_version else ""
    return Probed(True, f"{version}{sighting.state.value}, {where}")
