"""The input schema of ``put_texts``, which the review page calls.

Agents don't get this tool, so no list of tools has it.
"""

from __future__ import annotations

from snippet_engine.schemas.rename_schemas import MAX_TIMEOUT_MS
from snippet_engine.schemas.schema import HASH, TEXT, Schema, array, object_schema, timeout
from snippet_engine.storage.records.change_record import MAX_CHANGE_FILES

_FILE: Schema = object_schema(
    {
        "path": {"type": "string", "minLength": 1},
        "expectedHash": HASH,
        "moveTo": {"type": "string", "minLength": 1},
        "content": TEXT,
        "removedHash": HASH,
        "removedFrom": {"type": "string", "minLength": 1},
        "meta": TEXT,
    },
    ("path",),
)
"""Without ``expectedHash``, no file may exist. Without ``content`` (Base64), the file is deleted.

The other keys are for a file that is restored. ``removedHash`` identifies the text that the file
had when it was removed. ``removedFrom`` is its path at that time, if different. ``meta`` is its
``.meta`` at that time, in case the history has none. A file that is at that path now is another
file.
"""

PUT_TEXTS_INPUT: Schema = object_schema(
    {
        "mode": {"enum": ["preview", "apply"]},
        "files": array(_FILE, minItems=1, maxItems=MAX_CHANGE_FILES),
        "validation": {"enum": ["auto", "none"]},
        "about": {"type": "string", "maxLength": 200},
        "timeout_ms": timeout(MAX_TIMEOUT_MS),
    },
    ("mode", "files"),
)
