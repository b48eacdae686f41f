"""Names and paths: which systems allow them, which are one file, and which are links.

Implements docs/design/systems.md "Names", by Microsoft's "Naming Files, Paths, and Namespaces".

- Windows can't check out a script with a forbidden name, nor both ``Player.cs`` and ``player.cs``.
  So scripts with these names are not created.
- macOS ignores case and composition. If a request says ``player.cs``, a write would rename
  ``Player.cs``, and its history would be another file's. So the name on disk is used.
- A junction looks like a folder. The tag of its reparse point says whether it leads elsewhere
  (*name surrogate*). Other reparse points, such as files stored in a cloud, aren't links.
- With ``\\\\?\\`` in front, Windows accepts a path of up to 32,767 characters; otherwise long paths
  work only if an administrator allowed them.
"""

from __future__ import annotations

import os
import re
import stat
import sys
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

_DEVICE = re.compile(r"(?:con|prn|aux|nul|(?:com|lpt)[0-9¹²³]|conin\$|conout\$)\Z", re.IGNORECASE)
_SIGN = re.compile(r'[<>:"|?*]')


def why_not_portable(names: Iterable[str]) -> str | None:
    """Return :func:`why_not_on_windows` for the first of ``names`` that Windows doesn't allow."""
    return next(filter(None, map(why_not_on_windows, names)), None)


def why_not_on_windows(name: str) -> str | None:
    """Return why Windows doesn't allow that name, to continue a sentence; ``None`` if it does."""
    if name.endswith((".", " ")):
        ending = "dot" if name.endswith(".") else "space"
        return f"has a name that ends in a {ending}, which Windows drops"
    # A device keeps its name whatever extension is added, and with spaces before that.
    if _DEVICE.match(name.partition(".")[0].rstrip(" ")):
        return f"has a name that Windows reserves for a device ({name.partition('.')[0].strip()})"
    sign = _SIGN.search(name)
    if sign is not None:
        return f"has {sign.group()} in a name, which Windows doesn't allow"
    return None


WHY_ONE = "on Windows and macOS names that differ only in letter case or composition are the same"


def one_name(name: str) -> str:
    """Return a key that is equal for names, or paths, that differ only in case and composition."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).lower())


def existing_twin(root: Path, inside: Sequence[str]) -> tuple[str, ...] | None:
    """Return the path that exists in another spelling, down to the first name that differs.

    ``None`` if there is none.
    """

    def is_there(path: Sequence[str]) -> bool:
        return os.path.lexists(os.path.join(root, *path))  # noqa: PTH118 - as project does it

    def names_in(path: Sequence[str]) -> Iterable[str]:
        try:
            return os.listdir(os.path.join(root, *path))  # noqa: PTH118, PTH208
        except OSError:
            return ()

    return twin_among(inside, is_there, names_in)


def twin_among(
    inside: Sequence[str],
    is_there: Callable[[Sequence[str]], bool],
    names_in: Callable[[Sequence[str]], Iterable[str]],
) -> tuple[str, ...] | None:
    """Return :func:`existing_twin` for any tree, given an existence test and a folder listing."""
    for depth, segment in enumerate(inside):
        if is_there(inside[: depth + 1]):
            continue
        meant, names = one_name(segment), names_in(inside[:depth])
        twins = sorted(name for name in names if name != segment and one_name(name) == meant)
        return (*inside[:depth], twins[0]) if twins else None
    return None


Lstat = Callable[[str], os.stat_result]
Names = Callable[[str], list[str]]


def true_names(
    root: str, inside: Sequence[str], lstat: Lstat = os.lstat, names: Names = os.listdir
) -> tuple[str, ...]:
    """Return the segments ``inside`` of the folder ``root`` as they are on disk, if they exist."""
    folder, found = root, []
    for segment in inside:
        name = _true_name(folder, segment, lstat, names)
        found.append(name)
        folder = os.path.join(folder, name)  # noqa: PTH118 - every request comes through here
    return tuple(found)


def names_alike(root: str, inside: Sequence[str]) -> tuple[str, ...]:
    """Return ``inside``, each name as the one existing that differs only in case or composition."""
    folder = root
    found: list[str] = []
    for depth, segment in enumerate(inside):
        try:
            listed = os.listdir(folder)  # noqa: PTH208 - names only
        except OSError:
            listed = []
        alike = [name for name in listed if folded(name) == folded(segment)]
        if segment not in alike and len(alike) != 1:
            return (*found, *inside[depth:])
        found.append(segment if segment in alike else alike[0])
        folder = os.path.join(folder, found[-1])  # noqa: PTH118
        if is_link(folder):
            return (*found, *inside[depth + 1 :])
    return tuple(found)


def _true_name(folder: str, segment: str, lstat: Lstat, names: Names) -> str:
    other = segment.swapcase()
    if other == segment and segment.isascii():
        return segment
    try:
        meant = lstat(os.path.join(folder, segment))  # noqa: PTH118
        if segment.isascii():
            lstat(os.path.join(folder, other))  # noqa: PTH118
        listed = names(folder)
    except OSError:
        return segment  # the usual case: no file has the other name
    if segment in listed:
        return segment
    alike = [name for name in listed if folded(name) == folded(segment)]
    if len(alike) == 1:
        # The file exists, but its folder lists another name. Inode numbers don't help: some file
        # systems give each name its own.
        return alike[0]
    for name in alike:
        try:
            if _same(meant, lstat(os.path.join(folder, name))):  # noqa: PTH118
                return name
        except OSError:
            continue
    return segment


def _same(one: os.stat_result, other: os.stat_result) -> bool:
    return (one.st_dev, one.st_ino) == (other.st_dev, other.st_ino)


def folded(name: str) -> str:
    """Return ``name`` in a spelling that ignores case and composition."""
    return unicodedata.normalize("NFC", name).casefold()


_NAME_SURROGATE = 0x2000_0000
"""``IsReparseTagNameSurrogate`` of Windows' ``winnt.h``."""

_LINK = "a link"


def is_link(path: str | os.PathLike[str]) -> bool:
    """Return whether the path is a link or junction; ``False`` if it doesn't exist."""
    try:
        return leads_elsewhere(os.lstat(path))
    except OSError:
        return False


def link_on_the_way(root: Path, names: Sequence[str]) -> Sequence[str] | None:
    """Return the ``names`` up to and with the first that is a link; ``None`` if none is."""
    found = no_folder_on_the_way(root, names)
    return found[0] if found is not None and found[1] == _LINK else None


def leads_elsewhere(status: os.stat_result) -> bool:
    """Return whether the ``status`` of ``lstat`` is that of a link or a junction."""
    tag: int = getattr(status, "st_reparse_tag", 0)
    return stat.S_ISLNK(status.st_mode) or bool(tag & _NAME_SURROGATE)


def no_folder_on_the_way(root: Path, names: Sequence[str]) -> tuple[Sequence[str], str] | None:
    """Return the ``names`` down to the first that isn't a folder, and its kind.

    ``None`` if all are folders, or don't exist.
    """
    for depth in range(1, len(names) + 1):
        try:
            status = os.lstat(within_reach(root.joinpath(*names[:depth])))
        except OSError:
            return None
        if leads_elsewhere(status):
            return names[:depth], _LINK
        if not stat.S_ISDIR(status.st_mode):
            return names[:depth], "a file" if stat.S_ISREG(status.st_mode) else "no folder"
    return None


_SHORT = 248
"""Longest folder path that works without it, including C's terminating character; a file's is
260.
"""

_AS_IT_IS = "\\\\?\\"
_AS_IT_IS_ON_A_SERVER = "\\\\?\\UNC\\"


def within_reach(path: str | os.PathLike[str], windows: bool = sys.platform == "win32") -> str:
    """Return ``path``, absolute and normalised, in a form that the system accepts at any length."""
    text = os.fspath(path)
    if not windows or len(text) < _SHORT or text.startswith(_AS_IT_IS):
        return text
    if text.startswith("\\\\"):
        return _AS_IT_IS_ON_A_SERVER + text[2:]
    return _AS_IT_IS + text if text[1:3] == ":\\" else text


def real_path(path: str, windows: bool = sys.platform == "win32") -> str:
    """Return ``os.path.realpath`` of a path of any length, in the usual spelling."""
    found = os.path.realpath(within_reach(path, windows))
    if not windows:
        return found
    if found.startswith(_AS_IT_IS_ON_A_SERVER):
        return "\\\\" + found.removeprefix(_AS_IT_IS_ON_A_SERVER)
    return found.removeprefix(_AS_IT_IS)
