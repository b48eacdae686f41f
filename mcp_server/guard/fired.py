"""Store when each client's hooks last fired, so that ``doctor`` can report it.

The file is ``Library/SnippetEngine/guard.json``. It has one entry for each client and moment, so it
stays small. It is written only if its folder exists. The guard ignores a failure to write it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeAlias

from mcp_server.calls.private_file import write_private
from snippet_engine.storage.system.plain_file import read_plain

MAX_BYTES = 64 * 1024

Fired: TypeAlias = Mapping[str, Mapping[str, Mapping[str, Any]]]
"""By client and moment: ``at`` (RFC 3339, UTC), ``said`` and ``count``.

The moment ``unread`` counts events that were not understood, or were another client's.
"""

UNREAD = "unread"


def place(project: Path) -> Path:
    """Return the path of a project's file."""
    return project / "Library" / "SnippetEngine" / "guard.json"


def read(project: Path) -> Fired:
    """Return when hooks fired; empty if the file is missing or unreadable."""
    try:
        found = json.loads(read_plain(place(project), MAX_BYTES))
    except (OSError, ValueError, RecursionError):
        return {}
    if not isinstance(found, dict):
        return {}
    return {
        client: {moment: entry for moment, entry in moments.items() if isinstance(entry, dict)}
        for client, moments in found.items()
        if isinstance(moments, dict)
    }


class FiredLog:
    """Writes the file of one project. Used on one thread only."""

    def __init__(self, project: Path) -> None:
        self._project = project
        self._fired: dict[str, dict[str, dict[str, Any]]] | None = None

    def add(self, client: str, moment: str, said: str) -> None:
        """Count an event of a client, and store whether the guard ``said`` anything."""
        if self._fired is None:
            self._fired = {
                each: {moment: dict(entry) for moment, entry in moments.items()}
                for each, moments in read(self._project).items()
            }
        known = self._fired.setdefault(client, {}).get(moment, {})
        count = known.get("count")
        self._fired[client][moment] = {
            "at": datetime.now(UTC).isoformat(timespec="seconds"),
            "said": said,
            "count": count + 1 if isinstance(count, int) else 1,
        }
        target = place(self._project)
        if os.path.isdir(target.parent):
            write_private(target, self._fired, durable=False)
