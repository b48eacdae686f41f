"""The descriptor: where a project's Editor says that it listens, and with which token.

Implements docs/design/pipeline.md §1. Read, it is only a claim: the file may be left over from an
Editor that is gone. It is believed once the Editor has answered with the project's own path.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import PurePosixPath
from typing import Any, TypeGuard

DESCRIPTOR_PATH = PurePosixPath("Library/Pipeline/.unity-pipeline-port")
"""Below the project."""

MAX_DESCRIPTOR_BYTES = 64 * 1024

PORTS = range(7800, 7850)
"""Where the package listens. A descriptor that names another port is not the package's."""


@dataclass(frozen=True, slots=True)
class Descriptor:
    """A claim: an Editor with this process id listens on this port, and takes this token."""

    port: int
    token: str = field(repr=False)
    """Is shown to that port alone, and never logged."""
    pid: int
    project: str
    unity_version: str | None = None
    started_s: float | None = None
    """When the Editor says that it began to listen, as of ``time.time``."""


@dataclass(frozen=True, slots=True)
class NoDescriptor:
    """Why there is none that could be used. ``absent``: there is no file at all.

    ``half``: it can't be read as JSON; the Editor may be writing it just now.
    """

    reason: str
    absent: bool = False
    half: bool = False


def parse_descriptor(data: bytes) -> Descriptor | NoDescriptor:
    """Read the bytes of a descriptor."""
    if len(data) > MAX_DESCRIPTOR_BYTES:
        return NoDescriptor(f"the descriptor has more than {MAX_DESCRIPTOR_BYTES} bytes")
    try:
        document = json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return NoDescriptor("the descriptor is not JSON, or only half of it", half=True)
    if not isinstance(document, dict):
        return NoDescriptor("the descriptor is not a JSON object")
    port, token, pid = (document.get(key) for key in ("port", "evalToken", "pid"))
    project, version = document.get("projectPath"), document.get("unityVersion")
    if not _is_number(port) or port not in PORTS:
        where = f"{PORTS.start} to {PORTS.stop - 1}"
        return NoDescriptor(f"the descriptor names no port from {where}")
    if not isinstance(token, str) or not (token and token.isascii() and token.isprintable()):
        return NoDescriptor("the descriptor has no token")
    if not isinstance(project, str) or not _is_number(pid) or pid < 1:
        return NoDescriptor("the descriptor names no project or no process")
    return Descriptor(
        port,
        token,
        pid,
        project,
        version if isinstance(version, str) else None,
        _seconds(document.get("startedAt")),
    )


def _seconds(told: Any) -> float | None:
    """The time that a text with a time zone says, as of ``time.time``."""
    try:
        moment = datetime.fromisoformat(told)
    except (TypeError, ValueError):
        return None
    return None if moment.tzinfo is None else moment.timestamp()


def _is_number(value: Any) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)
