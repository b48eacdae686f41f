"""Parts of public .NET packages that some machines have in ``../shared/toolchains``.

They lie beside the checkout, or in the folder that ``UNITY_SNIPPET_TOOLCHAINS`` names: a .NET 10
SDK's skeleton with its Roslyn, and reference assemblies. What needs them does without elsewhere.
"""

from __future__ import annotations

import hashlib
import os
import tarfile
import tempfile
from functools import cache
from pathlib import Path

import platformdirs

VARIABLE = "UNITY_SNIPPET_TOOLCHAINS"
ABSENT = f"../shared/toolchains is not here (and {VARIABLE} names no other folder)"
"""What a test says that skips for want of them."""

_ARCHIVE = "toolchains.tar.xz"


@cache
def shared_toolchains() -> Path | None:
    """Return the folder with the unpacked parts; ``None`` if this machine has none.

    An archive is unpacked into the user's cache, once.
    """
    named = os.environ.get(VARIABLE)
    folder = Path(named) if named else Path(__file__).parents[2] / "shared" / "toolchains"
    if (folder / "dotnet-10").is_dir():
        return folder
    archive = folder / _ARCHIVE
    return _unpacked(archive) if archive.is_file() else None


def _unpacked(archive: Path) -> Path:
    cached = platformdirs.user_cache_path("unity-snippet", appauthor=False)
    target = cached / f"toolchains-{hashlib.sha256(archive.read_bytes()).hexdigest()[:16]}"
    if target.is_dir():
        return target
    cached.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cached, prefix=".unpack-") as scratch:
        unpacked = Path(scratch) / "unpacked"
        with tarfile.open(archive) as tar:
            tar.extractall(unpacked, filter="data")
        try:
            unpacked.rename(target)
        except OSError:
            if not target.is_dir():  # else another process was quicker
                raise
    return target
