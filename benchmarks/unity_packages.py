"""Real Unity packages, fetched by name from the package registry and never copied here.

A package is one pinned archive, got with the ordinary ``npm pack NAME@VERSION``, checked
against its SHA-512, and kept in the user's cache (``$XDG_CACHE_HOME`` or ``~/.cache``, below
``unity-snippet/corpus``). C# files are read straight from the archive.

``dev.py demo`` runs it as a script; the benchmarks and the corpus tests import it.
"""

from __future__ import annotations

import os
import sys
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from roslyn_server.toolchains.packages import FetchError, NpmPackage, fetch_archive

EXTRA_FOLDERS_VARIABLE = "UNITY_SNIPPET_CORPUS"
"""Environment variable: folders of further C# to test on, separated as in ``PATH``."""


@dataclass(frozen=True)
class CSharpFile:
    """One C# file: where it came from (for messages) and its bytes."""

    label: str
    data: bytes


UNIRX = NpmPackage(
    "com.neuecc.unirx",
    "7.1.0",
    "sha512-UpgdeFz60ZvD8jR1slG4X+Yuym8gP3FHWXczJbnXYJzSjr57X1Tz6dZee8twU+Qk4ld8QeFjdhj8PlCBsgHx1g==",
)

PACKAGES = (
    UNIRX,
    NpmPackage(
        "com.cysharp.unitask",
        "2.2.5",
        "sha512-OEJc4HumXjKXXtr2TUjgA7YOcPOaLyV9kuWcp7SylFfe1Rzes0UPCJI1a4LtV3Mhg7oxf8FHoLGWr/cHIKHWsw==",
    ),
    NpmPackage(
        "com.modesttree.zenject",
        "8.0.0",
        "sha512-2e5eti5HrTbpR3l7rRtLoeRC8OlmCycYI7SURuzCOpFtsyRa1Mnfd+ILfVFevBtS6v9Sz5t4gdEvQkuXanWG4g==",
    ),
    NpmPackage(
        "com.github.asus4.onnxruntime.unity",
        "0.4.9",
        "sha512-G9/D0E3w+Yv0120hpBmkPzUU2mTT6xSMXTG3MfX2/LU1ibjiTbZQ05KIrbjhtSGVtfL+Qu5n7ehXEh4RDX5JMA==",
    ),
)


def archive(package: NpmPackage) -> Path:
    """Return the package's archive in the cache; fetch it if it is missing, and check its hash.

    Raises :class:`FetchError`.
    """
    return fetch_archive(package, _cache_folder() / f"{package.spec}.tgz")


def csharp_files(package: NpmPackage) -> Iterator[CSharpFile]:
    """Yield every C# file of the package, in the archive's order. Raises :class:`FetchError`."""
    with tarfile.open(archive(package)) as tar:
        for member in tar:
            content = tar.extractfile(member) if member.name.endswith(".cs") else None
            if content is not None:
                yield CSharpFile(f"{package.name}/{_inside(member.name)}", content.read())


def extra_files() -> Iterator[CSharpFile]:
    """Yield every C# file below the folders that ``UNITY_SNIPPET_CORPUS`` names."""
    for folder in os.environ.get(EXTRA_FOLDERS_VARIABLE, "").split(os.pathsep):
        if folder:
            root = Path(folder)
            for path in sorted(root.rglob("*.cs")):
                if path.is_file():
                    label = f"{root.name}/{path.relative_to(root).as_posix()}"
                    yield CSharpFile(label, path.read_bytes())


def unpack(package: NpmPackage, folder: Path) -> None:
    """Write the package's files below ``folder``. Raises :class:`FetchError`."""
    with tarfile.open(archive(package)) as tar:
        for member in tar:
            content = tar.extractfile(member)
            if content is None or ".." in PurePosixPath(member.name).parts:
                continue
            target = folder / _inside(member.name)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content.read())


def _inside(member_name: str) -> str:
    """Return a member's path without the archive's top folder (npm's is ``package/``)."""
    return member_name.partition("/")[2]


def _cache_folder() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "unity-snippet" / "corpus"


def main(arguments: list[str]) -> int:
    """Unpack the pinned package into a folder (``NAME FOLDER``); 1 if it can't be had."""
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
