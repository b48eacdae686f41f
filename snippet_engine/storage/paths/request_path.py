"""Check the ``path`` of a request without looking at the disk (docs/design/engine.md §6)."""

from __future__ import annotations

import posixpath
import re
import sys
from collections.abc import Callable, Sequence
from urllib.parse import unquote

from snippet_engine.errors import CONTROL_CHARACTER, ErrorCode, SnippetError, show
from snippet_engine.storage.system.names import why_not_portable

SCRIPT_ROOTS = ("Assets", "Packages")
"""Folders of a Unity project whose scripts can be edited."""

FILE_ROOTS = (*SCRIPT_ROOTS, "ProjectSettings")
"""Folders whose other files a change set can contain: assets, ``.meta`` files, settings."""

PACKAGE_CACHE = ("Library", "PackageCache")
"""Unity's folder for downloaded packages; their scripts can be read, never edited."""

FILE_URI = "file://"

MAX_PATH_LENGTH = 4096
"""Longest path, in code points; no system can open a longer one."""

_EXAMPLE = "Send one such as Assets/Scripts/Player.cs."
_ADVISED = (_EXAMPLE, "Assets/… or Packages/….", "only C# scripts are edited here.")
_NO_TEXT = "has control characters or is not valid Unicode"
_DRIVE = re.compile(r"[A-Za-z]:")


def parse_request_path(
    path: str, project_root: str, spelled: Callable[[str], str] = str
) -> tuple[str, ...] | SnippetError:
    r"""Return the segments of a request's ``path``, with ``\\`` read as ``/``.

    ``project_root`` and ``spelled`` (the names on disk of a path) only serve a suggestion. Error:
    ``path_not_allowed``; ``details["suggestion"]`` is the path to send instead, if known.
    """
    if len(path) > MAX_PATH_LENGTH:
        return SnippetError(
            ErrorCode.PATH_NOT_ALLOWED,
            f"The path has {len(path):,} characters, more than {MAX_PATH_LENGTH:,}. {_EXAMPLE}",
        )
    path = path.replace("\\", "/")
    problem = _problem(path)
    if problem is None:
        return tuple(path.split("/"))
    suggestion = _suggestion(path, project_root.replace("\\", "/"))
    if suggestion is None or _problem(suggestion):
        advice = "" if problem.endswith(_ADVISED) else f" {_EXAMPLE}"
        return SnippetError(ErrorCode.PATH_NOT_ALLOWED, f"{problem}{advice}")
    on_disk = spelled(suggestion)
    if _problem(on_disk) is None:
        suggestion = on_disk
    return SnippetError(
        ErrorCode.PATH_NOT_ALLOWED,
        f"{problem} Send {show(suggestion)} instead.",
        details={"suggestion": suggestion},
    )


def _problem(path: str) -> str | None:
    if not path:
        return f"The path is empty. {_EXAMPLE}"
    if not _is_text(path):
        return f"The path {show(path)} {_NO_TEXT}."
    if path.startswith("/") or _DRIVE.match(path):
        # It is not repeated in the answer: messages carry no absolute paths.
        return "The path is absolute. It must be relative to the project: Assets/… or Packages/…."
    segments = tuple(path.split("/"))
    if not {"", ".", ".."}.isdisjoint(segments):
        return f"The path {show(path)} has '.', '..' or empty segments."
    if segments[0] not in SCRIPT_ROOTS and segments[:2] != PACKAGE_CACHE:
        return f"{show(path)} is not below Assets/ or Packages/."
    if not segments[-1].endswith(".cs"):
        return f"{show(path)} is not a .cs file; only C# scripts are edited here."
    why = _why_not_here(segments)
    return why and f"{show(path)} {why}."


def file_segments(path: str) -> tuple[str, ...] | None:
    """Return the segments of any file's canonical path below :data:`FILE_ROOTS`.

    ``None`` if no file of a change set can have that path.
    """
    segments = tuple(path.split("/"))
    if len(path) > MAX_PATH_LENGTH or not _is_text(path) or "\\" in path or _DRIVE.match(path):
        return None
    if len(segments) < 2 or segments[0] not in FILE_ROOTS:
        return None
    if not {"", ".", ".."}.isdisjoint(segments) or _why_not_here(segments):
        return None
    return segments


def why_not_sent(path: str) -> str | None:
    """Return why no request can name the script at ``path``, to continue a sentence.

    ``None`` if a request can.
    """
    if len(path) > MAX_PATH_LENGTH:
        return f"has more than {MAX_PATH_LENGTH:,} characters"
    if "\\" in path:
        return "has a backslash in a name, which requests read as /"
    return _why_not_here(path.split("/")) if _is_text(path) else _NO_TEXT


def _why_not_here(segments: Sequence[str]) -> str | None:
    """Return why this system can't open files with these names; ``None`` if it can."""
    # Windows would open a device, or another file, by such a name.
    return why_not_portable(segments) if sys.platform == "win32" else None


def local_path(path: str) -> str:
    """Return ``path`` with ``/``; for a file URI, its path."""
    if path.startswith(FILE_URI):
        path = unquote(path.removeprefix(FILE_URI).removeprefix("localhost"))
        if path[2:3] == ":":
            path = path.removeprefix("/")  # file:///C:/…
    return path.replace("\\", "/")


def outside_roots(path: str) -> str | None:
    """Return the path with ``/`` if it would be valid with ``Assets/`` in front (``Player.cs``)."""
    plain = path.replace("\\", "/")
    if len(path) > MAX_PATH_LENGTH or _DRIVE.match(plain) or not _problem(plain):
        return None
    return plain if _problem(f"{SCRIPT_ROOTS[0]}/{plain}") is None else None


def _is_text(path: str) -> bool:
    if CONTROL_CHARACTER.search(path):
        return False
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True


def _suggestion(path: str, project_root: str) -> str | None:
    """Return the path that was probably intended: relative, normalised, from a known root."""
    relative = path.removeprefix(project_root.rstrip("/") + "/")
    segments = posixpath.normpath(relative).split("/")
    if segments[0] in ("", "..") or _DRIVE.match(relative):
        return None
    for index, segment in enumerate(segments[:-1]):
        for root in SCRIPT_ROOTS:
            if segment.strip().casefold() == root.casefold():
                return "/".join((root, *segments[index + 1 :]))
    return None
