"""Keep pythonnet in the user's cache, for installations without it.

It isn't installed into the program's own environment: those of uv and pipx have no pip, and are
recreated by upgrades. Each kind of Python has a folder of its own.
"""

from __future__ import annotations

import importlib
import platform
import sys
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.util import find_spec
from pathlib import Path

from roslyn_server.toolchains.machine import toolchain_cache

VERSION = "3.2.1"
"""The version that :data:`REQUIREMENTS` pin."""

REQUIREMENTS = Path(__file__).with_name("pythonnet_requirements.txt")
"""pythonnet and its dependencies, with the hash of every wheel."""

MANIFEST = "installed.json"
"""The file that marks an installed part as complete."""


def cached_in(cache: Path) -> Path:
    """Return the folder below ``cache`` for the running Python."""
    # ``sysconfig`` has this suffix, too, but two threads can't ask it at once.
    kind = EXTENSION_SUFFIXES[0].split(".")[1]
    return cache / "python" / f"pythonnet-{VERSION}-{kind}-{platform.machine().lower()}"


def find_pythonnet() -> bool:
    """Return whether pythonnet can be imported, after adding the cached one to the path."""
    if find_spec("pythonnet") is not None:
        return True
    folder = cached_in(toolchain_cache())
    if str(folder) in sys.path or not (folder / MANIFEST).is_file():
        return False
    sys.path.append(str(folder))  # last, so that an installed one comes first
    importlib.invalidate_caches()
    return find_spec("pythonnet") is not None
