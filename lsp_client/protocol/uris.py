"""Compare file URIs, which servers send back in other spellings.

``file:///c%3A/…`` and ``file:///C:/…`` are one file.
"""

from __future__ import annotations

import re
from urllib.parse import quote, unquote, urlsplit

_DRIVE = re.compile(r"/([A-Za-z]):(?=/|$)")
_UNESCAPED = "/:@!$&'()*+,;=~"


def canonical(uri: str) -> str:
    """Return the canonical spelling of a file URI; other URIs unchanged.

    Drive letters are in lower case, percent-escapes only where needed.
    """
    parts = urlsplit(uri)
    if parts.scheme.lower() != "file":
        return uri
    path = unquote(parts.path, errors="surrogateescape")
    path = _DRIVE.sub(lambda drive: f"/{drive[1].lower()}:", path, count=1)
    host = "" if parts.netloc.lower() == "localhost" else parts.netloc.lower()
    return f"file://{host}{quote(path, safe=_UNESCAPED, errors='surrogateescape')}"
