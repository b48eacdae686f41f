"""Where .NET SDKs are installed, and the compilers in them.

Implements docs/design/roslyn.md §3 ".NET SDK".
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePath
from typing import NamedTuple

from roslyn_server.toolchains.machine import Machine
from roslyn_server.toolchains.pairing import Version, versions_in


class SdkCompiler(NamedTuple):
    """A compiler in an SDK, the SDK's version, and the root that it lies in."""

    version: Version
    roslyn_dir: PurePath
    dotnet_root: PurePath


def dotnet_roots(machine: Machine) -> list[PurePath]:
    """The folders that have a .NET installation on this machine, each once."""
    found: dict[PurePath, PurePath] = {}
    for root in _usual_roots(machine):
        resolved = machine.files.resolved(root)
        if resolved not in found and machine.files.names(root):
            found[resolved] = root
    return list(found.values())


def sdk_compilers(machine: Machine, root: PurePath) -> list[SdkCompiler]:
    """The compilers of the SDKs below one .NET root, newest first."""
    sdks = (
        (version, root / "sdk" / version.text) for version in versions_in(machine, root / "sdk")
    )
    return [
        SdkCompiler(version, sdk / "Roslyn" / "bincore", root)
        for version, sdk in sdks
        if machine.files.names(sdk / "Roslyn" / "bincore")
    ]


def _usual_roots(machine: Machine) -> Iterator[PurePath]:
    environ, home = machine.environ, machine.home
    path = type(home)
    for name in (f"DOTNET_ROOT_{machine.architecture.upper()}", "DOTNET_ROOT"):
        if environ.get(name):
            yield path(environ[name])
    if machine.dotnet_on_path is not None:
        # What PATH has is often a link into the installation.
        yield machine.files.resolved(machine.dotnet_on_path).parent
    if machine.system == "Windows":
        yield path(environ.get("ProgramFiles", r"C:\Program Files")) / "dotnet"
        if environ.get("LOCALAPPDATA"):
            yield path(environ["LOCALAPPDATA"]) / "Microsoft" / "dotnet"
    elif machine.system == "Darwin":
        yield path("/usr/local/share/dotnet")
        yield path("/usr/local/share/dotnet/x64")
        yield path("/opt/homebrew/opt/dotnet/libexec")
    else:
        for folder in ("/usr/share/dotnet", "/usr/lib/dotnet", "/usr/lib64/dotnet"):
            yield path(folder)
        yield path("/snap/dotnet-sdk/current")
    yield home / ".dotnet"
