"""Where a client's configuration file is on this machine, or would be on another.

Part of docs/design/command-line.md ``client``. Pure: the system, the home folder and the
environment are parameters.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from mcp_server.clients.table import Client, Scope


def config_file(
    client: Client,
    scope: Scope,
    *,
    system: str,
    home: Path,
    environment: Mapping[str, str],
    project: Path | None,
) -> Path | None:
    """The file that holds ``client``'s servers; ``None`` where the client knows no such scope.

    ``system`` is ``sys.platform``. ``project`` is needed for the project's scope.
    """
    if scope is Scope.PROJECT:
        if client.project_file is None or project is None:
            return None
        return project / client.project_file
    pattern = client.user_file
    if not isinstance(pattern, str):
        pattern = pattern.get(system, pattern["linux"])
    moved = environment.get(client.folder_variable or "")
    if moved:
        return Path(moved) / Path(pattern).name
    first, _, rest = pattern.partition("/")
    return (home if first == "~" else _config_folder(system, home, environment)) / rest


def _config_folder(system: str, home: Path, environment: Mapping[str, str]) -> Path:
    """Where applications keep their configuration on ``system``."""
    if system == "win32":
        return Path(environment.get("APPDATA") or home / "AppData" / "Roaming")
    if system == "darwin":
        return home / "Library" / "Application Support"
    return Path(environment.get("XDG_CONFIG_HOME") or home / ".config")
