"""Find a toolchain, and say of each candidate why it was or wasn't chosen.

Implements docs/design/roslyn.md §3 "Toolchains", in this order: the explicitly requested one; the
project's Unity Editor; a .NET SDK; the cache that ``unity-cli roslyn install`` fills. Loads
nothing.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from enum import Enum
from pathlib import Path, PurePath

from roslyn_server.toolchains.machine import Machine
from roslyn_server.toolchains.pairing import Toolchain, Unfit, Version, pair, versions_in
from snippet_engine.project_settings import MAX_VERSION_BYTES, VERSION_FILE, editor_version_in

ROSLYN_DIR_VARIABLE = "UNITY_SNIPPET_ROSLYN_DIR"
"""Environment variable for ``--roslyn-dir``."""

DOTNET_ROOT_VARIABLE = "UNITY_SNIPPET_DOTNET_ROOT"
"""Environment variable for ``--dotnet-root``."""

INSTALL_HINT = "Run `unity-cli roslyn install` to get one."


class Source(Enum):
    """Where a candidate comes from."""

    EXPLICIT = "explicit"
    UNITY_EDITOR = "Unity Editor"
    DOTNET_SDK = ".NET SDK"
    CACHE = "cache"


_ASKED_FOR = "the toolchain asked for"


@dataclass(frozen=True, slots=True)
class Candidate:
    """One place where a toolchain was looked for."""

    source: Source
    name: str
    """For example ``Unity 6000.0.23f1``."""
    place: PurePath | None
    toolchain: Toolchain | None
    """``None`` if nothing there could be loaded."""
    reason: str
    """Why it wasn't chosen; empty for the chosen one."""


@dataclass(frozen=True, slots=True)
class Wish:
    """What the user requested explicitly; ``None`` leaves it to discovery."""

    roslyn_dir: Path | None = None
    dotnet_root: Path | None = None
    by: str = field(default="", compare=False)
    """The option or variable that requests it."""

    @classmethod
    def of(
        cls, machine: Machine, roslyn_dir: Path | None = None, dotnet_root: Path | None = None
    ) -> Wish:
        """Return the request in the options, or else in the environment."""

        def said(variable: str) -> Path | None:
            return Path(machine.environ[variable]) if machine.environ.get(variable) else None

        options = {"--roslyn-dir": roslyn_dir, "--dotnet-root": dotnet_root}
        variables = {each: said(each) for each in (ROSLYN_DIR_VARIABLE, DOTNET_ROOT_VARIABLE)}
        by = next((name for name, each in {**options, **variables}.items() if each), "")
        return cls(
            roslyn_dir or variables[ROSLYN_DIR_VARIABLE],
            dotnet_root or variables[DOTNET_ROOT_VARIABLE],
            by,
        )


@dataclass(frozen=True, slots=True)
class Discovery:
    """Every candidate in order of preference, and the chosen one, if any."""

    candidates: tuple[Candidate, ...]
    chosen: Candidate | None

    @property
    def correction(self) -> str:
        """Return how to correct an explicit request that can't be granted, as a sentence; else
        empty.
        """
        first = self.candidates[0] if self.candidates and self.chosen is None else None
        if first is None or first.source is not Source.EXPLICIT:
            return ""
        by = first.name.removeprefix(_ASKED_FOR).strip(" ()")
        if not by:
            return ""
        return f"Correct {by}, or {'leave it out' if by.startswith('--') else 'unset it'}."

    @property
    def failure(self) -> str:
        """Return why there is no toolchain, in one line."""
        if not self.candidates:
            return f"No Roslyn was found: no Unity Editor, .NET SDK or cache. {INSTALL_HINT}"
        first = self.candidates[0]
        if first.source is Source.EXPLICIT:
            by = first.name.removeprefix(_ASKED_FOR)
            why = f"The toolchain that was asked for{by} can't be used: {first.reason}."
            return f"{why} {self.correction}" if self.correction else why
        return f"No usable Roslyn was found. {first.name}: {first.reason}. {INSTALL_HINT}"


def discover(project: Path | None, machine: Machine, wish: Wish | None = None) -> Discovery:
    """Look everywhere and choose the first usable candidate.

    An explicit request that can't be granted is not replaced by something else.
    """
    wish = Wish.of(machine) if wish is None else wish
    found = [
        *_explicit(machine, wish),
        *_of_unity(machine, project),
        *_of_sdks(machine),
        *_of_cache(machine),
    ]
    binding = bool(found) and found[0].source is Source.EXPLICIT
    usable = [each for each in found[: 1 if binding else None] if each.toolchain is not None]
    if not usable:
        return Discovery(tuple(found), None)
    chosen = usable[0]
    passed_over = f"{chosen.name} comes first"
    return Discovery(
        tuple(
            each if each is chosen or each.toolchain is None else replace(each, reason=passed_over)
            for each in found
        ),
        chosen,
    )


def _candidate(source: Source, name: str, place: PurePath, result: Toolchain | Unfit) -> Candidate:
    if isinstance(result, Unfit):
        return Candidate(source, name, place, None, result.reason)
    return Candidate(source, name, place, result, "")


def _explicit(machine: Machine, wish: Wish) -> Iterator[Candidate]:
    roslyn_dir, root = wish.roslyn_dir, wish.dotnet_root
    by = f" ({wish.by})" if wish.by else ""
    source, name = Source.EXPLICIT, f"{_ASKED_FOR}{by}"
    if roslyn_dir is None and root is None:
        return
    if roslyn_dir is not None:
        roots = (
            [root]
            if root is not None
            else [*_roots_around(machine, roslyn_dir), *_dotnet_roots(machine)]
        )
        yield _candidate(source, name, roslyn_dir, pair(machine, roslyn_dir, roots))
        return
    assert root is not None
    results = [pair(machine, each, [root]) for _, each in _sdk_compilers(machine, root)]
    usable = [result for result in results if isinstance(result, Toolchain)]
    if not machine.files.names(root):
        nothing = Unfit(f"{root} isn't there, or holds nothing that can be read")
    else:
        other = "--roslyn-dir" if wish.by.startswith("--") else ROSLYN_DIR_VARIABLE
        nothing = Unfit(f"{root} has no sdk/*/Roslyn/bincore; say with {other} where a compiler is")
    yield _candidate(source, name, root, (usable or results or [nothing])[0])


def _roots_around(machine: Machine, roslyn_dir: Path) -> Iterator[PurePath]:
    """Yield Unity's runtime next to a compiler, and the .NET root around it."""
    for folder in roslyn_dir.parents:
        runtime = folder / "NetCoreRuntime"
        yield from (each for each in (runtime, folder) if machine.files.names(each / "shared"))


def _of_unity(machine: Machine, project: Path | None) -> Iterator[Candidate]:
    if project is None:
        return
    version = editor_version_in(machine.files.head(project / VERSION_FILE, MAX_VERSION_BYTES))
    if not version:
        return
    name = f"Unity {version}"
    folders = _editor_folders(machine, version)
    installed = [folder for folder in folders if machine.files.names(folder)]
    if not installed:
        reason = "not installed where Unity Hub puts Editors"
        yield Candidate(Source.UNITY_EDITOR, name, folders[0], None, reason)
    for folder in installed:
        found = list(_editor_compilers(machine, folder))
        if not found:
            reason = "it has neither DotNetSdkRoslyn nor DotNetSdk"
            yield Candidate(Source.UNITY_EDITOR, name, folder, None, reason)
        for roslyn_dir, roots in found:
            result = pair(machine, roslyn_dir, roots)
            yield _candidate(Source.UNITY_EDITOR, name, roslyn_dir, result)


def _of_sdks(machine: Machine) -> Iterator[Candidate]:
    roots = _dotnet_roots(machine)
    found = [(*each, root) for root in roots for each in _sdk_compilers(machine, root)]
    for version, roslyn_dir, root in sorted(found, key=lambda each: each[0], reverse=True):
        result = pair(machine, roslyn_dir, [root])
        yield _candidate(Source.DOTNET_SDK, f".NET SDK {version.text}", roslyn_dir, result)


def _of_cache(machine: Machine) -> Iterator[Candidate]:
    runtimes = [
        machine.cache / "dotnet" / version.text
        for version in versions_in(machine, machine.cache / "dotnet")
    ]
    runtimes += _dotnet_roots(machine)
    for version in versions_in(machine, machine.cache / "roslyn"):
        roslyn_dir = machine.cache / "roslyn" / version.text
        result = pair(machine, roslyn_dir, runtimes)
        yield _candidate(Source.CACHE, f"installed Roslyn {version.text}", roslyn_dir, result)


def _dotnet_roots(machine: Machine) -> list[PurePath]:
    """Return the folders with a .NET installation, each once."""
    found: dict[PurePath, PurePath] = {}
    for root in _usual_roots(machine):
        resolved = machine.files.resolved(root)
        if resolved not in found and machine.files.names(root):
            found[resolved] = root
    return list(found.values())


def _sdk_compilers(machine: Machine, root: PurePath) -> list[tuple[Version, PurePath]]:
    """Return the compilers of the SDKs below one .NET root, and the SDKs' versions, newest
    first.
    """
    sdks = versions_in(machine, root / "sdk")
    found = ((each, root / "sdk" / each.text / "Roslyn" / "bincore") for each in sdks)
    return [(version, folder) for version, folder in found if machine.files.names(folder)]


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


def _editor_folders(machine: Machine, version: str) -> list[PurePath]:
    """Return the folders where an Editor's data may be."""
    inside = (
        PurePath("Unity.app", "Contents") if machine.system == "Darwin" else PurePath("Editor/Data")
    )
    return [folder / version / inside for folder in _hub_folders(machine)]


def _editor_compilers(
    machine: Machine, data: PurePath
) -> Iterator[tuple[PurePath, tuple[PurePath, ...]]]:
    """Yield the compilers of one Editor, each with the .NET roots to try, best first.

    Of several in an SDK, the newest comes first. ``data`` is the Editor's data folder.

    Layouts: ``DotNetSdkRoslyn`` up to Unity 6.4, ``DotNetSdk`` from 6.5; on macOS from 6.3 below
    ``Resources/Scripting``.
    """
    is_mac = machine.system == "Darwin"
    for folder in (data / "Resources" / "Scripting", data) if is_mac else (data,):
        runtime, sdk = folder / "NetCoreRuntime", folder / "DotNetSdk"
        if machine.files.names(folder / "DotNetSdkRoslyn"):
            yield folder / "DotNetSdkRoslyn", (runtime,)
        for _, roslyn_dir in _sdk_compilers(machine, sdk):
            yield roslyn_dir, (runtime, sdk)


_MAX_BYTES = 64 * 1024


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
