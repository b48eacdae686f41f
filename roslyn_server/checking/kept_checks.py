"""Decide where checks keep their results: below the project's ``Library``, signed by this user.

The compiler writes the files (``csharp/project/kept_checks.cs``). It keeps nothing if the project
has no ``Library``, or if ``Library`` or the user's cache can't be written.
"""

from __future__ import annotations

import os
import re
import secrets
from functools import cache
from pathlib import Path

from roslyn_server.protocol import KEEPING_VARIABLE
from roslyn_server.toolchains.machine import toolchain_cache
from snippet_engine.storage.system.folder import Folder
from snippet_engine.storage.system.names import real_path
from snippet_engine.storage.system.plain_file import read_plain

_IN_LIBRARY = ("SnippetEngine", "check")
_SECRET = re.compile(rb"[0-9a-f]{64}")
_FOR_OTHERS = 0o077


def place(root: Path) -> tuple[Path | None, str]:
    """Return the folder for kept checks, made if missing, and the user's secret.

    Return ``None`` and ``""`` if checks must not or can't be kept. Follows no links below
    ``Library``.
    """
    if os.environ.get(KEEPING_VARIABLE, "").lower() == "off":
        return None, ""
    try:
        library = Path(real_path(str(root / "Library")))
        for depth, name in enumerate(_IN_LIBRARY):
            with Folder.open(library, _IN_LIBRARY[:depth], in_place=True) as folder:
                folder.make(name)
        with Folder.open(library, _IN_LIBRARY):
            pass  # the last folder isn't a link
        return library.joinpath(*_IN_LIBRARY), _secret(toolchain_cache().parent / "check-key")
    except OSError:
        return None, ""


@cache
def _secret(file: Path) -> str:
    """Return the secret in a file that only this user can read, made if missing.

    Raises ``OSError``.
    """
    if not file.exists():
        _make_secret(file)
    status = file.lstat()
    if os.name == "posix" and (status.st_uid != os.geteuid() or status.st_mode & _FOR_OTHERS):
        raise PermissionError(f"{file} is not this user's alone")
    found = read_plain(file)
    if _SECRET.fullmatch(found) is None:
        raise OSError(f"{file} has no secret")
    return found.decode()


def _make_secret(file: Path) -> None:
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        aside = file.with_name(f".{file.name}.{secrets.token_hex(8)}")
        handle = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            with os.fdopen(handle, "wb") as opened:
                opened.write(secrets.token_hex(32).encode())
            os.link(aside, file)  # adds a complete file, and replaces none
        finally:
            aside.unlink()
    except FileExistsError:
        pass  # another process was quicker
