"""Where Mono, .NET, Roslyn and reference assemblies are found on this machine (spec 04 §4).

Roslyn and .NET 8 come from the package registries, as the agreement benchmark fetches them; Mono
from the operating system; the .NET Standard 2.1 references from ``../shared/toolchains`` beside
the checkout, or from the folder that ``UNITY_SNIPPET_TOOLCHAINS`` names, where there is one.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tarfile
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from benchmarks.agreement.toolchain import Toolchain, toolchain

ROOT = Path(__file__).parents[2]
TOOLCHAINS_VARIABLE = "UNITY_SNIPPET_TOOLCHAINS"
INSTALL_MONO = "apt-get install --no-install-recommends mono-devel libnewtonsoft-json5.0-cil"
"""What brings Mono and a Newtonsoft.Json for it, on Debian and Ubuntu."""

_ARCHIVE = "toolchains.tar.xz"
_MONO_LIBRARIES = (Path("/usr/lib/mono"), Path("/usr/local/lib/mono"))


class MissingToolError(Exception):
    """Something that the bench needs is not on this machine; the message says how to get it."""


@dataclass(frozen=True, slots=True)
class Mono:
    """The Mono runtime and its .NET Framework 4.7.1 reference assemblies."""

    program: Path
    references: tuple[Path, ...]
    libraries: Path


def cache_folder() -> Path:
    """The bench's folder in the user's cache."""
    base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    folder = base / "unity-snippet" / "bench"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@cache
def roslyn() -> Toolchain:
    """Roslyn and the .NET 8 runtime. Raises ``FetchError`` where they can't be had."""
    return toolchain()


@cache
def mono() -> Mono:
    """Mono. Raises :class:`MissingToolError`."""
    program = shutil.which("mono")
    if program is None:
        raise MissingToolError(
            f"Mono is not installed. On Debian or Ubuntu: {INSTALL_MONO}. "
            "Or run the bench on .NET: --runtime coreclr"
        )
    for libraries in _MONO_LIBRARIES:
        references = sorted((libraries / "4.7.1-api").glob("System*.dll"))
        if references:
            folder = libraries / "4.7.1-api"
            facades = sorted((folder / "Facades").glob("*.dll"))
            more = (folder / "mscorlib.dll", folder / "Microsoft.CSharp.dll")
            return Mono(Path(program), (*more, *references, *facades), libraries)
    raise MissingToolError(
        "Mono is here without its .NET Framework 4.7.1 reference assemblies. "
        f"On Debian or Ubuntu: {INSTALL_MONO}"
    )


@cache
def shared_toolchains() -> Path | None:
    """The unpacked toolchains folder, or None where this machine has none."""
    named = os.environ.get(TOOLCHAINS_VARIABLE)
    folder = Path(named) if named else ROOT.parent / "shared" / "toolchains"
    if (folder / "netstandard-2.1-ref").is_dir():
        return folder
    archive = folder / _ARCHIVE
    return _unpacked(archive) if archive.is_file() else None


def _unpacked(archive: Path) -> Path:
    digest = hashlib.sha256(archive.read_bytes()).hexdigest()
    target = cache_folder() / f"toolchains-{digest[:16]}"
    if target.is_dir():
        return target
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".unpack-") as scratch:
        unpacked = Path(scratch) / "unpacked"
        with tarfile.open(archive) as tar:
            tar.extractall(unpacked, filter="data")
        try:
            unpacked.rename(target)
        except OSError:
            if not target.is_dir():  # else another process was quicker
                raise
    return target


@cache
def net_standard_references() -> tuple[Path, ...] | None:
    """The .NET Standard 2.1 reference assemblies, or None where this machine has none."""
    shared = shared_toolchains()
    return None if shared is None else tuple(sorted((shared / "netstandard-2.1-ref").glob("*.dll")))


@cache
def net_references() -> tuple[Path, ...]:
    """The managed assemblies of the .NET 8 runtime, to compile against."""
    folders = sorted((roslyn().dotnet_root / "shared" / "Microsoft.NETCore.App").iterdir())
    # The native libraries there start with "lib" or end otherwise, except for these.
    native = {"Microsoft.DiaSymReader.Native.amd64.dll", "mscordaccore.dll"}
    return tuple(each for each in sorted(folders[-1].glob("*.dll")) if each.name not in native)


@cache
def newtonsoft(framework: str) -> Path:
    """Newtonsoft.Json for ``net45`` or ``netstandard2.0``. Raises :class:`MissingToolError`."""
    shared = shared_toolchains()
    if shared is not None:
        return shared / "newtonsoft-json-13.0.3" / framework / "Newtonsoft.Json.dll"
    if framework == "net45":
        found = sorted((mono().libraries / "gac" / "Newtonsoft.Json").glob("*/Newtonsoft.Json.dll"))
        if found:
            return found[-1]
        raise MissingToolError(f"Newtonsoft.Json is not installed. On Debian: {INSTALL_MONO}")
    raise MissingToolError(
        f"There is no Newtonsoft.Json for .NET here: name a toolchains folder in "
        f"{TOOLCHAINS_VARIABLE}, or run the bench on Mono"
    )
