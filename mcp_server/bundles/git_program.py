"""Run ``git``: read its trees and contents, also as a checkout here would write them.

Part of docs/design/command-line.md ``bundle``. Nothing here writes.
"""

from __future__ import annotations

import os
import secrets
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from snippet_engine.storage.paths.request_path import SCRIPT_ROOTS

TIMEOUT_S = 60


@dataclass(frozen=True, slots=True)
class TreeEntry:
    """A file or folder of a commit: its object's name, and whether it is a folder."""

    name: str
    is_folder: bool


def git_output(folder: Path, *arguments: str, given: bytes | None = None) -> bytes:
    """Return git's output in a folder. Raises the errors of ``subprocess.run``."""
    return subprocess.run(
        ["git", "-C", str(folder), *arguments],
        input=given,
        capture_output=True,
        timeout=TIMEOUT_S,
        check=True,
        env={**os.environ, "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"},
    ).stdout


def is_commit(project: Path, name: str) -> bool:
    """Whether ``name`` is a commit; false, too, if git can't say."""
    try:
        found = git_output(project, "rev-parse", "--verify", "--quiet", f"{name}^{{commit}}")
    except (OSError, subprocess.SubprocessError):
        return False
    return not found.startswith(b"^")  # ^A is everything but A's ancestors


def tree_of(project: Path, state: str) -> dict[str, TreeEntry]:
    """Return what a commit or tree contains below the script folders, by paths in the project."""
    listed = git_output(project, "ls-tree", "-r", "-t", "-z", state, "--", *SCRIPT_ROOTS)
    found: dict[str, TreeEntry] = {}
    for line in listed.decode("utf-8", "surrogateescape").split("\0"):
        if line:
            about, _, path = line.partition("\t")
            _, kind, name = about.split(" ")
            found[path] = TreeEntry(name, kind != "blob")  # a submodule is a folder, too
    return found


def object_contents(folder: Path, objects: Sequence[str]) -> dict[str, bytes]:
    """Return the objects' contents by their names, without those that aren't in the repository."""
    given = "".join(f"{name}\n" for name in objects).encode()
    out = git_output(folder, "cat-file", "--batch", given=given) if objects else b""
    found: dict[str, bytes] = {}
    at = 0
    for name in objects:
        end = out.index(b"\n", at)
        header = out[at:end].split(b" ")
        at = end + 1
        if header[-1] != b"missing":  # else it is in the working tree only
            size = int(header[2])
            found[name] = out[at : at + size]
            at += size + 1
    return found


def as_checked_out(
    project: Path, wanted: Iterable[tuple[str, str]]
) -> dict[tuple[str, str], bytes]:
    """Return contents, by object name and path in the project, as a checkout would write them.

    git may convert line endings and encodings. Files that git can't convert are omitted.
    """
    asked = sorted(each for each in wanted if "\n" not in each[1])  # git reads lines
    if not asked:
        return {}
    root = git_output(project, "rev-parse", "--show-prefix").removesuffix(b"\n")
    # git gives the size of what it keeps, not of what it prints: a missing object marks each end.
    end = f"end-{secrets.token_hex(16)}".encode()
    given = b"".join(
        b"%s %s%s\n%s\n" % (name.encode(), root, path.encode("utf-8", "surrogateescape"), end)
        for name, path in asked
    )
    out = git_output(project, "cat-file", "--batch", "--filters", given=given)
    found: dict[tuple[str, str], bytes] = {}
    for each, answer in zip(asked, out.split(end + b" missing\n"), strict=False):
        header, _, content = answer.partition(b"\n")
        if header.split(b" ")[1:2] == [b"blob"]:
            found[each] = content.removesuffix(b"\n")
    return found
