"""Find names that some systems don't allow, and different names that some systems treat as one.

Implements docs/design/systems.md "Names", by the rules of Microsoft's "Naming Files, Paths, and
Namespaces". A name that Windows doesn't allow can't be checked out there, so no script is created
with one. A project with both ``Player.cs`` and ``player.cs`` can't be checked out on Windows or
macOS.
"""

from __future__ import annotations

import os
import re
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
    """Return the path that exists in another spelling, down to the first name that differs."""

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
