"""The same script by the path that requests name it by.

Implements docs/design/server-and-bridge.md §2 "Repair". Whatever comes out is checked by the engine
as any other path is: where it really leads decides.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

from snippet_engine.errors import SnippetError
from snippet_engine.storage.project import Project
from snippet_engine.storage.request_path import PACKAGE_CACHE, SCRIPT_ROOTS

_ROOTS = (*SCRIPT_ROOTS, "/".join(PACKAGE_CACHE))
_ROOT_STARTS = tuple(f"{root}/" for root in _ROOTS)
_FILE_URI = "file://"


def is_project_relative(path: str) -> bool:
    """Whether ``path`` is written as the contract writes paths; ``\\`` counts as ``/`` there."""
    if "\\" in path:
        path = path.replace("\\", "/")
    return path.startswith(_ROOT_STARTS) and "//" not in path and "/./" not in path


def project_relative(path: str, root: Path) -> str | None:
    """``path`` from the project's folder, if there is one way to read it as that.

    ``root`` is the project's folder. An absolute path must lie in it; one that leaves out, or adds,
    the first folders must name a script that exists, and no other reading of it may. ``None``: it
    stays what it is. Looks at the disk, and opens nothing.
    """
    plain = _without_dots(_local(path))
    if plain is None:
        return None
    if _is_absolute(plain):
        inside = _inside(plain, root)
        if inside is not None:
            return inside if inside.startswith(_ROOT_STARTS) else None
        plain = plain.lstrip("/")
    if plain.startswith(_ROOT_STARTS) and not path.startswith("/"):
        return plain
    project = Project.open(root)
    if isinstance(project, SnippetError):
        return None
    found = [each for each in dict.fromkeys(_readings(plain, root.name)) if _exists(project, each)]
    return found[0] if len(found) == 1 else None


def _local(path: str) -> str:
    """``path`` with ``/``; of a file's URI its path."""
    if path.startswith(_FILE_URI):
        path = unquote(path.removeprefix(_FILE_URI).removeprefix("localhost"))
        if path[2:3] == ":":
            path = path.removeprefix("/")  # file:///C:/…
    return path.replace("\\", "/")


def _without_dots(path: str) -> str | None:
    """``path`` without empty and ``.`` segments; ``None`` if it goes upwards or names a folder."""
    segments = path.split("/")
    if ".." in segments or segments[-1] in ("", ".") or "\0" in path:
        return None
    kept = [segment for segment in segments if segment not in ("", ".")]
    return ("/" if path.startswith("/") else "") + "/".join(kept)


def _is_absolute(path: str) -> bool:
    return path.startswith("/") or path[1:2] == ":"


def _inside(path: str, root: Path) -> str | None:
    """``path`` from ``root``, by either of its names; ``None`` if it lies elsewhere."""
    for folder in (root.absolute(), root.resolve()):
        above = f"{folder.as_posix().rstrip('/')}/"
        if os.path.normcase(path).startswith(os.path.normcase(above)):
            return path[len(above) :]
    return None


def _readings(path: str, project_name: str) -> Iterator[str]:
    """What a path could be that doesn't begin in one of the project's folders."""
    first, _, rest = path.partition("/")
    if first == project_name:
        yield rest
    for root in SCRIPT_ROOTS:
        if first.casefold() == root.casefold() and rest:
            yield f"{root}/{rest}"
        yield f"{root}/{path}"


def _exists(project: Project, path: str) -> bool:
    if not path.startswith(_ROOT_STARTS) or not os.path.lexists(project.root / path):
        return False
    return not isinstance(project.locate(path), SnippetError)
