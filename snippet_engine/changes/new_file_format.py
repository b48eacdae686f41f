"""Give a new script the line endings and byte order mark of the scripts around it.

Implements docs/design/change-sets.md §1, the format of a new file. Most scripts of its folder
decide; without scripts there, those of the nearest folder above that has some, then those of the
whole ``Assets`` folder or package. Reading is bounded.
"""

from __future__ import annotations

import os
from codecs import BOM_UTF8
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from snippet_engine.errors import show
from snippet_engine.storage.paths.project import ScriptPath
from snippet_engine.storage.system.plain_file import read_plain

MAX_SCRIPTS = 20
"""Most scripts that are read in one folder."""
_MAX_ENTRIES = 2_000
"""Most entries that are listed in one folder."""
_MAX_FOLDERS = 50
"""Most folders that are searched for a script."""
_MAX_BYTES = 8_192
"""Bytes read of each script."""

_ENDINGS = {"\n": "LF", "\r\n": "CRLF", "\r": "CR"}
_MARK = "\ufeff"


@dataclass(frozen=True, slots=True)
class FileFormat:
    """The line ending and byte order mark of most scripts in ``where``."""

    ending: str = "\n"
    has_bom: bool = False
    where: str = ""


PLAIN = FileFormat()
"""The format where no other script is found."""


def in_format(text: str, wanted: FileFormat) -> tuple[str, str]:
    """Return ``text`` in the ``wanted`` format, and what that changed in words.

    A carriage return in ``text`` means that its line endings stay; a byte order mark stays, too.
    """
    taken: list[str] = []
    if wanted.ending != "\n" and "\n" in text and "\r" not in text:
        text = text.replace("\n", wanted.ending)
        taken.append(f"{_ENDINGS[wanted.ending]} line endings")
    if wanted.has_bom and not text.startswith(_MARK):
        text = _MARK + text
        taken.append("a byte order mark")
    which = f", as most scripts in {wanted.where} have" if taken else ""
    return text, " and ".join(taken) + which


def format_around(script: ScriptPath) -> FileFormat:
    """Return the format of the scripts around the new ``script``."""
    depth = 1 if script.canonical.startswith("Packages/") else 0
    folders = list(script.inside[:-1])
    top = script.canonical.split("/")[: -len(script.inside)]
    while len(folders) >= depth:
        found = _format_of(script.real_root.joinpath(*folders), script.name)
        if found is not None:
            return FileFormat(*found, show("/".join((*top, *folders))))
        if len(folders) == depth:
            break
        folders.pop()
    searched = script.real_root.joinpath(*folders)
    for folder in islice(_folders_below(searched), _MAX_FOLDERS):
        found = _format_of(folder, script.name)
        if found is not None:
            below = folder.relative_to(script.real_root).parts
            return FileFormat(*found, show("/".join((*top, *below))))
    return PLAIN


def _format_of(folder: Path, besides: str) -> tuple[str, bool] | None:
    """Return the format of most scripts in ``folder``; ``None`` if it has none."""
    names = [name for name, is_folder in _entries(folder) if not is_folder]
    scripts = sorted(name for name in names if name.lower().endswith(".cs") and name != besides)
    return most_common(_beginnings(folder / name for name in scripts[:MAX_SCRIPTS]))


def most_common(beginnings: Iterable[bytes]) -> tuple[str, bool] | None:
    """Return the line ending and byte order mark of most of ``beginnings``; ``None`` if there is
    no text.

    Of equally frequent ones, ``\\n`` and no mark win.
    """
    endings: Counter[str] = Counter()
    marks: Counter[bool] = Counter()
    for data in beginnings:
        if not data or b"\0" in data:  # UTF-16 has zero bytes.
            continue
        marks[data.startswith(BOM_UTF8)] += 1
        crlf = data.count(b"\r\n")
        counts = {"\n": data.count(b"\n") - crlf, "\r\n": crlf, "\r": data.count(b"\r") - crlf}
        ending = max(counts, key=counts.__getitem__)
        endings[ending] += 1 if counts[ending] else 0
    if not marks:
        return None
    return max(_ENDINGS, key=endings.__getitem__), marks[True] > marks[False]


def _beginnings(paths: Iterable[Path]) -> Iterator[bytes]:
    for path in paths:
        try:
            # A line ending of two bytes isn't cut in two.
            yield read_plain(path, _MAX_BYTES).removesuffix(b"\r")
        except OSError:
            continue


def _folders_below(folder: Path) -> Iterator[Path]:
    """Yield the folders in ``folder``, the nearest first."""
    waiting = deque([folder])
    while waiting:
        above = waiting.popleft()
        names = sorted(name for name, is_folder in _entries(above) if is_folder)
        for name in names[:_MAX_FOLDERS]:
            yield above / name
            waiting.append(above / name)


def _entries(folder: Path) -> list[tuple[str, bool]]:
    """Return names of files and of folders in ``folder``, without links and hidden ones."""
    try:
        with os.scandir(folder) as entries:
            return [
                (each.name, each.is_dir(follow_symlinks=False))
                for each in islice(entries, _MAX_ENTRIES)
                if not each.name.startswith(".") and not each.is_symlink()
            ]
    except OSError:
        return []
