"""What installs have made in clients' files: a section, or the file.

For docs/design/command-line.md ``client uninstall``, which takes that away again once it is empty.
A file's text can't tell: an empty section of the user's looks the same. Where nothing is recorded,
what is there counts as the user's.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from enum import StrEnum
from pathlib import Path

from mcp_server.calls.private_file import write_private
from snippet_engine.storage.system.plain_file import read_plain

_MAX_BYTES = 1024 * 1024
"""A record that is larger is none."""


class Made(StrEnum):
    """What an install has made where its entry lies."""

    NOTHING = "nothing"
    SECTION = "section"
    FILE = "file"


def kept_folder() -> Path:
    """Where this product keeps what it needs to know of the user's clients."""
    import platformdirs  # noqa: PLC0415 - not for help pages

    return platformdirs.user_state_path("unity-snippet", appauthor=False)


def made_in(file: Path, section: str) -> Made:
    """What an install has made of ``file`` and its ``section``, as far as it is known."""
    found = _read().get(str(file.resolve()), {}).get(section)
    return Made(found) if found in (Made.SECTION, Made.FILE) else Made.NOTHING


def record(file: Path, section: str, made: Made) -> None:
    """Note what was made; for the one whose turn it is. What can't be noted isn't known later."""
    known, path = _read(), str(file.resolve())
    sections = {name: each for name, each in known.get(path, {}).items() if name != section}
    if made is not Made.NOTHING:
        sections[section] = made.value
    changed = {each: there for each, there in known.items() if each != path}
    if sections:
        changed[path] = sections
    if changed != known:
        with suppress(OSError):
            _write(changed)


def _place() -> Path:
    return kept_folder() / "clients.json"


def _read() -> dict[str, dict[str, str]]:
    """What is recorded of each file: by section; nothing that isn't as it was written."""
    try:
        found = json.loads(read_plain(_place(), _MAX_BYTES))
    except (OSError, ValueError, RecursionError):
        return {}
    if not isinstance(found, Mapping):
        return {}
    return {
        path: {name: each for name, each in sections.items() if isinstance(each, str)}
        for path, sections in found.items()
        if isinstance(sections, Mapping)
    }


def _write(known: Mapping[str, Mapping[str, str]]) -> None:
    """Raises ``OSError``."""
    place = _place()
    if not known:
        place.unlink(missing_ok=True)
        return
    place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    write_private(place, known, durable=False)
