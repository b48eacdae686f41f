"""Which configurations a command line names: ``.globalconfig``, ``.editorconfig``, rule sets.

Part of docs/design/roslyn.md §3 "References". The compiler reads them; here it is seen that they
can be read to their end, and when they change.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from roslyn_server.projects.builds import is_plain_file, stamp_of

_MAX_BYTES = 1024 * 1024
_NAMED = re.compile(
    r'^[-/](?:analyzerconfig|ruleset):"?(.+?)"?[ \t\r]*$', re.MULTILINE | re.IGNORECASE
)


def configured_by(response_file: str, folder: Path) -> tuple[Path, ...]:
    """The configurations that a response file's text names."""
    return tuple(folder / each for each in _NAMED.findall(response_file))


def unreadable(files: tuple[Path, ...]) -> str | None:
    """What is wrong with the first of them that there is and that the compiler must not read."""
    for file in files:
        stamp = stamp_of(file)
        if stamp is None:
            continue  # the compiler says so
        if not is_plain_file(file):
            return f"{file.name} is no file"
        if not os.access(file, os.R_OK):
            return f"{file.name} can't be read"
        if stamp[1] > _MAX_BYTES:
            return f"{file.name} is larger than {_MAX_BYTES // 1024**2} MB"
    return None
