"""Where a client's configuration file is on this machine, or would be on another.

Part of docs/design/command-line.md ``client``. Pure, but for :func:`missing_home`: the system, the
home folder and the environment are parameters.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path, PurePosixPath, PureWindowsPath

from mcp_server.clients.table import Client, Scope


def wrong_variable(
    client: Client | None, *, system: str, environment: Mapping[str, str]
) -> str | None:
    """What is wrong with a variable that says where a user's files are, and what helps.

    A relative path leads to another folder with each working folder, and an empty ``HOME`` to the
    file system's root. ``client`` may have a variable of its own.
    """
    home = "USERPROFILE" if system == "win32" else "HOME"
    names = {"win32": ("APPDATA",), "darwin": ()}.get(system, ("XDG_CONFIG_HOME", "XDG_STATE_HOME"))
    own = () if client is None or client.folder_variable is None else (client.folder_variable,)
    kind = PureWindowsPath if system == "win32" else PurePosixPath
    for name in (home, *names, *own):
        value = environment.get(name)
        # Of the others, an empty one counts as none.
        if value and not kind(value).is_absolute():
            return f"{name} is {value}, a relative path. Set it to a whole path, or unset it."
        if value == "" and name == home:
            return f"{name} is empty. Set it to your home folder's path, or unset it."
    return None


def missing_home(file: Path) -> str | None:
    """That ``file`` can't be made, as it would be below a home folder that isn't there."""
    home = Path.home()
    if not file.is_relative_to(home) or os.path.isdir(home):
        return None
    return (
        f"{file} can't be written: there is no home folder {home}. Set HOME to one that is there."
    )


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
