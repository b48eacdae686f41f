"""Where Unity Editors are installed, and where in one its compiler and runtimes lie.

Implements docs/design/roslyn.md §3 "Unity Editor": Unity Hub's folders on the three systems, and
the layouts up to 6.4 (``DotNetSdkRoslyn``), from 6.5 (``DotNetSdk``) and on macOS from 6.3
(``Resources/Scripting``).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePath

from roslyn_server.toolchains.machine import Machine
from roslyn_server.toolchains.pairing import versions_in
from snippet_engine.project_settings import MAX_VERSION_BYTES, VERSION_FILE, editor_version_in

_MAX_BYTES = 64 * 1024


@dataclass(frozen=True, slots=True)
class EditorCompiler:
    """A compiler in an Editor, and the .NET roots to try for it, best first."""

    roslyn_dir: PurePath
    dotnet_roots: tuple[PurePath, ...]


def editor_version(machine: Machine, project: PurePath) -> str | None:
    """The Editor that a project names, as ``6000.0.23f1``."""
    head = machine.files.head(project / VERSION_FILE, MAX_VERSION_BYTES)
    return editor_version_in(head) or None


def editor_folders(machine: Machine, version: str) -> list[PurePath]:
    """The folders that would hold an Editor's data, whether or not they are there."""
    inside = (
        PurePath("Unity.app", "Contents") if machine.system == "Darwin" else PurePath("Editor/Data")
    )
    return [folder / version / inside for folder in _hub_folders(machine)]


def compilers(machine: Machine, data: PurePath) -> list[EditorCompiler]:
    """The compilers in the Editor whose data lie in ``data``; an SDK's newest first."""
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
    """The folders that hold Editors by version: Hub's own, and the one that its user chose."""
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
