"""The machine that toolchains are looked for on, as a value.

Part of docs/design/roslyn.md §3. Discovery reads files, the environment and the process's
architecture through a :class:`Machine` only, so that any system's layouts can be tested on any
other.
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
from typing import Protocol

import platformdirs

CACHE_NAME = "unity-snippet"
"""The folder below the user's cache that is this product's."""


class FileView(Protocol):
    """The few things that discovery asks of a file system. None of them raises ``OSError``."""

    def is_file(self, path: PurePath) -> bool:
        """Whether ``path`` leads to a file."""
        ...

    def names(self, folder: PurePath) -> tuple[str, ...]:
        """The names in ``folder``, sorted; none where it isn't a folder that can be read."""
        ...

    def head(self, path: PurePath, size: int) -> bytes:
        """The first ``size`` bytes of a file, fewer if it is shorter or can't be read."""
        ...

    def resolved(self, path: PurePath) -> PurePath:
        """``path`` with symbolic links followed."""
        ...


class DiskFiles:
    """The file system of this machine."""

    def is_file(self, path: PurePath) -> bool:
        """Whether ``path`` leads to a file."""
        try:
            return Path(path).is_file()
        except OSError:
            return False

    def names(self, folder: PurePath) -> tuple[str, ...]:
        """The names in ``folder``, sorted."""
        try:
            return tuple(sorted(os.listdir(folder)))  # noqa: PTH208 - names are all that is needed
        except OSError:
            return ()

    def head(self, path: PurePath, size: int) -> bytes:
        """The first ``size`` bytes of a file."""
        try:
            if not Path(path).is_file():
                return b""
            with Path(path).open("rb") as file:
                return file.read(size)
        except OSError:
            return b""

    def resolved(self, path: PurePath) -> PurePath:
        """``path`` with symbolic links followed."""
        try:
            return Path(path).resolve()
        except (OSError, RuntimeError):
            return path


@dataclass(frozen=True, slots=True)
class Machine:
    """``system`` is ``Windows``, ``Darwin`` or ``Linux``; ``architecture``, as .NET names it
    (``x64``, ``arm64``, ``x86``, ``arm``), that of this Python process.

    ``dotnet_on_path`` is where ``PATH`` has the command ``dotnet``; ``cache`` the folder that
    ``unity-cli roslyn install`` fills.
    """

    system: str
    architecture: str
    home: PurePath
    cache: PurePath
    dotnet_on_path: PurePath | None = None
    environ: Mapping[str, str] = field(default_factory=dict)
    files: FileView = field(default_factory=DiskFiles)


def this_machine(environ: Mapping[str, str] | None = None) -> Machine:
    """The machine that this process runs on, with ``environ`` or else its own environment."""
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
    """The folder in the user's cache that toolchains are kept in."""
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
