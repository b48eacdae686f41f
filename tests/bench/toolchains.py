"""Where Mono, .NET, Roslyn and reference assemblies are found on this machine
(docs/design/roslyn.md §4).

Roslyn and .NET 8 come from the package registries, as ``unity-cli roslyn install`` has them; Mono
from the operating system; the .NET Standard 2.1 references from ``../shared/toolchains`` beside
the checkout, or from the folder that ``UNITY_SNIPPET_TOOLCHAINS`` names, where there is one.
"""

from __future__ import annotations

import json
import os
import shutil
import tarfile
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import platformdirs

from benchmarks.shared_toolchains import shared_toolchains
from roslyn_server.toolchains.install import (
    ROSLYN_4_8,
    install,
    installed_toolchain,
    is_installed,
    parts,
)
from roslyn_server.toolchains.machine import CACHE_NAME, this_machine
from roslyn_server.toolchains.packages import fetch_archive
from roslyn_server.toolchains.pairing import Toolchain

ROOT = Path(__file__).parents[2]
INSTALL_MONO = (
    "apt-get install --no-install-recommends mono-devel libnewtonsoft-json5.0-cil "
    "libnunit-framework2.6.3-cil"
)
"""What brings Mono, and a Newtonsoft.Json and NUnit for it, on Debian and Ubuntu."""

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
    folder = platformdirs.user_cache_path(CACHE_NAME, appauthor=False) / "bench"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@cache
def roslyn() -> Toolchain:
    """Roslyn and the .NET 8 runtime. Raises ``FetchError`` where they can't be had."""
    machine = this_machine()
    install([part for part in parts(machine, [ROSLYN_4_8]) if not is_installed(part)])
    return installed_toolchain(machine, ROSLYN_4_8)


@cache
def dotnet() -> tuple[str, ...]:
    """The command that runs a program on .NET 8, but for the program."""
    found = roslyn()
    program = found.dotnet_root / "dotnet"
    if not os.access(program, os.X_OK):
        program.chmod(program.stat().st_mode | 0o755)
    framework = {"name": "Microsoft.NETCore.App", "version": found.runtime}
    config = cache_folder() / f"net-{found.runtime}.runtimeconfig.json"
    content = json.dumps({"runtimeOptions": {"framework": framework}})
    if not config.is_file():
        config.write_text(content, encoding="utf-8")
    return (str(program), "exec", "--runtimeconfig", str(config))


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
    """Newtonsoft.Json for ``net45`` or ``netstandard2.0``.

    Raises :class:`MissingToolError`, or ``FetchError`` where the registry has to be asked.
    """
    shared = shared_toolchains()
    if shared is not None:
        return shared / "newtonsoft-json-13.0.3" / framework / "Newtonsoft.Json.dll"
    if framework == "net45":
        found = sorted((mono().libraries / "gac" / "Newtonsoft.Json").glob("*/Newtonsoft.Json.dll"))
        if found:
            return found[-1]
        raise MissingToolError(f"Newtonsoft.Json is not installed. On Debian: {INSTALL_MONO}")
    return _newtonsoft_for_net()


def _newtonsoft_for_net() -> Path:
    """Newtonsoft.Json for .NET 6 and newer, from the package that carries Roslyn."""
    package = ROSLYN_4_8.package
    target = cache_folder() / package.version / "Newtonsoft.Json.dll"
    if not target.is_file():
        with tempfile.TemporaryDirectory(dir=cache_folder(), prefix=".fetch-") as scratch:
            archive = fetch_archive(package, Path(scratch) / "package.tgz")
            with tarfile.open(archive) as tar:
                content = tar.extractfile(str(ROSLYN_4_8.inside / target.name))
                assert content is not None
                fetched = Path(scratch) / target.name
                fetched.write_bytes(content.read())
            target.parent.mkdir(exist_ok=True)
            fetched.replace(target)
    return target
