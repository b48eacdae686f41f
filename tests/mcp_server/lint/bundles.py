"""Bundles for tests of the linter: requests that fit the tests' project, and a checker."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from running_server import edit

from mcp_server.lint.bundle import BundleFile
from mcp_server.lint.check import check_bundle
from mcp_server.lint.engines import opened
from mcp_server.lint.findings import BundleReport


def request(**more: Any) -> dict[str, Any]:
    """A request that a clean bundle can hold."""
    return edit("apply", **more)


def with_target(target: str, new_text: str = "speed > 20") -> dict[str, Any]:
    """A request with another target."""
    changed = request()
    changed["instructions"][0]["anchor"]["target"] = target
    changed["instructions"][0]["newText"] = new_text
    return changed


def write_bundle(folder: Path, name: str, content: Any) -> Path:
    """A bundle file; ``content`` is its bytes, or the value that it holds as JSON."""
    path = folder / f"{name}.snippet.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    data = content if isinstance(content, bytes) else json.dumps(content, indent=2).encode()
    path.write_bytes(data)
    return path


def checked(project: Path, path: Path) -> BundleReport:
    """The report on one bundle of the project."""
    with opened(project, "off") as engines:
        return check_bundle(engines, BundleFile(path, path.name))
