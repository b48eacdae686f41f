"""A server that can be started, as a value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from lsp_client.servers.server_table import ServerSpec


@dataclass(frozen=True, slots=True)
class Launch:
    """A server to be started: its row of the table, the command, and what to tell it to open.

    ``opens`` are solution or project files; ``env`` is added to this process's environment.
    """

    spec: ServerSpec
    command: tuple[str, ...]
    root: Path
    opens: tuple[Path, ...] = ()
    env: Mapping[str, str] | None = None
