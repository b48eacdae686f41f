"""Record what installs have created: a section in a client's file, the file, or a folder.

For docs/design/command-line.md ``client uninstall``, which removes it once it is empty. The text
alone doesn't show who created it. Whatever is not recorded belongs to the user.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from enum import StrEnum
from pathlib import Path
from typing import Any

from mcp_server.calls.private_file import write_private
from snippet_engine.storage.system.plain_file import read_plain

_FOLDER = "folder"
_MAX_BYTES = 1024 * 1024
"""A larger record is ignored."""


class Created(StrEnum):
    """What an install has created besides its entry."""

    NOTHING = "nothing"
    SECTION = "section"
    FILE = "file"
    FOLDER = "folder"


def state_folder() -> Path:
    """Return the folder for what this product notes about the user's clients."""
    import platformdirs  # noqa: PLC0415 - not for help pages

    return platformdirs.user_state_path("unity-snippet", appauthor=False)


def created_in(file: Path, section: str) -> Created:
    """Return what is recorded of ``file`` and its ``section``."""
    sections = _read().get(str(file.resolve()))
    found = sections.get(section) if isinstance(sections, Mapping) else None
    return Created(found) if found in (Created.SECTION, Created.FILE) else Created.NOTHING


def missing_folders(file: Path) -> list[Path]:
    """Return the folders that a write to ``file`` creates."""
    return [each for each in file.resolve().parents if not each.exists()]


def record_folders(folders: list[Path]) -> None:
    """Note that an install has created ``folders``."""
    for each in folders:
        record(each, _FOLDER, Created.FOLDER)


def remove_made_folders(folder: Path) -> None:
    """Remove ``folder`` if an install created it and it is empty, and its parents likewise."""
    folder = folder.absolute()
    with suppress(OSError):  # it is not empty, or in use
        while folder != folder.parent:
            noted = _read().get(str(folder.resolve()))
            is_made = isinstance(noted, Mapping) and noted.get(_FOLDER) == Created.FOLDER
            if folder.is_dir():
                if not is_made:
                    return
                folder.rmdir()
            if is_made:
                record(folder, _FOLDER, Created.NOTHING)
            folder = folder.parent


def heirs(file: Path, section: str) -> tuple[tuple[str, Created], ...]:
    """Return the note that hands a file, created with ``section``, over to another section of
    ours."""
    others = _read().get(str(file.resolve())) if created_in(file, section) is Created.FILE else None
    names = (each for each in others if each != section and "." not in each) if others else ()
    return tuple((each, Created.FILE) for each in names)[:1]


def record(file: Path, section: str, created: Created) -> None:
    """Note what was created; the caller has the turn. A failure only loses the note."""
    known, path = _read(), str(file.resolve())
    before = known.get(path)
    sections = dict(before) if isinstance(before, Mapping) else {}
    sections.pop(section, None)
    if created is not Created.NOTHING:
        sections[section] = created.value
    changed = {each: there for each, there in known.items() if each != path}
    if sections:
        changed[path] = sections
    if changed == known:
        return
    place = state_folder() / "clients.json"
    with suppress(OSError):
        if changed:
            place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            write_private(place, changed, durable=False)
        else:
            place.unlink(missing_ok=True)


def _read() -> dict[str, Any]:
    """Return the record: by file and section; empty if it can't be read."""
    try:
        found = json.loads(read_plain(state_folder() / "clients.json", _MAX_BYTES))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
