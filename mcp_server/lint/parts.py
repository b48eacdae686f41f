"""Which bundles a worker is handed at once: those that edit the same script.

Part of docs/design/command-line.md ``lint`` (``--jobs``). A script is read and parsed by each
worker that judges an edit of it, and most of what its first edit costs is that. Who edits what is
only glanced at: a part decides when a bundle is checked, and nothing of what is found in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from mcp_server.bundles.bundle import BundleFile
from snippet_engine.storage.system.plain_file import read_plain

_GLANCE_BYTES = 4096
_PATH = re.compile(rb'"path"\s*:\s*"([^"\\]*)"')

_MAX_PART = 50
"""Bundles that are enough for a part; it has more only where they edit the same script."""

_PARTS_PER_WORKER = 4
"""At least so many parts a worker, so that none waits long for the slowest."""


def parts_of(bundles: Sequence[BundleFile], workers: int) -> list[tuple[int, ...]]:
    """The bundles' indexes, in parts. Each is in one part; the parts are in no order that counts.

    No part has more than a worker's share of all, whatever its bundles edit.
    """
    most = max(1, len(bundles) // (workers * _PARTS_PER_WORKER))
    return list(_joined(_by_script(bundles), min(_MAX_PART, most), most))


def _by_script(bundles: Sequence[BundleFile]) -> list[list[int]]:
    groups: dict[bytes, list[int]] = {}
    for index, bundle in enumerate(bundles):
        groups.setdefault(_first_script(bundle), []).append(index)
    return list(groups.values())


def _joined(groups: Sequence[list[int]], enough: int, most: int) -> Iterator[tuple[int, ...]]:
    """The groups, several in a part while they are small; a large one in several parts."""
    part: list[int] = []
    for group in groups:
        if part and len(part) + len(group) > most:
            yield tuple(part)
            part = []
        for start in range(0, len(group), most):
            part += group[start : start + most]
            if len(part) >= enough:
                yield tuple(part)
                part = []
    if part:
        yield tuple(part)


def _first_script(bundle: BundleFile) -> bytes:
    """The first path that the bundle names; nothing where that isn't seen at a glance."""
    try:
        seen = _PATH.search(read_plain(bundle.path, _GLANCE_BYTES))
    except OSError:
        return b""
    return seen[1] if seen is not None else b""
