"""Translate other spellings of a script's path into the contract's.

Implements docs/design/server-and-bridge.md §2 "Repair". The engine checks the result as it checks
any path, by where it leads.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from mcp_server.repair.sent_call import ROOT_STARTS, ROOTS, is_rooted
from snippet_engine.errors import SnippetError
from snippet_engine.storage.paths.path_refusal import nearest_scripts, refuse_other_project
from snippet_engine.storage.paths.project import Project
from snippet_engine.storage.paths.request_path import MAX_PATH_LENGTH, SCRIPT_ROOTS, local_path
from snippet_engine.storage.system.names import folded

_OTHER_URIS = ("http://", "https://")
_MAX_CHOICES = 3

_ABSOLUTE = "is absolute, and that file isn't in the project"
_OTHER_FILE = "names another file of the project's folder, outside of Assets/ and Packages/"
_SEVERAL = "could be several scripts; send the path of one, beginning with Assets/ or Packages/"
_BY_NAME = "names no script; its path begins with Assets/ or Packages/"


@dataclass(frozen=True, slots=True)
class UnsurePath:
    """A path that can't be read with certainty."""

    problem: str
    choices: tuple[str, ...]
    """The scripts that the path may name."""
    certain: bool = False
    """Whether a single choice excludes every other script."""


def project_relative(path: str, root: Path) -> str | UnsurePath | None:
    """Return ``path`` relative to the project, if it can be read in one way only.

    ``root`` is the project's folder. An absolute path must lie in the project. A path with missing
    or additional first folders must name an existing script. The path is unsure if two readings
    exist, or if the path as sent names another file. ``None`` if the path stays as it is. Looks at
    the disk, and opens nothing.
    """
    if len(path) > MAX_PATH_LENGTH or path.startswith(_OTHER_URIS):
        return None
    plain = _without_dots(local_path(path))
    if plain is None:
        return None
    project = Project.open(root)
    if isinstance(project, SnippetError):
        return None
    if plain.startswith(ROOT_STARTS):
        return plain
    inside = _inside(plain, root, project) if is_rooted(plain) else None
    if inside is not None or refuse_other_project(plain, project.root) is not None:
        return inside
    if is_rooted(plain):
        return _elsewhere(plain, project, root.name)
    found = _existing(plain, project, root.name)
    others = [each for each in found if not _is_same(project, each, plain)]
    if others and os.path.lexists(project.root / plain):
        return UnsurePath(_OTHER_FILE, tuple(found))
    if len(found) == 1:
        return found[0]
    return UnsurePath(_SEVERAL, tuple(found)) if found else _by_name(plain, project)


def anything_inside(path: str, root: Path) -> str | None:
    """Return an absolute ``path`` relative to the project ``root``; ``None`` if outside of it.

    Takes any file or folder, by either of the project's names.
    """
    if len(path) > MAX_PATH_LENGTH:
        return None
    plain = _without_dots(local_path(path).rstrip("/"))
    if plain is None or not is_rooted(plain):
        return None
    folders = (root.absolute(), Path(os.path.realpath(root)))
    return next(filter(None, (_below(plain, each.as_posix()) for each in folders)), None)


def _elsewhere(plain: str, project: Project, project_name: str) -> UnsurePath | None:
    """Return the scripts that an absolute path outside the project may name.

    Doesn't check whether the path's own file exists, so the answer doesn't disclose that.
    """
    rooted = plain.lstrip("/")
    first = rooted.partition("/")[0]
    found = _existing(rooted, project, project_name) or _tails(rooted, project)
    if not found:
        return None
    # "/Scripts/Player.cs" means the project's root if the machine has no folder "/Scripts".
    whole = len(found) == 1 and f"/{found[0]}".endswith(f"/{rooted}")
    certain = whole and not os.path.lexists(f"/{first}")
    return UnsurePath(_ABSOLUTE, tuple(found[:_MAX_CHOICES]), certain)


def _by_name(plain: str, project: Project) -> UnsurePath | None:
    name = plain.rpartition("/")[2]
    near = nearest_scripts(project.root, SCRIPT_ROOTS, plain)
    alike = [each for each in near if folded(each.rpartition("/")[2]) == folded(name)]
    if not name.endswith(".cs") or not alike:
        return None
    return UnsurePath(_BY_NAME, tuple(alike[:_MAX_CHOICES]))


def _tails(path: str, project: Project) -> list[str]:
    """Return the scripts whose path ends ``path``, which may be from another machine."""
    segments = path.split("/")
    starts = [index for index, segment in enumerate(segments) if segment in SCRIPT_ROOTS]
    tails = ("/".join(segments[index:]) for index in starts[:_MAX_CHOICES])
    return [each for each in tails if _exists(project, each)]


def _existing(plain: str, project: Project, project_name: str) -> list[str]:
    readings = dict.fromkeys(_readings(plain, project_name))
    return [each for each in readings if _exists(project, each)]


def _without_dots(path: str) -> str | None:
    """Return ``path`` without empty and ``.`` segments; ``None`` if it goes up or is a folder."""
    segments = path.split("/")
    if ".." in segments or segments[-1] in ("", ".") or "\0" in path:
        return None
    if any("\ud800" <= letter <= "\udfff" for letter in path):  # no text that names a file
        return None
    kept = [segment for segment in segments if segment not in ("", ".")]
    return ("/" if path.startswith("/") else "") + "/".join(kept)


def _inside(path: str, root: Path, project: Project) -> str | None:
    for folder in (root.absolute(), project.root):
        below = _below(path, folder.as_posix())
        if below is not None and below.startswith(ROOT_STARTS):
            return below
    real = Path(os.path.realpath(path)).as_posix()
    for each in reversed(ROOTS):  # the package cache first: what lies in it is read-only
        below = _below(real, Path(os.path.realpath(project.root / each)).as_posix())
        if below is not None:
            return f"{each}/{below}"
    return None


def _below(path: str, folder: str) -> str | None:
    above = f"{folder.rstrip('/')}/"
    return (
        path[len(above) :] if os.path.normcase(path).startswith(os.path.normcase(above)) else None
    )


def _is_same(project: Project, one: str, other: str) -> bool:
    return os.path.realpath(project.root / one) == os.path.realpath(project.root / other)


def _readings(path: str, project_name: str) -> Iterator[str]:
    """Yield the possible readings of a path that begins outside of the project's folders."""
    if path.startswith(ROOT_STARTS):  # after the root of the machine
        yield path
    first, _, rest = path.partition("/")
    if first == project_name:
        yield rest
    for root in SCRIPT_ROOTS:
        if first.casefold() == root.casefold() and rest:
            yield f"{root}/{rest}"
        yield f"{root}/{path}"


def _exists(project: Project, path: str) -> bool:
    if not path.startswith(ROOT_STARTS) or not os.path.lexists(project.root / path):
        return False
    return not isinstance(project.locate(path), SnippetError)
