"""Bundles for tests: requests that fit the tests' project, a checker, and what a region holds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from running_server import edit

from mcp_server.bundles.apply import check_bundle
from mcp_server.bundles.bundle import BundleFile
from mcp_server.bundles.findings import BundleReport, Region
from mcp_server.bundles.item import opened


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


def checked(project: Path, path: Path, *, in_order: bool = False) -> BundleReport:
    """The report on one bundle of the project."""
    with opened(project, "off", of_locked=True) as engines:
        return check_bundle(engines, BundleFile(path, path.name), in_order=in_order)


def part(text: str, region: Region) -> str:
    """The text in ``region``, found as an editor would: by lines and UTF-16 columns."""
    lines = [line.encode("utf-16-le") for line in text.split("\n")]
    picked = lines[region.line - 1 : region.end_line]
    picked[-1] = picked[-1][: 2 * (region.end_column - 1)]
    picked[0] = picked[0][2 * (region.column - 1) :]
    return "\n".join(line.decode("utf-16-le") for line in picked)
