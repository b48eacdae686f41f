"""The machine that toolchains are looked for on, as a value.

Discovery reads files, the environment and the architecture only through a :class:`Machine`. So any
system's layout can be tested on any other.
"""

from __future__ import annotations

import os
import platform
import shutil
import sys
import sysconfig
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePath

import platformdirs

from snippet_engine.storage.system.plain_file import read_plain

CACHE_NAME = "unity-snippet"
"""This product's folder below the user's cache."""


class DiskFiles:
    """The file system as discovery needs it. Nothing raises ``OSError``."""

    def is_file(self, path: PurePath) -> bool:
        """Return whether ``path`` is a file."""
        try:
            return Path(path).is_file()
        except OSError:
            return False

    def names(self, folder: PurePath) -> tuple[str, ...]:
        """Return the names in ``folder``, sorted; none if it can't be listed."""
        try:
            return tuple(sorted(os.listdir(folder)))  # noqa: PTH208 - names are all that is needed
        except OSError:
            return ()

    def head(self, path: PurePath, size: int) -> bytes:
        """Return the first ``size`` bytes of a file; fewer if it is shorter or can't be read."""
        try:
            return read_plain(str(path), size)
        except (OSError, ValueError):
            return b""

    def resolved(self, path: PurePath) -> PurePath:
        """Return ``path`` with symbolic links followed."""
        try:
            return Path(path).resolve()
        except (OSError, RuntimeError):
            return path


@dataclass(frozen=True, slots=True)
class Machine:
    """A machine as discovery sees it."""

    system: str
    """``Windows``, ``Darwin`` or ``Linux``."""
    architecture: str
    """This Python process's, as .NET names it (``x64``, ``arm64``, ``x86``, ``arm``)."""
    home: PurePath
    cache: PurePath
    """The folder that ``unity-cli roslyn install`` fills."""
    dotnet_on_path: PurePath | None = None
    """The command ``dotnet`` on ``PATH``."""
    environ: Mapping[str, str] = field(default_factory=dict)
    files: DiskFiles = field(default_factory=DiskFiles)


def this_machine(environ: Mapping[str, str] | None = None) -> Machine:
    """Return this machine, with ``environ`` or else the process's environment."""
    environ = dict(os.environ) if environ is None else environ
    dotnet = shutil.which("dotnet", path=environ.get("PATH", ""))
    return Machine(
        system=platform.system(),
        architecture=_architecture(),
        home=Path.home(),
        cache=toolchain_cache(),
        dotnet_on_path=Path(dotnet) if dotnet is not None else None,
        environ=environ,
    )


def toolchain_cache() -> Path:
    """Return the folder in the user's cache for toolchains."""
    return platformdirs.user_cache_path(CACHE_NAME, appauthor=False) / "roslyn"


def _architecture() -> str:
    # On Windows, platform.machine() is the system's, also for a process of another architecture.
    name = sysconfig.get_platform() if sys.platform == "win32" else platform.machine()
    return _ARCHITECTURES.get(name.lower().removeprefix("win-"), name.lower())


_ARCHITECTURES = {
    "x86_64": "x64",
    "amd64": "x64",
    "aarch64": "arm64",
    "arm64": "arm64",
    "win32": "x86",
    "i386": "x86",
    "i686": "x86",
    "armv7l": "arm",
}
