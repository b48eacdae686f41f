"""Pair a compiler with a .NET runtime, before anything is loaded.

Implements docs/design/roslyn.md §3 "Pairing". ``csc.runtimeconfig.json`` next to the compiler names
the runtime major version it needs; the runtime must be built for this process's architecture.
"""

from __future__ import annotations

import json
import re
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import NamedTuple

from roslyn_server.toolchains.machine import Machine

ASSEMBLIES = ("Microsoft.CodeAnalysis.dll", "Microsoft.CodeAnalysis.CSharp.dll")
"""The files that a compiler's folder must have."""

RUNTIME_CONFIG = "csc.runtimeconfig.json"
"""Names the runtime that the compiler next to it needs."""


@dataclass(frozen=True, slots=True)
class Toolchain:
    """A compiler and its runtime."""

    roslyn_dir: Path
    dotnet_root: Path
    runtime: str
    """The version of .NET below ``dotnet_root``."""

    @property
    def assemblies(self) -> tuple[Path, ...]:
        """Roslyn's libraries."""
        return tuple(self.roslyn_dir / name for name in ASSEMBLIES)


HEADER_SIZE = 4096
"""Bytes of a library that :func:`architectures` needs."""

_ELF = {0x03: "x86", 0x28: "arm", 0x3E: "x64", 0xB7: "arm64"}
_PE = {0x014C: "x86", 0x01C4: "arm", 0x8664: "x64", 0xAA64: "arm64"}
_MACH_O = {0x0100_0007: "x64", 0x0100_000C: "arm64", 0x7: "x86"}

_MACH_O_MAGIC = b"\xcf\xfa\xed\xfe"
_MACH_O_FAT_MAGIC = b"\xca\xfe\xba\xbe"
_MAX_FAT_SLICES = 16


def architectures(header: bytes) -> frozenset[str]:
    """Return the architectures, as .NET names them, of a native library by its first bytes.

    Empty if it isn't an ELF, PE or Mach-O library, or is for an unknown processor. Mach-O may
    have several.
    """
    try:
        if header.startswith(b"\x7fELF"):
            order = ">" if header[5] == 2 else "<"
            return _known(_ELF, struct.unpack_from(f"{order}H", header, 18))
        if header.startswith(b"MZ"):
            (at,) = struct.unpack_from("<I", header, 0x3C)
            if header[at : at + 4] == b"PE\0\0":
                return _known(_PE, struct.unpack_from("<H", header, at + 4))
        if header.startswith(_MACH_O_MAGIC):
            return _known(_MACH_O, struct.unpack_from("<I", header, 4))
        if header.startswith(_MACH_O_FAT_MAGIC):
            (count,) = struct.unpack_from(">I", header, 4)
            slices = range(min(count, _MAX_FAT_SLICES))
            types = [struct.unpack_from(">I", header, 8 + 20 * each)[0] for each in slices]
            return _known(_MACH_O, types)
    except (struct.error, IndexError):
        pass
    return frozenset()


def _known(table: dict[int, str], codes: tuple[int, ...] | list[int]) -> frozenset[str]:
    return frozenset(table[code] for code in codes if code in table)


_FRAMEWORK = "Microsoft.NETCore.App"
_MAX_CONFIG_BYTES = 64 * 1024
_VERSION = re.compile(r"(\d+)\.(\d+)\.(\d+)(?:-(.+))?")
_HOSTFXR = {"Windows": "hostfxr.dll", "Darwin": "libhostfxr.dylib"}
_ROLLING_ON = frozenset(("major", "latestmajor"))
_OLDEST_MAJOR = 5
"""Older runtimes were never tried."""


class Version(NamedTuple):
    """A version of .NET or of its SDK; previews sort before their release."""

    major: int
    minor: int
    patch: int
    is_release: bool
    text: str

    @classmethod
    def parse(cls, text: str) -> Version | None:
        """Return the version in a folder's name, if any."""
        match = _VERSION.fullmatch(text)
        if match is None:
            return None
        major, minor, patch = (int(match[group]) for group in (1, 2, 3))
        return cls(major, minor, patch, match[4] is None, text)


_MAIN_ASSEMBLY = "Microsoft.CodeAnalysis.CSharp.dll"
"""The file to name if a folder has no compiler."""


@dataclass(frozen=True, slots=True)
class Unfit:
    """Why no available runtime fits a compiler, as the end of a sentence."""

    reason: str


class _Need(NamedTuple):
    """The runtime major version that a compiler needs, and whether a newer one will do."""

    major: int
    rolls_forward: bool


def versions_in(machine: Machine, folder: PurePath) -> list[Version]:
    """Return the versions in the names of subfolders, newest first."""
    found = (Version.parse(name) for name in machine.files.names(folder))
    return sorted((version for version in found if version is not None), reverse=True)


def pair(machine: Machine, roslyn_dir: PurePath, roots: Sequence[PurePath]) -> Toolchain | Unfit:
    """Return the compiler in ``roslyn_dir`` with the first of ``roots`` that has its runtime."""
    missing = [name for name in ASSEMBLIES if not machine.files.is_file(roslyn_dir / name)]
    if missing and not machine.files.names(roslyn_dir):
        return Unfit(f"{roslyn_dir} isn't there, or holds nothing that can be read")
    if missing:
        missing_file = _MAIN_ASSEMBLY if _MAIN_ASSEMBLY in missing else missing[0]
        return Unfit(f"{roslyn_dir} has no {missing_file}")
    need = _need(machine, roslyn_dir)
    having = [(root, _runtimes(machine, root)) for root in roots]
    for root, version in _fit(need, having):
        wrong = _wrong_architecture(machine, root)
        if wrong is not None:
            return Unfit(wrong)
        return Toolchain(Path(str(roslyn_dir)), Path(str(root)), version.text)
    wanted = f"the compiler in {roslyn_dir} needs .NET {need.major}" if need else "no .NET runtime"
    had = "; ".join(
        f"{root} has {', '.join(each.text for each in versions) or 'no runtime'}"
        for root, versions in having
    )
    return Unfit(f"{wanted}: {had or 'there is no runtime next to it'}")


def _fit(
    need: _Need | None, having: Sequence[tuple[PurePath, Sequence[Version]]]
) -> list[tuple[PurePath, Version]]:
    """Return usable runtimes, best first: the same major version, else the next newer one."""
    every = [(root, version) for root, versions in having for version in versions]
    if need is None:
        return every
    exact = [(root, version) for root, version in every if version.major == need.major]
    newer = [(root, version) for root, version in every if version.major > need.major]
    return exact or (sorted(newer, key=lambda each: each[1].major) if need.rolls_forward else [])


def _runtimes(machine: Machine, root: PurePath) -> list[Version]:
    found = versions_in(machine, root / "shared" / _FRAMEWORK)
    return [version for version in found if version.major >= _OLDEST_MAJOR]


def _need(machine: Machine, roslyn_dir: PurePath) -> _Need | None:
    """Return the runtime that the compiler's configuration asks for; ``None`` without one."""
    try:
        config = json.loads(machine.files.head(roslyn_dir / RUNTIME_CONFIG, _MAX_CONFIG_BYTES))
        options = config["runtimeOptions"]
        frameworks = [options["framework"]] if "framework" in options else options["frameworks"]
        version = next(each["version"] for each in frameworks if each["name"] == _FRAMEWORK)
        rolls = str(options.get("rollForward", "")).lower() in _ROLLING_ON
        return _Need(int(version.split(".")[0]), rolls or _rolls_as_of_old(options))
    except (ValueError, KeyError, TypeError, AttributeError, StopIteration):
        return None


def _rolls_as_of_old(options: dict[str, object]) -> bool:
    """Return whether a configuration from before .NET Core 3 allows any newer major."""
    return options.get("rollForwardOnNoCandidateFx") == 2


def _wrong_architecture(machine: Machine, root: PurePath) -> str | None:
    """Return the fault of the library in ``root`` that this process would load, if any."""
    library = _HOSTFXR.get(machine.system, "libhostfxr.so")
    for version in versions_in(machine, root / "host" / "fxr"):
        path = root / "host" / "fxr" / version.text / library
        if machine.files.is_file(path):
            found = architectures(machine.files.head(path, HEADER_SIZE))
            if machine.architecture in found:
                return None
            made_for = " and ".join(sorted(found)) or "another system"
            return (
                f"the runtime in {root} is for {made_for}, but this Python process is "
                f"{machine.architecture}"
            )
    return f"{root} has no host/fxr/*/{library}"
