"""The GUID in a ``.meta`` file: what scenes and prefabs refer to a script by."""

from __future__ import annotations

import re

_GUID = re.compile(rb"^guid:[ \t]*([0-9a-fA-F]{1,64})[ \t]*\r?$", re.MULTILINE)


def guid_in(meta: bytes | None) -> str | None:
    """The GUID that a ``.meta`` with this content gives; ``None`` if it gives none."""
    found = None if meta is None else _GUID.search(meta)
    return None if found is None else found[1].decode()
