"""Names of files and folders that not every system can have.

Implements docs/design/systems.md "Names". What Windows can't name can't be checked out there, so no
script is made by such a name anywhere. On Windows itself it leads to a device, to a stream of some
other file, or to the file without the last dot, and is never opened. The rules are those of
Microsoft's "Naming Files, Paths, and Namespaces".
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_DEVICE = re.compile(r"(?:con|prn|aux|nul|(?:com|lpt)[0-9¹²³]|conin\$|conout\$)\Z", re.IGNORECASE)
_SIGN = re.compile(r'[<>:"|?*]')


def why_not_portable(names: Iterable[str]) -> str | None:
    """The same as :func:`why_not_on_windows` of the first of ``names`` that it can't have."""
    return next(filter(None, map(why_not_on_windows, names)), None)


def why_not_on_windows(name: str) -> str | None:
    """Why Windows can have no file or folder of that name, to follow it in a sentence."""
    if name.endswith((".", " ")):
        ending = "dot" if name.endswith(".") else "space"
        return f"has a name that ends in a {ending}, which Windows drops"
    # A device keeps its name whatever extension is added, and with spaces before that.
    if _DEVICE.match(name.partition(".")[0].rstrip(" ")):
        return f"has a name that Windows keeps for a device ({name.partition('.')[0].strip()})"
    sign = _SIGN.search(name)
    if sign is not None:
        return f"has {sign.group()} in a name, which Windows doesn't allow"
    return None
