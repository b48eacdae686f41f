"""Packages of npm's registry, got once for a test run."""

from __future__ import annotations

import subprocess
from pathlib import Path

from filelock import FileLock

from roslyn_server.toolchains.packages import npm_command


def npm_packages(folder: Path, *packages: str) -> Path:
    """The ``node_modules`` below ``folder`` with ``packages``; workers of one run may share it."""
    npm = npm_command()
    assert npm is not None, "npm is missing: python3 dev.py test brings it"
    with FileLock(folder.with_suffix(".lock")):
        if not folder.exists():
            folder.mkdir()
            options = ("--prefix", str(folder), "--no-audit", "--no-fund", "--silent")
            command = [*npm, "install", *options, *packages]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stderr
    return folder / "node_modules"
