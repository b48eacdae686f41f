"""Write a small JSON file that only its user can read: whole, or not at all.

Implements docs/design/systems.md "Durability" for what servers keep in the user's state folder.
"""

from __future__ import annotations

import json
import os
import secrets
from pathlib import Path
from typing import Any

from snippet_engine.storage.system.replace_file import replace_file
from snippet_engine.storage.system.system_calls import make_durable


def write_private(target: Path, document: Any, *, durable: bool) -> None:
    """Replace ``target`` with the JSON ``document``.

    With ``durable`` it survives a power cut once this returns. Raises ``OSError``, and then leaves
    the old file.
    """
    temporary = target.with_name(f".{target.name}.{secrets.token_hex(8)}")
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as opened:
            json.dump(document, opened)
            opened.flush()
            if durable:
                make_durable(opened.fileno())
        replace_file(temporary, target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
