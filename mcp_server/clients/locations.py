"""Where a client's configuration and skills are on this machine.

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
    """Return what is wrong with a variable that places a user's files, and what helps.

    A relative path depends on the working folder, and an empty ``HOME`` is the file system's root.
    """
    home = "USERPROFILE" if system == "win32" else "HOME"
    names = {"win32": ("APPDATA",), "darwin": ()}.get(system, ("XDG_CONFIG_HOME", "XDG_STATE_HOME"))
    own = () if client is None or client.folder_variable is None else (client.folder_variable,)
    kind = PureWindowsPath if system == "win32" else PurePosixPath
    for name in (home, *names, *own):
        value = environment.get(name)
        # Of the others, an empty one counts as not set.
        if value and not kind(value).is_absolute():
            return f"{name} is {value}, a relative path. Set it to a whole path, or unset it."
        if value == "" and name == home:
            return f"{name} is empty. Set it to your home folder's path, or unset it."
    return None


def missing_home(file: Path) -> str | None:
    """Report that ``file`` would be in a home folder that does not exist."""
    home = Path.home()
    if not file.is_relative_to(home) or os.path.isdir(home):
        return None
    return (
        f"{file} can't be written: the home folder {home} does not exist. Set HOME to one that "
        "exists."
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
    """Return the file that holds ``client``'s servers; ``None`` if it has no such scope.

    ``system`` is ``sys.platform``. ``project`` is needed for the project's scope.
    """
    if scope is Scope.PROJECT:
        if client.project_file is None or project is None:
            return None
        return project / client.project_file
    pattern = _on(system, client.user_file)
    moved = environment.get(client.folder_variable or "")
    if moved:
        return Path(moved) / Path(pattern).name
    return _at(pattern, system, home, environment)


def hook_path(
    pattern: str | Mapping[str, str],
    variable: str | None,
    *,
    system: str,
    home: Path,
    environment: Mapping[str, str],
) -> Path:
    """Return a file for a client's hooks; ``variable`` moves its folder right below ``~``."""
    pattern = _on(system, pattern)
    moved = environment.get(variable or "")
    return (
        Path(moved, *pattern.split("/")[2:]) if moved else _at(pattern, system, home, environment)
    )


def _on(system: str, pattern: str | Mapping[str, str]) -> str:
    return pattern if isinstance(pattern, str) else pattern.get(system, pattern["linux"])


def _at(pattern: str, system: str, home: Path, environment: Mapping[str, str]) -> Path:
    first, _, rest = pattern.partition("/")
    return (home if first == "~" else _config_folder(system, home, environment)) / rest


def _config_folder(system: str, home: Path, environment: Mapping[str, str]) -> Path:
    if system == "win32":
        return Path(environment.get("APPDATA") or home / "AppData" / "Roaming")
    if system == "darwin":
        return home / "Library" / "Application Support"
    return Path(environment.get("XDG_CONFIG_HOME") or home / ".config")


def skills_folder(
    client: Client,
    scope: Scope,
    *,
    home: Path,
    environment: Mapping[str, str],
    project: Path | None,
) -> Path | None:
    """Return where ``client`` looks for skills in that scope; ``None`` if nowhere."""
    if scope is Scope.PROJECT:
        if client.project_skills is None or project is None:
            return None
        return project / client.project_skills
    if client.user_skills is None:
        return None
    moved = environment.get(client.folder_variable or "")
    if moved and client.skills_move:
        return Path(moved) / Path(client.user_skills).name
    return home / client.user_skills
