"""One write as it is kept on disk: first to clean up after a crash, later to undo.

Implements docs/design/engine.md §5. The record is complete, and durable, before the write
leaves any other trace. While the write runs it lies in ``pending``; once the target has its
new content, the same file is renamed into ``history``: one file, written once, is both the
journal and the before-image.
"""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass
from typing import Any

from snippet_engine.source_text import content_hash

_HASH = re.compile(r"sha256:[0-9a-f]{64}")
_TICKET = re.compile(r"[0-9a-f]{16}")

MAX_HEADER_BYTES = 64 * 1024
"""Largest header of a record that is read back; paths are far shorter."""


def new_ticket() -> str:
    """A name for one write that no other has: 16 hex digits."""
    return os.urandom(8).hex()


@dataclass(frozen=True, slots=True)
class WriteRecord:
    """A write of the file at ``path`` (canonical), from content ``before`` to ``after`` (hashes).

    ``image`` is the content before, or ``None`` for an undo, which needs none; an undo names
    the history entry that it takes back in ``consumes``.
    """

    path: str
    ticket: str
    before: str
    after: str
    image: bytes | None
    consumes: str | None = None

    def encode(self) -> bytes:
        """One line of JSON, then the before-image."""
        header = {
            "path": self.path,
            "ticket": self.ticket,
            "before": self.before,
            "after": self.after,
            "imageBytes": None if self.image is None else len(self.image),
            "consumes": self.consumes,
        }
        return json.dumps(header).encode() + b"\n" + (self.image or b"")

    @classmethod
    def decode(cls, data: bytes) -> WriteRecord | None:
        """The record, or ``None`` if ``data`` is not exactly what :meth:`encode` made.

        A before-image counts only if it has the hash and length that the header gives it.
        """
        line, newline, image = data.partition(b"\n")
        try:
            header = json.loads(line)
        except (ValueError, RecursionError):
            return None
        if not newline or not _is_header(header):
            return None
        size = header["imageBytes"]
        if len(image) != (size or 0):
            return None
        if size is not None and content_hash(image) != header["before"]:
            return None
        return cls(
            header["path"],
            header["ticket"],
            header["before"],
            header["after"],
            None if size is None else image,
            header["consumes"],
        )


def _is_header(header: Any) -> bool:
    return (
        isinstance(header, dict)
        and isinstance(header.get("path"), str)
        and _matches(_TICKET, header.get("ticket"))
        and _matches(_HASH, header.get("before"))
        and _matches(_HASH, header.get("after"))
        and (header.get("imageBytes") is None or isinstance(header["imageBytes"], int))
        and (header.get("consumes") is None or isinstance(header["consumes"], str))
    )


def _matches(pattern: re.Pattern[str], value: object) -> bool:
    return isinstance(value, str) and pattern.fullmatch(value) is not None
