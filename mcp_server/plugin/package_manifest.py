"""What a package's ``package.json`` says, and how one that says nothing came to that.

Part of docs/design/command-line.md ``plugin``.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from snippet_engine.storage.os_failure import reason_of
from snippet_engine.storage.system.plain_file import read_plain

PACKAGE_NAME = "com.unitysnippet.mcp"

MANIFEST = "package.json"


def version_in(folder: Path) -> str | None:
    """The version of the package in ``folder``; ``None`` if it is not our package."""
    document = document_in(folder / MANIFEST)
    found = document.get("version") if document.get("name") == PACKAGE_NAME else None
    return found if isinstance(found, str) else None


def damage_of(folder: Path) -> str | None:
    """What is wrong with the ``package.json`` in ``folder``; ``None`` if it tells a package's name.

    One that names another package isn't damaged: the folder is that package's.
    """
    document = _read(folder / MANIFEST)
    if isinstance(document, str):
        return f"its {MANIFEST} {document}"
    name = document.get("name")
    if not isinstance(name, str):
        return f"its {MANIFEST} has no name"
    return f"its {MANIFEST} has no version" if name == PACKAGE_NAME else None


def manifest_problem(project: Path) -> str | None:
    """What is wrong with the project's ``Packages/manifest.json``, and what to do; or with the
    ``package.json`` of another package in the project, if it is no file that could be read.

    ``None`` if nothing is, or there is none: Unity then makes it.
    """
    packages = project / "Packages"
    file = packages / "manifest.json"
    document = _read(file) if os.path.lexists(file) else {}
    if isinstance(document, str):
        return f"Packages/manifest.json {document}. Unity finds no packages by it: mend it first."
    for other in sorted(packages.glob(f"*/{MANIFEST}")):
        if other.parent.name != PACKAGE_NAME and not other.is_file():
            shown = f"Packages/{other.parent.name}/{MANIFEST}"
            return f"{shown} {_read(other)}. What package that is can't be told: mend it first."
    return None


def _read(file: Path) -> dict[str, Any] | str:
    """The JSON object in ``file``, or why there is none."""
    try:
        document = json.loads(read_plain(file).decode("utf-8-sig", "replace"))
    except OSError as error:
        return f"can't be read ({reason_of(error)})"
    except json.JSONDecodeError as error:
        return f"is not JSON (line {error.lineno}, column {error.colno})"
    except (ValueError, RecursionError):
        return "is not JSON that can be read"
    return document if isinstance(document, dict) else "is not a JSON object"


def cut_short(folder: Path, shipped: Path) -> bool:
    """Whether ``package.json`` in ``folder`` is no more than a beginning of that in ``shipped``.

    One that was cut short, or is gone, is nobody's work; a disk that lost its power leaves zeros.
    """
    whole = (shipped / MANIFEST).read_bytes().replace(b"\r\n", b"\n")
    try:
        found = read_plain(folder / MANIFEST)
    except FileNotFoundError:
        return True
    except OSError:  # a folder, or what this user can't read: nobody knows what is lost with it
        return False
    return whole.startswith(found.replace(b"\r\n", b"\n").rstrip(b"\0 \t\r\n"))


def document_in(file: Path) -> dict[str, Any]:
    """The JSON object in ``file``; an empty one where there is none."""
    try:
        document = json.loads(text_of(file))
    except (ValueError, RecursionError):
        return {}
    return document if isinstance(document, dict) else {}


def text_of(file: Path) -> str:
    """The text of ``file``; none where it can't be read."""
    try:
        return read_plain(file).decode("utf-8-sig", "replace")
    except OSError:
        return ""
