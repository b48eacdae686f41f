"""Read ``package.json`` files, and find what is wrong with them or the project's settings.

Part of docs/design/command-line.md ``plugin``.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

from snippet_engine.storage.os_failure import reason_of
from snippet_engine.storage.system.plain_file import NotARegularFileError, read_plain

PACKAGE_NAME = "com.unitysnippet.mcp"

MANIFEST = "package.json"


def version_in(folder: Path) -> str | None:
    """Return the version of our package in ``folder``; ``None`` if it isn't our package."""
    document = document_in(folder / MANIFEST)
    found = document.get("version") if document.get("name") == PACKAGE_NAME else None
    return found if isinstance(found, str) else None


def damage_of(folder: Path) -> str | None:
    """Return what is wrong with the ``package.json`` in ``folder``; ``None`` if it is readable."""
    document = _read(folder / MANIFEST)
    if isinstance(document, str):
        return f"its {MANIFEST} {document}"
    name = document.get("name")
    if not isinstance(name, str):
        return f"its {MANIFEST} has no name"
    return f"its {MANIFEST} has no version" if name == PACKAGE_NAME else None


def manifest_problem(project: Path) -> str | None:
    """Return why Unity can't read the project's packages, and what to do; ``None`` if it can.

    The fault may be in ``Packages/manifest.json``, or in another package's ``package.json``. If
    there is no manifest, Unity creates one.
    """
    packages = project / "Packages"
    file = packages / "manifest.json"
    document = _read(file) if os.path.lexists(file) else {}
    if isinstance(document, str):
        return f"Packages/manifest.json {document}. Unity finds no packages: repair it first."
    for other in sorted(packages.glob(f"*/{MANIFEST}")):
        if other.parent.name != PACKAGE_NAME and not other.is_file():
            shown = f"Packages/{other.parent.name}/{MANIFEST}"
            return f"{shown} {_read(other)}, so the package's name is unknown. Repair it first."
    return None


def _read(file: Path) -> dict[str, Any] | str:
    """Return the JSON object in ``file``, or why it can't be read."""
    try:
        document = json.loads(read_plain(file).decode("utf-8-sig", "replace"))
    except OSError as error:
        return f"can't be read ({reason_of(error)})"
    except json.JSONDecodeError as error:
        return f"is not JSON (line {error.lineno}, column {error.colno})"
    except (ValueError, RecursionError):
        return "is not readable JSON"
    return document if isinstance(document, dict) else "is not a JSON object"


def is_truncated(folder: Path, shipped: Path) -> bool:
    """Return whether the ``package.json`` in ``folder`` is missing, or the shipped one cut short.

    Such a file isn't the user's work. After a power cut, it may end in zeros.
    """
    whole = (shipped / MANIFEST).read_bytes().replace(b"\r\n", b"\n")
    try:
        found = read_plain(folder / MANIFEST)
    except FileNotFoundError:
        return True
    except OSError:  # a folder, or not readable for us: it may be the user's work
        return False
    return whole.startswith(found.replace(b"\r\n", b"\n").rstrip(b"\0 \t\r\n"))


def document_in(file: Path) -> dict[str, Any]:
    """Return the JSON object in ``file``; an empty one if it has none."""
    try:
        document = json.loads(text_of(file))
    except (ValueError, RecursionError):
        return {}
    return document if isinstance(document, dict) else {}


def text_of(file: Path) -> str:
    """Return the text of ``file``; empty if it can't be read."""
    try:
        return read_plain(file).decode("utf-8-sig", "replace")
    except OSError:
        return ""


SETTINGS_ASSET = Path("ProjectSettings", "UnityMcpPluginSettings.asset")
"""The settings asset's path in the project."""

SETTINGS_SCRIPT = "c730635e6b59a900f69d073105a3dc60"
"""The GUID of the settings' script, from its ``.meta`` file in the package."""

_MOST_BYTES = 65_536
_SCRIPT = re.compile(rb"^\s*m_Script:\s*\{[^}\n]*\bguid:\s*([0-9a-f]{32})\b", re.MULTILINE)


def settings_problem(project: Path) -> str | None:
    """Return why Unity ignores the project's settings asset, and what to do.

    ``None`` if nothing is wrong, or there is no settings asset.
    """
    try:
        asset = read_plain(project / SETTINGS_ASSET, _MOST_BYTES)
    except (IsADirectoryError, NotARegularFileError):
        return (
            f"{SETTINGS_ASSET.as_posix()} is not a regular file: Unity can't read it. Move it "
            "away, then write it with Apply under Window > Unity MCP Settings."
        )
    except OSError:
        return None
    if b"\0" in asset:  # Unity's binary form; nobody writes it by hand
        return None
    script = _SCRIPT.search(asset)
    if asset.startswith(b"%YAML") and script and script[1].decode() == SETTINGS_SCRIPT:
        return None
    return (
        f"{SETTINGS_ASSET.as_posix()} is ignored by Unity: its m_Script is not this package's. "
        "Write it again with Apply under Window > Unity MCP Settings."
    )
