"""A bench laid out to run: assemblies compiled and in their folders, the project beside them."""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from filelock import FileLock

from tests.bench import assemblies, toolchains
from tests.bench.compiler import Assembly, Profile, build, lay_out

UNITY_VERSION = "2021.3.45f1"

_SETTINGS = "ProjectSettings/UnityMcpPluginSettings.asset"
_SETTINGS_SCRIPT = "UnityMcpPluginSettings"


class Runtime(Enum):
    """What the bench runs on."""

    MONO = "mono"
    CORECLR = "coreclr"

    @property
    def host_profile(self) -> Profile:
        """What the host is compiled against."""
        return Profile.NET_FRAMEWORK if self is Runtime.MONO else Profile.NET

    @property
    def domain_profile(self) -> Profile:
        """What the package is compiled against: .NET Standard 2.1 on .NET, where it is here."""
        if self is Runtime.MONO:
            return Profile.NET_FRAMEWORK
        standard = toolchains.net_standard_references()
        return Profile.NET if standard is None else Profile.NET_STANDARD


@dataclass(frozen=True, slots=True)
class Installation:
    """A bench that can be started: the command without the project, and its environment."""

    command: tuple[str, ...]
    domain_folder: Path
    assemblies: tuple[str, ...]
    environment: tuple[tuple[str, str], ...]

    def start_command(self, project: Path) -> list[str]:
        """The command that starts the bench on a project."""
        named = [str(self.domain_folder), str(project), UNITY_VERSION, *self.assemblies]
        return [*self.command, *named]


def install(runtime: Runtime, package: Assembly | None = None) -> Installation:
    """Compile what is needed and lay it out in the cache.

    ``package`` replaces the Unity package, for tests of the bench itself. Raises
    ``MissingToolError``, ``FetchError`` and ``CompileError``, which say what to do.
    """
    profile = runtime.domain_profile
    if runtime is Runtime.MONO:
        toolchains.mono()
    package = assemblies.package(profile) if package is None else package
    # One process compiles for all: another would only compile the same.
    with FileLock(toolchains.cache_folder() / "install.lock"):
        return _installed(runtime, profile, package)


def _installed(runtime: Runtime, profile: Profile, package: Assembly) -> Installation:
    domain = build([assemblies.DOMAIN, package, assemblies.PROJECT_SCRIPTS], profile)
    host = build([assemblies.host(runtime.host_profile)], runtime.host_profile)
    files = [*domain.values(), *host.values(), profile.newtonsoft()]
    scripts = assemblies.script_identifiers()
    digest = hashlib.sha256("\0".join((*map(str, files), *scripts)).encode()).hexdigest()
    folder = toolchains.cache_folder() / f"installed-{runtime.value}-{digest[:20]}"
    if not folder.is_dir():
        _lay_out(
            folder, [*domain.values(), profile.newtonsoft()], list(host.values()), package.name
        )
    program = folder / "host" / "UnityBench.Host.exe"
    if runtime is Runtime.MONO:
        command: tuple[str, ...] = (str(toolchains.mono().program), str(program))
    else:
        command = (*toolchains.dotnet(), str(program.with_suffix(".dll")))
    environment = (
        ("DOTNET_SYSTEM_GLOBALIZATION_INVARIANT", "1"),
        ("DOTNET_EnableDiagnostics", "0"),  # no debugger's socket among those that are counted
        ("DOTNET_TieredPGO", "0"),
    )
    named = (package.name, assemblies.PROJECT_SCRIPTS.name)
    return Installation(command, folder / "domain", named, environment)


def _lay_out(folder: Path, domain: Sequence[Path], host: Sequence[Path], package: str) -> None:
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".install-") as scratch:
        laid_out = Path(scratch) / "bench"
        lay_out(laid_out / "domain", domain)
        lay_out(laid_out / "host", host)
        program = laid_out / "host" / "UnityBench.Host.exe"
        shutil.copyfile(program, program.with_suffix(".dll"))
        manifest = assemblies.PACKAGE / "package.json"
        if manifest.is_file():
            shutil.copyfile(manifest, laid_out / "domain" / f"{package}.package.json")
        identifiers = "".join(
            f"{name} {guid}\n" for name, guid in assemblies.script_identifiers().items()
        )
        (laid_out / "domain" / f"{package}.scripts.txt").write_text(identifiers, encoding="utf-8")
        laid_out.rename(folder)


def prepare_project(project: Path, port: int) -> None:
    """Make ``project`` a Unity project whose settings name ``port``; what is there stays."""
    (project / "Assets").mkdir(parents=True, exist_ok=True)
    settings = project / _SETTINGS
    settings.parent.mkdir(exist_ok=True)
    version = settings.with_name("ProjectVersion.txt")
    if not version.exists():
        version.write_text(f"m_EditorVersion: {UNITY_VERSION}\n", encoding="utf-8")
    settings.write_text(
        "%YAML 1.1\n%TAG !u! tag:unity3d.com,2011:\n--- !u!114 &1\nMonoBehaviour:\n"
        "  m_Script: {fileID: 11500000, "
        f"guid: {assemblies.script_identifiers()[_SETTINGS_SCRIPT]}, type: 3}}\n"
        f"  m_Name: \n  schemaVersion: 1\n  port: {port}\n",
        encoding="utf-8",
    )
