"""The ``git`` program, asked; and the trees that it keeps.

Part of docs/design/command-line.md ``bundle``. Nothing here writes.
"""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

from snippet_engine.storage.paths.request_path import SCRIPT_ROOTS

TIMEOUT_S = 60


@dataclass(frozen=True, slots=True)
class TreeEntry:
    """A file or folder of a commit: git's name of its content, and whether it is a folder."""

    name: str
    is_folder: bool


def git_output(folder: Path, *arguments: str, given: bytes | None = None) -> bytes:
    """What git prints in a folder; raises what ``subprocess.run`` does."""
    return subprocess.run(
        ["git", "-C", str(folder), *arguments],
        input=given,
        capture_output=True,
        timeout=TIMEOUT_S,
        check=True,
        env={**os.environ, "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"},
    ).stdout


def tree_of(project: Path, state: str) -> dict[str, TreeEntry]:
    """What a commit or tree has where scripts may be, by paths in the project."""
    listed = git_output(project, "ls-tree", "-r", "-t", "-z", state, "--", *SCRIPT_ROOTS)
    found: dict[str, TreeEntry] = {}
    for line in listed.decode("utf-8", "surrogateescape").split("\0"):
        if line:
            about, _, path = line.partition("\t")
            _, kind, name = about.split(" ")
            found[path] = TreeEntry(name, kind != "blob")  # a submodule is a folder, too
    return found
