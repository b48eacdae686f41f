"""Find .NET SDKs and Unity Editors on this machine, and the compilers in them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePath
from typing import NamedTuple

from roslyn_server.toolchains.machine import Machine
from roslyn_server.toolchains.pairing import Version, versions_in
from snippet_engine.project_settings import MAX_VERSION_BYTES, VERSION_FILE, editor_version_in


class SdkCompiler(NamedTuple):
    """A compiler in an SDK, the SDK's version, and its .NET root."""

    version: Version
    roslyn_dir: PurePath
    dotnet_root: PurePath


def dotnet_roots(machine: Machine) -> list[PurePath]:
    """Return the folders with a .NET installation, each once."""
    found: dict[PurePath, PurePath] = {}
    for root in _usual_roots(machine):
        resolved = machine.files.resolved(root)
        if resolved not in found and machine.files.names(root):
            found[resolved] = root
    return list(found.values())


def sdk_compilers(machine: Machine, root: PurePath) -> list[SdkCompiler]:
    """Return the compilers of the SDKs below one .NET root, newest first."""
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


_MAX_BYTES = 64 * 1024


@dataclass(frozen=True, slots=True)
class EditorCompiler:
    """A compiler in an Editor, and the .NET roots to try for it, best first."""

    roslyn_dir: PurePath
    dotnet_roots: tuple[PurePath, ...]


def editor_version(machine: Machine, project: PurePath) -> str | None:
    """Return the Editor that a project names, as ``6000.0.23f1``."""
    head = machine.files.head(project / VERSION_FILE, MAX_VERSION_BYTES)
    return editor_version_in(head) or None


def editor_folders(machine: Machine, version: str) -> list[PurePath]:
    """Return the folders where an Editor's data may be."""
    inside = (
        PurePath("Unity.app", "Contents") if machine.system == "Darwin" else PurePath("Editor/Data")
    )
    return [folder / version / inside for folder in _hub_folders(machine)]


def compilers(machine: Machine, data: PurePath) -> list[EditorCompiler]:
    """Return the compilers in the Editor whose data are in ``data``; an SDK's newest first.

    Layouts: ``DotNetSdkRoslyn`` up to Unity 6.4, ``DotNetSdk`` from 6.5; on macOS from 6.3 below
    ``Resources/Scripting``.
    """
    found: list[EditorCompiler] = []
    for folder in _scripting_folders(machine, data):
        runtime = folder / "NetCoreRuntime"
        for roslyn_dir in (folder / "DotNetSdkRoslyn",):
            if machine.files.names(roslyn_dir):
                found.append(EditorCompiler(roslyn_dir, (runtime,)))
        sdk = folder / "DotNetSdk"
        for version in versions_in(machine, sdk / "sdk"):
            roslyn_dir = sdk / "sdk" / version.text / "Roslyn" / "bincore"
            if machine.files.names(roslyn_dir):
                found.append(EditorCompiler(roslyn_dir, (runtime, sdk)))
    return found


def _scripting_folders(machine: Machine, data: PurePath) -> tuple[PurePath, ...]:
    if machine.system == "Darwin":
        return (data / "Resources" / "Scripting", data)
    return (data,)


def _hub_folders(machine: Machine) -> Iterator[PurePath]:
    """Yield the folders that hold Editors: Unity Hub's, and the one its user chose."""
    environ, home = machine.environ, machine.home
    if machine.system == "Windows":
        program_files = environ.get("ProgramFiles", r"C:\Program Files")
        yield type(home)(program_files) / "Unity" / "Hub" / "Editor"
        roaming = environ.get("APPDATA")
        settings = type(home)(roaming) if roaming else home / "AppData" / "Roaming"
    elif machine.system == "Darwin":
        yield type(home)("/Applications/Unity/Hub/Editor")
        settings = home / "Library" / "Application Support"
    else:
        yield home / "Unity" / "Hub" / "Editor"
        settings = home / ".config"
    chosen = _json_string(machine, settings / "UnityHub" / "secondaryInstallPath.json")
    if chosen:
        yield type(home)(chosen)


def _json_string(machine: Machine, file: PurePath) -> str:
    try:
        value = json.loads(machine.files.head(file, _MAX_BYTES))
    except (ValueError, RecursionError):
        return ""
    return value if isinstance(value, str) else ""
