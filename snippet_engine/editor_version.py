"""Which Unity Editor a project is for, as it says itself in ``ProjectSettings/ProjectVersion.txt``.

The one place that knows where that stands and how. Whoever has ways of its own to files reads the
text, and asks what it says.
"""

from __future__ import annotations

import re
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from pathlib import PurePath

from snippet_engine.storage.system.plain_file import read_plain

VERSION_FILE = "ProjectSettings/ProjectVersion.txt"

MAX_VERSION_BYTES = 64 * 1024
"""What is read of the file at most; it has two lines."""

_EDITOR_VERSION = re.compile(r"^m_EditorVersion:[ \t]*([\w.+-]+)", re.MULTILINE)
_NUMBERS = re.compile(r"^(\d+)\.(\d+)\.(\d+)")


def editor_version(root: PurePath | str) -> str:
    """The version of the project's Editor, as ``6000.0.23f1``; empty where none is named."""
    try:
        return editor_version_in(read_plain(f"{root}/{VERSION_FILE}", MAX_VERSION_BYTES))
    except OSError:
        return ""


def editor_version_in(data: bytes) -> str:
    """The version that the file's bytes name; empty if none."""
    codec = "utf-16" if data.startswith((BOM_UTF16_LE, BOM_UTF16_BE)) else "utf-8"
    found = _EDITOR_VERSION.search(data.removeprefix(BOM_UTF8).decode(codec, "replace"))
    return found[1] if found else ""


def version_numbers(version: str) -> tuple[int, int, int] | None:
    """The three numbers that an Editor's version begins with, if it does."""
    found = _NUMBERS.match(version)
    return (int(found[1]), int(found[2]), int(found[3])) if found else None
